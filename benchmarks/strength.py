"""How strong the players are: the table of docs/players.md.

    python benchmarks/strength.py                          every line; with the search that takes hours
    python benchmarks/strength.py --only duel restrict     some of: rivals, duel, players, restrict, solo
    python benchmarks/strength.py --no-search              all but the lines of the search
    python benchmarks/strength.py --write                  keep the lines, and renew the table of docs/players.md

A line is a player as one against the rest, who are all of one kind, from every seat, on the basic board with plans
drawn. All lines play the same deals, the search fewer of them: enough for a 95 % interval of at most 2.5 points either
way, and a star says where it came out wider. The lines are kept in rcsim/policies/data/measured.toml; what is not
played again stays there as it was.
"""

import argparse
import sys
import time
import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rcsim.policies import PLANNER_STYLE, POLICIES, STYLES  # noqa: E402
from rcsim.policies.player import LIMITS  # noqa: E402

SEED = 1
DEALS = 2500  # solo has one game a deal: 1.96 * sqrt(0.25 / 2500) is 2.0 points
SEARCH_DEALS = {2: 800, 4: 400}  # by players
WIDEST = 0.025
SEARCH = "search:400"
IVAN = "Ivan"
LEVELS = (0, 2, 4, 6, 8, 10)  # of solo, which may be 0 to 99
MEASURED = ROOT / "rcsim/policies/data/measured.toml"
PAGE = ROOT / "docs/players.md"
MARKS = "<!-- strength -->", "<!-- /strength -->"
PARTS = {
    "rivals": "4 players, one against three",
    "duel": "2 players",
    "players": "4 players, one against three planners",
    "restrict": "4 players, a restricted planner against three free ones",
    "solo": "Solo, by the difficulty `solo.level`",
}


@dataclass(frozen=True)
class Line:
    """Who plays whom; `level` is that of solo."""

    part: str
    players: int
    one: str
    rest: str
    level: int = 0

    @property
    def search(self) -> bool:
        """Whether it takes long."""
        return "search" in self.one + self.rest

    @property
    def against(self) -> str:
        """The rest, in words."""
        return f"{IVAN}, level {self.level}" if self.rest == IVAN else self.rest


def all_lines() -> list[Line]:
    """Every line of the table, in its order."""
    simple = [p.name for p in POLICIES if p.name in ("random", "builder", "greedy")]
    styles = [style for style in STYLES if style != PLANNER_STYLE]
    return [
        Line("rivals", 4, "greedy", "random"),
        Line("rivals", 4, "planner", "greedy"),
        Line("rivals", 4, SEARCH, "planner"),
        Line("duel", 2, "planner", "random"),
        Line("duel", 2, "planner", "greedy"),
        Line("duel", 2, SEARCH, "planner"),
        *(Line("players", 4, name, "planner") for name in (*simple, *styles)),
        *(Line("restrict", 4, f"planner:{limit}", "planner") for limit in LIMITS),
        *(Line("solo", 1, "planner", IVAN, level) for level in LEVELS),
    ]


def play_line(line: Line, deals: int, threads: int) -> dict[str, Any]:
    """Play a line; what is kept of it."""
    from rcsim.analysis.tournament import Tally, contests, standings
    from rcsim.cli.playing import play
    from rcsim.experiments.tournament import tournament
    from rcsim.rules.loader import load

    ruleset = load(sets=(f"solo.level={line.level}",) if line.level else ())
    against = None if line.rest == IVAN else [line.rest]
    arranged = tournament(ruleset, policy=[line.one], against=against, seed=SEED, games=deals, players=line.players)
    lineups = [cell.lineup for cell in arranged.run.cells]
    tally = Tally(lineups, contests(arranged.entrants, arranged.opponents), deals=deals)
    print(f"{line.one} against {line.against}, {line.players} players", file=sys.stderr)
    play(
        arranged.run,
        {ruleset.hash: ruleset},
        threads=threads,
        watch=lambda cell, first, games, seats: tally.add(cell.index, first, games, seats),
        part_games=tally.block,
    )
    row = standings(tally.results()).row(0, named=True)
    numbers = {key: round(row[key], 5) for key in ("win", "win_low", "win_high", "margin", "margin_half")}
    return asdict(line) | {"deals": deals, "games": row["games"], **numbers, "ruleset": ruleset.hash[:8]}


def rate(name: str, seconds: float = 2.0) -> float:
    """Games a second on one core, with all four seats played by one player."""
    from rcsim.experiments.cells import design
    from rcsim.experiments.work import kernel, new_rows, warm_up
    from rcsim.rules.loader import load

    ruleset = load()
    run = design(ruleset, seed=SEED, games=1, players=4, policy=[name])
    warm_up(run, {ruleset.hash: ruleset})
    inputs = run.cells[0].inputs(ruleset, run.players)
    games, size, start = 0, 1, time.perf_counter()
    while (taken := time.perf_counter() - start) < seconds:
        kernel()(*inputs, SEED, games, *new_rows(size, 4))
        games += size
        size = min(2 * size, 64)
    return games / taken


