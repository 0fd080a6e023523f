"""`rcsim verify`: sound is called sound, whatever is damaged is named, and the command of the run repairs it."""

import json
import os
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import rcsim
from rcsim.analysis.sums import Sums
from rcsim.cli import run as run_cli
from rcsim.cli.resume import command_for
from rcsim.experiments import work
from rcsim.experiments.cells import design
from rcsim.experiments.runner import Pool
from rcsim.experiments.store import verify as verifying
from rcsim.experiments.store.content import content_hash
from rcsim.experiments.store.folder import Folder
from rcsim.experiments.store.parts import Part
from rcsim.experiments.store.verify import verify
from rcsim.rules.loader import load
from tests.test_cli import cli, fails
from tests.test_resume import damage_cut, damage_empty, damage_flip, flip, snapshot

ROOT = Path(__file__).resolve().parent.parent
RULESET = load()
COMMAND = ("sweep", "--policy", "builder", "--players", 2, "--plan", "all", "--games", 70, "--threads", 1)
PARTS = [Part(cell, 0, 70) for cell in range(3)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "a"
    assert run_cli([*map(str, COMMAND), "--out", str(path)]) == 0
    return path


@pytest.fixture
def copy(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "a")
    return tmp_path / "a"


def play(path, run, part_games=40):
    """Play a run into a folder."""
    folder = Folder(path)
    folder.open(run)
    pool = Pool(run, {RULESET.hash: RULESET}, threads=1, folder=folder, part_games=part_games, chunk_games=part_games)
    pool.start()
    while not pool.wait(0.05):
        pass
    folder.close()


def some_run(detail="full", games=100, **more):
    run = design(RULESET, seed=3, games=games, players=2, plan="any", policy=["builder", "random"], **more)
    return replace(run, detail=detail)


def test_a_sound_folder(capsys, whole):
    before = snapshot(whole)
    code, out, err = cli(capsys, "verify", whole)
    assert (code, err) == (0, "")
    lines = dict(re.findall(r"^(\w+) +(.*)$", out, re.M))
    assert lines["run"].startswith(f"rcsim {rcsim.__version__}, seed 1, 3 cells, detail full, run hash ")
    assert lines["parts"] == "3"
    assert lines["games"] == "210, which is all"
    assert lines["replayed"] == "96 games, each as it is stored"
    assert lines["hash"] == content_hash(whole)
    assert out.endswith("\n\nNothing is damaged.\n")
    assert max(map(len, out.splitlines())) <= 80
    assert cli(capsys, "verify", whole)[1] == out
    assert snapshot(whole) == before


def test_the_sample_is_fixed_and_spread(whole, monkeypatch):
    seen = []
    real = verifying._Verifier._play
    monkeypatch.setattr(
        verifying._Verifier, "_play", lambda self, part, games: (seen.append((part, games)), real(self, part, games))
    )
    for sample in (7, 7, 10**6, 1):
        assert verify(whole, sample=sample).replayed == 3 * min(sample, 70)
    assert seen[:3] == seen[3:6]
    for part, games in seen[:3]:
        assert part in PARTS
        assert [game // 10 for game in games] == list(range(7))
    assert [games for _, games in seen[6:9]] == [list(range(70))] * 3
    assert len({tuple(games) for _, games in seen[:3]}) == 3
    assert verify(whole, sample=0).replayed == 0


def repaired(capsys, path, whole, *named):
    """Verify names the damages and no others, the command that it tells repairs them, and then all is sound."""
    before = snapshot(path)
    code, out, err = cli(capsys, "verify", path, "--sample", 5)
    assert (code, err) == (1, "")
    damages = [line.removeprefix("damaged   ") for line in out.splitlines() if line.startswith("damaged")]
    assert len(damages) == len(named), out
    for damage, words in zip(damages, named, strict=True):
        assert words in damage
    count = "1 thing is" if len(named) == 1 else f"{len(named)} things are"
    assert f"\n{count} damaged. To repair, run the command of the run again: " in out
    assert snapshot(path) == before
    command = out.splitlines()[-1].split()
    assert command == ["rcsim", *map(str, COMMAND), "--out", str(path)]
    code, _, err = cli(capsys, *command[1:])
    assert code == 0, err
    code, text, err = cli(capsys, *command[1:])
    assert (code, err) == (0, "rcsim: nothing was left to play: all 210 games were there\n")
    assert "win share" in text
    report = verify(path)
    assert (report.damages, report.hash, report.games) == ([], content_hash(whole), 210)


@pytest.mark.parametrize("table", ["games", "seats"])
@pytest.mark.parametrize("damage", [damage_flip, damage_cut, damage_empty], ids=lambda d: d.__name__)
def test_a_damaged_part(capsys, copy, whole, table, damage):
    damage(Folder(copy).file(table, PARTS[1]))
    repaired(capsys, copy, whole, f"{table}/{PARTS[1].name}: damaged (its checksum is not that of SHA256SUMS)")


def test_several_damages(capsys, copy, whole):
    folder = Folder(copy)
    folder.file("games", PARTS[0]).unlink()
    flip(folder.file("seats", PARTS[2]))
    (copy / "run.json").write_text((copy / "run.json").read_text()[:500])
    repaired(
        capsys,
        copy,
        whole,
        f"games/{PARTS[0].name}: missing",
        "run.json: damaged (its checksum is not that of SHA256SUMS)",
        f"seats/{PARTS[2].name}: damaged",
    )


def test_two_parts_of_the_same_size_in_each_others_place(capsys, copy, whole):
    folder = Folder(copy)
    one, other = (folder.file("games", part) for part in PARTS[:2])
    for at, file in enumerate((one, other)):
        file.rename(copy / str(at))
    (copy / "0").rename(other)
    (copy / "1").rename(one)
    (copy / "SHA256SUMS").unlink()
    said = "another part by its footer (cell {}, 70 games from 0 on)"
    repaired(
        capsys,
        copy,
        whole,
        "SHA256SUMS: missing, or empty",
        f"games/{PARTS[0].name}: {said.format(1)}",
        f"games/{PARTS[1].name}: {said.format(0)}",
    )


def test_checksums_that_are_gone_or_garbled(capsys, copy, whole):
    (copy / "SHA256SUMS").unlink()
    repaired(capsys, copy, whole, "SHA256SUMS: missing, or empty")
    (copy / "SHA256SUMS").write_text((copy / "SHA256SUMS").read_text().replace("  seats", " seats"))
    repaired(capsys, copy, whole, "SHA256SUMS: 3 of its lines cannot be read")


def test_a_manifest_that_is_gone(capsys, copy, whole):
    (copy / "run.json").unlink()
    code, out, _ = cli(capsys, "verify", copy)
    assert code == 1
    assert "seed 1, known from its parts, detail full, run hash " + Folder(whole).read().hash in out
    assert "\ngames     210\n" in out
    assert "\nreplayed  96 games\n" in out
    repaired(capsys, copy, whole, "run.json: missing")


def test_what_does_not_belong_there(capsys, copy):
    for name in ("notes.txt", "more.txt", ".DS_Store"):  # the last one is no concern of anybody
        (copy / "seats" / name).write_text("mine")
    (copy / "summary").mkdir()
    shutil.copy(Folder(copy).file("games", PARTS[0]), copy / "summary")
    code, out, _ = cli(capsys, "verify", copy, "--sample", 0)
    assert code == 1
    assert "damaged   seats/notes.txt: does not belong there; move it away\n" in out
    assert f"damaged   summary/{PARTS[0].name}: does not belong there; move it away\n" in out
    assert out.count("damaged  ") == 3
    text = f"    {copy}/seats/more.txt\n    {copy}/seats/notes.txt\n    {copy}/summary/{PARTS[0].name}\n\n"
    assert out.endswith(f"3 things are damaged. Move this away, whatever it is:\n\n{text}Nothing else is damaged.\n")
    error = fails(capsys, *COMMAND, "--out", copy)
    assert f"{copy}/seats/more.txt, {copy}/seats/notes.txt: not files of rcsim; move them away" in error
    (copy / "seats" / "more.txt").unlink()
    (copy / "seats" / "notes.txt").unlink()
    assert cli(capsys, *COMMAND, "--out", copy)[0] == 0


@pytest.mark.parametrize("name", ["unfinished", "aside", "games", "run.json", "SHA256SUMS"])
def test_what_is_in_the_way_of_a_folder_or_a_file(capsys, copy, name):
    if (copy / name).is_dir():
        shutil.rmtree(copy / name)
    (copy / name).unlink(missing_ok=True)
    if "." in name or name.isupper():
        (copy / name).mkdir()
        kind = "regular file"
    else:
        (copy / name).write_text("mine")
        kind = "folder"
    before = snapshot(copy)
    code, out, err = cli(capsys, "verify", copy)
    assert (code, err) == (1, "")
    assert f"damaged   {name}: not a {kind}; move it away\n" in out
    assert "Errno" not in out
    assert f"damaged. Move this away, whatever it is:\n\n    {copy / name}\n" in out
    assert ("Nothing else is damaged." in out) == (name != "games")
    error = fails(capsys, *COMMAND, "--out", copy)
    assert error == f"--out: {copy}: cannot be written; move away what is in the way: {copy / name}"
    assert snapshot(copy) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes there")
@pytest.mark.parametrize("name", [f"games/{PARTS[1].name}", f"seats/{PARTS[0].name}", "run.json", "SHA256SUMS"])
def test_a_pipe_is_not_waited_for(capsys, copy, whole, name):
    (copy / name).unlink()
    os.mkfifo(copy / name)
    damages = verify(copy, sample=0).damages
    assert damages[0].startswith(f"{name}: not a regular file")
    if "/" in name:
        assert cli(capsys, *COMMAND, "--out", copy)[0] == 0
        assert content_hash(copy) == content_hash(whole)
    else:
        assert f"in the way: {copy / name}" in fails(capsys, *COMMAND, "--out", copy)


def test_checksums_that_lack_lines(capsys, copy, whole):
    lines = (copy / "SHA256SUMS").read_text().splitlines(keepends=True)
    (copy / "SHA256SUMS").write_text("".join(line for line in lines if PARTS[1].name not in line))
    repaired(capsys, copy, whole, "SHA256SUMS: 1 part is not listed")
    (copy / "SHA256SUMS").write_text("".join(lines)[:140])
    code, _, err = cli(capsys, *COMMAND, "--out", copy)
    assert code == 0
    assert "SHA256SUMS: 3 parts are not listed; judged by themselves, and the lines written anew\n" in err
    assert verify(copy, sample=0).damages == []


def test_text_that_is_not_utf8(copy):
    file = Folder(copy).file("games", PARTS[0])
    file.write_bytes(file.read_bytes().replace(b"rcsim.ruleset_hash", b"rcsim.ruleset_\xff\xff\xff\xff", 1))
    (copy / "SHA256SUMS").unlink()
    damages = verify(copy, sample=0).damages
    assert damages == ["SHA256SUMS: missing, or empty", f"games/{PARTS[0].name}: damaged (text in it is not UTF-8)"]


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="no such names there")
def test_a_name_that_is_not_utf8(capsys, tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff")
    assert fails(capsys, *COMMAND, "--out", path).endswith(": cannot be written (a name that is not UTF-8)")
    assert not list(tmp_path.iterdir())


def test_a_swapped_part_of_another_run(capsys, copy, tmp_path):
    other = [*map(str, COMMAND), "--seed", "2", "--out", str(tmp_path / "b")]
    assert cli(capsys, *other)[0] == 0
    for table in ("games", "seats"):
        shutil.copy(Folder(tmp_path / "b").file(table, PARTS[0]), copy / table)
    (copy / "SHA256SUMS").unlink()
    damages = verify(copy, sample=0).damages
    assert sum(f"{PARTS[0].name}: of another run (seed 2, " in damage for damage in damages) == 2


def play_wrong(path, monkeypatch, run, **more):
    """Play a run of two players in which the last column of seat 1 is one too high in game 57."""
    real = work.kernel()

    def wrong(tables, lineup, seed, first, games, seats):
        real(tables, lineup, seed, first, games, seats)
        if first <= 57 < first + len(games):
            seats[2 * (57 - first) + 1, -1] += 1

    with monkeypatch.context() as patch:
        patch.setattr(work, "kernel", lambda: wrong)
        play(path, run, **more)


def test_a_part_that_the_engine_plays_otherwise(tmp_path, monkeypatch):
    play_wrong(tmp_path / "a", monkeypatch, some_run())
    report = verify(tmp_path / "a", sample=100)
    (damage,) = report.damages
    assert re.fullmatch(
        r"seats/cell-00000_game-0+40-0+79.parquet: game 57: \w+ is (\d+), (\d+), and \1, \d+ when the game is played"
        " again",
        damage,
    )
    assert report.hash is None
    assert report.games == 60


@pytest.mark.parametrize("detail", ["seats", "summary"])
def test_other_details(capsys, tmp_path, detail):
    play(tmp_path / "a", some_run(detail))
    code, out, _ = cli(capsys, "verify", tmp_path / "a")
    assert code == 0
    if detail == "seats":
        assert "\nreplayed  32 games, each as it is stored\n" in out
    else:  # the last part is small enough
        assert "\nreplayed  20 games, each as it is stored\n" in out
        assert verify(tmp_path / "a", sample=19).notes == [
            "a summary has no games to play again; --sample 20 plays its smallest part"
        ]
    assert f"\nhash      {content_hash(tmp_path / 'a')}\n" in out
    play(tmp_path / "b", some_run(detail), part_games=100)
    assert content_hash(tmp_path / "a") == content_hash(tmp_path / "b")
    flip(next((tmp_path / "b").glob("s*/*.parquet")))
    assert "damaged (its checksum" in verify(tmp_path / "b").damages[0]


def test_counts_that_the_engine_makes_otherwise(tmp_path, monkeypatch):
    play_wrong(tmp_path / "a", monkeypatch, some_run("summary"), part_games=100)
    (damage,) = verify(tmp_path / "a", sample=100).damages
    assert re.fullmatch(
        r"summary/cell-\S+.parquet: \w+ \d+ of seat 1 is counted \d+ times, and \d+ when the games are played again",
        damage,
    )


def test_what_is_missing_is_told_and_no_damage(capsys, copy, whole):
    for table in ("games", "seats"):
        Folder(copy).file(table, PARTS[1]).unlink()
    lines = (copy / "SHA256SUMS").read_text().splitlines(keepends=True)
    (copy / "SHA256SUMS").write_text("".join(line for line in lines if PARTS[1].name not in line))
    code, out, _ = cli(capsys, "verify", copy, "--sample", 0)
    assert code == 0
    assert "\ngames     140 of 210; 70 are missing\nmissing   cell 1: 0 to 69\n" in out
    told = out.splitlines()[-1].split()
    assert told == ["rcsim", *map(str, COMMAND), "--out", str(copy)]
    assert cli(capsys, *told[1:])[0] == 0
    assert content_hash(copy) == content_hash(whole)


def test_another_version_is_read_and_not_played(copy, monkeypatch):
    monkeypatch.setattr(rcsim, "__version__", "9.9")
    monkeypatch.setattr(verifying.rcsim, "__version__", "9.9")
    report = verify(copy)
    assert (report.damages, report.replayed) == ([], 0)
    made = f"made by rcsim {Folder(copy).read().version}, and this is 9.9"
    assert report.notes == [f"{made}: no game is played again, and only that version goes on with it"]


def test_a_writer_at_work_and_one_that_died(copy):
    folder = Folder(copy)
    folder.open(folder.read())
    (note,) = verify(copy, sample=0).notes
    assert note.startswith(f"process {os.getpid()} on ")
    folder.lock._held.release()
    report = verify(copy, sample=0)
    assert (report.damages, report.notes) == ([], ["a writer died; what it left in unfinished/ goes with the next run"])


def test_folders_that_cannot_be_verified(capsys, tmp_path):
    assert fails(capsys, "verify", tmp_path / "none") == f"{tmp_path / 'none'}: no such file or folder"
    assert fails(capsys, "verify", tmp_path) == f"{tmp_path}: holds no run"
    assert "--sample: some was given; accepted: a whole number" in fails(capsys, "verify", tmp_path, "--sample", "some")


def test_sums_in_the_footers_are_those_of_the_rows(whole):
    folder = Folder(whole)
    sums = Sums()
    for part in folder.parts():
        sums.merge(Sums.from_json(json.loads(folder.sums(part))))
    assert sums.games()["games"].to_list() == [70, 70, 70]


def test_the_command_that_goes_on(tmp_path):
    assert command_for("rcsim sweep a.toml --shard 2/3 --out 'a b' --force", tmp_path) == (
        f"rcsim sweep a.toml --out {tmp_path}"
    )
    assert command_for("rcsim sweep --out=x --shard=1/2 --set 'a=b c'", tmp_path) == (
        f"rcsim sweep --set 'a=b c' --out {tmp_path}"
    )
    assert command_for("rcsim sweep --out=x --shard 1/2 --force", tmp_path, shard=True) == (
        f"rcsim sweep --shard 1/2 --out {tmp_path}"
    )


def test_a_shard_is_told_as_one(capsys, tmp_path, whole):
    command = [*map(str, COMMAND), "--shard", "2/3"]
    assert cli(capsys, *command, "--out", tmp_path / "a")[0] == 0
    code, out, _ = cli(capsys, "verify", tmp_path / "a")
    assert code == 0
    assert out.endswith("It is a shard of its run: the others have the rest (see rcsim merge).\n")
    flip(next((tmp_path / "a" / "games").iterdir()))
    code, out, _ = cli(capsys, "verify", tmp_path / "a")
    assert (code, out.splitlines()[-1].split()) == (1, ["rcsim", *command, "--out", str(tmp_path / "a")])


def test_the_damage_trial_in_short(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import damage

    assert damage.main(["--games", "40", "--flips", "1", "--write", str(tmp_path / "damage.md")]) == 0
    text = (tmp_path / "damage.md").read_text()
    assert int(re.search(r"\*\*(\d+) of \1\*\* times the damage was named", text)[1]) >= 24
