"""Every column that the kernel fills, counted a second time from the lines of a trace.

Nothing here asks the engine: the rows come from `play_range`, the lines from the recorder, and what happened is added
up from the lines and the ruleset in them alone, as docs/trace.md describes them.
"""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from rcsim.columns import GAME_COLUMNS, SEAT_COLUMNS
from rcsim.engine.run import play_range
from rcsim.names import COLOURS, MATERIALS
from rcsim.policies.lineup import seat_players
from rcsim.rules import load
from rcsim.rules.pack import pack
from rcsim.rules.schema import Ruleset
from rcsim.trace.recorder import Recorder
from tests.rulesets import random_ruleset

Line = dict[str, Any]
Counts = dict[str, int]

SOURCES = {
    "complete": "sections",
    "take": "market",
    "workshop": "tiles",
    "claim": "tiles",  # Ivan's
    "influence": "influence",
    "adorn": "ornaments",
    "finish": "bonus",
    "sell": "sold",
    "reroll": "rerolls",
    "card": "solo",
}
EARNED = ("complete", "take", "workshop", "influence", "sell")
SPENT = {"claim": "workshop", "move": "moves", "workshop": "tiles", "influence": "influence"}
PARTS_UP_TO_GAIN = ("pay", "move", "roll", "yield", "gain")


class Coming:
    """A gain of materials under way: what was to come, what the supply had, what has come."""

    def __init__(self, seat: int, why: str, goods: Line, supply: Counter[str]) -> None:
        self.seat, self.why = seat, why
        self.given = {m: goods[m] for m in MATERIALS if m in goods}
        self.any_n = goods.get("any", {"n": 0})["n"]
        self.supply = Counter(supply)
        self.came: Counter[str] = Counter()
        self.more = 10**9  # materials that may still come


