"""The run folder: a manifest, and parts of Parquet that appear whole or not at all.

    DIR/run.json                                        the manifest: seed, cells, rulesets, version, command
    DIR/SHA256SUMS                                      a checksum of each finished file
    DIR/games/cell-00000_game-000000000000-000000131071.parquet
    DIR/seats/cell-00000_game-000000000000-000000131071.parquet
    DIR/summary/...                                     in place of both, where only counts are kept
    DIR/unfinished/                                     parts being written, and the lock; gone when the run is over
    DIR/aside/                                          what was found damaged, and was played again

The folders of tables hold finished parts alone, so that any reader may open them at any moment. A part is judged by
its checksum, or by itself if there is none; its footer says all that is needed to play its games again, without the
manifest.
"""

import contextlib
import json
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from rcsim.experiments import schema
from rcsim.experiments.cells import Cell, Run
from rcsim.experiments.errors import DesignError, StoreError
from rcsim.experiments.store.checksums import Checksums
from rcsim.experiments.store.differences import differences
from rcsim.experiments.store.disk import first_line, listed, plainly, put, regular, sha256, sync
from rcsim.experiments.store.lock import Lock
from rcsim.experiments.store.parts import TABLES, Part, check_footer, check_rows, read_footer

NOT_ITS_SUM = "damaged (its checksum is not that of SHA256SUMS)"
HASHING = 4  # threads that read a folder's files when it is opened


