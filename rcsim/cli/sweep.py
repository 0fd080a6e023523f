"""`rcsim sweep`: many games, a table, and their data as Parquet."""

from typing import TYPE_CHECKING, Annotated

import typer

from rcsim.cli import options
from rcsim.cli.playing import MAX_THREADS, play
from rcsim.cli.tables import decimals, percent, table, with_half
from rcsim.policies import DEFAULT_POLICY

if TYPE_CHECKING:
    import polars as pl

    from rcsim.analysis.sums import Sums
    from rcsim.experiments.cells import Cell, Run
    from rcsim.rules.schema import Ruleset


def sweep(
    context: typer.Context,
    games: options.Games = "100000",
    players: options.Players = "4",
    seed: options.Seed = "1",
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="DIR", help="Folder for the data; without it only the table is made."),
    ] = None,
    plan: Annotated[
        str, typer.Option("--plan", metavar="ID|any|all", help="Plan; any: drawn for each deal; all: each a cell.")
    ] = "any",
    board: options.Board = "basic",
    preset: options.Preset = None,
    rules: options.Rules = "base",
    set_: options.Set = None,
    policy: options.Policy = DEFAULT_POLICY,
    rubles: options.Rubles = None,
    colours: options.Colours = None,
    threads: Annotated[
        str, typer.Option("--threads", metavar="N", help="Threads (default: one for each processor); change no number.")
    ] = "0",
    force: Annotated[bool, typer.Option("--force", help="Replace the run that the folder holds.")] = False,
) -> None:
    """Play many games: a table, and the data as Parquet.

    The table gives win share and score by seat with 95 % intervals, turns, ties and truncated games. The data has a
    row for each game and one for each seat (see rcsim schema). The same seed gives the same data, however many
    threads play.
    """
    from rcsim.experiments.store import Folder

    workers = options.whole("threads", threads, 0, MAX_THREADS) or options.default_threads()
    asked = options.Asked(players, plan, board, preset, rules, set_, policy, rubles, colours)
    run, ruleset = asked.run(seed=seed, games=games, command=str(context.obj))
    folder = None if out is None else Folder(options.path("--out", out))
    sums = play(run, {ruleset.hash: ruleset}, threads=workers, folder=folder, force=force)
    print(closing_table(run, ruleset, sums))
    if folder is None:
        print("\nNothing was stored (--out DIR keeps the data).")
    else:
        print(f"\nData: {folder.path / 'games'} and {folder.path / 'seats'} (Parquet)")


def closing_table(run: "Run", ruleset: "Ruleset", sums: "Sums") -> str:
    """What the run says, for people: win share and score by seat, then turns, ties and truncated games."""
    from rcsim.analysis.summary import game_summary, seat_summary

    seats = seat_summary(sums.seats())
    by_cell = game_summary(sums.games())
    by_plan = game_summary(sums.games(), ("cell", "plan"))
    several = len(run.cells) > 1
    first = run.cells[0]
    plan_ids = ruleset.plan_ids(first.players)
    plan_of = {cell.index: cell.plan or "any" for cell in run.cells}
    text = [*_heading(run, first, "all, each by itself" if several else plan_of[0]), "", _seat_table(run, seats)]
    rows = [(plan_ids[row["plan"]], row) for row in by_plan.iter_rows(named=True)]
    if not several and len(rows) > 1:
        rows += [("any", row) for row in by_cell.iter_rows(named=True)]
    text += ["", _game_table(rows, first.seats)]
    if by_cell["truncated"].sum():
        text += ["", "Truncated: ended by the turn cap; they count as scored then."]
    return "\n".join(text)


def _heading(run: "Run", cell: "Cell", plan: str) -> list[str]:
    players = "solo against Ivan" if cell.solo else f"{cell.players} players"
    lineup = cell.lineup[0] if len(set(cell.lineup)) == 1 else ",".join(cell.lineup)
    return [
        f"{players}, {cell.board} board, plan {plan}, preset {cell.preset}",
        f"policy {lineup}, seed {run.seed}, ruleset {cell.ruleset[:8]}, {run.games:,} games",
    ]


def _seat_table(run: "Run", seats: "pl.DataFrame") -> str:
    """A row for each cell and seat; columns that say nothing are left out."""
    cells = {cell.index: cell for cell in run.cells}
    several = len(cells) > 1
    mixed = any(len(set(cell.lineup)) > 1 for cell in run.cells)
    rows = []
    for row in seats.iter_rows(named=True):
        cell, seat = cells[row["cell"]], row["seat"]
        ivan = seat >= cell.players
        rubles = cell.rubles or run.rulesets[cell.ruleset]["rubles"]
        places = decimals(50 * (row["win_high"] - row["win_low"]))
        rows.append(
            [
                *([cell.plan or "any"] if several else []),
                "Ivan" if ivan else str(seat),
                *(["-" if ivan else cell.lineup[seat]] if mixed else []),
                "-" if ivan else str(rubles[seat]),
                percent(row["win"], places),
                f"{100 * row['win_low']:.{places}f} - {100 * row['win_high']:.{places}f}",
                with_half(row["score"], row["score_half"]),
            ]
        )
    headers = ["seat", *(["policy"] if mixed else []), "rubles", "win share", "95 % interval", "mean score"]
    return table([*(["plan"] if several else []), *headers], rows)


def _game_table(rows: list[tuple[str, dict[str, float]]], seats: int) -> str:
    """A row for each plan: games, turns of a seat, ties, finished cathedrals, truncated games."""
    lines = [
        [
            plan,
            f"{row['games']:,}",
            with_half(row["turns"] / seats, None if row["turns_half"] is None else row["turns_half"] / seats),
            percent(row["ties"]),
            percent(row["complete"]),
            f"{row['truncated']:,}",
        ]
        for plan, row in rows
    ]
    return table(["plan", "games", "turns a seat", "ties", "complete", "truncated"], lines)
