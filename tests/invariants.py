"""What must hold after every atomic action of every game (rules page, section 12), checked in plain Python.

`watched_game` plays a game of the engine and checks all of it; nothing here asks the engine about its own rules.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rcsim.columns import GAME_COLUMNS, SEAT_COLUMNS
from rcsim.engine import state as st
from rcsim.engine.run import next_action
from rcsim.engine.scoring import score, tower_share
from rcsim.engine.setup import setup
from rcsim.engine.state import LOG_ROWS, MAX_ACTIONS, new_actions, new_games, new_log, scratch_cards
from rcsim.engine.turn import apply, legal
from rcsim.policies.lineup import seat_players
from rcsim.policies.mind import new_mind
from rcsim.rules.tables import SHARES_2P_THIRD, SHARES_HALVING, TABLES

SEAT_NAMES = [c.name for c in SEAT_COLUMNS]
POINTS = [i for i, name in enumerate(SEAT_NAMES) if name.startswith("points_")]
EARNED = [i for i, name in enumerate(SEAT_NAMES) if name.startswith("rubles_from_")]
SPENT = [i for i, name in enumerate(SEAT_NAMES) if name.startswith("rubles_for_")]
COLUMN = {name: i for i, name in enumerate(SEAT_NAMES)}
ORNAMENTS = (1, 2, 1)

Now = dict[str, Any]


class Watch:
    """One game, and what must hold in it."""

    def __init__(self, tables: NDArray[np.void], seed: int, deal: int) -> None:
        self.record = tables.view(np.recarray)[0]
        self.t: Now = {name: tables[name][0].tolist() for name in TABLES.names or ()}
        self.games = new_games(2)
        self.g = self.games[0]
        self.views = {name: self.games[name] for name in self.games.dtype.names}
        self.acts, self.mind, self.log = new_actions(), new_mind(), new_log(on=True)
        self.seats = range(self.t["seats"])
        setup(self.g, self.record, np.uint64(seed), np.int64(deal), scratch_cards())
        self.turns_at_finish: list[int] | None = None
        self.actions = 0

    def now(self) -> Now:
        """The game as plain numbers and lists."""
        return {name: view[0].tolist() for name, view in self.views.items()}

    def legal(self) -> list[int]:
        """The legal actions; listing them leaves the game as it is."""
        self.games[1] = self.games[0]
        legal(self.g, self.record, self.acts)
        assert self.games[0].tobytes() == self.games[1].tobytes(), "listing actions changed the game"
        n = int(self.acts.n)
        assert 0 < n <= MAX_ACTIONS
        actions: list[int] = self.acts.a[:n].tolist()
        assert len(set(actions)) == n, "an action is listed twice"
        return actions

    def step(self, lineup: NDArray[np.void]) -> None:
        """One action of the players, and all checks."""
        listed = self.legal()
        phase = int(self.views["phase"][0])
        if phase == st.P_MAIN:
            assert any(a & 63 == st.A_MOVE for a in listed), "no die can move"
        assert (st.A_END in {a & 63 for a in listed}) == (phase in (st.P_BUILD, st.P_DONE))
        action = int(next_action(self.g, self.record, self.acts, self.mind, lineup))
        assert action in listed, "the player chose an action that is not legal"
        self.log.n = 0
        apply(self.g, self.record, self.log, np.int64(action))
        assert self.log.n < LOG_ROWS
        self.actions += 1
        self.check(self.now())

    def check(self, g: Now) -> None:
        """Everything, in a state between two atomic actions."""
        assert g["steps"] == self.actions
        self.check_materials(g)
        self.check_dice(g)
        self.check_cathedral(g)
        for seat in self.seats:
            self.check_seat(g, seat)
        self.check_turns(g)

    def check_materials(self, g: Now) -> None:
        """Conserved; slots never exceeded; sections under way add up to their cost."""
        t = self.t
        for m in range(6):
            assert g["supply"][m] >= 0
            total = g["supply"][m] + g["ivan_inventory"][m] + g["ivan_construction"][m]
            total += sum(g["inv"][seat][m] for seat in self.seats)
            total += sum(g["laid"][s][m] for s in range(g["sections"]))
            assert total == t["supply"][m], f"material {m} is not conserved"
        for seat in self.seats:
            assert min(g["inv"][seat]) >= 0
            assert g["held"][seat] == sum(g["inv"][seat]) <= g["slots"][seat]
        for s in range(g["sections"]):
            cost, left, laid = t["card_cost"][g["card"][s]], g["left"][s], g["laid"][s]
            if g["done"][s]:
                assert sum(laid) == g["missing"][s] == 0
            elif t["solo"] and g["owner"][s] == 1:
                assert sum(laid) + g["missing"][s] == sum(cost)
                assert g["missing"][s] > 0
            else:
                assert [a + b for a, b in zip(left, laid, strict=True)] == cost
                assert sum(left) == g["missing"][s] > 0
                assert min(left) >= 0

    def check_dice(self, g: Now) -> None:
        """Five, with faces 1 to 6, no more in a space than the limit."""
        assert all(0 <= s < 8 for s in g["die_space"])
        assert g["dice_in"] == [g["die_space"].count(s) for s in range(8)]
        assert max(g["dice_in"]) <= self.t["dice_limit"]
        assert all(1 <= v <= 6 for v in g["die_value"])
        assert sorted(g["market"]) == list(range(8))

    def check_cathedral(self, g: Now) -> None:
        """Banners, owners, ornaments: each once, claims from the ground up."""
        for tower in range(g["towers"]):
            first, height, claimed = g["first"][tower], g["height"][tower], g["claimed"][tower]
            assert 0 <= claimed <= height
            owners = g["owner"][first : first + height]
            assert all(o in self.seats for o in owners[:claimed])
            assert owners[claimed:] == [-1] * (height - claimed)
        for s in range(g["sections"]):
            if g["owner"][s] < 0:
                assert not g["done"][s]
            if g["ornament"][s] >= 0:
                assert g["done"][s]
                assert g["ornament"][s] in self.seats
        bare = [s for s in range(g["sections"]) if g["done"][s] and g["ornament"][s] < 0]
        assert g["bare"] == [sum(1 << s for s in bare if g["kind"][s] == kind) for kind in range(3)]

    def check_seat(self, g: Now, seat: int) -> None:
        """One player: rubles, marker, banners, workshop, ornaments, and the ledger that explains them."""
        t, ledger = self.t, g["ledger"][seat]
        ivan = t["solo"] == 1 and seat == 1
        sections = range(g["sections"])
        owned = [s for s in sections if g["owner"][s] == seat]
        assert sorted(g["under_way"][seat][: g["unfinished"][seat]]) == [s for s in owned if not g["done"][s]]
        assert g["banners"][seat] + len(owned) == t["banners"]
        assert g["banners"][seat] >= 0
        assert g["slots"][seat] == t["slots_open"] + min(t["slots_covered"], len(owned))
        finished = [s for s in owned if g["done"][s]]
        assert g["finished"][seat] == len(finished)

        assert g["rubles"][seat] >= 0
        assert g["marker"][seat] >= 0
        assert t["track_start"] + sum(ledger[i] for i in POINTS) == g["marker"][seat]
        earned = ledger[COLUMN["rubles_start"]] + sum(ledger[i] for i in EARNED)
        assert earned - sum(ledger[i] for i in SPENT) == g["rubles"][seat]
        assert all(ledger[i] >= 0 for i in (*EARNED, *SPENT))
        assert max(ledger[COLUMN[f"points_{c}"]] for c in ("penalties", "sold", "rerolls")) <= 0

        placed = [[s for s in sections if g["ornament"][s] == seat and g["kind"][s] == kind] for kind in range(3)]
        for kind in range(3):
            assert g["ornaments"][seat][kind] + len(placed[kind]) == ORNAMENTS[kind]
            assert 0 <= g["locked"][seat][kind] <= g["ornaments"][seat][kind]
        assert g["placed"][seat] == sum(map(len, placed))

        tiles, up = g["space_tile"][seat], g["space_up"][seat]
        on_board = sorted(tile for tile in tiles if tile >= 0)
        assert on_board == ([] if ivan else sorted(g["tile"][s] for s in owned))
        assert not any(u and tile < 0 for u, tile in zip(up, tiles, strict=True))
        for kind in range(3):
            unlocked = sum(u and t["space_unlocks"][i] == kind for i, u in enumerate(up))
            assert g["locked"][seat][kind] == (0 if ivan else t["ornaments_locked"][kind] - unlocked)

        told = {name: ledger[i] for name, i in COLUMN.items()}
        assert told["sections_claimed"] == len(owned)
        assert told["sections_finished"] == len(finished)
        for kind, name in enumerate(("bases", "middles", "domes")):
            assert told[f"{name}_finished"] == sum(g["kind"][s] == kind for s in finished)
        assert [told[name] for name in ("doors", "arches", "crosses")] == [len(p) for p in placed]
        gems = sum(len(st.GEMS[g["gems"][s]]) for kind in placed for s in kind)
        assert told["ornament_gems"] == gems
        assert (told["tiles_up"], told["tiles_up"] + told["tiles_down"]) == (sum(up), len(on_board))
        assert told["penalties_suffered"] == -told["points_penalties"]
        visits = told["actions_acquire"]
        assert visits == told["visits_1"] + told["visits_2"] + told["visits_3"]
        dice = sum(told[f"dice_{c}"] for c in ("red", "blue", "green", "yellow", "white"))
        started = g["turns"][seat] + (g["seat"] == seat and g["phase"] in range(1, st.P_IVAN))
        if ivan:
            assert dice == g["turns"][seat]
        else:
            assert dice == visits
            assert told["actions_claim"] + told["actions_build"] + visits == started

    def check_turns(self, g: Now) -> None:
        """Turns go round; after the trigger everyone else has at most one more."""
        t = self.t
        assert g["turn"] == sum(g["turns"])
        order = [(t["first_seat"] + i) % t["seats"] for i in self.seats]
        rounds, more = divmod(g["turn"], t["seats"])
        assert [g["turns"][seat] for seat in order] == [rounds + (i < more) for i in self.seats]
        assert g["seat"] == order[more]
        assert max(g["turns"]) <= t["turn_cap"]
        if g["finisher"] >= 0 and self.turns_at_finish is None:
            assert g["finished"][g["finisher"]] >= t["end_sections"]
            turns = list(g["turns"])
            if g["seat"] != g["finisher"]:  # Ivan's turn ends with the same action
                turns[g["finisher"]] -= 1
            self.turns_at_finish = turns
        if g["finisher"] < 0:
            assert all(g["finished"][seat] < t["end_sections"] for seat in self.seats)
            assert self.turns_at_finish is None

    def check_end(self) -> tuple[list[int], list[list[int]]]:
        """The final score; the rows as the kernel writes them."""
        t = self.t
        row = np.zeros(len(GAME_COLUMNS), np.int32)
        score(self.g, self.record, row)
        g = self.now()
        told = [dict(zip(SEAT_NAMES, g["ledger"][seat], strict=True)) for seat in self.seats]
        game = {c.name: int(n) for c, n in zip(GAME_COLUMNS, row, strict=True)}

        assert bool(game["truncated"]) == bool(g["truncated"])
        if not game["truncated"]:
            assert self.turns_at_finish is not None
            assert [g["turns"][s] - n for s, n in zip(self.seats, self.turns_at_finish, strict=False)] == [1] * len(
                self.seats
            )
        else:
            assert g["turns"][g["seat"]] == t["turn_cap"]
        assert game["finisher"] == g["finisher"]
        assert game["turns"] == g["turn"]
        assert game["steps"] == self.actions
        assert game["sections"] == sum(g["done"][: g["sections"]])
        assert game["ornaments"] == sum(o >= 0 for o in g["ornament"][: g["sections"]])
        assert bool(game["complete"]) == (game["sections"] == g["sections"])

        spaces = [t["prestige_position"][n] for n in range(1, t["lap_prestige"] + 1)]
        towers = [0] * len(self.seats)
        for tower in range(g["towers"]):
            for seat, share in enumerate(self.check_tower(g, tower)):
                towers[seat] += share
        for seat in self.seats:
            laps, rest = divmod(g["marker"][seat], t["lap"])
            assert told[seat]["marker"] == g["marker"][seat]
            assert told[seat]["prestige_on_track"] == laps * len(spaces) + sum(p <= rest for p in spaces)
            ivan = t["solo"] and seat == 1
            leftovers = 0 if ivan else (sum(g["inv"][seat]) + g["rubles"][seat]) // t["leftover_divisor"]
            assert told[seat]["leftovers"] == leftovers
            assert told[seat]["towers"] == towers[seat]
            assert told[seat]["total"] == told[seat]["prestige_on_track"] + leftovers + towers[seat]
            assert told[seat]["turns"] == g["turns"][seat]

        keys = [(told[s]["total"], g["finished"][s], g["placed"][s]) for s in self.seats]
        assert [told[s]["rank"] for s in self.seats] == [1 + sum(other > key for other in keys) for key in keys]
        winners = keys.count(max(keys))
        assert [told[s]["win_share"] for s in self.seats] == [winners if key == max(keys) else 0 for key in keys]
        assert game["tie"] == (winners > 1)
        totals = sorted((told[s]["total"] for s in self.seats), reverse=True)
        assert game["margin"] == (totals[0] - totals[1] if len(totals) > 1 else 0)
        return row.tolist(), [g["ledger"][seat] for seat in self.seats]

    def check_tower(self, g: Now, tower: int) -> list[int]:
        """The shares of one tower: no more than its occupied places are worth, nothing without presence."""
        t, n = self.t, np.int64(tower)
        own = range(g["first"][tower], g["first"][tower] + g["height"][tower])
        value = sum(2 * g["done"][s] + (g["ornament"][s] >= 0) for s in own)
        there = [
            sum(g["done"][s] and g["owner"][s] == seat for s in own) + sum(g["ornament"][s] == seat for s in own)
            for seat in self.seats
        ]
        assert self.g.value[n] == value
        assert [int(self.g.presence[n, seat]) for seat in self.seats] == there
        shares = [int(tower_share(self.g, self.record, n, np.int64(seat))) for seat in self.seats]
        if t["seats"] == 2 and t["tower_shares_2p"] == SHARES_2P_THIRD:
            places = [value, value // 3]
        elif t["tower_shares"] == SHARES_HALVING:
            places = [value, value // 2, value // 4, value // 8]
        else:
            places = [value, value // 2, 1, 0]
        occupied = sum(p > 0 for p in there)
        assert sum(shares) <= sum(places[:occupied])
        for seat in self.seats:
            assert 0 <= shares[seat] <= value
            assert there[seat] > 0 or shares[seat] == 0
            for other in self.seats:
                assert there[seat] < there[other] or shares[seat] >= shares[other]
        if occupied == 1:
            assert sum(shares) == value
        return shares


def watched_game(
    tables: NDArray[np.void], policies: Sequence[str], seed: int, deal: int
) -> tuple[list[int], list[list[int]]]:
    """Play a game and check all of it; its rows as the kernel should write them."""
    watch = Watch(tables, seed, deal)
    lineup = seat_players(policies, tables[0])
    watch.check(watch.now())
    while watch.views["phase"][0] != st.P_OVER:
        watch.step(lineup)
    legal(watch.g, watch.record, watch.acts)
    assert watch.acts.n == 0
    return watch.check_end()
