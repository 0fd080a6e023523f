"""A Dask cluster: one that is there, or a local one that is started for the run."""

import asyncio
import contextlib
import logging
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import rcsim
from rcsim.experiments.backends import remote
from rcsim.experiments.cells import Run
from rcsim.experiments.errors import BackendError
from rcsim.experiments.store.parts import Part
from rcsim.experiments.work import Played, sources

REACHED_S = 15  # in this time a scheduler answers,
WORKERS_S = 120  # and in this a worker is there, at the start and whenever all have gone
LOOK_S = 2  # between two looks at how many there are
LANES = 2  # batches for each thread of a worker: one that it plays, one that waits
TRIES = 3  # of a batch; each is given up by Dask after some deaths of its workers

# What a worker says of itself, in a form that needs nothing of rcsim to be sent there.
_ABOUT = (
    "(lambda r: (r.__version__, __import__('rcsim.experiments.work', fromlist=['sources']).sources()))"
    "(__import__('rcsim'))"
)


def dask_setup(worker: object) -> None:
    """Run by Dask in each worker of a local cluster: Ctrl-C is its parent's affair."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


class Dask:
    """Plays on the workers of a Dask cluster, as many as are there at any time.

    A worker that dies is the scheduler's affair: it has the games played elsewhere.
    """

    def __init__(self, run: Run, *, workers: int = 0, scheduler: str | None = None, store: bool) -> None:
        """A scheduler's address, or the number of workers of a local cluster.

        BackendError if Dask is not installed, if the scheduler cannot be reached, has no workers, or has some with
        another rcsim.
        """
        try:
            import distributed
        except ImportError as error:
            raise BackendError(
                '--backend dask: the package distributed is not installed: pip install "rcsim[distributed]"'
            ) from error
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # a scheduler that goes is told below
        self._dask = distributed
        self._pace = remote.Pace()
        self._where = f"scheduler {scheduler}" if scheduler else f"the local cluster of {workers} workers"
        self._closing = contextlib.ExitStack()
        self._threads = 0
        self._seen = self._looked = time.monotonic()  # when there were workers, and when they were counted
        try:
            self._client = self._connect(workers, scheduler)
            self._check()
            text = remote.payload(run, store)
            self._key = f"rcsim-{run.hash}-{sources()}-{'data' if store else 'sums'}"
            # A task, not data that is sent along: when all workers that have it are gone, Dask makes it again.
            self._run = self._client.submit(str, text, key=self._key)
        except BaseException:
            self.close()
            raise

    def _connect(self, workers: int, scheduler: str | None) -> Any:
        """The client of a cluster that has a worker."""
        address: Any = scheduler or self._closing.enter_context(self._cluster(workers))
        try:
            if scheduler:
                asyncio.run(_reach(scheduler))
            client = self._client_of(address)
        except ValueError as error:
            raise BackendError(
                f"--scheduler: {scheduler} was given; accepted: an address, as tcp://10.0.0.1:8786 ({_reason(error)})"
            ) from error
        except (OSError, ImportError) as error:  # a TimeoutError is an OSError
            raise BackendError(
                f"--scheduler: {scheduler} was given; it cannot be reached within {REACHED_S} s ({_reason(error)})"
            ) from error
        self._closing.enter_context(client)
        try:
            client.wait_for_workers(1, timeout=WORKERS_S)
        except TimeoutError as error:
            raise BackendError(f"--backend dask: {self._where} has no workers for {WORKERS_S} s") from error
        return client

    def _client_of(self, address: Any) -> Any:
        """A client; one that cannot be had is closed again, which Dask forgets until it complains at the exit."""
        client: Any = self._dask.Client.__new__(self._dask.Client)
        try:
            with warnings.catch_warnings():  # of packages that differ: what matters is looked at below
                warnings.simplefilter("ignore")
                client.__init__(address, timeout=REACHED_S, set_as_default=False)
        except BaseException:
            with contextlib.suppress(Exception):
                client.close(timeout=1)
            raise
        return client

    def _cluster(self, workers: int) -> Any:
        """A local cluster of workers that have one thread each."""
        try:
            return self._dask.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=":0",
                silence_logs=50,  # a worker that was killed is replaced, and nothing has to be said of it
                memory_limit=0,
                preload=__name__,
            )
        except (OSError, RuntimeError) as error:
            raise BackendError(f"--backend dask: {self._where} cannot be started ({error})") from error

    def _check(self) -> None:
        """BackendError if a worker has another rcsim than this process."""
        mine = rcsim.__version__, sources()
        wrong = []
        for name, found in sorted(self._client.run(eval, _ABOUT, on_error="return").items()):
            if isinstance(found, Exception):
                wrong.append(f"{name} has no rcsim ({found})")
            elif found != mine:
                which = found[0] if found[0] != mine[0] else f"{found[0]} with other sources"
                wrong.append(f"{name} has rcsim {which}")
        if wrong:
            more = f", and {len(wrong) - 3} more" if len(wrong) > 3 else ""
            raise BackendError(
                f"--backend dask: worker {', worker '.join(wrong[:3])}{more}; this is rcsim {mine[0]}: install the same"
                " everywhere"
            )

    @property
    def lanes(self) -> int:
        """Two batches for each thread of the workers that are there. BackendError if there is none for long."""
        now = time.monotonic()
        if not self._threads or now - self._looked > LOOK_S:
            self._threads = sum(self._client.nthreads().values())
            self._looked = now
        if self._threads:
            self._seen = now
        elif now - self._seen > WORKERS_S:
            raise BackendError(f"--backend dask: {self._where} has had no workers for {WORKERS_S} s")
        return LANES * self._threads

    @property
    def steady(self) -> bool:
        """Whether each lane has played a task or two."""
        return self._pace.steady(max(LANES * self._threads, 1))

    def wanted(self, left: int) -> int:
        """As many games as take a second or two."""
        return self._pace.wanted(left, max(LANES * self._threads, 1))

    def play(self, batch: Sequence[Part], stopped: Callable[[], bool], step: Callable[[int], None]) -> Iterator[Played]:
        """Have a worker play the chunks. BackendError if workers die of it, or if the scheduler is gone."""
        chunks = remote.ranges(batch)
        name = "-".join(map(str, (*chunks[0], len(chunks), chunks[-1][1] + chunks[-1][2])))
        for attempt in range(TRIES):
            future = self._client.submit(remote.play, self._run, chunks, key=f"{self._key}-{name}-{attempt}")
            ready = threading.Event()
            future.add_done_callback(lambda _, event=ready: event.set())
            while not ready.wait(remote.WAIT_S):
                if stopped():
                    future.cancel()
                    return
            try:
                data = future.result()
            except self._dask.KilledWorker:
                continue
            except self._dask.client.FutureCancelledError as error:
                if stopped():
                    return
                raise BackendError(f"--backend dask: {self._where} is gone") from error
            except ImportError as error:
                raise BackendError(f"--backend dask: a worker has another rcsim than this process ({error})") from error
            yield from remote.results(batch, data, self._pace, step)
            return
        raise BackendError(
            f"--backend dask: workers died again and again on cell {chunks[0][0]}, games {chunks[0][1]} on"
        )

    def close(self) -> None:
        """Leave the cluster; a local one is ended."""
        self._closing.close()


async def _reach(address: str) -> None:
    """See whether a scheduler answers. ValueError if that is no address, OSError if nothing answers in time.

    A client alone would wait for ever for what listens there and is no scheduler.
    """
    from distributed.comm.core import connect

    async def greet() -> None:
        comm = await connect(address, timeout=REACHED_S)
        await comm.close()

    await asyncio.wait_for(greet(), REACHED_S)


def _reason(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
