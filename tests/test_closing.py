"""The closing tables: they say what the rules of the run go by, at any width, and what is not known."""

import re
from pathlib import Path

import pytest

from rcsim import cli
from rcsim.cli import closing, tables

ROOT = Path(__file__).resolve().parent.parent


def sweep(capsys, *arguments) -> str:
    """What `rcsim sweep` of greedy players prints."""
    code = cli.run(["sweep", *map(str, arguments), *(() if "--policy" in arguments else ("--policy", "greedy"))])
    out, err = capsys.readouterr()
    assert code == 0, err
    return out


def test_half_an_interval_is_half_of_it():
    row = {"win": 0.0, "win_low": 0.0, "win_high": 0.658}
    assert closing._share(row) == "0.0 ± 32.9"


def test_a_precision_says_what_it_goes_by(capsys):
    told = sweep(capsys, "--target-error", 0.4, "--min-games", 2, "--players", 3)
    assert "within ± 40 points, by half its 95 % interval." in " ".join(told.split())


def test_a_target_that_is_not_reached_says_how_near_it_came(capsys):
    options = ("--target-error", 0.01, "--min-games", 50, "--max-games", 100, "--players", 2)
    told = " ".join(sweep(capsys, *options).split())
    half, games = re.search(
        r"the cell has not come to ± 1 points.* least well has ± ([\d.]+)\. About ([\d,]+)", told
    ).groups()
    assert float(half) == pytest.approx(9.6, abs=0.5)
    assert int(games.replace(",", "")) == pytest.approx(100 * float(half) ** 2, rel=0.1)
    told = " ".join(sweep(capsys, *options, "--policy", "greedy,random").split())
    assert "the line-up has not come to ± 1 points" in told


@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--vary", "board=basic,advanced")])
def test_a_shard_without_games_says_so(capsys, tmp_path, more):
    told = sweep(capsys, "--games", 3, "--shard", "1/5", "--out", tmp_path, *more)
    assert told.splitlines()[0] == "This shard has no games: there are more shards than games of a cell."
    assert "share" not in told
    assert "seat " not in told


def test_what_would_be_fair_is_said(capsys):
    assert "\nFair would be 33.3 % each.\n" in sweep(capsys, "--players", 3, "--games", 5)
    assert "Fair" not in sweep(capsys, "--players", 1, "--games", 5)
    told = sweep(capsys, "--vary", "players=1,2,3", "--games", 5)
    assert "\nFair would be for each: 50 % with 2, 33.3 % with 3 players.\n" in told


def test_one_game_is_one_game(capsys):
    assert ", 1 game\n" in sweep(capsys, "--games", 1)


def test_what_never_varied_has_no_interval(capsys):
    assert [tables.with_half(20.0, half) for half in (None, 0.0, 1e-12)] == ["20.0"] * 3
    told = sweep(capsys, "--games", 2, "--vary", "players=2,3", "--set", "options.turn_cap=10")  # ends all games
    assert re.search(r"^ +3 +2 +10\.0 +0", told, re.M)
    assert "A mean without ±: so far it was the same in every game" in told
    told = sweep(capsys, "--games", 40, "--policy", "greedy,random", "--players", 2)
    assert "Turns are told without ±" in told
    told = sweep(capsys, "--games", 2, "--vary", "options.penalty_floor=0,1")
    assert "A difference without ±: so far it was the same in every deal" in told


def test_narrow_terminals_get_narrow_tables(capsys, monkeypatch):
    monkeypatch.setattr(closing, "terminal_width", lambda: 40)
    monkeypatch.setattr("rcsim.cli.forecast.terminal_width", lambda: 40)
    varied = ("--vary", "board=basic,advanced", "--vary", "rubles=3,4,4,5;2,4,4,5")
    runs = [
        ("--games", 30),
        ("--games", 30, "--policy", "greedy,random,random,random"),
        ("--games", 30, *varied),
        ("--games", 30, *varied, "--policy", "greedy,random,random,random"),
        ("--dry-run", *varied),
    ]
    for options in runs:
        told = sweep(capsys, *options)
        wide = [line for line in told.splitlines() if len(line) > 40]
        assert not wide, wide


def test_a_forecast_plays_no_more_than_the_run(capsys, tmp_path):
    told = sweep(capsys, "--dry-run", "--games", 1, "--out", tmp_path / "run")
    assert "An estimate: 1 game of one kind of cell" in told
    assert re.search(r"^ all +1 .* kB$", told, re.M)
    assert "An estimate: 10 games of" in sweep(capsys, "--dry-run", "--games", 10)


def test_a_dry_run_looks_at_the_folder(capsys, tmp_path):
    options = ("--games", 30, "--out", tmp_path / "run")
    assert "holds" not in sweep(capsys, *options, "--dry-run")
    sweep(capsys, *options, "--shard", "1/3")
    before = {file: file.stat().st_mtime_ns for file in [tmp_path / "run", *(tmp_path / "run").rglob("*")]}
    told = " ".join(sweep(capsys, *options, "--dry-run").split())
    assert told.endswith(f"{tmp_path / 'run'} holds 10 games of this run; 20 would be played.")
    assert " 0 would be played." in sweep(capsys, *options, "--dry-run", "--shard", "1/3")
    assert cli.run(["sweep", "--policy", "greedy", *map(str, options), "--dry-run", "--seed", "2"]) == 2
    assert f"--out: {tmp_path / 'run'}: holds another run (seed: 1 there, 2 here)" in capsys.readouterr().err
    told = " ".join(sweep(capsys, *options, "--dry-run", "--seed", 2, "--force").split())
    assert "holds another run (seed: 1 there, 2 here), which --force would replace." in told
    (tmp_path / "file").touch()
    assert cli.run(["sweep", "--policy", "greedy", "--out", str(tmp_path / "file"), "--dry-run"]) == 2
    assert "cannot be written (not a folder)" in capsys.readouterr().err
    (tmp_path / "file").unlink()
    assert {file: file.stat().st_mtime_ns for file in [tmp_path / "run", *(tmp_path / "run").rglob("*")]} == before
    (tmp_path / "run" / "run.json").unlink()
    assert "holds 10 games of this run" in " ".join(sweep(capsys, *options, "--dry-run").split())
    (tmp_path / "run" / "games" / "notes.txt").touch()
    assert cli.run(["sweep", "--policy", "greedy", *map(str, options), "--dry-run"]) == 2
    assert "notes.txt: not a file of rcsim" in capsys.readouterr().err
