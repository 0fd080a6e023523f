"""Players as users write them, and the records that the kernel reads.

    random  builder  greedy          the simple ones
    planner  rusher  ...             the planner, by the weights of a shipped style
    planner:no-ornaments:no-reroll   the same with restrictions
    search:200                       the search with so many playouts a decision; restrictions, too
    mine.toml                        the planner by the weights of a file; restrictions, too
    mine.py:choose                   a function of a file

A player that was written so is resolved once: files are read then, and data hold all that the player is.
"""

import ast
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rcsim.policies import NAMES, PLANNER_STYLE, POLICIES, STYLES, policy_id
from rcsim.policies.errors import PlayerError
from rcsim.policies.features import THOUSANDTHS, TILE_UNITS, WEIGHT_NAMES
from rcsim.policies.player import LIMITS, new_players, taper
from rcsim.policies.weights import Weights, read, shipped, to_array
from rcsim.rules.errors import one_of
from rcsim.rules.tables import (
    E_ACTIVATE,
    E_DELIVER,
    E_GAIN_ANY,
    E_GAIN_PRESTIGE,
    E_GAIN_RECOGNITION,
    E_GAIN_RUBLES,
    E_GAIN_WOOD,
    E_PAY_ANY,
    E_PAY_PRESTIGE,
    E_PAY_RECOGNITION,
    E_PAY_RUBLES,
    E_PAY_WOOD,
    E_YIELD,
    EFFECT_COLUMNS,
    MAX_TILES,
    YIELD_NONE,
)

DEFAULT_PLAYOUTS = 200
MAX_PLAYOUTS = 100_000
FORMS = (*NAMES, "FILE.toml", "FILE.py:FUNCTION")


@dataclass(frozen=True)
class Player:
    """A player with all that makes its decisions, whatever becomes of the files that it was read from."""

    spec: str  # canonical: equal players of equal names are written alike
    policy: str  # name in POLICIES
    limits: tuple[str, ...] = ()  # restrictions, in the order of LIMITS
    budget: int = 0  # playouts a decision, of the search
    weights: Weights | None = None  # of the planner and the search
    source: str | None = None  # text of the file, of a custom player
    function: str | None = None  # and the function's name in it

    def to_json(self) -> dict[str, Any]:
        """The player as plain data."""
        data = asdict(self) | {"limits": list(self.limits)}
        if self.weights is not None:
            data["weights"] = {name: list(pair) for name, pair in self.weights.items()}
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Player":
        """The player of plain data; KeyError or TypeError if it is not one."""
        weights = data["weights"]
        if weights is not None:
            weights = {name: (early, late) for name, (early, late) in weights.items()}
        return cls(**{**data, "limits": tuple(data["limits"]), "weights": weights})


def resolve(spec: str) -> Player:
    """The player that a user wrote; reads its file. PlayerError, in one line, if there can be none."""
    if "," in spec:
        raise _refused(spec, "accepted: a player without a comma in its name")
    if found := re.fullmatch(r"(.+?\.toml)((?::.*)?)", spec):
        path, options = found.groups()
        _, limits = _options(spec, options)
        return _planner(path, limits, read(Path(path)).weights)
    if found := re.fullmatch(r"(.+?\.py)((?::.*)?)", spec):
        return _custom(spec, *found.groups())
    name = spec.split(":")[0]
    options = spec[len(name) :]
    if name not in NAMES:
        raise _refused(spec, one_of(FORMS, name))
    if name == "search":
        budget, limits = _options(spec, options, search=True)
        budget = DEFAULT_PLAYOUTS if budget is None else budget
        text = ":".join((f"search:{budget}", *limits))
        return Player(text, "search", limits, budget, shipped(PLANNER_STYLE).weights)
    if name == "planner" or name in STYLES:
        style = PLANNER_STYLE if name == "planner" else name
        _, limits = _options(spec, options)
        return _planner("planner" if style == PLANNER_STYLE else name, limits, shipped(style).weights)
    if options:
        raise _refused(spec, f"{name} takes no restrictions; accepted: {name} alone")
    return Player(name, name)


def _refused(spec: str, accepted: str) -> PlayerError:
    return PlayerError(f"{spec or 'nothing'} was given; {accepted}")


def _planner(name: str, limits: tuple[str, ...], weights: Weights) -> Player:
    return Player(":".join((name, *limits)), "planner", limits, weights=weights)


def _options(spec: str, text: str, search: bool = False) -> tuple[int | None, tuple[str, ...]]:
    """Budget, if the search is given one, and restrictions in their order, of options as `:no-tiles:200`."""
    budget = None
    limits = set()
    for option in text.split(":")[1:]:
        if search and budget is None and re.fullmatch(r"\d{1,9}", option, re.ASCII):
            budget = int(option)
            if not 1 <= budget <= MAX_PLAYOUTS:
                raise _refused(spec, f"accepted: 1 to {MAX_PLAYOUTS} playouts a decision")
        elif option in LIMITS:
            limits.add(option)
        else:
            what = "no restriction" if not search else "neither a number of playouts nor a restriction"
            raise _refused(spec, f"{option or 'nothing'} is {what}; {one_of(LIMITS, option)}")
    return budget, tuple(limit for limit in LIMITS if limit in limits)


