"""Designs: files and options make the same runs, cells come in the order of the file, mistakes are told all at once."""

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rcsim import cli
from rcsim.experiments.cells import Precision, Run
from rcsim.experiments.cells import design as one_cell
from rcsim.experiments.crossing import Experiment, cross, rotations
from rcsim.experiments.design import Design, from_dict, overlay, read
from rcsim.experiments.errors import DesignProblems
from rcsim.experiments.store.folder import Folder
from rcsim.rules.loader import load, parse_toml

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted([*(ROOT / "examples").glob("rubles-*.toml"), *(ROOT / "examples").glob("plans-*.toml")])


def crossed(text: str, folder: Path | None = None) -> Experiment:
    """The experiment of a file with this text."""
    return cross(from_dict(parse_toml(text, "my.toml"), "my.toml", folder))


def optioned(head=None, values=None, **more) -> Experiment:
    """The experiment of options."""
    return cross(overlay(Design(), head=head or {}, values=values or {}, **more))


def problems(text: str) -> list[str]:
    """What is wrong with a file, without its name."""
    with pytest.raises(DesignProblems) as error:
        crossed(text)
    lines = error.value.lines()
    assert all(line.startswith("my.toml: ") for line in lines), lines
    return [line.removeprefix("my.toml: ") for line in lines]


SAME = [
    ("", {}),
    (
        "[fixed]\npolicy = 'greedy'\nplayers = 2\n[design]\nseed = 7\ngames = 50",
        {"head": {"seed": 7, "games": 50}, "values": {"policy": ["greedy"], "players": 2}},
    ),
    ("[factors]\nplan = 'all'", {"values": {"plan": "all"}}),
    ("[fixed]\nplan = 'all'", {"vary": ["plan=all"]}),
    (
        "[factors]\nboard = ['basic', 'advanced']\nrubles = [[3, 4, 4, 5], [2, 4, 4, 5]]",
        {"vary": ["board=basic,advanced", "rubles=3,4,4,5;2,4,4,5"]},
    ),
    ("[factors]\n'options.finisher_bonus' = [3, 5, 7]", {"vary": ["options.finisher_bonus=3,5,7"]}),
    ("[factors]\noptions.finisher_bonus = [3, 5, 7]", {"vary": ["options.finisher_bonus=3;5;7"]}),
    (
        "[fixed]\noptions.finisher_bonus = 5\npreset = 'en'",
        {"sets": ["options.finisher_bonus=5"], "values": {"preset": "en"}},
    ),
    ("[factors]\nboard = ['basic']", {}),
    (
        "[factors]\npolicy = ['greedy', 'random,greedy,greedy,greedy']",
        {"vary": ["policy=greedy;random,greedy,greedy,greedy"]},
    ),
    ("[factors]\npolicy = ['greedy', 'random']", {"vary": ["policy=greedy,random"]}),
    ("[[cells]]\nboard = 'basic'\n[[cells]]\nboard = 'advanced'", {"vary": ["board=basic,advanced"]}),
    (
        "[design]\ntarget_error = 0.01\nmin_games = 500\nmax_games = 4000\ndetail = 'seats'\nrotate = false",
        {"head": {"target_error": 0.01, "min_games": 500, "max_games": 4000, "detail": "seats", "rotate": False}},
    ),
    (
        "[factors]\nrules = ['base', 'examples/second-thoughts.toml']",
        {"vary": ["rules=base,examples/second-thoughts.toml"]},
    ),
    (
        "[fixed]\ncolours = ['red', 'blue', 'green', 'yellow']",
        {"values": {"colours": ["red", "blue", "green", "yellow"]}},
    ),
]


@pytest.mark.parametrize(("text", "options"), SAME)
def test_a_file_and_options_make_the_same_run(text, options, monkeypatch):
    monkeypatch.chdir(ROOT)
    file, typed = crossed(text), optioned(**options)
    assert file.run.hash == typed.run.hash
    assert file.baselines == typed.baselines
    assert Run.from_json(file.run.to_json()) == file.run
    assert set(file.rulesets) == {cell.ruleset for cell in file.run.cells}


def test_different_designs_make_different_runs():
    hashes = {optioned(**options).run.hash for text, options in SAME if "second-thoughts" not in text}
    # two that are the default, two of all plans, two of one factor, and listed cells that are those of no other
    assert len(hashes) == len(SAME) - 1 - 3


