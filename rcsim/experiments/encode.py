"""From the kernel's rows of int32 to Arrow tables with the stored types.

The kernel writes row by row, a column store wants columns: rows are turned in pieces that fit the processor's
cache. A value that its stored type cannot hold is refused; nothing wraps.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from rcsim.columns import GAME_COLUMNS, SEAT_COLUMNS, Column
from rcsim.experiments import schema
from rcsim.experiments.cells import Cell, Run
from rcsim.experiments.counts import Counts
from rcsim.experiments.errors import StoreError

if TYPE_CHECKING:
    from rcsim.rules.schema import Ruleset

Array = np.ndarray[Any, Any]

_DTYPES = {
    "Int8": np.int8,
    "Int16": np.int16,
    "Int32": np.int32,
    "Int64": np.int64,
    "Boolean": np.bool_,
}
_SHARES = np.array([0.0, *(1 / k for k in range(1, schema.MAX_WINNERS + 1))], np.float32)


class Encoder:
    """Makes the Arrow tables `games` and `seats` of a chunk of one cell's games, as the detail of the run has them.

    `add` takes the kernel's rows piece by piece, `take` hands the tables over and empties the encoder. One encoder
    belongs to one thread.
    """

    def __init__(self, run: Run, cell: Cell, ruleset: "Ruleset", capacity: int) -> None:
        """`capacity`: games of the largest chunk."""
        self.cell = cell
        self.capacity = capacity
        self.names = run.enums
        self.columns = schema.tables(run.detail)
        self.schemas = {table: schema.arrow_schema(table, self.names, run.detail) for table in self.columns}
        self.plan_codes = _plan_codes(run, cell, ruleset)
        ivan = [-1] * (cell.seats - cell.players)
        self.policy_codes = np.array([run.policies.index(p) for p in cell.lineup] + ivan, np.int32)
        self.lineup_code = self.names["lineup"].index(",".join(cell.lineup))
        self.games = np.empty((len(GAME_COLUMNS), capacity), np.int32)
        self.seats = np.empty((len(SEAT_COLUMNS), capacity * cell.seats), np.int16)
        self.limits = {
            "games": _limits(GAME_COLUMNS, {**self.names, "plan": tuple(ruleset.plan_ids(cell.players))}, np.int32),
            "seats": _limits(SEAT_COLUMNS, self.names, np.int16),
        }
        self.first = 0
        self.count = 0

    def add(self, first: int, game_rows: Array, seat_rows: Array) -> None:
        """Take the rows of games `first`.. on: int32, (n, game columns) and (n * seats, seat columns).

        Pieces of a chunk follow one another. StoreError if a value does not fit its stored type.
        """
        n = len(game_rows)
        if not self.count:
            self.first = first
        for table, columns, rows in (("games", GAME_COLUMNS, game_rows), ("seats", SEAT_COLUMNS, seat_rows)):
            low, high = self.limits[table]
            least, most = rows.min(axis=0), rows.max(axis=0)
            bad = np.flatnonzero((least < low) | (most > high))
            if len(bad):
                j = int(bad[0])
                value = int(least[j] if least[j] < low[j] else most[j])
                raise StoreError(
                    f"{table}.{columns[j].name}: {value} does not fit {columns[j].type} ({low[j]} to {high[j]}), in"
                    f" cell {self.cell.index}, games {first} to {first + n - 1}; the ruleset asks for too much"
                )
        seats = self.cell.seats
        self.games[:, self.count : self.count + n] = game_rows.T
        self.seats[:, self.count * seats : (self.count + n) * seats] = seat_rows.T
        self.count += n

    def take(self) -> dict[str, pa.Table]:
        """The tables of what was added since the last call, by name, and start anew."""
        n, seats = self.count, self.cell.seats
        self.count = 0
        game = np.arange(self.first, self.first + n, dtype=np.int64)
        games = dict(zip((c.name for c in GAME_COLUMNS), self.games[:, :n], strict=True))
        games |= {"plan": self.plan_codes[games["plan"]]}
        games |= self._keys(game) | {"lineup": np.full(n, self.lineup_code, np.uint32)}
        rows = dict(zip((c.name for c in SEAT_COLUMNS), self.seats[:, : n * seats], strict=True))
        rows |= self._keys(np.repeat(game, seats)) | {"policy": np.tile(self.policy_codes, n)}
        return {"games": self._table("games", games), "seats": self._table("seats", rows)}

    def _keys(self, game: Array) -> dict[str, Array]:
        return {"cell": np.full(len(game), self.cell.index, np.int32), "game": game, "deal": game}

    def _table(self, table: str, raw: dict[str, Array]) -> pa.Table:
        fields = self.schemas[table]
        arrays = [
            _column(column, raw[column.name], fields.field(i).type, self.names)
            for i, column in enumerate(self.columns[table])
        ]
        return pa.Table.from_arrays(arrays, schema=fields)


def summary_table(run: Run, cell: Cell, ruleset: "Ruleset", counts: Counts) -> pa.Table:
    """The table `summary` of the counts of some games of a cell."""
    raw = counts.columns()
    raw |= {"plan": _plan_codes(run, cell, ruleset)[raw["plan"]], "cell": np.full(len(counts.keys), cell.index)}
    fields = schema.arrow_schema("summary", run.enums, "summary")
    arrays = [_column(c, raw[c.name], fields.field(i).type, run.enums) for i, c in enumerate(schema.SUMMARY)]
    return pa.Table.from_arrays(arrays, schema=fields)


def _plan_codes(run: Run, cell: Cell, ruleset: "Ruleset") -> Array:
    """Of each plan of the cell's player count, as the kernel counts them, the code among those of the run."""
    return np.array([run.plans.index(plan) for plan in ruleset.plan_ids(cell.players)], np.int32)


def _limits(columns: Sequence[Column], names: schema.Enums, raw: type[Any]) -> tuple[Array, Array]:
    """Least and greatest raw value of each column that both its stored type and the buffer hold."""
    info = np.iinfo(raw)
    pairs = [schema.bounds(c, names) for c in columns]
    low = [min(lo, c.null if c.null is not None else lo) for (lo, _), c in zip(pairs, columns, strict=True)]
    return np.maximum(low, info.min), np.minimum([hi for _, hi in pairs], info.max)


def _column(column: Column, raw: Array, kind: pa.DataType, names: schema.Enums) -> pa.Array:
    """One stored column of raw values; always a copy, as the buffers are used again."""
    valid = None if column.null is None else raw != column.null
    if column.share:
        return _array(_SHARES[raw], kind)
    enum = schema.enum_of(column)
    if enum is None:
        return _array(raw.astype(_DTYPES[column.type]), kind, valid)
    codes = raw if valid is None else np.where(valid, raw, 0)
    indices = _array(codes.astype(np.uint8 if kind.index_type == pa.uint8() else np.uint32), kind.index_type, valid)
    return pa.DictionaryArray.from_arrays(indices, _strings(names[enum]), ordered=kind.ordered)


def _strings(words: Sequence[str]) -> pa.Array:
    """An Arrow array of strings."""
    encoded = [word.encode() for word in words]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(words), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))


def _array(values: Array, kind: pa.DataType, valid: Array | None = None) -> pa.Array:
    """An Arrow array over the memory of `values`, with nulls where not `valid`.

    Not `pa.array`: to look for its types it imports pandas where that is installed, half a second for nothing.
    """
    data = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else values
    bitmap = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    return pa.Array.from_buffers(kind, len(values), [bitmap, pa.py_buffer(data)])
