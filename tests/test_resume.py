"""Opening a run folder again: what is sound stays, anything else is named, set aside and made again; no more."""

import os
import shutil

import polars as pl
import pytest

from rcsim.experiments.encode import Encoder
from rcsim.experiments.errors import StoreError
from rcsim.experiments.store import disk, parts
from rcsim.experiments.store.content import content_hash
from rcsim.experiments.store.folder import Folder
from rcsim.experiments.store.parts import Part, PartWriter
from tests.test_store import RULESET, make_run, rows_of

RUN = make_run(games=90, cells=2)
SIZE = 30  # games of a part
PARTS = [Part(cell, first, SIZE) for cell in (0, 1) for first in (0, 30, 60)]


def write_part(folder, run, part, sums="{}"):
    """Write a part of made-up games; what fails, fails after the writer has cleaned up."""
    cell = run.cells[part.cell]
    encoder = Encoder(run, cell, RULESET, part.count)
    encoder.add(part.first, *rows_of(part.first, part.count, cell.seats))
    writer = PartWriter(folder, run, part)
    try:
        writer.append(part.count, encoder.take())
        writer.finish(sums)
    finally:
        writer.abandon()


def resume(path, run=RUN, wanted=PARTS, force=False):
    """Open a folder and write the parts that are missing: what was written, and what `open` had to say."""
    folder = Folder(path)
    folder.open(run, force=force)
    try:
        there = folder.parts()
        new = [part for part in wanted if part not in there]
        for part in new:
            write_part(folder, run, part, f"sums of {part.name}")
    finally:
        folder.close()
    return new, folder.notes


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "a"
    assert resume(path) == (PARTS, [])
    return path


@pytest.fixture
def copy(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "a")
    return tmp_path / "a"


def flip(path, at=0.5):
    """Turn one bit of a file."""
    data = bytearray(path.read_bytes())
    data[int(len(data) * at)] ^= 8
    path.write_bytes(data)


def snapshot(path):
    """What is in a folder, by name."""
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def repaired(path, whole, new, *said):
    """Resume a folder: `new` parts are written, `said` is in the notes, and then all is as in the whole one."""
    written, notes = resume(path)
    assert written == new
    assert len(notes) == len(said), notes
    for note, words in zip(notes, said, strict=True):
        assert words in note
        assert "\n" not in note
    assert content_hash(path) == content_hash(whole)
    kept = {name: data for name, data in snapshot(path).items() if not name.startswith("aside/")}
    assert kept.keys() == snapshot(whole).keys()
    assert sorted(kept["SHA256SUMS"].splitlines()) == sorted((whole / "SHA256SUMS").read_bytes().splitlines())
    assert resume(path) == ([], [])


def test_a_sound_folder_is_left_as_it_is(copy):
    before = snapshot(copy)
    assert resume(copy) == ([], [])
    assert resume(copy, force=True) == ([], [])  # the same run: nothing has to be replaced
    assert snapshot(copy) == before
    assert Folder(copy).sums(PARTS[4]) == f"sums of {PARTS[4].name}"


def test_what_is_missing_is_made(tmp_path, whole):
    folder = Folder(tmp_path / "a")
    folder.open(RUN)
    for part in (PARTS[3], PARTS[1]):
        write_part(folder, RUN, part, f"sums of {part.name}")
    folder.close()
    repaired(tmp_path / "a", whole, [PARTS[0], PARTS[2], PARTS[4], PARTS[5]])


def test_checksums_are_those_of_sha256sum(copy):
    lines = (copy / "SHA256SUMS").read_text().splitlines()
    assert {line[66:] for line in lines} == snapshot(copy).keys() - {"SHA256SUMS"}
    assert all(disk.sha256(copy / line[66:]) == line[:64] and line[64:66] == "  " for line in lines)


def damage_flip(path):
    flip(path)


def damage_cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def damage_empty(path):
    path.write_bytes(b"")


def damage_swap(path):
    other = path.with_name(PARTS[2].name)
    path.write_bytes(other.read_bytes())


def damage_link(path):
    path.unlink()
    path.symlink_to("nowhere")