def test_one_cell_is_the_cell_that_it_was():
    run = crossed("[fixed]\nplayers = 3\npolicy = 'builder'\nrubles = [1, 2, 3]\n[design]\ngames = 9").run
    old = one_cell(load(), seed=1, games=9, players=3, policy=["builder"], rubles=[1, 2, 3])
    assert run.hash == old.hash
    assert optioned({"games": 9}, {"plan": "all", "players": 2}).run.cells[1].factors == (("plan", "2b"),)


def test_factors_are_crossed_in_the_order_of_the_file():
    found = crossed(
        "[factors]\nrubles = { 2 = [[3, 4], [4, 4]], 3 = [[1, 2, 3]] }\n"
        "players = [3, 2]\nboard = ['basic', 'advanced']\n"
        "[fixed]\npolicy = 'greedy'"
    ).run
    assert [(c.players, c.rubles, c.board) for c in found.cells] == [
        (3, (1, 2, 3), "basic"),
        (3, (1, 2, 3), "advanced"),
        (2, (3, 4), "basic"),
        (2, (3, 4), "advanced"),
        (2, (4, 4), "basic"),
        (2, (4, 4), "advanced"),
    ]
    assert [c.index for c in found.cells] == [c.arm for c in found.cells] == list(range(6))
    assert found.cells[1].factors == (("rubles", "1,2,3"), ("players", "3"), ("board", "advanced"))


def test_listed_cells_are_crossed_with_factors():
    run = crossed(
        "[[cells]]\nplayers = 2\n[[cells]]\nplayers = 4\nrubles = [2, 4, 4, 5]\n[factors]\nplan = ['any', 'all']\n"
        "[fixed]\npolicy = 'greedy'"
    ).run
    assert [(c.players, c.plan) for c in run.cells] == [
        (2, None),
        (2, "2a"),
        (2, "2b"),
        (2, "2c"),
        (4, None),
        (4, "4a"),
        (4, "4b"),
        (4, "4c"),
    ]
    assert [dict(c.factors)["rubles"] for c in run.cells[3:5]] == ["3,4", "2,4,4,5"]


def test_plans_of_all_stand_where_they_were_asked_for():
    run = crossed("[factors]\nplan = ['all']\nboard = ['basic', 'advanced']").run
    assert [(c.plan, c.board) for c in run.cells[:3]] == [("4a", "basic"), ("4a", "advanced"), ("4b", "basic")]
    run = crossed("[fixed]\nplan = 'all'\n[factors]\nboard = ['basic', 'advanced']").run
    assert [(c.plan, c.board) for c in run.cells[:3]] == [("4a", "basic"), ("4b", "basic"), ("4c", "basic")]


def test_cells_may_have_rulesets_of_their_own():
    found = crossed("[factors]\noptions.finisher_bonus = [3, 5]\npreset = ['fr2022', 'en']")
    assert len(found.run.rulesets) == 4
    for cell in found.run.cells:
        ruleset = found.rulesets[cell.ruleset]
        assert dict(cell.factors) == {
            "options.finisher_bonus": str(ruleset.options.finisher_bonus),
            "preset": ruleset.preset,
        }
    whole = crossed("[fixed]\n'sections.dome-03.cost' = { wood = 4 }")
    (ruleset,) = whole.rulesets.values()
    assert ruleset.sections["dome-03"].cost.plain() == {"wood": 4}


def test_mixed_lineups_are_turned():
    assert rotations(("a", "b", "a", "b")) == [("a", "b", "a", "b"), ("b", "a", "b", "a")]
    run = crossed("[factors]\npolicy = ['greedy', ['random', 'greedy', 'greedy', 'builder']]").run
    assert [cell.arm for cell in run.cells] == [0, 1, 1, 1, 1]
    assert run.cells[2].lineup == ("greedy", "greedy", "builder", "random")
    assert {cell.factors for cell in run.cells if cell.arm == 1} == {(("policy", "random,greedy,greedy,builder"),)}
    still = crossed("[design]\nrotate = false\n[fixed]\npolicy = 'random,greedy,greedy,builder'").run
    assert [cell.lineup for cell in still.cells] == [("random", "greedy", "greedy", "builder")]


def test_baselines():
    text = (
        "[factors]\nplayers = [2, 3]\nboard = ['basic', 'advanced']\n"
        "rubles = { 2 = [[4, 4], [3, 4]], 3 = [[3, 4, 4]] }\n"
    )
    assert crossed(text).baselines == {1: 0, 2: 0, 3: 0, 5: 4}
    base = "[design]\nbaseline.rubles = { 2 = [3, 4] }\n"
    assert crossed(base + text).baselines == {0: 1, 2: 3, 5: 4}
    assert crossed("[design]\nbaseline = { board = 'advanced' }\n" + text).baselines == {0: 2, 1: 3, 4: 5}
    found = optioned(vary=["policy=random,greedy"], baseline=["policy=greedy"])
    assert (found.baselines, found.baseline_keys) == ({0: 1}, ("policy",))


