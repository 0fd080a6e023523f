"""Reading a whole run folder again, and playing some of its games again; nothing in it is changed."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rcsim
from rcsim.experiments import schema
from rcsim.experiments.cells import Cell, Run
from rcsim.experiments.errors import ExperimentError, StoreError
from rcsim.experiments.lacking import lacking
from rcsim.experiments.store.again import Again
from rcsim.experiments.store.content import digest_of
from rcsim.experiments.store.digest import kinds
from rcsim.experiments.store.disk import listed
from rcsim.experiments.store.folder import Folder, unlisted
from rcsim.experiments.store.parts import TABLES, Part, overlaps, read_footer, read_rows

if TYPE_CHECKING:
    import pyarrow as pa

SAMPLE = 32  # games of a cell that are played again,
SAMPLE_OF_ALL = 4096  # but fewer of each cell rather than more than so many altogether

Watch = Callable[[int, int], None]


@dataclass
class Report:
    """What was found in a run folder."""

    run: Run | None = None  # of the manifest or, without a sound one, of the parts, with the cells that they have
    run_hash: str | None = None
    whole: bool = False  # whether it is that of the manifest
    parts: list[Part] = field(default_factory=list)  # those that are sound
    damages: list[str] = field(default_factory=list)  # a line each
    strays: list[Path] = field(default_factory=list)  # what has to be moved away before the run goes on
    notes: list[str] = field(default_factory=list)  # what is worth knowing, but no damage
    found: int = 0  # parts whose files are all there, sound or not
    missing: dict[int, list[range]] = field(default_factory=dict)  # games that a whole run lacks, by cell
    replayed: int = 0  # games that were played again
    hash: str | None = None  # of the content, if nothing is damaged

    @property
    def games(self) -> int:
        """Games that are there and sound."""
        return sum(part.count for part in self.parts)


def verify(
    path: Path,
    *,
    sample: int | None = None,
    watch: Watch = lambda done, goal: None,
    engine: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Report:
    """Read all of a run folder again and play `sample` games of each cell again (None: a few dozens; 0: none).

    Which games are played is decided by the run and its parts alone. `watch` is told how many games have been
    read or played again, and of how many. `engine` is entered where the engine may have to be compiled. StoreError if
    there is no run at all.
    """
    return _Verifier(Folder(path), watch, engine).verify(sample)


class _Verifier:
    """What `verify` knows while it is at it."""

    def __init__(self, folder: Folder, watch: Watch, engine: Callable[[], AbstractContextManager[object]]) -> None:
        self.folder = folder
        self.watch = watch
        self.engine = engine
        self.done = self.goal = 0  # games that are read, or played again
        self.again: Again | None = None
        self.report = Report()
        self.lines: dict[str, str] = {}
        self.chosen: dict[Part, list[int]] = {}  # games to play again,
        self.rows: dict[Part, dict[str, list[pa.Table]]] = {}  # and what is stored of them
        self.bad: set[Part] = set()

    def verify(self, sample: int | None) -> Report:
        report, folder = self.report, self.folder
        writer = folder.lock.holder()
        if writer:
            report.notes.append(f"{writer} writes there now; what it finishes meanwhile may not be seen")
        elif folder.unfinished.is_dir() and listed(folder.unfinished):
            report.notes.append("a writer died; what it left in unfinished/ goes with the next run")
        parts = self._files(writing=writer is not None)
        self._manifest(parts)
        for one, other in overlaps(parts):
            self._damaged(f"{folder.tables[0]}/{other.name}: shares games with {one.name}", other)
        if report.run is not None and report.run.version != rcsim.__version__:
            made = f"made by rcsim {report.run.version}, and this is {rcsim.__version__}"
            report.notes.append(f"{made}: no game is played again, and only that version goes on with it")
        elif report.run is not None and sample != 0:
            self._choose(report.run, parts, sample)
        self.goal = sum(part.count + len(self.chosen.get(part, ())) for part in parts)
        content = digest_of(folder, parts, self._read)
        for part in parts:
            if self.chosen.get(part) and part not in self.bad:
                self._play(part, self.chosen[part])
        report.hash = None if report.damages else content
        report.parts = [part for part in parts if part not in self.bad]
        if report.run is not None and report.whole:
            report.missing = lacking(report.run, folder, report.parts)
        return report

    def _step(self, games: int) -> None:
        self.done += games
        self.watch(self.done, self.goal)

    def _damaged(self, what: str, *parts: Part) -> None:
        self.report.damages.append(what.removeprefix(f"{self.folder.path}/"))
        self.bad.update(parts)

    def _stray(self, path: Path, what: str) -> None:
        self._damaged(f"{path}: {what}")
        self.report.strays.append(path)

    def _files(self, *, writing: bool) -> list[Part]:
        """The parts whose files are all there; what else there is, or is not, is damage."""
        folder, tables = self.folder, self.folder.tables
        blocked = folder.in_the_way()
        files = {table: [] if folder.path / table in blocked else listed(folder.path / table) for table in TABLES}
        if not any(files.values()) and not folder.manifest.exists():
            raise StoreError(f"{folder.path}: holds no run")
        for path in blocked:
            kind = "regular file" if path in (folder.manifest, folder.checksums.path) else "folder"
            self._stray(path, f"not a {kind}; move it away")
        there: dict[str, set[Part]] = {table: set() for table in tables}
        for table, paths in files.items():
            for path in paths:
                part = Part.from_name(path.name)
                if part is None or table not in there:
                    self._stray(path, "does not belong there; move it away")
                else:
                    there[table].add(part)
        try:
            self.lines, garbled = folder.checksums.read()
            if garbled:
                self._damaged(f"{folder.checksums.path}: {garbled} of its lines cannot be read")
            elif not self.lines and any(there.values()):
                self._damaged(f"{folder.checksums.path}: missing, or empty")
            elif not writing and (lacks := unlisted([(t, part) for t in tables for part in there[t]], self.lines)):
                self._damaged(f"{folder.checksums.path}: {lacks}")
        except OSError as error:
            self._damaged(f"{folder.checksums.path}: cannot be read ({error.strerror})")
        except StoreError:
            pass  # no file, which is told already
        expected = set() if writing else set[Part].union(*there.values())
        for name in self.lines:
            table, _, file = name.partition("/")
            part = Part.from_name(file)
            if table in there and part is not None:
                expected.add(part)
        for part in sorted(expected):
            for table in tables:
                if part not in there[table]:
                    self._damaged(f"{folder.file(table, part)}: missing", part)
        parts = sorted(set[Part].intersection(*there.values()))
        self.report.found = len(parts)
        return parts

    def _manifest(self, parts: Iterable[Part]) -> None:
        """The run of the manifest; of the parts, if that is damaged."""
        manifest = self.folder.manifest
        line = self.lines.get(manifest.name)
        try:
            run = self.folder.read(line)
        except StoreError as error:
            if manifest not in self.report.strays:  # told already
                self._damaged(str(error) if manifest.exists() else f"{manifest}: missing")
            self._run_of(parts)
            return
        self.report.run, self.report.run_hash, self.report.whole = run, run.hash, True
        games = {cell.index: cell.games for cell in run.cells}
        for part in parts:
            if part.end > games.get(part.cell, 0):
                self._damaged(f"{self.folder.tables[0]}/{part.name}: the run has no such games", part)

    def _run_of(self, parts: Iterable[Part]) -> None:
        """The run as footers have it: that of the first part that can be read, with all cells that there are."""
        run: Run | None = None
        cells: dict[int, Cell] = {}
        rulesets: dict[str, dict[str, Any]] = {}
        for part in parts:
            if part.cell not in cells:
                try:
                    one, cell = self.folder.origin(part)
                    run_hash = read_footer(self.folder.file(self.folder.tables[0], part)).get("run_hash")
                except StoreError:
                    continue  # it is damaged, and will be named as such
                self.report.run_hash = self.report.run_hash or run_hash
                if self.report.run_hash == run_hash:
                    run = run or one
                    cells[cell.index] = cell
                    rulesets |= one.rulesets
        self.report.run = run and replace(run, cells=tuple(cells.values()), rulesets=rulesets)

    def _choose(self, run: Run, parts: list[Part], sample: int | None) -> None:
        """Choose games to play again: of each cell one somewhere, but always the same, in each of equal stretches.

        Of a summary, which has no games, a whole part: the smallest of its cell, if it has no more games than that.
        """
        number = sample or max(1, min(SAMPLE, SAMPLE_OF_ALL // len(run.cells)))
        for cell in run.cells:
            mine = [part for part in parts if part.cell == cell.index]
            if run.detail == "summary":
                smallest = min(mine, key=lambda part: (part.count, part), default=None)
                if smallest is not None and smallest.count <= number:
                    self.chosen[smallest] = list(range(smallest.first, smallest.end))
                continue
            games = sum(part.count for part in mine)
            stretches = min(number, games)
            ends = [games * i // stretches for i in range(stretches + 1)] if games else []
            picks = [low + _draw(run, cell, low, high - low) for low, high in pairwise(ends)]
            for part in mine:
                self.chosen[part] = [part.first + pick for pick in picks if 0 <= pick < part.count]
                picks = [pick - part.count for pick in picks]
        if run.detail == "summary" and parts and not self.chosen:
            least = min(part.count for part in parts)
            self.report.notes.append(f"a summary has no games to play again; --sample {least} plays its smallest part")

    def _read(self, path: Path, table: str, part: Part) -> "Iterator[pa.RecordBatch]":
        """The rows of a file as far as they are sound; damage is taken down, and the chosen games are kept."""
        import numpy as np
        import pyarrow as pa

        line = self.lines.get(f"{table}/{part.name}")
        chosen = self.chosen.get(part)
        try:
            self.folder.judge(table, part, self.report.run_hash, line)
            for i, batch in enumerate(read_rows(path, table, part)):
                if not i and self.report.run and kinds(batch.schema) != self._kinds(table):
                    raise StoreError(f"{path}: has other columns than the run")
                if chosen:
                    rows = pa.Table.from_batches([batch])
                    if table != "summary":
                        rows = rows.filter(pa.array(np.isin(rows.column("game").to_numpy(), chosen)))
                    self.rows.setdefault(part, {}).setdefault(table, []).append(rows)
                yield batch
        except StoreError as error:
            self._damaged(str(error), part)
            return
        if table == self.folder.tables[-1]:
            self._step(part.count)

    def _kinds(self, table: str) -> dict[str, str]:
        """Types of a table's columns, as the run has them."""
        run = self.report.run
        assert run is not None
        return kinds(schema.arrow_schema(table, run.enums, run.detail))

    def _play(self, part: Part, games: list[int]) -> None:
        """Play games of a part again; the first one that is not as it is stored is damage."""
        import pyarrow as pa
        import pyarrow.compute as pc

        folder = self.folder
        stored = {table: pa.concat_tables(pieces) for table, pieces in self.rows.pop(part).items()}
        try:
            if self.again is None or self.again.cell.index != part.cell:
                with self.engine():
                    self.again = Again(*folder.origin(part))
            again = self.again
            if "summary" in stored:
                wrong = again.counts(part.first, part.count, stored["summary"])
                if wrong:
                    self._damaged(f"summary/{part.name}: {wrong}", part)
                self.report.replayed += part.count
                self._step(part.count)
                return
            for game in games:
                rows = {table: rows.filter(pc.equal(rows.column("game"), game)) for table, rows in stored.items()}
                wrong = again.game(game, rows)
                self.report.replayed += 1
                self._step(1)
                if wrong:
                    table, _, what = wrong.partition(": ")
                    self._damaged(f"{table}/{part.name}: game {game}: {what}", part)
                    return
        except ExperimentError as error:
            self._damaged(f"{folder.tables[0]}/{part.name}: cannot be played again ({error})", part)


def _draw(run: Run, cell: Cell, stretch: int, below: int) -> int:
    """A number from 0 that is always the same for a run, a cell and a stretch of its games."""
    digest = hashlib.sha256(f"{run.seed} {cell.index} {stretch}".encode()).digest()
    return int.from_bytes(digest[:8]) % below
