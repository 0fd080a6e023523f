"""The run folder: a manifest, and parts of Parquet that appear whole or not at all.

    DIR/run.json                                        the manifest: seed, cells, rulesets, version, command
    DIR/games/cell-00000_game-000000000000-000000131071.parquet
    DIR/seats/cell-00000_game-000000000000-000000131071.parquet
    DIR/unfinished/                                     parts being written; gone when the run is over
    DIR/unfinished/writer                               who writes: process and host; one at a time

`games/` and `seats/` hold finished parts alone, so that any reader may open the whole folder at any moment. A part
is cut by a constant number of games, never by threads, and its footer says all that is needed to play its games
again, without the manifest.
"""

import contextlib
import hashlib
import json
import os
import platform
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rcsim.experiments import schema
from rcsim.experiments.cells import Cell, Run
from rcsim.experiments.errors import DesignError, StoreError

if TYPE_CHECKING:
    import pyarrow as pa

GAMES_PER_PART = 2**17  # about 20 MB of seats
GAMES_PER_ROW_GROUP = 2**14  # what a writer holds in memory
TABLES = tuple(schema.TABLES)
SORTED = ["game", "deal"]  # columns that only rise: stored as differences
FOOTER = "rcsim"  # every footer key starts so

_NAME = re.compile(r"cell-(\d{5,})_game-(\d{12,})-(\d{12,})\.parquet")


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A range of games of one cell: `count` of them from `first` on. The order is that of the data."""

    cell: int
    first: int
    count: int

    @property
    def name(self) -> str:
        """File name, the same in both tables; sorts as the part does."""
        return f"cell-{self.cell:05d}_game-{self.first:012d}-{self.first + self.count - 1:012d}.parquet"

    @classmethod
    def from_name(cls, name: str) -> "Part | None":
        """The part of a file name; None for a file that is no part."""
        found = _NAME.fullmatch(name)
        if not found:
            return None
        cell, first, last = map(int, found.groups())
        return cls(cell, first, last - first + 1)


def cut(cell: Cell, size: int = GAMES_PER_PART) -> Iterator[Part]:
    """The parts of a cell, in order: `size` games each, the last one what is left."""
    for first in range(0, cell.games, size):
        yield Part(cell.index, first, min(size, cell.games - first))


def footer(run: Run, cell: Cell, part: Part) -> dict[str, str]:
    """Key-value metadata of a part's files: enough to play its games again and to know where they are from."""
    values = {
        "version": run.version,
        "schema_version": run.schema_version,
        "seed": run.seed,
        "cell": part.cell,
        "first": part.first,
        "count": part.count,
        "ruleset_hash": cell.ruleset,
        "command": run.command,
        "ruleset": json.dumps(run.rulesets[cell.ruleset]),
        # What the part is of: its cell with the run around it.
        "run": json.dumps(replace(run, cells=(cell,), rulesets={}).to_json()),
        "run_hash": run.hash,
    }
    return {f"{FOOTER}.{key}": str(value) for key, value in values.items()}


_LOCKED: set[Path] = set()  # folders that this process writes


def _alive(pid: int, path: Path) -> bool:
    """Whether a process of this machine that locked a folder is still there; true where that cannot be known."""
    if pid == os.getpid():
        return path in _LOCKED  # else a dead one had our number
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