def test_options_count_more_than_the_file():
    text = (
        "[design]\ntarget_error = 0.01\ngames_ = 1\n".replace("games_ = 1\n", "")
        + "[factors]\nboard = ['basic', 'advanced']\n"
    )
    design = from_dict(parse_toml(text, "x"), "x")
    assert cross(design).run.precision == Precision(0.01, 10_000)
    assert cross(design).run.cells[0].games == 10_000_000
    quick = cross(overlay(design, head={"games": 50}, values={"board": "basic", "policy": ["greedy"]})).run
    assert (quick.precision, len(quick.cells), quick.games, quick.policies) == (None, 1, 50, ("greedy",))
    fixed = from_dict({"design": {"games": 70}, "fixed": {"options.dice_limit": 4}}, "x")
    precise = cross(
        overlay(fixed, head={"target_error": 0.02, "max_games": 90}, values={}, sets=["options.dice_limit=5"])
    )
    assert (precise.run.precision, precise.run.cells[0].games) == (Precision(0.02, 90), 90)
    assert next(iter(precise.rulesets.values())).options.dice_limit == 5


def test_an_option_that_takes_a_factor_away_takes_its_baseline_along():
    design = read(ROOT / "examples" / "plans-fair.toml")
    values = {"players": 4, "plan": "4b", "policy": ["greedy"]}
    found = cross(overlay(design, head={}, values=values))
    assert (found.baselines, found.baseline_keys) == ({1: 0}, ())
    assert len(found.run.cells) == 2
    with pytest.raises(DesignProblems, match="--baseline plan: does not vary here"):
        cross(overlay(design, head={}, values=values, baseline=["plan=any"]))
    del values["plan"]
    varied = overlay(design, head={}, values=values, vary=["plan=4a,4b"])
    assert cross(varied).baselines == {1: 0, 2: 0, 3: 0}
    kept = overlay(design, head={}, values=values, vary=["plan=4a,any"])
    assert cross(kept).baselines == {0: 1, 2: 3}
    text = "[design]\nbaseline.options.dice_limit = 4\n[factors]\noptions.dice_limit = [3, 4]\nplan = ['4a', '4b']"
    sets = overlay(from_dict(parse_toml(text, "x"), "x"), head={}, values={}, sets=["options.dice_limit=5"])
    assert cross(sets).baselines == {1: 0}


def test_files_are_looked_up_beside_the_design(tmp_path, monkeypatch):
    (tmp_path / "designs").mkdir()
    (tmp_path / "designs" / "rules.toml").write_text("extends = 'base'\noptions.finisher_bonus = 7\n")
    (tmp_path / "designs" / "mine.toml").write_text(
        "name = 'mine'\ndoc = ''\nbase = 'balanced'\n[weights]\nrisk = -1.0\n"
    )
    (tmp_path / "designs" / "mine.py").write_text("def choose(g, t, acts, mind):\n    return acts.a[0]\n")
    file = tmp_path / "designs" / "design.toml"
    file.write_text(
        "[fixed]\nrules = 'rules.toml'\npolicy = ['mine.toml:no-tiles', 'mine.py:choose', 'random', 'random']"
    )
    monkeypatch.chdir(tmp_path)
    found = cross(read(Path("designs/design.toml")))
    assert found.run.cells[0].lineup == ("designs/mine.toml:no-tiles", "designs/mine.py:choose", "random", "random")
    assert next(iter(found.rulesets.values())).options.finisher_bonus == 7


