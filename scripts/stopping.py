"""What stopping early does to the intervals: how often they hold the truth when games are played until they are narrow.

    python scripts/stopping.py [--games 100000] [--repetitions 20000] [--write]

Plays one big cell for each of a few settings and takes its frequencies for the truth. Many experiments are then drawn
from it, each stopped as `rcsim sweep --target-error` stops, and it is counted how often the interval of each seat
holds the truth. --write puts the table into results/coverage.md. A few minutes, nearly all of them for the games.
"""

import argparse
import sys
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from environment import ROOT
from sharing import outcomes

sys.path.insert(0, str(ROOT))

from rcsim.analysis.blocks import SHARES
from rcsim.analysis.intervals import normal_quantile, share_interval

Array = np.ndarray[Any, Any]

PAGE = ROOT / "results" / "coverage.md"
SETTINGS = (("planner", 4), ("planner", 2), ("greedy", 4))
LOOKS = ((100, 0.02), (100, 0.05), (1000, 0.01), (1000, 0.02), (10_000, 0.002), (10_000, 0.005))
MOST_LOOKS = 11


class Stopped(NamedTuple):
    """What came of experiments: mean games, looks that some stopped at, how often intervals held the truth, in all and
    if each had been played to the commonest look, whatever its intervals."""

    games: float
    looks: int
    covered: float
    fixed: float


def patterns(codes: Array) -> tuple[Array, Array]:
    """The ways in which games ended, win shares by seat (ways, seats), and how often each did."""
    ways, counts = np.unique(codes, axis=0, return_counts=True)
    return SHARES[ways], counts / counts.sum()


def stop(ways: Array, often: Array, target: float, least: int, repetitions: int, rng: np.random.Generator) -> Stopped:
    """Draw experiments and stop each at the first look at which all its intervals are narrow enough."""
    truth = often @ ways
    counts = np.zeros((repetitions, len(ways)), np.int64)
    stopped = np.full(repetitions, -1)
    held = np.zeros((MOST_LOOKS, repetitions, ways.shape[1]), bool)
    games = 0
    for look in range(MOST_LOOKS):
        more = least << look if look == 0 else (least << look) - games
        counts += rng.multinomial(more, often, size=repetitions)
        games += more
        low, high = bounds(counts, ways, games)
        held[look] = (low <= truth) & (truth <= high)
        narrow = ((high - low) / 2).max(axis=1) <= target
        stopped[(stopped < 0) & narrow] = look
        if (stopped >= 0).all():
            break
    assert (stopped >= 0).all(), "too few looks"
    common = int(np.bincount(stopped).argmax())
    at_stop = held[stopped, np.arange(repetitions)]
    return Stopped(
        float((least << stopped).mean()), len(np.unique(stopped)), float(at_stop.mean()), float(held[common].mean())
    )


def bounds(counts: Array, ways: Array, games: int) -> tuple[Array, Array]:
    """The interval of each seat's win share in each experiment: (repetitions, seats) each."""
    total, squares = counts @ ways, counts @ ways**2
    frame = pl.DataFrame({"n": np.full(total.size, games), "t": total.ravel(), "q": squares.ravel()})
    found = frame.select(**share_interval(pl.col("n"), pl.col("t"), pl.col("q")))
    return tuple(found[side].to_numpy().reshape(total.shape) for side in ("low", "high"))  # type: ignore[return-value]


def unlucky(ways: Array, often: Array, least: int, look: int) -> float:
    """The target that a cell reaches at a look in half of all experiments: where stopping chooses most."""
    truth = often @ ways
    variance = (often @ ways**2 - truth**2).max()
    return float(normal_quantile() * (variance / (least << look)) ** 0.5)


def main() -> int:
    """Play, draw, print, and write if that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--repetitions", type=int, default=20_000)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rng = np.random.default_rng(1)
    rows = []
    for policy, players in SETTINGS:
        kept = outcomes(args.games, {"policy": [policy], "players": players})[1]
        ways, often = patterns(kept(0, 0, args.games))
        asked = [(least, target, "") for least, target in LOOKS]
        asked += [
            (least, unlucky(ways, often, least, look), " *") for least, look in ((100, 2), (1000, 2), (10_000, 1))
        ]
        for least, target, mark in asked:
            found = stop(ways, often, target, least, args.repetitions, rng)
            rows.append(
                f"| {policy}, {players} | {least:,} | {target:.4f}{mark} | {found.games:,.0f} | {found.looks} |"
                f" {100 * found.covered:.2f} % | {100 * found.fixed:.2f} % |"
            )
    page = f"""# Stopping when intervals are narrow enough

A run with `--target-error` looks at its intervals and stops when they are narrow. That chooses: an experiment stops
early if its own data say that it may. How often do the 95 % intervals of experiments that were stopped so hold the
truth? {args.repetitions:,} experiments for each row were drawn from {args.games:,} games played with seed 1, whose
frequencies are the truth, and stopped by the rule of the program. *Looks* counts the looks at which some stopped.
*Covered* is the share of all intervals, over all seats, that hold the truth; *fixed* is the same at the commonest look
if every experiment is played just that long. By chance a number may be off by 0.2.

The targets with a star are the worst ones: just what a cell has at a look in half of all experiments.

| players | first look | target | games, mean | looks | covered | fixed |
|---|--:|--:|--:|--:|--:|--:|
{chr(10).join(rows)}

Made by `python scripts/stopping.py --write`.
"""
    print(page)
    if args.write:
        PAGE.write_text(page, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
