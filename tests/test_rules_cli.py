"""`rcsim rules`: list, show, check."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from rcsim.cli import run
from rcsim.cli.rules import PARTS, app
from rcsim.rules.loader import load
from rcsim.rules.words import effect_in_words


def call(*arguments):
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_list():
    out = call("list")
    assert "base" in out and "fr2022, en" in out and load().hash[:12] in out


def test_show_has_everything():
    out = call("show")
    base = load()
    for name in (*PARTS, *base.plans, *base.sections, *base.influence, *base.workshop_tiles, "flat", "halving"):
        assert name in out or name == "flat"
    assert "pay 2 brick; gain 1 green gem" in out
    assert "78 79 80" in out  # not cut to the width of a terminal


def test_show_part_and_changes():
    out = call("show", "base", "--part", "options", "--preset", "en", "--set", "options.dice_limit=5")
    assert "flat_third" in out and "dice_limit         5" in out and "plans" not in out and "preset en" in out


def test_show_json():
    assert json.loads(call("show", "--json")) == load().resolved()
    assert json.loads(call("show", "--json", "--part", "start")) == {"rubles": [3, 4, 4, 5]}


def test_show_provenance():
    out = call("show", "--provenance", "--set", "solo.level=1")
    assert "published: Yucata" in out and "reconstructed: " in out
    assert "changed: by --set solo.level=1\n    solo.level = 1" in out
    assert "unstated" not in out


def test_check_ok(tmp_path):
    path = tmp_path / "[red].toml"
    path.write_text('extends = "base"\ndescription = "[red]dice[/red]"\n')
    assert call("check", str(path)) == f"{path}: ok\n"
    assert "[red]dice[/red]" in call("show", str(path))


def test_check_tells_every_mistake(tmp_path, capsys):
    path = tmp_path / "bad.toml"
    path.write_text(
        'extends = "base"\n[options]\ndice_limt = 3\n[supply]\ngold = -1\n[sections."[red]"]\nkind = "base"\n'
    )
    assert run(["rules", "check", str(path)]) == 2
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == "" and len(lines) >= 4 and all(str(path) in line for line in lines)
    assert any("options.dice_limt" in line and "dice_limit" in line for line in lines)
    assert any("[red]" in line for line in lines)


@pytest.mark.parametrize(
    "arguments, told",
    [
        (["check", "bse"], 'nearest known: "base"'),
        (["show", "base", "--part", "option"], 'nearest known: "options"'),
        (["show", "base", "--preset", "fr"], 'nearest known: "fr2022"'),
        (["show", "base", "--set", "x"], "should be key=value"),
    ],
)
def test_errors(arguments, told, capsys):
    assert run(["rules", *arguments]) == 2
    out, err = capsys.readouterr()
    assert told in err and "Traceback" not in err and out == "" and len(err.splitlines()) == 1


def test_words():
    effect = {
        "pay": {"rubles": 1, "any": {"n": 2, "of": ["wood", "green_gem"]}},
        "move": {"die": "any", "steps": 2},
        "roll": "arrival",
        "yield": {"space": -1},
        "deliver": 2,
        "activate": "white",
    }
    assert effect_in_words(effect) == (
        "pay 1 ruble, 2 of wood/green gem; move any die 2 on; roll the dice of the arrival space; "
        "yield of the space before; deliver up to 2; activate an own tile on white"
    )
    assert effect_in_words({"yield": {"die": "red"}, "roll": "any", "deliver": 1, "activate": "any"}) == (
        "roll the dice of any space; yield at the red die; deliver 1; activate any own tile"
    )


def test_the_room_is_light():
    """No Numba in the room; and the tables alone do not wait for the schema."""
    code = (
        "import sys; import rcsim.rules.tables, rcsim.rules; assert 'pydantic' not in sys.modules;"
        "from rcsim.rules import load, Ruleset, RulesetError; import rcsim.rules.pack;"
        "assert isinstance(load(), Ruleset); assert 'numba' not in sys.modules and 'rich' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
