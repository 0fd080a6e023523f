"""Loading rulesets: what ships, files, presets, single values, and every way to get them wrong."""

import copy
import json
import os
import pickle
import random
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rcsim.names import GUILDS, MATERIALS
from rcsim.rules.errors import RulesetError
from rcsim.rules.loader import (
    DATA,
    as_file,
    available,
    check,
    from_dict,
    from_resolved,
    load,
    parse_value,
    presets,
    unstated,
)
from rcsim.rules.provenance import leaves
from rcsim.rules.schema import Options, natural
from tests.rulesets import random_ruleset

BASE_TOML = tomllib.loads((DATA / "base.toml").read_text(encoding="utf-8"))


def base_data():
    return copy.deepcopy(BASE_TOML)


def problems(data=None, *, sets=()):
    """The mistakes as text; empty if the ruleset is right."""
    try:
        from_dict(data or {"extends": "base"}, "test", sets)
    except RulesetError as error:
        return [str(p) for p in error.problems]
    return []


def one_problem(data=None, *, sets=()):
    found = problems(data, sets=sets)
    assert len(found) == 1, found
    return found[0]


def write(tmp_path: Path, text: str, name: str = "mine.toml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


# ------------------------------------------------------------------------------------------ what ships


def test_shipped_ruleset_is_right():
    assert "base" in available()
    for name in available():
        assert check(name) == []


def test_known_totals():
    base = load()
    assert sum(base.supply.materials()) == 95
    assert len(base.sections) + len(base.plans) + len(base.influence) == 10 + 20 + 10 + 9 + 12
    assert [sum(s.kind == k for s in base.sections.values()) for k in ("base", "middle", "dome")] == [10, 20, 10]
    assert {g: len(base.influence_ids(g)) for g in GUILDS} == dict.fromkeys(GUILDS, 3)
    assert len(base.workshop_tiles) == 28 and len(base.resource_tiles) == 8
    assert 4 <= sum(t.plus for t in base.workshop_tiles.values()) <= 10
    assert base.start.rubles == (3, 4, 4, 5)
    for players, towers, sections in ((2, 4, 12), (3, 5, 18), (4, 6, 24)):
        plans = [base.plans[i] for i in base.plan_ids(players)]
        assert len(plans) == 3
        assert {(len(p.towers), sum(p.towers)) for p in plans} == {(towers, sections)}
    assert any(2 in p.towers for p in base.plans.values())
    assert {sum(s.cost.materials()) for s in base.sections.values()} == {3, 4}


def test_known_track():
    track = load().track
    spaces = track.prestige_spaces
    gaps = [b - a for a, b in zip((0, *spaces), spaces, strict=False)]
    assert (track.start, track.lap, len(spaces), spaces[:2], spaces[-1]) == (2, 80, 40, (5, 9), 80)
    assert gaps == sorted(gaps, reverse=True) and set(gaps) == {5, 4, 3, 2, 1}


def test_cards_grow_dearer_and_better_paid():
    base = load()

    def mean(kind, of):
        cards = [s for s in base.sections.values() if s.kind == kind]
        return sum(map(of, cards)) / len(cards)

    for of in (
        lambda s: s.recognition,
        lambda s: s.cost.gold + s.cost.green_gem + s.cost.purple_gem,
        lambda s: s.recognition + s.rubles / 2,
    ):
        assert mean("base", of) < mean("middle", of) < mean("dome", of)
    assert any(
        (s.recognition, s.rubles) == (4, 2) and s.cost.gold for s in base.sections.values() if s.kind == "middle"
    )
    used = {m: sum(s.cost.amount(m) for s in base.sections.values()) for m in MATERIALS}
    assert max(used["green_gem"], used["purple_gem"]) < used["gold"] < min(used[m] for m in MATERIALS[:3])


def test_every_shipped_value_says_where_it_comes_from():
    base = load()
    assert unstated(base) == []
    assert len(list(leaves(as_file(base)))) > 300
    statuses = {base.provenance[path].status for path, _ in leaves(as_file(base))}
    assert statuses == {"published", "reconstructed"}
    assert base.provenance["sections.base-01.cost"].status == "reconstructed"
    assert base.provenance["influence.merchants-1.actions.0.effect"].text == "Dized"
    assert base.provenance["influence.merchants-1.actions.0.once"].status == "reconstructed"
    cited = {e for t in BASE_TOML["provenance"].values() for v in t.values() for e in v.get("published", ())}
    assert cited <= set(BASE_TOML["sources"])


def test_check_of_shipped_file_demands_provenance(monkeypatch):
    import rcsim.rules.loader as loader

    monkeypatch.setattr(loader, "find_origin", lambda patterns, path: None)
    assert len(check("base")) > 300


def test_presets():
    fr, en = load(preset="fr2022"), load(preset="en")
    assert set(presets()) == {"fr2022", "en"}
    assert fr.options == load().options == Options() and fr.hash == load().hash
    assert (load().preset, en.preset) == ("fr2022", "en")
    changed = {k for k, v in en.options.model_dump().items() if v != getattr(fr.options, k)}
    assert changed == {"tower_shares", "tower_shares_2p", "optional_actions", "sell_moments", "solo"}
    assert (en.options.tower_shares, en.options.tower_shares_2p) == ("flat_third", "as_more")
    assert (en.options.optional_actions, en.options.sell_moments, en.options.solo) == ("one_kind", "any", False)
    assert en.provenance["options.tower_shares"].text == "English summary"


# ------------------------------------------------------------------------------------- the resolved form


def test_resolved_form():
    resolved = load().resolved()
    assert list(resolved) == [
        *("track", "options", "supply", "rubles", "plans", "sections", "resource_tiles", "influence"),
        *("workshop_tiles", "workshop_spaces", "solo"),
    ]
    assert json.loads(json.dumps(resolved)) == resolved
    assert resolved["influence"]["merchants-1"]["actions"][0] == {
        "once": False,
        "effect": {"pay": {"brick": 2}, "gain": {"green_gem": 1}},
    }
    assert resolved["workshop_spaces"][5] == {
        "colour": "white",
        "price": {"basic": 3, "advanced": 3},
        "ornament": None,
    }
    assert resolved["sections"]["middle-01"] == {
        "kind": "middle",
        "cost": {"wood": 2, "brick": 1, "gold": 1},
        "recognition": 4,
        "rubles": 2,
    }


@pytest.mark.parametrize("seed", range(20))
def test_resolved_round_trip(seed):
    ruleset = load() if seed == 0 else random_ruleset(random.Random(seed))
    again = from_resolved(json.loads(json.dumps(ruleset.resolved())), ruleset.name, ruleset.preset)
    assert again.resolved() == ruleset.resolved() and again.hash == ruleset.hash
    assert list(again.sections) == list(ruleset.sections)
    assert from_dict(as_file(ruleset)).hash == ruleset.hash
    assert pickle.loads(pickle.dumps(ruleset)) == ruleset


def test_from_resolved_reports():
    resolved = load().resolved()
    resolved["rubles"] = [1]
    resolved["start"] = {}
    resolved["sections"]["base-01"]["cost"] = {}
    with pytest.raises(RulesetError) as error:
        from_resolved(resolved)
    assert len(error.value.problems) == 3


def test_hash_does_not_depend_on_order_or_names(tmp_path):
    data = base_data()
    for group in ("sections", "plans", "influence", "workshop_tiles", "resource_tiles"):
        data[group] = dict(reversed(data[group].items()))
    shuffled = from_dict(data, "other")
    assert shuffled.hash == load().hash and shuffled.section_ids == load().section_ids
    assert load(sets=["solo.level=1"]).hash != load().hash


def test_order_of_ids():
    assert sorted(["t-10", "t-9", "t-1", "a"], key=natural) == ["a", "t-1", "t-9", "t-10"]
    base = load()
    assert base.section_ids[9:11] == ("base-10", "middle-01") and base.section_ids[30] == "dome-01"
    assert base.influence_ids("clergy") == ("clergy-1", "clergy-2", "clergy-3")
    assert base.plan_ids(1) == base.plan_ids(2) == ("2a", "2b", "2c")
    assert base.tile_ids[27] == "tile-28" and len(base.resource_tile_ids) == 8


def test_random_rulesets_are_reproducible():
    assert random_ruleset(random.Random(5)).hash == random_ruleset(random.Random(5)).hash
    rulesets = [random_ruleset(random.Random(s), solo=s % 2 == 1).resolved() for s in range(60)]
    text = json.dumps(rulesets)
    for word in ("roll", "yield", "move", "deliver", "activate", "any", "prestige", "space"):
        assert f'"{word}"' in text


# ------------------------------------------------------------------------------------------------ files


def test_partial_file(tmp_path):
    path = write(
        tmp_path,
        """
        extends = "base"
        description = "dearer bases"
        remove = ["workshop_tiles.tile-28", "plans.4c"]
        start.rubles = [3, 4, 5, 5]
        [sections.base-01]
        recognition = 5
        [sections.base-02.cost]
        stone = 4
        [workshop_tiles.tile-01]
        effect = { gain = { wood = 3 } }
        [plans.2x]
        players = 2
        towers = [6, 6]
        """,
    )
    mine, base = load(path), load()
    assert (mine.name, mine.description, mine.preset) == ("mine", "dearer bases", "fr2022")
    assert mine.start.rubles == (3, 4, 5, 5)
    assert mine.sections["base-01"].cost == base.sections["base-01"].cost
    assert mine.sections["base-01"].recognition == 5
    assert mine.sections["base-02"].cost.plain() == {"stone": 4}
    assert mine.workshop_tiles["tile-01"].effect.plain() == {"gain": {"wood": 3}}
    assert "tile-28" not in mine.workshop_tiles and mine.plan_ids(4) == ("4a", "4b")
    assert mine.plan_ids(2) == ("2a", "2b", "2c", "2x")
    assert check(path) == []
    origin = mine.provenance["sections.base-01.recognition"]
    assert origin.status == "changed" and "mine.toml" in origin.text
    assert mine.provenance["sections.base-01.cost"].status == "reconstructed"


def test_a_file_may_state_its_own_provenance():
    mine = from_dict(
        {
            "extends": "base",
            "solo": {"level": 2},
            "sources": {"print": "my print run"},
            "provenance": {"solo": {"level": {"published": ["print"]}}},
        }
    )
    assert mine.provenance["solo.level"].text == "print"


def test_presets_in_files():
    mine = from_dict({"extends": "base", "preset": "en", "options": {"sell_moments": "one"}})
    assert (mine.preset, mine.options.tower_shares, mine.options.sell_moments) == ("en", "flat_third", "one")
    house = {"extends": "base", "preset": "house", "presets": {"house": {"dice_limit": 5}, "en": {"deliveries": 2}}}
    assert from_dict(house).options.dice_limit == 5


def test_precedence(tmp_path):
    path = write(tmp_path, 'extends = "base"\noptions.tower_shares = "flat_third"\noptions.dice_limit = 4')
    assert load(path).options.tower_shares == "flat_third"
    assert load(path, "fr2022").options.tower_shares == "halving"
    assert load(path, "fr2022").options.dice_limit == 4
    assert load(path, "fr2022", ["options.tower_shares=flat_third"]).options.tower_shares == "flat_third"


def test_chain_of_files(tmp_path):
    write(tmp_path, 'extends = "base"\nsolo.level = 2\noptions.deliveries = 2', "one.toml")
    (tmp_path / "sub").mkdir()
    two = write(tmp_path, 'extends = "../one.toml"\noptions.deliveries = 4', "sub/two.toml")
    assert (load(two).solo.level, load(str(two)).options.deliveries) == (2, 4)


def test_what_is_no_ruleset_is_told(tmp_path):
    file = tmp_path / "design.toml"
    file.write_text("[design]\ngames = 5\n[factors]\nboard = ['basic']\n")
    with pytest.raises(RulesetError) as error:
        load(file)
    assert error.value.lines() == [f"{file}: this is a design, no ruleset; play it with rcsim sweep {file}"]
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.toml")
        with pytest.raises(RulesetError, match="cannot be read: no regular file"):
            load(tmp_path / "pipe.toml")


def test_full_file_without_provenance(tmp_path):
    data = {k: v for k, v in base_data().items() if k not in ("provenance", "sources", "presets", "preset")}
    assert from_dict(data).preset == "none"
    assert from_dict(data).provenance["track.lap"].status == "unstated"


def test_gaps_and_spaces_replace_each_other():
    assert from_dict({"extends": "base", "track": {"gaps": [[2, 40]]}}).track.prestige_spaces[:2] == (2, 4)
    assert from_dict({"extends": "base", "track": {"prestige_spaces": [7, 80]}}).track.prestige_spaces == (7, 80)
    assert load(sets=["track.gaps=[[4, 20]]"]).track.prestige_spaces == tuple(range(4, 81, 4))


@pytest.mark.parametrize(
    "text, told",
    [
        ('extends = "base"\nstart.rubles = [3, 4', "line 2"),
        ("a = 1\nb = = 2\n", "line 2"),
        ("a = 1\na = 2\n", "line 2"),
        ("x = " + "[" * 5000, ""),
        ("x = " + "9" * 5000 + "\ny = 1", "line 1: not valid TOML: a number has thousands of digits"),
    ],
)
def test_broken_toml(tmp_path, text, told):
    with pytest.raises(RulesetError) as error:
        load(write(tmp_path, text))
    assert "mine.toml" in str(error.value) and told in str(error.value)
    assert len(error.value.problems) == 1


def test_unreadable(tmp_path):
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"name = '\xff'")
    for source, told in (
        (tmp_path / "none.toml", "no such file"),
        (tmp_path, "cannot be read"),
        (binary, "UTF-8"),
        ("bas", 'nearest known: "base"'),
        ("", "no shipped ruleset"),
    ):
        with pytest.raises(RulesetError) as error:
            load(source)
        assert told in str(error.value)


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    path = tmp_path / "bom.toml"
    path.write_bytes(b'\xef\xbb\xbfextends = "base"\r\n')
    assert load(path).hash == load().hash


