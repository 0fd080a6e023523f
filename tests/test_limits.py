"""Fixed sizes hold: packed actions, the list of legal actions, the event log, counters of rolls.

Compiled code checks no bounds. So each size is compared with what the rules allow at most, and with a position that
comes close to it.
"""

from typing import Any

import numpy as np
import pytest

from rcsim.engine import state as st
from rcsim.engine.events import EV_DELIVER, EV_PENALTY
from rcsim.engine.jit import entry
from rcsim.engine.state import (
    A_ADORN,
    A_CLAIM,
    A_DELIVER,
    A_INFLUENCE,
    A_IVAN,
    A_MOVE,
    A_REROLL,
    A_ROLL,
    A_SELL,
    A_TAKE,
    A_WORKSHOP,
    GEMS,
    LOG_ROWS,
    MAX_ACTIONS,
    P_IVAN,
    P_TAKE,
    action_a,
    action_b,
    action_c,
    action_kind,
    new_actions,
    new_games,
    pack_action,
    put,
)
from rcsim.names import MATERIALS
from rcsim.rules.loader import from_dict
from rcsim.rules.schema import MAX_AMOUNT
from rcsim.rules.tables import MAX_CARDS, MAX_SECTIONS, MAX_TILES, MAX_TOWERS
from tests.positions import FROZEN, Position, unpacked

DICE = 5
MAX_BANNERS = 6
MAX_MOVES = DICE * 8  # values with 0 to 7 extra spaces
MAX_TAKE = DICE * MAX_AMOUNT


@entry
def packed_and_unpacked(kind, a, b, c, acts):
    """An action through the packing of the engine."""
    acts.n = 0
    put(acts, kind, a, b, c)
    action = pack_action(kind, a, b, c)
    return action, acts.a[0], action_kind(action), action_a(action), action_b(action), action_c(action)


@pytest.mark.parametrize("kind", [st.A_END, st.A_IVAN, 63])
@pytest.mark.parametrize("a", [0, 1, MAX_TAKE, 1023])
@pytest.mark.parametrize(("b", "c"), [(0, 0), (5, 1), (255, 127)])
def test_packed_actions(kind: int, a: int, b: int, c: int) -> None:
    action, listed, *parts = packed_and_unpacked(kind, a, b, c, new_actions())
    assert action == listed > 0 or (kind, a, b, c) == (0, 0, 0, 0)
    assert tuple(parts) == unpacked(int(action)) == (kind, a, b, c)


def test_operands_fit_their_bits() -> None:
    assert st.A_IVAN < 64
    assert max(MAX_SECTIONS, MAX_TAKE, 8) < 1024
    assert max(len(MATERIALS), len(GEMS), 6, 7) < 256


def test_sizes_hold_what_the_rules_allow() -> None:
    optional = 1 + DICE  # a sale, a reroll for every space with dice
    claims = MAX_TOWERS * 6 * 2
    building = MAX_BANNERS * 6 + MAX_SECTIONS * len(GEMS)
    assert optional + claims + building + MAX_MOVES <= MAX_ACTIONS
    # Where all five dice lie in one space; two actions of a card, two white tiles, the roll.
    assert 2 + MAX_TAKE + 2 + 2 + 1 <= MAX_ACTIONS
    assert MAX_TAKE + 1 <= MAX_ACTIONS
    # Ivan lays the whole supply on his sections and finishes them all above others: each time a completion, a gain,
    # penalties, an ornament with its gain; besides his card, the finish, the move and the roll.
    below = 2 * MAX_BANNERS - 1
    assert 1 + 6 * MAX_AMOUNT + MAX_BANNERS * (1 + 1 + below + 1 + 1) + 1 + 2 <= LOG_ROWS
    assert MAX_CARDS >= MAX_TILES  # one scratch array for both
    # A roll's counter has 12 bits for the rolls of a die in a turn: repeated actions, tile, reroll, final roll.
    assert 50 + 50 + 1 + 1 + 1 < 1 << 12


