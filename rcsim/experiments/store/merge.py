"""Run folders with parts of one run, put together as one."""

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import rcsim
from rcsim.experiments.cells import Run
from rcsim.experiments.errors import StoreError
from rcsim.experiments.store.differences import differences
from rcsim.experiments.store.disk import BLOCK, listed, plainly, sha256, sync
from rcsim.experiments.store.folder import Folder, joined
from rcsim.experiments.store.parts import TABLES, Part, check_rows, read_footer

Watch = Callable[[int, int], None]


@dataclass(frozen=True)
class Source:
    """A part in one of the folders, with the checksums of its files by table."""

    folder: Folder
    part: Part
    checksums: dict[str, str]

    @property
    def file(self) -> Path:
        """The file that stands for it in a message."""
        return self.folder.file(self.folder.tables[0], self.part)


def survey(paths: Sequence[Path], out: Path, watch: Watch = lambda done, goal: None) -> tuple[Run, list[Source]]:
    """The run that the folders have parts of, and these parts, all of them sound and none twice.

    `watch` is told how many games have been judged, and of how many. StoreError, with names, for folders that are of
    different runs, are being written or damaged, and for parts that share games.
    """
    places = [os.path.realpath(path) for path in paths]
    for i, place in enumerate(places):
        if place in places[:i]:
            raise StoreError(f"{paths[i]}: given twice")
        if place == os.path.realpath(out):
            raise StoreError(f"{out}: one of the folders to merge; give another one")
        if Path(place) in Path(os.path.realpath(out)).parents:
            raise StoreError(f"{out}: inside {paths[i]}, one of the folders to merge; give another one")
    folders = [Folder(path) for path in paths]
    runs = [_run(folder) for folder in folders]
    for folder, run in zip(folders, runs, strict=True):
        if run.hash != runs[0].hash:
            what = differences(runs[0], run, (f"in {paths[0]}", f"in {folder.path}"))
            raise StoreError(f"{folder.path}: of another run than {paths[0]} ({what})")
        if run.version != rcsim.__version__:
            made = f"made by rcsim {run.version}, and this is {rcsim.__version__}"
            raise StoreError(f"{folder.path}: {made}; merge it with rcsim {run.version}, which can go on with it too")
        if writer := folder.lock.holder():
            raise StoreError(f"{folder.path}: {writer} writes there; wait for it")
    found = sorted(((part, folder) for folder in folders for part in _parts(folder)), key=lambda pair: pair[0])
    _no_overlap([Source(folder, part, {}) for part, folder in found])
    lines = {folder.path: folder.checksums.read()[0] for folder in folders}
    sources, damages = [], []
    done, goal = 0, sum(part.count for part, _ in found)
    for part, folder in found:
        try:
            sources.append(Source(folder, part, _judged(folder, part, runs[0], lines[folder.path])))
        except StoreError as error:
            damages.append((folder, error))
        done += part.count
        watch(done, goal)
    if damages:
        folder, damage = damages[0]
        more = "" if len(damages) == 1 else f", and {len(damages) - 1} more part{'s' * (len(damages) > 2)}"
        raise StoreError(f"{damage}{more}; nothing was merged: {_repair(folder)}")
    return runs[0], sources


def _run(folder: Folder) -> Run:
    """The run of a folder. StoreError, with the way out, if its manifest is lost or damaged."""
    try:
        return folder.read(folder.checksums.read()[0].get(folder.manifest.name))
    except OSError as error:
        raise StoreError(f"{folder.checksums.path}: cannot be read ({error.strerror})") from error
    except StoreError as error:
        if blocked := folder.in_the_way():
            raise StoreError(f"{blocked[0]}: not what rcsim has there; move it away") from None
        if not folder.parts():
            raise
        raise StoreError(f"{error}; nothing was merged: {_repair(folder)}") from error


def _repair(folder: Folder) -> str:
    return f"run the command of {folder.path} again, that repairs it"


