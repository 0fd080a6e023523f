"""Packing: every field of TABLES says what the ruleset says."""

import random

import numpy as np
import pytest

from rcsim.names import COLOURS, GOODS, GUILDS, MATERIALS, ORNAMENTS, SECTION_KINDS, SOLO_CARDS
from rcsim.rules import tables as T
from rcsim.rules.errors import RulesetError
from rcsim.rules.loader import load
from rcsim.rules.pack import effect_row, pack
from rcsim.rules.schema import Effect, Ruleset
from tests.rulesets import random_ruleset


def die(code):
    return "any" if code == T.ANY else COLOURS[code]


def unpack_goods(row, first, choice):
    goods = {good: int(row[first + i]) for i, good in enumerate(GOODS) if row[first + i]}
    if row[choice]:
        goods["any"] = {
            "n": int(row[choice]),
            "of": [m for i, m in enumerate(MATERIALS) if int(row[choice + 1]) >> i & 1],
        }
    return goods


def unpack_effect(row):
    """An effect in its resolved form from a packed row."""
    effect = {}
    if row[T.E_HAS_PAY]:
        effect["pay"] = unpack_goods(row, T.E_PAY_RUBLES, T.E_PAY_ANY)
    if row[T.E_MOVE]:
        effect["move"] = {"die": die(row[T.E_MOVE_DIE]), "steps": int(row[T.E_MOVE_STEPS])}
    if row[T.E_ROLL]:
        effect["roll"] = {T.ROLL_ARRIVAL: "arrival", T.ROLL_ANY: "any"}[row[T.E_ROLL]]
    if row[T.E_YIELD] == T.YIELD_DIE:
        effect["yield"] = {"die": die(row[T.E_YIELD_ARG])}
    elif row[T.E_YIELD] == T.YIELD_SPACE:
        effect["yield"] = {"space": int(row[T.E_YIELD_ARG])}
    if gain := unpack_goods(row, T.E_GAIN_RUBLES, T.E_GAIN_ANY):
        effect["gain"] = gain
    if row[T.E_DELIVER]:
        effect["deliver"] = int(row[T.E_DELIVER])
    if row[T.E_ACTIVATE]:
        effect["activate"] = die(row[T.E_ACTIVATE_COLOUR])
    assert row[T.E_PAY_MATERIALS] == row[T.E_PAY_WOOD : T.E_PAY_WOOD + 6].sum()
    assert row[T.E_GAIN_MATERIALS] == row[T.E_GAIN_WOOD : T.E_GAIN_WOOD + 6].sum()
    return effect


