"""The engine against the worked examples of the rules page, section by section, with their numbers."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from rcsim.engine import state as st
from rcsim.engine.events import EV_GAIN, EV_MOVE, EV_PENALTY, EV_ROLL
from rcsim.engine.jit import entry
from rcsim.engine.market import die_can_move
from rcsim.engine.scoring import tower_share
from rcsim.engine.state import (
    A_ADORN,
    A_CLAIM,
    A_DELIVER,
    A_DIE,
    A_END,
    A_INFLUENCE,
    A_IVAN,
    A_MATERIAL,
    A_MOVE,
    A_REROLL,
    A_ROLL,
    A_SELL,
    A_SPACE,
    A_STOP,
    A_TAKE,
    A_TILE,
    A_TOWER,
    A_USE,
    A_WORKSHOP,
    P_BUILD,
    P_DELIVER,
    P_DONE,
    P_GAIN,
    P_IVAN,
    P_IVAN_CLAIM,
    P_MAIN,
    P_MARKET,
    P_OVER,
)
from rcsim.names import MATERIALS
from rcsim.rules import Ruleset
from rcsim.rules.loader import from_dict
from tests.positions import BLUE, FROZEN, RED, WHITE, YELLOW, Position

WOOD, BRICK, STONE, GOLD, GREEN_GEM, PURPLE_GEM = range(6)
NO_GEM, ONE_GREEN, ONE_PURPLE, TWO_GREEN, TWO_PURPLE, ONE_EACH = range(6)
EMPTY = {"red": (0, 1), "blue": (1, 1), "green": (2, 1), "yellow": (3, 1), "white": (4, 1)}


def events_of(events: list[tuple[int, ...]], kind: int) -> list[tuple[int, ...]]:
    """Operands of the events of one kind, the seat first."""
    return [event[1:] for event in events if event[0] == kind]


def with_effects(influence: dict[str, Any] | None = None, tiles: dict[str, Any] | None = None) -> Ruleset:
    """The base game with other influence actions or workshop tiles."""
    changed: dict[str, Any] = {"extends": str(FROZEN)}
    if influence:
        changed["influence"] = {name: {"actions": actions} for name, actions in influence.items()}
    if tiles:
        changed["workshop_tiles"] = {name: {"effect": effect} for name, effect in tiles.items()}
    return from_dict(changed, "test")


# --- section 2: setup


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("deal", range(4))
def test_setup(players: int, deal: int) -> None:
    p = Position(players, deal=deal, colours=None)
    g, t = p.g, p.t
    seats = range(t.seats)
    assert t.seats == max(players, 2)
    assert [int(g.marker[s]) for s in seats] == [2] * t.seats
    assert [int(g.rubles[s]) for s in seats] == [3, 0] if players == 1 else [3, 4, 4, 5][:players]
    assert [int(g.banners[s]) for s in seats] == [6] * t.seats
    assert [int(g.slots[s]) for s in seats] == [6] * t.seats
    assert g.ornaments[0].tolist() == [1, 2, 1]
    assert not g.locked.any()
    colours = [int(g.colour[s]) for s in range(players)]
    assert len(set(colours)) == players
    assert set(colours) <= {0, 1, 2, 3}
    assert g.supply.tolist() == [20, 20, 20, 15, 10, 10]
    assert sorted(g.market.tolist()) == list(range(8))
    assert sorted(g.guild.tolist()) == [0, 1, 2, 3]
    assert all(0 <= card < 3 for card in g.guild_card)
    cross = g.market.tolist().index(p.ruleset.resource_tile_ids.index("recognition"))
    assert sorted((int(s) - cross) % 8 for s in g.die_space) == [0, 1, 2, 3, 4]
    assert all(1 <= v <= 6 for v in g.die_value)
    assert g.turn == 0
    assert g.seat == 0
    assert g.phase == P_MAIN

    plan = p.ruleset.plans[p.ruleset.plan_ids(players)[g.plan]]
    assert tuple(g.height[: g.towers].tolist()) == plan.towers
    n = sum(plan.towers)
    assert g.sections == n
    assert len(set(g.card[:n].tolist())) == len(set(g.tile[:n].tolist())) == n
    kinds = [p.ruleset.sections[p.ruleset.section_ids[c]].kind for c in g.card[:n]]
    for tower, height in enumerate(plan.towers):
        first = int(g.first[tower])
        assert kinds[first : first + height] == ["base", *["middle"] * (height - 2), "dome"]
        assert g.tower_of[first : first + height].tolist() == [tower] * height
    for s in range(n):
        cost = p.ruleset.sections[p.ruleset.section_ids[g.card[s]]].cost.materials()
        assert tuple(g.left[s].tolist()) == cost
        assert g.missing[s] == sum(cost)
        plus = p.ruleset.workshop_tiles[p.ruleset.tile_ids[g.tile[s]]].plus
        assert not (plus and players < 3)


def test_marked_tiles_are_in_play_from_three_players_on() -> None:
    seen: dict[int, set[bool]] = {}
    for players in (2, 3):
        for deal in range(5):
            p = Position(players, deal=deal)
            tiles = [p.ruleset.tile_ids[i] for i in p.g.tile[: p.g.sections]]
            seen.setdefault(players, set()).update(p.ruleset.workshop_tiles[tile].plus for tile in tiles)
    assert seen == {2: {False}, 3: {False, True}}


def test_what_may_be_fixed() -> None:
    p = Position(3, plan="3c", colours=("yellow", "green", "blue"), rubles=(7, 8, 9))
    assert p.g.colour[:3].tolist() == [3, 2, 1]
    assert p.g.rubles[:3].tolist() == [7, 8, 9]
    assert p.g.height[:5].tolist() == [2, 5, 4, 5, 2]
    assert Position(3, sets=("options.first_seat=2",)).g.seat == 2
    p = Position(2, sets=("track.start=7", "options.banners=4", "options.end_sections=3", "options.slots_open=2"))
    assert p.g.marker[0] == 7
    assert p.g.banners[1] == 4
    assert p.g.slots[1] == 2


# --- section 4: selling and rerolling


def test_a_sale_brings_two_rubles() -> None:
    p = Position(2)
    p.g.marker[0] = 14  # prestige spaces behind: 5, 9, 13
    for to, rubles in ((13, 5), (9, 7), (5, 9)):
        p.do(A_SELL)
        assert (p.g.marker[0], p.g.rubles[0]) == (to, rubles)
    assert not p.can(A_SELL)
    assert p.told(0, "sales") == 3
    assert p.told(0, "rubles_from_sold") == 6


@pytest.mark.parametrize(("moments", "again"), [("one", False), ("any", True)])
def test_moments_for_selling(moments: str, again: bool) -> None:
    p = Position(2, sets=(f"options.sell_moments={moments}",))
    p.g.marker[0] = 40
    p.dice(**EMPTY)
    p.do(A_SELL)
    p.do(A_SELL)
    p.do(A_MOVE, RED, 0)
    assert p.can(A_SELL) is again
    p.do(A_ROLL)
    assert p.can(A_SELL) is again
    p.end()
    p.pass_turn()
    assert p.can(A_SELL)  # a new turn


def test_the_reroll_closes_the_moment_of_selling() -> None:
    p = Position(2)
    p.g.marker[0] = 40
    p.dice(**EMPTY)
    p.do(A_SELL)
    p.do(A_REROLL, 0)
    assert not p.kinds() & {A_SELL, A_REROLL}


@pytest.mark.parametrize(("option", "both"), [("both", True), ("one_kind", False)])
def test_optional_actions_of_one_kind_or_both(option: str, both: bool) -> None:
    for first, second in ((A_SELL, A_REROLL), (A_REROLL, A_SELL)):
        p = Position(2, sets=(f"options.optional_actions={option}", "options.sell_moments=any"))
        p.g.marker[0] = 40
        p.dice(**EMPTY)
        p.do(first)
        assert (second in p.kinds()) is both
        assert (A_SELL in p.kinds()) is (first == A_SELL or both)


def test_one_reroll_a_turn_of_all_dice_in_one_space() -> None:
    p = Position(2)
    p.g.marker[0] = 9
    p.dice(red=(3, 1), blue=(3, 1), green=(3, 1), yellow=(6, 1), white=(7, 1))
    assert p.options(A_REROLL) == {3, 6, 7}
    (roll,) = events_of(p.do(A_REROLL, 3), EV_ROLL)
    assert [v > 0 for v in p.log.row[2, 4:9]] == [True, True, True, False, False]
    assert roll[1] == 3
    assert p.g.die_value[YELLOW] == p.g.die_value[WHITE] == 1
    assert p.g.marker[0] == 5
    assert A_REROLL not in p.kinds()


def test_optional_actions_stand_between_steps_never_inside() -> None:
    ruleset = with_effects(tiles={"tile-11": {"gain": {"any": {"n": 1, "of": ["wood", "gold"]}}}})
    p = Position(2, ruleset=ruleset)
    p.g.marker[0] = 40
    p.g.tile[0] = p.tile("tile-11")
    p.do(A_CLAIM, 0, 0, 1)
    assert p.g.phase == P_GAIN
    assert p.legal() == {(A_MATERIAL, WOOD, 0, 0), (A_MATERIAL, GOLD, 0, 0)}
    p.do(A_MATERIAL, GOLD)
    assert {A_SELL, A_REROLL, A_END} == p.kinds()


def test_exactly_one_basic_action() -> None:
    p = Position(2)
    p.give(0, wood=1)
    p.needs(p.claim(0, 0), wood=2)
    assert {A_CLAIM, A_DELIVER, A_MOVE} == p.kinds()  # no end without one
    p.do(A_DELIVER, 0, WOOD)
    assert {A_END} == p.kinds()
    p.end()
    p.do(A_CLAIM, 1, 0, 0)
    assert {A_END} == p.kinds()
    p.end()
    p.do(A_MOVE, RED, 0)
    p.do(A_ROLL)
    assert {A_END} == p.kinds()


# --- section 5: claim


def test_banners_open_the_covered_slots_first() -> None:
    p = Position(2, plan="2a")
    slots = []
    for tower in (0, 0, 0, 1, 1, 1):
        p.do(A_CLAIM, tower, int(p.g.claimed.sum()), 0)
        slots.append((int(p.g.slots[0]), int(p.g.banners[0])))
        p.end()
        p.pass_turn()
    assert slots == [(7, 5), (8, 4), (9, 3), (10, 2), (10, 1), (10, 0)]
    assert A_CLAIM not in p.kinds()


def test_what_can_be_claimed() -> None:
    p = Position(2, plan="2a")
    assert p.options(A_CLAIM) == {0, 1, 2, 3}
    for _ in range(3):
        p.claim(2, 1)  # the other's banner, nothing built
    assert p.options(A_CLAIM) == {0, 1, 3}
    p.claim(0, 1)
    p.do(A_CLAIM, 0, 0, 0)
    assert p.g.owner[p.section(0, 1)] == 0
    assert p.g.owner[p.section(0, 2)] == -1


def test_prices_of_workshop_spaces() -> None:
    p = Position(2)
    for rubles, up in ((1, set()), (2, {0, 1, 2, 3}), (3, set(range(6)))):
        p.g.rubles[0] = rubles
        assert {b for k, a, b, c in p.legal() if k == A_CLAIM and a == 0 and c == 1} == up
        assert {b for k, a, b, c in p.legal() if k == A_CLAIM and a == 0 and c == 0} == set(range(6))
    p.g.tile[0] = p.tile("tile-22")  # 2 rubles
    p.do(A_CLAIM, 0, 4, 1)
    assert p.g.rubles[0] == 3 - 3 + 2
    assert p.g.space_tile[0].tolist() == [-1, -1, -1, -1, p.tile("tile-22"), -1]
    assert p.g.space_up[0].tolist() == [0, 0, 0, 0, 1, 0]
    p.end()
    p.pass_turn()
    assert {b for k, _, b, _ in p.legal() if k == A_CLAIM} == {0, 1, 2, 3, 5}


def test_a_face_down_tile_is_free_and_dead() -> None:
    p = Position(2)
    p.g.rubles[0] = 0
    p.g.tile[0] = p.tile("tile-22")
    p.do(A_CLAIM, 0, 0, 0)
    assert p.g.rubles[0] == 0
    p.end()
    p.pass_turn()
    p.dice(**EMPTY)
    p.do(A_MOVE, RED, 0)
    assert A_WORKSHOP not in p.kinds()


def test_only_a_bonus_with_a_price_may_be_declined() -> None:
    for decline in (False, True):
        p = Position(2)
        p.g.rubles[0] = 3
        p.g.tile[0] = p.tile("tile-25")  # 1 ruble for 3 recognition
        p.do(A_CLAIM, 0, 0, 1)
        assert p.kinds() == {A_USE, A_STOP}
        p.do(A_STOP if decline else A_USE)
        assert (p.g.rubles[0], p.g.marker[0]) == ((1, 2) if decline else (0, 5))
        assert p.told(0, "tile_bonuses") == (0 if decline else 1)
        assert p.g.phase == P_DONE
    p = Position(2)
    p.g.rubles[0] = 2
    p.g.tile[0] = p.tile("tile-25")
    p.do(A_CLAIM, 0, 0, 1)  # nothing left to pay it with
    assert p.g.phase == P_DONE
    p = Position(2)
    p.g.tile[0] = p.tile("tile-20")  # 2 recognition, free: no choice
    p.do(A_CLAIM, 0, 0, 1)
    assert p.g.marker[0] == 4
    assert p.g.phase == P_DONE


def test_the_advanced_board() -> None:
    p = Position(2, board="advanced", plan="2a")
    assert p.t.space_price.tolist() == [3] * 6
    p.g.rubles[0] = 2
    assert all(c == 0 for k, _, _, c in p.legal() if k == A_CLAIM)
    for tower, kind in ((1, 0), (1, 1), (1, 2)):
        s = p.built(tower, 1)
        assert p.g.kind[s] == kind
    p.give(0, wood=1, stone=1, gold=1)
    assert A_ADORN not in p.kinds()
    unlocked = []
    for space, kind in ((0, 0), (1, 1), (2, 1), (3, 2), (4, -1)):
        p = Position(2, board="advanced", plan="2a")
        for _ in range(3):
            p.built(1, 1)
        p.give(0, wood=1, stone=1, gold=1)
        p.g.tile[0] = p.tile("tile-22")
        p.do(A_CLAIM, 0, space, 1)
        assert p.g.rubles[0] == 3 - 3 + 2
        p.end()
        p.pass_turn()
        adorned = {int(p.g.kind[s]) for s in p.options(A_ADORN)}
        assert adorned == ({kind} if kind >= 0 else set())
        unlocked.append(p.g.locked[0].tolist())
    assert unlocked == [[0, 2, 1], [1, 1, 1], [1, 1, 1], [1, 2, 0], [1, 2, 1]]
    p = Position(2, board="advanced", plan="2a")
    p.do(A_CLAIM, 0, 0, 0)  # face down
    assert p.g.locked[0].tolist() == [1, 2, 1]


# --- section 6: build


@pytest.mark.parametrize("deliveries", [1, 3, 6])
def test_deliveries_of_one_action(deliveries: int) -> None:
    p = Position(2, plan="2a", sets=(f"options.deliveries={deliveries}",))
    p.give(0, wood=2, stone=4)
    a, b = p.needs(p.claim(0, 0), wood=3), p.needs(p.claim(1, 0), wood=1, stone=4)
    for i, (s, m) in enumerate([(a, WOOD), (b, STONE), (b, WOOD), (b, STONE), (b, STONE), (b, STONE)]):
        assert (A_DELIVER in p.kinds()) is (i < deliveries)
        if i < deliveries:
            p.do(A_DELIVER, s, m)
            assert A_END in p.kinds()
    assert A_CLAIM not in p.kinds()
    p.end()
    assert p.told(0, "deliveries") == deliveries
    assert p.told(0, "actions_build") == 1
    assert int(p.g.left[a, WOOD]) == 2  # it stays there over turns


def test_only_own_sections_that_need_it() -> None:
    p = Position(2, plan="2a")
    p.give(0, wood=1, gold=1)
    p.needs(p.claim(0, 1), wood=3)
    own = p.needs(p.claim(1, 0), wood=1, stone=1)
    p.needs(p.claim(2, 0), stone=1)
    assert {(a, b) for k, a, b, _ in p.legal() if k == A_DELIVER} == {(own, WOOD)}


@pytest.mark.parametrize(("board", "preset"), [("basic", "fr2022"), ("basic", "en"), ("advanced", "fr2022")])
@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize(("gems", "prestige"), [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3)])
def test_ornaments(board: str, preset: str, level: int, gems: int, prestige: int) -> None:
    p = Position(2, plan="2a", board=board, preset=preset)
    for _ in range(3):
        p.built(1, 1)
    s = p.section(1, level)
    p.g.locked[0] = 0
    base = (WOOD, STONE, GOLD)[level]
    materials = [0] * 6
    materials[base] += 1
    for gem in st.GEMS[gems]:
        materials[MATERIALS.index(gem)] += 1
    p.give(0, **{m: n for m, n in zip(MATERIALS, materials, strict=True) if n})
    listed = {a for a in p.legal() if a[0] == A_ADORN}
    assert {a for _, a, _, _ in listed} == {s}
    assert (A_ADORN, s, gems, 0) in listed
    p.do(A_ADORN, s, gems)
    assert p.g.marker[0] == (2, 5, 9, 13)[prestige]
    assert p.g.held[0] == 0
    assert p.g.supply.tolist() == p.t.supply.tolist()
    assert p.g.ornament[s] == 0
    assert p.g.deliveries == 3 - sum(materials)
    assert p.g.ornaments[0, level] == (1, 2, 1)[level] - 1
    assert p.told(0, "points_ornaments") == p.g.marker[0] - 2
    p.give(0, wood=1, stone=1, gold=1)
    assert A_ADORN not in p.kinds() or s not in p.options(A_ADORN)  # one to a section


def test_an_ornament_with_gems_needs_the_deliveries() -> None:
    p = Position(2, plan="2a")
    p.built(1, 1)
    p.give(0, wood=2, green_gem=2, purple_gem=2)
    own = p.needs(p.claim(0, 0), wood=1, green_gem=1)
    assert len({a for a in p.legal() if a[0] == A_ADORN}) == 6
    p.do(A_DELIVER, own, GREEN_GEM)
    s = p.section(1, 0)
    assert {b for k, a, b, _ in p.legal() if k == A_ADORN and a == s} == {NO_GEM, ONE_GREEN, ONE_PURPLE}
    p.do(A_ADORN, s, NO_GEM)
    assert p.options(A_DELIVER) == {own}


def test_ornaments_are_limited_in_number() -> None:
    p = Position(2, plan="2a")
    for tower in (1, 2, 3):
        p.built(tower, 1)
        p.built(tower, 1)
    p.give(0, wood=2, stone=3)
    p.do(A_ADORN, p.section(1, 0))
    assert p.options(A_ADORN) == {p.section(t, 1) for t in (1, 2, 3)}  # the door is gone
    p.do(A_ADORN, p.section(1, 1))
    p.do(A_ADORN, p.section(2, 1))
    p.end()
    p.pass_turn()
    assert A_ADORN not in p.kinds()
    assert p.told(0, "arches") == 2
    assert p.g.placed[0] == 3


def test_a_section_just_finished_can_be_adorned_with_deliveries_that_are_left() -> None:
    p = Position(2, plan="2a")
    s = p.needs(p.claim(0, 0), stone=1)
    p.give(0, stone=1, wood=1, green_gem=1)
    assert A_ADORN not in p.kinds()
    p.do(A_DELIVER, s, STONE)
    assert p.can(A_ADORN, s, ONE_GREEN)
    p.do(A_ADORN, s, ONE_GREEN)
    assert p.g.deliveries == 0


def test_a_completion() -> None:
    p = Position(2, plan="2a")
    p.card(0, "base-04")  # wood 1, brick 2; recognition 2, rubles 2
    s = p.claim(0, 0)
    p.give(0, wood=1, brick=2)
    p.do(A_DELIVER, s, BRICK)
    p.do(A_DELIVER, s, WOOD)
    assert p.g.laid[s].tolist() == [1, 1, 0, 0, 0, 0]
    assert p.g.supply.tolist() == [19, 18, 20, 15, 10, 10]
    assert (p.g.marker[0], p.g.rubles[0], p.g.done[s]) == (2, 3, 0)
    p.do(A_DELIVER, s, BRICK)
    assert p.g.supply.tolist() == [20, 20, 20, 15, 10, 10]
    assert (p.g.marker[0], p.g.rubles[0], p.g.done[s]) == (4, 5, 1)
    assert p.g.finished[0] == 1
    assert p.told(0, "points_sections") == p.told(0, "rubles_from_sections") == 2


def finish(p: Position, tower: int, level: int) -> list[tuple[int, ...]]:
    """The owner of a section delivers its last material in a turn of its own; (owner, points asked, lost) each."""
    s = p.section(tower, level)
    seat = int(p.g.owner[s])
    p.g.seat, p.g.phase, p.g.deliveries = seat, P_MAIN, 0
    p.needs(s, wood=1)
    p.give(seat, wood=1)
    return [event[3:6] for event in events_of(p.do(A_DELIVER, s, WOOD), EV_PENALTY)]


def penalty_position(**options: Any) -> Position:
    """Three players, far from the floor; tower 2 has five sections."""
    sets = [f"options.{k}={v}" for k, v in options.items()]
    p = Position(3, plan="3b", colours=("red", "blue", "yellow"), sets=sets)
    p.g.marker[:3] = 30
    return p


def test_penalty_red_finishes_above_blue() -> None:
    p = penalty_position()
    p.claim(2, 1)  # blue
    p.claim(2, 0)  # red
    assert finish(p, 2, 1) == [(1, 1, 1)]
    assert p.g.marker[1] == 29
    assert (p.told(1, "penalties_suffered"), p.told(0, "penalties_dealt")) == (1, 1)


def test_penalty_yellow_finishes_above_two_of_blue_with_red_between() -> None:
    p = penalty_position()
    for seat in (1, 0, 1, 2):  # blue, red, blue, yellow
        p.claim(2, seat)
    assert finish(p, 2, 1) == [(1, 1, 1)]
    # Bottom to top: the base has two others' sections above it, the upper card one.
    assert finish(p, 2, 3) == [(1, 2, 2), (1, 1, 1)]
    assert p.g.marker[1] == 30 - 1 - 3
    assert p.told(1, "points_penalties") == -4
    assert (p.told(0, "penalties_dealt"), p.told(2, "penalties_dealt")) == (1, 3)


def test_penalty_for_the_finisher_itself() -> None:
    p = penalty_position()
    for seat in (1, 0, 1, 2):  # blue, red, blue, yellow
        p.claim(2, seat)
    finish(p, 2, 1)
    before = int(p.g.marker[1])
    gained = int(p.t.card_recognition[p.g.card[p.section(2, 2)]])
    assert finish(p, 2, 2) == [(1, 1, 1)]  # blue's own upper card: only red's counts
    assert p.g.marker[1] == before + gained - 1
    assert p.told(1, "penalties_dealt") == 0
    assert finish(p, 2, 3) == [(1, 2, 2)]  # yellow one above: red's and yellow's


def test_no_penalty_for_own_sections_other_towers_and_unclaimed_ones() -> None:
    p = penalty_position()
    for seat in (0, 0, 1):
        p.claim(2, seat)
    p.claim(1, 1)
    assert finish(p, 2, 1) == []
    assert finish(p, 2, 2) == [(0, 1, 1)]


def test_a_completion_asks_nothing_of_the_cards_above_it() -> None:
    p = penalty_position()
    for seat in (0, 1, 2):
        p.claim(2, seat)
    assert finish(p, 2, 2) == [(0, 1, 1), (1, 1, 1)]
    assert finish(p, 2, 0) == []  # blue's card above stays unfinished below yellow's


@pytest.mark.parametrize(
    ("marker", "floor", "lost"), [(5, 0, 2), (1, 0, 1), (0, 0, 0), (5, 4, 1), (5, 5, 0), (3, 8, 0)]
)
def test_penalties_are_cut_short_at_the_floor(marker: int, floor: int, lost: int) -> None:
    p = penalty_position(penalty_floor=floor)
    for seat in (1, 0, 2):
        p.claim(2, seat)
    finish(p, 2, 1)
    p.g.marker[1] = marker
    assert finish(p, 2, 2) == [(1, 2, lost)]
    assert p.g.marker[1] == marker - lost


def test_without_the_penalty() -> None:
    p = penalty_position(penalty="false")
    p.claim(2, 1)
    p.claim(2, 0)
    assert finish(p, 2, 1) == []
    assert p.g.marker[1] == 30


def sixth(p: Position, seat: int) -> int:
    """Five finished sections for a seat and a sixth that needs one wood; the sixth."""
    tower = 0
    for i in range(6):
        while p.g.claimed[tower] == p.g.height[tower]:
            tower += 1
        s = p.claim(tower, seat) if i == 5 else p.built(tower, seat)
    return p.needs(s, wood=1)


def test_the_first_sixth_section_brings_three_prestige_and_the_last_turns() -> None:
    p = Position(3, plan="3a")
    s, other = sixth(p, 1), sixth(p, 2)
    p.card(s, "middle-14")  # 3 recognition
    p.needs(s, wood=1)
    p.pass_turn()
    p.give(1, wood=2)
    p.give(2, wood=1)
    p.do(A_DELIVER, s, WOOD)
    assert p.g.marker[1] == 17  # 2 + 3 = 5, then 9, 13, 17
    assert p.told(1, "points_bonus") == 12
    assert p.g.finisher == 1
    assert p.g.phase == P_BUILD  # the turn goes on: deliveries that are left
    p.do(A_ADORN, p.section(0, 0))
    p.end()
    marker = int(p.g.marker[2])
    p.do(A_DELIVER, other, WOOD)  # a sixth by another: no bonus, no further turns
    assert p.g.marker[2] == marker + p.t.card_recognition[p.g.card[other]]
    assert p.g.finisher == 1
    p.end()
    assert (p.g.seat, p.g.phase) == (0, P_MAIN)
    p.pass_turn()
    assert p.g.phase == P_OVER
    assert p.g.turns[:3].tolist() == [2, 1, 1]
    assert p.legal() == set()
    assert p.score()["truncated"] == 0


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
@pytest.mark.parametrize("first", [0, 2])
def test_everyone_else_has_one_more_turn(seat: int, first: int) -> None:
    p = Position(4, plan="4a", sets=(f"options.first_seat={first}",))
    s = sixth(p, seat)
    while p.g.seat != seat:
        p.pass_turn()
    before = p.g.turns.copy()
    p.give(seat, wood=1)
    p.do(A_DELIVER, s, WOOD)
    p.end()
    order = []
    while p.g.phase != P_OVER:
        order.append(int(p.g.seat))
        p.pass_turn()
    assert order == [(seat + i) % 4 for i in (1, 2, 3)]
    assert (p.g.turns - before).tolist() == [1, 1, 1, 1]


def test_finishing_by_an_effect_lets_the_market_visit_go_on() -> None:
    p = Position(2, plan="2a", seed=2)
    s = sixth(p, 0)
    p.give(0, wood=1)
    p.dice(**EMPTY)
    p.influence(0, "artisans-1")  # deliver 1
    p.do(A_MOVE, RED, 0)
    p.do(A_INFLUENCE, 0)
    assert p.g.phase == P_DELIVER
    p.do(A_DELIVER, s, WOOD)
    assert p.g.finisher == 0
    assert p.g.phase == P_MARKET
    assert A_TAKE in p.kinds()
    p.do(A_ROLL)
    p.end()
    p.pass_turn()
    assert p.g.phase == P_OVER


def test_no_bonus_in_solo() -> None:
    p = Position(1, plan="2a")
    s = sixth(p, 0)
    p.give(0, wood=1)
    p.do(A_DELIVER, s, WOOD)
    assert p.g.finisher == 0
    assert p.told(0, "points_bonus") == 0
    assert p.g.marker[0] == 2 + p.t.card_recognition[p.g.card[s]]


# --- section 7: acquire


@entry
def blocked_dice(t, g, limit_seen):
    """Over all placements of five dice: the most dice that some values keep from moving, and how many were tried."""
    most = 0
    tried = 0
    for placement in range(8**4):
        code = placement
        g.dice_in[:] = 0
        g.die_space[4] = 0
        g.dice_in[0] = 1
        for die in range(4):
            g.die_space[die] = code & 7
            g.dice_in[code & 7] += 1
            code >>= 3
        blocked = 0
        for die in range(5):
            kept = 0
            for value in range(1, 7):
                tried += 1
                if not die_can_move(g, t, die, value):
                    kept = 1
                    limit_seen[value] += 1
            blocked += kept
        most = max(most, blocked)
    return most, tried


@pytest.mark.parametrize(("limit", "most"), [(3, 2), (4, 1), (5, 0)])
def test_acquiring_is_always_possible(limit: int, most: int) -> None:
    # Whether a die may move depends on where the dice lie and on its own value alone. So over all placements, values
    # that block all five dice exist if and only if each die has a value that blocks it. (In words: three dice that
    # fill a space leave two for all the others; and they themselves move off, since no value is 8, to where at most
    # two lie.) Every placement and value is tried.
    p = Position(2, sets=(f"options.dice_limit={limit}",))
    seen = np.zeros(7, np.int64)
    blocked, tried = blocked_dice(p.t, p.g, seen)
    assert tried == 8**4 * 5 * 6
    assert blocked == most
    assert (seen[1:] > 0).all() == (most > 0)


def test_a_die_moves_by_its_value() -> None:
    p = Position(2)
    p.dice(red=(6, 4), blue=(1, 1), green=(2, 6), yellow=(3, 1), white=(4, 1))
    p.g.rubles[0] = 0
    assert {a[1:3] for a in p.legal() if a[0] == A_MOVE} == {(die, 0) for die in range(5)}
    (move,) = events_of(p.do(A_MOVE, RED, 0), EV_MOVE)
    assert move[1:4] == (RED, 6, 2)
    assert p.g.arrival == 2
    assert p.g.dice_in.tolist() == [0, 1, 2, 1, 1, 0, 0, 0]


def test_further_spaces_for_the_white_and_the_own_die() -> None:
    p = Position(2)
    p.dice(**EMPTY)
    for rubles, most in ((0, 0), (3, 3), (7, 7), (30, 7)):
        p.g.rubles[0] = rubles
        extra = [max(b for k, a, b, _ in p.legal() if k == A_MOVE and a == die) for die in range(5)]
        assert extra == [most, 0, 0, 0, most]
    p.g.rubles[0] = 8
    p.do(A_MOVE, WHITE, 7)  # 1 + 7: where it started
    assert p.g.arrival == 4
    assert p.g.rubles[0] == 1
    assert p.told(0, "rubles_for_moves") == p.told(0, "spaces_paid") == 7
    assert p.g.dice_in.tolist() == [1, 1, 1, 1, 1, 0, 0, 0]


def test_other_prices_of_a_space() -> None:
    p = Position(2, sets=("options.extra_space_price=2",))
    p.dice(**EMPTY)
    p.g.rubles[0] = 5
    assert max(b for k, a, b, _ in p.legal() if k == A_MOVE and a == RED) == 2
    p.do(A_MOVE, RED, 2)
    assert p.g.rubles[0] == 1
    free = Position(2, sets=("options.extra_space_price=0",))
    free.g.rubles[0] = 0
    free.dice(**EMPTY)
    assert {b for k, a, b, _ in free.legal() if k == A_MOVE and a == RED} == set(range(8))


def test_a_full_space() -> None:
    p = Position(2)
    p.g.rubles[0] = 9
    p.dice(red=(0, 3), blue=(3, 1), green=(3, 1), yellow=(3, 1), white=(2, 1))
    moves = {a[1:3] for a in p.legal() if a[0] == A_MOVE}
    assert (RED, 0) not in moves
    assert (WHITE, 0) not in moves
    assert (WHITE, 1) in moves  # it may pass
    assert (RED, 1) in moves
    p.dice(white=(3, 2))  # four by setup of the test: the three others keep it from coming back
    assert (WHITE, 6) not in {a[1:3] for a in p.legal() if a[0] == A_MOVE}
    p.dice(yellow=(7, 1))
    assert (WHITE, 6) in {a[1:3] for a in p.legal() if a[0] == A_MOVE}  # with two others it may
    looser = Position(2, sets=("options.dice_limit=4",))
    looser.dice(red=(0, 3), blue=(3, 1), green=(3, 1), yellow=(3, 1), white=(2, 1))
    assert looser.can(A_MOVE, RED, 0)
    p.dice(red=(0, 3), blue=(3, 1), green=(3, 1), yellow=(3, 1), white=(2, 1))
    p.do(A_MOVE, RED, 1)
    assert p.told(0, "dice_refused") == 2


def test_resources_times_dice() -> None:
    p = Position(2)
    p.dice(red=(0, 2), blue=(2, 1), green=(2, 1), yellow=(5, 1), white=(6, 1))
    p.market(2, "wood")
    p.do(A_MOVE, RED, 0)
    assert p.options(A_TAKE) == {1, 2, 3, 4, 5, 6}  # two for each of three dice, or less
    p.do(A_TAKE, 6)
    assert p.g.inv[0].tolist() == [6, 0, 0, 0, 0, 0]
    assert p.g.supply[WOOD] == 14
    assert A_TAKE not in p.kinds()
    assert p.told(0, "visits_3") == 1


def test_what_does_not_fit_is_lost() -> None:
    p = Position(2)
    p.dice(red=(0, 2), blue=(2, 1), green=(2, 1), yellow=(5, 1), white=(6, 1))
    p.market(2, "wood")
    p.give(0, stone=4)
    p.do(A_MOVE, RED, 0)
    assert p.options(A_TAKE) == {1, 6}  # one, or all: two come in
    p.do(A_TAKE, 6)
    assert p.g.inv[0].tolist() == [2, 0, 4, 0, 0, 0]
    assert (p.told(0, "taken_wood"), p.told(0, "lost_slots_wood")) == (2, 4)
    p = Position(2)
    p.dice(red=(0, 2), blue=(2, 1), green=(2, 1), yellow=(5, 1), white=(6, 1))
    p.market(2, "gold")
    p.g.supply[GOLD] = 2
    p.do(A_MOVE, RED, 0)
    p.do(A_TAKE, 3)
    assert p.g.supply[GOLD] == 0
    assert (p.told(0, "taken_gold"), p.told(0, "lost_supply_gold"), p.told(0, "lost_slots_gold")) == (2, 1, 0)
    p = Position(2)
    p.dice(**EMPTY)
    p.market(1, "gold")
    p.give(0, stone=6)
    p.do(A_MOVE, RED, 0)
    assert A_TAKE not in p.kinds()  # nothing would come in


def test_rubles_and_recognition_from_the_market() -> None:
    p = Position(2)
    p.dice(**EMPTY)
    p.market(1, "rubles")
    p.give(0, stone=6)
    p.do(A_MOVE, RED, 0)
    p.do(A_TAKE, 4)
    assert (p.g.rubles[0], p.told(0, "rubles_from_market")) == (7, 4)
    p = Position(2)
    p.dice(**EMPTY)
    p.market(2, "recognition")
    p.do(A_MOVE, BLUE, 0)
    p.do(A_TAKE, 3)
    assert (p.g.marker[0], p.told(0, "points_market")) == (5, 3)


def test_the_steps_of_a_visit_in_any_order_each_at_most_once_each_optional() -> None:
    def arrive() -> Position:
        p = Position(2)
        p.dice(**EMPTY)
        p.market(1, "wood")
        p.influence(0, "clergy-1")  # once: 2 recognition
        p.workshop(0, 0, "tile-22")  # red space: 2 rubles
        p.do(A_MOVE, RED, 0)
        return p

    p = arrive()
    assert p.kinds() == {A_TAKE, A_INFLUENCE, A_WORKSHOP, A_ROLL}
    steps = [(A_TAKE, 4), (A_INFLUENCE, 0), (A_WORKSHOP, 0)]
    for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        p = arrive()
        for done, i in enumerate(order):
            p.do(*steps[i])
            assert p.kinds() == {steps[j][0] for j in order[done + 1 :]} | {A_ROLL}
        assert (p.g.marker[0], p.g.rubles[0], p.g.inv[0, WOOD]) == (4, 5, 4)
        assert (p.told(0, "tile_uses"), p.told(0, "actions_acquire")) == (1, 1)
    arrive().do(A_ROLL)


def test_lightning_once_infinity_as_often_as_it_can_be_paid() -> None:
    p = Position(2)
    p.g.marker[0] = 30
    p.dice(**EMPTY)
    p.market(1, "wood")
    p.influence(0, "merchants-1")  # two bricks for a green gem, without end; one of three for 2 rubles, once
    p.give(0, brick=6)
    p.do(A_MOVE, RED, 0)
    assert p.options(A_INFLUENCE) == {0, 1}
    for gems in (1, 2):
        p.do(A_INFLUENCE, 0)
        assert (p.g.inv[0, BRICK], p.g.inv[0, GREEN_GEM]) == (6 - 2 * gems, gems)
        assert p.options(A_INFLUENCE) == {0}  # the two actions do not mix
    p.do(A_SELL)  # may stand between
    p.do(A_REROLL, 1)
    p.do(A_INFLUENCE, 0)
    assert A_INFLUENCE not in p.kinds()  # no bricks left
    assert p.told(0, "influence_merchants") == 3
    p = Position(2)
    p.dice(**EMPTY)
    p.market(1, "wood")
    p.influence(0, "merchants-1")
    p.give(0, brick=4)
    p.do(A_MOVE, RED, 0)
    p.do(A_INFLUENCE, 0)
    p.do(A_TAKE, 1)  # any other step ends the repetition
    assert A_INFLUENCE not in p.kinds()
    p = Position(2)
    p.dice(**EMPTY)
    p.influence(0, "merchants-1")
    p.give(0, brick=4)
    p.do(A_MOVE, RED, 0)
    p.do(A_INFLUENCE, 1)
    p.do(A_MATERIAL, BRICK)  # the price, by choice
    assert p.g.rubles[0] == 5
    assert A_INFLUENCE not in p.kinds()


def test_max_repeats() -> None:
    p = Position(2, sets=("options.max_repeats=2",))
    p.dice(**EMPTY)
    p.influence(0, "merchants-1")
    p.give(0, brick=6)
    p.do(A_MOVE, RED, 0)
    p.do(A_INFLUENCE, 0)
    p.do(A_INFLUENCE, 0)
    assert A_INFLUENCE not in p.kinds()


def test_the_workshop_space_has_the_colour_of_the_die() -> None:
    p = Position(2)
    for space in range(6):
        p.workshop(0, space, "tile-22")
    p.g.space_up[0, 5] = 0
    saved = p.games.copy()
    for die in range(5):
        p.games[:] = saved
        p.dice(**EMPTY)
        p.do(A_MOVE, die, 0)
        assert p.options(A_WORKSHOP) == {die}  # white: spaces 4 and 5, the latter face down


def test_the_white_die_serves_one_of_two_tiles() -> None:
    p = Position(2)
    p.workshop(0, 4, "tile-22")  # 2 rubles
    p.workshop(0, 5, "tile-20")  # 2 recognition
    p.dice(**EMPTY)
    p.do(A_MOVE, WHITE, 0)
    assert p.options(A_WORKSHOP) == {4, 5}
    p.do(A_WORKSHOP, 5)
    assert (p.g.rubles[0], p.g.marker[0]) == (3, 4)
    assert A_WORKSHOP not in p.kinds()


def test_one_tile_by_influence_and_by_its_die() -> None:
    p = Position(2)
    p.workshop(0, 0, "tile-22")
    p.dice(**EMPTY)
    p.influence(0, "artisans-1")  # activate any
    p.do(A_MOVE, RED, 0)
    p.do(A_INFLUENCE, 1)
    p.do(A_TILE, 0)
    p.do(A_WORKSHOP, 0)
    assert p.g.rubles[0] == 3 + 2 + 2
    assert (p.told(0, "tile_uses"), p.told(0, "tile_activations")) == (1, 1)


def test_the_final_roll() -> None:
    p = Position(2)
    p.dice(red=(0, 2), blue=(2, 1), green=(2, 1), yellow=(5, 1), white=(6, 1))
    p.do(A_MOVE, RED, 0)
    events = p.do(A_ROLL)
    assert [e[0] for e in events] == [EV_ROLL]
    assert [v > 0 for v in p.log.row[0, 4:9]] == [True, True, True, False, False]
    assert p.g.die_value[[YELLOW, WHITE]].tolist() == [1, 1]
    assert p.kinds() == {A_END}


def test_an_emptied_arrival_space_rolls_nothing_and_stays_the_arrival_space() -> None:
    ruleset = with_effects({"carriers-1": [{"once": True, "effect": {"move": {"die": "red", "steps": 3}}}] * 2})
    p = Position(2, ruleset=ruleset)
    p.dice(red=(0, 6), blue=(1, 1), green=(2, 1), yellow=(3, 1), white=(4, 1))
    p.influence(3, "carriers-1")
    p.do(A_MOVE, RED, 0)
    p.do(A_INFLUENCE, 0)
    assert p.g.die_space[RED] == 1
    assert p.g.arrival == 6
    assert A_TAKE not in p.kinds()
    p.do(A_ROLL)
    assert p.g.die_rolls.tolist() == [0] * 5
    assert p.g.phase == P_DONE


def test_effects_move_by_choice_within_the_limit() -> None:
    p = Position(2)
    p.dice(red=(0, 6), blue=(1, 1), green=(2, 1), yellow=(2, 1), white=(2, 1))
    p.influence(3, "carriers-1")  # move any die one step, then 1 ruble
    p.do(A_MOVE, RED, 0)
    p.do(A_INFLUENCE, 1)
    assert p.options(A_DIE) == {0, 2, 3, 4}  # blue would be the fourth
    p.do(A_DIE, RED)
    assert (p.g.die_space[RED], p.g.arrival, p.g.rubles[0]) == (7, 6, 4)


# --- section 9: effects


def test_a_gain_comes_in_as_far_as_the_supply_allows() -> None:
    p = Position(2)
    p.g.tile[0] = p.tile("tile-12")  # two bricks
    p.g.supply[BRICK] = 1
    p.do(A_CLAIM, 0, 0, 1)
    assert (p.g.inv[0, BRICK], p.g.supply[BRICK]) == (1, 0)
    assert (p.told(0, "taken_brick"), p.told(0, "lost_supply_brick")) == (1, 1)
    p = Position(2)
    p.g.tile[0] = p.tile("tile-12")
    p.g.supply[BRICK] = 0
    p.do(A_CLAIM, 0, 0, 1)  # nothing would come in: the bonus is not used
    assert p.told(0, "tile_bonuses") == 0


def test_given_kinds_do_not_displace_a_free_choice() -> None:
    effect = '{ gain = { wood = 2, any = { n = 1, of = ["gold"] } } }'
    p = Position(2, sets=(f"workshop_tiles.tile-17.effect={effect}",))
    p.give(0, stone=5)
    p.g.tile[0] = p.tile("tile-17")
    p.do(A_CLAIM, 0, 0, 1)  # two slots for three materials
    assert p.legal() == {(A_MATERIAL, WOOD, 0, 0), (A_MATERIAL, GOLD, 0, 0)}
    p.do(A_MATERIAL, GOLD)
    assert p.g.inv[0].tolist() == [1, 0, 5, 1, 0, 0]  # the last slot takes the only kind that is left


def test_of_several_kinds_the_player_chooses_what_fits() -> None:
    p = Position(2)
    p.give(0, stone=6)
    p.g.tile[0] = p.tile("tile-17")  # a wood and a brick; the claim opens one slot
    p.do(A_CLAIM, 0, 0, 1)
    assert p.legal() == {(A_MATERIAL, WOOD, 0, 0), (A_MATERIAL, BRICK, 0, 0)}
    p.do(A_MATERIAL, BRICK)
    assert p.g.inv[0].tolist() == [0, 1, 6, 0, 0, 0]
    assert [p.told(0, f"lost_slots_{m}") for m in ("wood", "brick")] == [1, 0]
    assert p.g.phase == P_DONE


def test_a_yield_is_the_tile_at_a_die_times_one() -> None:
    p = Position(2)
    p.dice(red=(3, 1), blue=(3, 1), green=(3, 1), yellow=(6, 1), white=(7, 1))
    p.market(3, "wood")
    p.g.tile[0] = p.tile("tile-01")  # of the red die
    p.do(A_CLAIM, 0, 0, 1)
    assert p.g.inv[0, WOOD] == p.ruleset.resource_tiles["wood"].gain.wood
    p = Position(2)
    p.dice(**EMPTY)
    p.market(6, "gold")
    p.influence(0, "carriers-2")  # the white die two spaces on, then the tile there
    p.do(A_MOVE, RED, 0)
    p.do(A_INFLUENCE, 0)
    assert (p.g.die_space[WHITE], p.g.inv[0, GOLD]) == (6, 1)


def test_neighbours_of_the_arrival_space() -> None:
    for card, space in (("carriers-1", 2), ("carriers-3", 0)):
        p = Position(2)
        p.dice(**EMPTY)
        p.market(space, "gold")
        p.influence(0, card)
        p.do(A_MOVE, RED, 0)  # to space 1
        p.do(A_INFLUENCE, 0)
        assert p.g.inv[0, GOLD] == 1
    p = Position(2)
    p.dice(red=(6, 1), blue=(1, 1), green=(2, 1), yellow=(3, 1), white=(4, 1))
    p.market(0, "gold")
    p.influence(3, "carriers-1")
    p.do(A_MOVE, RED, 0)
    p.do(A_INFLUENCE, 0)  # from 7 on to 0
    assert p.g.inv[0, GOLD] == 1


def test_parts_that_name_the_arrival_space_do_nothing_at_a_claim() -> None:
    ruleset = with_effects(
        tiles={
            "tile-11": {"yield": {"space": 1}, "roll": "arrival"},
            "tile-12": {"yield": {"space": 1}, "gain": {"rubles": 1}},
        }
    )
    p = Position(2, ruleset=ruleset)
    p.g.tile[0] = p.tile("tile-11")
    p.do(A_CLAIM, 0, 0, 1)
    assert p.told(0, "tile_bonuses") == 0
    p = Position(2, ruleset=ruleset)
    p.g.tile[0] = p.tile("tile-12")
    p.do(A_CLAIM, 0, 0, 1)
    assert (p.g.rubles[0], p.g.held[0]) == (3 - 2 + 1, 0)


def test_rolls_by_effects() -> None:
    ruleset = with_effects({"carriers-1": [{"once": True, "effect": {"roll": r}} for r in ("arrival", "any")]})
    for action in (0, 1):
        p = Position(2, ruleset=ruleset)
        p.dice(**EMPTY)
        p.influence(0, "carriers-1")
        p.do(A_MOVE, RED, 0)
        events = p.do(A_INFLUENCE, action)
        if action:
            assert p.options(A_SPACE) == {1, 2, 3, 4}
            events = p.do(A_SPACE, 4)
        rolled = [v > 0 for v in p.log.row[len(events) - 1, 4:9]]
        assert rolled == ([False] * 4 + [True] if action else [True, True, False, False, False])


def test_deliveries_by_an_effect() -> None:
    p = Position(2, plan="2a")
    s = p.needs(p.claim(0, 0), wood=3)
    p.built(1, 0)
    p.give(0, wood=3)
    p.dice(**EMPTY)
    p.influence(0, "artisans-3")  # up to two for a ruble; an activation with a gain
    p.do(A_MOVE, RED, 0)
    p.do(A_INFLUENCE, 0)
    assert p.legal() == {(A_DELIVER, s, WOOD, 0)}  # no ornament, and no stop before a change
    p.do(A_DELIVER, s, WOOD)
    assert p.kinds() == {A_DELIVER, A_STOP}
    p.do(A_DELIVER, s, WOOD)
    assert p.g.phase == P_MARKET
    assert p.g.missing[s] == 1


def test_an_activation_may_be_declined_only_where_every_tile_has_a_price() -> None:
    for tiles, stop in ((("tile-25",), True), (("tile-22",), False), (("tile-25", "tile-22"), False)):
        p = Position(2)
        p.dice(**EMPTY)
        p.influence(0, "artisans-3")
        for space, tile in enumerate(tiles):
            p.workshop(0, 2 + space, tile)
        p.do(A_MOVE, RED, 0)
        p.do(A_INFLUENCE, 1)  # 1 ruble: 1 recognition, then any tile
        assert p.options(A_TILE) == {2 + space for space in range(len(tiles))}
        assert (A_STOP in p.kinds()) is stop
    p = Position(2)
    p.dice(**EMPTY)
    p.influence(0, "artisans-1")  # nothing but an activation: declining would change nothing
    p.workshop(0, 2, "tile-25")
    p.do(A_MOVE, RED, 0)
    p.do(A_INFLUENCE, 1)
    assert p.legal() == {(A_TILE, 2, 0, 0)}


def test_a_price_is_paid_in_full_or_the_use_is_illegal() -> None:
    ruleset = with_effects(
        {
            "clergy-1": [
                {"once": True, "effect": {"pay": {"prestige": 2}, "gain": {"rubles": 9}}},
                {"once": True, "effect": {"pay": {"recognition": 3, "prestige": 1}, "gain": {"rubles": 9}}},
            ]
        }
    )
    for marker, actions in ((7, set()), (9, {1}), (10, {0, 1}), (8, set()), (13, {0, 1}), (3, set())):
        p = Position(2, ruleset=ruleset)
        p.dice(**EMPTY)
        p.influence(0, "clergy-1")
        p.do(A_MOVE, RED, 0)
        p.g.marker[0] = marker
        assert p.options(A_INFLUENCE) == actions
    p.g.marker[0] = 13
    p.do(A_INFLUENCE, 1)
    assert p.g.marker[0] == 9  # three back to 10, then the space behind


# --- section 8: score


def tower(p: Position, number: int, owners: list[int], ornaments: list[int]) -> None:
    """Finished sections of the owners and, from the base up, ornaments."""
    for seat in owners:
        p.built(number, seat)
    for level, seat in enumerate(ornaments):
        p.decorate(p.section(number, level), seat)


def shares(p: Position, number: int) -> list[int]:
    """The shares of a tower by seat."""
    return [int(tower_share(p.g, p.t, np.int64(number), np.int64(seat))) for seat in range(p.t.seats)]


def values(p: Position, number: int) -> tuple[int, list[int]]:
    """A tower's value and the presence in it."""
    n = np.int64(number)
    return int(p.g.value[n]), [int(p.g.presence[n, seat]) for seat in range(p.t.seats)]