def _parts(folder: Folder) -> list[Part]:
    """The parts of a folder. StoreError for one that is not there in all tables, or for what is no part."""
    tables, there = folder.tables, {}
    for table in TABLES:
        names = {file.name: Part.from_name(file.name) for file in listed(folder.path / table)}
        odd = [name for name, part in names.items() if part is None or table not in tables]
        if odd:
            raise StoreError(f"{folder.path / table / odd[0]}: does not belong there; move it away")
        there[table] = {part for part in names.values() if part is not None}
    names = {file: Part.from_name(file.partition("/")[2]) for file in folder.checksums.read()[0]}
    expected = {part for part in names.values() if part is not None}.union(*there.values())
    for part in sorted(expected):
        for table in tables:
            if part not in there[table]:
                raise StoreError(f"{folder.file(table, part)}: missing; nothing was merged: {_repair(folder)}")
    return sorted(expected)


def _judged(folder: Folder, part: Part, run: Run, lines: dict[str, str]) -> dict[str, str]:
    """Checksums of a part's files. StoreError if one of them is not sound."""
    checksums = {}
    for table in folder.tables:
        line = lines.get(f"{table}/{part.name}")
        checksums[table] = folder.judge(table, part, run.hash, line)
        if line is None:
            check_rows(folder.file(table, part), table, part)
    return checksums


def _no_overlap(sources: Sequence[Source]) -> None:
    """StoreError if two parts, of those in order, share games."""
    for one, other in pairwise(sources):
        a, b = one.part, other.part
        if a.cell != b.cell or b.first >= a.end:
            continue
        games = joined([range(b.first, min(a.end, b.end))])
        what = f"games {games} of cell {a.cell} are in both"
        if a == b:
            same = read_footer(one.file).get("content") == read_footer(other.file).get("content")
            what += ", with the same content" if same else ", with different content"
        raise StoreError(f"{one.file} and {other.file}: {what}; nothing was merged: take one of them away")


def merge(
    run: Run, sources: Sequence[Source], out: Path, *, force: bool = False, watch: Watch = lambda done, goal: None
) -> list[str]:
    """Copy parts into a folder of the same run; notes on what was found there, as those of `Folder.open`.

    What it has already stays: the same merge, broken off, goes on. `watch` is told how many games have been copied,
    and of how many. StoreError if the folder cannot be opened for the run or written, or has parts that share games
    with others.
    """
    folder = Folder(out)
    folder.open(run, force=force)
    try:
        there = folder.parts()
        mine = [Source(folder, part, {}) for part in there]
        new = [source for source in sources if source.part not in there or not _same(source, folder)]
        _no_overlap(sorted([*mine, *new], key=lambda source: source.part))
        done, goal = 0, sum(source.part.count for source in new)
        for source in new:
            _copy(source, folder)
            done += source.part.count
            watch(done, goal)
        return folder.notes
    finally:
        folder.close()


def _same(source: Source, folder: Folder) -> bool:
    """Whether a folder has a part that says the same."""
    files = [(source.folder.file(table, source.part), folder.file(table, source.part)) for table in folder.tables]
    return all(read_footer(one)["content"] == read_footer(other)["content"] for one, other in files)


def _copy(source: Source, folder: Folder) -> None:
    """Copy the files of a part, read the copies back, and give them their names."""
    drafts = {table: folder.draft(table, source.part) for table in folder.tables}
    for table, draft in drafts.items():
        file = source.folder.file(table, source.part)
        digest = hashlib.sha256()
        try:
            original = file.open("rb")
        except OSError as error:
            raise StoreError(f"{file}: cannot be read ({error.strerror})") from error
        with original, plainly(folder.path), draft.open("wb") as copy:
            while block := original.read(BLOCK):
                digest.update(block)
                copy.write(block)
            copy.flush()
            os.fsync(copy.fileno())
        if digest.hexdigest() != source.checksums[table]:
            raise StoreError(f"{file}: has changed while it was merged")
        with plainly(folder.path):
            read = sha256(draft)
        if read != source.checksums[table]:
            raise StoreError(f"{draft}: does not read as it was written; the disk may be failing")
    with plainly(folder.path):
        sync(folder.unfinished)
        folder.adopt(source.part, drafts, source.checksums)