class Folder:
    """A run folder on the disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = path / "run.json"
        self.unfinished = path / "unfinished"
        self.aside = path / "aside"
        self.checksums = Checksums(path / "SHA256SUMS")
        self.lock = Lock(path, self.unfinished)
        self.notes: list[str] = []  # what `open` found, a line each
        self.replacing = False  # another run is there, which goes when the first part of the new one is complete
        self._run: Run | None = None
        self._settling = threading.Lock()

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that the folder holds."""
        if self._run is not None:
            return tuple(schema.tables(self._run.detail))
        counts = (self.path / "summary").is_dir() and not (self.path / "games").is_dir()
        return tuple(schema.tables("summary" if counts else "full"))

    def file(self, table: str, part: Part) -> Path:
        """Where a finished part of a table lies."""
        return self.path / table / part.name

    def draft(self, table: str, part: Part) -> Path:
        """Where a part of a table lies until it is finished."""
        return self.unfinished / f"{table}_{part.name}"

    def parts(self) -> list[Part]:
        """The finished parts of the run, those that all its tables have, in the order of the data."""
        if self.replacing:
            return []
        found = [{Part.from_name(file.name) for file in listed(self.path / table)} for table in self.tables]
        return sorted(part for part in set.intersection(*found) if part is not None)

    def games(self) -> int:
        """Games in the finished parts."""
        return sum(part.count for part in self.parts())

    def sums(self, part: Part) -> str:
        """What the analysis added up of a part when it was written. StoreError if its footer does not say."""
        path = self.file(self.tables[0], part)
        try:
            return read_footer(path)["sums"]
        except KeyError:
            raise StoreError(f"{path}: the footer is not one that rcsim {schema_note()} can read") from None

    def open(self, run: Run, *, force: bool = False) -> None:
        """Make the folder ready for a run, and this process its one writer until `close`.

        If the run is in the folder already, it is resumed: what is sound stays, and anything else that its parts are
        is set aside, to be played again; `notes` says what was found. A folder with another run is refused, unless
        `force`: then that run's own files, and no others, are deleted as soon as the first part of the new run is
        complete. StoreError if the folder is refused, has a writer, or cannot be written.
        """
        with plainly(self.path):
            self._check_place()
            self.lock.take()
        try:
            with plainly(self.path):
                self._prepare(run, force)
        except BaseException:
            self.close()
            raise

    def other(self, run: Run, *, force: bool = False) -> str | None:
        """How the run that the folder holds differs from this one; None if it does not, or if there is none.

        Changes nothing. StoreError where `open` would refuse the folder, a writer that is there apart.
        """
        self._check_place()
        if strays := self.strays():
            what = "not a file" if len(strays) == 1 else "not files"
            raise StoreError(
                f"{', '.join(map(str, strays))}: {what} of rcsim; move {'it' if len(strays) == 1 else 'them'} away, the"
                " folders of tables must hold nothing but parts"
            )
        other = self._other(run)
        if other and not force:
            raise StoreError(
                f"{self.path}: holds another run ({other}); give another folder, or --force to replace that run"
            )
        return other

    def _check_place(self) -> None:
        """StoreError if no run can be here, whatever is in it."""
        if self.path.exists() and not self.path.is_dir():
            raise StoreError(f"{self.path}: cannot be written (not a folder)")
        _spelt(self.path)
        if away := [str(path) for path in self.in_the_way()]:
            raise StoreError(f"{self.path}: cannot be written; move away what is in the way: {', '.join(away)}")

    def in_the_way(self) -> list[Path]:
        """What has the name of a folder or file of rcsim and is none: it has to be moved away by hand."""
        folders = (self.unfinished, self.aside, *(self.path / table for table in TABLES))
        files = (self.manifest, self.checksums.path)
        return [path for path in folders if os.path.lexists(path) and not path.is_dir()] + [
            path for path in files if path.exists() and not path.is_file()
        ]

    def strays(self) -> list[Path]:
        """What is no part, and is where parts are. Hidden files, which some systems leave anywhere, do not count."""
        files = [file for table in TABLES if (self.path / table).is_dir() for file in listed(self.path / table)]
        return [file for file in files if Part.from_name(file.name) is None]

    def close(self) -> None:
        """Give the lock back and remove what is unfinished; never fails. Does nothing without the lock."""
        if self.lock.held:
            with contextlib.suppress(OSError, StoreError):
                self._wipe()
            self.lock.give()

    def _prepare(self, run: Run, force: bool) -> None:
        self.notes = []
        other = self.other(run, force=force)
        self._wipe()
        self._run = run
        self.replacing = bool(other)
        for table in self.tables:
            folder = self.path / table
            folder.mkdir(exist_ok=True)
            if not os.access(folder, os.W_OK | os.X_OK):
                raise StoreError(f"{folder}: cannot be written")
        if self.replacing:
            self._draft.write_text(manifest_text(run), encoding="utf-8", newline="\n")
        else:
            self._resume(run)

    def _other(self, run: Run) -> str | None:
        """How the run of the manifest or, where there is no sound one, of the parts differs from this one."""
        files = [file for table in TABLES for file in listed(self.path / table)]
        if not files:
            return None
        with contextlib.suppress(StoreError):
            return differences(self.read(), run) or None
        found = None
        for file in files:
            with contextlib.suppress(StoreError, ValueError, KeyError, TypeError, IndexError):
                values = read_footer(file)
                if values["run_hash"] == run.hash:
                    return None
                if found is None:
                    found = f"hash: {values['run_hash']} there, {run.hash} here"
                    there = Run.from_json(json.loads(values["run"]))
                    here = [cell for cell in run.cells if cell.index == there.cells[0].index]
                    found = differences(there, replace(run, cells=tuple(here), rulesets={})) or "other cells"
        return found

    def _resume(self, run: Run) -> None:
        """Judge all that is there; leave what is sound, and set the rest aside."""
        lines, garbled = self.checksums.read()
        if garbled:
            self.notes.append(f"{self.checksums.path}: {garbled} lines are damaged; written anew")
        found = {table: {Part.from_name(file.name) for file in listed(self.path / table)} for table in self.tables}
        jobs = [(table, part) for table in self.tables for part in sorted(filter(None, found[table]))]

        def judge(job: tuple[str, Part]) -> str | StoreError:
            table, part = job
            lonely = [other for other in self.tables if part not in found[other]]
            if lonely:
                return StoreError(f"{self.file(table, part)}: has no counterpart in {lonely[0]}")
            try:
                line = lines.get(f"{table}/{part.name}")
                digest = self.judge(table, part, run.hash, line)
                if line is None:
                    check_rows(self.file(table, part), table, part)
                return digest
            except StoreError as error:
                return error

        with ThreadPoolExecutor(HASHING) as pool:
            judged = dict(zip(jobs, pool.map(judge, jobs), strict=True))
        bad = {part for (_, part), result in judged.items() if isinstance(result, StoreError)}
        for part in _doubled(sorted({part for _, part in jobs} - bad)):
            judged[self.tables[0], part] = StoreError(f"{self.file(self.tables[0], part)}: another part has its games")
            bad.add(part)
        for result in judged.values():
            if isinstance(result, StoreError):
                self.notes.append(f"{result}; set aside, to be played again")
        if not garbled and (lacks := unlisted([job for job in jobs if job[1] not in bad], lines)):
            self.notes.append(f"{self.checksums.path}: {lacks}; judged by themselves, and the lines written anew")
        for name in lines:
            table, _, file = name.partition("/")
            if table in found and (gone := Part.from_name(file)) and gone not in found[table]:
                self.notes.append(f"{self.path / name}: missing; to be played again")
        for table, part in jobs:
            if part in bad:
                self._set_aside(table, part)
        sums = {f"{t}/{part.name}": str(judged[t, part]) for _, part in jobs for t in self.tables if part not in bad}
        self._write_manifest(run, lines.get("run.json"), bool(sums))
        self.checksums.replace({"run.json": sha256(self.manifest), **dict(sorted(sums.items()))}, self._draft)

    def judge(self, table: str, part: Part, run_hash: str | None, line: str | None) -> str:
        """Checksum of a finished file. StoreError if it is not `line`, if given, or if the footer is not as it was.

        Without a line all this says nothing of the rows: see `check_rows`.
        """
        path = self.file(table, part)
        try:
            digest = sha256(path)
        except OSError as error:
            raise StoreError(f"{path}: cannot be read ({error.strerror})") from error
        if line is not None and digest != line:
            raise StoreError(f"{path}: {NOT_ITS_SUM}")
        check_footer(path, part, run_hash)
        return digest

    def _set_aside(self, table: str, part: Part) -> None:
        """Move a file to where nobody reads it and nothing is lost."""
        self.aside.mkdir(exist_ok=True)
        place, again = self.aside / f"{table}_{part.name}", 0
        while os.path.lexists(place):
            again += 1
            place = self.aside / f"{table}_{part.name}.{again}"
        self.file(table, part).rename(place)

    def _write_manifest(self, run: Run, line: str | None, parts: bool) -> None:
        """Write the manifest, if it is not there and sound."""
        try:
            sound = self.read().hash == run.hash and line in (None, sha256(self.manifest))
            problem = f"{self.manifest}: damaged"
        except StoreError as error:
            sound, problem = False, str(error)
        if sound:
            return
        if parts:
            self.notes.append(f"{problem}; written anew")
        put(self._draft, manifest_text(run), self.manifest)

    def adopt(self, part: Part, drafts: Mapping[str, Path], checksums: Mapping[str, str] | None = None) -> None:
        """Give the finished drafts of a part, by table, their names; safe from any thread. OSError if that fails.

        `checksums` are those of the drafts, by table, if they are known.
        """
        sums = {f"{t}/{part.name}": checksums[t] if checksums else sha256(draft) for t, draft in drafts.items()}
        with self._settling:
            self._settle()
            for table in reversed(self.tables):  # the first one last: a part whose games are there is all there
                drafts[table].replace(self.file(table, part))
            for table in self.tables:
                sync(self.path / table)
            self.checksums.add(sums)

    def _settle(self) -> None:
        """Delete the old run, if there is one yet, and put the new manifest in its place."""
        if not self.replacing:
            return
        for table in TABLES:
            for file in listed(self.path / table):
                if Part.from_name(file.name) is not None:
                    file.unlink()
            if table not in self.tables:
                with contextlib.suppress(OSError):
                    (self.path / table).rmdir()
        self.checksums.remove()
        sync(self._draft)
        self._draft.replace(self.manifest)
        self.replacing = False
        self.checksums.replace({"run.json": sha256(self.manifest)}, self._draft)

    @property
    def _draft(self) -> Path:
        return self.unfinished / "run.json"

    def _wipe(self) -> None:
        """Delete unfinished parts and manifest."""
        for file in listed(self.unfinished):
            table, _, name = file.name.partition("_")
            if (table in TABLES and Part.from_name(name)) or file == self._draft:
                file.unlink()

    def read(self, line: str | None = None) -> Run:
        """The run of the manifest. StoreError if it is missing, cannot be read, or has another checksum than given."""
        if not self.path.is_dir():
            raise StoreError(f"{self.path}: no such folder")
        regular(self.manifest)
        try:
            if line is not None and sha256(self.manifest) != line:
                raise StoreError(f"{self.manifest}: {NOT_ITS_SUM}")
            data = json.loads(self.manifest.read_text(encoding="utf-8"))
            if data["schema_version"] != schema.SCHEMA_VERSION:
                made = f"rcsim {data['rcsim']} (schema {data['schema_version']})"
                raise StoreError(f"{self.manifest}: made by {made}, which rcsim {schema_note()} cannot read")
            run = Run.from_json(data)
            if data["run_hash"] != run.hash:
                raise StoreError(f"{self.manifest}: damaged (it does not say what rcsim wrote)")
            return run
        except FileNotFoundError:
            raise StoreError(f"{self.path}: holds no run (there is no run.json in it)") from None
        except OSError as error:
            raise StoreError(f"{self.manifest}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreError(f"{self.manifest}: not a manifest that rcsim {schema_note()} can read") from error

    def part_of(self, cell: int, game: int) -> Part:
        """The finished part that holds a game. StoreError or DesignError, with what is there, if none does."""
        parts = self.parts()
        for part in parts:
            if part.cell == cell and part.first <= game < part.end:
                return part
        if not parts:
            raise StoreError(f"{self.path}: holds no finished games")
        cells = sorted({part.cell for part in parts})
        if cell not in cells:
            raise DesignError("cell", cell, f"cells with games in {self.path}: {ranges(cells)}")
        numbers = [range(p.first, p.end) for p in parts if p.cell == cell]
        raise DesignError("game", game, f"games of cell {cell} in {self.path}: {joined(numbers)}")

    def origin(self, part: Part) -> tuple[Run, Cell]:
        """The run and cell of a finished part, as its own footer has them. StoreError if it cannot be read."""
        path = self.file(self.tables[0], part)
        data = read_footer(path)
        try:
            run = Run.from_json(json.loads(data["run"]))
            cell = run.cells[0]
            return replace(run, rulesets={cell.ruleset: json.loads(data["ruleset"])}), cell
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise StoreError(f"{path}: the footer is not one that rcsim {schema_note()} can read") from error

    def scores(self, part: Part, game: int) -> tuple[int, list[int]]:
        """Deal and final totals by seat of a stored game. StoreError if the part cannot be read or has no games."""
        import polars as pl

        if "seats" not in self.tables:
            raise StoreError(f"{self.path}: holds counts of games, not the games (it was made with --detail summary)")
        at = (pl.col("cell") == part.cell) & (pl.col("game") == game)
        try:
            file = self.file("seats", part).absolute()
            rows = pl.scan_parquet(file, glob=False).filter(at).select("deal", "seat", "total").collect()
        except (OSError, pl.exceptions.PolarsError) as error:
            raise StoreError(f"{self.file('seats', part)}: cannot be read ({first_line(error)})") from error
        if not rows.height:
            raise StoreError(f"{self.file('seats', part)}: has no rows of game {game}")
        rows = rows.sort("seat")
        return int(rows["deal"][0]), rows["total"].to_list()


def _spelt(path: Path) -> None:
    """StoreError if Arrow, which knows UTF-8 alone, could not be told where the folder is."""
    try:
        str(path.absolute()).encode()
    except UnicodeEncodeError:
        shown = str(path).encode(errors="replace").decode()
        raise StoreError(f"{shown}: cannot be written (a name that is not UTF-8)") from None


def unlisted(files: Iterable[tuple[str, Part]], lines: Mapping[str, str]) -> str:
    """How many parts, of these files by table, lack a line in SHA256SUMS, in words; empty if none does."""
    parts = {part for table, part in files if f"{table}/{part.name}" not in lines}
    if not parts:
        return ""
    return "1 part is not listed" if len(parts) == 1 else f"{len(parts):,} parts are not listed"


def manifest_text(run: Run) -> str:
    """The manifest of a run, sealed with its hash."""
    return json.dumps({"run_hash": run.hash, **run.to_json()}, indent=1) + "\n"


def schema_note() -> str:
    """Version of the package and of the schema, for a message."""
    import rcsim

    return f"{rcsim.__version__} (schema {schema.SCHEMA_VERSION})"


def _doubled(parts: Sequence[Part]) -> list[Part]:
    """Of parts in order, those to leave out so that no two share a game; rather the short ones."""
    kept: list[Part] = []
    out = []
    for part in parts:
        if not kept or kept[-1].cell != part.cell or part.first >= kept[-1].end:
            kept.append(part)
        elif part.count > kept[-1].count:
            out.append(kept[-1])
            kept[-1] = part
        else:
            out.append(part)
    return out


def ranges(numbers: Sequence[int]) -> str:
    """Rising numbers in short: 0 to 3, 7."""
    return joined([range(n, n + 1) for n in numbers])


def joined(spans: Sequence[range]) -> str:
    """Rising ranges in words, touching ones as one."""
    whole: list[range] = []
    for span in spans:
        if whole and whole[-1].stop == span.start:
            whole[-1] = range(whole[-1].start, span.stop)
        else:
            whole.append(span)
    return ", ".join(f"{s.start} to {s.stop - 1}" if len(s) > 1 else str(s.start) for s in whole)
