"""From a design to a run: levels crossed into cells, mixed line-ups turned through the seats, baselines found.

The order of the cells is that of the file: listed cells first, then each factor, the first varies slowest; plans of
`plan = "all"` where it stands, rotations last. A design and options that ask for the same make the same run.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from rcsim.experiments.cells import MAX_PLAYERS, Cell, Precision, Run
from rcsim.experiments.cells import design as design_cells
from rcsim.experiments.design import DEFAULT_GAMES, DEFAULT_LEAST, DEFAULT_MOST, Design, Head, Level, Levels
from rcsim.experiments.errors import DesignError, LineupError
from rcsim.policies import DEFAULT_POLICY
from rcsim.rules.errors import Problem, RulesetError, nearest, shown
from rcsim.rules.loader import as_file, load

if TYPE_CHECKING:
    from rcsim.policies.lineup import Player
    from rcsim.rules.schema import Ruleset

MAX_CELLS = 4096
DEFAULTS: Mapping[str, Any] = {"players": 4, "board": "basic", "plan": "any", "rules": "base"}


@dataclass(frozen=True)
class Experiment:
    """A run, its rulesets by hash, and for each arm the arm that it is compared with, one that has the same deals."""

    run: Run
    rulesets: "dict[str, Ruleset]"
    baselines: dict[int, int]
    baseline_keys: tuple[str, ...] = ()  # the factors whose levels name the baseline; none: it is the first arm


@dataclass(frozen=True)
class _Asked:
    """One combination of levels. `order` places it: a pair for each axis, the second for plans of "all"."""

    order: tuple[tuple[int, int], ...]
    levels: Mapping[str, Level]
    players: int


@dataclass(frozen=True)
class _Arm:
    """What a combination came to: the cell of its line-up as written, and its levels in words."""

    order: tuple[tuple[int, int], ...]
    cell: Cell
    words: dict[str, str]
    asked: _Asked


@dataclass
class _Builder:
    """Makes arms of combinations; collects mistakes."""

    design: Design
    rulesets: "dict[str, Ruleset]" = field(default_factory=dict)
    players: "dict[str, Player]" = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _loaded: "dict[tuple[Any, ...], Ruleset | None]" = field(default_factory=dict)
    _files: dict[str, dict[str, Any]] = field(default_factory=dict)

    def arms(self, asked: _Asked, keys: list[str], games: int) -> Iterator[_Arm]:
        """The arms of a combination: one, or one for each plan."""
        levels = asked.levels
        sound = self._ruleset(levels)
        ruleset = sound or load()  # so that what else is wrong is told, too
        values = {key: level.value for key, level in levels.items()}
        made: Run | None = None
        wrong: set[str] = set()
        while made is None:
            try:
                made = design_cells(
                    ruleset,
                    seed=self.design.head.seed,
                    games=games,
                    players=asked.players,
                    board=values.get("board", DEFAULTS["board"]),
                    plan=values.get("plan", DEFAULTS["plan"]),
                    policy=values.get("policy", [DEFAULT_POLICY]),
                    rubles=values.get("rubles"),
                    colours=values.get("colours"),
                )
            except LineupError as error:
                key = "policy"
                self._add(key, levels, str(error).removeprefix("policy: "))
            except DesignError as error:
                key = error.key
                if sound or key != "plan":
                    self._add(
                        key, levels, _short_of_seats(asked, key) or f"{_given(error)} was given; {error.accepted}"
                    )
            except RulesetError as error:
                self._blame(error, levels)
                return
            if made is None:
                wrong.add(key)
                if values.pop(key, None) is None:
                    return
        if wrong:  # all of it is told now
            return
        self.players |= made.players
        for j, cell in enumerate(made.cells):
            order = tuple((i, j) if key == "plan" else (i, k) for key, (i, k) in zip(keys, asked.order, strict=True))
            yield _Arm(order, cell, {key: self._word(key, cell, values, ruleset) for key in keys}, asked)

    def _ruleset(self, levels: Mapping[str, Level]) -> "Ruleset | None":
        """The ruleset of a combination; None if there is something wrong with it, which is noted."""
        rules = levels["rules"].value if "rules" in levels else DEFAULTS["rules"]
        preset = levels["preset"].value if "preset" in levels else None
        sets = [f"{key}={shown(level.value, 10**6)}" for key, level in levels.items() if "." in key]
        wanted = (rules, preset, *sets)
        if wanted in self._loaded:
            return self._loaded[wanted]
        ruleset = None
        try:
            ruleset = load(rules, preset=preset, sets=(*self.design.sets, *sets))
            self.rulesets.setdefault(ruleset.hash, ruleset)
        except RulesetError as error:
            self._blame(error, levels)
        except OSError as error:
            self._add("rules", levels, f"{rules}: cannot be read ({error.strerror})")
        except RuntimeError as error:  # before Python 3.13 a loop of links is one
            if "Symlink loop" not in str(error):
                raise
            self._add("rules", levels, f"{rules}: cannot be read (a loop of symbolic links)")
        both = [key for key in levels if f"{key}.".startswith("start.rubles.")]
        if "rubles" in levels and both:
            self._add(both[0], levels, "starting rubles are given twice, also as rubles; one of them is meant")
        self._loaded[wanted] = ruleset
        return ruleset

    def _blame(self, error: RulesetError, levels: Mapping[str, Level]) -> None:
        """Note the problems of a ruleset under the value of the design that causes them, if one does."""
        for problem in error.problems:
            at = f"{problem.key}."
            cause = [key for key in levels if "." in key and (at.startswith(f"{key}.") or f"{key}.".startswith(at))]
            if problem.key == "preset" and "preset" in levels:
                cause = ["preset"]
            if not problem.key and "rules" in levels and not cause:
                cause = ["rules"]
            where = levels[cause[0]].where if cause else ""
            if cause and "." in cause[0]:
                where += problem.key.removeprefix(cause[0]) if at.startswith(f"{cause[0]}.") else ""
                self.problems.append(Problem(where, problem.given, problem.wanted))
            elif cause and not where.startswith("--"):
                self.problems.append(Problem(where, problem.given, problem.wanted))
            else:
                self.problems += [Problem("", "", line) for line in RulesetError(error.source, [problem]).lines()]

    def _add(self, key: str, levels: Mapping[str, Level], text: str) -> None:
        self.problems.append(Problem(levels[key].where if key in levels else f"--{key}", "", text))

    def _word(self, key: str, cell: Cell, values: Mapping[str, Any], ruleset: "Ruleset") -> str:
        """The level of a key in a cell, as the data name it, whether it was given or not."""
        match key:
            case "plan":
                return cell.plan or "any"
            case "policy":
                return cell.lineup[0] if len(set(cell.lineup)) == 1 else ",".join(cell.lineup)
            case "rubles":
                return words(cell.rubles or ruleset.start.rubles[: cell.players])
            case "colours":
                return words(cell.colours or "drawn")
            case "rules":
                return str(values.get("rules", DEFAULTS["rules"]))
            case "players" | "board" | "preset":
                return str(getattr(cell, key))
        if ruleset.hash not in self._files:
            self._files[ruleset.hash] = as_file(ruleset)
        value: Any = self._files[ruleset.hash]
        for step in key.split("."):
            value = value[int(step)] if isinstance(value, list) else value.get(step, 0)
        return words(value)


def _given(error: DesignError) -> object:
    return "nothing" if error.given == "" else error.given


def _short_of_seats(asked: _Asked, key: str) -> str:
    """What is wrong with a level by seat of a design, if an option has changed the number of players; else nothing."""
    level, players = asked.levels.get(key), asked.levels["players"]
    if level is None or not players.where.startswith("--") or level.where.startswith("--"):
        return ""
    if not isinstance(level.value, list) or len(level.value) == asked.players:
        return ""
    sign = " " if players.where == "--players" else "="
    many = f"{len(level.value)} seats, and {players.where}{sign}{asked.players} was given"
    return f"is for {many}; say {key} for as many, too: --{key} or --vary {key}=..."


def words(value: Any) -> str:
    """A level in words: lists with commas, all else as TOML without quotes."""
    if isinstance(value, list | tuple):
        return ",".join(words(item) for item in value)
    return value if isinstance(value, str) else shown(value, 200)


def cross(design: Design, command: str = "") -> Experiment:
    """The run of a design. DesignProblems with every mistake; nothing is written before all players are sound."""
    if design.blind:
        raise design.failed([])
    games, precision = amount(design.head)
    builder = _Builder(design)
    keys = _keys(design)
    combinations = _combinations(design, keys, builder.problems)
    if len(combinations) > MAX_CELLS:
        raise design.failed([_too_many(design, len(combinations))])
    arms = [arm for asked in combinations for arm in builder.arms(asked, keys, games)]
    arms.sort(key=lambda arm: arm.order)
    if not builder.problems:
        builder.problems += _doubles(arms, design.head.rotate)
    if builder.problems or design.problems:
        raise design.failed(builder.problems)
    varied = [key for key in keys if len({arm.words[key] for arm in arms}) > 1]
    cells: list[Cell] = []
    for i, arm in enumerate(arms):
        factors = tuple((key, arm.words[key]) for key in varied)
        for lineup in rotations(arm.cell.lineup) if design.head.rotate else [arm.cell.lineup]:
            cells.append(replace(arm.cell, index=len(cells), lineup=lineup, arm=i, factors=factors))
    if len(cells) > MAX_CELLS:
        raise design.failed([_too_many(design, len(cells))])
    baselines, problems = _baselines(design, arms, varied)
    if problems:
        raise design.failed(problems)
    order = {spec: None for cell in cells for spec in cell.lineup}
    resolved = {hash_: builder.rulesets[hash_].resolved() for hash_ in dict.fromkeys(cell.ruleset for cell in cells)}
    run = Run(
        seed=design.head.seed,
        cells=tuple(cells),
        rulesets=resolved,
        plans=tuple(dict.fromkeys(plan for ruleset in resolved.values() for plan in ruleset["plans"])),
        players={spec: builder.players[spec] for spec in order},
        detail=design.head.detail,
        precision=precision,
        command=command,
    )
    return Experiment(run, {hash_: builder.rulesets[hash_] for hash_ in resolved}, baselines, tuple(design.baseline))


def amount(head: Head) -> tuple[int, Precision | None]:
    """Games of each cell, at most, and the precision after which fewer are enough."""
    if head.target_error is None:
        return head.games or DEFAULT_GAMES, None
    most = head.max_games or max(DEFAULT_MOST, head.min_games or 0)
    return most, Precision(head.target_error, head.min_games or min(DEFAULT_LEAST, most))


def rotations(lineup: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The distinct ways to turn a line-up through the seats, itself first."""
    return list(dict.fromkeys(lineup[i:] + lineup[:i] for i in range(len(lineup))))


