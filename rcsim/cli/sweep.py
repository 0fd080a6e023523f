"""`rcsim sweep`: designed experiments, their tables, and their data as Parquet."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rcsim.cli import options
from rcsim.cli.errors import UserError
from rcsim.cli.playing import MAX_THREADS, play

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcsim.analysis.blocks import Outcomes
    from rcsim.analysis.sums import Sums
    from rcsim.experiments.crossing import Experiment
    from rcsim.experiments.store.folder import Folder

MAX_WORKERS = 4096


def sweep(
    context: typer.Context,
    design: Annotated[
        str | None, typer.Argument(metavar="DESIGN", help="A design: a TOML file. Options count more.")
    ] = None,
    games: Annotated[
        str | None,
        typer.Option("--games", metavar="N", help="Games of each cell: 250000, 1e6, 1M (default: 100000)."),
    ] = None,
    seed: Annotated[str | None, options.SEED] = None,
    out: options.Out = None,
    detail: Annotated[
        str | None,
        typer.Option(
            "--detail",
            metavar="summary|seats|full",
            help="What is stored: counts; a row a game and seat; all columns (default).",
        ),
    ] = None,
    players: Annotated[str | None, options.PLAYERS] = None,
    plan: Annotated[
        str | None,
        typer.Option("--plan", metavar="ID|any|all", help="Plan; any: drawn for each deal; all: each a cell."),
    ] = None,
    board: Annotated[str | None, options.BOARD] = None,
    preset: options.Preset = None,
    rules: Annotated[str | None, options.RULES] = None,
    set_: options.Set = None,
    policy: Annotated[str | None, options.POLICY] = None,
    rubles: options.Rubles = None,
    colours: options.Colours = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="KEY=LEVELS",
            help="A factor, each level a cell: board=basic,advanced 'rubles=3,4,4,5;2,4,4,5'"
            " options.finisher_bonus=3,5,7. Several are crossed.",
        ),
    ] = None,
    rotate: Annotated[
        bool | None,
        typer.Option(
            "--rotate/--no-rotate", help="Mixed line-ups in every rotation through the seats (default), or as written."
        ),
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline", metavar="KEY=LEVEL", help="Level that others are compared with (default: the first cell)."
        ),
    ] = None,
    target_error: Annotated[
        str | None,
        typer.Option(
            "--target-error", metavar="X", help="Play until each win share is known within X (95 %), such as 0.002."
        ),
    ] = None,
    min_games: Annotated[
        str | None,
        typer.Option(
            "--min-games", metavar="N", help="With it: games before the first look (default: 10000, or --max-games)."
        ),
    ] = None,
    max_games: Annotated[
        str | None,
        typer.Option("--max-games", metavar="N", help="With it: the most of a cell (default: 10M, or --min-games)."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be played, how long it would take and how big it gets.")
    ] = False,
    shard: Annotated[
        str | None,
        typer.Option("--shard", metavar="i/N", help="Play the i-th of N shares of every cell (see rcsim merge)."),
    ] = None,
    threads: options.Threads = "0",
    backend: Annotated[
        str | None, typer.Option("--backend", metavar="threads|processes|dask", help="Who plays; changes no number.")
    ] = None,
    workers: Annotated[
        str | None,
        typer.Option("--workers", metavar="N", help="Processes, of the backends processes and dask."),
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", metavar="ADDRESS", help="Play on the Dask cluster of this scheduler.")
    ] = None,
    force: options.Force = False,
) -> None:
    """Play many games: tables, and the data as Parquet.

    What is played is a design: cells that differ in players, board, plan, preset, rules, rubles, policy, colours or
    any value of the ruleset, and share their deals. The tables give win share and score by seat with 95 % intervals,
    turns, ties, truncated games, and differences between cells. The data has a row for each game and one for each
    seat (see rcsim schema). The same seed gives the same data, however it is played; the same command goes on with a
    run that was stopped.
    """
    from rcsim.experiments.store.folder import Folder

    number = options.whole("threads", threads, 0, MAX_THREADS) or options.default_threads()
    how = _backend(backend, workers, scheduler)
    share = (1, 1) if shard is None else options.shard(shard)
    head = {
        "seed": seed,
        "games": games,
        "detail": detail,
        "target_error": target_error,
        "min_games": min_games,
        "max_games": max_games,
    }
    given = {
        "players": players,
        "board": board,
        "plan": plan,
        "preset": preset,
        "rules": rules,
        "policy": policy,
        "rubles": rubles,
        "colours": colours,
    }
    experiment = read_design(
        design,
        {**_head(head), "rotate": rotate},
        {key: value for key, value in given.items() if value is not None},
        vary=vary or [],
        sets=set_ or [],
        baseline=baseline or [],
        command=str(context.obj),
    )
    run = experiment.run
    if share[1] > 1 and run.precision is not None:
        raise UserError("--shard: a precision needs all games; accepted: --shard with a fixed number of --games")
    if share[1] > 1 and out is None and not dry_run:
        raise UserError("--shard: nothing would be left of it; accepted: --shard with --out")
    if dry_run:
        from rcsim.cli.closing import wrapped
        from rcsim.cli.forecast import forecast
        from rcsim.cli.found import found

        there = "" if out is None else found(options.path("--out", out), run, force=force, shard=share)
        print(forecast(experiment, workers=how["workers"] or number, shard=share, stored=out is not None))
        if there:
            print("\n" + wrapped(there))
        return
    folder = None if out is None else Folder(options.path("--out", out))
    kept = _keeper(experiment, folder is None and how["backend"] == "threads")
    sums = play(
        run,
        experiment.rulesets,
        threads=number,
        watch=None
        if kept is None
        else lambda cell, first, game_rows, seat_rows: kept.add(cell.index, first, len(game_rows), seat_rows),
        folder=folder,
        force=force,
        shard=share,
        **how,
    )
    _tell(experiment, sums, kept, folder, share)


def read_design(
    file: str | None,
    head: "Mapping[str, Any]",
    given: "Mapping[str, str]",
    *,
    vary: list[str],
    sets: list[str],
    baseline: list[str],
    command: str,
) -> "Experiment":
    """The experiment of a file, if there is one, with options over it. Raises the errors of the design."""
    from rcsim.experiments.cells import MAX_PLAYERS
    from rcsim.experiments.crossing import cross
    from rcsim.experiments.design import Design, overlay, read

    for option, texts in (("--set", sets), ("--vary", vary), ("--baseline", baseline)):
        if any(not text.strip() for text in texts):
            raise UserError(f"{option}: nothing was given")
    for key in ("preset", "rules"):
        if key in given and not given[key].strip():
            raise UserError(f"--{key}: nothing was given")
    if "rubles" in given and any(f"{s.split('=', 1)[0].strip()}.".startswith("start.rubles.") for s in sets):
        raise UserError("--rubles: starting rubles were given twice; accepted: --rubles or --set start.rubles")
    values: dict[str, Any] = dict(given)
    if "players" in given:
        values["players"] = options.whole("players", given["players"], 1, MAX_PLAYERS)
    if "rubles" in given:
        values["rubles"] = options.numbers("rubles", given["rubles"])
    for key in ("policy", "colours"):
        if key in given:
            values[key] = options.names(given[key])
    asked = Design() if file is None else read(options.path("DESIGN", file))
    return cross(overlay(asked, head=head, values=values, vary=vary, sets=sets, baseline=baseline), command)


def _head(given: "Mapping[str, str | None]") -> dict[str, Any]:
    """The options of the whole run, read; those that were not given are None."""
    from rcsim.experiments.cells import DETAILS, MAX_GAMES, MAX_SEED, check_name, check_number

    read: dict[str, Any] = dict(given)
    if (text := given["seed"]) is not None:
        read["seed"] = options.whole("seed", text, 0, MAX_SEED)
    for key, least in (("games", 1), ("min_games", 2), ("max_games", 2)):
        if (text := given[key]) is not None:
            option = key.replace("_", "-")
            read[key] = check_number(option, options.whole(option, text, least), least, MAX_GAMES)
    if (text := given["target_error"]) is not None:
        read["target_error"] = options.share("target-error", text)
    if (text := given["detail"]) is not None:
        check_name("detail", text, DETAILS)
    return read


def _backend(backend: str | None, workers: str | None, scheduler: str | None) -> dict[str, Any]:
    """Backend, workers and scheduler, if they go together."""
    from rcsim.experiments.backends import BACKENDS
    from rcsim.experiments.cells import check_name

    name = check_name("backend", backend or ("dask" if scheduler is not None else "threads"), BACKENDS)
    if scheduler is not None and name != "dask":
        raise UserError(f"--scheduler: {name} has none; accepted: --scheduler with --backend dask")
    if scheduler is not None and not scheduler.strip():
        raise UserError("--scheduler: nothing was given; accepted: an address, as tcp://10.0.0.1:8786")
    if workers is not None and (name == "threads" or scheduler is not None):
        whose = "threads are --threads" if name == "threads" else "a scheduler has its own"
        raise UserError(f"--workers: {workers} was given; {whose}")
    number = 0 if workers is None else options.whole("workers", workers, 1, MAX_WORKERS)
    return {"backend": name, "workers": number, "scheduler": scheduler}


def _keeper(experiment: "Experiment", possible: bool) -> Any:
    """What keeps the outcomes of games that are not stored, if cells are going to be compared."""
    if not possible or len(experiment.run.cells) == 1:
        return None
    from rcsim.analysis.blocks import Kept

    return Kept()


def _tell(experiment: "Experiment", sums: "Sums", kept: Any, folder: "Folder | None", share: tuple[int, int]) -> None:
    """Print the tables, and where the data are."""
    from rcsim.cli.closing import closing_table, wrapped

    run = experiment.run
    outcomes: Outcomes | None = None
    why = ""
    if len(run.cells) > 1 and sums.games().height:
        if folder is not None and run.detail == "summary":
            why = "--detail summary keeps no games; seats does"
        elif share[1] > 1:
            why = "these are the games of one share; rcsim merge, then the command with --out again"
        elif folder is not None:
            from rcsim.analysis.blocks import Stored

            files: dict[int, list[tuple[int, int, Path]]] = {cell.index: [] for cell in run.cells}
            for part in folder.parts():
                files[part.cell].append((part.first, part.count, folder.file("seats", part)))
            outcomes = Stored(files)
        elif kept is None:
            why = "this backend keeps games only with --out"
        elif kept.full:
            why = "so many games are compared only with --out"
        else:
            outcomes = kept
    print(closing_table(experiment, sums, outcomes))
    if why:
        print("\n" + wrapped(f"No differences on the same deals: {why}."))
    if folder is None:
        print("\n" + wrapped("Nothing was stored (--out DIR keeps the data)."))
    elif run.detail == "summary":
        print(f"\nData: {folder.path / 'summary'} (Parquet)")
    else:
        print(f"\nData: {folder.path / 'games'} and {folder.path / 'seats'} (Parquet)")
