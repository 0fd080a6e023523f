"""Digest of a table: of its schema and decoded columns, however the rows are cut and stored."""

import hashlib
from typing import TYPE_CHECKING, Any

from rcsim.experiments.errors import StoreError

if TYPE_CHECKING:
    import pyarrow as pa


class TableDigest:
    """Digest of a table's rows, however they come in pieces.

    How the table was cut into parts and row groups and compressed leaves no trace in it; neither do footers.
    """

    def __init__(self, table: str, schema: "pa.Schema") -> None:
        self.table = table
        self.kinds = kinds(schema)
        self._columns = {name: _Digest(f"{table}.{name} {kind}") for name, kind in self.kinds.items()}

    def expect(self, schema: "pa.Schema") -> None:
        """StoreError if rows of this schema do not belong here."""
        if (found := kinds(schema)) != self.kinds:
            odd = [name for name in {**self.kinds, **found} if self.kinds.get(name) != found.get(name)]
            what = f"column {odd[0]}" if odd else "the order of the columns"
            raise StoreError(f"{self.table}: {what} is not the same in all parts")

    def add(self, rows: "pa.Table | pa.RecordBatch") -> None:
        """Feed the next rows, of the same schema."""
        for name, values in zip(rows.schema.names, rows.columns, strict=True):
            for piece in getattr(values, "chunks", [values]):
                self._columns[name].add(piece)

    def value(self) -> bytes:
        """The digest of all that was added."""
        return hashlib.sha256(b"".join(column.value() for column in self._columns.values())).digest()


def kinds(schema: "pa.Schema") -> dict[str, str]:
    """Type of each column as Polars reads it, an enum's with its names."""
    import polars as pl

    return {
        name: f"Enum {kind.categories.to_list()}" if isinstance(kind, pl.Enum) else type(kind).__name__ + str(kind)
        for name, kind in pl.DataFrame(schema.empty_table()).schema.items()
    }


class _Digest:
    """Digest of one column's decoded values."""

    def __init__(self, what: str) -> None:
        self._values = hashlib.sha256(what.encode())
        self._valid = hashlib.sha256()  # apart: one stream for both would depend on the pieces
        self._words: tuple[Any, Any] = (None, None)

    def add(self, values: "pa.Array") -> None:
        """Feed the next values: which of them are there, and what they are (zero where null; names as they read)."""
        import pyarrow as pa

        self._valid.update(values.is_valid().to_numpy(zero_copy_only=False))
        if pa.types.is_dictionary(values.type):
            known = self._known(values.dictionary)
            codes = values.indices.cast(pa.int64()).fill_null(len(known) - 1).to_numpy()
            self._values.update(known[codes])
            return
        if values.null_count:
            values = values.fill_null(0)
        self._values.update(values.to_numpy(zero_copy_only=False))

    def _known(self, names: "pa.Array") -> Any:
        """A number for each name, int64, and a zero at the end for null."""
        import numpy as np

        if self._words[0] is None or not names.equals(self._words[0]):
            words = [hashlib.sha256(name.encode()).digest()[:8] for name in names.to_pylist()]
            self._words = names, np.frombuffer(b"".join(words) + bytes(8), np.int64)
        return self._words[1]

    def value(self) -> bytes:
        """The digest of all that was added."""
        return self._values.digest() + self._valid.digest()