def test_circle(tmp_path):
    write(tmp_path, 'extends = "b.toml"', "a.toml")
    write(tmp_path, 'extends = "a.toml"', "b.toml")
    with pytest.raises(RulesetError, match="circle"):
        load(tmp_path / "a.toml")


def test_error_survives_pickling():
    with pytest.raises(RulesetError) as error:
        load(sets=["x=1"])
    again = pickle.loads(pickle.dumps(error.value))
    assert again.lines() == error.value.lines()


# ---------------------------------------------------------------------------------------- unknown keys


@pytest.mark.parametrize(
    "data, key, near",
    [
        ({"optons": {}}, "optons", "options"),
        ({"options": {"dice_limt": 3}}, "options.dice_limt", "dice_limit"),
        ({"track": {"stat": 3}}, "track.stat", "start"),
        ({"supply": {"wod": 3}}, "supply.wod", "wood"),
        ({"start": {"ruble": [1, 2, 3, 4]}}, "start.ruble", "rubles"),
        ({"plans": {"2a": {"tower": [3, 3]}}}, "plans.2a.tower", "towers"),
        ({"sections": {"base-01": {"recogniton": 3}}}, "sections.base-01.recogniton", "recognition"),
        ({"sections": {"base-01": {"cost": {"bricks": 3}}}}, "sections.base-01.cost.bricks", "brick"),
        ({"resource_tiles": {"wood": {"gain": {"any": {}}}}}, "resource_tiles.wood.gain.any", ""),
        (
            {"workshop_tiles": {"tile-01": {"effect": {"yeld": {"die": "red"}}}}},
            "workshop_tiles.tile-01.effect.yeld",
            "yield",
        ),
        (
            {"workshop_tiles": {"tile-01": {"effect": {"yield": {"di": "red"}}}}},
            "workshop_tiles.tile-01.effect.yield.di",
            "die",
        ),
        (
            {"workshop_tiles": {"tile-01": {"effect": {"gain": {"any": {"n": 1, "off": [], "of": ["wood"]}}}}}},
            "workshop_tiles.tile-01.effect.gain.any.off",
            "of",
        ),
        ({"solo": {"die": {"point": "red"}}}, "solo.die.point", "points"),
        ({"presets": {"en": {"tower_share": "halving"}}}, "presets.en.tower_share", "tower_shares"),
        ({"preset": "fr2023"}, "preset", "fr2022"),
        ({"provenance": {"tracks": {}}}, "provenance.tracks", "track"),
        ({"remove": ["plan.4c"]}, "remove", "plans"),
        ({"remove": ["plans.4d"]}, "remove", "4"),
    ],
)
def test_unknown_key(data, key, near):
    told = one_problem({"extends": "base"} | data)
    assert told.startswith(f"{key}: unknown")
    assert f'nearest known: "{near}' in told or not near


