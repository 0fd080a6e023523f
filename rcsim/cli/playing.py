"""Playing a run for a command: a folder locked for it, progress on stderr, and what is left if it ends early."""

import contextlib
import sys
import time
from typing import TYPE_CHECKING

from rcsim.cli.errors import UserError
from rcsim.cli.progress import Progress, compiling, duration, terminated_as_interrupted

if TYPE_CHECKING:
    from rcsim.experiments.cells import Run
    from rcsim.experiments.runner import Pool, Watch
    from rcsim.experiments.store import Folder
    from rcsim.rules.schema import Ruleset

TICK_S = 0.1
MAX_THREADS = 1024


def play(
    run: "Run",
    ruleset: "Ruleset",
    *,
    threads: int,
    watch: "Watch",
    folder: "Folder | None" = None,
    force: bool = False,
    part_games: int | None = None,
) -> None:
    """Play a run of one ruleset and say on stderr how far it is and how long it took.

    `watch` is the pool's. `folder` is opened for the run and takes its data; `force` replaces what it holds.
    UserError or Interrupted, with what is left of the run, if it does not come to its end.
    """
    from rcsim.experiments.errors import StoreError
    from rcsim.experiments.parts import GAMES_PER_PART
    from rcsim.experiments.runner import Pool, warm_up

    rulesets = {ruleset.hash: ruleset}
    with terminated_as_interrupted(), contextlib.ExitStack() as stack:
        if folder is not None:
            stack.callback(folder.close)
            try:
                folder.open(run, force=force)
                if folder.games():
                    raise StoreError(f"{folder.path}: holds this run already")
            except StoreError as error:
                raise UserError(f"--out: {error}") from error
        pool = Pool(run, rulesets, threads=threads, folder=folder, watch=watch, part_games=part_games or GAMES_PER_PART)
        with compiling(stack.close):  # before the clock starts, and before several threads would
            warm_up(run, rulesets)
        seconds = _play(pool, run, folder)
    rate = f", {run.games / seconds:,.0f} games/s" if seconds >= 0.1 else ""
    print(f"rcsim: {run.games:,} games in {duration(seconds)}{rate}", file=sys.stderr)


def _play(pool: "Pool", run: "Run", folder: "Folder | None") -> float:
    """Let the pool play and show how far it is; the seconds that it took. What was finished stays, whatever happens."""
    from rcsim.experiments.errors import ExperimentError, Interrupted
    from rcsim.policies.errors import PlayerError

    start = time.monotonic()
    try:
        with Progress(run.games) as progress:
            pool.start()
            while not pool.wait(TICK_S):
                progress.update(pool.done)
    except BaseException as error:
        pool.stop()
        kept = _kept(run, folder)
        if isinstance(error, KeyboardInterrupt):
            raise Interrupted(kept) from None
        if isinstance(error, ExperimentError | PlayerError):
            raise UserError(f"{error}; {kept}") from error
        raise
    return time.monotonic() - start


def _kept(run: "Run", folder: "Folder | None") -> str:
    """What is left of a run that ended early."""
    if folder is None:
        return "nothing is stored"
    if folder.replacing:
        return f"nothing is stored, and the run in {folder.path} is as it was"
    games = folder.games()
    return (
        f"{games:,} of {run.games:,} games are stored and readable in {folder.path}" if games else "nothing is stored"
    )
