"""From stored parts back to the kernel's rows."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from rcsim.columns import GAME_COLUMNS, SEAT_COLUMNS, Column
from rcsim.experiments import schema
from rcsim.experiments.cells import Cell
from rcsim.experiments.errors import StoreError
from rcsim.experiments.store.folder import Folder
from rcsim.experiments.store.parts import Part
from rcsim.names import PLAYER_COLOURS

if TYPE_CHECKING:
    from rcsim.rules.schema import Ruleset

Array = np.ndarray[Any, Any]


def stored_rows(folder: Folder, cell: Cell, ruleset: "Ruleset", part: Part) -> Iterator[tuple[int, Array, Array]]:
    """The rows of a part of detail "full", some games at a time: number of the first, game rows, seat rows.

    As of the kernel: int32, (n, game columns) and (n * seats, seat columns). StoreError if they cannot be read.
    """
    names = {"plan": tuple(ruleset.plan_ids(cell.players)), "colour": PLAYER_COLOURS}
    files = [folder.file(table, part) for table in ("games", "seats")]
    first = part.first
    try:
        with pq.ParquetFile(files[0].absolute()) as games, pq.ParquetFile(files[1].absolute()) as seats:
            for group in range(games.num_row_groups):
                rows = _rows(games.read_row_group(group), GAME_COLUMNS, names)
                yield first, rows, _rows(seats.read_row_group(group), SEAT_COLUMNS, names)
                first += len(rows)
    except (OSError, KeyError, pa.ArrowException) as error:
        raise StoreError(f"{files[0]}: cannot be read with its seats ({str(error).splitlines()[0]})") from error


def _rows(table: pa.Table, columns: tuple[Column, ...], names: schema.Enums) -> Array:
    out = np.empty((table.num_rows, len(columns)), np.int32)
    for i, column in enumerate(columns):
        out[:, i] = _raw(table[column.name].combine_chunks(), column, names)
    return out


def _raw(values: Any, column: Column, names: schema.Enums) -> Array:
    """One column as the kernel wrote it."""
    if column.share:
        shares = values.to_numpy(zero_copy_only=False)
        return np.where(shares > 0, np.rint(1 / np.where(shares > 0, shares, 1)), 0)
    if (enum := schema.enum_of(column)) is not None:
        codes = np.array([names[enum].index(w) if w in names[enum] else -1 for w in values.dictionary.to_pylist()])
        values = pa.DictionaryArray.from_arrays(values.indices, pa.array(codes)).dictionary_decode()
    if values.null_count:
        values = values.fill_null(column.null)
    return np.asarray(values.to_numpy(zero_copy_only=False))
