"""What scale costs on this machine: storing, Dask, memory.

    python benchmarks/scale.py rate --games 60000        sweeps of the planner beside the kernel alone, some minutes
    python benchmarks/scale.py dask --seconds 60         Dask beside threads on the same cores, some minutes
    python benchmarks/scale.py memory                    peak memory of 10 million games in full, 100 million counted
    ... --json FILE                                      the numbers as JSON, too

Arms are played in turn, in rounds, so that a machine that slows down slows all of them; a ratio is that of two arms of
one round, and shown are the median, the least and the greatest of the rounds. For the memory trial the rows of a few
real games are handed out again and again, as what is played has no part in it.

Not a test: what a machine was up to else decides as much as the code does.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "benchmarks"))

from speed import a_run, kernel_alone, machine, report, rows, seconds  # noqa: E402

TRIALS = (("full", 10**7, 700), ("summary", 10**8, 400))  # detail, games, MiB that it may take


def sweep(run: Any, rulesets: Any, threads: int, **more: Any) -> float:
    """A run into a folder that goes away; the seconds from the first game to the last part."""
    from rcsim.cli import playing
    from rcsim.experiments.store.folder import Folder

    taken: list[float] = []
    play = playing._play

    def timed(*arguments: Any) -> float:
        taken.append(play(*arguments))
        return taken[0]

    with tempfile.TemporaryDirectory(prefix="rcsim-scale-") as path:
        playing._play = timed
        try:
            playing.play(run, rulesets, threads=threads, folder=Folder(Path(path) / "run"), **more)
        finally:
            playing._play = play
    return taken[0]


def rates(policy: str, games: int, threads: int, rounds: int) -> None:
    """Sweeps by detail, and the kernel alone, in games a second; and what a sweep reaches of the kernel's rate."""
    run, rulesets = a_run(policy, games)
    arms: dict[str, Callable[[], float]] = {
        "kernel alone": lambda: seconds(lambda: kernel_alone(run, rulesets, threads)),
        "sweep, full": lambda: sweep(run, rulesets, threads),
        "sweep, summary": lambda: sweep(replace(run, detail="summary"), rulesets, threads),
    }
    sweep(replace(run, cells=(replace(run.cells[0], games=1000),)), rulesets, threads)  # what is imported then
    taken: dict[str, list[float]] = {name: [] for name in arms}
    for _ in range(rounds):
        for name, arm in arms.items():
            taken[name].append(arm())
    for name, values in taken.items():
        report(f"{policy}, {threads} threads, {name}", [games / s for s in values], "games/s")
    for name in ("sweep, full", "sweep, summary"):
        values = [100 * k / s for k, s in zip(taken["kernel alone"], taken[name], strict=True)]
        report(f"{name}: of the kernel's rate", values, "%")


def dask_beside_threads(policy: str, run_s: float, workers: int, rounds: int) -> None:
    """The same run by threads and by a local cluster: from the first game on, and the whole of it."""
    run, rulesets = a_run(policy, 4000)
    games = round(4000 / sweep(run, rulesets, workers) * run_s)
    run = replace(run, cells=(replace(run.cells[0], games=games),))
    played: dict[str, list[float]] = {"threads": [], "dask": []}
    whole: dict[str, list[float]] = {"threads": [], "dask": []}
    for _ in range(rounds):
        for name in played:
            start = time.perf_counter()
            played[name].append(sweep(run, rulesets, workers, backend=name, workers=workers))
            whole[name].append(time.perf_counter() - start)
    for what, values in (("from the first game on", played), ("with the cluster's start and end", whole)):
        for name in values:
            report(f"{policy}, {games:,} games, {workers} {name}, {what}", values[name], "s")
        more = [100 * (d / t - 1) for t, d in zip(values["threads"], values["dask"], strict=True)]
        report(f"Dask over threads, {what}", more, "%")


def memory(detail: str, games: int) -> None:
    """Peak memory of a run of a detail whose games are copies of a few; in a process of its own."""
    command = [sys.executable, str(Path(__file__)), "copies", "--detail", detail, "--games", str(games)]
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit("the run of the memory trial failed")
    unit = 2**20 if sys.platform == "darwin" else 2**10
    report(f"{detail}, {games:,} games: peak memory", [usage.ru_maxrss / unit], "MiB")
    report(f"{detail}, {games:,} games: all in all", [time.perf_counter() - start], "s")


def copies(detail: str, games: int, threads: int) -> None:
    """A run with a kernel that hands out copies of a few games."""
    from rcsim.experiments import work

    run, rulesets = a_run("greedy", games)
    run = replace(run, detail=detail)
    (cell,) = run.cells
    played = work.new_rows(work.GAMES_PER_CALL, cell.seats)
    work.kernel()(*cell.inputs(rulesets[cell.ruleset], run.players), run.seed, 0, *played)

    def copy(tables: Any, lineup: Any, seed: int, first: int, game_rows: Any, seat_rows: Any) -> None:
        game_rows[:], seat_rows[:] = played[0][: len(game_rows)], played[1][: len(seat_rows)]

    work.kernel = lambda: copy  # type: ignore[assignment]
    sweep(run, rulesets, threads)


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("rate", "dask", "memory", "copies"))
    parser.add_argument("--policy", default="planner")
    parser.add_argument("--games", type=int, help="of a sweep (rate), of each detail (memory)")
    parser.add_argument("--seconds", type=float, default=60, help="that threads play (dask; default: 60)")
    parser.add_argument("--threads", type=int, default=2, help="or workers (default: 2)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--detail", default="full", help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there, too")
    args = parser.parse_args()
    if args.what == "copies":
        copies(args.detail, args.games, args.threads)
        return
    about = machine()
    for key, value in about.items():
        print(f"{key}: {value}")
    if args.what == "rate":
        rates(args.policy, args.games or 60_000, args.threads, args.rounds)
    elif args.what == "dask":
        dask_beside_threads(args.policy, args.seconds, args.threads, args.rounds)
    else:
        copies("full", 1000, args.threads)  # compiles here, if need be, and not where memory is looked at
        for detail, games, most in TRIALS:
            memory(detail, args.games or games)
            print(f"(at most {most} MiB)")
    if args.json:
        results = [{"what": what, "unit": unit, "median": median(v), "values": v} for what, v, unit in rows]
        args.json.write_text(json.dumps({**about, "results": results}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
