"""A design: what an experiment asks for, from a TOML file or from options, before anything is made of it.

    [design]                                what the whole run is
    seed = 1
    games = 100_000                         of each cell; or target_error, min_games, max_games

    [fixed]                                 values that hold in every cell
    policy = "planner"
    "options.dice_limit" = 4

    [factors]                               lists of levels, crossed; the first varies slowest
    players = [2, 3, 4]
    rubles = { 2 = [[3, 4], [4, 4]], 3 = [[3, 4, 4]], 4 = [[3, 4, 4, 5]] }     levels by player count

    [[cells]]                               listed cells, in place of factors or crossed with them
    preset = "en"

Values are named as the options of the command line are, and values of the ruleset by their dotted keys. Options are
laid over a file; alone they are a design, too. `rcsim.experiments.crossing` makes a run of it.

All mistakes are collected into one `DesignProblems`; unknown keys are refused with the nearest known one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, TypeGuard

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from rcsim.experiments.cells import MAX_GAMES, MAX_PLAYERS, MAX_SEED
from rcsim.experiments.errors import DesignProblems
from rcsim.rules.errors import Problem, RulesetError, shown, unknown
from rcsim.rules.loader import GROUPS, is_path, parse_toml, parse_value, read_text, validate
from rcsim.rules.schema import Model, Whole

NAMES = ("players", "board", "plan", "preset", "rules", "policy", "rubles", "colours")
BY_PLAYERS = ("plan", "policy", "rubles", "colours")  # levels may be given by player count
SECTIONS = ("design", "fixed", "factors", "cells")
DEFAULT_GAMES = 100_000
DEFAULT_LEAST = 10_000  # games of a cell before its precision is looked at
DEFAULT_MOST = 10_000_000
TARGETS = "a number from 0.00001 to 0.5, as 0.002"


class Head(Model):
    """The table `[design]`."""

    name: str = ""
    about: str = ""
    seed: Annotated[int, Whole(0, MAX_SEED)] = 1
    games: Annotated[int, Whole(1, MAX_GAMES)] | None = None
    target_error: float | None = None
    min_games: Annotated[int, Whole(2, MAX_GAMES)] | None = None
    max_games: Annotated[int, Whole(2, MAX_GAMES)] | None = None
    detail: Literal["summary", "seats", "full"] = "full"
    rotate: bool = True
    baseline: dict[str, Any] = Field(default_factory=dict)

    @field_validator("target_error", mode="plain")
    @classmethod
    def _share(cls, value: object) -> float | None:
        if value is None or is_target(value):
            return value
        raise PydanticCustomError("wanted", "{wanted}", {"wanted": TARGETS})


def is_target(value: object) -> TypeGuard[float]:
    """Whether a value is a half-width of a share that can be asked for."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0.00001 <= value <= 0.5


@dataclass(frozen=True, slots=True)
class Level:
    """One value that a cell may have, and where it was given: a key of the file, or an option (`--rubles`)."""

    value: Any
    where: str


Levels = Mapping[int, tuple[Level, ...]]  # by player count; 0: for any


@dataclass(frozen=True)
class Design:
    """What was asked for. `fixed` and `factors` have levels by key, one or several; `cells` a level by key each.

    `sets` are the texts of --set, as typed. `problems` are what was wrong with the form of a file: what is left is
    sound, and checked too, so that all is told at once, unless it is `blind`, as nobody knows what it is about.
    """

    source: str = ""  # the file; empty where there is none
    head: Head = field(default_factory=Head)
    fixed: Mapping[str, Levels] = field(default_factory=dict)
    factors: Mapping[str, Levels] = field(default_factory=dict)
    cells: tuple[Mapping[str, Level], ...] = ()
    sets: tuple[str, ...] = ()
    baseline: Mapping[str, Levels] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    blind: bool = False

    def failed(self, problems: Iterable[Problem]) -> DesignProblems:
        """The error of these and the design's own; the keys of options stand for themselves, others are in the file."""
        problems = (*self.problems, *problems)
        lines = [f"{self.source}: {p}" if self.source and not p.key.startswith("--") else str(p) for p in problems]
        return DesignProblems(list(dict.fromkeys(lines)))


# ------------------------------------------------------------------------------------------------ files


def read(path: Path) -> Design:
    """The design of a file, with what is wrong with its form. DesignProblems if it is none at all."""
    label = str(path)
    try:
        data = parse_toml(read_text(path, label), label)
    except RulesetError as error:
        raise DesignProblems(error.lines()) from None
    if not data:
        raise DesignProblems([f"{label}: is empty; a design has {' or '.join(f'[{name}]' for name in SECTIONS[:3])}"])
    if not any(key in SECTIONS for key in data) and any(key in ("extends", *GROUPS) for key in data):
        raise DesignProblems([f"{label}: this is a ruleset, no design; play it with --rules {label}"])
    return from_dict(data, label, path.parent)


