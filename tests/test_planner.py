"""The planner plays by the rules and within its restrictions, thinks straight, and sees nearly all that there is."""

import random
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from rcsim.columns import SEAT_COLUMNS, seat_column
from rcsim.engine import state as st
from rcsim.engine.cathedral import take_section
from rcsim.engine.jit import entry
from rcsim.engine.random import below, draw, stream
from rcsim.engine.state import GAME, records
from rcsim.policies import STYLES
from rcsim.policies.lineup import Player
from rcsim.policies.mind import MIND
from rcsim.policies.planner.evaluation import rest_worth
from rcsim.policies.planner.scale import set_scale
from rcsim.policies.planner.view import (
    add_material,
    deliver_one,
    look,
    look_at,
    need_more,
    set_marker,
    set_rubles,
    sooner_gain,
)
from rcsim.policies.player import LIMITS
from tests.planning import PHASES, Judge, Playing, decisions, game_number, invented, packed, restricted, steady
from tests.test_invariants import rows

# -------------------------------------------------------------------------------------------- legal, restricted


def play(playing: Playing) -> None:
    """Play to the end; every action is one of the legal ones."""
    while not playing.over:
        action = playing.choice()
        assert action in playing.legal(), f"{PHASES[playing.phase]}, step {playing.g.steps}: {action}"
        playing.do(action)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("board", ["basic", "advanced"])
@pytest.mark.parametrize("preset", ["fr2022", "en"])
def test_plays_by_the_shipped_rules(players: int, board: str, preset: str) -> None:
    tables = packed("fr2022" if players == 1 else preset, players, board)
    everybody = [*STYLES, *(f"planner:{limit}" for limit in LIMITS), "planner:" + ":".join(LIMITS)]
    random.Random(players).shuffle(everybody)
    for deal in range(0, len(everybody), players):
        play(Playing(tables, (everybody * 2)[deal : deal + players], 3, deal))