def test_towers_of_two_players() -> None:
    p = Position(2, plan="2c")  # heights 2, 4, 4, 2
    tower(p, 1, [0, 0, 0, 0], [])
    tower(p, 2, [1, 1, 0], [1, 0])
    tower(p, 3, [0, 1], [0])
    assert [values(p, n) for n in (1, 2, 3)] == [(8, [4, 0]), (8, [2, 3]), (5, [2, 1])]
    assert [shares(p, n) for n in (1, 2, 3)] == [[8, 0], [2, 8], [5, 1]]
    row = p.score()
    assert (p.told(0, "towers"), p.told(1, "towers")) == (8 + 2 + 5, 0 + 8 + 1)
    assert (row["sections"], row["ornaments"]) == (9, 3)
    p = Position(2, plan="2c")
    tower(p, 0, [0, 0], [0, 1])
    assert (values(p, 0), shares(p, 0)) == ((6, [3, 1]), [6, 2])
    tied = Position(2, plan="2c")
    tower(tied, 1, [0, 1, 1], [0])
    assert shares(tied, 1) == [0, 0]


def test_towers_of_two_players_as_with_more() -> None:
    en = Position(2, plan="2c", preset="en")
    tower(en, 1, [0, 0, 0], [1, 0])
    tower(en, 2, [0, 1, 1], [0])
    tower(en, 0, [1, 1], [])
    assert [shares(en, n) for n in (0, 1, 2)] == [[0, 4], [8, 4], [5, 5]]  # (7 + 3) / 2
    halving = Position(2, plan="2c", sets=("options.tower_shares_2p=as_more",))
    tower(halving, 1, [0, 0, 0], [1, 0])
    assert shares(halving, 1) == [8, 4]