class Folder:
    """A run folder on the disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = path / "run.json"
        self.unfinished = path / "unfinished"
        self.writer = self.unfinished / "writer"
        self.replacing = False  # an old run is there, which goes when the first part of the new one is complete
        self._settling = threading.Lock()
        self._locked: Path | None = None

    def file(self, table: str, part: Part) -> Path:
        """Where a finished part of a table ("games" or "seats") lies."""
        return self.path / table / part.name

    def parts(self) -> list[Part]:
        """The finished parts, those that both tables have, in the order of the data."""
        found = [{Part.from_name(p.name) for p in _listed(self.path / table)} - {None} for table in TABLES]
        return sorted(part for part in found[0] & found[1] if part is not None)

    def games(self) -> int:
        """Games in the finished parts."""
        return sum(part.count for part in self.parts())

    def create(self, run: Run, *, force: bool = False) -> None:
        """Make the folder ready for a run: lock it for this process until `close`, and write the manifest.

        A folder with another run is refused, unless `force`: then that run's own files, and no others, are deleted
        as soon as the first part of the new run is complete. StoreError if the folder is refused, has a writer, or
        cannot be written.
        """
        with _plainly(self.path):
            self._lock()
        try:
            with _plainly(self.path):
                self._prepare(run, force)
        except BaseException:
            self.close()
            raise

    def _prepare(self, run: Run, force: bool) -> None:
        tables = [self.path / table for table in TABLES]
        files = [file for table in tables for file in _listed(table)]
        for file in files:
            if Part.from_name(file.name) is None:
                raise StoreError(f"{file}: not a file of rcsim; the folder must hold nothing but its parts")
        if files and not force:
            raise StoreError(f"{self.path}: holds a run already; give another folder, or --force to replace it")
        if self.manifest.is_dir():
            raise StoreError(f"{self.manifest}: a folder, where the manifest should be")
        self._wipe()
        for folder in tables:
            folder.mkdir(exist_ok=True)
            if not os.access(folder, os.W_OK | os.X_OK):
                raise StoreError(f"{folder}: cannot be written")
        self._draft.write_text(json.dumps(run.to_json(), indent=1) + "\n", encoding="utf-8")
        self.replacing = bool(files)
        if not self.replacing:
            self._draft.replace(self.manifest)

    def settle(self) -> None:
        """Delete the old run, if there is one yet, and put the new manifest in its place; safe from any thread."""
        with self._settling:
            if self.replacing:
                for table in TABLES:
                    for file in _listed(self.path / table):
                        if Part.from_name(file.name) is not None:
                            file.unlink()
                self._draft.replace(self.manifest)
                self.replacing = False

    def close(self) -> None:
        """Give the lock back and remove what is unfinished; never fails. Does nothing without the lock."""
        if self._locked is None:
            return
        with contextlib.suppress(OSError, StoreError):
            self._wipe()
        with contextlib.suppress(OSError):
            self.writer.unlink()
        with contextlib.suppress(OSError):
            self.unfinished.rmdir()
        _LOCKED.discard(self._locked)
        self._locked = None

    @property
    def _draft(self) -> Path:
        return self.unfinished / "run.json"

    def _wipe(self) -> None:
        """Delete unfinished parts and manifest."""
        for file in _listed(self.unfinished):
            if Part.from_name(file.name.removeprefix("games_").removeprefix("seats_")) or file == self._draft:
                file.unlink()

    def _lock(self) -> None:
        """Become the writer of the folder, in place of one that has died if need be. StoreError if one is alive."""
        if self.path.exists() and not self.path.is_dir():
            raise StoreError(f"{self.path}: cannot be written (not a folder)")
        path = self.path.resolve()
        for _ in range(10):
            self.unfinished.mkdir(parents=True, exist_ok=True)
            try:
                handle = os.open(self.writer, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
            except FileExistsError:
                self._bury(path)
                continue
            except FileNotFoundError:  # the last writer has just removed the folder
                continue
            _LOCKED.add(path)
            self._locked = path
            try:
                os.write(handle, f"{os.getpid()} {platform.node()}\n".encode())
            except OSError:
                self.close()
                raise
            finally:
                os.close(handle)
            return
        raise StoreError(f"{self.path}: another process writes there")

    def _bury(self, path: Path) -> None:
        """Remove the lock of a writer that is dead. StoreError if it may be alive."""
        try:
            text = self.writer.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return
        pid, _, host = text.strip().partition(" ")
        who = f"process {pid} on {host}" if host else "another process"
        refusal = StoreError(
            f"{self.path}: {who} writes there; wait for it or give another folder (if it is no more: delete"
            f" {self.writer})"
        )
        if not pid.isdigit() or host != platform.node() or _alive(int(pid), path):
            raise refusal
        aside = self.unfinished / f"writer-{os.getpid()}"
        try:
            self.writer.replace(aside)
        except FileNotFoundError:
            return
        if aside.read_text(encoding="utf-8", errors="replace") != text:  # another one was faster and is alive
            aside.replace(self.writer)
            raise refusal
        aside.unlink()

    def read(self) -> Run:
        """The run of the manifest. StoreError if there is none or it cannot be read."""
        if not self.path.is_dir():
            raise StoreError(f"{self.path}: no such folder")
        try:
            return Run.from_json(json.loads(self.manifest.read_text(encoding="utf-8")))
        except FileNotFoundError:
            raise StoreError(f"{self.path}: holds no run (there is no run.json in it)") from None
        except OSError as error:
            raise StoreError(f"{self.manifest}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{self.manifest}: not a manifest that rcsim {schema_note()} can read") from error

    def part_of(self, cell: int, game: int) -> Part:
        """The finished part that holds a game. StoreError or DesignError, with what is there, if none does."""
        parts = self.parts()
        for part in parts:
            if part.cell == cell and part.first <= game < part.first + part.count:
                return part
        if not parts:
            raise StoreError(f"{self.path}: holds no finished games")
        cells = sorted({part.cell for part in parts})
        if cell not in cells:
            raise DesignError("cell", cell, f"cells with games in {self.path}: {ranges(cells)}")
        numbers = [range(p.first, p.first + p.count) for p in parts if p.cell == cell]
        raise DesignError("game", game, f"games of cell {cell} in {self.path}: {_joined(numbers)}")

    def origin(self, part: Part) -> tuple[Run, Cell]:
        """The run and cell of a finished part, as its own footer has them. StoreError if it cannot be read."""
        path = self.file("games", part)
        data = read_footer(path)
        try:
            run = Run.from_json(json.loads(data["run"]))
            cell = run.cells[0]
            return replace(run, rulesets={cell.ruleset: json.loads(data["ruleset"])}), cell
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise StoreError(f"{path}: the footer is not one that rcsim {schema_note()} can read") from error

    def scores(self, part: Part, game: int) -> tuple[int, list[int]]:
        """Deal and final totals by seat of a stored game. StoreError if the part cannot be read."""
        import polars as pl

        at = (pl.col("cell") == part.cell) & (pl.col("game") == game)
        try:
            file = self.file("seats", part).absolute()
            rows = pl.scan_parquet(file, glob=False).filter(at).select("deal", "seat", "total").collect()
        except (OSError, pl.exceptions.PolarsError) as error:
            raise StoreError(f"{self.file('seats', part)}: cannot be read ({_first_line(error)})") from error
        if not rows.height:
            raise StoreError(f"{self.file('seats', part)}: has no rows of game {game}")
        rows = rows.sort("seat")
        return int(rows["deal"][0]), rows["total"].to_list()


def schema_note() -> str:
    """Version of the package and of the schema, for a message."""
    import rcsim

    return f"{rcsim.__version__} (schema {schema.SCHEMA_VERSION})"


def read_footer(path: Path) -> dict[str, str]:
    """The footer that rcsim wrote into a file, without the prefix of its keys. StoreError if there is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        pairs = pq.read_metadata(path.absolute(), filesystem=_local()).metadata or {}
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"{path}: cannot be read as Parquet ({_first_line(error)})") from error
    prefix = FOOTER + "."
    return {k.decode()[len(prefix) :]: v.decode() for k, v in pairs.items() if k.decode().startswith(prefix)}