def from_dict(data: Mapping[str, Any], source: str = "design", folder: Path | None = None) -> Design:
    """A design from a dictionary in the form of a file; files that it names are looked up in `folder`."""
    problems = [_unknown_section(key) for key in data if key not in SECTIONS]
    tables: dict[str, Mapping[str, Any]] = {}
    for name in ("design", "fixed", "factors"):
        tables[name] = data.get(name, {})
        if not isinstance(tables[name], dict):
            problems.append(Problem(name, shown(tables[name]), "should be a table"))
            tables[name] = {}
    listed = data.get("cells", [])
    if not isinstance(listed, list) or not all(isinstance(cell, dict) for cell in listed):
        problems.append(Problem("cells", shown(listed), "should be a list of tables, each headed [[cells]]"))
        listed = []
    head, found = validate(Head, tables["design"], "design")
    problems += [_head_problem(p) for p in found]
    reader = _Reader(folder or Path())
    fixed = reader.table(tables["fixed"], "fixed", several=False)
    factors = reader.table(tables["factors"], "factors", several=True)
    cells = tuple(
        {key: level for key, levels in reader.table(cell, f"cells.{i}").items() for level in levels[0]}
        for i, cell in enumerate(listed)
    )
    base = tables["design"].get("baseline")
    baseline = reader.table(base if isinstance(base, dict) else {}, "design.baseline", several=False)
    problems += reader.problems
    keys = {name: {key for key, _ in _leaves(tables[name])} for name in ("fixed", "factors")}
    places = [
        (f"cells.{i}.{key}", key, other) for i, cell in enumerate(listed) for key, _ in _leaves(cell) for other in keys
    ]
    places += [(f"factors.{key}", key, "fixed") for key in dict(_leaves(tables["factors"]))]
    for where, key, other in places:
        if key in keys[other]:
            problems.append(Problem(where, "", f"{other}.{key} is given, too; one of them is meant"))
    if isinstance(head, Head):
        problems += _head_rules(head)
    else:
        head = Head()
    blind = reader.blind or any(key not in SECTIONS for key in data)
    return Design(source, head, fixed, factors, cells, (), baseline, tuple(problems), blind)


def _unknown_section(key: str) -> Problem:
    if key in Head.model_fields:
        return Problem(key, "", f"belongs into the table [design]: design.{key}")
    if key in (*NAMES, *GROUPS):
        return Problem(key, "", "belongs into one of the tables [fixed], [factors] and [[cells]]")
    return unknown(key, key, SECTIONS)


def _head_problem(problem: Problem) -> Problem:
    name = problem.key.removeprefix("design.")
    if name.partition(".")[0] in (*NAMES, *GROUPS):
        return Problem(problem.key, "", "belongs into one of the tables [fixed], [factors] and [[cells]]")
    return problem


def _head_rules(head: Head) -> list[Problem]:
    """What the values of `[design]` break together."""
    if head.target_error is None:
        extra = [key for key in ("min_games", "max_games") if getattr(head, key) is not None]
        return [Problem(f"design.{key}", "", "needs target_error beside it") for key in extra]
    problems = []
    if head.games is not None:
        problems.append(Problem("design.games", "", "target_error is given, too; the most games are max_games then"))
    if head.min_games is not None and head.max_games is not None and head.min_games > head.max_games:
        most = f"should be at most max_games, {head.max_games}"
        problems.append(Problem("design.min_games", str(head.min_games), most))
    return problems


