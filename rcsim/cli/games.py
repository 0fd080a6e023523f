"""`rcsim play`, `rcsim trace`, `rcsim replay`: single games, told or traced."""

import contextlib
import itertools
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

import rcsim
from rcsim.cli import options
from rcsim.cli.errors import UserError
from rcsim.cli.progress import compiling
from rcsim.experiments.cells import MAX_GAMES
from rcsim.policies import DEFAULT_POLICY

if TYPE_CHECKING:
    from rcsim.experiments.cells import Cell, Run
    from rcsim.rules.schema import Ruleset

Out = Annotated[str | None, typer.Option("--out", metavar="FILE", help="File for the trace (default: stdout).")]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")]


def play(
    context: typer.Context,
    seed: options.Seed = "1",
    game: options.Game = "0",
    players: options.Players = "4",
    plan: options.Plan = "any",
    board: options.Board = "basic",
    preset: options.Preset = None,
    rules: options.Rules = "base",
    set_: options.Set = None,
    policy: options.Policy = DEFAULT_POLICY,
    rubles: options.Rubles = None,
    colours: options.Colours = None,
) -> None:
    """Tell one game in words, turn by turn.

    With the options of a sweep it is the game of that number there.
    """
    asked = options.Asked(players, plan, board, preset, rules, set_, policy, rubles, colours)
    number = _number(game)
    run, ruleset = _one_cell(asked, seed, str(context.obj))
    _tell(_started(_trace(run, run.cells[0], ruleset, number)))


def trace(
    context: typer.Context,
    seed: options.Seed = "1",
    game: options.Game = "0",
    count: Annotated[str, typer.Option("--count", metavar="N", help="Games to write, one after another.")] = "1",
    out: Out = None,
    force: Force = False,
    players: options.Players = "4",
    plan: options.Plan = "any",
    board: options.Board = "basic",
    preset: options.Preset = None,
    rules: options.Rules = "base",
    set_: options.Set = None,
    policy: options.Policy = DEFAULT_POLICY,
    rubles: options.Rubles = None,
    colours: options.Colours = None,
) -> None:
    """Write whole games as JSON Lines.

    They are complete enough to recompute every number; several games follow one another.
    """
    first = _number(game)
    games = options.whole("count", count, 1, MAX_GAMES - first)
    target = _free(out, force)
    asked = options.Asked(players, plan, board, preset, rules, set_, policy, rubles, colours)
    run, ruleset = _one_cell(asked, seed, str(context.obj))
    lines = _started(line for i in range(games) for line in _trace(run, run.cells[0], ruleset, first + i))
    with _target(target, force) as file:
        _write(lines, file)


def replay(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Folder of a sweep.")],
    game: options.Game = "0",
    cell: Annotated[str, typer.Option("--cell", metavar="N", help="Cell of the design, from 0.")] = "0",
    as_trace: Annotated[bool, typer.Option("--trace", help="Write the trace in place of the story.")] = False,
    out: Out = None,
    force: Force = False,
) -> None:
    """Tell or trace a game of a sweep again, from its data.

    Ruleset, seed and players come from the data alone.
    """
    from rcsim.experiments.cells import ruleset_of
    from rcsim.experiments.store.folder import Folder

    store = Folder(options.folder("DIR", folder))
    number = _number(game)
    target = _free(out, force)
    part = store.part_of(options.whole("cell", cell), number)
    run, played = store.origin(part)
    if run.version != rcsim.__version__:
        _warn(f"the data was made by rcsim {run.version}, this is {rcsim.__version__}: the game may differ")
    deal, totals = store.scores(part, number)
    lines = list(_started(_trace(run, played, ruleset_of(run, played), deal)))
    again = [seat["total"] for seat in lines[-1]["seats"]]
    if again != totals:
        raise UserError(
            f"{store.file('seats', part)}: game {number} ends with totals {_list(totals)} there, and with"
            f" {_list(again)} when it is played again; the data were changed or made by another version"
        )
    if as_trace or target is not None:
        with _target(target, force) as file:
            _write(lines, file)
    else:
        _tell(lines)


def _one_cell(asked: options.Asked, seed: str, command: str) -> "tuple[Run, Ruleset]":
    """The run with the one cell that is asked for; UserError if the plans are to be cells of their own."""
    if asked.plan == "all":
        raise UserError("--plan: all was given; accepted for single games: any, or the name of a plan")
    return asked.run(seed=seed, games="1", command=command)


def _trace(run: "Run", cell: "Cell", ruleset: "Ruleset", deal: int) -> Iterator[dict[str, Any]]:
    """The lines of one game's trace, as they are played."""
    from rcsim.trace import trace_game

    return trace_game(ruleset, cell.tables(ruleset), cell.seated(run.players), run.seed, deal, cell.preset)


def _started(lines: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The same lines, with the first one made: the engine is ready then."""
    with compiling():
        first = next(lines)
    return itertools.chain((first,), lines)


def _number(game: str) -> int:
    """The number of a game; UserError if no sweep can have it."""
    return options.whole("game", game, 0, MAX_GAMES - 1)


def _tell(lines: Iterable[dict[str, Any]]) -> None:
    """Print the story of a game, as wide as the terminal; no wider than 100, nor narrower where piped."""
    from rich.console import Console

    from rcsim.trace.story import tell

    console = Console(markup=False, highlight=False, emoji=False)
    width = min(console.width, 100) if console.is_terminal else 100
    for text in tell(lines, width=width, colour=console.is_terminal):
        console.print(text, soft_wrap=True)


def _write(lines: Iterable[dict[str, Any]], file: TextIO) -> None:
    for line in lines:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _free(out: str | None, force: bool) -> Path | None:
    """The path of a file to write, None for stdout; UserError if something is there (`force`: a folder)."""
    if out is None:
        return None
    path = options.path("--out", out)
    if path.is_dir():
        raise UserError(f"--out: {path} cannot be written (it is a folder)")
    if not force and os.path.lexists(path):
        raise UserError(f"--out: {path} is there already; give another file, or --force to replace it")
    return path


@contextlib.contextmanager
def _target(path: Path | None, force: bool) -> Iterator[TextIO]:
    """Where a trace goes: stdout, or a file that appears, or is replaced, when all is written. UserError if it cannot.

    With `force` a device or a pipe is written as it is.
    """
    if path is None:
        yield sys.stdout
        return
    place = Path(os.path.realpath(path))  # a link stays one
    direct = path.exists() and not path.is_file()
    draft = path if direct else place.with_name(f"{place.name}.{os.getpid()}.unfinished")
    try:
        try:
            with draft.open("w" if direct else "x", encoding="utf-8", newline="\n") as file:
                yield file
            if not direct:
                _free(str(path), force)  # it may have come in the meantime
                draft.replace(place)
        finally:
            if not direct:
                draft.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"--out: {path} cannot be written ({error.strerror})") from error


def _list(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def _warn(message: str) -> None:
    print(f"rcsim: {message}", file=sys.stderr)