def table(rows: Iterable[dict[str, Any]]) -> str:
    """The lines as tables of Markdown, a part after the other."""
    rows = list(rows)
    text: list[str] = []
    for part, title in PARTS.items():
        mine = [row for row in rows if row["part"] == part]
        if not mine:
            continue
        text += ["", f"**{title}**", "", "| player | against | wins | 95 % interval | margin | deals | games |"]
        text += ["|---|---|--:|--:|--:|--:|--:|"]
        for row in mine:
            line = Line(*(row[key] for key in ("part", "players", "one", "rest", "level")))
            star = "" if half_of(row) <= WIDEST else " \\*"
            text += [
                f"| {line.one} | {line.against} | {100 * row['win']:.1f} % |"
                f" {100 * row['win_low']:.1f} - {100 * row['win_high']:.1f}{star} |"
                f" {row['margin']:.1f} ± {row['margin_half']:.1f} | {row['deals']:,} | {row['games']:,} |"
            ]
    return "\n".join(text[1:])


def half_of(row: dict[str, Any]) -> float:
    """The wider side of the interval of a line's win share."""
    return max(row["win"] - row["win_low"], row["win_high"] - row["win"])


def read() -> dict[str, Any]:
    """What is kept: `rates` by player and `lines`."""
    if not MEASURED.exists():
        return {"rates": {}, "lines": []}
    return tomllib.loads(MEASURED.read_text(encoding="utf-8"))


def merged(kept: list[dict[str, Any]], played: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Kept and newly played lines in the order of the table; lines that it has no more go."""
    by_line = {_key(row): row for row in (*kept, *played)}
    return [by_line[_key(asdict(line))] for line in all_lines() if _key(asdict(line)) in by_line]


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["part"], row["players"], row["one"], row["rest"], row["level"]


def dumped(rates: dict[str, float], rows: list[dict[str, Any]]) -> str:
    """The file of measurements."""
    import json

    text = [
        "# Made by benchmarks/strength.py --write; not to be changed by hand.",
        "# rates: games a second on one core, four players of one kind on the basic board.",
        "# lines: win share of `one` in the seats that it holds, `rest` in all others.",
        "",
        "[rates]",
    ]
    text += [f"{json.dumps(name)} = {value:.3g}" for name, value in rates.items()]
    for row in rows:
        text += ["", "[[lines]]", *(f"{key} = {json.dumps(value)}" for key, value in row.items())]
    return "\n".join(text) + "\n"


def write(rates: dict[str, float], rows: list[dict[str, Any]]) -> None:
    """Keep the measurements, and put the table between the marks of the page."""
    MEASURED.write_text(dumped(rates, rows), encoding="utf-8", newline="\n")
    if not PAGE.exists():
        print(f"{PAGE.relative_to(ROOT)} is not there: no table was written", file=sys.stderr)
        return
    before, found, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
    _, closed, after = rest.partition(MARKS[1])
    if not (found and closed):
        sys.exit(f"{PAGE.relative_to(ROOT)}: has no {MARKS[0]} and {MARKS[1]} to write between")
    page = f"{before}{MARKS[0]}\n{table(rows)}\n{MARKS[1]}{after}"
    PAGE.write_text(page, encoding="utf-8", newline="\n")


def main() -> None:
    """Play what was asked for."""
    from rcsim.cli.options import default_threads

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--no-search", action="store_true", help="leave out the lines of the search")
    parser.add_argument("--deals", type=int, default=DEALS, help=f"deals of a line (default: {DEALS})")
    parser.add_argument("--search-deals", type=int, help="of a line of the search (default: 400, with 2 players 800)")
    parser.add_argument("--threads", type=int, default=default_threads())
    parser.add_argument("--write", action="store_true", help="keep the lines and renew the table of docs/players.md")
    args = parser.parse_args()
    lines = [line for line in all_lines() if line.part in args.only and not (args.no_search and line.search)]
    played = []
    for line in lines:
        deals = (args.search_deals or SEARCH_DEALS[line.players]) if line.search else args.deals
        played.append(play_line(line, deals, args.threads))
    print(table(played))
    if any(half_of(row) > WIDEST for row in played):
        print(f"\n\\* wider than {100 * WIDEST} points either way: play more deals")
    if args.write:
        names = dict.fromkeys(name for line in lines for name in (line.one, line.rest) if name != IVAN)
        rates = read()["rates"] | {name: rate(name) for name in names if ":no-" not in name}
        write(rates, merged(read()["lines"], played))


if __name__ == "__main__":
    main()
