"""Playing a run for a command: a folder locked for it, progress on stderr, and what is left if it ends early."""

import contextlib
import sys
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rcsim.cli.errors import UserError
from rcsim.cli.progress import Progress, compiling, duration, terminated_as_interrupted

if TYPE_CHECKING:
    from rcsim.analysis.sums import Sums
    from rcsim.experiments.backends import Backend
    from rcsim.experiments.cells import Run
    from rcsim.experiments.runner import Pool
    from rcsim.experiments.store.folder import Folder
    from rcsim.experiments.work import Watch
    from rcsim.rules.schema import Ruleset

TICK_S = 0.1
MAX_THREADS = 1024
GOES_ON = "the same command goes on"


def play(
    run: "Run",
    rulesets: "Mapping[str, Ruleset]",
    *,
    threads: int,
    watch: "Watch | None" = None,
    folder: "Folder | None" = None,
    force: bool = False,
    part_games: int | None = None,
    shard: tuple[int, int] = (1, 1),
    backend: str = "threads",
    workers: int = 0,
    scheduler: str | None = None,
) -> "Sums":
    """Play what a run still lacks and say on stderr how far it is and how long it took; the sums of all its games.

    `rulesets` by hash; `watch` is the pool's. `folder` is opened for the run and takes its data; `force` replaces
    another run there. `backend` is one of BACKENDS, with so many `workers` (0: as many as `threads`) or those of the
    `scheduler`. UserError or Interrupted, with what is left of the run, if it does not come to its end.
    """
    from rcsim.experiments.errors import ExperimentError
    from rcsim.experiments.runner import Pool
    from rcsim.experiments.work import warm_up

    with terminated_as_interrupted(), _told(folder), contextlib.ExitStack() as stack:
        if folder is not None:
            stack.callback(folder.close)
            try:
                folder.open(run, force=force)
            except ExperimentError as error:
                raise UserError(f"--out: {error}") from error
            for note in folder.notes:
                print(f"rcsim: {note}", file=sys.stderr, flush=True)
        far = _backend(backend, run, workers or threads, scheduler, folder is not None)
        if far is not None:
            stack.callback(far.close)
        left = "" if folder is None else GOES_ON
        with compiling(stack.close, left) as waiting:  # before the clock starts, and before threads or workers would
            warm_up(run, rulesets, waiting)
        pool = Pool(
            run,
            rulesets,
            threads=threads,
            backend=far,
            folder=folder,
            watch=watch,
            part_games=part_games,
            shard=shard,
        )
        seconds = _play(pool, run, folder)
    if pool.held and not pool.done:
        print(f"rcsim: nothing was left to play: all {pool.held:,} games were there", file=sys.stderr)
        return pool.sums
    rate = f", {pool.done / seconds:,.0f} games/s" if seconds >= 0.1 else ""
    before = f" (besides {pool.held:,} that were there)" if pool.held else ""
    print(f"rcsim: {pool.done:,} games in {duration(seconds)}{rate}{before}", file=sys.stderr)
    return pool.sums


@contextlib.contextmanager
def _told(folder: "Folder | None") -> Iterator[None]:
    """Ctrl-C before or after the games are played, or a second time, loses nothing either: say so."""
    from rcsim.experiments.errors import Interrupted

    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted("nothing is stored" if folder is None else GOES_ON) from None


def _backend(name: str, run: "Run", workers: int, scheduler: str | None, store: bool) -> "Backend | None":
    """What plays in place of this process's threads, if anything does."""
    if name == "processes":
        from rcsim.experiments.backends.processes import Processes

        return Processes(run, workers, store=store)
    if name == "dask":
        from rcsim.experiments.backends.dask import Dask

        return Dask(run, workers=workers, scheduler=scheduler, store=store)
    return None


def _play(pool: "Pool", run: "Run", folder: "Folder | None") -> float:
    """Let the pool play and show how far it is; the seconds that it took. What was finished stays, whatever happens."""
    from rcsim.experiments.errors import ExperimentError, Interrupted
    from rcsim.policies.errors import PlayerError

    start = time.monotonic()
    target = None if run.precision is None else run.precision.target
    try:
        with Progress(target) as progress:
            pool.start()
            while not pool.wait(TICK_S):
                progress.update(pool.done, pool.held, pool.goal, pool.width, steady=pool.steady)
    except BaseException as error:
        interrupted = isinstance(error, KeyboardInterrupt)
        try:
            pool.stop()
        except KeyboardInterrupt:  # a second one: what is under way is not waited for
            interrupted = True
        kept = _kept(pool, folder)
        if interrupted:
            if folder is not None and (folder.replacing or not folder.games()):
                kept = f"{kept}; {GOES_ON}"
            raise Interrupted(kept) from None
        if isinstance(error, ExperimentError | PlayerError):
            raise UserError(f"{error}; {kept}") from error
        raise
    return time.monotonic() - start


def _kept(pool: "Pool", folder: "Folder | None") -> str:
    """What is left of a run that ended early."""
    if folder is None:
        return "nothing is stored"
    if folder.replacing:
        return f"nothing is stored, and the run in {folder.path} is as it was"
    games = folder.games()
    if not games:
        return "nothing is stored"
    return (
        f"{games:,} of {pool.goal:,} games are stored and readable in {folder.path}; the same command plays the others"
    )