def _leaves(table: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    """Keys and values; tables of the ruleset's groups are entered, as TOML makes them of a key with dots."""
    for key, value in table.items():
        path = prefix + key
        if isinstance(value, dict) and "." not in key and (prefix or key in GROUPS):
            yield from _leaves(value, path + ".")
        else:
            yield path, value


class _Reader:
    """Reads values of a file; what is wrong with their form is in `problems`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[Problem] = []
        self.blind = False  # something is wrong on which all else depends

    def table(self, values: Mapping[str, Any], where: str, several: bool | None = None) -> dict[str, Levels]:
        """The levels of a table's keys, those that are sound; None of `several`: one, and no table by player count."""
        found = {}
        for key, value in _leaves(values):
            before = len(self.problems)
            path = f"{where}.{key}"
            levels = {0: (self.level(key, value, path),)} if several is None else self.levels(key, value, path, several)
            if len(self.problems) == before:
                found[key] = levels
            elif {"players", "rules"} & {key, *get_close_matches(key, NAMES, n=1, cutoff=0.5)}:
                self.blind = True
        return found

    def levels(self, key: str, value: Any, where: str, several: bool) -> Levels:
        """The levels of a key, by player count if they are given so; one if not `several`."""
        if not self._known(key, where):
            return {}
        if key in BY_PLAYERS and isinstance(value, dict):
            good = {str(n): n for n in range(1, MAX_PLAYERS + 1)}
            bad = [name for name in value if name not in good]
            if bad or not value:
                self._wrong(where, value, "a table here has levels by player count: its keys are among 1, 2, 3, 4")
            counts = {name: n for name, n in good.items() if name in value}
            return {n: self._some(key, value[name], f"{where}.{name}", several) for name, n in counts.items()}
        return {0: self._some(key, value, where, several)}

    def _some(self, key: str, value: Any, where: str, several: bool) -> tuple[Level, ...]:
        return self._several(key, value, where) if several else (self.level(key, value, where),)

    def _several(self, key: str, value: Any, where: str) -> tuple[Level, ...]:
        if key == "plan" and value == "all":
            value = ["all"]
        if not isinstance(value, list) or not value:
            self._wrong(where, value, "should be a list of levels; a single value belongs into [fixed]")
            return ()
        if key in ("rubles", "colours") and not any(isinstance(item, list) for item in value):
            example = "[[3, 4, 4, 5], [2, 4, 4, 5]]" if key == "rubles" else '[["red", "blue"], ["blue", "red"]]'
            self._wrong(where, value, f"should be a list of levels, each a list by seat, as {example}")
            return ()
        found = tuple(self.level(key, item, where) for item in value)
        for i, level in enumerate(found):
            if level in found[:i]:
                self._wrong(where, value[i], "stands there twice")
        return found

    def level(self, key: str, value: Any, where: str) -> Level:
        """One value."""
        if not self._known(key, where):
            return Level(value, where)
        wanted = {
            "players": (_is_whole, "should be a whole number from 1 to 4"),
            "rubles": (lambda v: _is_list(v, _is_whole), "should be a list of whole numbers by seat, as [3, 4, 4, 5]"),
            "colours": (lambda v: _is_list(v, _is_text), "should be a list of colours by seat"),
            "policy": (
                lambda v: _is_text(v) or _is_list(v, _is_text),
                "should be a player, or a list of them by seat",
            ),
        }  # fmt: skip
        good, text = wanted.get(key, (_is_text, "should be text"))
        if key in NAMES and isinstance(value, list) and not good(value):
            several = key not in ("policy", "rubles", "colours") or any(isinstance(item, list) for item in value)
            text = "is one level; several belong into [factors]" if several and "fixed." in where else text
        if key in NAMES and not good(value):
            self._wrong(where, value, text)
            return Level(value, where)
        if key == "policy":
            names = [name.strip() for name in value.split(",")] if isinstance(value, str) else value
            value = [self._path(name) for name in names]
        if key == "rules":
            value = self._path(value) if is_path(value) else value
        return Level(value, where)

    def _path(self, name: str) -> str:
        """A name of a file, looked up beside the design; any other name as it is."""
        file, dot, rest = name.partition(".toml")
        if not dot:
            file, dot, rest = name.partition(".py:")
        if not dot or Path(file).is_absolute() or self.folder == Path():
            return name
        return f"{(self.folder / (file + dot.rstrip(':'))).as_posix()}{':' if dot == '.py:' else ''}{rest}"

    def _known(self, key: str, where: str) -> bool:
        if key in NAMES or ("." in key and key.partition(".")[0] in GROUPS):
            return True
        self.problems.append(unknown_key(key, where))
        return False

    def _wrong(self, where: str, value: Any, wanted: str) -> None:
        self.problems.append(Problem(where, shown(value), wanted))


def unknown_key(key: str, where: str) -> Problem:
    """The problem of a key that names nothing that a design can vary."""
    from rcsim.rules.loader import as_file, load
    from rcsim.rules.provenance import leaves

    if key in GROUPS:
        return Problem(where, "", f"a value of the ruleset is named by its whole key, as {key}.NAME")
    if key in Head.model_fields:
        return Problem(where, "", f"belongs into the table [design]: design.{key}")
    paths = [path for path, _ in leaves(as_file(load()))]
    same = [path for path in paths if path.rpartition(".")[2] == key.rpartition(".")[2]]
    return unknown(where, key, same[:1] or (*NAMES, *paths))


def _is_whole(value: object) -> bool:
    return type(value) is int


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_list(value: object, good: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(good(item) for item in value)


# ---------------------------------------------------------------------------------------------- options


def overlay(
    design: Design,
    *,
    head: Mapping[str, Any],
    values: Mapping[str, Any],
    vary: Sequence[str] = (),
    sets: Sequence[str] = (),
    baseline: Sequence[str] = (),
) -> Design:
    """The design with options laid over it; an option takes the place of what the design says under its name.

    `head`: values of `[design]` that were given. `values`: single values by name. `vary`, `sets` and `baseline`: texts
    `key=levels`, `key=value`, `key=value`. DesignProblems for what cannot be laid over.
    """
    problems: list[Problem] = []
    fixed, factors, base = dict(design.fixed), dict(design.factors), dict(design.baseline)
    given: dict[str, str] = {}

    def fix(key: str) -> None:
        """Take the place of a factor; where it was the design's, its level as the baseline goes with it."""
        if factors.pop(key, None) is not None:
            base.pop(key, None)

    def give(key: str, option: str) -> None:
        if key in given:
            problems.append(Problem(option, "", f"{given[key]} is given, too; one of them is meant"))
        elif any(key in cell for cell in design.cells):
            problems.append(Problem(option, "", f"the cells that {design.source} lists say {key} themselves"))
        given[key] = option

    for item in vary:
        key, equals, text = item.partition("=")
        key = key.strip()
        option = f"--vary {key}"
        if not equals or not key or not text.strip():
            problems.append(Problem(f"--vary {item}", "", "should be KEY=LEVEL,LEVEL,... or KEY=LEVEL;LEVEL;..."))
            continue
        reader = _Reader(Path())
        levels = reader.levels(key, vary_levels(key, text), option, True)
        problems += reader.problems
        give(key, option)
        fixed.pop(key, None)
        if key in factors and not _values(base.get(key, {})) <= _values(levels):  # a baseline of levels that are gone
            base.pop(key)
        factors[key] = levels
    for key, value in values.items():
        give(key, f"--{key}")
        fix(key)
        fixed[key] = {0: (Level(value, f"--{key}"),)}
    for item in sets:
        key = item.partition("=")[0].strip()
        if key not in given or not given[key].startswith("--set"):  # twice the same: the loader says so
            give(key, f"--set {item}")
        fixed.pop(key, None)
        fix(key)
    for item in baseline:
        key, equals, text = item.partition("=")
        key = key.strip()
        if not equals or not key or not text.strip():
            problems.append(Problem(f"--baseline {item}", "", "should be KEY=LEVEL, a level of what varies"))
            continue
        reader = _Reader(Path())
        base[key] = {0: (reader.level(key, single(key, text), f"--baseline {key}"),)}
        problems += reader.problems
    if problems:
        raise design.failed(problems)
    return replace(
        design,
        head=_lay_head(design, head),
        fixed=fixed,
        factors=factors,
        sets=(*design.sets, *sets),
        baseline=base,
    )


def _values(levels: Levels) -> set[str]:
    return {shown(level.value, 10**6) for there in levels.values() for level in there}


def _lay_head(design: Design, head: Mapping[str, Any]) -> Head:
    """The head with options laid over it: those of a fixed number of games and of a precision replace each other."""
    before = design.head.model_dump()
    precise = ("target_error", "min_games", "max_games")
    if head.get("games") is not None and head.get("target_error") is None:
        before |= dict.fromkeys(precise)
    elif head.get("target_error") is not None:
        before["games"] = None
    merged = Head(**before | {k: v for k, v in head.items() if v is not None})
    if problems := _head_rules(merged):
        raise design.failed([Problem(_option(p.key, head), p.given, _options_in(p.wanted)) for p in problems])
    return merged


def _option(key: str, head: Mapping[str, Any]) -> str:
    name = key.removeprefix("design.")
    return f"--{name.replace('_', '-')}" if head.get(name) is not None else key


def _options_in(text: str) -> str:
    for name in ("target_error", "max_games", "min_games"):
        text = text.replace(name, f"--{name.replace('_', '-')}")
    return text


def single(key: str, text: str) -> Any:
    """The value of `key=text` on the command line."""
    if key in ("policy", "colours"):
        return [part.strip() for part in text.split(",")]
    if key == "rubles" or key not in NAMES:
        value = parse_value(text)
        return [value] if key == "rubles" and not isinstance(value, list) else value
    return parse_value(text) if key == "players" else text.strip()


def vary_levels(key: str, text: str) -> Any:
    """The levels of `--vary key=text`: set apart by semicolons, or by commas where there is none."""
    if ";" in text:
        return [single(key, part) for part in text.split(";")]
    if key in ("policy", "colours"):
        return [single(key, part) for part in text.split(",")]
    value = parse_value(text)
    levels = value if isinstance(value, list) else [value]
    return [str(v) for v in levels] if key in NAMES and key not in ("players", "rubles") else levels