def test_towers_of_three_players() -> None:
    p = Position(3, plan="3b")  # heights 2, 4, 5, 4, 3
    tower(p, 1, [0, 0, 0, 1], [1, 2, 0])
    assert values(p, 1) == (11, [4, 2, 1])
    assert shares(p, 1) == [11, 5, 2]
    tower(p, 3, [0, 0, 1, 1], [0, 1, 2])
    assert values(p, 3) == (11, [3, 3, 1])
    assert shares(p, 3) == [8, 8, 2]
    tower(p, 2, [2, 2, 1], [])  # who has no presence fills no place
    assert shares(p, 2) == [0, 3, 6]
    tower(p, 0, [0, 1], [])  # both tied first: 4 + 2
    assert shares(p, 0) == [3, 3, 0]
    flat = Position(3, plan="3b", preset="en")
    tower(flat, 1, [0, 0, 0, 1], [1, 2, 0])
    tower(flat, 3, [0, 0, 1, 1], [0, 1, 2])
    assert shares(flat, 1) == [11, 5, 1]
    assert shares(flat, 3) == [8, 8, 1]


def test_towers_of_four_players() -> None:
    p = Position(4, plan="4a")
    tower(p, 0, [0, 1, 2, 3], [0, 1, 2])
    assert values(p, 0) == (11, [2, 2, 2, 1])
    assert shares(p, 0) == [6, 6, 6, 1]
    tower(p, 1, [0, 0, 1, 1], [2, 2, 3])
    assert shares(p, 1) == [6, 6, 6, 1]
    tower(p, 2, [0, 0, 1, 2], [0])  # value 9: 9; 4 and 2 shared by two; the fourth has none
    assert shares(p, 2) == [9, 3, 3, 0]
    assert shares(p, 3) == [0, 0, 0, 0]
    flat = Position(4, plan="4a", preset="en")
    tower(flat, 0, [0, 1, 2, 3], [0, 1, 2])
    tower(flat, 1, [0, 0, 0, 1], [1, 2])
    assert shares(flat, 0) == [5, 5, 5, 0]  # (11 + 5 + 1) / 3, then nothing
    assert shares(flat, 1) == [10, 5, 1, 0]


