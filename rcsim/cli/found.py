"""What a folder holds already of a run that would be stored there; for a dry run, so that nothing is written."""

from pathlib import Path
from typing import TYPE_CHECKING

from rcsim.cli.errors import UserError

if TYPE_CHECKING:
    from rcsim.experiments.cells import Run


def found(path: Path, run: "Run", *, force: bool, shard: tuple[int, int]) -> str:
    """What is there and what would be played, in a line; empty if nothing is there. UserError if it would be refused.

    Parts are counted by their names, and not judged.
    """
    from rcsim.experiments.errors import StoreError
    from rcsim.experiments.schedule import missing, share
    from rcsim.experiments.store.folder import Folder

    folder = Folder(path)
    try:
        other = folder.other(run, force=force)
        parts = folder.parts()
    except StoreError as error:
        raise UserError(f"--out: {error}") from error
    if other:
        return f"{path} holds another run ({other}), which --force would replace."
    if not parts:
        return ""
    there = f"{path} holds {sum(part.count for part in parts):,} games of this run"
    if run.precision is not None:
        return f"{there}, which would not be played again."
    spans = {cell.index: share(cell.games, shard) for cell in run.cells}
    gaps = [gap for cell, span in spans.items() for gap in missing(span, [p for p in parts if p.cell == cell])]
    return f"{there}; {sum(map(len, gaps)):,} would be played."
