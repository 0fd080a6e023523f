"""`rcsim merge`: the shards of a run become the run; what does not belong together is refused by name."""

import os
import re
import shutil
from dataclasses import replace

import pytest

import rcsim
from rcsim.experiments.errors import StoreError
from rcsim.experiments.store import merge as merging
from rcsim.experiments.store.content import content_hash
from rcsim.experiments.store.folder import Folder
from rcsim.experiments.store.merge import merge, survey
from rcsim.experiments.store.parts import Part
from rcsim.experiments.store.verify import verify
from tests.test_cli import cli, fails
from tests.test_resume import PARTS, RUN, Killed, flip, full, resume, snapshot, whole, write_part  # noqa: F401
from tests.test_store import make_run

RUN_OF_A_SHARD = replace(RUN, command="rcsim sweep --games 90 --shard 2/3 --out b")


@pytest.fixture
def shards(tmp_path):
    """Three folders, each with two parts."""
    paths = [tmp_path / name for name in "abc"]
    for i, path in enumerate(paths):
        resume(path, RUN_OF_A_SHARD, PARTS[i::3])
    return paths


def merged(paths, out, **more):
    run, sources = survey(paths, out)
    return merge(run, sources, out, **more)


def test_shards_are_the_run(capsys, shards, tmp_path, whole):  # noqa: F811
    before = [snapshot(path) for path in shards]
    code, out, err = cli(capsys, "merge", *shards, "--out", tmp_path / "out")
    assert (code, err) == (0, "")
    lines = dict(re.findall(r"^(\w+) +(.*)$", out, re.M))
    assert lines["games"] == "180, which is all"
    assert lines["parts"] == "6, of 3 folders"
    assert lines["hash"] == content_hash(whole) == content_hash(tmp_path / "out")
    assert out.endswith(f"\n\n    rcsim sweep --games 90 --out {tmp_path / 'out'}\n")
    assert [snapshot(path) for path in shards] == before
    assert Folder(tmp_path / "out").read().command == f"rcsim sweep --games 90 --out {tmp_path / 'out'}"
    report = verify(tmp_path / "out", sample=0)
    assert (report.damages, report.notes, report.games) == ([], [], 180)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["SHA256SUMS", "games", "run.json", "seats"]
    made = snapshot(tmp_path / "out")
    assert cli(capsys, "merge", *reversed(shards), "--out", tmp_path / "out")[1] == out  # again: there is nothing to do
    assert snapshot(tmp_path / "out") == made


def test_some_shards_are_a_part_of_the_run(capsys, shards, tmp_path, whole):  # noqa: F811
    out = tmp_path / "out"
    code, text, _ = cli(capsys, "merge", *shards[:2], "--out", out)
    assert code == 0
    told = "games     120 of 180; 60 are missing\nmissing   cell 0: 60 to 89\nmissing   cell 1: 60 to 89\n"
    assert told in text
    assert "To play what is missing:" in text
    merged([shards[2], shards[0]], out)  # into what is there
    assert content_hash(out) == content_hash(whole)