def _keys(design: Design) -> list[str]:
    """What may differ between cells, in the order in which it varies, the slowest first."""
    listed = dict.fromkeys(key for cell in design.cells for key in cell)
    keys = [*listed, *design.factors]
    return keys if "plan" in keys else [*keys, "plan"]  # a single plan may be "all"


def _combinations(design: Design, keys: list[str], problems: list[Problem]) -> list[_Asked]:
    """All combinations of levels, sorted. What a player count lacks is noted in `problems`."""
    found = []
    total = max(1, len(design.cells))
    for levels in design.factors.values():
        total *= max(map(len, levels.values()), default=1)
    if total > MAX_CELLS:
        raise design.failed([_too_many(design, total)])
    listed = {key for cell in design.cells for key in cell}
    for number, cell in enumerate(design.cells or ({},)):
        own = (cell["players"],) if "players" in cell else _choice(design, "players", 0)
        for p, level in enumerate(own or (Level(DEFAULTS["players"], ""),)):
            if not 1 <= level.value <= MAX_PLAYERS:
                problems.append(Problem(level.where, "", f"{level.value} was given; accepted: 1 to {MAX_PLAYERS}"))
                continue
            others = [key for key in (*design.fixed, *design.factors) if key != "players"]
            choices = {key: _choice(design, key, level.value) for key in others}
            for key in others:
                if not choices[key]:
                    where = next(iter(_levels(design, key).values()))[0].where.rpartition(".")[0]
                    lacks = f"has no level for players = {level.value}; add {level.value} = ..."
                    problems.append(Problem(where, "", lacks))
            for picked in product(*(range(len(levels)) for levels in choices.values())):
                at = dict(zip(choices, picked, strict=True)) | {"players": p}
                picks = {key: choices[key][at[key]] for key in others} | dict(cell) | {"players": level}
                order = tuple((number if key in listed else at.get(key, 0), 0) for key in keys)
                found.append(_Asked(order, picks, level.value))
    return found


