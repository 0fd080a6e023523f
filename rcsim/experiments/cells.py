"""What is played: cells, each a ruleset with everything else that makes its games, and the run that holds them.

A cell is plain data. Together with a seed and a range of games it is all that a part of the data depends on, so
that any worker anywhere can make the part from the cell alone.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import rcsim
from rcsim.experiments.errors import DesignError, LineupError, one_of
from rcsim.experiments.schema import SCHEMA_VERSION, enums
from rcsim.names import BOARDS, PLAYER_COLOURS
from rcsim.policies import DEFAULT_POLICY

if TYPE_CHECKING:
    import numpy as np

    from rcsim.policies.lineup import Player
    from rcsim.rules.schema import Ruleset

MAX_PLAYERS = 4
MAX_SEED = 2**64 - 1
MAX_GAMES = 2**53  # of one cell; counts stay exact in any reader
DETAILS = ("summary", "seats", "full")  # counts of each cell; a row a game and seat, its outcome; all of its columns


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a design: games that differ in nothing but the deal.

    `lineup` names a player, in canonical form, for each player's seat (one in solo, where seat 1 is Ivan's): a key
    of Run.players. `plan`, `colours` and `rubles` are None where the deal draws them (rubles: where the ruleset's
    stand). Cells of one `arm` are the rotations of one line-up over the seats: they are
    played to the same length. `factors` are what the design varies and its level in this cell, in words.
    """

    index: int
    games: int  # the most, where a precision is asked for
    players: int
    board: str
    lineup: tuple[str, ...]
    ruleset: str  # hash of the ruleset, a key of Run.rulesets
    preset: str
    plan: str | None = None
    colours: tuple[str, ...] | None = None
    rubles: tuple[int, ...] | None = None
    arm: int = 0
    factors: tuple[tuple[str, str], ...] = ()

    @property
    def seats(self) -> int:
        """Seats at the table, Ivan's included."""
        return max(self.players, 2)

    @property
    def solo(self) -> bool:
        """Whether one player plays against Ivan."""
        return self.players == 1

    def tables(self, ruleset: "Ruleset") -> "np.ndarray[Any, Any]":
        """Pack the cell for the engine: shape (1,), dtype TABLES. Raises the packer's errors."""
        from rcsim.rules.pack import pack

        return pack(
            ruleset,
            players=self.players,
            board=self.board,
            plan=self.plan,
            colours=None if self.colours is None else list(self.colours),
            rubles=None if self.rubles is None else list(self.rubles),
        )

    def seated(self, players: "Mapping[str, Player]") -> "list[Player]":
        """The players by seat, of those of the run."""
        return [players[spec] for spec in self.lineup]

    def inputs(
        self,
        ruleset: "Ruleset",
        players: "Mapping[str, Player]",
        tables: "np.ndarray[Any, Any] | None" = None,
    ) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """What the kernel plays the cell with: packed tables, those given if any, and PLAYER records by seat."""
        from rcsim.policies.lineup import seat_players

        packed = self.tables(ruleset) if tables is None else tables
        return packed, seat_players(self.seated(players), packed[0])

    def to_json(self) -> dict[str, Any]:
        """The cell as plain data."""
        plain = {name: list(v) if isinstance(v := getattr(self, name), tuple) else v for name in self.__slots__}
        return plain | {"factors": dict(self.factors)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Cell":
        """The cell of plain data; KeyError or TypeError if it is not one."""
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
        return cls(**values | {"factors": tuple(data["factors"].items())})


@dataclass(frozen=True, slots=True)
class Precision:
    """When the cells of an arm have been played enough: once every seat's win share is known to `target`.

    `target` is the 95 % half-width. It is looked at after `min_games` games of each cell, after twice as many, and so
    on until a cell's own `games`, never in between: the result depends on nothing but the data.
    """

    target: float
    min_games: int


@dataclass(frozen=True)
class Run:
    """A whole experiment: the seed, the cells, the resolved rulesets that they play by hash, and the players by spec.

    `plans` are the names behind the stored enum, `command` what the user typed.
    """

    seed: int
    cells: tuple[Cell, ...]
    rulesets: dict[str, dict[str, Any]]
    plans: tuple[str, ...]
    players: "dict[str, Player]"
    detail: str = "full"  # what is stored: one of DETAILS
    precision: Precision | None = None
    command: str = ""
    version: str = rcsim.__version__
    schema_version: int = SCHEMA_VERSION

    @property
    def games(self) -> int:
        """Games of all cells together."""
        return sum(cell.games for cell in self.cells)

    @property
    def policies(self) -> tuple[str, ...]:
        """The players of all cells, in canonical form and in the order in which they first appear."""
        return tuple(self.players)

    @property
    def enums(self) -> dict[str, tuple[str, ...]]:
        """Names of each stored enum, by the order of their codes."""
        lineups = dict.fromkeys(",".join(cell.lineup) for cell in self.cells)
        return enums(self.plans, self.policies, tuple(lineups))

    @property
    def hash(self) -> str:
        """Digest of all that decides the data: equal for equal experiments, however they were asked for."""
        data = self.to_json()
        del data["command"]
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]

    def to_json(self) -> dict[str, Any]:
        """The run as plain data, as the manifest holds it."""
        return {
            "rcsim": self.version,
            "schema_version": self.schema_version,
            "command": self.command,
            "seed": self.seed,
            "detail": self.detail,
            "precision": None if self.precision is None else asdict(self.precision),
            "plans": list(self.plans),
            "players": [player.to_json() for player in self.players.values()],
            "cells": [cell.to_json() for cell in self.cells],
            "rulesets": self.rulesets,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Run":
        """The run of plain data; KeyError or TypeError if it is not one."""
        from rcsim.policies.lineup import Player

        players = {player["spec"]: Player.from_json(player) for player in data["players"]}
        cells = tuple(Cell.from_json(cell) for cell in data["cells"])
        for cell in cells:
            cell.seated(players)  # they are all there
        return cls(
            seed=data["seed"],
            cells=cells,
            rulesets=data["rulesets"],
            plans=tuple(data["plans"]),
            players=players,
            detail=data["detail"],
            precision=None if data["precision"] is None else Precision(**data["precision"]),
            command=data["command"],
            version=data["rcsim"],
            schema_version=data["schema_version"],
        )


def ruleset_of(run: Run, cell: Cell) -> "Ruleset":
    """The ruleset of a cell, made again from its resolved form in the run.

    RulesetError or DesignError if this version of the package cannot read it or reads another one in it.
    """
    from rcsim.rules.loader import from_resolved

    ruleset = from_resolved(run.rulesets[cell.ruleset], "stored ruleset", cell.preset)
    if ruleset.hash != cell.ruleset:
        raise DesignError("ruleset", f"one with hash {ruleset.hash[:12]}", f"the data names {cell.ruleset[:12]}")
    return ruleset


def check_number(key: str, value: int, least: int, most: int) -> int:
    """The number itself, if it is within bounds; else DesignError."""
    if not least <= value <= most:
        raise DesignError(key, value, f"accepted: {least} to {most}")
    return value


def check_name(key: str, value: str, names: Sequence[str]) -> str:
    """The name itself, if it is one of `names`; else DesignError with the nearest."""
    if value not in names:
        raise DesignError(key, value, one_of(names, value))
    return value


def check_lineup(specs: Sequence[str], players: int) -> "tuple[Player, ...]":
    """A player for each seat; one alone plays all of them. Reads their files. DesignError for what cannot be."""
    from rcsim.policies.errors import PlayerError
    from rcsim.policies.lineup import resolve

    try:
        lineup = tuple(resolve(spec) for spec in specs)
    except PlayerError as error:
        raise LineupError(str(error)) from error
    if len(lineup) not in (1, players):
        raise DesignError("policy", ",".join(specs), f"accepted: one name, or one for each of {_seats(players)}")
    return lineup * (players if len(lineup) == 1 else 1)


def check_rubles(rubles: Sequence[int], players: int) -> tuple[int, ...]:
    """Starting rubles, one number a player's seat; DesignError otherwise."""
    if len(rubles) != players or not all(0 <= r <= 99 for r in rubles):
        given = ",".join(map(str, rubles))
        raise DesignError("rubles", given, f"accepted: a number from 0 to 99 for each of {_seats(players)}")
    return tuple(rubles)


def check_colours(colours: Sequence[str], players: int) -> tuple[str, ...]:
    """Colours, a different one for each player's seat; DesignError otherwise."""
    for colour in colours:
        check_name("colours", colour, PLAYER_COLOURS)
    if len(colours) != players or len(set(colours)) != players:
        given = ",".join(colours)
        raise DesignError("colours", given, f"accepted: a different colour for each of {_seats(players)}")
    return tuple(colours)


def _seats(players: int) -> str:
    return "1 seat" if players == 1 else f"{players} seats"


def design(
    ruleset: "Ruleset",
    *,
    seed: int,
    games: int,
    players: int = 4,
    board: str = "basic",
    plan: str = "any",
    policy: Sequence[str] = (DEFAULT_POLICY,),
    rubles: Sequence[int] | None = None,
    colours: Sequence[str] | None = None,
    command: str = "",
) -> Run:
    """The run of one ruleset: a cell, or with plan "all" a cell for each plan of the player count.

    `games` are those of each cell; the cells share their deals. `policy` names a player for each seat, or one for
    all (see `rcsim.policies.lineup`). Raises DesignError for a value that cannot be, and the packer's error for a
    ruleset that cannot be played so.
    """
    from rcsim.policies.errors import PlayerError

    check_number("seed", seed, 0, MAX_SEED)
    check_number("games", games, 1, MAX_GAMES)
    check_number("players", players, 1, MAX_PLAYERS)
    plans = tuple(ruleset.plan_ids(players))
    accepted = ("any", "all", *plans)
    if plan not in accepted and plan in ruleset.plans:
        whose = f"that is a plan for {ruleset.plans[plan].players} players; accepted: {', '.join(accepted)}"
        raise DesignError("plan", plan, whose)
    check_name("plan", plan, accepted)
    check_name("board", board, BOARDS)
    lineup = check_lineup(policy, players)
    cell = Cell(
        index=0,
        games=games,
        players=players,
        board=board,
        lineup=tuple(player.spec for player in lineup),
        ruleset=ruleset.hash,
        preset=ruleset.preset,
        plan=None if plan in ("any", "all") else plan,
        colours=None if colours is None else check_colours(colours, players),
        rubles=None if rubles is None else check_rubles(rubles, players),
    )
    cells = tuple(replace(cell, index=i, plan=p) for i, p in enumerate(plans)) if plan == "all" else (cell,)
    by_spec = {player.spec: player for player in lineup}
    try:
        for one in cells:  # the packer's checks, and what can be wrong with players, before anything is written
            one.inputs(ruleset, by_spec)
    except PlayerError as error:
        raise LineupError(str(error)) from error
    resolved = ruleset.resolved()
    return Run(
        seed=seed,
        cells=cells,
        rulesets={ruleset.hash: resolved},
        plans=tuple(resolved["plans"]),
        players=by_spec,
        command=command,
    )