def check_against(ruleset: Ruleset, t, players: int, board: str):
    """Compare a packed record with the resolved form, each value by its own way."""
    r = ruleset.resolved()
    counted = max(players, 2)
    assert (t["players"], t["seats"], t["solo"]) == (players, counted, players == 1)
    assert t["lap_prestige"] == len(r["track"]["prestige_spaces"])
    for p in range(r["track"]["lap"] + 1):
        assert t["prestige_count"][p] == sum(s <= p for s in r["track"]["prestige_spaces"])
    for n, space in enumerate(r["track"]["prestige_spaces"], 1):
        assert t["prestige_position"][n] == space
    assert {m: int(n) for m, n in zip(MATERIALS, t["supply"], strict=True) if n} == r["supply"]
    assert list(t["start_rubles"]) == [*r["rubles"][:players], 0, 0, 0, 0][:4]
    plans = ruleset.plan_ids(players)
    assert t["plans"] == len(plans)
    for i, name in enumerate(plans):
        assert r["plans"][name]["players"] == counted
        assert list(t["plan_height"][i][: t["plan_towers"][i]]) == r["plans"][name]["towers"]
    for i, name in enumerate(ruleset.section_ids):
        section = r["sections"][name]
        kind = int(t["card_kind"][i])
        assert SECTION_KINDS[kind] == section["kind"]
        assert 0 <= i - t["deck_start"][kind] < t["deck_size"][kind]
        assert {m: int(n) for m, n in zip(MATERIALS, t["card_cost"][i], strict=True) if n} == section["cost"]
        assert t["card_total"][i] == sum(section["cost"].values())
        assert (t["card_recognition"][i], t["card_rubles"][i]) == (section["recognition"], section["rubles"])
    assert t["deck_size"].sum() == len(r["sections"])
    for i, name in enumerate(ruleset.resource_tile_ids):
        gain = {g: int(n) for g, n in zip(GOODS, t["tile_gain"][i], strict=True) if n}
        assert gain == r["resource_tiles"][name]["gain"]
        assert t["tile_kinds"][i] == len(gain) and GOODS[t["tile_good"][i]] == next(iter(gain))
        assert ("recognition" in gain) == (i == t["recognition_tile"])
    for g, guild in enumerate(GUILDS):
        assert t["guild_cards"][g] == len(ruleset.influence_ids(guild))
        for c, name in enumerate(ruleset.influence_ids(guild)):
            for a, action in enumerate(r["influence"][name]["actions"]):
                row = t["guild_effect"][g, c] + a
                assert unpack_effect(t["effects"][row]) == action["effect"]
                assert t["effect_once"][row] == action["once"]
    in_play = [i for i, name in enumerate(ruleset.tile_ids) if players > 2 or not r["workshop_tiles"][name]["plus"]]
    assert list(t["tile_id"][: t["tiles"]]) == in_play
    for i, name in enumerate(ruleset.tile_ids):
        assert unpack_effect(t["effects"][t["tile_effect"][i]]) == r["workshop_tiles"][name]["effect"]
        assert t["effect_once"][t["tile_effect"][i]] == 1
    locked = [0, 0, 0]
    for i, space in enumerate(r["workshop_spaces"]):
        assert COLOURS[t["space_colour"][i]] == space["colour"] and t["space_price"][i] == space["price"][board]
        unlocks = ORNAMENTS.index(space["ornament"]) if space["ornament"] and board == "advanced" else -1
        assert t["space_unlocks"][i] == unlocks
        if unlocks >= 0:
            locked[unlocks] += 1
    assert list(t["ornaments_locked"]) == locked == ([1, 2, 1] if board == "advanced" else [0, 0, 0])
    assert t["ivan_points"] == r["solo"]["points"] + r["solo"]["level"]
    assert t["ivan_inventory"] == r["solo"]["inventory"]
    assert {c: COLOURS[d] for c, d in zip(SOLO_CARDS, t["ivan_die"], strict=True)} == r["solo"]["die"]
    enums = {
        "tower_shares": ["halving", "flat_third"],
        "tower_shares_2p": ["third", "as_more"],
        "optional_actions": ["both", "one_kind"],
        "sell_moments": ["one", "any"],
    }
    for key, value in r["options"].items():
        if key in enums:
            assert enums[key][t[key]] == value
        elif key == "ornament_prestige":
            assert list(t[key]) == value
        elif key == "finisher_bonus":
            assert t[key] == (0 if players == 1 else value)
        elif key != "solo":
            assert t[key] == value


@pytest.mark.parametrize("board", ["basic", "advanced"])
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_base(players, board):
    tables = pack(load(), players=players, board=board)
    assert tables.shape == (1,) and tables.dtype == T.TABLES and not tables.flags.writeable
    check_against(load(), tables[0], players, board)
    assert list(tables[0]["colours"]) == [-1] * 4 and tables[0]["plan"] == -1


@pytest.mark.parametrize("seed", range(40))
def test_random(seed):
    rng = random.Random(seed)
    players = rng.randint(1, 4)
    ruleset = random_ruleset(rng, solo=players == 1)
    board = rng.choice(("basic", "advanced"))
    check_against(ruleset, pack(ruleset, players=players, board=board)[0], players, board)


def test_same_bytes():
    assert pack(load(), players=3).tobytes() == pack(load(preset="fr2022"), players=3).tobytes()
    assert pack(load(), players=3).tobytes() != pack(load(preset="en"), players=3).tobytes()


