"""The options that several commands share, and how they become a run."""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rcsim.cli.errors import UserError

if TYPE_CHECKING:
    from rcsim.experiments.cells import Run
    from rcsim.rules.schema import Ruleset

MOST_SHOWN = 60  # characters of what was typed
_UNITS = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}


def whole(option: str, text: str, least: int = 0, most: int | None = None) -> int:
    """A whole number as people write it: 1000000, 1_000_000, 1,000,000, 1e6, 10k, 1M. UserError if it is none.

    Typer's own numbers are not used: their complaints differ from version to version, and know no 1M.
    """
    value = _whole(text)
    if value is None or value < least or (most is not None and value > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        forms = " (1000000, 1_000_000, 1e6 or 1M)" if most is None and value is None else ""
        raise UserError(f"--{option}: {text or 'nothing'} was given; accepted: a whole number {bounds}{forms}")
    return value


def _whole(text: str) -> int | None:
    plain = text.strip().replace("_", "").replace(",", "")
    found = re.fullmatch(r"([+-]?\d{1,30})(?:\.(\d{1,9}))?(?:[eE]\+?(\d{1,2})|([kKMG]))?", plain)
    if not found:
        return None
    digits, fraction, exponent, unit = found.groups("")
    scale: int = 10 ** int(exponent) if exponent else _UNITS[unit]
    divisor: int = 10 ** len(fraction)
    return int(digits + fraction) * scale // divisor if scale % divisor == 0 else None


def share(option: str, text: str) -> float:
    """A half-width of a share, as 0.002. UserError if it is none."""
    from rcsim.experiments.design import TARGETS, is_target

    with contextlib.suppress(ValueError):
        if is_target(value := float(text)):
            return value
    raise UserError(f"--{option}: {text or 'nothing'} was given; accepted: {TARGETS}")


def shard(text: str) -> tuple[int, int]:
    """Which part of how many, as 2/8. UserError if it is none."""
    found = re.fullmatch(r"\s*(\d{1,6})\s*/\s*(\d{1,6})\s*", text, re.ASCII)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise UserError(f"--shard: {text or 'nothing'} was given; accepted: i/N with i from 1 to N, as 2/8")
    return int(found[1]), int(found[2])


# All values are taken as text and read here or by the design, so that every complaint has the same form.
SEED = typer.Option("--seed", metavar="N", help="Root of all randomness, from 0.")
PLAYERS = typer.Option("--players", metavar="1..4", help="Players; 1 plays solo against Ivan.")
BOARD = typer.Option("--board", metavar="basic|advanced", help="Side of the workshop boards.")
RULES = typer.Option("--rules", metavar="FILE", help="Ruleset: a TOML file, or the name of a shipped one.")
POLICY = typer.Option(
    "--policy",
    metavar="NAME[,NAME...]",
    help="Who plays: one for all seats, or one for each (see rcsim policies list).",
)

Seed = Annotated[str, SEED]
Game = Annotated[str, typer.Option("--game", metavar="N", help="Number of the game, from 0.")]
Players = Annotated[str, PLAYERS]
Plan = Annotated[str, typer.Option("--plan", metavar="ID|any", help="Plan of the cathedral; any: drawn for each deal.")]
Board = Annotated[str, BOARD]
Preset = Annotated[
    str | None, typer.Option("--preset", metavar="NAME", help="Named set of rule options, such as fr2022 or en.")
]
Rules = Annotated[str, RULES]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a value of the ruleset: start.rubles=3,4,5,5. Repeatable."),
]
Policy = Annotated[str, POLICY]
Rubles = Annotated[
    str | None, typer.Option("--rubles", metavar="N,N,...", help="Starting rubles by seat (default: the ruleset's).")
]
Colours = Annotated[
    str | None, typer.Option("--colours", metavar="NAME,...", help="Colours by seat (default: drawn for each deal).")
]
Out = Annotated[
    str | None, typer.Option("--out", metavar="DIR", help="Folder for the data; without it only the tables are made.")
]
Threads = Annotated[
    str, typer.Option("--threads", metavar="N", help="Threads (default: one for each processor); change no number.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace the run that the folder holds.")]


