"""Training of the planner's weights: generations of candidates, tests of their middle, and the folder that keeps both.

Each generation, all candidates play the same deals, new ones each time. Every few generations the middle of the cloud
and the champion play a test on further deals. If the middle is fitter by more than the standard error of the
difference, it becomes the champion, which the next candidates meet. The last test has more games; the fitter of the
two, by however little, is the result.

    DIR/training.json    the recipe, and the journal: what each generation found
    DIR/curve.parquet    the journal as a table (see CURVE)
    DIR/weights.toml     the champion so far; at the end the result

Nothing of the search itself is stored: it is told the journal again, which takes no time and ends where it ended.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import rcsim
from rcsim.experiments.arena import Arena, Bout
from rcsim.experiments.errors import StoreError
from rcsim.experiments.evolution import Evolution
from rcsim.experiments.objectives import MEASURES, STYLE, WIN, Objective
from rcsim.policies.lineup import Player
from rcsim.policies.weights import WeightFile, from_array, to_array, to_toml
from rcsim.rules.pack import pack
from rcsim.rules.schema import Ruleset

Array = np.ndarray[Any, Any]
Entry = dict[str, Any]

LAST_TEST = 4  # times the games of a test
SPAN = 2**24  # deal numbers kept for each generation, test and last test
TEST_DEALS = 2**48
LAST_DEALS = 2**50
START_DEALS = 2**51
MAX_TRIAL = 2**22  # games of a candidate: LAST_TEST times as many fit a span

CURVE = {
    "generation": "number of the generation, from 1",
    "fitness_best": "of its candidates; each generation has its own deals, and its own opponent",
    "fitness_mean": "mean over its candidates",
    "win": "the candidates' share of wins times players, on average: 1 is fair",
    "style": "the style's measure, on average; 0 without a style",
    "sigma": "size of the cloud, in scales of the weights",
    "champion": "champions so far that are not the start",
    "test_win": "of the middle of the cloud; null where none was tested, as all below",
    "test_win_error": "standard error of it",
    "test_style": "style of the middle of the cloud",
    "test_gain": "fitness of the middle less that of the champion, on the same deals",
    "test_gain_error": "standard error of it",
}


@dataclass(frozen=True)
class Recipe:
    """All that decides a training but the number of generations, which may grow."""

    start: Player
    seed: int
    population: int
    games: int  # of each candidate in a generation
    sigma: float
    players: tuple[int, ...]
    boards: tuple[str, ...]
    against: tuple[Player | None, ...]  # None: the champion
    objective: Objective
    test_every: int  # generations
    test_games: int
    ruleset: str  # hash
    preset: str
    version: str = rcsim.__version__

    def to_json(self) -> dict[str, Any]:
        """The recipe as plain data."""
        data = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return data | {
            "start": self.start.to_json(),
            "players": list(self.players),
            "boards": list(self.boards),
            "against": ["champion" if p is None else p.to_json() for p in self.against],
            "objective": self.objective.to_json(),
        }

    @property
    def opponents(self) -> str:
        """The opponents of the first generation, by name."""
        return ", ".join(dict.fromkeys((player or self.start).spec for player in self.against))

    def bouts(self, ruleset: Ruleset) -> list[Bout]:
        """Every player count on every board against every opponent. Raises the packer's errors."""
        return [
            Bout(players, board, opponent, pack(ruleset, players=players, board=board))
            for players, board, opponent in product(self.players, self.boards, self.against)
        ]