def test_unfinished_sections_count_nothing_for_towers() -> None:
    p = Position(3, plan="3b")
    tower(p, 1, [0], [])
    p.claim(1, 1)
    assert values(p, 1) == (2, [1, 0, 0])
    assert shares(p, 1) == [2, 0, 0]


@pytest.mark.parametrize(
    ("materials", "rubles", "divisor", "points"),
    [(0, 4, 5, 0), (3, 2, 5, 1), (6, 3, 5, 1), (6, 4, 5, 2), (6, 14, 5, 4), (6, 3, 3, 3), (5, 0, 99, 0)],
)
def test_leftovers(materials: int, rubles: int, divisor: int, points: int) -> None:
    p = Position(2, sets=(f"options.leftover_divisor={divisor}",))
    p.give(0, wood=materials)
    p.g.rubles[0] = rubles
    p.g.marker[0] = 9
    s = p.claim(0, 0)
    p.g.laid[s] = [3, 3, 3, 3, 3, 3]  # materials under way count nothing
    p.score()
    assert [p.told(0, c) for c in ("prestige_on_track", "leftovers", "towers", "total")] == [2, points, 0, 2 + points]
    assert (p.told(0, "materials_end"), p.told(0, "rubles_end")) == (materials, rubles)


def test_ranks_and_ties() -> None:
    def ranked(totals: list[int], sections: list[int], ornaments: list[int]) -> tuple[list[int], list[int], int, int]:
        p = Position(4, rubles=(0, 0, 0, 0))
        for seat in range(4):
            p.g.marker[seat] = 5 * totals[seat] if totals[seat] < 2 else [9, 13, 17][totals[seat] - 2]
            p.g.finished[seat], p.g.placed[seat] = sections[seat], ornaments[seat]
        row = p.score()
        seats = range(4)
        return [p.told(s, "rank") for s in seats], [p.told(s, "win_share") for s in seats], row["tie"], row["margin"]

    assert ranked([4, 3, 2, 1], [0, 1, 2, 3], [0, 0, 0, 0]) == ([1, 2, 3, 4], [1, 0, 0, 0], 0, 1)
    assert ranked([2, 2, 1, 2], [3, 4, 6, 4], [0, 1, 2, 2]) == ([3, 2, 4, 1], [0, 0, 0, 1], 0, 0)
    assert ranked([3, 1, 3, 3], [2, 6, 2, 2], [1, 0, 1, 0]) == ([1, 4, 1, 3], [2, 0, 2, 0], 1, 0)
    assert ranked([2, 2, 2, 2], [1] * 4, [1] * 4) == ([1] * 4, [4] * 4, 1, 0)
    assert ranked([4, 1, 1, 0], [1] * 4, [1] * 4) == ([1, 2, 2, 4], [1, 0, 0, 0], 0, 3)