class PartWriter:
    """Writes the two files of one part; nobody sees them before `finish`.

    Chunks arrive in the order of their games and are gathered into row groups of constant size, so that the files
    are the same however the chunks were cut. Not safe for two threads at once.
    """

    def __init__(self, folder: Folder, run: Run, part: Part) -> None:
        self.folder = folder
        self.part = part
        self.done = 0  # games that have arrived
        self._run = run
        self._held: list[tuple[pa.Table, pa.Table]] = []
        self._held_games = 0
        self._writers: list[Any] = []

    def append(self, games: "pa.Table", seats: "pa.Table") -> None:
        """Take the tables of the next games. StoreError if they cannot be written."""
        self._held.append((games, seats))
        self._held_games += games.num_rows
        self.done += games.num_rows
        while self._held_games >= GAMES_PER_ROW_GROUP:
            self._write(GAMES_PER_ROW_GROUP)

    def finish(self) -> None:
        """Close the files and move them to where readers look. StoreError if that fails.

        A part that is cut short, because the run was stopped, is named and described by the games that it has; one
        that has none is nowhere.
        """
        if not self.done:
            return
        if self._held_games:
            self._write(self._held_games)
        part = replace(self.part, count=self.done)
        cell = next(cell for cell in self._run.cells if cell.index == part.cell)
        with _plainly(self.folder.path):
            for writer in self._writers:
                writer.add_key_value_metadata(footer(self._run, cell, part))
                writer.close()
            self.folder.settle()
            for table in reversed(TABLES):  # games last: a part whose games are there is all there
                self._draft(table).replace(self.folder.file(table, part))

    def abandon(self) -> None:
        """Close and delete what was written; never fails."""
        for writer in self._writers:
            with contextlib.suppress(Exception):
                writer.close()
        for table in TABLES:
            with contextlib.suppress(OSError):
                self._draft(table).unlink(missing_ok=True)

    def _draft(self, table: str) -> Path:
        return self.folder.unfinished / f"{table}_{self.part.name}"

    def _write(self, count: int) -> None:
        """Write the first `count` held games as one row group."""
        import pyarrow as pa

        both = [pa.concat_tables(tables) for tables in zip(*self._held, strict=True)]
        seats = both[1].num_rows // both[0].num_rows
        with _plainly(self.folder.path):
            if not self._writers:
                self._open(both)
            for writer, table, rows in zip(self._writers, both, (count, count * seats), strict=True):
                writer.write_table(table.slice(0, rows), row_group_size=rows)
        rest = [both[0].slice(count), both[1].slice(count * seats)]
        self._held_games = rest[0].num_rows
        self._held = [(rest[0], rest[1])] if self._held_games else []

    def _open(self, tables: "list[pa.Table]") -> None:
        import pyarrow.parquet as pq

        for name, table in zip(TABLES, tables, strict=True):
            writer = pq.ParquetWriter(
                self._draft(name).absolute(),
                table.schema,
                filesystem=_local(),
                compression="zstd",
                compression_level=1,  # higher ones cost time and win nothing on such small numbers
                use_dictionary=[c for c in table.schema.names if c not in SORTED],
                column_encoding={c: "DELTA_BINARY_PACKED" for c in SORTED},
                write_statistics=["cell", "game", "deal"],  # readers skip row groups by these alone
            )
            self._writers.append(writer)


