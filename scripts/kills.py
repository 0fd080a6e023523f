"""The trial of sudden deaths: a run is killed at random moments, goes on, and has the data that it should have.

    python scripts/kills.py [--kills 50] [--seed 1]      the whole trial, some minutes; its result goes to results/

A run of greedy players in small parts is played to the end once, undisturbed. Then it is begun anew in a folder of its
own, its process killed (`kill -9`, not the workers, which have to notice by themselves) after a random time, and the
same command given again, until it comes to its end: the content hash has to be the first one. When it has been
killed as often as was asked for with threads, the same is done with processes and with a local Dask cluster; last,
workers are killed, not the run, which has to get to its end by itself.

The test suite does this with five kills and a kernel that plays nothing (tests/test_kills.py).
"""

import argparse
import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

PAGE = ROOT / "results" / "kills.md"
GAMES = 12_000  # of each of two cells
PART_GAMES = 1000
WORKERS = 2
GONE_S = 20  # in this time the workers of a killed run have ended


def child(path: Path, backend: str) -> None:
    """Play the run of the trial, or what is missing of it, in a folder."""
    from dataclasses import replace

    from rcsim.cli.playing import play
    from rcsim.experiments.cells import design
    from rcsim.experiments.store.folder import Folder
    from rcsim.rules.loader import load

    ruleset = load()
    run = design(ruleset, seed=1, games=GAMES, players=2, plan="2a", policy=["greedy"])
    run = replace(run, cells=(run.cells[0], replace(run.cells[0], index=1, plan="2b")))
    print("begun", flush=True)
    play(
        run,
        {ruleset.hash: ruleset},
        threads=WORKERS,
        backend=backend,
        workers=WORKERS,
        folder=Folder(path),
        part_games=PART_GAMES,
    )


@dataclass
class Trial:
    """What a series of kills came to: the moments of the kills in seconds, and the hashes of the runs that ended."""

    name: str
    moments: list[float] = field(default_factory=list)
    hashes: list[str] = field(default_factory=list)
    stored: list[int] = field(default_factory=list)  # games that were there after each kill


def endure(
    name: str, command: Callable[[Path], list[str]], folder: Path, kills: int, longest: float, rng: random.Random
) -> Trial:
    """Begin a run, kill it after a random time, at most so long, and go on, until it ends; again until enough kills."""
    from rcsim.experiments.store.content import content_hash
    from rcsim.experiments.store.folder import Folder

    trial = Trial(name)
    while len(trial.moments) < kills:
        path = folder / f"{name}-{len(trial.hashes)}"
        while True:
            moment = rng.uniform(0, longest)
            with begin(command(path)) as process:
                try:
                    process.wait(moment if len(trial.moments) < kills else None)
                except subprocess.TimeoutExpired:
                    workers = offspring(process.pid)
                    process.kill()
                    process.wait()
                    await_end(workers)
                    trial.moments.append(moment)
                    trial.stored.append(Folder(path).games() if path.exists() else 0)
                    continue
            if process.returncode:
                raise SystemExit(f"{name}: the run failed")
            break
        trial.hashes.append(content_hash(path))
    return trial


def begin(command: list[str]) -> "subprocess.Popen[bytes]":
    """Start a child, and wait until it is about to begin its run."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def bereave(command: list[str], path: Path, kills: int, rng: random.Random) -> Trial:
    """Begin a run and kill one of its workers now and then; it has to come to its end by itself."""
    from rcsim.experiments.store.content import content_hash
    from rcsim.experiments.store.folder import Folder

    trial = Trial("workers")
    with begin(command) as process:
        start = time.monotonic()
        while process.poll() is None and not (path.exists() and Folder(path).games()):
            time.sleep(0.05)
        while process.poll() is None and len(trial.moments) < kills:
            time.sleep(rng.uniform(0, 4))
            if workers := offspring(process.pid):
                os.kill(rng.choice(workers), signal.SIGKILL)
                trial.moments.append(time.monotonic() - start)
    if process.returncode:
        raise SystemExit("workers: the run failed")
    trial.hashes.append(content_hash(path))
    return trial


def offspring(pid: int) -> list[int]:
    """The worker processes of a process; none where this cannot be known."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if parent == pid and b"spawn_main" in (place / "cmdline").read_bytes():
                found.append(int(place.name))
        except (OSError, IndexError):
            continue
    return found


