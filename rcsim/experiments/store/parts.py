"""Parts: a range of games of one cell, a file of each table, written apart and named when it is known to be sound.

What a footer says is sealed with a digest of the rows, so that a part can be judged by itself.
"""

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rcsim.experiments import schema
from rcsim.experiments.cells import Run
from rcsim.experiments.errors import StoreError
from rcsim.experiments.store.digest import TableDigest
from rcsim.experiments.store.disk import first_line, local, plainly, regular, sync

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from rcsim.experiments.store.folder import Folder

GAMES_PER_ROW_GROUP = 2**14  # what a writer holds in memory
ROWS_AT_ONCE = 2**15  # when a part is read back
TABLES = ("games", "seats", "summary")  # all that any run has
SORTED = ("game", "deal")  # columns that only rise: stored as differences
FOOTER = "rcsim"  # every footer key starts so

_NAME = re.compile(r"cell-(\d{5,})_game-(\d{12,})-(\d{12,})\.parquet")


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A range of games of one cell: `count` of them from `first` on. The order is that of the data."""

    cell: int
    first: int
    count: int

    @property
    def end(self) -> int:
        """The game after the last one."""
        return self.first + self.count

    @property
    def name(self) -> str:
        """File name, the same in all tables; sorts as the part does."""
        return f"cell-{self.cell:05d}_game-{self.first:012d}-{self.end - 1:012d}.parquet"

    @classmethod
    def from_name(cls, name: str) -> "Part | None":
        """The part of a file name; None for a file that is no part."""
        found = _NAME.fullmatch(name)
        if not found:
            return None
        cell, first, last = map(int, found.groups())
        part = cls(cell, first, last - first + 1)
        return part if last >= first and part.name == name else None


def overlaps(parts: Sequence[Part]) -> list[tuple[Part, Part]]:
    """Neighbours, in the order of the data, that share games."""
    return [(a, b) for a, b in pairwise(sorted(parts)) if a.cell == b.cell and b.first < a.end]


def footer(run: Run, part: Part, *, sums: str, content: str) -> dict[str, str]:
    """Key-value metadata of a part's file: where it is from, enough to play its games again, and its seal.

    `sums` is what the analysis has added up of the part's games, `content` the digest of the file's rows.
    """
    cell = next(cell for cell in run.cells if cell.index == part.cell)
    values = {
        "version": run.version,
        "schema_version": str(run.schema_version),
        "seed": str(run.seed),
        "cell": str(part.cell),
        "first": str(part.first),
        "count": str(part.count),
        "ruleset_hash": cell.ruleset,
        "command": run.command,
        "ruleset": json.dumps(run.rulesets[cell.ruleset]),
        # What the part is of: its cell with the run around it.
        "run": json.dumps(replace(run, cells=(cell,), rulesets={}).to_json()),
        "run_hash": run.hash,
        "sums": sums,
        "content": content,
    }
    return values | {"seal": _seal(values)}


def _seal(values: Mapping[str, str]) -> str:
    """Digest of what a footer says."""
    return hashlib.sha256(json.dumps(dict(values), sort_keys=True).encode()).hexdigest()


def read_footer(path: Path) -> dict[str, str]:
    """The footer that rcsim wrote into a file, without the prefix of its keys. StoreError if there is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    regular(path)
    try:
        pairs = pq.read_metadata(path.absolute(), filesystem=local()).metadata or {}
        prefix = FOOTER + "."
        return {k.decode()[len(prefix) :]: v.decode() for k, v in pairs.items() if k.decode().startswith(prefix)}
    except (OSError, ValueError, pa.ArrowException) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> StoreError:
    """What to say of a file that the system, or Arrow, cannot read."""
    if isinstance(error, OSError) and error.errno is not None:
        return StoreError(f"{path}: cannot be read ({os.strerror(error.errno)})")
    if isinstance(error, UnicodeError):
        return StoreError(f"{path}: damaged (text in it is not UTF-8)")
    return StoreError(f"{path}: damaged ({first_line(error)})")


def check_footer(path: Path, part: Part, run_hash: str | None = None) -> dict[str, str]:
    """The footer of a part's file. StoreError if it is not whole, or of another part, or of another run than given."""
    values = read_footer(path)
    if values.pop("seal", "") != _seal(values):
        raise StoreError(f"{path}: damaged (the footer is not what rcsim wrote)")
    if (values["cell"], values["first"], values["count"]) != (str(part.cell), str(part.first), str(part.count)):
        says = f"cell {values['cell']}, {values['count']} games from {values['first']} on"
        raise StoreError(f"{path}: another part by its footer ({says})")
    if run_hash is not None and values["run_hash"] != run_hash:
        raise StoreError(f"{path}: of another run (seed {values['seed']}, hash {values['run_hash']})")
    return values