def test_unknown_keys_inside_lists():
    spaces = base_data()["workshop_spaces"]
    spaces[2]["prize"] = 3
    spaces[3]["price"]["basics"] = 3
    found = problems({"extends": "base", "workshop_spaces": spaces})
    assert found[0].startswith("workshop_spaces.2.prize: unknown") and "price" in found[0]
    assert found[1].startswith("workshop_spaces.3.price.basics: unknown") and '"basic"' in found[1]
    card = base_data()["influence"]["clergy-1"]
    card["actions"][1]["twice"] = True
    told = one_problem({"extends": "base", "influence": {"clergy-1": card}})
    assert told.startswith("influence.clergy-1.actions.1.twice: unknown")


def test_a_misspelt_id_is_told_as_such():
    found = problems({"extends": "base", "sections": {"bse-01": {"recognition": 4}}})
    assert all("bse-01" in line for line in found)
    assert any('nearest known: "base-01"' in line for line in found)


# --------------------------------------------------------------------------------------------- --set


@pytest.mark.parametrize(
    "item, value",
    [
        ("start.rubles=3,4,5,5", (3, 4, 5, 5)),
        ("start.rubles=[3, 4, 5, 5]", (3, 4, 5, 5)),
        ("start.rubles.3=9", (3, 4, 4, 9)),
        ("start = {rubles = [1,2,3,4]}", (1, 2, 3, 4)),
    ],
)
def test_set_rubles(item, value):
    assert load(sets=[item]).start.rubles == value