def _levels(design: Design, key: str) -> Levels:
    return design.factors[key] if key in design.factors else design.fixed.get(key, {})


def _choice(design: Design, key: str, players: int) -> tuple[Level, ...]:
    """The levels of a factor or a fixed value for a player count."""
    levels = _levels(design, key)
    return levels.get(0) or levels.get(players, ())


def _too_many(design: Design, cells: int) -> Problem:
    where = "factors" if design.source else "--vary"
    return Problem(where, "", f"that makes {cells:,} cells; accepted: at most {MAX_CELLS:,}")


def _doubles(arms: list[_Arm], rotate: bool) -> list[Problem]:
    """Cells that are the same: they would say the same twice."""
    seen: dict[Cell, int] = {}
    problems = []
    number = 0
    for arm in arms:
        cell = replace(arm.cell, index=0, preset="")
        if cell in seen:
            said = ", ".join(f"{key} {word}" for key, word in arm.words.items()) or "all values"
            where = next((level.where for key, level in arm.asked.levels.items() if key in arm.words), "cells")
            which = f"cells {seen[cell]} and {number}, counted from 0, are the same"
            problems.append(Problem(where, "", f"{which}: {said}"))
        seen.setdefault(cell, number)
        number += len(rotations(arm.cell.lineup)) if rotate else 1
    return problems