def test_mistakes_of_form_are_told_all_at_once():
    told = problems("""
        sed = 3
        games = 5
        [design]
        seed = -3
        gmes = 1000
        target_error = 2
        policy = "greedy"
        [fixed]
        polcy = "greedy"
        finisher_bonus = 2
        options = 3
        players = "two"
        rubles = { 5 = [1] }
        [factors]
        rubles = [3, 4, 4, 5]
        board = ["basic", "basic"]
        options.finisher_bonus = 3
        [[cells]]
        board = "basic"
        """)
    for expected in (
        "sed: unknown key",
        "games: belongs into the table [design]: design.games",
        "design.seed: given -3; should be a whole number 0..",
        'design.gmes: unknown key; nearest known: "games"',
        "design.target_error: given 2; should be a number from 0.00001 to 0.5",
        "design.policy: belongs into one of the tables [fixed]",
        'fixed.polcy: unknown key; nearest known: "policy"',
        'fixed.finisher_bonus: unknown key; nearest known: "options.finisher_bonus"',
        "fixed.options: a value of the ruleset is named by its whole key",
        'fixed.players: given "two"; should be a whole number from 1 to 4',
        "fixed.rubles: given {5 = [1]}; a table here has levels by player count",
        "factors.rubles: given [3, 4, 4, 5]; should be a list of levels, each a list by seat",
        'factors.board: given "basic"; stands there twice',
        "factors.options.finisher_bonus: given 3; should be a list of levels; a single value belongs into [fixed]",
        "cells.0.board: factors.board is given, too",
        "factors.rubles: fixed.rubles is given, too",
    ):
        assert any(line.startswith(expected) for line in told), (expected, told)
    assert len(told) == 16


def test_mistakes_of_value_are_told_all_at_once():
    told = problems("""
        [fixed]
        options.dice_lmit = 4
        policy = ["greedy", "plannr", "greedy"]
        [factors]
        rubles = [[3, 4, 4, 5], [3, 4, 4]]
        board = ["basic", "advance"]
        options.finisher_bonus = [3, 12]
        """)
    assert told == [
        'fixed.options.dice_lmit: unknown key; nearest known: "dice_limit"',
        told[1],
        "factors.options.finisher_bonus: given 12; should be a whole number 0..9",
        "factors.board: advance was given; did you mean advanced? accepted: basic, advanced",
        "factors.rubles: 3,4,4 was given; accepted: a number from 0 to 99 for each of 4 seats",
    ]
    assert told[1].startswith("fixed.policy: plannr was given; did you mean planner?")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[fixed]\nplayers = 7", "fixed.players: 7 was given; accepted: 1 to 4"),
        (
            "[factors]\nrubles = [[1, 2], [3, 4, 4, 5]]",
            "factors.rubles: 1,2 was given; accepted: a number from 0 to 99",
        ),
        (
            "[factors]\nplayers = [2, 3]\nplan = ['2a', 'any']",
            "factors.plan: 2a was given; that is a plan for 2 players",
        ),
        (
            "[factors]\nplayers = [2, 3]\nrubles = { 2 = [[1, 2], [2, 2]] }",
            "factors.rubles: has no level for players = 3; add 3 = ...",
        ),
        ("[fixed]\nrubles = { 2 = [1, 2] }", "fixed.rubles: has no level for players = 4; add 4 = ..."),
        ("[fixed]\npreset = 'es'", 'fixed.preset: unknown preset "es"'),
        ("[factors]\npreset = ['en', 'es']", 'factors.preset: unknown preset "es"'),
        ("[fixed]\nrules = 'nowhere.toml'", "fixed.rules: no such file"),
        (
            "[fixed]\nstart.rubles = [1, 2, 3, 4]\nrubles = [1, 2, 3, 4]",
            "fixed.start.rubles: starting rubles are given twice",
        ),
        ("[factors]\nplan = ['4a', 'all']", "factors.plan: cells 0 and 1, counted from 0, are the same: plan 4a"),
        (
            "[[cells]]\nboard = 'basic'\n[[cells]]\nplan = 'any'",
            "cells.1.plan: cells 0 and 1, counted from 0, are the same",
        ),
        ("[design]\nbaseline.board = 'basic'", "design.baseline.board: does not vary here; nothing does"),
        (
            "[design]\nbaseline.board = 'basic'\n[factors]\nplan = 'all'",
            "design.baseline.board: does not vary here; known: plan",
        ),
        (
            "[design]\nbaseline.plan = '4d'\n[factors]\nplan = 'all'",
            'design.baseline.plan: 4d is no level of plan; nearest known: "4',
        ),
        ("[design]\ngames = 5\ntarget_error = 0.01", "design.games: target_error is given, too"),
        ("[design]\nmin_games = 5", "design.min_games: needs target_error beside it"),
        (
            "[design]\nmin_games = 50\nmax_games = 20\ntarget_error = 0.1",
            "design.min_games: given 50; should be at most",
        ),
        ("[design]\ndetail = 'most'", 'design.detail: given "most"; should be one of'),
        ("[fixed]\npolicy = ''", 'fixed.policy: given ""; should be a player'),
        (
            "[fixed]\ncolours = ['red', 'red', 'blue', 'green']",
            "fixed.colours: red,red,blue,green was given; accepted: a different",
        ),
        ("[fixed]\nboard = ['basic', 'advanced']", 'fixed.board: given ["basic", "advanced"]; is one level; several'),
        (
            "[fixed]\nrubles = [[3, 4, 4, 5], [2, 4, 4, 5]]",
            "fixed.rubles: given [[3, 4, 4, 5], [2, 4, 4, 5]]; is one level",
        ),
        (
            "[design]\nbaseline.rubles = [1, 4, 4, 5]\n[factors]\nrubles = [[2, 4, 4, 6], [9, 9, 9, 9]]",
            "design.baseline.rubles: 1,4,4,5 is no level of rubles; nearest",
        ),
        ("cells = 3", "cells: given 3; should be a list of tables"),
        ("fixed = 3", "fixed: given 3; should be a table"),
        (
            "[factors]\noptions.turn_cap = "
            + str(list(range(10, 110)))
            + "\noptions.max_repeats = "
            + str(list(range(1, 50))),
            "factors: that makes 4,900 cells; accepted: at most 4,096",
        ),
        (
            "[factors]\n'start.rubles' = [[1, 2, 3, 4], [1, 2]]",
            "factors.start.rubles: given 2 items; should have exactly 4",
        ),
    ],
)
def test_a_mistake_is_named(text, message):
    (line,) = problems(text)
    assert line.startswith(message), line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vary": ["board"]}, "--vary board: should be KEY=LEVEL"),
        ({"vary": ["bord=basic,advanced"]}, '--vary bord: unknown key; nearest known: "board"'),
        ({"vary": ["board=basic,advnced"]}, "--vary board: advnced was given; did you mean advanced?"),
        ({"vary": ["board=basic,basic"]}, '--vary board: given "basic"; stands there twice'),
        ({"vary": ["board=basic,advanced"], "values": {"board": "basic"}}, "--board: --vary board is given, too"),
        ({"vary": ["options.finisher_bonus=3,12"]}, "--vary options.finisher_bonus: given 12; should be"),
        (
            {"vary": ["options.finisher_bonus=3,5"], "sets": ["options.finisher_bonus=1"]},
            "--set options.finisher_bonus=1: --vary options.finisher_bonus is given, too",
        ),
        ({"baseline": ["board"]}, "--baseline board: should be KEY=LEVEL"),
        ({"baseline": ["board=basic"]}, "--baseline board: does not vary here"),
        ({"values": {"rubles": [1, 2]}}, "--rubles: 1,2 was given; accepted: a number"),
        ({"head": {"min_games": 5}}, "--min-games: needs --target-error beside it"),
        ({"head": {"games": 5, "target_error": 0.1}}, "--games: --target-error is given, too"),
    ],
)
def test_a_mistake_of_an_option_is_named(options, message):
    with pytest.raises(DesignProblems) as error:
        optioned(**options)
    assert error.value.lines()[0].startswith(message), error.value.lines()