def read_rows(path: Path, table: str, part: Part) -> "Iterator[pa.RecordBatch]":
    """The rows of a part's file, in pieces, judged as they pass. StoreError as soon as something is wrong with them.

    Judged are the checksums of the pages, that the rows are those of the part's games, one by one, and, after the
    last one, that they are what was written.
    """
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    values = read_footer(path)
    try:
        with pq.ParquetFile(
            path.absolute(), pre_buffer=False, page_checksum_verification=True, filesystem=local()
        ) as file:
            digest = TableDigest(table, file.schema_arrow)
            keys = _Keys(table, part)
            for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, use_threads=False):
                keys.add(batch)
                digest.add(batch)
                yield batch
            keys.end()
            if table != "summary":
                _check_statistics(file.metadata, part)
    except _Odd as error:
        raise StoreError(f"{path}: damaged ({error})") from None
    except (OSError, ValueError, KeyError, pa.ArrowException, pl.exceptions.PolarsError) as error:
        raise _unreadable(path, error) from error
    if "content" in values and digest.value().hex() != values["content"]:
        raise StoreError(f"{path}: damaged (its values are not what rcsim wrote)")


def check_rows(path: Path, table: str, part: Part) -> None:
    """Read a part's file to its end. StoreError as that of `read_rows`, or if another reader than Arrow stumbles."""
    import polars as pl

    for _ in read_rows(path, table, part):
        pass
    try:  # what describes the columns is written twice, and each reader looks at its own
        pl.scan_parquet(path.absolute(), glob=False).filter(cell=part.cell).select(pl.len()).collect()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StoreError(f"{path}: damaged ({first_line(error)})") from error


