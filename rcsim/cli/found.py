"""What a folder holds already of a run that would be stored there; for a dry run, so that nothing is written."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from rcsim.cli.errors import UserError

if TYPE_CHECKING:
    from rcsim.experiments.cells import Run
    from rcsim.experiments.store.folder import Folder


def found(path: Path, run: "Run", *, force: bool, shard: tuple[int, int]) -> str:
    """What is there and what would be played, in a line; empty if nothing is there. UserError if it would be refused.

    Parts are counted by their names, and not judged.
    """
    from rcsim.experiments.errors import StoreError
    from rcsim.experiments.schedule import missing, share
    from rcsim.experiments.store.disk import listed
    from rcsim.experiments.store.folder import Folder
    from rcsim.experiments.store.parts import TABLES, Part

    if path.exists() and not path.is_dir():
        raise UserError(f"--out: {path}: cannot be written (not a folder)")
    folder = Folder(path)
    try:
        files = [file for table in TABLES for file in listed(path / table)]
        strange = next((file for file in files if Part.from_name(file.name) is None), None)
        other = _other(folder, run, files)
    except StoreError as error:
        raise UserError(f"--out: {error}") from error
    if strange is not None:
        raise UserError(f"--out: {strange}: not a file of rcsim; move it away, the folder must hold nothing but parts")
    if not files:
        return ""
    if other and not force:
        raise UserError(
            f"--out: {path}: holds another run ({other}); give another folder, or --force to replace that run"
        )
    if other:
        return f"{path} holds another run ({other}), which --force would replace."
    parts = folder.parts()
    there = f"{path} holds {sum(part.count for part in parts):,} games of this run"
    if run.precision is not None:
        return f"{there}, which would not be played again."
    spans = {cell.index: share(cell.games, shard) for cell in run.cells}
    gaps = [gap for cell, span in spans.items() for gap in missing(span, [p for p in parts if p.cell == cell])]
    return f"{there}; {sum(map(len, gaps)):,} would be played."


def _other(folder: "Folder", run: "Run", files: list[Path]) -> str:
    """How the run of a folder differs from this one; empty if it does not."""
    from rcsim.experiments.errors import StoreError
    from rcsim.experiments.store.differences import differences
    from rcsim.experiments.store.parts import read_footer

    with contextlib.suppress(StoreError):
        return differences(folder.read(), run) if files else ""
    hashes = []  # no manifest, or a damaged one: the parts say whose they are
    for file in files:
        with contextlib.suppress(StoreError, ValueError, KeyError, TypeError):
            hashes.append(read_footer(file)["run_hash"])
    return "" if not hashes or run.hash in hashes else f"hash: {hashes[0]} there, {run.hash} here"