def test_set_values():
    ruleset = load(
        sets=[
            "options.dice_limit=5",
            "options.tower_shares=flat_third",
            'options.sell_moments="any"',
            "options.penalty=false",
            "options.ornament_prestige=0,1,1,1",
            "resource_tiles.wood.gain.wood=3",
            "resource_tiles.brick.gain.rubles=1",
            "sections.base-01.cost.brick=0",
            "workshop_spaces.4.price.basic=1",
            "workshop_spaces.0.ornament=none",
            "workshop_spaces.4.ornament=door",
            "workshop_tiles.tile-01.effect.pay.rubles=1",
            "workshop_tiles.tile-02.effect={gain={gold=1}}",
            "influence.clergy-1.actions.0.effect.gain.recognition=3",
            "plans.2z={players=2, towers=[6,6]}",
            "plans.2a.towers=2,4,2,4",
        ]
    )
    assert ruleset.options.dice_limit == 5 and ruleset.options.tower_shares == "flat_third"
    assert ruleset.options.sell_moments == "any" and ruleset.options.penalty is False
    assert ruleset.options.ornament_prestige == (0, 1, 1, 1)
    assert ruleset.resource_tiles["wood"].gain.plain() == {"wood": 3}
    assert ruleset.resource_tiles["brick"].gain.plain() == {"rubles": 1, "brick": 2}
    assert ruleset.sections["base-01"].cost.plain() == {"stone": 2}
    assert ruleset.workshop_spaces[4].price.basic == 1 and ruleset.workshop_spaces[0].ornament is None
    assert ruleset.workshop_tiles["tile-01"].effect.plain() == {"pay": {"rubles": 1}, "yield": {"die": "red"}}
    assert ruleset.workshop_tiles["tile-02"].effect.plain() == {"gain": {"gold": 1}}
    assert ruleset.influence["clergy-1"].actions[0].effect.gain.recognition == 3
    assert ruleset.plan_ids(2)[-1] == "2z" and ruleset.plans["2a"].towers == (2, 4, 2, 4)
    assert ruleset.provenance["workshop_spaces.4.price.basic"].text == "by --set workshop_spaces.4.price.basic=1"


