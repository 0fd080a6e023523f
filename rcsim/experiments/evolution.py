"""CMA-ES over the planner's weights: a cloud of candidates that moves and stretches towards the better ones.

The search is over numbers of about the same size. Each weight w has a level y and a drift z, in units of its scale s,
which is the larger of its two start values, or LEAST:

    opening = start + s * (y - z) / sqrt(2)        end = start + s * (y + z) / sqrt(2)

The units of workshop tiles have one value (`rcsim.policies.lineup.tile_worth`), and no drift. The covariance is kept
diagonal: with so many weights and so few candidates a full one is learnt too slowly to be of use.

All randomness comes from the seed and the number of the generation: told the same fitness, the same path is taken.
"""

import math
import warnings
from typing import Any

import numpy as np

from rcsim.policies.features import FEATURES, THOUSANDTHS, WEIGHTS
from rcsim.policies.weights import MOST

Array = np.ndarray[Any, Any]

LEAST = 0.25  # prestige
LEAST_POPULATION = 4


class Evolution:
    """A CMA-ES: `ask` for a generation's candidates, `tell` their fitness, and so on."""

    def __init__(self, start: Array, *, sigma: float, population: int, seed: int) -> None:
        """`start`: weights in thousandths, int64 (2, len(WEIGHTS)). ImportError if the package cma is absent."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # cma misses a package for drawings
            import cma

        self.generation = 0  # those told
        self._seed = seed
        self._start = start / THOUSANDTHS
        self._scale = np.maximum(np.abs(self._start).max(axis=0), LEAST)
        self._asked: list[Array] = []
        options = {
            "popsize": population,
            "CMA_diagonal": True,
            "randn": self._normal,
            "seed": math.nan,  # let the random numbers of the process alone
            "verbose": -9,
            "verb_log": 0,
        }
        self._search = cma.CMAEvolutionStrategy(np.zeros(len(WEIGHTS) + len(FEATURES)), sigma, options)

    def _normal(self, *shape: int) -> Array:
        return self._generator.standard_normal(shape)

    def ask(self) -> list[Array]:
        """The next candidates, each weights in thousandths: int64 (2, len(WEIGHTS))."""
        self._generator = np.random.Generator(np.random.Philox(key=np.array([self._seed, self.generation], np.uint64)))
        self._asked = self._search.ask()
        return [self.weights(x) for x in self._asked]

    def tell(self, fitness: Array) -> None:
        """Fitness of the candidates last asked for, in their order; the larger the better."""
        self._search.tell(self._asked, [-float(f) for f in fitness])
        self.generation += 1

    @property
    def mean(self) -> Array:
        """The middle of the cloud, as weights in thousandths: int64 (2, len(WEIGHTS))."""
        return self.weights(self._search.mean)

    @property
    def sigma(self) -> float:
        """The size of the cloud: standard deviation of a weight, on (geometric) average, in units of its scale."""
        return float(np.exp(np.log(self._search.result.stds).mean()))

    def weights(self, x: Array) -> Array:
        """The weights of a point: int64 (2, len(WEIGHTS)), in thousandths."""
        level = x[: len(WEIGHTS)]
        drift = np.zeros(len(WEIGHTS))
        drift[: len(FEATURES)] = x[len(WEIGHTS) :]
        moved = self._start + self._scale * np.stack([level - drift, level + drift]) / math.sqrt(2)
        thousandths: Array = np.rint(np.clip(moved, -MOST, MOST) * THOUSANDTHS).astype(np.int64)
        return thousandths