def await_end(pids: list[int]) -> None:
    """Wait until processes have ended; SystemExit if they do not."""
    end = time.monotonic() + GONE_S
    while left := [pid for pid in pids if _runs(pid)]:
        if time.monotonic() > end:
            raise SystemExit(f"processes {left} have outlived the run that was killed")
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (OSError, IndexError):
        return False


def page(trials: list[Trial], expected: str, seed: int) -> str:
    """The result, as it is published."""
    import rcsim

    rows = [
        f"| {t.name} | {len(t.moments)} | {min(t.moments):.1f} - {max(t.moments):.1f} | {len(t.hashes)} |"
        f" {sum(h == expected for h in t.hashes)} |"
        for t in trials
    ]
    return "\n".join(
        [
            "# Sudden deaths",
            "",
            "A run of greedy players is killed (`kill -9`) at random moments, from before it opens its folder to its",
            "end, and begun again with the same command, until it comes to its end. In the last rows it is a worker",
            "that is killed, now and then, and the run goes on by itself. Made by",
            "",
            f"    python scripts/kills.py --kills {sum(len(t.moments) for t in trials[:1])} --seed {seed}",
            "",
            f"with rcsim {rcsim.__version__}, Python {platform.python_version()}, {platform.system()}:"
            f" {2 * GAMES:,} games in parts of {PART_GAMES}, two threads or workers.",
            "",
            "| killed | kills | after seconds | runs | with the right hash |",
            "|---|--:|--:|--:|--:|",
            *rows,
            "",
            f"The hash of the undisturbed run: `{expected}`. No worker outlived a run that was killed by more than"
            f" {GONE_S} s.",
            "",
        ]
    )


def main() -> None:
    """Run the trial."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50, help="with threads; others in proportion (default: 50)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument("--child", nargs=2, metavar=("DIR", "BACKEND"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(Path(args.child[0]), args.child[1])
        return
    from rcsim.experiments.store.content import content_hash

    rng = random.Random(args.seed)
    folder = Path(tempfile.mkdtemp(prefix="rcsim-kills-"))
    try:

        def command(path: Path, backend: str = "threads") -> list[str]:
            return [sys.executable, str(Path(__file__)), "--child", str(path), backend]

        subprocess.run(command(folder / "compiled"), check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        expected = content_hash(folder / "compiled")
        trials = []
        for backend, kills in (("threads", args.kills), ("processes", args.kills // 5), ("dask", args.kills // 5)):
            with begin(command(folder / backend, backend)):
                start = time.monotonic()
            longest = time.monotonic() - start
            if content_hash(folder / backend) != expected:
                raise SystemExit(f"{backend}: another hash even undisturbed")
            print(f"{backend}: {longest:.1f} s undisturbed", flush=True)
            trials.append(endure(backend, lambda path, b=backend: command(path, b), folder, kills, longest, rng))
            print(f"{backend}: {len(trials[-1].moments)} kills, {len(trials[-1].hashes)} runs", flush=True)
        for backend in ("processes", "dask"):
            path = folder / f"bereaved-{backend}"
            trials.append(bereave(command(path, backend), path, max(args.kills // 10, 1), rng))
            trials[-1].name = f"workers of {backend}"
        text = page(trials, expected, args.seed)
        print(text)
        wrong = [t.name for t in trials if set(t.hashes) != {expected}]
        if wrong:
            raise SystemExit(f"wrong: {', '.join(wrong)}")
        PAGE.write_text(text, encoding="utf-8")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