@pytest.mark.parametrize(
    "item, told",
    [
        ("start.rubles", "should be key=value"),
        ("=3", "should be key=value"),
        ("options..x=3", "should be key=value"),
        ("options.dice_limit=", "should be key=value"),
        ("dice_limit=4", 'nearest known: "options.dice_limit"'),
        ("option.dice_limt=4", 'nearest known: "options.dice_limit"'),
        ("rubles=3,4,5,5", 'nearest known: "start.rubles"'),
        ("name=x", "unknown"),
        ("provenance.track.lap=x", "unknown"),
        ("options.dice_limt=4", 'nearest known: "dice_limit"'),
        ("options.dice_limit.x=4", "options.dice_limit is a single value"),
        ("sections.bas-01.recognition=4", 'nearest known: "base-01"'),
        ("sections.bas-02=4", 'nearest known: "base-02"'),
        ("start.rubles.4=4", "items are 0..3, not 4"),
        ("start.rubles.-1=4", "items are 0..3, not -1"),
        ("start.rubles.x=4", "items are 0..3, not x"),
        ("start.rubles=3,4,x,5", "whole number 0..99"),
        ("start.rubles=3,4,5", "given 3 items; should have exactly 4"),
        ("start.rubles=3,4,5,5,6", "given 5 items; should have exactly 4"),
        ("start.rubles.03=4", "items are 0..3, not 03"),
        ("start.rubles=3", "should be a list"),
        ("options=3", "should be a table"),
        ("options.penalty=1", "given 1; should be true or false"),
        ("options.dice_limit=true", "given true; should be a whole number 3..5"),
        ("options.dice_limit=4.0", "given 4.0; should be a whole number 3..5"),
        ('options.dice_limit="4"', 'given "4"; should be a whole number 3..5'),
        ("options.dice_limit=2024-01-01", "should be a whole number 3..5"),
        ("options.dice_limit=4\nx=1", "should be a whole number 3..5"),
        ("options.tower_shares=flat", "should be one of: 'halving', 'flat_third'"),
        ("track.gaps=3", "pairs [gap, how many]"),
        ("track.gaps=[[1, 1000000000]]", "at most 256"),
        ("solo.die.points=purple", "should be one of"),
        ("resource_tiles.wood.gain.wod=1", 'nearest known: "wood"'),
        ("resource_tiles.wood=1", "should be a table"),
        ("sections.base-01.cost=wood", "should be a table"),
        ("influence.clergy-1.actions=[]", "exactly 2"),
        ("influence.clergy-1.actions.0.once=yes", "true or false"),
    ],
)
def test_wrong_sets(item, told):
    assert told in one_problem(sets=[item])


def test_all_mistakes_at_once():
    sets = [
        "options.dice_limit=9",
        "options.banners=3",
        "sections.base-01.cost.wood=21",
        "sections.dome-01.kind=roof",
        "start.rubles=1",
        "resource_tiles.gold.gain.recognition=1",
        "nonsense",
    ]
    found = problems(sets=sets)
    keys = [line.partition(":")[0] for line in found]
    assert sorted(keys) == [
        *("--set nonsense", "options.dice_limit", "options.end_sections", "options.slots_covered"),
        *("resource_tiles", "sections.base-01.cost.wood", "sections.dome-01.kind", "start.rubles"),
    ]


