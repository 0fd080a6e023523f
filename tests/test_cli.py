"""The command line: what is printed where, what bad input gets, and the way from a sweep to its games and back."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import polars as pl
import pytest

import rcsim
from rcsim.cli import games, options, progress, run, tables
from rcsim.cli.errors import UserError
from rcsim.experiments.schema import SCHEMA_VERSION
from rcsim.experiments.store.content import content_hash
from rcsim.experiments.store.folder import Folder


def cli(capsys, *arguments):
    """Run a command in this process: exit code, stdout, stderr."""
    code = run([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def fails(capsys, *arguments):
    """The one line that a bad command gets, without its beginning."""
    code, out, err = cli(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("rcsim: error: ")
    assert err.count("\n") == 1, err
    return err.removeprefix("rcsim: error: ").strip()


SWEEP = ("sweep", "--policy", "builder", "--seed", 5)


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    path = tmp_path_factory.mktemp("sweep") / "data"
    arguments = (*SWEEP, "--games", 60, "--players", 3, "--rubles", "3,4,5", "--out", path, "--threads", 1)
    assert run([str(a) for a in arguments]) == 0
    return path


def test_a_sweep_ends_with_a_table_and_data(capsys, tmp_path):
    code, out, err = cli(capsys, *SWEEP, "--games", 100, "--out", tmp_path / "a", "--threads", 2)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "4 players, basic board, plan any, preset fr2022"
    assert re.fullmatch(r"policy builder, seed 5, ruleset [0-9a-f]{8}, 100 games", lines[1])
    assert lines[3].split("  ")[0] == "seat"
    shares = [re.match(r" *(\d) +(\d) +([\d.]+) % +[\d.]+ - [\d.]+ +[-\d.]+ ± [\d.]+$", line) for line in lines[4:8]]
    frame = pl.read_parquet(tmp_path / "a" / "seats")
    for seat, row in enumerate(shares):
        assert (row[1], row[2]) == (str(seat), "3445"[seat])
        assert float(row[3]) == pytest.approx(100 * frame.filter(seat=seat)["win_share"].mean(), abs=0.51)
    truncated = pl.read_parquet(tmp_path / "a" / "games")["truncated"].sum()
    assert re.search(rf"^ +any +100 .* {truncated}$", out, re.M)
    assert "Truncated: ended by the turn cap; they count as scored then." in lines
    assert lines[-1] == f"Data: {tmp_path / 'a' / 'games'} and {tmp_path / 'a' / 'seats'} (Parquet)"
    assert "100 games in" in err
    assert max(map(len, lines[:-1])) <= 60


def test_the_same_command_gives_the_same_data(capsys, tmp_path, swept):
    cli(capsys, *SWEEP, "--games", 60, "--players", 3, "--rubles", "3,4,5", "--out", tmp_path / "a", "--threads", 2)
    assert content_hash(tmp_path / "a") == content_hash(swept)


def test_all_plans_share_their_deals(capsys, tmp_path):
    code, out, _ = cli(capsys, *SWEEP, "--games", 20, "--players", 2, "--plan", "all", "--out", tmp_path / "a")
    assert code == 0
    frame = pl.read_parquet(tmp_path / "a" / "games")
    assert frame.group_by("cell").len().sort("cell").rows() == [(0, 20), (1, 20), (2, 20)]
    assert frame.group_by("cell", maintain_order=True).agg(pl.col("plan").n_unique())["plan"].to_list() == [1, 1, 1]
    assert frame["deal"].to_list() == [*range(20)] * 3
    assert sum(line.split()[0] in ("2a", "2b", "2c") for line in out.splitlines() if line) == 6 + 3 + 2


def test_solo_and_mixed_lineups(capsys):
    _, out, _ = cli(capsys, *SWEEP, "--games", 20, "--players", 1)
    assert "solo against Ivan" in out
    assert re.search(r"^Ivan +- ", out, re.M)
    assert "Nothing was stored" in out
    mixed = ("sweep", "--games", 10, "--players", 2, "--policy", "builder,random")
    _, out, _ = cli(capsys, *mixed, "--no-rotate")
    assert re.search(r"^ +1 +random +4 ", out, re.M)
    assert "10 games" in out
    _, out, _ = cli(capsys, *mixed)
    assert "policy builder,random, in every rotation" in out
    assert "20 games" in out
    assert re.search(r"^ *random( +[\d.]+ ± [\d.]+){3}$", out, re.M)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sweep", "--games", "-5"], "--games: -5 was given; accepted: a whole number of at least 1"),
        (["sweep", "--games", "many"], "--games: many was given; accepted: a whole number"),
        (["sweep", "--games", "0"], "--games: 0 was given"),
        (["sweep", "--seed", "-1"], "--seed: -1 was given"),
        (["sweep", "--threads", "-1"], "--threads: -1 was given; accepted: a whole number from 0 to"),
        (["sweep", "--players", "5"], "--players: 5 was given; accepted: a whole number from 1 to 4"),
        (["sweep", "--policy", "bilder"], "--policy: bilder was given; did you mean builder? accepted: random"),
        (["sweep", "--policy", "random,random"], "--policy: random,random was given"),
        (
            ["sweep", "--plan", "2a"],
            "--plan: 2a was given; that is a plan for 2 players; accepted: any, all, 4a, 4b, 4c",
        ),
        (["sweep", "--board", "advance"], "--board: advance was given; did you mean advanced?"),
        (["sweep", "--rubles", "3,4"], "--rubles: 3,4 was given; accepted: a number from 0 to 99 for each of 4 seats"),
        (["sweep", "--rubles", "3,4,x,5"], "--rubles: 3,4,x,5 was given"),
        (["sweep", "--rubles", "3,4,4,5", "--set", "start.rubles=1,2,3,4"], "--rubles: starting rubles were given"),
        (["sweep", "--rubles", "3,4,4,5", "--set", "start.rubles.0=1"], "--rubles: starting rubles were given"),
        (["sweep", "--colours", "red,red,blue,green"], "--colours: red,red,blue,green was given"),
        (["sweep", "--set", "options.dice_limit=9"], "dice_limit"),
        (["sweep", "--set", "start.rubles=3,4"], "start.rubles: given 2 items; should have exactly 4"),
        (["sweep", "--set", "start.rubles.0=1", "--set", "start.rubles.0=2"], "start.rubles.0: should be given once"),
        (["sweep", "--rules", "[nowhere].toml"], "[nowhere].toml"),
        (["sweep", "--preset", "es"], "es"),
        (["sweep", "--players", "1", "--preset", "en"], "solo"),
        (["sweep", "--gams", "5"], "--gams"),
        (["swep"], "swep"),
        (["play", "--plan", "all"], "--plan: all was given"),
        (["play", "--game", "-1"], "--game: -1 was given"),
        (["trace", "--count", "0"], "--count: 0 was given"),
        (["play", "--game", str(2**63 - 1)], f"--game: {2**63 - 1} was given; accepted: a whole number from 0 to"),
        (["trace", "--game", str(2**53 - 1), "--count", "2"], "--count: 2 was given"),
        (["sweep", "--out", ""], "--out: nothing was given"),
        (["trace", "--out", ""], "--out: nothing was given"),
        (["replay", ""], "DIR: nothing was given"),
        (["sweep", "--rules", ""], "--rules: nothing was given"),
        (["sweep", "--preset", ""], "--preset: nothing was given"),
        (["sweep", "--set", ""], "--set: nothing was given"),
        (["sweep", "--seed", ""], "--seed: nothing was given"),
        (["sweep", "--plan", ""], "--plan: nothing was given"),
        (["sweep", "--board", ""], "--board: nothing was given"),
        (["sweep", "--policy", ""], "--policy: nothing was given"),
        (["sweep", "--rubles", ""], "--rubles: nothing was given"),
        (["sweep", "--colours", ""], "--colours: nothing was given"),
        (["rules", "show", ""], "RULESET: nothing was given"),
        (["replay", "pyproject.toml"], "pyproject.toml: not a folder"),
        (["replay", "nowhere"], "nowhere: no such file or folder"),
    ],
)
def test_bad_input_gets_one_clear_line(capsys, arguments, message):
    assert message in fails(capsys, *arguments)


def test_folders_that_are_refused(capsys, tmp_path, swept):
    before = content_hash(swept)
    assert "holds another run" in fails(capsys, *SWEEP, "--games", 5, "--out", swept)
    assert content_hash(swept) == before
    (tmp_path / "file").write_text("")
    assert "cannot be written" in fails(capsys, *SWEEP, "--games", 5, "--out", tmp_path / "file" / "x")
    assert "holds no finished games" in fails(capsys, "replay", tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_paths_that_lead_nowhere(capsys, tmp_path):
    (tmp_path / "loop.toml").symlink_to(tmp_path / "loop.toml")
    for command in (["sweep", "--rules"], ["rules", "show"], ["rules", "check"]):
        assert "loop.toml: cannot be read" in fails(capsys, *command, tmp_path / "loop.toml")
    (tmp_path / "games").mkdir()
    (tmp_path / "seats").write_text("not a folder")
    assert "seats: not a folder; move it away" in fails(capsys, "replay", tmp_path)


def test_data_that_are_not_the_game_are_refused(capsys, tmp_path, swept):
    shutil.copytree(swept, tmp_path / "a")
    (file,) = (tmp_path / "a" / "seats").iterdir()
    pl.read_parquet(file).with_columns(pl.col("total") + 1).write_parquet(file)
    assert "when it is played again" in fails(capsys, "replay", tmp_path / "a", "--game", 3)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_stdout_that_cannot_be_written():
    for redirected, said in (
        (">/dev/full", "No space left on device"),
        (">&-", "it is closed"),
        ("| true", None),
    ):
        command = f"'{sys.executable}' -m rcsim schema {redirected}; exit $?"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        line = f"rcsim: error: standard output cannot be written ({said})\n"
        assert (done.returncode, done.stderr) == ((2, line) if said else (0, ""))


def test_a_trace_appears_whole_or_not_at_all(capsys, tmp_path, monkeypatch):
    def broken(lines, file):
        file.write("half a line")
        raise KeyboardInterrupt

    (tmp_path / "old").write_text("old")
    monkeypatch.setattr(games, "_write", broken)
    for name in ("old", "new"):
        assert cli(capsys, "trace", "--policy", "random", "--out", tmp_path / name, "--force")[0] == 130
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("old", "old")]


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no device for it")
def test_a_trace_may_go_to_a_device():
    command = f"'{sys.executable}' -m rcsim trace --policy random --out /dev/stdout --force | wc -l"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 10, done.stderr


def test_force_replaces_a_run(capsys, tmp_path):
    for count in (30, 10):
        code, _, _ = cli(capsys, *SWEEP, "--games", count, "--out", tmp_path / "a", "--force")
        assert code == 0
    assert Folder(tmp_path / "a").games() == 10


def test_a_full_disk_gets_one_line(tmp_path):
    resource = pytest.importorskip("resource")  # a limit on file size stands for the disk
    arguments = [sys.executable, "-m", "rcsim", *map(str, SWEEP), "--games", "200", "--out", str(tmp_path / "a")]
    environment = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run(
        arguments,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2**16 - 2**14, 2**16 - 2**14)),
    )
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert re.search(r"rcsim: error: .*cannot be written .*; nothing is stored$", last), last
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", None)])
def test_ctrl_c_leaves_what_is_finished(tmp_path, number):
    arguments = [sys.executable, "-m", "rcsim", *map(str, SWEEP), "--games", "10M", "--out", str(tmp_path / "a")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    heard = partial(signal.signal, number, signal.SIG_DFL)  # also where the tests are run by nohup
    with subprocess.Popen(arguments, **pipes, preexec_fn=heard) as process:
        while not (tmp_path / "a" / "run.json").exists():
            time.sleep(0.05)
        time.sleep(1.5)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert out == ""
    assert "the same command" in err.splitlines()[-1]
    assert err.splitlines()[-1].startswith("rcsim: interrupted")
    assert "Traceback" not in err
    assert not Folder(tmp_path / "a").unfinished.exists()
    if stored := Folder(tmp_path / "a").games():  # none if it was still compiling
        assert pl.read_parquet(tmp_path / "a" / "seats").height == 4 * stored
        assert f"interrupted; {stored:,} of 10,000,000 games are stored" in err


def test_replay_tells_the_game_of_the_data(capsys, tmp_path, swept):
    row = pl.read_parquet(swept / "seats").filter(game=17).sort("seat")
    code, out, err = cli(capsys, "replay", swept, "--game", 17, "--trace")
    assert (code, err) == (0, "")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [seat["total"] for seat in lines[-1]["seats"]] == row["total"].to_list()
    assert lines[0]["rubles"] == [3, 4, 5]
    options_ = ("--players", 3, "--rubles", "3,4,5", "--policy", "builder", "--seed", 5, "--game", 17)
    assert cli(capsys, "trace", *options_)[1] == out
    code, story, err = cli(capsys, "replay", swept, "--game", 17)
    assert (code, err) == (0, "")
    assert cli(capsys, "play", *options_)[1] == story
    assert fails(capsys, "replay", swept, "--game", 60).startswith("--game: 60 was given; games of cell 0 in")
    (swept / "run.json").rename(tmp_path / "run.json")  # each part says it all
    try:
        assert cli(capsys, "replay", swept, "--game", 17)[1] == story
    finally:
        (tmp_path / "run.json").rename(swept / "run.json")


def test_replay_warns_of_another_version(capsys, swept, monkeypatch):
    monkeypatch.setattr(rcsim, "__version__", "9.9")
    _, _, err = cli(capsys, "replay", swept, "--game", 3)
    assert (
        err == f"rcsim: the data was made by rcsim {Folder(swept).read().version}, this is 9.9: the game may differ\n"
    )


def test_traces_follow_one_another(capsys, tmp_path):
    arguments = ("trace", "--policy", "builder", "--players", 2, "--game", 3, "--count", 2)
    _, out, _ = cli(capsys, *arguments)
    setups = [json.loads(line) for line in out.splitlines() if line.startswith('{"type": "setup"')]
    assert [s["game"] for s in setups] == [3, 4]
    assert cli(capsys, *arguments, "--out", tmp_path / "t.jsonl")[:2] == (0, "")
    assert (tmp_path / "t.jsonl").read_text(encoding="utf-8") == out
    assert "is there already" in fails(capsys, *arguments, "--out", tmp_path / "t.jsonl")
    assert cli(capsys, *arguments, "--out", tmp_path / "t.jsonl", "--force")[0] == 0


def test_the_first_run_replaces_no_other(capsys, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parent.parent / "scripts"))
    import first_run

    assert first_run.number("1M") == first_run.number("1_000_000") == first_run.number("1e6") != first_run.number("1k")
    monkeypatch.setattr(first_run, "ROOT", tmp_path)
    (tmp_path / first_run.FOLDER).mkdir(parents=True)
    made_by = {"command": "rcsim " + " ".join(first_run.command("1M")) + " --force"}
    (tmp_path / first_run.FOLDER / "run.json").write_text(json.dumps(made_by))
    monkeypatch.setattr(sys, "argv", ["first_run.py", "--games", "10k"])
    with pytest.raises(SystemExit) as stopped:
        first_run.main()
    assert stopped.value.code == 2
    assert "holds a run with --games 1M, not 10k; move or delete it" in capsys.readouterr().err


def test_schema_is_printed(capsys):
    _, out, _ = cli(capsys, "schema")
    assert "win_share" in out
    _, out, _ = cli(capsys, "schema", "--json")
    assert json.loads(out)["schema_version"] == SCHEMA_VERSION


def test_version_and_help(capsys):
    assert cli(capsys, "--version") == (0, f"rcsim {rcsim.__version__}\n", "")
    code, out, _ = cli(capsys, "--help")
    assert code == 0
    for command in ("sweep", "play", "trace", "replay", "schema", "rules"):
        assert re.search(rf"^  {command} +\S.*[^.]\.$", out, re.M)  # nothing is cut short
    assert "--threads" in cli(capsys, "sweep", "--help")[1]


@pytest.mark.parametrize("arguments", [[], ["rules"]])
def test_no_command_gets_the_help(capsys, arguments):
    _, out, err = cli(capsys, *arguments)
    assert re.search(r"^  (sweep|list) +\S", out + err, re.M)
    assert "error" not in out + err


def test_help_imports_nothing_heavy():
    code = (
        "import sys, contextlib, io, rcsim.cli\n"
        "with contextlib.redirect_stdout(io.StringIO()): rcsim.cli.run(['sweep', '--help'])\n"
        "print(sorted({'numba', 'numpy', 'polars', 'pyarrow', 'pandas', 'rich.progress'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("text", "value"),
    [("1000000", 10**6), ("1_000_000", 10**6), ("1,000", 1000), ("1e6", 10**6), ("2.5e3", 2500), ("1M", 10**6),
     ("10k", 10**4), ("1.5M", 1_500_000), ("0", 0)],
)  # fmt: skip
def test_whole_numbers(text, value):
    assert options.whole("games", text) == value


@pytest.mark.parametrize("text", ["", "1.5", "1e-3", "0x10", "one", "1k5", "--", "1e99999", "nan"])
def test_numbers_that_are_none(text):
    with pytest.raises(UserError, match=r"--games: .* was given; accepted: a whole number of at least 0"):
        options.whole("games", text)


def test_plain_progress_is_a_line_now_and_then(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.Progress() as shown:
        for second in range(1, 100):
            now[0] = float(second)
            shown.update(second * 10_000, 0, 1_000_000, lambda: None)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "rcsim: 100,000 of 1,000,000 games, 10,000 games/s, 1 min 30 s left",
        "rcsim: 300,000 of 1,000,000 games, 10,000 games/s, 1 min 10 s left",
        "rcsim: 700,000 of 1,000,000 games, 10,000 games/s, 30 s left",
    ]


def test_progress_shows_the_width_shrinking(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.Progress(0.002) as shown:
        for second in range(1, 40):
            now[0] = float(second)
            shown.update(second * 10_000, 500_000, 1_000_000, lambda: now[0] ** -0.5 / 50)
    assert capsys.readouterr().err.splitlines() == [
        "rcsim: 600,000 of 1,000,000 games, 10,000 games/s, at most 40 s left, interval ± 0.63 of ± 0.2 points",
        "rcsim: 800,000 of 1,000,000 games, 10,000 games/s, at most 20 s left, interval ± 0.37 of ± 0.2 points",
    ]


def test_progress_keeps_the_interval_longest(capsys, monkeypatch):
    parts = ["10,000 games/s", "at most 40 s left", "interval ± 0.63 of ± 0.2 points"]
    assert progress.fitting(parts, 66) == ", ".join(parts)
    assert progress.fitting(parts, 65) == ", ".join(parts[1:])
    assert progress.fitting(parts, 20) == parts[2]
    assert [progress.plus_minus(name) for name in ("utf-8", "latin-1", "ascii", None)] == ["±", "±", "+-", "+-"]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.Progress(0.002) as shown:
        now[0] = 10.0
        shown.update(100_000, 0, 1_000_000, lambda: 0.0063)
        shown._bar.refresh()
    (line,) = {
        piece for piece in re.split(r"[\r\n]|\x1b\[[\d;?]*[A-Za-z]", capsys.readouterr().err) if "interval" in piece
    }
    assert "interval ± 0.63 of ± 0.2 points" in line


def test_tables_are_never_cut():
    text = tables.table(["seat", "policy"], [["0", "x" * 300], ["10", "[red]"]])
    assert text.splitlines()[1] == "   0  " + "x" * 300
    assert "[red]" in text
    assert [tables.with_half(43.2149, h) for h in (None, 0.03, 1.2)] == ["43.2", "43.21 ± 0.03", "43.2 ± 1.2"]
    assert [progress.duration(s) for s in (1.26, 59, 250, 7500)] == ["1.3 s", "59 s", "4 min 10 s", "2 h 5 min"]