def test_options_do_not_fit_every_file():
    design = from_dict({"cells": [{"board": "basic"}, {"board": "advanced"}]}, "x.toml")
    with pytest.raises(DesignProblems, match=r"--board: the cells that x\.toml lists say board themselves"):
        overlay(design, head={}, values={"board": "basic"})
    design = from_dict({"factors": {"board": ["basic", "advancd"]}}, "x.toml")
    with pytest.raises(DesignProblems) as error:
        cross(overlay(design, head={}, values={"policy": ["randm"]}))
    assert [line.split(" was")[0] for line in error.value.lines()] == [
        "--policy: randm",
        "x.toml: factors.board: advancd",
    ]


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("[design]\ngames = 0\n[fixed]\nplayers = 5", ["design.games: given 0", "fixed.players: 5 was given"]),
        (
            "[fixed]\nrules = 'nowhere.toml'\npolicy = 'plannr'\nboard = 'basc'\n"
            "colours = ['rde', 'blue', 'red', 'green']",
            ["fixed.rules: no such file", "fixed.board: basc", "fixed.policy: plannr", "fixed.colours: rde"],
        ),
        (
            "[design]\nbaseline.bord = 'basic'\n[[cells]]\nboard = 'basc'\n[[cells]]\nplan = '4x'",
            ["design.baseline.bord: unknown key", "cells.0.board: basc", "cells.1.plan: 4x"],
        ),
        (
            "[design]\ngmaes = 5\nbaseline.borad = 'basic'\n[factors]\nboad = ['basic']\n[fixed]\npolicy = 'plannr'",
            [
                "design.gmaes: unknown",
                "factors.boad: unknown",
                "design.baseline.borad: unknown",
                "fixed.policy: plannr",
            ],
        ),
        # who sits there is not known: nothing is said of rubles
        ("[fixed]\nplayer = 3\nrubles = [3, 4, 4]", ["fixed.player: unknown key"]),
        ("[fixd]\nplayers = 3\n[fixed]\nrubles = [3, 4, 4]", ["fixd: unknown key"]),
    ],
)
def test_a_mistake_hides_no_other(text, starts):
    told = problems(text)
    assert len(told) == len(starts), told
    for start in starts:
        assert any(line.startswith(start) for line in told), (start, told)