@dataclass(frozen=True)
class Asked:
    """The options that say what is played, as they were typed."""

    players: str
    plan: str
    board: str
    preset: str | None
    rules: str
    set: list[str] | None
    policy: str
    rubles: str | None
    colours: str | None

    def run(self, *, seed: str, games: str, command: str) -> "tuple[Run, Ruleset]":
        """The run that was asked for, and its ruleset. Raises the errors of the loader and of the design."""
        from rcsim.experiments.cells import design

        ruleset, choices = self.choices(seed=seed, games=games, command=command)
        return design(ruleset, **choices), ruleset

    def choices(self, *, seed: str, games: str, command: str) -> "tuple[Ruleset, dict[str, Any]]":
        """The ruleset that was asked for, and what `design` takes besides it. Raises the errors of the loader."""
        from rcsim.experiments.cells import MAX_PLAYERS, MAX_SEED

        if self.rubles is not None and any(_sets_rubles(s) for s in self.set or ()):
            raise UserError("--rubles: starting rubles were given twice; accepted: --rubles or --set start.rubles")
        ruleset = load_ruleset("--rules", self.rules, self.preset, self.set)
        return ruleset, {
            "seed": whole("seed", seed, 0, MAX_SEED),
            "games": whole("games", games, 1),
            "players": whole("players", self.players, 1, MAX_PLAYERS),
            "board": self.board,
            "plan": self.plan,
            "policy": names(self.policy),
            "rubles": None if self.rubles is None else numbers("rubles", self.rubles),
            "colours": None if self.colours is None else names(self.colours),
            "command": command,
        }


def load_ruleset(what: str, source: str, preset: str | None, sets: list[str] | None) -> "Ruleset":
    """The ruleset of the options. Raises the errors of the loader; UserError for what cannot even be looked for."""
    from rcsim.rules.loader import load

    with sound_rules(what, source, preset, sets):
        return load(source, preset=preset, sets=tuple(sets or ()))


@contextlib.contextmanager
def sound_rules(what: str, source: str, preset: str | None, sets: list[str] | None) -> Iterator[None]:
    """Around the loader: UserError for empty options and for a path that leads nowhere."""
    for option, value in ((what, source), ("--preset", preset), *(("--set", item) for item in sets or ())):
        if value is not None and not value.strip():
            raise UserError(f"{option}: nothing was given")
    try:
        yield
    except OSError as error:
        raise UserError(f"{source}: cannot be read ({error.strerror})") from error
    except RuntimeError as error:  # before Python 3.13 a loop of links is one
        if "Symlink loop" not in str(error):
            raise
        raise UserError(f"{source}: cannot be read (a loop of symbolic links)") from error


def default_threads() -> int:
    """Processors that this process may use."""
    import os

    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def path(what: str, text: str) -> Path:
    """A path as it was typed; UserError if it is empty, which Python would take for the working folder."""
    if not text:
        raise UserError(f"{what}: nothing was given")
    return Path(text)


def folder(what: str, text: str) -> Path:
    """The path of a folder; UserError if there is none."""
    found = path(what, text)
    if not found.exists():
        raise UserError(f"{found}: no such file or folder")
    if not found.is_dir():
        raise UserError(f"{found}: not a folder")
    return found


def _sets_rubles(text: str) -> bool:
    return f"{text.split('=', 1)[0].strip()}.".startswith("start.rubles.")


def names(text: str) -> list[str]:
    """Names apart by commas."""
    return [name.strip() for name in text.split(",")]


def numbers(option: str, text: str) -> list[int]:
    """Whole numbers by seat. UserError if they are none."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        given = (text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}...") or "nothing"
        raise UserError(f"--{option}: {given} was given; accepted: whole numbers by seat, as 3,4,4,5") from None