def _baselines(design: Design, arms: list[_Arm], varied: list[str]) -> tuple[dict[int, int], list[Problem]]:
    """For each arm the one that it is compared with: that of the baseline's levels, or the first of as many players."""
    problems = []
    wanted: dict[int, dict[str, str]] = {}
    for key, levels in design.baseline.items():
        if key not in varied:
            where = next(iter(levels.values()))[0].where
            what = f"does not vary here; {nearest(key, varied)}" if varied else "does not vary here; nothing does"
            problems.append(Problem(where, "", what))
            continue
        for players, (level,) in levels.items():
            word = _baseline_word(key, level.value)
            there = {arm.words[key] for arm in arms if players in (0, arm.cell.players)}
            if word not in there:
                problems.append(
                    Problem(level.where, "", f"{word} is no level of {key}; {nearest(word, sorted(there))}")
                )
            for n in range(1, MAX_PLAYERS + 1):
                if players in (0, n):
                    wanted.setdefault(n, {})[key] = word
    by_words = {(arm.cell.players, *arm.words.values()): i for i, arm in reversed(list(enumerate(arms)))}
    found = {}
    for i, arm in enumerate(arms):
        n = arm.cell.players
        base: int | None
        if n in wanted:
            base = by_words.get((n, *(arm.words | wanted[n]).values()))
        else:
            base = next(k for k, other in enumerate(arms) if other.cell.players == n)
        if base is not None and base != i:
            found[i] = base
    return found, problems


def _baseline_word(key: str, value: Any) -> str:
    """The word of a level that the baseline names."""
    if key != "policy":
        return words(value)
    from rcsim.policies.errors import PlayerError
    from rcsim.policies.lineup import resolve

    try:
        specs = [resolve(name).spec for name in value]
    except PlayerError:
        return words(value)
    return specs[0] if len(set(specs)) == 1 else ",".join(specs)
