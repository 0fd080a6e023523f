"""What is played when: rounds that end at a look, and the parts that a run still lacks.

All of it follows from the run, from what is stored and from the sums at each look; who plays, and how fast, has no
say. A part never crosses a look, so that the sums of exactly the games before it can be had from parts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from rcsim.experiments.cells import Cell, Run
from rcsim.experiments.errors import DesignError
from rcsim.experiments.store.parts import Part

GAMES_PER_PART = {"full": 2**17, "seats": 2**17, "summary": 2**20}  # about 20 MB of seats; a file of counts

Shard = tuple[int, int]  # i of N, from 1
WHOLE: Shard = (1, 1)
Widths = Mapping[int, float]  # by cell: the 95 % half-width of the win share that is known least well


@dataclass(frozen=True)
class Round:
    """What is played until the next look: parts that are stored already, those to be played, and how many games.

    `goal` is the number of games in the run, stored ones too, if no arm but those that have does stop early.
    """

    stored: list[Part]
    parts: list[Part]
    goal: int


def rounds(
    run: Run, stored: Iterable[Part], widths: Callable[[], Widths], *, part_games: int, shard: Shard = WHOLE
) -> Iterator[Round]:
    """The rounds of a run; each begins when the one before has been played.

    `widths` is asked at each look, for the cells whose arms have not stopped yet. Without a precision there is one
    round. DesignError for a shard of a run that looks.
    """
    if run.precision is None:
        yield _round(run, {cell.index: share(cell.games, shard) for cell in run.cells}, stored, part_games)
        return
    if shard != WHOLE:
        raise DesignError("shard", "{}/{}".format(*shard), "a target error needs all games in one run")
    held = sorted(stored)
    spans = {cell.index: range(0) for cell in run.cells}
    open_arms = {cell.arm for cell in run.cells}
    for number in count():
        going = [cell for cell in run.cells if cell.arm in open_arms]
        if not going:
            return
        done = sum(span.stop for index, span in spans.items() if index not in {cell.index for cell in going})
        for cell in going:
            spans[cell.index] = range(spans[cell.index].stop, look(run, cell, number))
        now = {cell.index: spans[cell.index] for cell in going}
        yield _round(run, now, held, part_games, done + sum(cell.games for cell in going))
        found = widths()
        for arm in list(open_arms):
            cells = [cell for cell in going if cell.arm == arm]
            full = all(spans[cell.index].stop == cell.games for cell in cells)
            if full or all(found[cell.index] <= run.precision.target for cell in cells):
                open_arms.discard(arm)


def _round(run: Run, spans: Mapping[int, range], stored: Iterable[Part], size: int, goal: int | None = None) -> Round:
    """The round in which these games of each cell are played, parts that are stored left out.

    The first part of every cell comes first, then the second of every cell, and so on: what compares the same deals
    in several cells has to remember the deals of a part or two, and a run that is stopped early has about as many
    games in every cell.
    """
    order = {cell.index: i for i, cell in enumerate(run.cells)}
    held = [p for p in stored if p.first in spans.get(p.cell, ()) or (goal is None and p.cell in order)]
    parts = [
        part
        for index, span in spans.items()
        for gap in missing(span, [p for p in held if p.cell == index])
        for part in cut(index, gap, size)
    ]

    def place(part: Part) -> tuple[int, int, int]:
        return part.first // size, order[part.cell], part.first

    inside = sum(len(span) for span in spans.values())
    return Round(sorted(held, key=place), sorted(parts, key=place), inside if goal is None else goal)


def look(run: Run, cell: Cell, number: int) -> int:
    """Games of a cell at a look: the least number, twice as many, ..., at most all."""
    assert run.precision is not None
    return min(run.precision.min_games << number, cell.games)


def share(games: int, shard: Shard) -> range:
    """The games of a cell that one of several shards plays."""
    i, n = shard
    return range((i - 1) * games // n, i * games // n)


def missing(span: range, stored: Sequence[Part]) -> list[range]:
    """The games of a span that are in none of the parts of its cell."""
    gaps, at = [], span.start
    for part in sorted(stored):
        if part.first > at:
            gaps.append(range(at, min(part.first, span.stop)))
        at = max(at, part.end)
    gaps.append(range(at, span.stop))
    return [gap for gap in gaps if gap]


def cut(cell: int, games: range, size: int) -> Iterator[Part]:
    """The parts that hold these games: they end at the multiples of `size`, wherever the games begin."""
    at = games.start
    while at < games.stop:
        end = min((at // size + 1) * size, games.stop)
        yield Part(cell, at, end - at)
        at = end