# --- section 11: the turn cap


@pytest.mark.parametrize("players", [1, 2, 3])
def test_turn_cap(players: int) -> None:
    p = Position(players, sets=("options.turn_cap=10",))
    while p.g.phase != P_OVER:
        if p.g.phase == P_IVAN:
            p.do(A_IVAN)
        elif p.g.phase == P_IVAN_CLAIM:
            p.do(A_TOWER, min(p.options(A_TOWER)))
        else:
            p.pass_turn()
    assert p.g.turns[: p.t.seats].tolist() == [10] * p.t.seats
    assert p.g.truncated == 1
    row = p.score()
    assert (row["truncated"], row["finisher"], row["turns"]) == (1, -1, 10 * p.t.seats)


def test_turn_cap_in_the_last_turns() -> None:
    p = Position(2, sets=("options.turn_cap=10",), plan="2a")
    s = sixth(p, 1)
    while p.g.turns[1] < 9:
        p.pass_turn()
    p.pass_turn()  # seat 0's tenth turn
    p.give(1, wood=1)
    p.do(A_DELIVER, s, WOOD)
    p.end()
    assert p.g.phase == P_OVER  # seat 0's last turn would be the eleventh
    assert (p.g.finisher, p.g.truncated) == (1, 1)


# --- section 10: Ivan

