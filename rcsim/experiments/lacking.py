"""What a run still lacks, judged by what is stored of it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rcsim.analysis.summary import widths
from rcsim.analysis.sums import Sums
from rcsim.experiments import schedule
from rcsim.experiments.cells import Run
from rcsim.experiments.runner import stored_sums
from rcsim.experiments.store.parts import Part

if TYPE_CHECKING:
    from rcsim.experiments.store.folder import Folder


def lacking(run: Run, folder: "Folder", parts: Iterable[Part]) -> dict[int, list[range]]:
    """Games that a run has to play and that are in none of these parts of its folder, by cell; none: it is complete.

    Of a run with a precision these are the games up to its next look: whether there are more is decided there.
    StoreError if the sums of a part cannot be read.
    """
    parts = sorted(parts)
    sums = Sums()
    size = schedule.GAMES_PER_PART[run.detail]
    for following in schedule.rounds(run, parts, lambda: widths(sums), part_games=size):
        gaps: dict[int, list[range]] = {}
        for part in sorted(following.parts):
            spans = gaps.setdefault(part.cell, [])
            first = spans.pop().start if spans and spans[-1].stop == part.first else part.first
            spans.append(range(first, part.end))
        if gaps:
            return gaps
        for part in following.stored if run.precision is not None else ():
            sums.merge(stored_sums(folder, part))
    return {}