@pytest.mark.parametrize(
    "sets, keys",
    [
        (["options.dice_limit=9", "options.banners=3"], ["dice_limit", "end_sections", "slots_covered"]),
        (["options.dice_limt=4", "options.banners=3"], ["dice_limt", "end_sections", "slots_covered"]),
        (["options.end_sections=x", "options.banners=3"], ["end_sections", "slots_covered"]),
        (["options.end_section=2", "options.banners=3"], ["end_section", "slots_covered"]),  # perhaps meant for it
        (["options.banners=7", "options.slots_covered=5"], ["banners"]),
        (["supply.wood=-1", "supply.gold=0", "sections.dome-01.cost={gold=1}"], ["wood", "gold"]),
        (["track.prestige_spaces=0", "track.start=90"], ["prestige_spaces", "start"]),
        (["track.prestige_spaces=5,5", "track.start=90"], ["track"]),  # a rule of the whole table: nothing is sure
        (["plans.2a.towers=1,3", "plans.4a.towers=14,12"], ["0", "4a"]),
        (["plans.2a.players=5", "plans.4a.towers=14,12"], ["players", "4a"]),
        (["sections.base-01.kind=roof", "plans.4a.towers=14,12"], ["kind"]),  # no count of the kinds
        (["sections.base-01.cost.wod=1", "sections.base-02.cost.wood=40"], ["wod", "wood"]),
        (["resource_tiles.wood.gain.wod=1", "resource_tiles.ninth={gain={wood=1}}"], ["wod", "resource_tiles"]),
        (["influence.clergy-1.actions=[]", *(f"influence.clergy-{i}.guild=carriers" for i in (1, 2, 3))],
         ["actions", "influence"]),
        (["workshop_spaces.0.price.basic=-1", "workshop_spaces.0.colour=white"], ["basic", "workshop_spaces"]),
        (["workshop_spaces.0.colour=pink", "workshop_spaces.0.ornament=arch"], ["colour", "workshop_spaces"]),
    ],
)  # fmt: skip
def test_a_broken_value_hides_no_contradiction_beside_it(sets, keys):
    found = [line.partition(":")[0].rpartition(".")[2] for line in problems(sets=sets)]
    assert list(dict.fromkeys(found)) == keys


@pytest.mark.parametrize(
    "sets, told",
    [
        (
            ["options.dice_limit=4", "options.dice_limit = 5"],
            "--set options.dice_limit: should be given once, but options.dice_limit=4 is undone by"
            " --set options.dice_limit = 5",
        ),
        (
            ["start.rubles.0=1", "options.banners=6", "start.rubles=3,4,4,5"],
            "--set start.rubles.0: should be given once",
        ),
        (["track.gaps=[[2,40]]", "track.prestige_spaces=1,2"], "--set track.gaps: should be given once"),
        (["options.deliveries=4"] * 2, "--set options.deliveries: should be given once"),
    ],
)
def test_a_set_that_undoes_another(sets, told):
    assert one_problem(sets=sets).startswith(told)


def test_a_set_may_refine_another():
    assert load(sets=["start.rubles=1,2,3,4", "start.rubles.3=9"]).start.rubles == (1, 2, 3, 9)


def test_values_of_sets():
    assert parse_value("3") == 3 and parse_value("3,x") == [3, "x"] and parse_value("a b") == "a b"
    assert parse_value("{a=1,b=2}") == {"a": 1, "b": 2} and parse_value("[1,2]") == [1, 2]
    assert parse_value("[red]") == "[red]" and parse_value("true") is True


# --------------------------------------------------------------------------------------------- bounds

BOUNDS = {
    "sell_rubles": (0, 9),
    "finisher_bonus": (0, 9),
    "penalty_floor": (0, 256),
    "deliveries": (1, 6),
    "dice_limit": (3, 5),
    "extra_space_price": (0, 9),
    "leftover_divisor": (1, 99),
    "banners": (1, 6),
    "end_sections": (1, 6),
    "slots_open": (1, 10),
    "slots_covered": (0, 6),
    "first_seat": (0, 3),
    "max_repeats": (1, 50),
    "turn_cap": (10, 1000),
}


@pytest.mark.parametrize("key", BOUNDS)
def test_bounds_of_options(key):
    low, high = BOUNDS[key]
    rest = ["options.end_sections=1", "options.slots_covered=0"] if key == "banners" else []
    for value in (low, high):
        assert problems(sets=[*rest, f"options.{key}={value}"]) == []
    for value in (low - 1, high + 1):
        assert one_problem(sets=[f"options.{key}={value}"]) == (
            f"options.{key}: given {value}; should be a whole number {low}..{high}"
        )


