"""What a worker does: it plays chunks of a run, wherever it is, and hands back what is stored of them.

What comes of a chunk depends on nothing but the run, the cell and the range of games.
"""

import contextlib
import functools
import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import rcsim
from rcsim.analysis.sums import Sums
from rcsim.columns import GAME_COLUMNS, SEAT_COLUMNS
from rcsim.experiments.cells import Cell, Run
from rcsim.experiments.store.parts import Part

if TYPE_CHECKING:
    import pyarrow as pa

    from rcsim.experiments.counts import Counter, Counts
    from rcsim.experiments.encode import Encoder
    from rcsim.rules.schema import Ruleset

Array = np.ndarray[Any, Any]
Rows = tuple[Array, Array]
Watch = Callable[[Cell, int, Array, Array], None]

PATIENCE_S = 3.0  # another process that only reads compiled code is ready by then
GAMES_PER_CALL = 2**8  # one call of the kernel: its rows fit the cache, and a stop is heard soon


@dataclass
class Played:
    """What came of a chunk: its sums, the seconds it took, and its rows as tables or, for a summary, as counts."""

    sums: Sums
    data: "dict[str, pa.Table] | Counts"
    seconds: float


class Work:
    """Plays chunks of a run; any number of threads may ask at once."""

    def __init__(self, run: Run, rulesets: Mapping[str, "Ruleset"], *, store: bool, watch: Watch | None = None) -> None:
        """`rulesets` by hash. Without `store` only the sums are made. `watch` is the pool's."""
        self.run = run
        self.cells = {cell.index: cell for cell in run.cells}
        self._rulesets = rulesets
        self._store = store
        self._watch = watch
        self._inputs = _inputs(run, rulesets)
        self._own = threading.local()  # each thread's rows, and what gathers them

    def play(
        self,
        chunk: Part,
        stopped: Callable[[], bool] = lambda: False,
        step: Callable[[int], None] = lambda games: None,
    ) -> Played | None:
        """Play a chunk; None if `stopped` meanwhile. `step` is told of the games of each call of the kernel.

        Raises StoreError if a value does not fit its stored type, PlayerError if a designer's own player fails.
        """
        start = time.perf_counter()
        cell = self.cells[chunk.cell]
        play_range = kernel()
        tables, lineup = self._inputs[cell.index]
        rows = self._rows(cell.seats)
        gather = self._gatherer(cell, chunk.count) if self._store else None
        sums = Sums()
        end = chunk.end
        for first in range(chunk.first, end, GAMES_PER_CALL):
            if stopped():
                return None
            n = min(GAMES_PER_CALL, end - first)
            games, seats = rows[0][:n], rows[1][: n * cell.seats]
            play_range(tables, lineup, self.run.seed, first, games, seats)
            sums.add(cell.index, games, seats)
            if self._watch is not None:
                self._watch(cell, first, games, seats)
            if gather is not None:
                gather.add(first, games, seats)
            step(n)
        data = {} if gather is None else gather.take()
        self._own.gatherer = gather
        return Played(sums, data, time.perf_counter() - start)

    def _rows(self, seats: int) -> Rows:
        rows: dict[int, Rows] = self._own.__dict__.setdefault("rows", {})
        if seats not in rows:
            rows[seats] = new_rows(GAMES_PER_CALL, seats)
        return rows[seats]

    def _gatherer(self, cell: Cell, games: int) -> "Encoder | Counter":
        """This thread's gatherer of a cell's rows, for a chunk of so many games."""
        last: Encoder | Counter | None = getattr(self._own, "gatherer", None)
        self._own.gatherer = None  # until its chunk is complete: else it holds some games
        if last is not None and last.cell is cell and last.capacity >= games:  # one: the parts come one after another
            return last
        return _new_gatherer(self.run, cell, self._rulesets[cell.ruleset], games)


def _new_gatherer(run: Run, cell: Cell, ruleset: "Ruleset", games: int) -> "Encoder | Counter":
    if run.detail == "summary":
        from rcsim.experiments.counts import Counter

        return Counter(cell, len(ruleset.plan_ids(cell.players)), GAMES_PER_CALL)
    from rcsim.experiments.encode import Encoder

    return Encoder(run, cell, ruleset, games)


def _inputs(run: Run, rulesets: Mapping[str, "Ruleset"]) -> dict[int, tuple[Array, Array]]:
    """What the kernel plays each cell with; cells that differ in the line-up alone share their tables."""
    packed: dict[Cell, Array] = {}
    inputs = {}
    for cell in run.cells:
        ruleset = rulesets[cell.ruleset]
        table = replace(cell, index=0, games=0, arm=0, factors=(), lineup=())
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


def warm_up(run: Run, rulesets: Mapping[str, "Ruleset"], waiting: Callable[[], None] = lambda: None) -> None:
    """Have all that plays the run compiled, or read from its cache, before several threads ask for it at once.

    One process of a machine does so at a time; the others find in the cache what it compiled. `waiting` is called if
    that takes longer than to read it.
    """
    with _alone(waiting):
        seen = set()
        for cell in run.cells:
            kind = frozenset(p.spec if p.policy == "custom" else p.policy for p in cell.seated(run.players))
            if kind in seen:
                continue
            seen.add(kind)
            ruleset, rows = rulesets[cell.ruleset], new_rows(0, cell.seats)
            kernel()(*cell.inputs(ruleset, run.players), run.seed, 0, *rows)
            if run.detail == "summary":
                _new_gatherer(run, cell, ruleset, 0).add(0, *rows)


@contextlib.contextmanager
def _alone(waiting: Callable[[], None]) -> Iterator[None]:
    """Within, no other process of this package compiles into the same cache. Where that cannot be had, go on."""
    from filelock import FileLock, Timeout

    from rcsim.engine import jit

    with contextlib.ExitStack() as stack:
        if hasattr(jit, "CACHE_DIR"):  # else nothing is compiled
            with contextlib.suppress(OSError, NotImplementedError):
                lock = FileLock(jit.CACHE_DIR / "compiling.lock")
                try:
                    stack.enter_context(lock.acquire(timeout=PATIENCE_S))
                except Timeout:
                    waiting()
                    stack.enter_context(lock)
        yield


@functools.cache
def sources() -> str:
    """Digest of the package's own program text: two machines with the same one play the same games."""
    package = Path(rcsim.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py"), key=lambda p: p.relative_to(package).as_posix()):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