def content_hash(path: Path) -> str:
    """Digest of what the data says: the schema, and the decoded columns in the order of cell and game.

    How the run was executed, cut into parts and compressed leaves no trace in it; neither does the footer.
    StoreError if a part cannot be read, has another schema, or if the games of a cell have a gap or an overlap.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = Folder(path)
    parts = folder.parts()
    total = hashlib.sha256()
    for table in TABLES:
        columns: dict[str, _Digest] = {}
        for part, before in zip(parts, [None, *parts], strict=False):
            start = before.first + before.count if before and before.cell == part.cell else 0
            if part.first != start:
                raise StoreError(f"{path}: cell {part.cell} has no part, or several, with game {start}")
            file = folder.file(table, part)
            try:
                kinds = _kinds(file)
                columns = columns or {n: _Digest(f"{table}.{n} {kind}") for n, kind in kinds.items()}
                if list(columns) != list(kinds):
                    raise StoreError(f"{file}: has other columns than the parts before it")
                with pq.ParquetFile(file.absolute(), pre_buffer=False, filesystem=_local()) as open_file:
                    for batch in open_file.iter_batches(batch_size=2**16):
                        for name, values in zip(batch.schema.names, batch.columns, strict=True):
                            columns[name].add(values)
            except (OSError, pa.ArrowException) as error:
                raise StoreError(f"{file}: cannot be read as Parquet ({_first_line(error)})") from error
        for column in columns.values():
            total.update(column.value())
    return total.hexdigest()


def _kinds(file: Path) -> dict[str, str]:
    """Type of each column as Polars reads it, an enum's with its names."""
    import polars as pl

    kinds = pl.scan_parquet(file.absolute(), glob=False).collect_schema()
    return {
        name: f"Enum {kind.categories.to_list()}" if isinstance(kind, pl.Enum) else type(kind).__name__ + str(kind)
        for name, kind in kinds.items()
    }


class _Digest:
    """Digest of one column's decoded values, however they come in pieces."""

    def __init__(self, what: str) -> None:
        self._values = hashlib.sha256(what.encode())
        self._valid = hashlib.sha256()  # apart: one stream for both would depend on the pieces

    def add(self, values: "pa.Array") -> None:
        """Feed the next values: which of them are there, and what they are (zero where null; names as they read)."""
        import numpy as np
        import pyarrow as pa

        self._valid.update(values.is_valid().to_numpy(zero_copy_only=False).tobytes())
        if pa.types.is_dictionary(values.type):
            words = [hashlib.sha256(name.encode()).digest()[:8] for name in values.dictionary.to_pylist()]
            known = np.frombuffer(b"".join(words) + bytes(8), np.int64)
            codes = values.indices.cast(pa.int64()).fill_null(len(words)).to_numpy()  # a null has the zero at the end
            self._values.update(known[codes].tobytes())
            return
        if values.null_count:
            values = values.fill_null(0)
        self._values.update(values.to_numpy(zero_copy_only=False).tobytes())

    def value(self) -> bytes:
        """The digest of all that was added."""
        return self._values.digest() + self._valid.digest()


def ranges(numbers: list[int]) -> str:
    """Rising numbers in short: 0 to 3, 7."""
    spans: list[range] = []
    for n in numbers:
        if spans and spans[-1].stop == n:
            spans[-1] = range(spans[-1].start, n + 1)
        else:
            spans.append(range(n, n + 1))
    return _joined(spans)


def _joined(spans: list[range]) -> str:
    """Ranges in words, touching ones as one."""
    whole: list[range] = []
    for span in spans:
        if whole and whole[-1].stop == span.start:
            whole[-1] = range(whole[-1].start, span.stop)
        else:
            whole.append(span)
    return ", ".join(f"{s.start} to {s.stop - 1}" if len(s) > 1 else str(s.start) for s in whole)


def _listed(folder: Path) -> list[Path]:
    """What is in a folder; nothing if it is not there."""
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(f"{folder}: cannot be read ({error.strerror})") from error


def _local() -> Any:
    """Arrow's local files: without it, or with a relative path, it takes a name with a colon for a URI."""
    from pyarrow.fs import LocalFileSystem

    return LocalFileSystem()


@contextlib.contextmanager
def _plainly(path: Path) -> Iterator[None]:
    """Turn an operating system's error into one line that names the folder and the reason."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else _first_line(error)
        raise StoreError(f"{path}: cannot be written ({reason})") from error


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0]