def damage_folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("lines", [True, False], ids=["checksums", "no checksums"])
@pytest.mark.parametrize("table", ["games", "seats"])
@pytest.mark.parametrize(
    "damage", [damage_flip, damage_cut, damage_empty, damage_swap, damage_link, damage_folder], ids=lambda d: d.__name__
)
def test_a_damaged_part_is_named_and_made_again(copy, whole, damage, table, lines):
    file = Folder(copy).file(table, PARTS[1])
    damage(file)
    was = file.read_bytes() if file.is_file() else None
    said = [f"{table}/{PARTS[1].name}: "]
    if not lines:
        (copy / "SHA256SUMS").unlink()
        said.append("SHA256SUMS: 5 parts are not listed; judged by themselves, and the lines written anew")
    repaired(copy, whole, [PARTS[1]], *said)
    assert len(list((copy / "aside").iterdir())) == 2
    if was is not None:
        assert (copy / "aside" / f"{table}_{PARTS[1].name}").read_bytes() == was


def judged(path, table):
    """What a part's file says, as far as a reader sees it. StoreError if it is damaged."""
    values = parts.check_footer(path, PARTS[4])
    parts.check_rows(path, table, PARTS[4])
    frame = pl.scan_parquet(path).filter(cell=1, deal=pl.col("game")).filter(game=PARTS[4].first + 7).collect()
    return values, pl.read_parquet(path), frame


@pytest.mark.parametrize("table", ["games", "seats"])
def test_a_flipped_bit_is_found_without_checksums_too(copy, table):
    file = Folder(copy).file(table, PARTS[4])
    data = file.read_bytes()
    values, rows, some = judged(file, table)
    found = 0
    for i in range(100):
        flipped = bytearray(data)
        flipped[len(data) * i // 100] ^= 1 << i % 8
        file.write_bytes(flipped)
        try:
            now = judged(file, table)
        except StoreError as error:
            found += 1
            assert "\n" not in str(error)
            continue
        assert now[0] == values  # a bit that says nothing, as in the name of the program that wrote the file
        assert now[1].equals(rows)
        assert now[2].equals(some)
    assert found > 70


def test_nothing_set_aside_is_overwritten(copy, whole):
    for _ in range(2):
        flip(Folder(copy).file("seats", PARTS[4]))
        repaired(copy, whole, [PARTS[4]], "SHA256SUMS")
    assert sorted(f.name for f in (copy / "aside").iterdir()) == [
        f"{table}_{PARTS[4].name}{again}" for table in ("games", "seats") for again in ("", ".1")
    ]


def test_a_file_without_its_counterpart(copy, whole):
    Folder(copy).file("seats", PARTS[0]).unlink()
    part = PARTS[0].name
    repaired(copy, whole, [PARTS[0]], f"games/{part}: has no counterpart in seats", f"seats/{part}: missing; to be")


def test_a_part_that_is_gone(copy, whole):
    for table in ("games", "seats"):
        Folder(copy).file(table, PARTS[0]).unlink()
    repaired(copy, whole, [PARTS[0]], "games/cell-00000_game-000000000000", "seats/cell-00000_game-000000000000")


def test_parts_of_one_table_alone(copy, whole):
    shutil.rmtree(copy / "games")
    written, notes = resume(copy)
    assert written == PARTS
    assert sum("has no counterpart in games" in note for note in notes) == 6
    assert content_hash(copy) == content_hash(whole)


def test_parts_that_share_games(copy, tmp_path):
    other = Folder(tmp_path / "b")
    other.open(RUN)
    write_part(other, RUN, Part(0, 20, 50))
    other.close()
    for table in ("games", "seats"):
        shutil.copy(other.file(table, Part(0, 20, 50)), copy / table)
    with pytest.raises(StoreError, match="share games"):
        content_hash(copy)
    _, notes = resume(copy, wanted=[])
    assert ["another part has its games" in note for note in notes] == [True] * 3 + [False]
    assert "1 part is not listed" in notes[3]
    assert [(part.first, part.count) for part in Folder(copy).parts() if part.cell == 0] == [(20, 50)]


def test_a_part_of_another_run(copy, whole, tmp_path):
    other = make_run(games=90, cells=3)
    resume(tmp_path / "b", other)
    for table in ("games", "seats"):
        shutil.copy(Folder(tmp_path / "b").file(table, PARTS[5]), copy / table)
    text = (copy / "SHA256SUMS").read_text().splitlines(keepends=True)
    (copy / "SHA256SUMS").write_text("".join(line for line in text if PARTS[5].name not in line))
    repaired(copy, whole, [PARTS[5]], "of another run", "of another run")


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "flip", "garbled", "binary"])
def test_damaged_checksums_are_written_anew(copy, whole, damage):
    file = copy / "SHA256SUMS"
    if damage == "missing":
        file.unlink()
    elif damage == "flip":
        data = bytearray(file.read_bytes())
        data[66] ^= 1  # the name of the first file
        file.write_bytes(data)
    elif damage == "garbled":
        file.write_text(file.read_text().replace("  ", " "))
    elif damage == "binary":
        file.write_bytes(bytes(range(256)) * 3)
    else:
        file.write_bytes(file.read_bytes()[: 1000 if damage == "cut" else 0])
    said = {"garbled": "13 lines are damaged", "binary": "lines are damaged", "cut": "parts are not listed"}
    said |= dict.fromkeys(("missing", "empty"), "6 parts are not listed")
    repaired(copy, whole, [], *([said[damage]] if damage in said else []))
    assert not (copy / "aside").exists()


