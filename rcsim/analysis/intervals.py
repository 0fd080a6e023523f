"""Confidence intervals for means over independent games.

The games of one cell are independent deals, so that the mean over them needs no model of their seats; the seats of
one game are not independent, and no interval here treats them so.
"""

import math
from statistics import NormalDist

import polars as pl

LEVEL = 0.95


def normal_quantile(level: float = LEVEL) -> float:
    """z such that a standard normal value lies within -z..z with probability `level`."""
    return NormalDist().inv_cdf((1 + level) / 2)


def t_quantile(df: int, level: float = LEVEL) -> float:
    """The same for Student's t with `df` degrees of freedom (at least 1).

    Exact for one and two; else the expansion around the normal quantile (Abramowitz and Stegun 26.7.5), within
    0.2 % at three degrees of freedom and 0.01 % from ten on.
    """
    if df == 1:
        return math.tan(math.pi * level / 2)
    if df == 2:
        return level * math.sqrt(2 / (1 - level * level))
    z = normal_quantile(level)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(df) ** i for i, term in enumerate(terms, 1))


def mean_interval(n: pl.Expr, total: pl.Expr, squares: pl.Expr, level: float = LEVEL) -> dict[str, pl.Expr]:
    """Mean and its half-width: `mean` and `half`, from count, sum and sum of squares of a value.

    half = t * s / sqrt(n), with the sample's standard deviation s; null for a single game.
    """
    mean = total / n
    variance = ((squares - total * mean) / (n - 1)).clip(lower_bound=0)
    t = n.map_batches(
        lambda counts: pl.Series([t_quantile(k - 1, level) if k > 1 else None for k in counts], dtype=pl.Float64),
        return_dtype=pl.Float64,
    )
    return {"mean": mean, "half": pl.when(n > 1).then(t * (variance / n).sqrt())}


def share_interval(n: pl.Expr, total: pl.Expr, squares: pl.Expr, level: float = LEVEL) -> dict[str, pl.Expr]:
    """Mean of a share between 0 and 1, with its interval: `mean`, `low` and `high`.

    A shared win counts 1/k, so that the share varies less than a plain win or loss with the same mean p. Wilson's
    interval for a proportion is taken with the number of wins or losses that would know p as exactly:
    n * p (1 - p) / s2, where s2 is the share's variance, estimated with one further game of variance p (1 - p). It is
    Wilson's own where nothing is shared, the usual mean +- z s / sqrt(n) where n is large, and it stays within
    0..1 and has a width even where every game was won or every one lost.
    """
    z2 = normal_quantile(level) ** 2
    p = total / n
    spread = p * (1 - p)
    variance = (squares - total * p + spread) / n
    size = pl.when(variance > 0).then(n * spread / variance).otherwise(n)
    middle = (p + z2 / (2 * size)) / (1 + z2 / size)
    half = (z2 * (spread / size + z2 / (4 * size**2))).sqrt() / (1 + z2 / size)
    return {
        "mean": p,
        "low": pl.min_horizontal(p, (middle - half).clip(0, 1)),
        "high": pl.max_horizontal(p, (middle + half).clip(0, 1)),
    }
