"""Plays the cells of a run on a pool of threads and hands the rows on.

The kernel holds no lock of Python, so that threads are enough. Threads take chunks of constant size in a fixed order;
what a chunk contains depends on nothing but its cell and range, so that neither the number of threads nor their luck
can change a number. Whoever delivers the next chunk that a part waits for writes it; no thread does
nothing but write, and with many threads several parts are written at once.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from rcsim.columns import GAME_COLUMNS, SEAT_COLUMNS
from rcsim.experiments.cells import Cell, Run
from rcsim.experiments.parts import GAMES_PER_PART, Part, PartWriter, cut
from rcsim.experiments.store import Folder

if TYPE_CHECKING:
    import pyarrow as pa

    from rcsim.experiments.encode import Encoder
    from rcsim.rules.schema import Ruleset

Array = np.ndarray[Any, Any]
Rows = tuple[Array, Array]
Watch = Callable[[Cell, int, Array, Array], None]

GAMES_PER_CHUNK = 2**11  # what a thread takes at once
GAMES_PER_CALL = 2**8  # one call of the kernel: its rows fit the cache, and a stop is heard soon
WAITING_CHUNKS = 2  # a thread: delivered chunks that may wait for an earlier one to arrive


@dataclass
class _Open:
    """A part that is being made: chunks that have arrived out of order, by first game, and their writer."""

    writer: PartWriter
    next: int
    writing: bool = False
    waiting: dict[int, "tuple[pa.Table, pa.Table]"] = field(default_factory=dict)


class Pool:
    """Plays a run. `done` counts the games that were played; `start`, then `wait` until it says that all is over."""

    def __init__(
        self,
        run: Run,
        rulesets: Mapping[str, "Ruleset"],
        *,
        threads: int,
        folder: Folder | None = None,
        watch: Watch | None = None,
        part_games: int = GAMES_PER_PART,
        chunk_games: int = GAMES_PER_CHUNK,
    ) -> None:
        """`rulesets` by hash. `folder`, already open, takes the data; without one nothing is stored.

        `watch(cell, first, game_rows, seat_rows)` sees all rows, those of games `first`.. of the cell, from several
        threads and in any order; it must not keep them, as their memory is used again.
        """
        self.run = run
        self.done = 0
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]
        self._rulesets = rulesets
        self._folder = folder
        self._watch = watch
        self._part_games = part_games
        self._chunk_games = chunk_games
        self._inputs = _inputs(run, rulesets)
        self._chunks = self._cut()
        self._open: dict[Part, _Open] = {}
        self._most_waiting = WAITING_CHUNKS * threads
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._busy = 0  # threads that have not ended
        self._over = threading.Event()  # all have
        self._over.set()
        self._change = threading.Condition()  # guards all of the above that changes

    def start(self) -> None:
        """Let the threads begin."""
        self._busy = len(self._threads)
        self._over.clear()
        for thread in self._threads:
            thread.start()

    def wait(self, timeout_s: float) -> bool:
        """Wait for the end of the run, at most so long; whether it is over. Raises what a thread raised."""
        # Not Thread.join: when Ctrl-C breaks into it, Python 3.11 takes a thread that still runs for an ended one.
        if not self._over.wait(timeout_s):
            return False
        if self._error is not None:
            raise self._error
        return True

    def stop(self) -> None:
        """End the run early: the threads stop after the call that they are in.

        Parts that are under way are finished with the games that they have; if that is what went wrong, or if they
        would take the place of an old run, they are deleted.
        """
        self._stop.set()
        with self._change:
            self._change.notify_all()
        self._over.wait()
        for part in self._open.values():
            try:
                if self._error is None and self._folder is not None and not self._folder.replacing:
                    part.writer.finish("")
            finally:
                part.writer.abandon()
        self._open.clear()

    def _cut(self) -> Iterator[tuple[Cell, Part, int, int]]:
        """All chunks in the order in which they are played: cell, part, first game, number of games.

        The first part of every cell, then the second of every cell, and so on: what compares the same deals in
        several cells has to remember the deals of a part or two, and a run that is stopped early has about as many
        games in every cell.
        """
        for parts in zip_longest(*(cut(cell, self._part_games) for cell in self.run.cells)):
            for cell, part in zip(self.run.cells, parts, strict=True):
                if part is None:
                    continue
                end = part.first + part.count
                for first in range(part.first, end, self._chunk_games):
                    yield cell, part, first, min(self._chunk_games, end - first)

    def _work(self) -> None:
        """One thread: chunk after chunk, until none is left or the run is stopped."""
        encoders: dict[int, Encoder] = {}
        rows: dict[int, Rows] = {}
        try:
            while not self._stop.is_set():
                with self._change:
                    chunk = next(self._chunks, None)
                    if chunk is not None and self._folder is not None and chunk[1] not in self._open:
                        part = chunk[1]
                        self._open[part] = _Open(PartWriter(self._folder, self.run, part), part.first)
                if chunk is None:
                    return
                cell, part, first, count = chunk
                encoder = None
                if self._folder is not None:
                    if cell.index not in encoders:
                        encoders.clear()  # the parts come one after another
                        encoders[cell.index] = self._encoder(cell)
                    encoder = encoders[cell.index]
                if cell.seats not in rows:
                    rows[cell.seats] = new_rows(GAMES_PER_CALL, cell.seats)
                if self._play(cell, first, count, rows[cell.seats], encoder) and encoder is not None:
                    self._deliver(part, first, encoder.take())
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

    def _encoder(self, cell: Cell) -> "Encoder":
        from rcsim.experiments.encode import Encoder

        return Encoder(self.run, cell, self._rulesets[cell.ruleset], self._chunk_games)

    def _play(self, cell: Cell, first: int, count: int, rows: Rows, encoder: "Encoder | None") -> bool:
        """Play a chunk and hand its rows on; False if the run was stopped meanwhile."""
        play_range = kernel()
        tables, lineup = self._inputs[cell.index]
        for start in range(first, first + count, GAMES_PER_CALL):
            if self._stop.is_set():
                return False
            n = min(GAMES_PER_CALL, first + count - start)
            games, seats = rows[0][:n], rows[1][: n * cell.seats]
            play_range(tables, lineup, self.run.seed, start, games, seats)
            if self._watch is not None:
                self._watch(cell, start, games, seats)
            if encoder is not None:
                encoder.add(start, games, seats)
            with self._change:
                self.done += n
        return True

    def _deliver(self, part: Part, first: int, tables: "tuple[pa.Table, pa.Table]") -> None:
        """Hand a chunk to its part, and write what is now in order, unless another thread is at it."""
        opened = self._open[part]
        with self._change:
            # A writer that cannot keep up holds the others back, so that memory stays flat.
            while first != opened.next and len(opened.waiting) >= self._most_waiting and not self._stop.is_set():
                self._change.wait()
            opened.waiting[first] = tables
            if opened.writing:
                return
            opened.writing = True
        while True:
            with self._change:
                ready = opened.waiting.pop(opened.next, None)
                if ready is None or self._stop.is_set():
                    opened.writing = False
                    return
                opened.next += ready[0].num_rows
                self._change.notify_all()
            opened.writer.append(ready[0].num_rows, {"games": ready[0], "seats": ready[1]})
            if opened.writer.done == part.count:
                opened.writer.finish("")
                with self._change:
                    del self._open[part]
                return


def _inputs(run: Run, rulesets: Mapping[str, "Ruleset"]) -> dict[int, tuple[Array, Array]]:
    """What the kernel plays each cell with; cells that differ in the line-up alone share their tables."""
    packed: dict[Cell, Array] = {}
    inputs = {}
    for cell in run.cells:
        ruleset = rulesets[cell.ruleset]
        table = replace(cell, index=0, games=0, lineup=())
        if table not in packed:
            packed[table] = cell.tables(ruleset)
        inputs[cell.index] = cell.inputs(ruleset, run.players, packed[table])
    return inputs


def new_rows(games: int, seats: int) -> Rows:
    """Room for the kernel's rows: int32, (games, game columns) and (games * seats, seat columns)."""
    return np.zeros((games, len(GAME_COLUMNS)), np.int32), np.zeros((games * seats, len(SEAT_COLUMNS)), np.int32)


def kernel() -> Callable[..., None]:
    """The engine's `play_range`, imported when it is first needed."""
    from rcsim.engine.run import play_range

    return play_range


def warm_up(run: Run, rulesets: Mapping[str, "Ruleset"]) -> None:
    """Have the kernel compiled, or read from its cache, before several threads ask for it at once."""
    cell = run.cells[0]
    kernel()(*cell.inputs(rulesets[cell.ruleset], run.players), run.seed, 0, *new_rows(0, cell.seats))