def test_a_damaged_checksum_costs_a_part_and_no_data(copy, whole):
    file = copy / "SHA256SUMS"
    lines = file.read_text().splitlines(keepends=True)
    lines[3] = ("0" if lines[3][0] != "0" else "1") + lines[3][1:]
    file.write_text("".join(lines))
    before = snapshot(copy)
    bad = Part.from_name(lines[3].strip().rpartition("/")[2])
    repaired(copy, whole, [bad], "its checksum is not that of SHA256SUMS")
    kept = snapshot(copy)
    for table in ("games", "seats"):
        assert kept[f"aside/{table}_{bad.name}"] == before[f"{table}/{bad.name}"]


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "flipped name", "flipped seed", "not a manifest"])
def test_a_damaged_manifest_is_written_anew(copy, whole, damage):
    file = copy / "run.json"
    text = file.read_text()
    if damage == "missing":
        file.unlink()
    else:
        file.write_text(
            {
                "empty": "",
                "cut": text[:200],
                "flipped name": text.replace('"greedy"', '"greddy"', 1),
                "flipped seed": text.replace('"seed": 7', '"seed": 6'),
                "not a manifest": "[1, 2]",
            }[damage]
        )
    repaired(copy, whole, [], "run.json")
    assert file.read_text() == text


def test_a_flipped_bit_in_the_command_is_seen_by_the_checksum(copy, whole):
    text = (copy / "run.json").read_text()
    (copy / "run.json").write_text(text.replace("--games 1000", "--games 1001"))
    repaired(copy, whole, [], "run.json: damaged; written anew")
    assert (copy / "run.json").read_text() == text


@pytest.mark.parametrize("manifest", [True, False], ids=["manifest", "no manifest"])
def test_another_run_is_named(copy, manifest):
    before = snapshot(copy)
    if not manifest:
        (copy / "run.json").unlink()
    for run, said in (
        (make_run(games=80, cells=2), "games of cell 0: 90 there, 80 here"),
        (make_run(games=90, cells=2, lineup=("random",) * 4), "lineup of cell 0: greedy,random,greedy,greedy there"),
        (make_run(games=90, players=2, lineup=("random", "greedy"), cells=2), "players of cell 0: 4 there, 2 here"),
    ):
        with pytest.raises(StoreError, match=f"holds another run .*{said}.*--force"):
            resume(copy, run)
    assert all(before[name] == data for name, data in snapshot(copy).items())


class Killed(BaseException):
    """In the place of kill -9: no code of the store cleans up after it."""


def killed(monkeypatch, path, target, name, call, wanted=PARTS):
    """Resume a folder, and die at the call of that number of a function, before it has done anything."""
    real, count = getattr(target, name), 0

    def dying(*arguments, **more):
        nonlocal count
        count += 1
        if count == call:
            raise Killed
        return real(*arguments, **more)

    folder = Folder(path)
    folder.open(RUN)
    with monkeypatch.context() as patch:
        patch.setattr(target, name, dying)
        patch.setattr(PartWriter, "abandon", lambda self: None)
        patch.setattr(Folder, "_wipe", lambda self: None)
        with pytest.raises(Killed):
            for part in wanted:
                write_part(folder, RUN, part, f"sums of {part.name}")
        folder.close()


def test_killed_between_the_names_of_a_part(tmp_path, whole, monkeypatch):
    path = tmp_path / "a"
    killed(monkeypatch, path, type(path), "replace", 4)  # seats of the second part are named, games not
    assert [len(list((path / t).iterdir())) for t in ("games", "seats")] == [1, 2]
    assert Folder(path).parts() == PARTS[:1]
    assert (path / "unfinished" / f"games_{PARTS[1].name}").exists()
    repaired(path, whole, PARTS[1:], f"seats/{PARTS[1].name}: has no counterpart in games")


