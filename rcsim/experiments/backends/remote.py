"""What processes and a Dask cluster have in common: a run that travels as text, results that travel as bytes."""

import functools
import json
import pickle
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rcsim.analysis.sums import Sums
from rcsim.experiments.cells import Cell, Run, ruleset_of
from rcsim.experiments.errors import BackendError
from rcsim.experiments.store.parts import Part
from rcsim.experiments.work import Played, Work, sources, warm_up

if TYPE_CHECKING:
    from rcsim.rules.schema import Ruleset

TASK_S = 2.0  # how long a task should take
FIRST_GAMES = 2**8  # of the first task, when nothing is known of the speed
FASTER = 8  # times as many games as the largest task so far, at most
WAIT_S = 0.1  # between two looks at whether the run was stopped

Payload = str  # a run, for workers
Range = tuple[int, int, int]  # cell, first, count


def payload(run: Run, store: bool) -> Payload:
    """A run as workers get it."""
    return json.dumps({"sources": sources(), "store": store, "run": run.to_json()})


@functools.lru_cache(maxsize=4)
def _work(text: Payload) -> Work:
    """The run of a payload, ready to be played in this process. BackendError if another program sent it."""
    data = json.loads(text)
    if data["sources"] != sources():
        import platform

        import rcsim

        theirs = data["run"]["rcsim"]
        raise BackendError(
            f"worker on {platform.node()}: has rcsim {rcsim.__version__} ({sources()}), the run is of {theirs}"
            f" ({data['sources']}); install the same one there"
        )
    run = Run.from_json(data["run"])
    rulesets = rulesets_of(run)
    warm_up(run, rulesets)
    return Work(run, rulesets, store=data["store"])


def rulesets_of(run: Run) -> "Mapping[str, Ruleset]":
    """The rulesets of a run, by hash."""
    by_hash: dict[str, Cell] = {cell.ruleset: cell for cell in run.cells}
    return {name: ruleset_of(run, cell) for name, cell in by_hash.items()}


_PREPARING = threading.Lock()


def prepare(text: Payload) -> None:
    """Have this process ready to play a run: once for all of its threads."""
    with _PREPARING:
        _work(text)


def play(text: Payload, batch: Sequence[Range]) -> bytes:
    """Play chunks in this process: what `unpack` reads."""
    prepare(text)
    work = _work(text)
    return _pack([played for chunk in batch if (played := work.play(Part(*chunk))) is not None])


def _pack(batch: Sequence[Played]) -> bytes:
    """Results as bytes; the tables compressed, as they go a long way."""
    import pyarrow as pa

    def squeezed(table: pa.Table) -> bytes:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as stream:
            stream.write_table(table)
        return bytes(sink.getvalue())

    plain: list[Any] = []
    for played in batch:
        data: Any = played.data
        if isinstance(data, dict):
            data = {name: squeezed(table) for name, table in data.items()}
        plain.append((played.sums.to_json(), data, played.seconds))
    return pickle.dumps(plain)


def unpack(data: bytes) -> list[Played]:
    """The results that were packed."""
    import pyarrow as pa

    out = []
    for sums, found, seconds in pickle.loads(data):
        if isinstance(found, dict):
            found = {name: pa.ipc.open_stream(raw).read_all() for name, raw in found.items()}
        out.append(Played(Sums.from_json(sums), found, seconds))
    return out


class Pace:
    """How many games a task should have, so that it takes about `TASK_S`; learned from those that are back."""

    def __init__(self) -> None:
        self._rate = 0.0  # games a second of one lane
        self._largest = FIRST_GAMES
        self._tasks = 0  # that are back

    def saw(self, games: int, seconds: float) -> None:
        """A task of so many games took so long."""
        self._tasks += 1
        self._rate = games / max(seconds, 1e-6)
        self._largest = max(self._largest, games)

    def steady(self, lanes: int) -> bool:
        """Whether about two tasks of each lane are back."""
        return self._tasks >= 2 * lanes

    def wanted(self, left: int, lanes: int) -> int:
        """Games of the next task; fewer where the end of the round is near, so that no lane waits long for others."""
        if not self._rate:
            return FIRST_GAMES
        most = min(int(self._rate * TASK_S), self._largest * FASTER)
        return max(min(most, left // (2 * lanes)), FIRST_GAMES)


def results(batch: Sequence[Part], data: bytes, pace: Pace, step: Callable[[int], None]) -> Iterator[Played]:
    """What came of a batch, with what is to be learned from it."""
    found = unpack(data)
    pace.saw(sum(chunk.count for chunk in batch), sum(played.seconds for played in found))
    for chunk, played in zip(batch, found, strict=True):
        step(chunk.count)
        yield played


def ranges(batch: Sequence[Part]) -> list[Range]:
    """Chunks as plain data."""
    return [(chunk.cell, chunk.first, chunk.count) for chunk in batch]