def test_players_of_an_option_make_one_mistake_of_all_levels():
    design = read(ROOT / "examples" / "rubles-3.toml")
    with pytest.raises(DesignProblems) as error:
        cross(overlay(design, head={}, values={"players": 4, "policy": ["greedy"]}))
    (line,) = error.value.lines()
    assert line.endswith(
        "factors.rubles: is for 3 seats, and --players 4 was given; say rubles for as many, too:"
        " --rubles or --vary rubles=..."
    )


def test_levels_with_commas_are_apart_by_semicolons():
    with pytest.raises(DesignProblems, match="known: 2,4,4,6; 9,9,9,9"):
        optioned(vary=["rubles=2,4,4,6;9,9,9,9"], baseline=["rubles=0"])


def test_a_set_is_named_as_the_option_that_it_is():
    with pytest.raises(DesignProblems) as error:
        optioned(sets=["options.finisher_bonus=2", "options.finisher_bonus=3"])
    assert error.value.lines()[0].startswith("--set options.finisher_bonus: should be given once, but")


def test_a_ruleset_is_no_design(tmp_path):
    with pytest.raises(
        DesignProblems, match=r"second-thoughts\.toml: this is a ruleset, no design; play it with --rules"
    ):
        read(ROOT / "examples" / "second-thoughts.toml")
    (tmp_path / "empty.toml").write_text("# nothing\n")
    with pytest.raises(DesignProblems, match="is empty; a design has"):
        read(tmp_path / "empty.toml")


def test_files_that_are_none(tmp_path):
    for name, text, message in (("a.toml", "x = [", "not valid TOML"), ("b.toml", None, "no such file")):
        if text is not None:
            (tmp_path / name).write_text(text)
        with pytest.raises(DesignProblems, match=message):
            read(tmp_path / name)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_ready_designs_are_sound(path):
    found = cross(read(path))
    cells = found.run.cells
    assert {cell.board for cell in cells} == {"basic", "advanced"}
    assert found.run.detail == "seats"
    assert len(found.baselines) >= len(cells) - 2 * len({cell.players for cell in cells})
    text = path.read_text(encoding="utf-8")
    assert f"rcsim sweep examples/{path.name} --games 1000" in text
    if "-fair" in path.stem:
        assert {cell.players for cell in cells} == {2, 3, 4}
    for cell in cells:
        if not dict(cell.factors).get("rubles"):
            assert cell.rubles is None


def sweep(capsys, *arguments) -> tuple[int, str, str]:
    """Run `rcsim sweep` in this process: exit code, stdout, stderr."""
    code = cli.run(["sweep", *map(str, arguments)])
    return (code, *capsys.readouterr())


SMALL = """
[design]
games = 60
detail = "seats"
baseline.rubles = [3, 4]
[fixed]
players = 2
policy = "builder"
[factors]
board = ["basic", "advanced"]
rubles = [[3, 4], [2, 4], [9, 0]]
"""


@pytest.fixture
def small(tmp_path) -> Path:
    """A small design."""
    (tmp_path / "small.toml").write_text(SMALL)
    return tmp_path / "small.toml"


