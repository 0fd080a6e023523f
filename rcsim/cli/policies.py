"""`rcsim policies`: the players that there are, their weights, and a start for one's own."""

import os
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rcsim.cli import options
from rcsim.cli.errors import UserError
from rcsim.cli.tables import percent, terminal_width, text_table

if TYPE_CHECKING:
    from rcsim.policies.weights import WeightFile

app = typer.Typer(help="List the players, show their weights, begin one of your own.", no_args_is_help=True)

FORMS = (
    ("search:1000", "the search with so many playouts a decision"),
    ("mine.toml", "the planner by weights of your own (rcsim policies new)"),
    ("mine.py:choose", "a function of your own (rcsim policies new)"),
)


@app.command("list")
def list_players() -> None:
    """List the players, and what may be added to their names."""
    from rcsim.policies.catalogue import LIMIT_DOCS, entries

    width = terminal_width()
    rows = [
        [
            entry.name,
            "-" if entry.win is None else percent(entry.win, 1),
            "-" if entry.rate is None else f"{entry.rate:,.0f}" if entry.rate >= 10 else f"{entry.rate:.2g}",
            entry.doc,
        ]
        for entry in entries()
    ]
    print(text_table(["player", "wins", "games/s", "what it is"], rows, width=width))
    print("\nWins: of one among three planners. Games/s: of four of them, on one core.")
    print("\nPlanner, its styles, search and weight files may be restricted, by any of these")
    print("in any number, as in planner:no-tiles:no-reroll:\n")
    print(text_table(["restriction", "the player"], list(LIMIT_DOCS.items()), width=width))
    print("\nThere are further players:\n")
    print(text_table(["written", "means"], FORMS, width=width))


@app.command()
def show(
    player: Annotated[str, typer.Argument(metavar="NAME", help="The planner, a style, or a weight file (.toml).")],
) -> None:
    """Show the weights of a planner, with meanings."""
    from rcsim.policies.features import WEIGHTS

    file = _weights(player)
    width = terminal_width()
    heading = f"{file.name}: {file.doc}" if file.doc else file.name
    print(heading if width is None else textwrap.fill(heading, width))
    print("Worth of one unit in prestige, at the opening and at the end:\n")
    rows = [[w.name, *(f"{value:.3f}" for value in file.weights[w.name]), w.doc] for w in WEIGHTS]
    print(text_table(["weight", "opening", "end", "one unit"], rows, width=width))
    if file.training:
        print()
        print(text_table(["training", ""], [[k, str(v)] for k, v in file.training.items()], width=width))


@app.command()
def new(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A new file: .toml for weights, .py for a function.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
) -> None:
    """Begin a player of your own.

    The file has the planner's weights, to be changed, or a function that plays.
    """
    from rcsim.policies.catalogue import template

    path = options.path("FILE", file)
    if path.suffix not in (".toml", ".py") or "," in file:
        raise UserError(f"FILE: {file} was given; accepted: a name without commas that ends in .toml or .py")
    if not force and os.path.lexists(path):
        raise UserError(f"FILE: {path} is there already; give another file, or --force to replace it")
    try:
        path.write_text(template(path), encoding="utf-8", newline="\n")
    except OSError as error:
        raise UserError(f"FILE: {path} cannot be written ({error.strerror})") from error
    name = f"{file}:choose" if path.suffix == ".py" else file
    print(f"{path} is written. To see it play: rcsim sweep --games 10k --policy {name},planner,planner,planner")


def _weights(player: str) -> "WeightFile":
    """The weights of a planner by name or file. UserError or PlayerError if there are none."""
    from rcsim.policies import PLANNER_STYLE, STYLES
    from rcsim.policies.weights import read, shipped
    from rcsim.rules.errors import one_of

    if player.endswith(".toml"):
        return read(Path(player))
    if player == "planner" or player in STYLES:
        return shipped(PLANNER_STYLE if player == "planner" else player)
    raise UserError(f"NAME: {player or 'nothing'} was given; {one_of(('planner', *STYLES, 'FILE.toml'), player)}")
