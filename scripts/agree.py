"""The long differential trial: engine against oracle over many games, in one of five choice by choice.

    python scripts/agree.py --games 20000 [--first 0] [--jobs 2]

Prints a line now and then, every disagreement with its game number, and the count. Exit code 1 if there was one.
`tests/agreement.py` says how a number becomes a game; the test suite plays the first 2,000.
"""

import argparse
import multiprocessing
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def trial(number: int) -> str | None:
    """What is wrong with a game, or None."""
    from tests.agreement import agree, game_number, is_complete

    try:
        agree(game_number(number), is_complete(number))
    except Exception as error:
        return f"game {number}: {type(error).__name__}: {error}"
    return None


def main() -> int:
    """Run the trial."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    args = parser.parse_args()
    trial(args.first)  # compile once, before there are several processes
    start = time.monotonic()
    wrong = 0
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        numbers = range(args.first, args.first + args.games)
        for done, problem in enumerate(pool.imap(trial, numbers, chunksize=20), 1):
            if problem:
                wrong += 1
                print(problem, flush=True)
            if done % 1000 == 0:
                print(f"{done} games, {wrong} disagreements, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{args.games} games from number {args.first}: {wrong} disagreements")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
