"""`rcsim tournament`: who is stronger, over all line-ups on the same deals."""

import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

import typer

from rcsim.cli import options
from rcsim.cli.errors import UserError
from rcsim.cli.playing import MAX_THREADS, play
from rcsim.cli.tables import decimals, percent, table, with_half

if TYPE_CHECKING:
    import polars as pl

    from rcsim.analysis.ratings import Ratings
    from rcsim.analysis.tournament import Results
    from rcsim.experiments.cells import Run
    from rcsim.experiments.tournament import Tournament

WIDTH = 80  # the widest square of pairs; more of them are told line by line
MOST_RINGS = 3


def tournament(
    context: typer.Context,
    entrants: Annotated[
        list[str], typer.Argument(metavar="PLAYER...", help="Who plays, each as in --policy of the other commands.")
    ],
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="PLAYER[,...]", help="Only line-ups of one PLAYER against copies of one of these."
        ),
    ] = None,
    deals: Annotated[
        str, typer.Option("--deals", metavar="N", help="Deals, each played by every line-up: 1000, 1e4, 10k.")
    ] = "1000",
    players: options.Players = "4",
    seed: options.Seed = "1",
    out: options.Out = None,
    plan: Annotated[
        str,
        typer.Option("--plan", metavar="ID|any|all", help="Plan; any: drawn for each deal; all: each deal on each."),
    ] = "any",
    board: options.Board = "basic",
    preset: options.Preset = None,
    rules: options.Rules = "base",
    set_: options.Set = None,
    rubles: options.Rubles = None,
    colours: options.Colours = None,
    threads: options.Threads = "0",
    force: options.Force = False,
) -> None:
    """Compare players: all line-ups and seatings on the same deals.

    Line-ups are all ways to seat the players in which at least two of them meet; with --against, each PLAYER in each
    seat against copies of each player named; with --players 1, each alone against Ivan. Shown are win shares,
    margins, how often each ends ahead of each other, and a ranking, with 95 % intervals over deals.
    """
    from rcsim.analysis.tournament import Tally, contests, differences, pair_shares, standings
    from rcsim.experiments.errors import DesignError, Interrupted
    from rcsim.experiments.store.folder import Folder
    from rcsim.experiments.tournament import MAX_DEALS, TABLES, tournament, write_tables

    workers = options.whole("threads", threads, 0, MAX_THREADS) or options.default_threads()
    number = options.whole("deals", deals, 2, MAX_DEALS)
    rivals = None if against is None else [name.strip() for name in against.split(",")]
    asked = options.Asked(players, plan, board, preset, rules, set_, ",".join(entrants), rubles, colours)
    ruleset, choices = asked.choices(seed=seed, games=str(number), command=str(context.obj))
    try:
        arranged = tournament(ruleset, against=rivals, **choices)
    except DesignError as error:
        if error.key != "policy":
            raise
        raise UserError(f"PLAYER: {error.given or 'nothing'} was given; {error.accepted}") from error
    run = arranged.run
    folder = None if out is None else Folder(options.path("--out", out))
    tally = Tally([cell.lineup for cell in run.cells], contests(arranged.entrants, arranged.opponents), deals=number)
    try:
        play(
            run,
            {ruleset.hash: ruleset},
            threads=workers,
            watch=lambda cell, first, game_rows, seat_rows: tally.add(cell.index, first, game_rows, seat_rows),
            folder=folder,
            force=force,
            part_games=tally.block,
        )
    except Interrupted:
        if folder is not None and not folder.replacing:  # the run that tables may be of is no more
            write_tables(folder.path, run, {})
        raise
    results = tally.results()
    tables = {"players": standings(results)}
    if run.cells[0].solo:
        tables["differences"] = differences(results)
    else:
        tables["pairs"] = pair_shares(results)
    print("\n".join([*_heading(arranged, number), "", _standings(tables["players"], run)]))
    if run.cells[0].solo:
        if len(arranged.entrants) > 1:
            print(_differences(tables["differences"]))
    else:
        print(_pairs(tables["pairs"], tables["players"]))
        ranking = _ranking(results)
        if ranking is not None:
            tables["ratings"] = ranking.frame
            print(_ratings(ranking))
        if circles := _circles(tables["pairs"]):
            print(circles)
    if results.truncated:
        print(f"\nTruncated: {results.truncated:,} games ended by the turn cap; they count as scored then.")
    if folder is None:
        print("\nNothing was stored (--out DIR keeps the data).")
    else:
        write_tables(folder.path, run, tables)
        print(
            f"\nData: {folder.path / 'games'} and {folder.path / 'seats'} (Parquet); these tables in"
            f" {folder.path / TABLES}"
        )


def _heading(arranged: "Tournament", deals: int) -> list[str]:
    """What was played."""
    run, cell = arranged.run, arranged.run.cells[0]
    plans = list(dict.fromkeys(cell.plan or "any" for cell in run.cells))
    players = "solo against Ivan" if cell.solo else f"{cell.players} players"
    count = len(run.cells) // len(plans)
    return [
        f"{players}, {cell.board} board, plan {plans[0] if len(plans) == 1 else 'all, each by itself'}, preset"
        f" {cell.preset}",
        f"seed {run.seed}, ruleset {cell.ruleset[:8]}",
        f"{count:,} line-ups on the same {deals:,} deals: {run.games:,} games",
    ]


