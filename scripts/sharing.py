"""What sharing deals is worth: the variance of a difference with and without it, measured with real games.

    python scripts/sharing.py [--games 6000] [--write]

Plays a few designs and prints a table of how well the difference of two cells is known, when both play the same deals
and if they played different ones; --write puts it into results/sharing.md. A few minutes.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from environment import ROOT

sys.path.insert(0, str(ROOT))

from rcsim.analysis.blocks import SHARES, Kept, differences
from rcsim.cli.closing import arms_of
from rcsim.experiments.crossing import Experiment, cross
from rcsim.experiments.design import Design, overlay
from rcsim.experiments.runner import Pool
from rcsim.experiments.work import warm_up

PAGE = ROOT / "results" / "sharing.md"
COMPARED = (
    ("rubles 2,4,4,5 minus 3,4,4,5", ["rubles=3,4,4,5;2,4,4,5"]),
    ("rubles 3,4,4,6 minus 3,4,4,5", ["rubles=3,4,4,5;3,4,4,6"]),
    ("rubles 4,4,4,4 minus 3,4,4,5", ["rubles=3,4,4,5;4,4,4,4"]),
    ("finisher's bonus 5 minus 3", ["options.finisher_bonus=3,5"]),
    ("turn cap 25 minus 100", ["options.turn_cap=100,25"]),
    ("preset en minus fr2022", ["preset=fr2022,en"]),
    ("plan 4a minus a drawn plan", ["plan=any,4a"]),
    ("plan 4b minus plan 4a", ["plan=4a,4b"]),
    ("advanced board minus basic", ["board=basic,advanced"]),
)
PLAYERS = ("planner", "greedy")
OTHERS = (("planner", "rusher"), ("planner", "planner:no-reroll"))  # all four seats of one minus all four of the other
TURNED = (("rusher", "planner"), ("planner:no-reroll", "planner"))  # one of the first against three of the second


def outcomes(games: int, values: Mapping[str, Any], vary: Sequence[str] = ()) -> tuple[Experiment, Kept]:
    """Play a design of such values and factors; its experiment and who won which game."""
    experiment = cross(overlay(Design(), head={"games": games, "seed": 1}, values=values, vary=vary))
    kept = Kept()
    warm_up(experiment.run, experiment.rulesets)
    pool = Pool(
        experiment.run,
        experiment.rulesets,
        threads=os.cpu_count() or 1,
        watch=lambda cell, first, games, seats: kept.add(cell.index, first, len(games), seats),
    )
    pool.start()
    while not pool.wait(1):
        pass
    return experiment, kept


def compared(name: str, vary: Sequence[str], policy: str | None, games: int) -> str:
    """A row of the table: standard deviations of a deal's difference, means over the seats, and the gain."""
    experiment, kept = outcomes(games, {} if policy is None else {"policy": policy.split(",")}, vary)
    arms = arms_of(experiment.run, {cell.index: games for cell in experiment.run.cells})
    frame = differences(arms, experiment.baselines, kept)
    scale = games**0.5 / 1.96
    shared, apart = (float((frame[column] ** 2).mean()) ** 0.5 * scale for column in ("half", "apart"))
    who = policy or "of each kind"
    return f"| {name} | {who} | {shared**2:.3f} | {apart**2:.3f} | {(apart / shared) ** 2:.2f} |"


def turned(one: str, rest: str, games: int) -> str:
    """A row of the second table: the mean win share of one player over its seats, on shared deals and on others."""
    experiment, kept = outcomes(games, {"policy": [one, rest, rest, rest]})
    cells = experiment.run.cells
    own = np.stack([SHARES[kept(c.index, 0, games)][:, c.lineup.index(cells[0].lineup[0])] for c in cells])
    shared = own.mean(axis=0).var(ddof=1)
    apart = own.var(axis=1, ddof=1).sum() / len(cells) ** 2
    return f"| {one} | three of {rest} | {shared:.4f} | {apart:.4f} | {apart / shared:.2f} |"


def main() -> int:
    """Play, print, and write if that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=6000)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows = [compared(name, vary, player, args.games) for player in PLAYERS for name, vary in COMPARED]
    rows += [compared(f"{b} minus {a}, all four", [f"policy={a},{b}"], None, args.games) for a, b in OTHERS]
    turns = [turned(one, rest, args.games) for one, rest in TURNED]
    page = f"""# What sharing deals is worth

All cells of a design play the same deals. So two of them have some luck in common, and it cancels out of their
difference. This is how much: the variance of the difference of two win shares in one deal, the mean over the four
seats, when both cells play the same deals, and the sum of the two variances, which is what it would be on different
deals. *Gain* is their ratio: so many times the games would be needed without sharing.

{args.games:,} deals of 4 players on the basic board, seed 1. Made by `python scripts/sharing.py --write`. By chance a
gain near one may be off by a few hundredths, one of fifty by a third.

| difference | players | variance, shared | not shared | gain |
|---|---|--:|--:|--:|
{chr(10).join(rows)}

Turning a mixed line-up through the seats is sharing, too: the variance in one deal of the mean win share of one player
over the four seats, when the four games have the same deal, and if they had four different ones.

| player | against | variance, shared | not shared | gain |
|---|---|--:|--:|--:|
{chr(10).join(turns)}
"""
    print(page)
    if args.write:
        PAGE.write_text(page, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