def test_what_is_missing_after_a_merge_is_played(shards, tmp_path, whole):  # noqa: F811
    merged(shards[:2], tmp_path / "out")
    assert resume(tmp_path / "out") == (PARTS[2::3], [])
    assert content_hash(tmp_path / "out") == content_hash(whole)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": "9.9"}, "version: 0.1.0 in {a}, 9.9 in {b}"),
        ({"seed": 8}, "seed: 7 in {a}, 8 in {b}"),
        ({"detail": "seats"}, "detail: full in {a}, seats in {b}"),
        ({"cells": RUN.cells[:1]}, "cells: 2 in {a}, 1 in {b}"),
        ({"cells": (RUN.cells[0], replace(RUN.cells[1], board="advanced"))}, "board of cell 1: basic in {a}, advanced"),
        ({"rulesets": {"abc": RUN.rulesets["abc"] | {"note": "other"}}}, "the text of a ruleset"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_folders_of_different_runs(shards, tmp_path, change, said):
    other = tmp_path / "other"
    Folder(other).open(replace(RUN, **change))
    words = said.format(a=shards[0], b=other)
    with pytest.raises(StoreError) as error:
        merged([*shards, other], tmp_path / "out")
    assert str(error.value).startswith(f"{other}: of another run than {shards[0]} (")
    assert words in str(error.value)
    assert not (tmp_path / "out").exists()


def test_parts_that_share_games(shards, tmp_path):
    folder = Folder(shards[0])
    folder.open(RUN)
    write_part(folder, RUN, Part(0, 35, 5))
    folder.close()
    with pytest.raises(StoreError) as error:
        merged(shards, tmp_path / "out")
    assert str(error.value) == (
        f"{Folder(shards[1]).file('games', PARTS[1])} and {folder.file('games', Part(0, 35, 5))}: games 35 to 39 of"
        " cell 0 are in both; nothing was merged: take one of them away"
    )
    assert not (tmp_path / "out").exists()


def test_the_same_part_twice(shards, tmp_path):
    shutil.copytree(shards[0], tmp_path / "twin")
    with pytest.raises(StoreError, match="games 0 to 29 of cell 0 are in both, with the same content; nothing was mer"):
        merged([*shards, tmp_path / "twin"], tmp_path / "out")
    with pytest.raises(StoreError, match="given twice"):
        merged([*shards, tmp_path / "twin" / ".." / "a"], tmp_path / "out")
    with pytest.raises(StoreError, match="a: one of the folders to merge; give another one"):
        merged(shards, shards[0])


def test_a_damaged_part(shards, tmp_path):
    flip(Folder(shards[1]).file("seats", PARTS[4]))
    flip(Folder(shards[1]).file("games", PARTS[1]))
    with pytest.raises(StoreError) as error:
        merged(shards, tmp_path / "out")
    assert str(error.value) == (
        f"{Folder(shards[1]).file('games', PARTS[1])}: damaged (its checksum is not that of SHA256SUMS), and 1 more"
        f" part; nothing was merged: run the command of {shards[1]} again, that repairs it"
    )
    (shards[1] / "SHA256SUMS").unlink()
    with pytest.raises(StoreError, match=r"-0+59.parquet: damaged \(.*, and 1 more part; nothing was merged"):
        merged(shards, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_files_that_are_missing_or_do_not_belong_there(shards, tmp_path):
    file = Folder(shards[1]).file("seats", PARTS[4])
    (shards[0] / "games" / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match=r"notes.txt: does not belong there; move it away"):
        merged(shards, tmp_path / "out")
    (shards[0] / "games" / "notes.txt").unlink()
    file.unlink()
    with pytest.raises(
        StoreError, match=r"seats/cell-00001.*: missing; nothing was merged: run the command of .*b again"
    ):
        merged(shards, tmp_path / "out")
    Folder(shards[1]).file("games", PARTS[4]).unlink()
    with pytest.raises(StoreError, match="missing"):  # SHA256SUMS knows of it
        merged(shards, tmp_path / "out")
    (shards[2] / "run.json").write_text("{")
    with pytest.raises(StoreError, match=r"c/run.json: damaged .*run the command of .*c again"):
        merged(shards, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", [None, "{", "[1]", "other command"])
def test_a_source_without_a_sound_manifest(shards, tmp_path, text):
    file = shards[1] / "run.json"
    was = file.read_text()
    file.unlink() if text is None else file.write_text(was.replace("--games 90", "--games 91") if " " in text else text)
    repair = f"nothing was merged: run the command of {shards[1]} again, that repairs it"
    with pytest.raises(StoreError, match=re.escape(repair)):
        merged(shards, tmp_path / "out")
    resume(shards[1], RUN_OF_A_SHARD, PARTS[1::3])
    merged(shards, tmp_path / "out")


def test_folders_of_an_older_version(shards, tmp_path, monkeypatch):
    here = rcsim.__version__
    monkeypatch.setattr(rcsim, "__version__", "9.9")
    said = f"{shards[0]}: made by rcsim {here}, and this is 9.9; merge it with rcsim {here}, which can"
    with pytest.raises(StoreError, match=re.escape(said)):
        merged(shards, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_target_inside_a_source(shards):
    with pytest.raises(StoreError, match=r"out: inside .*b, one of the folders to merge; give another one"):
        merged(shards, shards[1] / "deep" / "out")
    assert not (shards[1] / "deep").exists()


def test_a_folder_that_is_being_written(shards, tmp_path):
    folder = Folder(shards[1])
    folder.open(RUN)
    with pytest.raises(StoreError, match=rf"b: process {os.getpid()} on .* writes there; wait for it"):
        merged(shards, tmp_path / "out")
    folder.close()
    target = Folder(tmp_path / "out")
    target.open(RUN)
    with pytest.raises(StoreError, match=rf"out: process {os.getpid()} on .* writes there"):
        merged(shards, tmp_path / "out")
    target.close()
    merged(shards, tmp_path / "out")


@pytest.mark.parametrize("error", [Killed, OSError(28, "No space left on device")])
def test_a_merge_that_was_broken_off_goes_on(shards, tmp_path, whole, monkeypatch, error):  # noqa: F811
    real, out, count = merging.sha256, tmp_path / "out", 0

    def dying(path):
        nonlocal count
        count += 1
        if count == 6:  # the second file of the third part has been copied
            raise error
        return real(path)

    with monkeypatch.context() as patch:
        patch.setattr(merging, "sha256", dying)
        with pytest.raises(Killed if error is Killed else StoreError) as said:
            merged(shards, out)
        if error is not Killed:
            assert str(said.value) == f"{out}: cannot be written (No space left on device)"
    assert Folder(out).parts() == PARTS[:2]
    assert verify(out, sample=0).damages == []
    assert merged(shards, out) == []
    assert content_hash(out) == content_hash(whole)


def test_a_copy_that_does_not_read_as_it_was_written(shards, tmp_path, monkeypatch):
    def failing(path):
        flip(path)
        return real(path)

    real = merging.sha256
    monkeypatch.setattr(merging, "sha256", failing)
    with pytest.raises(StoreError, match="does not read as it was written; the disk may be failing"):
        merged(shards, tmp_path / "out")
    assert Folder(tmp_path / "out").parts() == []
    assert not (tmp_path / "out" / "unfinished").exists()


def test_another_run_in_the_target(capsys, shards, tmp_path, whole):  # noqa: F811
    out = tmp_path / "out"
    resume(out, make_run(games=20), [Part(0, 0, 20)])
    before = snapshot(out)
    error = fails(capsys, "merge", *shards, "--out", out)
    assert error.startswith(f"--out: {out}: holds another run (cells: 1 there, 2 here; ")
    assert snapshot(out) == before
    assert cli(capsys, "merge", *shards, "--out", out, "--force")[0] == 0
    assert content_hash(out) == content_hash(whole)
    flip(Folder(out).file("seats", PARTS[3]))
    (note,) = merged(shards, out)  # what the target has is judged too, and brought back
    assert "set aside, to be played again" in note
    assert content_hash(out) == content_hash(whole)


def test_arguments_of_a_merge(capsys, shards, tmp_path):
    assert "alone was given; accepted: two folders or more" in fails(
        capsys, "merge", shards[0], "--out", tmp_path / "o"
    )
    assert "no such file or folder" in fails(capsys, "merge", shards[0], tmp_path / "none", "--out", tmp_path / "o")
    (tmp_path / "empty").mkdir()
    assert "holds no run" in fails(capsys, "merge", shards[0], tmp_path / "empty", "--out", tmp_path / "o")
    assert "--out" in fails(capsys, "merge", *shards)
    (tmp_path / "file").write_text("")
    assert "cannot be written (not a folder)" in fails(capsys, "merge", *shards, "--out", tmp_path / "file")
