"""The threads of this process: the lanes play themselves."""

from collections.abc import Callable, Iterator, Sequence

from rcsim.experiments.backends.remote import Pace
from rcsim.experiments.store.parts import Part
from rcsim.experiments.work import Played, Work

GAMES_PER_CHUNK = 2**11  # what a thread takes at once


class Threads:
    """So many threads."""

    def __init__(self, work: Work, threads: int) -> None:
        self.lanes = threads
        self._work = work
        self._pace = Pace()

    @property
    def steady(self) -> bool:
        """Each game is told as it is played."""
        return True

    def wanted(self, left: int) -> int:
        """A small number, as handing over costs nothing; a smaller one if the players think long."""
        return min(GAMES_PER_CHUNK, self._pace.wanted(left, self.lanes))

    def play(self, batch: Sequence[Part], stopped: Callable[[], bool], step: Callable[[int], None]) -> Iterator[Played]:
        """Play the chunks in this thread."""
        for chunk in batch:
            played = self._work.play(chunk, stopped, step)
            if played is None:
                return
            self._pace.saw(chunk.count, played.seconds)
            yield played

    def close(self) -> None:
        """Nothing is held."""