def _custom(spec: str, path: str, rest: str) -> Player:
    """The player of a function in a file of Python."""
    function = rest.removeprefix(":")
    if not function.isidentifier():
        raise _refused(spec, f"accepted: {path}:FUNCTION, with the name of a function and no options")
    try:
        source = Path(path).read_text(encoding="utf-8-sig")
        module = ast.parse(source, path)
    except OSError as error:
        raise PlayerError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise PlayerError(f"{path}: not text in UTF-8") from None
    except SyntaxError as error:
        where = f"line {error.lineno}: " if error.lineno else ""
        raise PlayerError(f"{path}: {where}{error.msg}") from None
    except ValueError as error:  # as zero bytes
        raise PlayerError(f"{path}: {error}") from None
    functions = [node.name for node in module.body if isinstance(node, ast.FunctionDef)]
    if function not in functions:
        known = one_of(functions, function) if functions else "there is none"
        raise PlayerError(f"{path}: no function {function}; {known}")
    return Player(spec, "custom", source=source, function=function)


def seat_players(players: Sequence[str | Player], tables: Any) -> Any:
    """PLAYER records of a line-up: shape (4,), a player for each seat that one sits at, the rest idle.

    `tables` is what the players will play with (`rcsim.rules.pack`): the worth of workshop tiles depends on it.
    PlayerError as of `resolve`, for a player of another version, and for a function that cannot be compiled.
    """
    records = new_players()
    for record, player in zip(records, players, strict=False):
        player = resolve(player) if isinstance(player, str) else player
        if not _known(player):
            raise PlayerError(f"{player.spec}: a player of another version of rcsim (its weights or options differ)")
        record["policy"] = policy_id(player.policy)
        record["limits"] = sum(1 << LIMITS.index(limit) for limit in player.limits)
        record["budget"] = player.budget
        if player.source is not None and player.function is not None:
            from rcsim.policies.custom import load  # with Numba

            record["custom"] = load(player.spec, player.source, player.function)
        if player.weights is not None:
            weights = to_array(player.weights)
            record["weights"] = taper(weights)
            record["tile_worth"] = tile_worth(weights[0], tables)
            digest = hashlib.sha256(record.tobytes() + tables.tobytes()).digest()
            record["tag"] = np.frombuffer(digest[:8], np.uint64)[0]
    return records


def _known(player: Player) -> bool:
    """Whether all that a player is has a meaning here; data may be of another version."""
    return (
        player.policy in (policy.name for policy in POLICIES)
        and {*player.limits} <= {*LIMITS}
        and (player.weights is None or player.weights.keys() == {*WEIGHT_NAMES})
    )


def tile_worth(weights: NDArray[np.int64], tables: Any) -> NDArray[np.int64]:
    """Worth of one use of each workshop tile, in thousandths of a prestige, shape (MAX_TILES,): never below 0.

    `weights`: those of the opening, shape (len(WEIGHTS),). What moves or rolls dice counts nothing.
    """
    first = WEIGHT_NAMES.index(TILE_UNITS[0].name)
    unit = {feature.name: w for feature, w in zip(TILE_UNITS, weights[first:].tolist(), strict=True)}
    by_column = np.zeros(EFFECT_COLUMNS, np.int64)
    for sign, rubles, recognition, prestige, wood, choice in (
        (1, E_GAIN_RUBLES, E_GAIN_RECOGNITION, E_GAIN_PRESTIGE, E_GAIN_WOOD, E_GAIN_ANY),
        (-1, E_PAY_RUBLES, E_PAY_RECOGNITION, E_PAY_PRESTIGE, E_PAY_WOOD, E_PAY_ANY),
    ):
        by_column[rubles] = sign * unit["tile_rubles"]
        by_column[recognition] = sign * unit["tile_recognition"]
        by_column[prestige] = sign * THOUSANDTHS
        by_column[wood : wood + 3] = sign * unit["tile_common"]
        by_column[wood + 3 : wood + 6] = sign * unit["tile_rare"]
        by_column[choice] = sign * unit["tile_any"]
    by_column[E_DELIVER] = unit["tile_common"]
    by_column[E_ACTIVATE] = unit["tile_yield"]
    effects = tables["effects"][tables["tile_effect"]]
    yields = effects[:, E_YIELD] != YIELD_NONE
    worth: NDArray[np.int64] = np.maximum(0, effects @ by_column + unit["tile_yield"] * yields)
    worth[~np.isin(np.arange(MAX_TILES), tables["tile_id"][: tables["tiles"]])] = 0  # not in play
    return worth