POINTS, INVENTORY, TRANSPORT, CLAIM, CONSTRUCTION = range(5)


def ivan(card: int, **kind: Any) -> Position:
    """Solo, Ivan to move with the given card next."""
    p = Position(1, plan="2a", **kind)
    p.dice(**EMPTY)
    p.pass_turn()
    p.dice(**EMPTY)
    p.g.ivan_next = 1
    p.g.ivan_deck[1] = card
    assert (p.g.seat, p.g.phase) == (1, P_IVAN)
    return p


def test_ivan_gains_recognition_and_always_moves_a_die() -> None:
    for card, die in ((POINTS, RED), (INVENTORY, BLUE), (TRANSPORT, 2), (CONSTRUCTION, WHITE)):
        p = ivan(card)
        events = p.do(A_IVAN)
        (move,) = events_of(events, EV_MOVE)
        assert move[1:4] == (die, die, die + 1)
        assert len(events_of(events, EV_ROLL)) == 1
        assert p.g.die_rolls.tolist() == [0] * 5  # a new turn
        assert p.g.marker[1] == (6 if card == POINTS else 2)
        assert (p.g.seat, p.g.phase) == (0, P_MAIN)
        assert p.g.rubles[1] == 0
    assert ivan(POINTS, sets=("solo.level=3",)).t.ivan_points == 7