def test_a_design_is_played_and_told(capsys, small, tmp_path):
    code, told, _ = sweep(capsys, small)
    assert code == 0
    lines = told.splitlines()
    assert lines[:3] == [
        "2 players, plan any, preset fr2022",
        "policy builder, seed 1, ruleset " + load().hash[:8] + ", 360 games",
        "6 cells, by board, rubles",
    ]
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines if line.split()[:1] in (["basic"], ["advanced"])]
    assert [row[:2] for row in rows] == [
        *[[board, rubles] for _ in range(2) for board in ("basic", "advanced") for rubles in ("3,4", "2,4", "9,0")],
        *[[board, rubles] for board in ("basic", "advanced") for rubles in ("2,4", "9,0")],
    ]
    assert "Win share minus that of rubles 3,4, all else the same, on the same deals, in" in lines
    options = ("--players", 2, "--policy", "builder", "--vary", "board=basic,advanced", "--vary", "rubles=3,4;2,4;9,0")
    more = ("--games", 60, "--detail", "seats", "--baseline", "rubles=3,4", "--out", tmp_path / "run")
    _, typed, _ = sweep(capsys, *options, *more)
    assert typed.splitlines()[:-1] == lines[:-1]
    _, again, _ = sweep(capsys, small, "--out", tmp_path / "run")  # the same run: all of it is there
    assert again == typed
    assert Folder(tmp_path / "run").games() == 360
    seats = pl.read_parquet(tmp_path / "run" / "seats").filter(seat=0)
    mean = dict(seats.group_by("cell").agg(pl.col("win_share").mean() * 100).iter_rows())
    shown = float(rows[-1][2])
    assert shown == pytest.approx(mean[5] - mean[3], abs=0.51)


def test_a_forecast_plays_nothing_for_good(capsys, small, tmp_path):
    code, told, err = sweep(capsys, small, "--dry-run", "--out", tmp_path / "run", "--games", "1M")
    assert (code, err) == (0, "")
    lines = told.splitlines()
    assert lines[2] == "6 cells, by board, rubles"
    assert [line.split()[:4] for line in lines[5:11]] == [
        [str(i), *board_rubles, "1,000,000"]
        for i, board_rubles in enumerate((b, r) for b in ("basic", "advanced") for r in ("3,4", "2,4", "9,0"))
    ]
    assert re.match(r" all +6,000,000 .+ [\d.]+ MB$", lines[11])
    assert "An estimate" in told
    assert not (tmp_path / "run").exists()
    _, told, _ = sweep(capsys, small, "--dry-run", "--target-error", "0.01", "--min-games", "1000")
    assert re.search(r"^ at most +60,000,000 ", told, re.M)
    assert re.search(r"^at least +6,000 ", told, re.M)
    assert re.search(r"^ +all +96,000 ", told, re.M)  # 16,000 for each cell: 9,604 are enough for one half
    assert "--out DIR" in told
    _, told, _ = sweep(
        capsys, small, "--dry-run", "--detail", "summary", "--shard", "1/4", "--games", "1M", "--out", "x"
    )
    assert re.search(r"^ all +1,500,000 .+ kB$", told, re.M)


def test_bytes_are_told_well_beforehand(capsys, tmp_path):
    options = ("--policy", "builder", "--games", 20_000, "--players", 2, "--out", tmp_path / "run")
    _, told, _ = sweep(capsys, *options, "--dry-run")
    value, unit = re.search(r"all .* ([\d.]+) (kB|MB)$", told, re.M).groups()
    sweep(capsys, *options)
    size = sum(file.stat().st_size for table in ("games", "seats") for file in (tmp_path / "run" / table).iterdir())
    assert float(value) * {"kB": 1e3, "MB": 1e6}[unit] == pytest.approx(size, rel=0.15)


def test_without_the_games_there_are_no_differences(capsys, small, tmp_path):
    for options in (("--out", tmp_path / "a"), ()):
        _, told, _ = sweep(capsys, small, "--detail", "summary", *options)
        assert ("No differences on the same deals: --detail summary keeps no games" in told) == bool(options)
    _, told, _ = sweep(capsys, small, "--shard", "2/3", "--out", tmp_path / "b")
    assert "No differences on the same deals: these are the games of one share" in told
    assert "120 games" in told


def test_precision_is_told(capsys, small):
    options = ("--target-error", "0.06", "--min-games", 100, "--detail", "full")
    _, told, _ = sweep(capsys, small, *options, "--max-games", 800)
    assert "Precision: each win share is known within ± 6 points, by half its 95 % interval." in " ".join(told.split())
    games = dict(re.findall(r"^ *(\w+ +[\d,]+) +(\d+) +\d\d\.", told, re.M))
    assert set(games.values()) <= {"200", "400"}
    assert len(games) == 6
    _, told, _ = sweep(capsys, small, *options, "--max-games", 120)
    assert "Precision: 6 of 6 cells have not come to ± 6 points, by half the 95 % interval" in " ".join(told.split())


