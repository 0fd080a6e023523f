"""How to go on with a run that is in a folder, and what it lacks."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rcsim.experiments.cells import Run

MOST_CELLS = 4  # of which missing games are listed
SHARD = "--shard"
_PLAIN = ("--force",)


def command_for(command: str, out: Path, *, shard: bool = False) -> str:
    """The command that goes on in a folder with the run that a command made; with all of it or, if that, its shard."""
    valued = ("--out",) if shard else ("--out", SHARD)
    kept = []
    words = iter(shlex.split(command))
    for word in words:
        if word in valued:
            next(words, None)
        elif word not in _PLAIN and not word.startswith(tuple(f"{option}=" for option in valued)):
            kept.append(word)
    return shlex.join([*kept, "--out", str(out)])


def games_told(games: int, missing: Mapping[int, Sequence[range]], run: "Run") -> list[str]:
    """Lines on how many games there are, of how many, and which of them are missing, by cell."""
    from rcsim.experiments.store.folder import joined

    if not missing:
        return [f"games     {games:,}, " + ("which is all" if games == run.games else "enough for the precision")]
    lacking = sum(len(span) for spans in missing.values() for span in spans)
    what = "the precision needs more" if run.precision is not None else f"{lacking:,} are missing"
    lines = [f"missing   cell {cell}: {joined(spans)}" for cell, spans in missing.items()]
    more = [f"missing   {len(lines) - MOST_CELLS:,} more cells"] if len(lines) > MOST_CELLS else []
    most = "" if run.precision is None else "at most "
    return [f"games     {games:,} of {most}{run.games:,}; {what}", *lines[:MOST_CELLS], *more]
