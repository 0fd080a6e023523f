"""The threads of this process: the lanes play themselves."""

from collections.abc import Callable, Iterator, Sequence

from rcsim.experiments.store.parts import Part
from rcsim.experiments.work import Played, Work

GAMES_PER_CHUNK = 2**11  # what a thread takes at once


class Threads:
    """So many threads."""

    def __init__(self, work: Work, threads: int) -> None:
        self.lanes = threads
        self._work = work

    def wanted(self, left: int) -> int:
        """A constant number: small, as handing over costs nothing."""
        return GAMES_PER_CHUNK

    def play(self, batch: Sequence[Part], stopped: Callable[[], bool], step: Callable[[int], None]) -> Iterator[Played]:
        """Play the chunks in this thread."""
        for chunk in batch:
            played = self._work.play(chunk, stopped, step)
            if played is None:
                return
            yield played

    def close(self) -> None:
        """Nothing is held."""