def _check_statistics(metadata: "pq.FileMetaData", part: Part) -> None:
    """Whether readers, who skip row groups by the least and greatest key in them, would find each game."""
    rows = 0
    for group in (metadata.row_group(i) for i in range(metadata.num_row_groups)):
        first, last = (part.first + at * part.count // metadata.num_rows for at in (rows, rows + group.num_rows - 1))
        rows += group.num_rows
        bounds = {"cell": (part.cell, part.cell), "game": (first, last), "deal": (first, last)}
        for i in range(group.num_columns):
            column = group.column(i)
            found = column.statistics
            expected = bounds.get(column.path_in_schema)
            if expected and (found is None or not found.has_min_max or (found.min, found.max) != expected):
                raise _Odd(f"the bounds of {column.path_in_schema} are not those of its values")


class _Odd(Exception):
    """Rows that a part cannot have."""


class _Keys:
    """Judges the keys of a part's rows: each game once, in order, each with the same number of seats."""

    def __init__(self, table: str, part: Part) -> None:
        self.table = table
        self.part = part
        self.rows = 0
        self.seats = 1 if table == "games" else 0  # rows of a game; found in the first ones
        self.counts: Any = None

    def add(self, batch: "pa.RecordBatch") -> None:
        import numpy as np

        if not len(batch):
            return
        if (batch.column("cell").to_numpy(zero_copy_only=False) != self.part.cell).any():
            raise _Odd(f"has rows of another cell than {self.part.cell}")
        if self.table == "summary":
            self._count(batch)
            return
        games = batch.column("game").to_numpy(zero_copy_only=False)
        if not self.seats:
            self.seats = int((games == games[0]).sum()) if games[0] != games[-1] else len(games)
        at = np.arange(self.rows, self.rows + len(games))
        bad = np.flatnonzero(games != self.part.first + at // self.seats)
        if len(bad):
            raise _Odd(f"row {self.rows + int(bad[0])} is of game {games[bad[0]]}, where another belongs")
        if self.table == "seats" and (batch.column("seat").to_numpy(zero_copy_only=False) != at % self.seats).any():
            raise _Odd("the seats of a game are not all there, in order")
        self.rows += len(games)

    def _count(self, batch: "pa.RecordBatch") -> None:
        """Add up the games of each column and seat."""
        import polars as pl

        found = pl.DataFrame(batch).select("seat", pl.col("column").cast(pl.String), "games")
        found = found if self.counts is None else pl.concat([self.counts, found])
        self.counts = found.group_by("seat", "column").agg(pl.col("games").sum())

    def end(self) -> None:
        if self.table == "summary":
            if self.counts is None or (self.counts["games"] != self.part.count).any():
                raise _Odd(f"does not count {self.part.count} games in each column")
        elif self.rows != self.part.count * (self.seats or 1):
            raise _Odd(f"has {self.rows} rows, where {self.part.count} games belong")


class PartWriter:
    """Writes the files of one part; nobody sees them before `finish`.

    Pieces arrive in the order of their games and are gathered into row groups of constant size, so that the files
    are the same however the pieces were cut. Not safe for two threads at once.
    """

    def __init__(self, folder: "Folder", run: Run, part: Part) -> None:
        self.folder = folder
        self.part = part
        self.done = 0  # games that have arrived
        self._run = run
        self._tables = tuple(schema.tables(run.detail))
        self._held: list[dict[str, pa.Table]] = []
        self._held_games = 0
        self._writers: dict[str, Any] = {}
        self._files: dict[str, Any] = {}  # what they write to; a writer that fails leaves it open
        self._digests: dict[str, TableDigest] = {}

    def append(self, games: int, tables: "Mapping[str, pa.Table]") -> None:
        """Take the tables of the next games, so many. StoreError if they cannot be written."""
        self._held.append(dict(tables))
        self._held_games += games
        self.done += games
        while self._run.detail != "summary" and self._held_games >= GAMES_PER_ROW_GROUP:
            self._write(GAMES_PER_ROW_GROUP)

    def finish(self, sums: str) -> None:
        """Close the files, read them back, and move them to where readers look. StoreError if that fails.

        `sums` goes into the footers, letter for letter. A part that is cut short, because the run was stopped, is
        named and described by the games that it has; one that has none is nowhere.
        """
        if not self.done:
            return
        if self._held_games:
            self._write(self._held_games)
        part = replace(self.part, count=self.done)
        with plainly(self.folder.path):
            for table, writer in self._writers.items():
                content = self._digests[table].value().hex()
                values = footer(self._run, part, sums=sums, content=content)
                writer.add_key_value_metadata({f"{FOOTER}.{key}": value for key, value in values.items()})
                writer.close()
                self._files[table].close()
                sync(self._draft(table))
        for table in self._tables:
            check_footer(self._draft(table), part)
            check_rows(self._draft(table), table, part)
        with plainly(self.folder.path):
            self.folder.adopt(part, {table: self._draft(table) for table in self._tables})

    def abandon(self) -> None:
        """Close and delete what was written; never fails."""
        for open_one in (*self._writers.values(), *self._files.values()):
            with contextlib.suppress(Exception):
                open_one.close()
        for table in self._tables:
            with contextlib.suppress(OSError):
                self._draft(table).unlink(missing_ok=True)

    def _draft(self, table: str) -> Path:
        return self.folder.draft(table, self.part)

    def _write(self, count: int) -> None:
        """Write the first `count` held games as one row group."""
        import pyarrow as pa

        held = {table: pa.concat_tables([piece[table] for piece in self._held]) for table in self._tables}
        if self._run.detail == "summary":
            held = {table: add_up(rows) for table, rows in held.items()}
        rest = {}
        with plainly(self.folder.path):
            for table, rows in held.items():
                if table not in self._writers:
                    self._open(table, rows.schema)
                size = rows.num_rows * count // self._held_games
                piece = rows.slice(0, size)
                self._digests[table].add(piece)
                self._writers[table].write_table(piece, row_group_size=max(size, 1))
                rest[table] = rows.slice(size)
        self._held_games -= count
        self._held = [rest] if self._held_games else []

    def _open(self, table: str, kind: "pa.Schema") -> None:
        import pyarrow.parquet as pq

        rising = [name for name in SORTED if name in kind.names]
        self._digests[table] = TableDigest(table, kind)
        self._files[table] = local().open_output_stream(str(self._draft(table).absolute()))
        self._writers[table] = pq.ParquetWriter(
            self._files[table],
            kind,
            compression="zstd",
            compression_level=1,  # higher ones cost time and win nothing on such small numbers
            use_dictionary=[name for name in kind.names if name not in rising],
            column_encoding=dict.fromkeys(rising, "DELTA_BINARY_PACKED") or None,
            write_statistics=["cell", *rising],  # readers skip row groups by these alone
            write_page_checksum=True,
        )


def add_up(rows: "pa.Table") -> "pa.Table":
    """The rows of a summary, those that count the same thing added up, in the order of their codes."""
    import polars as pl
    import pyarrow as pa

    rows = rows.unify_dictionaries().combine_chunks()
    columns = dict(zip(rows.schema.names, (column.chunk(0) for column in rows.columns), strict=True))
    names = {name: values.dictionary for name, values in columns.items() if pa.types.is_dictionary(values.type)}
    codes = {name: values.indices if name in names else values for name, values in columns.items()}
    keys = [name for name in codes if name != "games"]
    frame = pl.DataFrame(pa.table(codes)).group_by(keys).agg(pl.col("games").sum()).sort(keys)
    table = frame.select(*codes).to_arrow()
    arrays = [
        pa.DictionaryArray.from_arrays(values, names[name], ordered=rows.schema.field(name).type.ordered)
        if name in names
        else values
        for name, values in zip(codes, (column.combine_chunks() for column in table.columns), strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=rows.schema)