def _standings(players: "pl.DataFrame", run: "Run") -> str:
    """Win share and margin: everybody, the best first, or each challenge in the order given."""
    challenges = players["against"].null_count() < len(players)
    solo = run.cells[0].solo
    rows = [
        [
            row["player"],
            *([row["against"]] if challenges else []),
            *_share(row["win"], row["win_low"], row["win_high"]),
            with_half(row["margin"], row["margin_half"]),
        ]
        for row in (players if challenges else players.sort("win", descending=True)).iter_rows(named=True)
    ]
    headers = ["player", *(["against"] if challenges else []), "win share", "95 % interval", "margin"]
    rivals = "Ivan's" if solo else "the rival's" if run.cells[0].players == 2 else "the mean of the rivals'"
    fair = "" if solo else f"Equal players would win {percent(1 / run.cells[0].players)} each.\n"
    return f"{table(headers, rows, 1 + challenges)}\n\n{fair}Margin: own prestige minus {rivals}."


def _share(mean: float, low: float, high: float) -> list[str]:
    places = decimals(50 * (high - low) or None)
    return [percent(mean, places), f"{100 * low:.{places}f} - {100 * high:.{places}f}"]


def _pairs(pairs: "pl.DataFrame", players: "pl.DataFrame") -> str:
    """How often each ends ahead of each: a square if it is narrow enough, else a line for each pair."""
    order = list(dict.fromkeys(players.sort("win", descending=True)["player"]))
    order += [name for name in dict.fromkeys([*pairs["player"], *pairs["other"]]) if name not in order]
    cells: dict[tuple[str, str], tuple[float, float, float]] = {}
    for row in pairs.iter_rows(named=True):
        cells[row["player"], row["other"]] = row["ahead"], row["low"], row["high"]
        cells[row["other"], row["player"]] = 1 - row["ahead"], 1 - row["high"], 1 - row["low"]
    rows = [[a, *(_half(*cells[a, b]) if (a, b) in cells else "-" for b in order)] for a in order]
    square = table(["ahead of:", *order], rows, 1)
    if max(map(len, square.splitlines())) > WIDTH:
        lines = [[a, b, *_share(*cells[a, b])] for i, a in enumerate(order) for b in order[i + 1 :] if (a, b) in cells]
        square = table(["player", "ahead of", "how often", "95 % interval"], lines, 2)
    return f"\nHow often one ends ahead of another in a game (per cent, ties half):\n\n{square}"


def _half(mean: float, low: float, high: float) -> str:
    return with_half(100 * mean, 50 * (high - low))


def _ranking(results: "Results") -> "Ratings | None":
    """The ranking; without the package that it needs, none, and a line on stderr."""
    try:
        from rcsim.analysis.ratings import ratings

        return ratings(results)
    except ModuleNotFoundError as error:
        print(f"rcsim: no ranking: it needs the package {error.name} (pip install choix)", file=sys.stderr)
        return None


def _ratings(ranking: "Ratings") -> str:
    """The ranking, what its scale is, and whether it fits."""
    frame = ranking.frame
    rows = [
        [
            str(row["place"]),
            row["player"],
            "-" if row["rating"] is None else with_half(row["rating"], row["half"]),
            "-" if row["step"] is None else with_half(row["step"], row["step_half"]),
        ]
        for row in frame.iter_rows(named=True)
    ]
    text = ["", table(["place", "player", "rating", "above the next"], rows, 2), ""]
    rated = frame.filter(frame["rating"].is_not_null())["place"].to_list()
    if rated:
        text += ["Ratings: with 100 points more one ends ahead in 64 % of games, with 400 in 91 %."]
        for place, name in frame.filter(frame["rating"].is_null()).select("place", "player").iter_rows():
            above = "no rated player ever ended ahead of it"
            below = "it never ended ahead of a rated one"
            text += [f"{name} is not rated: {above if place < rated[0] else below}."]
    else:
        text += ["No ratings: of any two players the same one ended ahead in every game."]
    if ranking.miss is not None:
        miss = ranking.miss
        text += [
            "One scale does not tell it all, by more than chance:",
            f"{miss.player} ends ahead of {miss.other} in {percent(miss.played, 1)}, by rating it would in"
            f" {percent(miss.rated, 1)}.",
        ]
    return "\n".join(text)


def _circles(pairs: "pl.DataFrame") -> str:
    """Players who are ahead of each other in a circle, if there are such."""
    from rcsim.analysis.tournament import cycles

    rings = cycles(pairs)
    lines = [
        f"\nNot transitive, each by more than its interval:\n"
        f"{', '.join(f'{a} is ahead of {b}' for a, b in pairwise([*ring, ring[0]]))}."
        for ring in rings[:MOST_RINGS]
    ]
    if len(rings) > MOST_RINGS:
        lines += [f"And {len(rings) - MOST_RINGS} more circles."]
    return "\n".join(lines)


def _differences(pairs: "pl.DataFrame") -> str:
    """Paired differences, the solo players' only comparison."""
    rows = [
        [
            row["player"],
            row["other"],
            with_half(100 * row["win"], 100 * row["win_half"]),
            with_half(row["margin"], row["margin_half"]),
        ]
        for row in pairs.iter_rows(named=True)
    ]
    square = table(["player", "minus", "win share, points", "margin"], rows, 2)
    return f"\nDifferences on the same deals:\n\n{square}"