@pytest.mark.parametrize("number", range(24))
def test_plays_by_random_rules(number: int) -> None:
    players = 1 + number % 4
    rng = random.Random(number)
    lineup = [restricted(rng.choice(STYLES), rng.sample(LIMITS, rng.choice((0, 1, 3)))) for _ in range(players)]
    play(Playing(invented(number, players, ("basic", "advanced")[number // 4 % 2]), lineup, number, 0))


COUNTED = {  # what a restriction forbids, in the ledger
    "no-tiles": ("tiles_up",),
    "no-ornaments": ("doors", "arches", "crosses"),
    "no-extra": ("spaces_paid",),
    "no-influence": ("influence_artisans", "influence_carriers", "influence_merchants", "influence_clergy"),
    "no-reroll": ("rerolls",),
    "no-selling": ("sales",),
}


def done(playing: Playing, seat: int) -> dict[str, int]:
    """How often a seat did what each restriction forbids."""
    g = playing.g
    ledger = dict(zip((column.name for column in SEAT_COLUMNS), g.ledger[seat].tolist(), strict=True))
    counts = {limit: sum(ledger[name] for name in names) for limit, names in COUNTED.items()}
    counts["bases-only"] = counts["not-above"] = 0
    for tower in range(g.towers):
        owners = g.owner[g.first[tower] : g.first[tower] + g.claimed[tower]].tolist()
        for level, owner in enumerate(owners):
            if owner == seat:
                counts["bases-only"] += level > 0
                counts["not-above"] += any(below != seat for below in owners[:level])
    return counts


@cache
def habits(limit: str) -> Counter[str]:
    """What a planner did in some games among free ones, with a restriction or (empty) without."""
    total: Counter[str] = Counter()
    for players in (1, 2, 3, 4):
        for board in ("basic", "advanced"):
            for deal in range(3):
                lineup = [steady(limit) if limit else steady(), *[steady()] * (players - 1)]
                playing = Playing(packed("fr2022", players, board), lineup, 8, deal)
                playing.to_the_end()
                total.update(done(playing, 0))
    return total


@pytest.mark.parametrize("limit", LIMITS)
def test_restrictions_are_kept(limit: str) -> None:
    assert habits(limit)[limit] == 0
    assert habits("")[limit] > 0


def test_all_restrictions_at_once() -> None:
    for players in (1, 2, 3, 4):
        playing = Playing(packed("fr2022", players, "basic"), [steady(*LIMITS)] * players, 5, 5)
        playing.to_the_end()
        for seat in range(players):
            assert not any(done(playing, seat).values())


# -------------------------------------------------------------------------------------------- nothing but thinking


def meant(games: Any) -> bytes:
    """A game's bytes, without the places of `under_way` past the count: claims that were only thought of stay there."""
    copy = np.frombuffer(bytearray(games.tobytes()), GAME)  # np.array would leave what lies between fields to chance
    for seat in range(4):
        copy["under_way"][0, seat, copy["unfinished"][0, seat] :] = -1
    return copy.tobytes()


@pytest.mark.parametrize("number", range(16))
def test_thinking_changes_nothing_and_sees_no_future(number: int) -> None:
    playing = game_number(number)
    rng = random.Random(number)
    for _ in range(400):
        if playing.over:
            break
        before, notes = playing.games.tobytes(), playing.minds.copy()
        action = playing.choice()
        assert meant(playing.games) == meant(np.frombuffer(before, GAME))
        if playing.phase != st.P_IVAN:
            g = playing.g
            g.key = np.uint64(rng.getrandbits(64))
            rest = g.ivan_deck[g.ivan_next :].tolist()
            rng.shuffle(rest)
            g.ivan_deck[g.ivan_next :] = rest
            playing.minds.view(np.uint8)[:] = notes.view(np.uint8)  # else it would say again what it said
            assert playing.choice() == action
            playing.games.view(np.uint8)[:] = np.frombuffer(before, np.uint8)
        playing.do(action)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_beats_greedy(players: int) -> None:
    """As one against greedy players it wins more than half as often again as a fair share."""
    tables = packed("fr2022", players, "basic")
    won = 0.0
    for seat in range(players):
        lineup: list[str | Player] = ["greedy"] * players
        lineup[seat] = steady()
        winners = rows(tables, lineup, 1, 0, 60)[1][seat::players, seat_column("win_share")]
        won += (1 / winners[winners > 0]).sum()
    assert won / (60 * players) > 1.5 / players


# -------------------------------------------------------------------------------------------- views


@entry
def wander(games, tables, lineup, minds, seed, steps):
    """Change a view at random, and a game in step with it; after how many changes they differ, or -1."""
    g = games[0]
    t = tables[0]
    mind = minds[0]
    seat = g.seat
    set_scale(g, t, seat, lineup[seat], mind)
    look_at(g, t, seat, mind.views[0], mind)
    v = mind.views[0]
    start = stream(seed, 0)
    for step in range(steps):
        what = below(draw(start, 4 * step), 5)
        a = below(draw(start, 4 * step + 1), 6)
        b = draw(start, 4 * step + 2)
        if what == 0:
            n = below(b, g.slots[seat] - g.held[seat] + g.inv[seat, a] + 1) - g.inv[seat, a]
            add_material(v, a, n, mind)
            g.inv[seat, a] += n
            g.held[seat] += n
        elif what == 1:
            g.rubles[seat] = below(b, 15)
            set_rubles(v, g.rubles[seat], mind)
        elif what == 2:
            g.marker[seat] = below(b, 200)
            set_marker(t, v, g.marker[seat], mind)
        elif what == 3 and g.unfinished[seat] > 0:
            s = g.under_way[seat, below(b, g.unfinished[seat])]
            if g.left[s, a] > 0 and g.inv[seat, a] > 0:
                deliver_one(v, a, mind)
                g.left[s, a] -= 1
                g.missing[s] -= 1
                g.inv[seat, a] -= 1
                g.held[seat] -= 1
        elif what == 4 and a < g.towers and g.banners[seat] > 0 and g.claimed[a] < g.height[a]:
            before = g.slots[seat]
            s = take_section(g, t, seat, a)
            need_more(g, t, s, g.slots[seat] - before, v, mind)
        look(g, t, seat, mind.views[1], mind)
        if not same(v, mind.views[1]):
            return step
    return -1


@entry
def same(v, other):
    """Whether two views are."""
    for m in range(6):
        if v.inv[m] != other.inv[m] or v.beyond[m] != other.beyond[m]:
            return False
    if v.free != other.free or v.rubles != other.rubles or v.marker != other.marker:
        return False
    return v.worth == other.worth


@pytest.mark.parametrize("number", range(12))
def test_a_changed_view_is_the_view_of_the_changed_game(number: int) -> None:
    playing = game_number(number)
    for step in range(200):
        if playing.over:
            break
        if playing.phase == st.P_MAIN and step % 3 == 0:
            copy = playing.games.copy()
            assert wander(copy, playing.tables, playing.lineup, playing.minds, np.uint64(step), 40) == -1
        playing.do(playing.choice())


def test_towers_of_one_code_are_alike() -> None:
    """Their worth is kept by it."""
    known: dict[int, Any] = {}
    for number in range(24):
        playing = game_number(number)
        while not playing.over:
            g = playing.g
            for tower in range(g.towers):
                sections = slice(int(g.first[tower]), int(g.first[tower] + g.height[tower]))
                owners, done = g.owner[sections].tolist(), g.done[sections].tolist()
                state = owners, done, g.presence[tower].tolist(), int(g.value[tower])
                assert known.setdefault(int(g.code[tower]), state) == state
            for _ in range(3):
                if not playing.over:
                    playing.do(playing.choice())
    assert len(known) > 500


@entry
def worth_of_sales_before(tables, minds, start, marker, rubles):
    """`sooner_gain`, where each ruble is worth a prestige."""
    mind = minds[0]
    for n in range(mind.scale.rubles.shape[0]):
        mind.scale.rubles[n] = 1000 * n
    return sooner_gain(tables[0], start, marker, rubles, mind)[0]


def test_no_sale_before_a_price_in_points_that_it_would_put_out_of_reach() -> None:
    """The marker cannot go below 0."""
    tables, minds = packed("fr2022", 2, "basic").view(np.recarray), records(MIND)
    assert worth_of_sales_before(tables, minds, 7, 0, 0) == 0
    assert worth_of_sales_before(tables, minds, 7, 7, 0) > 1000


# -------------------------------------------------------------------------------------------- every turn there is


@entry
def worth_of_end(games, root, tables, lineup, minds):
    """What games[0] is worth at the end of a turn thought through from root[0], the dice that it leaves apart."""
    g = games[0]
    t = tables[0]
    mind = minds[0]
    seat = root[0].seat
    player = lineup[seat]
    set_scale(root[0], t, seat, player, mind)
    look_at(g, t, seat, mind.views[0], mind)
    return mind.views[0].worth + rest_worth(g, t, seat, player, mind)


def brute(playing: Playing, root: Any, action: int, leaves: int) -> int:
    """Worth of the best turn that begins with an action, all tried one by one; no sale, no reroll."""
    if action & 63 == st.A_END:
        worth = int(worth_of_end(playing.games, root, playing.tables, playing.lineup, playing.minds))
        return worth + leaves * dice_left(playing, root)
    here = playing.games.copy()
    playing.do(action)
    further = [a for a in playing.legal() if a & 63 not in (st.A_SELL, st.A_REROLL)]
    best = max(brute(playing, root, a, leaves) for a in further)
    playing.games.view(np.uint8)[:] = here.view(np.uint8)
    return best


def dice_left(playing: Playing, root: Any) -> int:
    """The most dice that the next player can have on a tile, those that were rolled since the root left out."""
    g, before = playing.g, root[0]
    known = [die for die in range(5) if g.die_rolls[die] == before.die_rolls[die]]
    targets = [(die, (int(g.die_space[die]) + int(g.die_value[die])) % 8) for die in known]
    others = [sum(int(g.die_space[d]) == to for d in range(5) if d != die) for die, to in targets]
    return max([n + 1 for n in others if n < playing.t.dice_limit], default=1)


def test_no_turn_is_forgotten() -> None:
    judge = Judge()
    tried: Counter[str] = Counter()
    for number in range(40):
        playing = game_number(number, [steady("no-selling", "no-reroll", left_next=(-0.5, -0.5))], restrict=False)
        rng = random.Random(number)
        for _ in range(300):
            if playing.over:
                break
            action = playing.choice()
            phase = PHASES[playing.phase]
            if phase not in ("ivan", "ivan_claim") and tried[phase] < 40 and rng.random() < 0.2:
                worth = judge.weigh(playing)
                if len(worth) > 1 and judge.room.weighings[0].states <= 120:
                    root = playing.games.copy()
                    leaves = -500 if playing.g.finisher in (-1, playing.g.seat) else 0  # else only the score counts
                    assert worth == {a: brute(playing, root, a, leaves) for a in worth}
                    tried[phase] += 1
            playing.do(action)
    assert {"build", "market", "take", "bonus", "pay", "move", "yield", "gain", "deliver", "activate"} <= tried.keys()


def test_a_reroll_is_worth_the_mean_over_faces() -> None:
    """Where the dice left over count nothing, that mean is what the best turns are worth after each possible roll."""
    judge = Judge()
    compared = 0
    for number in (0, 1, 2, 3, 5, 6):
        playing = game_number(number, [steady(left_next=(0.0, 0.0))])
        for step in range(250):
            if playing.over:
                break
            rerolls = [a for a in playing.legal() if a & 63 == st.A_REROLL] if playing.phase == st.P_MAIN else []
            if rerolls and step % 5 == 0:
                worth = judge.weigh(playing)
                for action in rerolls:
                    dice = np.flatnonzero(playing.g.die_space == action >> 6 & 1023).tolist()
                    if not worth or len(dice) > 1 + (compared == 0):
                        continue
                    before = playing.games.copy()
                    playing.do(action)
                    best = []
                    for faces in np.ndindex(*[6] * len(dice)):
                        playing.g.die_value[dice] = [face + 1 for face in faces]
                        best.append(max(judge.weigh(playing).values()))
                    playing.games.view(np.uint8)[:] = before.view(np.uint8)
                    assert worth[action] == sum(best) // len(best)
                    compared += 1
            playing.do(playing.choice())
    assert compared > 20


def test_sees_nearly_every_turn() -> None:
    """In 97 of 100 decisions no turn beats the one that the planner begins; scripts/exhaustive.py tries many."""
    judge = Judge(20_000)
    found = []
    for number in range(32):
        playing = game_number(number, [steady()])
        found += [d for d in decisions(playing, judge, 0.08, random.Random(number)) if d.loss is not None]
    assert len(found) > 1000
    assert {"main", "market", "build", "done"} <= {d.phase for d in found}
    assert sum(d.loss == 0 for d in found) >= 0.97 * len(found)