def test_turned_lineups_are_told_by_player(capsys):
    _, told, _ = sweep(
        capsys, "--policy", "builder,random,random", "--players", 3, "--games", 40, "--vary", "plan=3a,3b"
    )
    assert "2 line-ups in 6 cells, by plan" in told
    rows = re.findall(r"^ +(3[ab]) +(builder|random)((?: +[\d.]+ ± [\d.]+){4})$", told, re.M)
    assert [row[:2] for row in rows] == [(p, w) for p in ("3a", "3b") for w in ("builder", "random")]
    assert re.search(r"^ +3b +-?[\d.]+ ± [\d.]+ +-?[\d.]+ ± [\d.]+ +×[\d.]+$", told, re.M)
    _, told, _ = sweep(capsys, "--vary", "policy=builder;random,builder,builder", "--players", 3, "--games", 20)
    assert "Line-ups of different players are compared by rcsim tournament." in told


def test_many_factors_get_a_legend(capsys):
    factors = ("options.finisher_bonus=3,5", "options.leftover_divisor=5,6", "board=basic,advanced", "preset=fr2022,en")
    vary = [word for factor in factors for word in ("--vary", factor)]
    _, told, _ = sweep(capsys, *vary, "--policy", "builder", "--games", 5)
    lines = told.splitlines()
    assert lines[4].split() == ["cell", "finisher_bonus", "leftover_divisor", "board", "preset"]
    assert re.match(r"cell +seat 0 +seat 1", lines[24])
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.toml"], "nowhere.toml: no such file"),
        ([""], "DESIGN: nothing was given"),
        (["--shard", "3/2"], "--shard: 3/2 was given; accepted: i/N with i from 1 to N, as 2/8"),
        (["--shard", "1/2"], "--shard: nothing would be left of it; accepted: --shard with --out"),
        (["--shard", "1/2", "--target-error", "0.1", "--out", "x"], "--shard: a precision needs all games"),
        (["--target-error", "2"], "--target-error: 2 was given; accepted: a number from 0.00001 to 0.5, as 0.002"),
        (["--target-error", "x"], "--target-error: x was given"),
        (["--games", "1e17"], "--games: 100000000000000000 was given; accepted: 1 to 9007199254740992"),
        (["--min-games", "1"], "--min-games: 1 was given"),
        (["--min-games", "10"], "--min-games: needs --target-error beside it"),
        (["--detail", "sumary"], "--detail: sumary was given; did you mean summary?"),
        (["--backend", "thread"], "--backend: thread was given; did you mean threads?"),
        (["--workers", "3"], "--workers: 3 was given; threads are --threads"),
        (["--scheduler", "x", "--backend", "processes"], "--scheduler: processes has none"),
        (["--scheduler", ""], "--scheduler: nothing was given"),
        (["--vary", ""], "--vary: nothing was given"),
        (["--vary", "bord=basic,advanced"], '--vary bord: unknown key; nearest known: "board"'),
        (["--vary", "rubles=3,4;4,x"], "--vary rubles: given"),
    ],
)
def test_bad_options_get_one_clear_line(capsys, arguments, message):
    code, out, err = sweep(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith(f"rcsim: error: {message}")


def test_mistakes_of_a_file_get_a_line_each(capsys, tmp_path):
    (tmp_path / "d.toml").write_text("[fixed]\nplayer = 3\n[factors]\nboard = 'basic'\n")
    code, out, err = sweep(capsys, tmp_path / "d.toml", "--games", 5)
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        f'rcsim: error: {tmp_path}/d.toml: fixed.player: unknown key; nearest known: "players"',
        f'rcsim: error: {tmp_path}/d.toml: factors.board: given "basic"; should be a list of levels; a single value'
        " belongs into [fixed]",
    ]


def test_stopping_does_not_bend_intervals(monkeypatch):
    """The short form of scripts/stopping.py, with made-up frequencies."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import stopping

    ways = np.array([*np.eye(3), [0.5, 0.5, 0]])
    often = np.array([0.4, 0.3, 0.25, 0.05])
    for least, target in ((500, 0.01), (500, stopping.unlucky(ways, often, 500, 2))):
        found = stopping.stop(ways, often, target, least, 4000, np.random.default_rng(3))
        assert found.games > least
        assert 0.94 < found.covered < 0.957
        assert abs(found.covered - found.fixed) < 0.006
    assert found.looks == 2
    wide = stopping.stop(ways, often, 0.4, 10, 4000, np.random.default_rng(3))
    assert (wide.games, wide.looks) == (10, 1)
    assert wide.covered == wide.fixed