def test_ivan_moves_the_next_die_round_if_his_is_blocked() -> None:
    p = ivan(POINTS)
    p.dice(red=(0, 1), blue=(1, 5), green=(1, 1), yellow=(1, 1), white=(4, 1))
    (move,) = events_of(p.do(A_IVAN), EV_MOVE)
    assert move[1] == BLUE
    p = ivan(CONSTRUCTION)
    p.dice(red=(0, 1), blue=(1, 5), green=(1, 1), yellow=(1, 1), white=(7, 2))
    (move,) = events_of(p.do(A_IVAN), EV_MOVE)
    assert move[1] == BLUE  # white and red are blocked


def test_ivan_takes_what_the_supply_has_most_of() -> None:
    p = ivan(INVENTORY)
    p.g.supply[:] = [3, 5, 5, 5, 0, 1]
    p.do(A_IVAN)
    assert p.g.ivan_inventory.tolist() == [0, 2, 1, 1, 0, 0]  # brick, stone, gold, brick again
    p = ivan(INVENTORY)
    p.g.supply[:] = [0, 0, 2, 0, 0, 0]
    p.do(A_IVAN)
    assert p.g.ivan_inventory.tolist() == [0, 0, 2, 0, 0, 0]


def test_ivan_transports_everything_or_nothing() -> None:
    p = ivan(TRANSPORT)
    p.g.ivan_inventory[:] = [1, 2, 0, 0, 0, 3]
    p.g.ivan_construction[:] = [1, 0, 0, 0, 0, 0]
    p.do(A_IVAN)
    assert p.g.ivan_inventory.tolist() == [0] * 6
    assert p.g.ivan_construction.tolist() == [2, 2, 0, 0, 0, 3]
    p = ivan(TRANSPORT)
    p.do(A_IVAN)
    assert p.g.ivan_construction.tolist() == [0] * 6


