"""Plays the cells of a run, round after round, and hands what comes of it to the run folder.

Lanes take chunks in a fixed order and have a backend play them: in the lane's own thread, as the kernel holds no lock
of Python, in another process or on another machine. What a chunk contains depends on nothing but its cell and range,
so that neither the lanes nor their luck can change a number. Whichever lane delivers the next chunk that a part waits
for writes it; nothing does nothing but write, and with many lanes several parts are written at once.
"""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rcsim.analysis.summary import widths
from rcsim.analysis.sums import Sums
from rcsim.experiments import schedule
from rcsim.experiments.backends import Backend
from rcsim.experiments.backends.threads import Threads
from rcsim.experiments.cells import Run
from rcsim.experiments.errors import StoreError
from rcsim.experiments.store.folder import Folder
from rcsim.experiments.store.parts import Part, PartWriter
from rcsim.experiments.work import Played, Watch, Work

if TYPE_CHECKING:
    from rcsim.experiments.counts import Counts
    from rcsim.rules.schema import Ruleset

PART_S = 60.0  # a part that was under way for so long is finished with the games that it has: a crash costs no more
WAITING_CHUNKS = 2  # a lane: delivered chunks that may wait for an earlier one to arrive


@dataclass
class _Open:
    """A part that is being made: its writer and sums, and chunks that have arrived out of order, by first game."""

    part: Part
    writer: PartWriter
    sums: Sums = field(default_factory=Sums)
    counts: "list[Counts]" = field(default_factory=list)  # of a summary, which is written in the end
    begun: float = field(default_factory=time.monotonic)
    next: int = 0
    writing: bool = False
    waiting: dict[int, tuple[Part, Played]] = field(default_factory=dict)


