"""Where chunks are played: threads of this process, other processes, or a Dask cluster."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rcsim.experiments.store.parts import Part
    from rcsim.experiments.work import Played

BACKENDS = ("threads", "processes", "dask")


class Backend(Protocol):
    """Plays batches of chunks for the lanes of a pool."""

    @property
    def lanes(self) -> int:
        """How many batches it can use at once, by now."""

    @property
    def steady(self) -> bool:
        """Whether it has come to its pace: workers that start, and first small batches, say little of it."""

    def wanted(self, left: int) -> int:
        """Games that the next batch should have, of those that are left in the round."""

    def play(
        self, batch: "Sequence[Part]", stopped: Callable[[], bool], step: Callable[[int], None]
    ) -> "Iterator[Played]":
        """What comes of each chunk, in order, up to where the run was `stopped`; `step` is told of games played."""

    def close(self) -> None:
        """Let go of everything; the run is over."""