class Tally:
    """One game, added up line by line."""

    def __init__(self, setup: Line) -> None:
        self.setup = setup
        self.rules = setup["ruleset"]
        self.options = self.rules["options"]
        self.solo = setup["players"] == 1
        self.seats = range(len(setup["rubles"]))
        self.counts: list[Counter[str]] = [Counter() for _ in self.seats]
        track = self.rules["track"]
        self.lap, self.in_lap = track["lap"], sorted(track["prestige_spaces"])
        self.marker = [track["start"] for _ in self.seats]
        self.rubles = list(setup["rubles"])
        self.held: list[Counter[str]] = [Counter() for _ in self.seats]  # Ivan's: on both cards
        self.claims = [0 for _ in self.seats]
        self.supply = Counter(self.rules["supply"])
        self.space = {die: d["space"] for die, d in setup["dice"].items()}
        self.value = {die: d["value"] for die, d in setup["dice"].items()}
        self.built: dict[tuple[int, int], int] = {}  # owner by place
        self.laid: dict[tuple[int, int], Counter[str]] = {}
        self.adorned: dict[tuple[int, int], int] = {}
        self.turns = [0 for _ in self.seats]
        self.after_finish = -1
        self.finisher = -1
        self.basic: set[str] = set()
        self.coming: list[Coming] = []  # gains of materials under way, a yield's before the gain of the same effect

    # --- the table

    def free(self, seat: int) -> int:
        """Open slots without a material."""
        opened = min(self.claims[seat], self.options["slots_covered"])
        return self.options["slots_open"] + opened - sum(self.held[seat].values())

    def worth(self, position: int) -> int:
        """Prestige spaces at or below a position."""
        laps, rest = divmod(position, self.lap)
        return laps * len(self.in_lap) + sum(p <= rest for p in self.in_lap)

    def prestige_space(self, n: int) -> int:
        """Position of the n-th prestige space, n from 1."""
        laps, rest = divmod(n - 1, len(self.in_lap))
        return laps * self.lap + self.in_lap[rest]

    def kind(self, tower: int, level: int) -> str:
        """Kind of a section, as its card has it."""
        return str(self.rules["sections"][self.setup["towers"][tower][level]]["kind"])

    def blocked(self, die: str) -> bool:
        """Whether a die's plain move would end in a full space."""
        to = (self.space[die] + self.value[die]) % 8
        return sum(at == to for other, at in self.space.items() if other != die) >= self.options["dice_limit"]

    # --- lines

    def add(self, line: Line) -> None:
        """Count one line."""
        if self.coming and not (
            line["type"] == "event" and line["event"] in PARTS_UP_TO_GAIN and line.get("why") == self.coming[0].why
        ):
            self.book_losses()
        if line["type"] == "state":
            self.end_turn(line["seat"])
        else:
            getattr(self, f"on_{line['event']}", self.on_nothing)(line, self.counts[line["seat"]])

    def book_losses(self) -> None:
        """What the gains under way did not bring."""
        for gain in self.coming:
            counts = self.counts[gain.seat]
            for m, n in gain.given.items():
                there = min(n, gain.supply[m])
                counts[f"lost_supply_{m}"] += n - there
                counts[f"lost_slots_{m}"] += there - min(gain.came[m], there)
            chosen = sum(max(0, n - min(gain.given.get(m, 0), gain.supply[m])) for m, n in gain.came.items())
            counts["lost_any"] += gain.any_n - chosen
        self.coming = []

    def end_turn(self, seat: int) -> None:
        """The turn's basic action."""
        self.turns[seat] += 1
        if not (self.solo and seat == 1):
            (basic,) = self.basic
            self.counts[seat][f"actions_{basic}"] += 1
        self.basic = set()
        if self.finisher >= 0:
            self.after_finish += 1

    def on_nothing(self, line: Line, counts: Counter[str]) -> None:
        """Cards and transport change no count."""
        assert line["event"] in ("card", "transport")

    def on_sell(self, line: Line, counts: Counter[str]) -> None:
        counts["sales"] += 1

    def on_reroll(self, line: Line, counts: Counter[str]) -> None:
        counts["rerolls"] += 1

    def on_claim(self, line: Line, counts: Counter[str]) -> None:
        self.claims[line["seat"]] += 1
        self.laid[line["tower"], line["level"]] = Counter()
        counts["sections_claimed"] += 1
        if line["face"] is not None:
            counts[f"tiles_{line['face']}"] += 1
        self.basic.add("claim")

    def on_deliver(self, line: Line, counts: Counter[str]) -> None:
        counts["deliveries"] += 1
        self.held[line["seat"]][line["material"]] -= 1
        self.laid[line["tower"], line["level"]][line["material"]] += 1
        if line["why"] == "build":
            self.basic.add("build")

    def on_complete(self, line: Line, counts: Counter[str]) -> None:
        place = line["tower"], line["level"]
        self.built[place] = line["seat"]
        self.supply += self.laid.pop(place)
        counts["sections_finished"] += 1
        counts[f"{self.kind(*place)}s_finished"] += 1

    def on_finish(self, line: Line, counts: Counter[str]) -> None:
        assert self.finisher == -1
        self.finisher = line["seat"]

    def on_penalty(self, line: Line, counts: Counter[str]) -> None:
        owner = line["owner"]
        self.marker[owner] -= line["lost"]
        self.counts[owner]["points_penalties"] -= line["lost"]
        self.counts[owner]["penalties_suffered"] += line["lost"]
        if owner != line["seat"]:
            counts["penalties_dealt"] += line["lost"]

    def on_adorn(self, line: Line, counts: Counter[str]) -> None:
        self.adorned[line["tower"], line["level"]] = line["seat"]
        counts[{"door": "doors", "arch": "arches", "cross": "crosses"}[line["ornament"]]] += 1
        counts["ornament_gems"] += len(line["gems"])
        if not (self.solo and line["seat"] == 1):
            used = Counter([{"door": "wood", "arch": "stone", "cross": "gold"}[line["ornament"]], *line["gems"]])
            self.held[line["seat"]] -= used
            self.supply += used
            self.basic.add("build")

    def on_move(self, line: Line, counts: Counter[str]) -> None:
        die = line["die"]
        if line["why"] == "acquire":
            counts["dice_refused"] += sum(map(self.blocked, COLOURS))
            counts["spaces_paid"] += line["steps"] - line["value"]
            self.basic.add("acquire")
        if line["why"] in ("acquire", "ivan"):
            counts[f"dice_{die}"] += 1
        self.space[die] = line["to"]
        if line["why"] == "acquire":
            together = sum(at == line["to"] for at in self.space.values())
            counts[f"visits_{min(3, together)}"] += 1

    def on_roll(self, line: Line, counts: Counter[str]) -> None:
        self.value |= line["values"]

    def on_take(self, line: Line, counts: Counter[str]) -> None:
        self.expect(line["seat"], "take", line["wanted"])

    def on_influence(self, line: Line, counts: Counter[str]) -> None:
        card = self.rules["influence"][self.setup["influence"][line["quadrant"]]]
        counts[f"influence_{card['guild']}"] += 1
        self.expect(line["seat"], "influence", card["actions"][line["action"]]["effect"].get("gain", {}))

    def on_workshop(self, line: Line, counts: Counter[str]) -> None:
        counts[{"claim": "tile_bonuses", "acquire": "tile_uses", "influence": "tile_activations"}[line["why"]]] += 1
        self.expect(line["seat"], "workshop", self.rules["workshop_tiles"][line["tile"]]["effect"].get("gain", {}))

    def on_yield(self, line: Line, counts: Counter[str]) -> None:
        tile = self.setup["market"][line["space"]]
        gain = Coming(line["seat"], line["why"], self.rules["resource_tiles"][tile]["gain"], self.supply)
        fits = sum(min(n, gain.supply[m]) for m, n in gain.given.items())
        gain.more = min(fits, self.free(line["seat"]))
        self.coming.insert(0, gain)

    def expect(self, seat: int, why: str, goods: Line) -> None:
        """Materials are to come behind this line."""
        self.coming = [Coming(seat, why, goods, self.supply)]

    def on_pay(self, line: Line, counts: Counter[str]) -> None:
        self.change(line, counts, -1)

    def on_gain(self, line: Line, counts: Counter[str]) -> None:
        self.change(line, counts, 1)

    def change(self, line: Line, counts: Counter[str], sign: int) -> None:
        """Goods that come or go."""
        seat, what, n, why = line["seat"], line["what"], line["n"], line["why"]
        if what == "rubles":
            self.rubles[seat] += sign * n
            if sign > 0:
                assert why in EARNED
                counts[f"rubles_from_{SOURCES[why]}"] += n
            else:
                counts[f"rubles_for_{SPENT[why]}"] += n
        elif what in ("recognition", "prestige"):
            before = self.marker[seat]
            if what == "recognition":
                self.marker[seat] += sign * n
            elif sign > 0:
                self.marker[seat] = self.prestige_space(self.worth(before) + n)
            else:
                self.marker[seat] = self.prestige_space(self.worth(before - 1) - n + 1)
            counts[f"points_{SOURCES[why]}"] += self.marker[seat] - before
        else:
            if sign > 0:
                counts[f"taken_{what}"] += n
                self.arrived(what, n)
            elif self.coming:  # a price, back in the supply before anything comes
                self.coming[-1].supply[what] += n
            self.held[seat][what] += sign * n
            self.supply[what] -= sign * n

    def arrived(self, material: str, n: int) -> None:
        """To which of the gains under way a material belongs: to a yield until that is over."""
        for gain in self.coming:
            if gain.more >= n:
                gain.more -= n
                gain.came[material] += n
                if gain is not self.coming[-1]:
                    self.coming[-1].supply[material] -= n
                return
        assert not self.coming, "more came than a yield brings"

    # --- the end

    def towers(self) -> list[int]:
        """Prestige from towers by seat."""
        total = [0 for _ in self.seats]
        for tower in range(len(self.setup["towers"])):
            built = {place: owner for place, owner in self.built.items() if place[0] == tower}
            adorned = [owner for place, owner in self.adorned.items() if place[0] == tower]
            value = 2 * len(built) + len(adorned)
            presence = Counter([*built.values(), *adorned])
            shares = [value, value // 2, 1, 0]
            if self.options["tower_shares"] == "halving":
                shares = [value, value // 2, value // 2 // 2, value // 2 // 2 // 2]
            third = len(self.seats) == 2 and self.options["tower_shares_2p"] == "third"
            if third:
                shares = [value, value // 3]
            place = 0
            for n in sorted(set(presence.values()), reverse=True):
                tied = [seat for seat, m in presence.items() if m == n]
                for seat in tied:
                    share = sum(shares[place : place + len(tied)]) // len(tied)
                    total[seat] += 0 if third and len(tied) == 2 else share
                place += len(tied)
        return total

    def rows(self, steps: int) -> tuple[Counts, list[Counts]]:
        """The game's row and the seats' rows, as the kernel should have them."""
        seats = []
        for seat, towers in enumerate(self.towers()):
            ivan = self.solo and seat == 1
            counts = self.counts[seat]
            held = sum(self.held[seat].values())
            left = 0 if ivan else (held + self.rubles[seat]) // self.options["leftover_divisor"]
            row = {c.name: counts[c.name] for c in SEAT_COLUMNS}
            unknown = {name for name, n in counts.items() if n} - row.keys()
            assert not unknown, f"counted under no column: {unknown}"
            row |= {
                "seat": seat,
                "colour": -1 if ivan else COLOURS.index(self.setup["colours"][seat]),
                "rubles_start": self.setup["rubles"][seat],
                "marker": self.marker[seat],
                "prestige_on_track": self.worth(self.marker[seat]),
                "leftovers": left,
                "towers": towers,
                "total": self.worth(self.marker[seat]) + left + towers,
                "turns": self.turns[seat],
                "rubles_end": self.rubles[seat],
                "materials_end": held,
            }
            seats.append(row)
        ornaments = Counter(self.adorned.values())
        keys = [(row["total"], row["sections_finished"], ornaments[seat]) for seat, row in enumerate(seats)]
        winners = keys.count(max(keys))
        for row, key in zip(seats, keys, strict=True):
            row["rank"] = 1 + sum(other > key for other in keys)
            row["win_share"] = winners if row["rank"] == 1 else 0
        best, second = sorted((row["total"] for row in seats), reverse=True)[:2]
        over = self.finisher >= 0 and self.after_finish == len(self.seats) - 1
        game = {
            "plan": self.plans().index(self.setup["plan"]),
            "turns": sum(self.turns),
            "finisher": self.finisher,
            "truncated": int(not over),
            "tie": int(winners > 1),
            "margin": best - second,
            "sections": len(self.built),
            "ornaments": len(self.adorned),
            "complete": int(len(self.built) == sum(map(len, self.setup["towers"]))),
            "steps": steps,
        }
        return game, seats

    def plans(self) -> list[str]:
        """Plans of this number of players, in their order."""
        return [name for name, plan in self.rules["plans"].items() if plan["players"] == len(self.seats)]


def recount(ruleset: Ruleset, tables: Any, policies: list[str], seed: int, deal: int) -> tuple[Counts, list[Counts]]:
    """Play a game and add its lines up; every state line is compared on the way."""
    recorder = Recorder(ruleset, tables, policies, seed, deal)
    tally = Tally(recorder.setup())
    steps = 0
    while not recorder.over:
        steps += 1
        for line in recorder.step(recorder.next_action()):
            tally.add(line)
            if line["type"] == "state":
                assert [seat["marker"] for seat in line["seats"]] == tally.marker
                assert line["supply"] == {m: tally.supply[m] for m in MATERIALS if tally.supply[m]}
    return tally.rows(steps)


def kernel(tables: Any, policies: list[str], seed: int, deal: int, games: int) -> tuple[Any, Any]:
    """The kernel's rows, (games, columns) and (games, seats, columns)."""
    lineup = seat_players(policies, tables[0])
    seats = int(tables["seats"][0])
    game_rows = np.zeros((games, len(GAME_COLUMNS)), np.int32)
    seat_rows = np.zeros((games * seats, len(SEAT_COLUMNS)), np.int32)
    play_range(tables, lineup, seed, deal, game_rows, seat_rows)
    return game_rows, seat_rows.reshape(games, seats, -1)


def case(number: int) -> tuple[Ruleset, Any, list[str]]:
    """Ruleset, tables and line-up of a number: player counts, boards, presets, players, random rulesets."""
    rng = random.Random(number)
    players, board = 1 + number % 4, ("basic", "advanced")[number // 4 % 2]
    lineup = [rng.choice(("random", "builder", "greedy")) for _ in range(players)]
    if number // 8 % 3 == 2:
        ruleset = random_ruleset(rng, solo=players == 1)
    else:
        preset = "en" if players > 1 and number // 8 % 3 == 1 else "fr2022"
        ruleset = load("base", preset=preset, sets=("options.turn_cap=30",) if "random" in lineup else ())
    return ruleset, pack(ruleset, players=players, board=board), lineup


CASES = 48
DEALS = 3  # of each


@pytest.mark.parametrize("number", range(CASES))
def test_columns_are_what_the_trace_says(number: int) -> None:
    ruleset, tables, lineup = case(number)
    first = 10 * number
    game_rows, seat_rows = kernel(tables, lineup, number, first, DEALS)
    for i in range(DEALS):
        game, seats = recount(ruleset, tables, lineup, number, first + i)
        assert game == dict(zip((c.name for c in GAME_COLUMNS), game_rows[i].tolist(), strict=True))
        for row, told in zip(seats, seat_rows[i].tolist(), strict=True):
            assert row == dict(zip((c.name for c in SEAT_COLUMNS), told, strict=True)), f"game {first + i}"


def test_every_column_is_met() -> None:
    """No column is zero in all of the games above: each of the counts is compared with something."""
    met = np.zeros(len(SEAT_COLUMNS), bool)
    for number in range(CASES):
        _, tables, lineup = case(number)
        _, rows = kernel(tables, lineup, number, 10 * number, DEALS)
        met |= (rows != 0).any(axis=(0, 1))
    assert [c.name for c, some in zip(SEAT_COLUMNS, met, strict=True) if not some] == []
