"""How the styles of the planner differ in play: the table of docs/players.md.

    python benchmarks/styles.py --write

Each style plays alone against three planners, from every seat, and four of a kind play among themselves, all on the
same deals: 4 players, basic board, seed 1.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rcsim.columns import seat_column  # noqa: E402
from rcsim.experiments.work import kernel, new_rows  # noqa: E402
from rcsim.policies import STYLES  # noqa: E402
from rcsim.policies.lineup import resolve, seat_players  # noqa: E402
from rcsim.rules import load  # noqa: E402
from rcsim.rules.pack import pack  # noqa: E402

PAGE = ROOT / "docs" / "players.md"
SEED = 1
SEATS = 4
# A row of the table: its words, the seat columns that it adds up, and its decimals.
ROWS: tuple[tuple[str, tuple[str, ...], int], ...] = (
    ("prestige", ("total",), 1),
    ("from towers", ("towers",), 1),
    ("sections finished", ("sections_finished",), 2),
    ("domes among them", ("domes_finished",), 2),
    ("ornaments", ("doors", "arches", "crosses"), 2),
    ("gems in them", ("ornament_gems",), 2),
    ("recognition from sections", ("points_sections",), 1),
    ("recognition from ornaments", ("points_ornaments",), 1),
    ("recognition from market, tiles, influence", ("points_market", "points_tiles", "points_influence"), 1),
    ("tiles face up", ("tiles_up",), 2),
    ("uses of tiles", ("tile_uses", "tile_bonuses", "tile_activations"), 1),
    ("extra spaces paid", ("spaces_paid",), 1),
    ("sales", ("sales",), 2),
)


def played(lineup: Sequence[str], deals: int) -> Any:
    """Seat rows of a line-up: (deals, seats, columns)."""
    tables = pack(load(), players=SEATS, board="basic")
    games, seats = new_rows(deals, SEATS)
    kernel()(tables, seat_players([resolve(spec) for spec in lineup], tables[0]), SEED, 0, games, seats)
    return seats.reshape(deals, SEATS, -1)


def one_against_three(one: str, rest: str, deals: int) -> tuple[Any, str]:
    """Rows of one player among three of another, from every seat: (seats * deals, columns); its win share in words."""
    alone = np.concatenate(
        [played([one if i == seat else rest for i in range(SEATS)], deals)[:, seat] for seat in range(SEATS)]
    )
    winners = alone[:, seat_column("win_share")]
    share = np.divide(1, winners, out=np.zeros(len(winners)), where=winners > 0).reshape(SEATS, deals).mean(axis=0)
    half = 196 * share.std(ddof=1) / deals**0.5
    return alone, f"{100 * share.mean():.1f} ± {half:.1f} %"


def measures(style: str, deals: int) -> dict[str, str]:
    """The column of a style."""
    alone, wins = one_against_three(style, "planner", deals)
    _, planner_wins = one_against_three("planner", style, deals)
    among = played([style] * SEATS, deals)
    column = {
        "wins against three planners": wins,
        "a planner's wins against three": planner_wins,
        "turns a seat, four of a kind": f"{among[:, :, seat_column('turns')].mean():.1f}",
        "turns a seat": f"{alone[:, seat_column('turns')].mean():.1f}",
    }
    for words, names, places in ROWS:
        column[words] = f"{sum(alone[:, seat_column(name)].mean() for name in names):.{places}f}"
    return column


def main() -> int:
    """Play, print, and with --write put the table into the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=1500, help="deals; each is played in every seat")
    parser.add_argument("--write", action="store_true", help="write the table into docs/players.md")
    args = parser.parse_args()
    played(["planner"] * SEATS, 1)  # compiled before threads ask for it
    with ThreadPoolExecutor() as pool:
        columns = dict(zip(STYLES, pool.map(lambda style: measures(style, args.deals), STYLES), strict=True))
    lines = [f"| | {' | '.join(f'`{style}`' for style in STYLES)} |", "|---|" + "---:|" * len(STYLES)]
    for words in next(iter(columns.values())):
        lines.append(f"| {words} | {' | '.join(columns[style][words] for style in STYLES)} |")
    table = "\n".join(lines)
    print(table)
    if args.write:
        text = PAGE.read_text(encoding="utf-8")
        note = f"One against three planners, a game: means over {args.deals:,} deals, each from every seat."
        block = f"<!-- styles -->\n{table}\n\n{note}\n<!-- /styles -->"
        text, found = re.subn(r"<!-- styles -->.*?<!-- /styles -->", lambda _: block, text, flags=re.DOTALL)
        if found != 1:
            sys.exit("rcsim: error: docs/players.md has not exactly one place for the table of styles")
        PAGE.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
