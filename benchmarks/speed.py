"""How fast rcsim is on this machine: a table.

    python benchmarks/speed.py                       all but the cold start and the memory trial, a minute or two
    python benchmarks/speed.py --cold --memory       with these: some minutes more
    python benchmarks/speed.py --only random start   some of: random, greedy, start
    python benchmarks/speed.py --json speed.json     the numbers as JSON, too

4 players on the basic board, plans drawn. Everything is timed several times, in rounds that take each arm in turn
(A B C D, A B C D, ...), so that a machine that slows down meanwhile slows all of them. A ratio is that of two arms
of one round. Shown are the median, the least and the greatest of the rounds.

Not a test: what a machine was up to else decides as much as the code does.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

PLAYERS = 4
SEED = 1
PARTS = ("random", "greedy", "start")
RESULT = tuple[str, list[float], str]  # what, its value in each round, unit

rows: list[RESULT] = []


def report(what: str, values: list[float], unit: str) -> None:
    """Keep a result and print its line."""
    rows.append((what, values, unit))
    numbers = [figure(median(values)), f"{figure(min(values))} - {figure(max(values))}" if len(values) > 1 else ""]
    print(f"{what:<58} {numbers[0]:>10}  {unit:<9} {numbers[1]}", flush=True)


def figure(value: float) -> str:
    """A number with about three places that count."""
    if abs(value) >= 1e6:
        return f"{value / 1e6:.2f} M"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def seconds(function: Callable[[], Any]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def a_run(policy: str, games: int) -> tuple[Any, Any]:
    """A run of one cell, and its rulesets by hash."""
    from rcsim.experiments.cells import design
    from rcsim.experiments.work import warm_up
    from rcsim.rules.loader import load

    ruleset = load()
    run = design(ruleset, seed=SEED, games=games, players=PLAYERS, policy=[policy])
    warm_up(run, {ruleset.hash: ruleset})
    return run, {ruleset.hash: ruleset}


def random_steps(rounds: int, games: int) -> None:
    """The random player: steps, each drawn from the full legal list."""
    from rcsim.columns import game_column
    from rcsim.experiments.work import kernel, new_rows

    run, rulesets = a_run("random", games)
    cell = run.cells[0]
    tables, lineup = cell.inputs(next(iter(rulesets.values())), run.players)
    game_rows, seat_rows = new_rows(games, PLAYERS)
    taken = [seconds(lambda: kernel()(tables, lineup, SEED, 0, game_rows, seat_rows)) for _ in range(rounds)]
    steps = int(game_rows[:, game_column("steps")].sum())
    report("random, one core: steps drawn from the full legal list", [steps / s for s in taken], "steps/s")
    report("random, one core: games", [games / s for s in taken], "games/s")
    report("random: steps a game", [steps / games], "")
    choices, legal = count_choices(run, rulesets)
    report("random: steps with more than one legal action", [100 * choices], "%")
    report("random, one core: steps with more than one", [choices * steps / s for s in taken], "steps/s")
    report("random: legal actions where there is a choice", [legal], "")


def count_choices(run: Any, rulesets: Any, games: int = 40) -> tuple[float, float]:
    """Share of steps with more than one legal action, and the mean number of actions in these."""
    import numpy as np

    from rcsim.engine.run import carry_out, driver, list_legal
    from rcsim.engine.setup import setup
    from rcsim.engine.state import ACTIONS, LOG, P_OVER, new_games, records, scratch_cards
    from rcsim.policies.mind import MIND

    cell = run.cells[0]
    tables, lineup = cell.inputs(next(iter(rulesets.values())), run.players)
    tables = tables.view(np.recarray)
    ask = driver(lineup).ask
    game, acts, minds, logs = new_games(), records(ACTIONS), records(MIND), records(LOG)
    steps, sizes = 0, []
    for deal in range(games):
        setup(game[0], tables[0], np.uint64(SEED), deal, scratch_cards())
        while game["phase"][0] != P_OVER:
            list_legal(game, tables, acts)
            n = int(acts["n"][0])
            steps += 1
            if n > 1:
                sizes.append(n)
            carry_out(game, tables, logs, ask(game, tables, acts, minds, lineup))
    return len(sizes) / steps, sum(sizes) / len(sizes)


def kernel_alone(run: Any, rulesets: Any, threads: int) -> None:
    """The games of a run of one cell, played by bare threads that keep nothing."""
    from rcsim.experiments.work import GAMES_PER_CALL, kernel, new_rows

    (cell,) = run.cells
    inputs = cell.inputs(rulesets[cell.ruleset], run.players)
    firsts = iter(range(0, cell.games, GAMES_PER_CALL))  # a range's iterator may be shared

    def work() -> None:
        game_rows, seat_rows = new_rows(GAMES_PER_CALL, cell.seats)
        for first in firsts:
            n = min(GAMES_PER_CALL, cell.games - first)
            kernel()(*inputs, run.seed, first, game_rows[:n], seat_rows[: n * cell.seats])

    pool = [threading.Thread(target=work) for _ in range(threads)]
    for thread in pool:
        thread.start()
    for thread in pool:
        thread.join()


def greedy_games(rounds: int, games: int) -> None:
    """The greedy player: kernel and whole sweep, with one thread and with two."""
    from rcsim.experiments.runner import Pool
    from rcsim.experiments.store.folder import Folder

    run, rulesets = a_run("greedy", games)

    def sweep(threads: int) -> None:
        with tempfile.TemporaryDirectory(prefix="rcsim-speed-") as path:
            folder = Folder(Path(path))
            folder.open(run)
            pool = Pool(run, rulesets, threads=threads, folder=folder)
            pool.start()
            while not pool.wait(60):
                pass
            folder.close()

    arms: dict[str, list[float]] = {"kernel 1": [], "sweep 1": [], "kernel 2": [], "sweep 2": []}
    sweep(1)  # what is imported only when it is first needed
    for _ in range(rounds):
        for name, taken in arms.items():
            what, threads = name.split()
            taken.append(
                games
                / seconds(lambda w=what, n=int(threads): sweep(n) if w == "sweep" else kernel_alone(run, rulesets, n))
            )
    report("greedy, kernel alone, one thread", arms["kernel 1"], "games/s")
    report("greedy, sweep with Parquet, one thread", arms["sweep 1"], "games/s")
    report("greedy, kernel alone, two threads", arms["kernel 2"], "games/s")
    report("greedy, sweep with Parquet, two threads", arms["sweep 2"], "games/s")
    for what, a, b in (
        ("kernel alone: two threads to one", "kernel 2", "kernel 1"),
        ("sweep with Parquet: two threads to one", "sweep 2", "sweep 1"),
        ("sweep with Parquet to kernel alone, one thread", "sweep 1", "kernel 1"),
        ("sweep with Parquet to kernel alone, two threads", "sweep 2", "kernel 2"),
    ):
        report(what, [x / y for x, y in zip(arms[a], arms[b], strict=True)], "times")


def rcsim(*arguments: str, env: dict[str, str] | None = None) -> float:
    """Run a command in a process of its own; the seconds from start to end."""
    command = [sys.executable, "-m", "rcsim", *arguments]
    return seconds(lambda: subprocess.run(command, env=env, cwd=ROOT, capture_output=True, check=True))


def start_times(rounds: int) -> None:
    """From the start of a process to its end, everything compiled."""
    rcsim("sweep", "--games", "1")
    helps, sweeps = [], []
    for _ in range(rounds):
        helps.append(rcsim("--help"))
        sweeps.append(rcsim("sweep", "--games", "1000"))
    report("rcsim --help", helps, "s")
    report("rcsim sweep --games 1000", sweeps, "s")


def cold_start() -> None:
    """The first sweep ever: everything is compiled."""
    with tempfile.TemporaryDirectory(prefix="rcsim-speed-") as cache:
        env = os.environ | {"NUMBA_CACHE_DIR": cache}
        report("rcsim sweep --games 1000, nothing compiled yet", [rcsim("sweep", "--games", "1000", env=env)], "s")


def memory(games: str) -> None:
    """Peak memory of a sweep with Parquet, its data thrown away."""
    if not hasattr(os, "wait4"):
        print("peak memory: cannot be measured on this system")
        return
    with tempfile.TemporaryDirectory(prefix="rcsim-speed-") as path:
        command = [sys.executable, "-m", "rcsim", "sweep", "--games", games, "--out", f"{path}/run"]
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        taken = time.perf_counter() - start
        if status:
            raise SystemExit("the sweep of the memory trial failed")
        size = sum(file.stat().st_size for file in Path(path).rglob("*.parquet"))
    unit = 2**20 if sys.platform == "darwin" else 2**10
    report(f"sweep of {games} games with Parquet: peak memory", [usage.ru_maxrss / unit], "MiB")
    report(f"sweep of {games} games with Parquet: all in all", [taken], "s")
    report(f"sweep of {games} games with Parquet: data", [size / 1e6], "MB")


def machine() -> dict[str, str]:
    """What the numbers were taken on."""
    import numba
    import polars

    import rcsim as package

    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "?"
    return {
        "processor": f"{model}, {os.cpu_count()} logical",
        "system": f"{platform.system()} {platform.machine()}",
        "versions": f"rcsim {package.__version__}, Python {platform.python_version()}, Numba {numba.__version__},"
        f" Polars {polars.__version__}",
        "load before": load,
    }


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each measurement (default: 7)")
    parser.add_argument("--games", type=int, default=2**15, help="greedy games of one arm (default: 32768)")
    parser.add_argument("--random-games", type=int, default=1000, help="random games of one round (default: 1000)")
    parser.add_argument("--cold", action="store_true", help="also a first run that compiles everything")
    parser.add_argument("--memory", action="store_true", help="also the peak memory of a long sweep")
    parser.add_argument("--memory-games", default="10M", help="its games (default: 10M)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there, too")
    args = parser.parse_args()
    about = machine()
    for key, value in about.items():
        print(f"{key}: {value}")
    print(f"\n{'':<58} {'median':>10}  {'':<9} least - greatest")
    if "random" in args.only:
        random_steps(args.rounds, args.random_games)
    if "greedy" in args.only:
        greedy_games(args.rounds, args.games)
    if "start" in args.only:
        start_times(args.rounds)
    if args.cold:
        cold_start()
    if args.memory:
        memory(args.memory_games)
    if args.json:
        results = [{"what": what, "unit": unit, "median": median(v), "values": v} for what, v, unit in rows]
        args.json.write_text(json.dumps({**about, "results": results}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
