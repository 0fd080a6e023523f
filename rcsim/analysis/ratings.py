"""One scale for all players of a tournament: the Bradley-Terry model, fitted by the package choix.

The model says that a player of strength s ends ahead of one of strength t with probability s / (s + t). A rating is
400 log10 s, as in chess: 400 points more are odds of ten to one, and the mean of all ratings is 0.

Players can be rated only where wins lead from each to each other, perhaps over third ones; a player who never ended
ahead of anybody is below every rating. Intervals are by the delta method from the covariance of the pairwise shares
over deals, so that they know that the games of a deal, and the comparisons of a game, depend on each other.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rcsim.analysis.tournament import SURE, Results

Array = np.ndarray[Any, Any]

POINTS = 400 / math.log(10)  # of a rating, for one unit of a natural logarithm


class Miss(NamedTuple):
    """The pair that the ratings describe worst: how often it was ahead, and how often it should have been."""

    player: str
    other: str
    played: float
    rated: float


@dataclass(frozen=True)
class Ratings:
    """A ranking. `frame` has a row for each player, the strongest first: `place`, `player`, `rating`, `half`, `step`,
    `step_half`; a step is the distance to the next player. Null where a player cannot be rated.

    `fits`: probability of shares as far from the ratings, or farther, if the model were true (null: too few deals, or
    nothing to test); `miss` the worst pair, if there is a doubt.
    """

    frame: pl.DataFrame
    fits: float | None
    miss: Miss | None


def ratings(results: Results) -> Ratings:
    """The ranking of a tournament's players. ImportError without choix."""
    names = list(dict.fromkeys([*(contest.player for contest in results.contests), *sum(results.pairs, ())]))
    pairs = np.array([[names.index(a), names.index(b)] for a, b in results.pairs])
    counts = np.array(results.counts, float)
    shares = results.means[[results.ahead(k) for k in range(len(pairs))]]
    wins = np.zeros((len(names), len(names)))
    wins[pairs[:, 0], pairs[:, 1]] = counts * shares
    wins[pairs[:, 1], pairs[:, 0]] = counts * (1 - shares)
    reach = _reach(wins > 0)
    groups = {tuple(np.flatnonzero(reach[i] & reach[:, i]).tolist()): int(reach[i].sum()) for i in range(len(names))}
    rated = max(groups, key=lambda group: (len(group), groups[group]))
    order = [rated, *(group for group in groups if group != rated)]
    order.sort(key=lambda group: -groups[group])  # who can be reached from others only is below them
    if len(rated) == 1:
        return Ratings(_frame(names, [i for group in order for i in group], {}), None, None)

    inside = np.array([k for k, (a, b) in enumerate(pairs) if a in rated and b in rated])
    strengths = _fit(wins[np.ix_(rated, rated)])
    position = {player: i for i, player in enumerate(rated)}
    ends = np.array([[position[a], position[b]] for a, b in pairs[inside]])
    expected = 1 / (1 + np.exp(strengths[ends[:, 1]] - strengths[ends[:, 0]]))
    # The fit solves sum over pairs of count * (share - expected) = 0 for each player; linearised around its solution.
    signs = np.zeros((len(rated), len(ends)))
    signs[ends[:, 0], np.arange(len(ends))] = 1
    signs[ends[:, 1], np.arange(len(ends))] = -1
    slope = counts[inside] * expected * (1 - expected)
    # How far the strengths move with the shares: (players, pairs).
    gain = np.linalg.pinv((signs * slope) @ signs.T, hermitian=True) @ (signs * counts[inside])
    at = [results.ahead(int(k)) for k in inside]
    cover = results.cover[np.ix_(at, at)]

    def rating(weights: Array) -> tuple[float, float]:
        along = np.zeros(len(results.means))
        along[at] = weights @ gain
        return POINTS * float(weights @ strengths), POINTS * results.half(along)

    ranked = [rated[i] for i in np.argsort(-strengths, kind="stable").tolist()]
    unit = np.eye(len(rated))
    lines: dict[int, tuple[float | None, ...]] = {}
    for player, after in zip(ranked, [*ranked[1:], None], strict=True):
        own = unit[position[player]]
        step = (None, None) if after is None else rating(own - unit[position[after]])
        lines[player] = (*rating(own), *step)
    players = [i for group in order for i in (ranked if group == rated else group)]

    left = shares[inside] - expected
    project = np.eye(len(ends)) - (expected * (1 - expected))[:, None] * signs.T @ gain
    fits = _chance(left, project @ cover @ project.T, results.deals)
    miss = None
    if fits is not None and fits < SURE:
        k = int(np.argmax(abs(left)))
        a, b = (names[i] for i in pairs[inside[k]])
        miss = Miss(a, b, float(shares[inside[k]]), float(expected[k]))
    return Ratings(_frame(names, players, lines), fits, miss)


def _reach(wins: Array) -> Array:
    """Who is at the end of a chain of wins from whom, oneself included: (players, players) of bool."""
    reach = wins | np.eye(len(wins), dtype=bool)
    for k in range(len(wins)):
        reach |= np.outer(reach[:, k], reach[k])
    return reach


def _fit(wins: Array) -> Array:
    """Maximum-likelihood log strengths with mean 0; wins[i, j]: how often i ended ahead of j."""
    import choix

    strengths: Array = choix.ilsr_pairwise_dense(wins, max_iter=10_000, tol=1e-10)
    strengths -= strengths.mean()
    return strengths


def _chance(left: Array, cover: Array, deals: int) -> float | None:
    """Probability of such or larger means, if their expectations were 0 (Hotelling's test); None where unknown."""
    from scipy.special import fdtrc

    values, vectors = np.linalg.eigh(cover)
    kept = values > 1e-9 * max(float(values.max()), 1e-12)
    df = int(kept.sum())
    if not df or deals <= 2 * df:
        return None
    square = deals * float((((left @ vectors[:, kept]) ** 2) / values[kept]).sum())
    return float(fdtrc(df, deals - df, square * (deals - df) / (df * (deals - 1))))


def _frame(names: list[str], players: list[int], lines: dict[int, tuple[float | None, ...]]) -> pl.DataFrame:
    rows = [(place, names[i], *lines.get(i, (None,) * 4)) for place, i in enumerate(players, 1)]
    floats = ("rating", "half", "step", "step_half")
    schema = {"place": pl.Int64, "player": pl.String} | dict.fromkeys(floats, pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row")