def test_every_option_has_a_bound_tested():
    plain = {k for k, v in Options().model_dump().items() if type(v) is int}
    assert plain == set(BOUNDS)


@pytest.mark.parametrize(
    "sets, told",
    [
        (["track.start=-1"], "0..256"),
        (["track.start=81"], "at most track.lap (80)"),
        (["track.lap=257"], "1..256"),
        (["track.lap=79"], "within the lap, 1..79"),
        (["track.prestige_spaces=5,5"], "increase strictly"),
        (["track.prestige_spaces=9,5"], "increase strictly"),
        (["track.prestige_spaces=0,5"], "1..256"),
        (["track.prestige_spaces=[]"], "at least 1"),
        (["supply.gold=100"], "0..99"),
        (["start.rubles.0=-1"], "0..99"),
        (["plans.2a.players=5"], "2..4"),
        (["plans.2a.players=1"], "2..4"),
        (["plans.2a.towers=1,3"], "2..36"),
        (["plans.2a.towers=2,2,2,2,2,2,2"], "at most 6"),
        (["plans.2a.towers=[]"], "at least 1"),
        (["plans.4a.towers=9,9,9,10"], "at most 36 sections"),
        (["sections.base-01.recognition=100"], "0..99"),
        (["sections.base-01.cost={}"], "at least one material"),
        (["sections.base-01.cost={wood=0}"], "at least one material"),
        (["resource_tiles.wood.gain={}"], "should yield something"),
        (["workshop_tiles.tile-01.effect={pay={rubles=1}}"], "at least one part besides `pay`"),
        (["workshop_tiles.tile-01.effect={gain={}}"], "at least one part besides `pay`"),
        (["workshop_tiles.tile-01.effect={activate='any'}"], "should not `activate`"),
        (["workshop_tiles.tile-01.effect={move={die='red',steps=8}}"], "1..7"),
        (["workshop_tiles.tile-01.effect={move={die='red',steps=0}}"], "1..7"),
        (["workshop_tiles.tile-01.effect={move={die='pink',steps=1}}"], "should be one of"),
        (["workshop_tiles.tile-01.effect={roll='all'}"], "should be one of: 'arrival', 'any'"),
        (["workshop_tiles.tile-01.effect={yield={space=2}}"], "should be one of: -1, 1"),
        (["workshop_tiles.tile-01.effect={yield={}}"], "either `die` or `space`"),
        (["workshop_tiles.tile-01.effect={yield={die='red',space=1}}"], "either `die` or `space`"),
        (["workshop_tiles.tile-01.effect={gain={wood=100}}"], "0..99"),
        (["workshop_tiles.tile-01.effect={gain={any={n=7,of=['wood']}}}"], "1..6"),
        (["workshop_tiles.tile-01.effect={gain={any={n=0,of=['wood']}}}"], "1..6"),
        (["workshop_tiles.tile-01.effect={gain={any={n=1,of=[]}}}"], "at least 1"),
        (["workshop_tiles.tile-01.effect={gain={any={n=1,of=['wood','wood']}}}"], "each material once"),
        (["workshop_tiles.tile-01.effect={gain={any={n=1,of=['rubles']}}}"], "should be one of"),
        (["workshop_tiles.tile-01.effect={deliver=0}"], "1..6"),
        (["workshop_tiles.tile-01.effect={deliver=7}"], "1..6"),
        (["influence.clergy-1.actions.0.once=false"], "should pay something"),
        (["influence.clergy-1.guild=nobles"], "should be one of"),
        (["workshop_spaces.0.price.basic=100"], "0..99"),
        (["options.ornament_prestige.0=10"], "0..9"),
        (["options.ornament_prestige=0,1,2"], "exactly 4"),
        (["solo.points=100"], "0..99"),
    ],
)
def test_bounds(sets, told):
    assert told in one_problem(sets=sets)


# ------------------------------------------------------------------------------------- contradictions


@pytest.mark.parametrize(
    "sets, told",
    [
        (["options.banners=5", "options.slots_covered=0"], "options.end_sections: given 6; should be at most"),
        (["options.slots_covered=6", "options.banners=5", "options.end_sections=5"], "options.slots_covered: given 6"),
        (["plans.2a.players=3", "plans.2b.players=3", "plans.2c.players=3"], "at least one plan for 2 players"),
        (["plans.2a.towers=6,6,6,3"], "needs a workshop tile for each; there are only 20 without plus"),
        (["plans.4a.towers=14,12"], "22 middle cards needed; there are only 20 in sections"),
        (["plans.4a.towers=5,5,5,5,5,5"], "there are only 28 in workshop_tiles"),
        (["supply.gold=1", *(f"sections.dome-{i:02}.cost.gold=1" for i in (1, 2, 3))], "supply.gold (1)"),
        (["resource_tiles.recognition.gain={rubles=1}"], "exactly one tile should yield recognition"),
        (["resource_tiles.wood.gain.recognition=1"], "recognition on wood, recognition"),
        (["resource_tiles.ninth={gain={wood=1}}"], "given 9 tiles; should be exactly 8"),
        ([f"influence.clergy-{i}.guild=carriers" for i in (1, 2, 3)], "0 cards of the clergy"),
        (["workshop_spaces.0.colour=white"], "one of each player colour"),
        (["workshop_spaces.0.ornament=arch"], "one door, two arches and one cross"),
        (["workshop_spaces.0.ornament=none"], "one door, two arches and one cross"),
    ],
)
def test_contradictions(sets, told):
    assert told in one_problem(sets=sets)