def test_the_longest_list_at_the_start_of_a_turn() -> None:
    plans = {"4z": {"players": 4, "towers": [6] * 6}}
    middles = {f"middle-{i}": {"kind": "middle", "cost": {"wood": 1}, "recognition": 1, "rubles": 0} for i in range(30)}
    tiles = {f"tile-{i}": {"plus": True, "effect": {"gain": {"rubles": 1}}} for i in range(30, 50)}
    data = {"extends": str(FROZEN), "plans": plans, "sections": middles, "workshop_tiles": tiles}
    ruleset = from_dict({**data, "options": {"slots_open": 10}}, "wide")
    p = Position(4, ruleset=ruleset, plan="4z")
    one_each = dict.fromkeys(MATERIALS, 1)
    for tower in range(5):
        p.needs(p.claim(tower, 0), **one_each)
        for seat in (1, 2, 3):
            p.built(tower, seat)
    for seat in (1, 2, 3):
        p.built(5, seat)
    p.give(0, **one_each)
    p.give(0, stone=1, green_gem=1, purple_gem=1)
    p.g.marker[0] = 60
    p.g.rubles[0] = 30
    p.dice(red=(0, 1), blue=(1, 1), green=(2, 1), yellow=(3, 1), white=(4, 1))
    counts = {kind: sum(action[0] == kind for action in p.legal()) for kind in p.kinds()}
    domes = 0  # none is finished here: bases and middles take doors and arches
    assert counts == {
        A_SELL: 1,
        A_REROLL: 5,
        A_CLAIM: 6 * 6 * 2,
        A_DELIVER: 5 * 6,
        A_ADORN: (18 - domes) * 6,
        A_MOVE: 3 + 2 * 8,
    }
    assert p.acts.n == sum(counts.values()) <= MAX_ACTIONS


@pytest.mark.parametrize("others", [False, True])
def test_the_longest_list_at_the_market(others: bool) -> None:
    gain = {"rubles": MAX_AMOUNT} | ({"prestige": MAX_AMOUNT} if others else {})
    data: dict[str, Any] = {"extends": str(FROZEN), "resource_tiles": {"rubles": {"gain": gain}}}
    ruleset = from_dict({**data, "options": {"dice_limit": 5}}, "rich")
    p = Position(2, ruleset=ruleset)
    p.market(4, "rubles")
    p.influence(2, "clergy-1")
    p.give(0, green_gem=1)
    p.workshop(0, 4, "tile-20")
    p.workshop(0, 5, "tile-22")
    p.dice(white=(3, 1), red=(4, 1), blue=(4, 1), green=(4, 1), yellow=(4, 1))
    p.g.marker[0] = 60
    p.do(A_MOVE, 4, 0)
    counts = {kind: sum(action[0] == kind for action in p.legal()) for kind in p.kinds()}
    takes = 1 if others else MAX_TAKE
    assert counts == {A_SELL: 1, A_REROLL: 1, A_TAKE: takes, A_INFLUENCE: 2, A_WORKSHOP: 2, A_ROLL: 1}
    assert p.acts.n <= MAX_ACTIONS
    if others:
        p.do(A_TAKE, 0)
        assert p.g.phase == P_TAKE
        assert len(p.legal()) == MAX_TAKE + 1  # none, too, since the other good is still to come
        p.do(A_TAKE, MAX_TAKE)
        assert p.legal() == {(A_TAKE, n, 0, 0) for n in range(MAX_TAKE + 1)}
        p.do(A_TAKE, MAX_TAKE)
        assert p.told(0, "rubles_from_market") == MAX_TAKE
    else:
        p.do(A_TAKE, MAX_TAKE)
    assert p.g.rubles[0] == 3 + MAX_TAKE


def test_the_longest_log_of_one_action() -> None:
    data = {"extends": str(FROZEN), "plans": {"2z": {"players": 2, "towers": [12]}}}
    ruleset = from_dict({**data, "supply": dict.fromkeys(MATERIALS, MAX_AMOUNT)}, "long")
    p = Position(1, ruleset=ruleset, plan="2z")
    for _ in range(6):
        p.claim(0, 0)
    for _ in range(6):
        s = p.claim(0, 1)
        p.g.missing[s] = MAX_AMOUNT
    p.g.ivan_construction[:] = MAX_AMOUNT
    p.g.supply[:] = 0
    p.g.marker[0] = 1000
    p.g.seat, p.g.phase, p.g.turn = 1, P_IVAN, 1
    p.g.turns[0] = 1
    p.g.ivan_next, p.g.ivan_deck[1] = 1, 4
    events = p.do(A_IVAN)
    assert sum(e[0] == EV_DELIVER for e in events) == 6 * MAX_AMOUNT
    assert sum(e[0] == EV_PENALTY for e in events) == 6 * 6
    assert len(events) == p.log.n == 1 + 594 + 6 * 2 + 36 + 3 + 1 + 2  # three of his sections get an ornament
    assert p.log.n < LOG_ROWS
    assert p.g.supply.tolist() == [MAX_AMOUNT] * 6
    assert p.g.marker[0] == 1000 - 6 * (1 + 2 + 3 + 4 + 5 + 6)


def test_a_copy_of_a_game_is_independent() -> None:
    games = new_games(2)
    games[0].supply[2] = 7
    games[1] = games[0]
    games[0].supply[2] = 5
    games[0].turn = 3
    assert (games[1].supply[2], games[1].turn) == (7, 0)
    assert np.dtype(games.dtype).isalignedstruct
