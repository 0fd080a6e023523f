"""How to go on with a run that is in a folder, and what it lacks."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rcsim.experiments.cells import Run

MOST_CELLS = 4  # of which missing games are listed
_VALUED = ("--shard", "--out")
_PLAIN = ("--force",)


def command_for(command: str, out: Path) -> str:
    """The command that plays in a folder whatever is missing of the run that a command made, or a shard of it."""
    kept = []
    words = iter(shlex.split(command))
    for word in words:
        if word in _VALUED:
            next(words, None)
        elif word not in _PLAIN and not word.startswith(tuple(f"{option}=" for option in _VALUED)):
            kept.append(word)
    return shlex.join([*kept, "--out", str(out)])


def lacking(missing: Mapping[int, Sequence[range]], run: "Run") -> str:
    """What a run lacks, by cell, after the number of games that it has."""
    from rcsim.experiments.store import joined

    if not missing:
        return ", which is all"
    games = sum(len(span) for spans in missing.values() for span in spans)
    cells = [f"cell {cell}: {joined(spans)}" for cell, spans in list(missing.items())[:MOST_CELLS]]
    more = f"; and {len(missing) - MOST_CELLS} more cells" if len(missing) > MOST_CELLS else ""
    what = "that the precision may not need" if run.precision is not None else "missing"
    return f" of {run.games:,}; {games:,} {what} ({'; '.join(cells)}{more})"