class Training:
    """A training under way. `step` makes a generation, `finish` the last test."""

    def __init__(self, recipe: Recipe, arena: Arena) -> None:
        """Raises ImportError if the package cma is absent."""
        if recipe.start.weights is None:
            raise ValueError(f"{recipe.start.spec}: not a player with weights")
        self.recipe = recipe
        self.arena = arena
        self.journal: list[Entry] = []
        self.champion = recipe.start
        self.champions = 0
        self._search = Evolution(
            to_array(recipe.start.weights), sigma=recipe.sigma, population=recipe.population, seed=recipe.seed
        )

    def step(self, known: Entry | None = None) -> Entry:
        """Make the next generation, or take what the journal knows of it; its entry.

        StoreError if the journal is of other candidates than are asked for now.
        """
        number = len(self.journal) + 1
        asked = self._search.ask()
        digest = hashlib.sha256(np.stack(asked).tobytes()).hexdigest()[:16]
        if known is not None and known["candidates"] != digest:
            raise StoreError(
                f"generation {number} of the journal had other candidates: it was made with other versions of cma or"
                " NumPy, or on another kind of machine, and cannot be continued here"
            )
        entry = dict(known or {"generation": number, "candidates": digest, **self._try(number, asked)})
        self._search.tell(entry["fitness"])
        if number % self.recipe.test_every == 0:
            if known is None:
                entry["test"] = self._compare(TEST_DEALS + number * SPAN, self.recipe.test_games)
            test = entry["test"]
            test["promoted"] = test["gain"] > test["gain_error"]
            if test["promoted"]:
                self.champion = self.middle
                self.champions += 1
        entry |= {"sigma": self._search.sigma, "champion": self.champions}
        self.journal.append(entry)
        return entry

    @property
    def middle(self) -> Player:
        """The middle of the cloud."""
        return self._player(self._search.mean)

    def finish(self) -> tuple[Player, Entry]:
        """The fitter of the middle and the champion, and how it fares against the opponents of the first generation."""
        number, games = len(self.journal), LAST_TEST * self.recipe.test_games
        test = self._compare(LAST_DEALS + number * SPAN, games)
        best = self.middle if test["gain"] > 0 else self.champion
        results = self.arena.play([best, self.recipe.start], self.recipe.start, START_DEALS + number * SPAN, games)
        win, error = results.combined(_weights(2, 0, WIN))
        style, start_style = results.means()[:, STYLE].tolist()
        found = {"win": win, "win_error": error, "style": style, "start_style": start_style}
        return best, {"middle": test["gain"] > 0, **found}

    def games(self, *, last_test: bool) -> int:
        """Games played so far: of all generations and tests, and of the last test, if it was made."""
        recipe, played = self.recipe, self.arena.played
        generations = len(self.journal)
        return (
            generations * recipe.population * played(recipe.games)
            + 2 * (generations // recipe.test_every) * played(recipe.test_games)
            + (4 * played(LAST_TEST * recipe.test_games) if last_test else 0)
        )

    def _player(self, weights: Array) -> Player:
        return replace(self.recipe.start, spec="candidate", weights=from_array(weights))

    def _try(self, number: int, asked: list[Array]) -> Entry:
        """Fitness of the candidates, and their measures on average."""
        candidates = [self._player(weights) for weights in asked]
        means = self.arena.play(candidates, self.champion, number * SPAN, self.recipe.games).means()
        average = dict(zip(MEASURES, means.mean(axis=0).tolist(), strict=True))
        return {"fitness": self.recipe.objective.fitness(means).tolist(), **average}

    def _compare(self, first: int, games: int) -> Entry:
        """The middle and the champion on the same deals: the middle's measures, and what it gains in fitness."""
        results = self.arena.play([self.middle, self.champion], self.champion, first, games)
        means = results.means()
        win, win_error = results.combined(_weights(2, 0, WIN))
        fitness = self.recipe.objective.fitness(means)
        slopes = self.recipe.objective.slopes
        _, gain_error = results.combined(np.stack([slopes(means[0]), -slopes(means[1])]))
        return {
            "win": win,
            "win_error": win_error,
            "style": float(means[0, STYLE]),
            "gain": float(fitness[0] - fitness[1]),
            "gain_error": gain_error,
        }


def _weights(candidates: int, candidate: int, measure: int) -> Array:
    """Weights for `Results.combined` that pick one measure of one candidate."""
    out = np.zeros((candidates, len(MEASURES)))
    out[candidate, measure] = 1
    return out


class TrainingFolder:
    """Where a training is kept; every file appears whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.state = path / "training.json"
        self.curve = path / "curve.parquet"
        self.weights = path / "weights.toml"

    def read(self, recipe: Recipe) -> tuple[list[Entry], Entry | None]:
        """Journal and last test, if it had one, of this recipe's training; none if there is no training.

        StoreError if the training that is there has another recipe or cannot be read.
        """
        try:
            data = json.loads(self.state.read_text(encoding="utf-8"))
            there, journal, last = data["recipe"], data["journal"], data["last_test"]
        except FileNotFoundError:
            return [], None
        except OSError as error:
            raise StoreError(f"{self.state}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{self.state}: not a training that rcsim {rcsim.__version__} can read") from error
        for key, value in json.loads(json.dumps(recipe.to_json())).items():
            if there.get(key) != value:
                raise StoreError(
                    f"{self.path}: holds a training with another {key.replace('_', ' ')}; give another folder, or"
                    " --force to replace it"
                )
        return journal, last

    def write(self, training: Training, best: Player, command: str, last_test: Entry | None = None) -> None:
        """Write all that is known so far; `best` as the weights. StoreError if it cannot be written."""
        recipe = training.recipe
        state = {"recipe": recipe.to_json(), "journal": training.journal, "last_test": last_test}
        made = {
            "command": command,
            "rcsim": recipe.version,
            "seed": recipe.seed,
            "start": recipe.start.spec,
            "style": recipe.objective.style or "",
            "generations": len(training.journal),
            "population": recipe.population,
            "games": training.games(last_test=last_test is not None),
            "ruleset": recipe.ruleset[:16],
            "preset": recipe.preset,
            "finished": last_test is not None,
        }
        if last_test is not None:
            made |= {"win": round(last_test["win"], 4), "win_error": round(last_test["win_error"], 4)}
        towards = f"the style {recipe.objective.style}" if recipe.objective.style else "winning"
        doc = f"trained towards {towards} from {recipe.start.spec}"
        assert best.weights is not None
        file = WeightFile(recipe.objective.style or "trained", doc, best.weights, made)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            _replace(self.weights, lambda path: path.write_text(to_toml(file), encoding="utf-8"))
            if training.journal:
                _replace(self.curve, lambda path: curve(training.journal).write_parquet(path))
            _replace(self.state, lambda path: path.write_text(json.dumps(state) + "\n", encoding="utf-8"))
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be written ({error.strerror or error})") from error


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file beside its place and move it there."""
    draft = path.with_name(f"{path.name}.unfinished")
    try:
        write(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def curve(journal: list[Entry]) -> "Any":
    """The journal as a Polars frame with the columns of CURVE."""
    import polars as pl

    rows = []
    for entry in journal:
        test = entry.get("test", {})
        row = {key: entry[key] for key in ("generation", "win", "style", "sigma", "champion")}
        row |= {"fitness_best": max(entry["fitness"]), "fitness_mean": sum(entry["fitness"]) / len(entry["fitness"])}
        row |= {f"test_{key}": test.get(key) for key in ("win", "win_error", "style", "gain", "gain_error")}
        rows.append(row)
    whole = ("generation", "champion")
    return pl.DataFrame(rows, schema={name: pl.Int64 if name in whole else pl.Float64 for name in CURVE})