def test_ivan_claims_above_yours_then_a_base_then_any() -> None:
    p = ivan(CLAIM)
    p.claim(2, 0)
    p.g.tile[p.section(2, 1)] = p.tile("tile-20")  # it shows 2 recognition
    p.do(A_IVAN)
    assert p.g.owner[p.section(2, 1)] == 1
    assert p.g.marker[1] == 4
    assert p.g.banners[1] == 5
    assert (p.g.space_tile[1] == -1).all()
    p = ivan(CLAIM)  # two above yours: you choose
    p.claim(2, 0)
    p.claim(3, 0)
    p.do(A_IVAN)
    assert p.g.phase == P_IVAN_CLAIM
    assert p.options(A_TOWER) == {2, 3}
    p.do(A_TOWER, 3)
    assert p.g.owner[p.section(3, 1)] == 1
    assert (p.g.seat, p.g.phase) == (0, P_MAIN)
    p = ivan(CLAIM)  # no section of yours: bases
    p.claim(0, 1)
    p.do(A_IVAN)
    assert p.options(A_TOWER) == {1, 2, 3}
    p = ivan(CLAIM)  # the only open ones stand above his own
    for n in range(4):
        p.claim(n, 1 if n < 2 else 0)
        if n >= 2:
            p.claim(n, 0)
            p.claim(n, 0)
    p.do(A_IVAN)
    assert p.options(A_TOWER) == {0, 1}
    p = ivan(CLAIM)
    p.g.banners[1] = 0
    p.do(A_IVAN)
    assert (p.g.claimed == 0).all()


def test_ivan_builds_with_any_material_and_adorns_what_he_has_finished() -> None:
    p = ivan(CONSTRUCTION)
    lower, upper = p.claim(0, 1), p.claim(0, 0)
    other = p.claim(1, 1)
    p.g.missing[lower], p.g.missing[other] = 3, 4
    p.g.ivan_construction[:] = [0, 2, 0, 0, 0, 3]
    before = p.g.supply.copy()
    marker = int(p.g.marker[1])
    events = p.do(A_IVAN)
    assert p.g.done[lower] == 1
    assert (p.g.done[upper], p.g.done[other]) == (0, 0)
    assert (p.g.supply - before).tolist() == [0, 2, 0, 0, 0, 1]
    assert p.g.laid[other].tolist() == [0, 0, 0, 0, 0, 2]
    assert p.g.missing[other] == 2
    assert p.g.ivan_construction.tolist() == [0] * 6
    recognition = int(p.t.card_recognition[p.g.card[lower]])
    assert p.g.marker[1] == marker + recognition  # an ornament without gems gives nothing
    assert p.g.rubles[1] == 0
    assert p.g.ornament[lower] == 1
    assert p.g.ornaments[1].tolist() == [0, 2, 1]
    assert [e[1] for e in events_of(events, EV_GAIN)] == [1]


def test_ivan_keeps_what_is_left_and_needs_an_ornament_of_the_kind() -> None:
    p = ivan(CONSTRUCTION, board="advanced")  # his are never locked
    s = p.claim(0, 1)
    p.g.missing[s] = 1
    p.g.ivan_construction[:] = [0, 2, 0, 0, 0, 3]
    p.do(A_IVAN)
    assert p.g.ivan_construction.tolist() == [0, 1, 0, 0, 0, 3]
    assert p.g.ornament[s] == 1
    p = ivan(CONSTRUCTION)
    s = p.claim(0, 1)
    p.g.missing[s] = 1
    p.g.ornaments[1, 0] = 0
    p.g.ivan_construction[0] = 1
    p.do(A_IVAN)
    assert p.g.done[s] == 1
    assert p.g.ornament[s] == -1


def test_ivan_takes_penalties_and_his_sixth_section_ends_the_game() -> None:
    p = ivan(CONSTRUCTION)
    p.g.marker[1] = 30
    p.claim(0, 1)
    p.claim(0, 0)
    assert finish(p, 0, 1) == [(1, 1, 1)]
    assert p.g.marker[1] == 29
    p = ivan(CONSTRUCTION)
    s = sixth(p, 1)
    p.g.ivan_construction[4] = 1
    marker = int(p.g.marker[1])
    p.do(A_IVAN)
    assert p.g.finisher == 1
    assert p.g.marker[1] == marker + p.t.card_recognition[p.g.card[s]]  # no bonus
    p.pass_turn()
    assert p.g.phase == P_OVER
    assert p.g.turns[:2].tolist() == [2, 1]


def test_ivan_has_no_leftovers() -> None:
    p = ivan(POINTS)
    p.g.ivan_inventory[:] = 5
    p.g.ivan_construction[:] = 1
    p.g.rubles[1] = 20
    p.score()
    assert p.told(1, "leftovers") == 0
    assert p.told(1, "materials_end") == 36


def test_ivan_goes_through_his_cards_and_shuffles_again() -> None:
    p = Position(1, plan="2a", sets=("options.turn_cap=100",))
    cards = []
    while len(cards) < 25 and p.g.phase != P_OVER:
        if p.g.phase == P_IVAN:
            cards.append(p.do(A_IVAN)[0][2])
        elif p.g.phase == P_IVAN_CLAIM:
            p.do(A_TOWER, min(p.options(A_TOWER)))
        else:
            p.pass_turn()
    decks = [cards[i : i + 5] for i in range(0, 25, 5)]
    assert all(sorted(deck) == [0, 1, 2, 3, 4] for deck in decks)
    assert any(a != b for a, b in pairwise(decks))
