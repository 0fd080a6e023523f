"""The planner against every turn that there is (rcsim/policies/planner/exhaustive.py).

    python scripts/exhaustive.py compare --games 200 [--policy mine.toml] [--shipped] [--worst 20]
    python scripts/exhaustive.py play --players 4 --deals 100 [--policy planner]

`compare` holds a share of the decisions of planners' games, of every kind of game, against the best there was by the
same weights: in how many the planner's choice was worth as much, and what it gave away, by what it was asked.

`play` has one player that looks at every turn play against planners, from every seat, on shared deals: its share of the
wins, with an interval over deals.
"""

import argparse
import math
import multiprocessing
import random
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

LIMIT = 100_000  # positions that a decision of `compare` may take
_judge: Any = None


def judge() -> Any:
    """The one of this process."""
    global _judge
    if _judge is None:
        from tests.planning import Judge

        _judge = Judge(LIMIT)
    return _judge


def compared(job: tuple[int, argparse.Namespace]) -> tuple[int, list[Any]]:
    """Decisions of one game."""
    from tests.planning import POLICIES, decisions, game_number

    number, args = job
    policies = args.policy.split(",") if args.policy else POLICIES
    playing = game_number(number, policies, shipped_rules=args.shipped)
    return number, list(decisions(playing, judge(), args.share, random.Random(number)))


def told(action: int) -> str:
    """An action in letters."""
    from rcsim.engine import state

    kinds = {value: name[2:] for name, value in vars(state).items() if name.startswith("A_")}
    return f"{kinds[action & 63]} {action >> 6 & 1023} {action >> 16 & 255} {action >> 24 & 127}"


def compare(args: argparse.Namespace, pool: Any) -> None:
    """Print what planners gave away."""
    kinds = defaultdict(list)
    worst = []
    jobs = [(number, args) for number in range(args.first, args.first + args.games)]
    start = time.monotonic()
    for done, (number, found) in enumerate(pool.imap_unordered(compared, jobs), 1):
        for decision in found:
            kinds[decision.phase].append(decision)
            worst.append((decision.loss or 0, number, decision))
        if done % 100 == 0:
            print(f"{done} games, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    worst.sort(key=lambda one: (-one[0], one[1]))
    print("asked        decisions  too many turns  as good as the best  given away, thousandths a decision")
    rows = sorted(kinds.items(), key=lambda row: -sum(d.loss or 0 for d in row[1]))
    for phase, found in [*rows, ("all", [d for row in kinds.values() for d in row])]:
        known = [d.loss for d in found if d.loss is not None]
        same = f"{sum(loss == 0 for loss in known) / len(known):19.2%}" if known else f"{'-':>19}"
        lost = f"{fmean(known):10.1f}" if known else ""
        print(f"{phase:12} {len(found):9}  {len(found) - len(known):14}  {same}  {lost}")
    for loss, number, d in worst[: args.worst]:
        print(f"game {number}, step {d.step}, {d.phase}: {told(d.action)}; {told(d.best)} is worth {loss} more")


def played(job: tuple[int, argparse.Namespace]) -> float:
    """The share of the wins of one deal, from all seats."""
    import numpy as np

    from rcsim.columns import GAME_COLUMNS, seat_column
    from rcsim.engine.scoring import score
    from rcsim.rules import load
    from rcsim.rules.pack import pack
    from tests.planning import Playing

    deal, args = job
    tables = pack(load("base"), players=args.players)
    won = 0.0
    for seat in range(args.players):
        playing = Playing(tables, [args.policy or "planner"] * args.players, args.seed, deal)
        while not playing.over:
            mine = playing.g.seat == seat and len(playing.legal()) > 1
            playing.do(judge().choice(playing) if mine else playing.choice())
        score(playing.g, playing.t, np.zeros(len(GAME_COLUMNS), np.int32))
        winners = int(playing.g.ledger[seat, seat_column("win_share")])
        won += 1 / winners if winners else 0
    return won / args.players


def play(args: argparse.Namespace, pool: Any) -> None:
    """Print how strong the exhaustive player is."""
    shares = []
    for share in pool.imap_unordered(played, [(deal, args) for deal in range(args.deals)]):
        shares.append(share)
        if len(shares) % 25 == 0 or len(shares) == args.deals:
            half = 1.96 * stdev(shares) / math.sqrt(len(shares)) if len(shares) > 1 else math.nan
            print(
                f"{args.players} players, {len(shares)} deals, {len(shares) * args.players} games: wins "
                f"{fmean(shares):.2%} ± {half:.2%}, a fair share is {1 / args.players:.2%}",
                flush=True,
            )


def main() -> int:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--policy", default="", help="planner, a style or a weight file; compare takes several")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("compare")
    one.add_argument("--games", type=int, default=200)
    one.add_argument("--first", type=int, default=0)
    one.add_argument("--share", type=float, default=0.2, help="of the decisions")
    one.add_argument("--shipped", action="store_true", help="no random rulesets")
    one.add_argument("--worst", type=int, default=0, help="show so many of the worst decisions")
    two = commands.add_parser("play")
    two.add_argument("--players", type=int, choices=(2, 3, 4), default=2)
    two.add_argument("--deals", type=int, default=100)
    two.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    from tests.planning import game_number

    playing = game_number(0)
    playing.do(judge().choice(playing))  # compile once, before there are several processes
    playing.choice()
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        (compare if args.command == "compare" else play)(args, pool)
    return 0


if __name__ == "__main__":
    sys.exit(main())