def test_killed_between_the_name_and_the_checksum(tmp_path, whole, monkeypatch):
    path = tmp_path / "a"
    killed(monkeypatch, path, Folder(path).checksums.__class__, "add", 2)
    assert Folder(path).parts() == PARTS[:2]
    assert PARTS[1].name not in (path / "SHA256SUMS").read_text()
    repaired(path, whole, PARTS[2:], "1 part is not listed")


def test_killed_in_the_midst_of_a_checksum(copy, whole):
    file = copy / "SHA256SUMS"
    lines = file.read_text().splitlines(keepends=True)
    for left in (1, 40, 66, 90):
        file.write_text("".join(lines[:-1]) + lines[-1][:left])
        written, (note,) = resume(copy)
        assert (written, "1 part is not listed" in note) == ([], True)
        assert sorted(file.read_text().splitlines(keepends=True)) == sorted(lines)


def test_killed_before_anything(tmp_path, whole, monkeypatch):
    path = tmp_path / "a"
    with monkeypatch.context() as patch:
        patch.setattr(disk, "sync", lambda path: (_ for _ in ()).throw(Killed()))
        patch.setattr(Folder, "close", lambda self: self.lock.give())
        with pytest.raises(Killed):
            resume(path)
    assert not (path / "run.json").exists()
    assert (path / "unfinished" / "run.json").exists()
    repaired(path, whole, PARTS)


def full(*arguments, **more):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    ("target", "name", "kept"),
    [
        (parts.PartWriter, "_open", 1),
        (parts, "sync", 1),
        (os, "fsync", 1),
        (os, "ftruncate", 1),
    ],
)
def test_a_full_disk_costs_nothing_that_was_good(tmp_path, whole, monkeypatch, target, name, kept):
    path = tmp_path / "a"
    folder = Folder(path)
    folder.open(RUN)
    write_part(folder, RUN, PARTS[0], f"sums of {PARTS[0].name}")
    before = snapshot(path)
    with monkeypatch.context() as patch:
        patch.setattr(target, name, full)
        if name == "ftruncate":  # the disk fills up in the midst of a checksum, and nothing can be taken back
            real = os.write
            patch.setattr(os, "write", lambda handle, text: real(handle, text[: len(text) // 2]))
        with pytest.raises(StoreError, match=r"cannot be written .No space left on device"):
            write_part(folder, RUN, PARTS[1], f"sums of {PARTS[1].name}")
    folder.close()
    after = snapshot(path)
    assert all(after[name] == data for name, data in before.items() if name.startswith(("games", "seats", "run")))
    assert not (path / "unfinished").exists()
    there = Folder(path).parts()
    said = ["1 part is not listed"] if name == "ftruncate" else []
    repaired(path, whole, [part for part in PARTS if part not in there], *said)


def test_a_full_disk_at_the_manifest(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(disk, "sync", full)
        with pytest.raises(StoreError, match=r"cannot be written .No space left on device"):
            resume(tmp_path / "a")
    assert snapshot(tmp_path / "a") == {}
    assert resume(tmp_path / "a")[0] == PARTS


def test_a_part_that_does_not_read_as_it_was_written_is_no_part(tmp_path, monkeypatch):
    folder = Folder(tmp_path / "a")
    folder.open(RUN)

    def failing(path, **more):
        disk.sync(path)
        if path.name.startswith("seats"):
            flip(path)

    monkeypatch.setattr(parts, "sync", failing)
    with pytest.raises(StoreError, match=r"seats_cell-00000.*: damaged"):
        write_part(folder, RUN, PARTS[0])
    folder.close()
    assert Folder(tmp_path / "a").parts() == []
    assert sorted(snapshot(tmp_path / "a")) == ["SHA256SUMS", "run.json"]


def test_killed_while_it_replaces_another_run(copy, monkeypatch):
    other = make_run(games=30)
    folder = Folder(copy)
    folder.open(other, force=True)
    real, count = type(copy).unlink, 0

    def dying(self, **more):
        nonlocal count
        if self.parent.name == "games":
            count += 1
            if count == 3:
                raise Killed
        real(self, **more)

    with monkeypatch.context() as patch:
        patch.setattr(type(copy), "unlink", dying)
        patch.setattr(PartWriter, "abandon", lambda self: None)
        with pytest.raises(Killed):
            write_part(folder, other, PARTS[0])
        folder.lock.give()
    assert Folder(copy).read() == RUN  # half of it is gone, but it is still what it says
    with pytest.raises(StoreError, match="holds another run"):
        resume(copy, other, [PARTS[0]])
    assert resume(copy, other, [PARTS[0]], force=True) == ([PARTS[0]], [])
    assert Folder(copy).read() == other
    assert Folder(copy).parts() == [PARTS[0]]
