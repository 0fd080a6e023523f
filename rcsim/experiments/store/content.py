"""The content hash of a run folder: equal if and only if the data are, however they were made."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rcsim.experiments.errors import StoreError
from rcsim.experiments.store.digest import TableDigest
from rcsim.experiments.store.folder import Folder
from rcsim.experiments.store.parts import Part, add_up, overlaps, read_rows

if TYPE_CHECKING:
    import pyarrow as pa

    Read = Callable[[Path, str, Part], Iterator[pa.RecordBatch]]


def content_hash(path: Path) -> str:
    """Digest of what the data says: the schema, and the decoded columns in the order of cell and game.

    How the run was executed, cut into parts and compressed leaves no trace in it; neither does the footer. The
    counts of a summary are added up over the parts of each cell first. StoreError if a part is not sound, has another
    schema than those before it, or shares games with one.
    """
    folder = Folder(path)
    parts = folder.parts()
    for one, other in overlaps(parts):
        raise StoreError(f"{path}: {one.name} and {other.name} share games")
    return digest_of(folder, parts, read_rows)


def digest_of(folder: Folder, parts: Sequence[Part], read: "Read") -> str:
    """The content hash of parts that share no games. `read(file, table, part)` yields their rows."""
    total = hashlib.sha256()
    for table in folder.tables:
        digest: TableDigest | None = None
        kinds = None
        for rows in (_counts if table == "summary" else _rows)(folder, table, parts, read):
            digest = digest or TableDigest(table, rows.schema)
            if rows.schema != kinds:  # compared where it changes at all: batches of a file share theirs
                digest.expect(rows.schema)
                kinds = rows.schema
            digest.add(rows)
        total.update(digest.value() if digest else b"")
    return total.hexdigest()


def _rows(folder: Folder, table: str, parts: Sequence[Part], read: "Read") -> "Iterator[pa.RecordBatch]":
    """The rows of a table in the order of cell and game."""
    for part in parts:
        yield from read(folder.file(table, part), table, part)


def _counts(folder: Folder, table: str, parts: Sequence[Part], read: "Read") -> "Iterator[pa.Table]":
    """The counts of each cell, in the order of their codes."""
    import pyarrow as pa

    for cell in sorted({part.cell for part in parts}):
        rows = None
        for part in parts:
            if part.cell == cell:
                for batch in read(folder.file(table, part), table, part):
                    more = pa.Table.from_batches([batch])
                    rows = add_up(more if rows is None else pa.concat_tables([rows, more]))
        if rows is not None:
            yield rows
