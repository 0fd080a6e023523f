"""Processes of this machine, for where threads stand in each other's way."""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from rcsim.experiments.backends import remote
from rcsim.experiments.cells import Run
from rcsim.experiments.errors import BackendError
from rcsim.experiments.store.parts import Part
from rcsim.experiments.work import Played

DEATHS = 3  # of pools, with no result in between: then something is wrong with them


class Processes:
    """So many processes, each with one thread. A process that dies is replaced and its games are played again."""

    def __init__(self, run: Run, workers: int, *, store: bool) -> None:
        self.lanes = workers + 1  # one batch waits for whoever is ready first
        self._workers = workers
        self._payload = remote.payload(run, store)
        self._pace = remote.Pace()
        self._deaths = 0
        self._lock = threading.Lock()
        self._pool = self._new_pool()

    @property
    def steady(self) -> bool:
        """Whether each lane has played a task or two."""
        return self._pace.steady(self.lanes)

    def wanted(self, left: int) -> int:
        """As many games as take a second or two."""
        return self._pace.wanted(left, self.lanes)

    def play(self, batch: Sequence[Part], stopped: Callable[[], bool], step: Callable[[int], None]) -> Iterator[Played]:
        """Have a process play the chunks. BackendError if processes die again and again."""
        while not stopped():
            pool = self._pool
            try:
                future = pool.submit(remote.play, self._payload, remote.ranges(batch))
                while not wait([future], remote.WAIT_S).done:
                    if stopped():
                        return
                data = future.result()
            except BrokenProcessPool:
                self._replace(pool)
                continue
            self._deaths = 0
            yield from remote.results(batch, data, self._pace, step)
            return

    def close(self) -> None:
        """End the processes."""
        _end(self._pool)

    def _new_pool(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._workers, context, initializer=_begin, initargs=(self._payload,))

    def _replace(self, broken: ProcessPoolExecutor) -> None:
        """A new pool in place of a broken one, unless another lane has put it there."""
        with self._lock:
            if self._pool is not broken:
                return
            self._deaths += 1
            if self._deaths >= DEATHS:
                raise BackendError(
                    f"--backend processes: worker processes died {DEATHS} times without a result (killed, or out of"
                    " memory?); try fewer --workers"
                )
            broken.shutdown(wait=False)
            self._pool = self._new_pool()


def _begin(payload: remote.Payload) -> None:
    """The first thing that a process does: Ctrl-C is its parent's affair, and it does not outlive that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()
    remote.prepare(payload)


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    multiprocessing.connection.wait([parent.sentinel])
    os._exit(1)


def _end(pool: ProcessPoolExecutor) -> None:
    """End a pool now: what its processes are at is not wanted any more."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()
