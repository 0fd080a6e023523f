"""Who is stronger: a run whose cells are all the line-ups of a tournament, on the same deals.

The line-up is all that tells one cell from another: deal d has the same setup and the same dice in each of them, and
every player meets it from every seat.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rcsim.experiments.cells import Run, check_number, design
from rcsim.experiments.errors import DesignError, StoreError
from rcsim.experiments.store.parts import FOOTER

if TYPE_CHECKING:
    import polars as pl

    from rcsim.rules.schema import Ruleset

TABLES = "tournament"  # folder of the result tables
MAX_CELLS = 4096
MAX_DEALS = 10**9

Lineup = tuple[str, ...]


def seatings(entrants: Sequence[str], seats: int) -> list[Lineup]:
    """Every way to seat the entrants in which at least two of them meet; with one seat each of them alone.

    These are all arrangements of all multisets, so that with each line-up its rotations are in the list too, and
    each entrant sits equally often in each seat, beside each other: k^n - k line-ups of k entrants in n seats.
    """
    return [names for names in product(entrants, repeat=seats) if seats == 1 or len(set(names)) > 1]


def challenges(entrants: Sequence[str], opponents: Sequence[str], seats: int) -> list[Lineup]:
    """Each entrant, in each seat, as one against the rest, and the rest is one opponent in all other seats."""
    lineups = [
        tuple(one if seat == at else other for seat in range(seats))
        for one in entrants
        for other in opponents
        if one != other
        for at in range(seats)
    ]
    return list(dict.fromkeys(lineups))


@dataclass(frozen=True)
class Tournament:
    """A run, and who meets in it: everybody everybody or, where there are opponents, the entrants these."""

    run: Run
    entrants: tuple[str, ...]
    opponents: tuple[str, ...] | None = None


def tournament(
    ruleset: "Ruleset",
    *,
    policy: Sequence[str],
    games: int,
    against: Sequence[str] | None = None,
    players: int = 4,
    **rest: Any,
) -> Tournament:
    """The tournament of the players of `policy`, `games` deals for each line-up.

    Without `against` the line-ups are all `seatings`, with it the `challenges` to its players. `rest` is that of
    `design`, and so is what it raises; DesignError too for players that make no tournament, PlayerError for one that
    cannot be.
    """
    from rcsim.policies.lineup import resolve

    check_number("deals", games, 2, MAX_DEALS)
    by_name = {name: resolve(name) for name in (*policy, *(against or ()))}
    entrants = tuple(dict.fromkeys(by_name[name].spec for name in policy))
    opponents = None if against is None else tuple(dict.fromkeys(by_name[name].spec for name in against))
    first = design(ruleset, policy=policy[:1], games=games, players=players, **rest)
    if len(entrants) < len(policy):
        raise DesignError("policy", ", ".join(policy), "accepted: each player once")
    if opponents is not None and players == 1:
        raise DesignError("against", ", ".join(opponents), "in solo everybody plays against Ivan alone")
    if opponents is None and len(entrants) == 1 and players > 1:
        raise DesignError("policy", entrants[0], "accepted: two different players or more")
    many = len(entrants) ** players if opponents is None else len(entrants) * len(opponents) * players
    if many * len(first.cells) > MAX_CELLS:
        reason = f"that makes more than {MAX_CELLS} line-ups; accepted: fewer of them, or --against"
        raise DesignError("policy", f"{len(entrants)} players", reason)
    lineups = seatings(entrants, players) if opponents is None else challenges(entrants, opponents, players)
    if not lineups:
        raise DesignError("against", ", ".join(opponents or ()), "accepted: another than the player itself")
    for player in by_name.values():  # whatever is wrong with one, before anything is written
        replace(first.cells[0], lineup=(player.spec,)).inputs(ruleset, {player.spec: player})
    cells = [(cell, lineup) for lineup in lineups for cell in first.cells]  # several cells where each plan is one
    run = replace(
        first,
        cells=tuple(replace(cell, index=i, lineup=lineup) for i, (cell, lineup) in enumerate(cells)),
        players={player.spec: player for player in by_name.values()},
    )
    return Tournament(run, entrants, opponents)


def write_tables(folder: Path, run: Run, tables: "Mapping[str, pl.DataFrame]") -> None:
    """Put result tables into a run folder, as tournament/<name>.parquet; none of an earlier run stay.

    Their footers name the run as those of its parts do. StoreError if they cannot be written.
    """
    place = folder / TABLES
    about = {f"{FOOTER}.version": run.version, f"{FOOTER}.command": run.command, f"{FOOTER}.run_hash": run.hash}
    try:
        place.mkdir(exist_ok=True)
        for file in place.glob("*.parquet"):
            file.unlink()
        for name, table in tables.items():
            table.write_parquet(place / f"{name}.parquet", metadata=about)
        if not tables:
            place.rmdir()
    except OSError as error:
        raise StoreError(f"{place}: cannot be written ({error.strerror or error})") from error