def test_size_limits():
    many = {"extends": "base", "workshop_tiles": {}, "influence": {}, "sections": {}, "plans": {}}
    base = base_data()
    for i in range(60):
        many["workshop_tiles"][f"more-{i}"] = base["workshop_tiles"]["tile-01"]
        many["influence"][f"more-{i}"] = base["influence"]["clergy-1"]
        many["sections"][f"more-{i}"] = base["sections"]["base-01"]
        many["sections"][f"still-{i}"] = base["sections"]["base-01"]
        many["plans"][f"more-{i}"] = base["plans"]["2a"]
    assert [line.partition(":")[0] for line in problems(many)] == ["plans", "sections", "influence", "workshop_tiles"]


def test_missing_groups():
    found = problems({"track": {"start": 2, "lap": 80}})
    assert "track.prestige_spaces: missing" in found
    assert sum("missing" in line for line in found) == 11 and any('extends = "base"' in line for line in found)


@pytest.mark.parametrize(
    "data, told",
    [
        ({"name": 3}, "should be text"),
        ({"preset": 3}, "should be text"),
        ({"extends": 3}, "name of a shipped ruleset"),
        ({"extends": "bse"}, 'nearest known: "base"'),
        ({"remove": "plans.4c"}, "list of keys"),
        ({"remove": [3]}, "list of keys"),
        ({"presets": 3}, "table of presets"),
        ({"presets": {"x": 3}}, "table of options"),
        ({"presets": {"x": {"dice_limit": 2}}}, "3..5"),
        ({"options": 3}, "should be a table"),
        ({"sections": []}, "should be a table"),
        ({"workshop_spaces": {}}, "list of tables"),
        ({"workshop_spaces": []}, "should be 6"),
        ({"workshop_spaces": [3]}, "should be a table"),
        ({"plans": {"a.b": {"players": 2, "towers": [3, 3]}}}, "an id should be"),
        ({"plans": {"": {"players": 2, "towers": [3, 3]}}}, "an id should be"),
        ({"track": {"gaps": [[5]]}}, "pairs"),
        ({"track": {"gaps": [[5, 1]], "prestige_spaces": [5]}}, "beside"),
        ({"sources": 3}, "table of source names"),
        ({"provenance": 3}, "should be a table"),
        ({"provenance": {"track": 3}}, "table of paths"),
        ({"provenance": {"track": {"lap": 3}}}, "should be { published"),
        ({"provenance": {"track": {"lap": {"published": ["x"], "reconstructed": "y"}}}}, "should be { published"),
        ({"provenance": {"track": {"lap": {"published": ["x"]}}}}, 'unknown source "x"'),
        ({"provenance": {"track": {"lap": {"published": "x"}}}}, "list of sources"),
        ({"provenance": {"track": {"lap": {"reconstructed": ""}}}}, "should be the reason"),
        ({"provenance": {"track": {"lap": {"reconstructed": "y", "noet": ""}}}}, 'nearest known: "note"'),
        ({"provenance": {"track": {"lap": {"reconstructed": "y", "note": 3}}}}, "should be text"),
    ],
)
def test_wrong_files(data, told):
    found = problems({"extends": "base"} | data)
    assert told in found[0]


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 300),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(0, 9), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(0, 9), max_size=2),
    st.just([{"any": {}}]),
)


@settings(max_examples=60, deadline=None)
@given(st.data(), JUNK)
def test_junk_anywhere_is_a_ruleset_error(data, junk):
    broken = base_data()
    here, key = broken, data.draw(st.sampled_from(sorted(broken)))
    while isinstance(here[key], dict | list) and here[key] and data.draw(st.booleans()):
        here = here[key]
        key = data.draw(st.sampled_from(sorted(here) if isinstance(here, dict) else range(len(here))))
    here[key] = junk
    problems(broken)
    problems({"extends": "base"} | broken)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=30))
def test_junk_sets_are_ruleset_errors(text):
    problems(sets=[text, f"options.{text}", f"start.rubles={text}"])