def test_arguments():
    t = pack(load(), players=3, plan="3b", colours=["yellow", "red", "blue"], rubles=[7, 0, np.int64(9)])[0]
    assert t["plan"] == 1 and list(t["colours"]) == [3, 0, 1, -1] and list(t["start_rubles"]) == [7, 0, 9, 0]
    solo = pack(load(), players=1, solo=True, plan="2c", colours=["green"], rubles=[5])[0]
    assert solo["plan"] == 2 and list(solo["colours"]) == [2, -1, -1, -1] and list(solo["start_rubles"]) == [5, 0, 0, 0]


@pytest.mark.parametrize(
    "arguments, told",
    [
        ({"players": 0}, "should be 1..4"),
        ({"players": 5}, "should be 1..4"),
        ({"players": True}, "should be 1..4"),
        ({"players": 2, "solo": True}, "should be 1 in solo"),
        ({"players": 2, "board": "advaned"}, 'nearest known: "advanced"'),
        ({"players": 2, "plan": "3a"}, 'unknown plan "3a" for 2 players'),
        ({"players": 2, "colours": ["red"]}, "1 colours; should be one for each player: 2"),
        ({"players": 2, "colours": ["red", "red"]}, "should differ"),
        ({"players": 2, "colours": ["red", "white"]}, "unknown player colour"),
        ({"players": 3, "rubles": [3, 4]}, "2 numbers; should be one for each player: 3"),
        ({"players": 2, "rubles": [3, -1]}, "whole numbers 0..99"),
        ({"players": 2, "rubles": [3, True]}, "whole numbers 0..99"),
    ],
)
def test_wrong_arguments(arguments, told):
    with pytest.raises(RulesetError) as error:
        pack(load(), **arguments)
    assert told in str(error.value) and len(error.value.problems) == 1


def test_solo_needs_a_description():
    with pytest.raises(RulesetError, match="describes no solo game"):
        pack(load(preset="en"), players=1)
    assert pack(load(preset="en"), players=2)[0]["solo"] == 0


def test_first_seat_must_be_in_play():
    ruleset = load(sets=["options.first_seat=2"])
    assert pack(ruleset, players=3)[0]["first_seat"] == 2
    for players in (1, 2):
        with pytest.raises(RulesetError, match="first_seat"):
            pack(ruleset, players=players)


def test_an_unchecked_ruleset_is_checked():
    base = load()
    bad = base.model_copy(update={"options": base.options.model_copy(update={"dice_limit": 2, "end_sections": 7})})
    with pytest.raises(RulesetError) as error:
        pack(bad, players=2)
    assert len(error.value.problems) == 2
    bad = base.model_copy(update={"plans": {k: v for k, v in base.plans.items() if v.players == 2}})
    with pytest.raises(RulesetError):
        pack(bad, players=2)


def test_a_ruleset_is_immutable():
    base = load()
    with pytest.raises(ValueError):
        base.options.dice_limit = 4
    with pytest.raises(ValueError):
        pack(base, players=2)["lap"] = 3


def test_effect_row():
    row = effect_row(Effect.model_validate({"pay": {"brick": 2}, "gain": {"green_gem": 1}}))
    assert row[T.E_HAS_PAY] == 1 and row[T.E_PAY_WOOD + 1] == row[T.E_PAY_MATERIALS] == 2
    assert row[T.E_GAIN_WOOD + 4] == row[T.E_GAIN_MATERIALS] == 1
    assert row[T.E_PAYS] == 1 << GOODS.index("brick") and row[T.E_GIVES] == 1 << GOODS.index("green_gem")
    assert row.sum() == 7 + row[T.E_PAYS] + row[T.E_GIVES]
    either = effect_row(Effect.model_validate({"gain": {"any": {"n": 2, "of": ["wood", "gold"]}, "rubles": 1}}))
    assert either[T.E_GIVES] == sum(1 << GOODS.index(good) for good in ("rubles", "wood", "gold"))
    assert effect_row(Effect.model_validate({"pay": {}, "deliver": 2}))[T.E_HAS_PAY] == 0