class Pool:
    """Plays a run, but for what its folder holds already; `start`, then `wait` until it says that all is over.

    `held` games were stored before, `done` have been played, of the `goal` in all; `sums` are those of both.
    """

    def __init__(
        self,
        run: Run,
        rulesets: Mapping[str, "Ruleset"],
        *,
        threads: int = 1,
        backend: Backend | None = None,
        folder: Folder | None = None,
        watch: Watch | None = None,
        part_games: int | None = None,
        chunk_games: int | None = None,
        shard: schedule.Shard = schedule.WHOLE,
    ) -> None:
        """`rulesets` by hash. `folder`, opened for the run, takes the data; without one nothing is stored.

        `backend` plays in place of so many threads. `watch(cell, first, game_rows, seat_rows)` sees all rows, those of
        games `first`.. of the cell, from several threads and in any order; it must not keep them, as their memory is
        used again. Stored games are shown to it too. It needs the threads of this process.
        """
        self.run = run
        self.done = self.held = 0
        self.goal = run.games
        self.sums = Sums()
        self._rulesets = rulesets
        self._folder = folder
        self._watch = watch
        if backend is None:
            backend = Threads(Work(run, rulesets, store=folder is not None, watch=watch), threads)
        elif watch is not None:
            raise ValueError("rows are seen by the threads of this process alone")
        self._backend = backend
        self._chunk_games = chunk_games
        self._rounds = schedule.rounds(
            run,
            [] if folder is None else folder.parts(),
            lambda: widths(self.sums),
            part_games=part_games or schedule.GAMES_PER_PART[run.detail],
            shard=shard,
        )
        self._parts: Iterator[Part] = iter(())
        self._part: Part | None = None  # the one that is being cut into chunks, from this game on:
        self._at = 0
        self._left = 0  # games of the round that no lane has taken
        self._flying = 0  # lanes at work
        self._open: dict[Part, _Open] = {}
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._lanes: list[threading.Thread] = []
        self._busy = 0  # lanes that have not ended
        self._over = threading.Event()  # all have
        self._over.set()
        self._change = threading.Condition(threading.RLock())  # guards all of the above that changes

    def start(self) -> None:
        """Let the lanes begin."""
        self._over.clear()
        self._grow()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the end of the run, at most so long; whether it is over. Raises what a lane raised."""
        # Not Thread.join: when Ctrl-C breaks into it, Python 3.11 takes a thread that still runs for an ended one.
        if not self._over.wait(timeout_s):
            self._grow()
            return False
        if self._error is not None:
            raise self._error
        return True

    def stop(self) -> None:
        """End the run early: the lanes stop as soon as they can.

        Parts that are under way are finished with the games that have arrived; if it was the store that failed, or if
        they would take the place of an old run, they are deleted.
        """
        self._stop.set()
        with self._change:
            self._change.notify_all()
        self._over.wait()
        keep = self._folder is not None and not self._folder.replacing and not isinstance(self._error, StoreError)
        for opened in self._open.values():
            try:
                if keep:
                    while (ready := opened.waiting.pop(opened.next, None)) is not None:
                        opened.next += ready[0].count
                        self._append(opened, *ready)
                    self._finish(opened)
            except StoreError:
                if self._error is None:  # else the first one is told
                    raise
            finally:
                opened.writer.abandon()
        self._open.clear()

    @property
    def steady(self) -> bool:
        """Whether games come back at the pace at which they will, so that it says when the run is over."""
        return self._backend.steady

    def width(self) -> float | None:
        """The widest half-width of a win share's 95 % interval so far; None before there is one."""
        return max(widths(self.sums).values(), default=None)

    def _grow(self) -> None:
        """As many lanes as the backend can use by now."""
        with self._change:
            while len(self._lanes) < self._backend.lanes and not self._stop.is_set() and not self._over.is_set():
                self._lanes.append(threading.Thread(target=self._work, daemon=True))
                self._busy += 1
                self._lanes[-1].start()

    def _work(self) -> None:
        """One lane: batch after batch, until none is left or the run is stopped."""
        try:
            while (batch := self._take()) is not None:
                found = self._backend.play([chunk for _, chunk in batch], self._stop.is_set, self._step)
                for (part, chunk), played in zip(batch, found, strict=False):  # fewer, if the run was stopped
                    self._deliver(part, chunk, played)
                with self._change:
                    self._flying -= 1
                    self._change.notify_all()
        except BaseException as error:
            self._stop.set()
            with self._change:
                self._error = self._error or error
                self._change.notify_all()
        finally:
            with self._change:
                self._busy -= 1
                if not self._busy:
                    self._over.set()

    def _step(self, games: int) -> None:
        with self._change:
            self.done += games

    def _take(self) -> list[tuple[Part, Part]] | None:
        """The next chunks, each with its part; waits for the next round. None when all is played or stopped."""
        with self._change:
            while not self._stop.is_set():
                if batch := self._batch():
                    self._flying += 1
                    return batch
                if not self._flying:
                    following = next(self._rounds, None)
                    if following is None:
                        return None
                    self._begin(following)
                else:
                    self._change.wait()
            return None

    def _begin(self, following: schedule.Round) -> None:
        """Take over the stored games of a round, and make its parts what is played next."""
        self.goal = following.goal
        for part in following.stored:
            assert self._folder is not None
            self.held += part.count
            self.sums.merge(stored_sums(self._folder, part))
            if self._watch is not None:
                from rcsim.experiments.decode import stored_rows

                cell = next(cell for cell in self.run.cells if cell.index == part.cell)
                for first, games, seats in stored_rows(self._folder, cell, self._rulesets[cell.ruleset], part):
                    self._watch(cell, first, games, seats)
        self._parts = iter(following.parts)
        self._left = sum(part.count for part in following.parts)

    def _batch(self) -> list[tuple[Part, Part]]:
        """Cut the next chunks off the round, for one call of the backend."""
        batch: list[tuple[Part, Part]] = []
        wanted = self._chunk_games or self._backend.wanted(self._left)
        while wanted > 0:
            if self._part is None:
                self._part = next(self._parts, None)
                if self._part is None:
                    break
                self._at = self._part.first
                if self._folder is not None:
                    writer = PartWriter(self._folder, self.run, self._part)
                    self._open[self._part] = _Open(self._part, writer, next=self._part.first)
            part = self._part
            n = min(wanted, part.end - self._at)
            batch.append((part, Part(part.cell, self._at, n)))
            wanted -= n
            self._left -= n
            self._at += n
            if self._at == part.end:
                self._part = None
        return batch

    def _deliver(self, part: Part, chunk: Part, played: Played) -> None:
        """Hand a chunk to its part, and write what is now in order, unless another lane is at it."""
        if self._folder is None:
            self.sums.merge(played.sums)
            return
        opened = self._open[part]
        most = WAITING_CHUNKS * len(self._lanes)
        with self._change:
            # A writer that cannot keep up holds the others back, so that memory stays flat. The lane with the
            # earliest chunk never waits: its batch is the earliest too.
            while chunk.first != opened.next and len(opened.waiting) >= most and not self._stop.is_set():
                self._change.wait()
            opened.waiting[chunk.first] = chunk, played
            if opened.writing:
                return
            opened.writing = True
        while True:
            with self._change:
                ready = opened.waiting.pop(opened.next, None)
                if ready is None or self._stop.is_set():
                    opened.writing = False
                    return
                opened.next += ready[0].count
                self._change.notify_all()
            self._append(opened, *ready)
            if opened.next == part.end:
                self._finish(opened)
                with self._change:
                    del self._open[part]
                return
            if time.monotonic() - opened.begun > PART_S:
                self._split(opened)

    def _append(self, opened: _Open, chunk: Part, played: Played) -> None:
        """Put the next chunk into a part."""
        from rcsim.experiments.counts import Counts

        if isinstance(played.data, Counts):
            opened.counts = [Counts.sum([*opened.counts, played.data])]
        else:
            opened.writer.append(chunk.count, played.data)
        opened.sums.merge(played.sums)
        self.sums.merge(played.sums)

    def _split(self, opened: _Open) -> None:
        """Finish a part with the games that it has, and go on with the others as one of its own."""
        assert self._folder is not None
        self._finish(opened)
        opened.part = Part(opened.part.cell, opened.next, opened.part.end - opened.next)
        opened.writer = PartWriter(self._folder, self.run, opened.part)
        opened.sums, opened.counts, opened.begun = Sums(), [], time.monotonic()

    def _finish(self, opened: _Open) -> None:
        """Finish a part with the games that it has."""
        if opened.counts:
            from rcsim.experiments.encode import summary_table

            cell = next(cell for cell in self.run.cells if cell.index == opened.part.cell)
            table = summary_table(self.run, cell, self._rulesets[cell.ruleset], opened.counts[0])
            opened.writer.append(opened.next - opened.part.first, {"summary": table})
        opened.writer.finish(json.dumps(opened.sums.to_json(), separators=(",", ":")))


def stored_sums(folder: Folder, part: Part) -> Sums:
    """The sums of a stored part, as its footer has them. StoreError if it has none that can be read."""
    try:
        return Sums.from_json(json.loads(folder.sums(part)))
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{folder.path}: the sums of {part.name} cannot be read") from error
