"""Comparisons over blocks: what the cells of a run that play the same deals say together, and how sure that is.

A deal is a block: its games in all cells share setup and dice. So a difference between two arms is taken deal by
deal, and its interval is that of a mean over deals; luck that both arms had cancels out. The cells of one arm are the
rotations of one line-up, and an arm's value in a deal is the mean over them.

Values are win shares: of each seat or, where a line-up is mixed and was turned through all seats, of each player.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rcsim.analysis.intervals import t_quantile
from rcsim.analysis.tournament import share_bounds
from rcsim.columns import seat_column

Array = np.ndarray[Any, Any]
Outcomes = Callable[[int, int, int], Array]  # cell, first game, games: winners that share, uint8 (games, seats)

SHARES = np.array([0, 1, 1 / 2, 1 / 3, 1 / 4])  # by the number of winners that share; 0: not a winner
DEALS_AT_ONCE = 2**16
GAMES_PER_PAGE = 2**12
MOST_VALUES = 2**22  # of all baselines at once: 32 MiB
MOST_KEPT = 2**28  # bytes of outcomes in memory


class Arm(NamedTuple):
    """The cells of one line-up, those of its rotations, the line-up in each, and how many games each has."""

    cells: tuple[int, ...]
    lineups: tuple[tuple[str, ...], ...]
    games: int

    @property
    def turned(self) -> bool:
        """Whether a mixed line-up was played in every rotation, so that its players can be told from their seats."""
        lineup = self.lineups[0]
        return len(set(lineup)) > 1 and len(self.lineups) == len({lineup[i:] + lineup[:i] for i in range(len(lineup))})

    @property
    def names(self) -> tuple[str, ...]:
        """The different players."""
        return tuple(dict.fromkeys(self.lineups[0]))

    def seats(self) -> "dict[Who, Places]":
        """The values by seat: over all rotations."""
        return {(None, seat): [(c, seat) for c in range(len(self.cells))] for seat in range(len(self.lineups[0]))}

    def players(self) -> "dict[Who, Places]":
        """The values by player: over all seats and rotations."""
        return {(name, None): self._of(name) for name in self.names}

    def players_by_seat(self) -> "dict[Who, Places]":
        """The values of each player in each of the seats that it had."""
        found: dict[Who, Places] = {}
        for name in self.names:
            for c, seat in sorted(self._of(name), key=lambda place: place[1]):
                found.setdefault((name, seat), []).append((c, seat))
        return found

    def _of(self, name: str) -> "Places":
        return [(c, seat) for c, lineup in enumerate(self.lineups) for seat, who in enumerate(lineup) if who == name]


Who = tuple[str | None, int | None]  # player, seat
Places = list[tuple[int, int]]  # position among the arm's cells, seat


@dataclass
class _Moments:
    """Sums over deals of two arms' values (width,) that are taken together; of one arm if it is its own other."""

    width: int
    deals: int = 0
    sums: Array = field(init=False)

    def __post_init__(self) -> None:
        self.sums = np.zeros((5, self.width))  # a, b, aa, bb, ab

    def add(self, a: Array, b: Array) -> None:
        """Values of the same deals: (deals, width) each."""
        self.deals += len(a)
        self.sums += [a.sum(axis=0), b.sum(axis=0), (a * a).sum(axis=0), (b * b).sum(axis=0), (a * b).sum(axis=0)]

    def means(self) -> tuple[Array, Array]:
        """Mean of each arm: (width,)."""
        return self.sums[0] / self.deals, self.sums[1] / self.deals

    def variances(self) -> tuple[Array, Array, Array]:
        """Variance of a deal's value of each arm, and of their difference: (width,)."""
        n, (a, b, aa, bb, ab) = self.deals, self.sums
        one, other = (aa - a * a / n) / (n - 1), (bb - b * b / n) / (n - 1)
        return one, other, np.maximum(one + other - 2 * (ab - a * b / n) / (n - 1), 0)


def player_shares(arms: Mapping[int, Arm], outcomes: Outcomes) -> pl.DataFrame:
    """Win shares of the players of line-ups in all their rotations, over blocks.

    Columns: `arm`, `player`, `seat` (null: over all seats), `deals`, `win`, `win_low`, `win_high`.
    """
    rows: list[tuple[Any, ...]] = []
    for index, arm in arms.items():
        if arm.games < 2 or not arm.turned:
            continue
        what = arm.players() | arm.players_by_seat()
        total = _Moments(len(what))
        for first, count in _ranges(arm.games, DEALS_AT_ONCE // 4):
            values = _values(arm, what, outcomes, first, count)
            total.add(values, values)
        mean, variance = total.means()[0], total.variances()[0]
        for k, who in enumerate(what):
            rows.append((index, *who, arm.games, *share_bounds(float(mean[k]), float(variance[k]), arm.games)))
    schema = {"arm": pl.Int64, "player": pl.String, "seat": pl.Int64, "deals": pl.Int64}
    floats = ("win", "win_low", "win_high")
    return pl.DataFrame(rows, schema=schema | dict.fromkeys(floats, pl.Float64), orient="row")


def differences(arms: Mapping[int, Arm], baselines: Mapping[int, int], outcomes: Outcomes) -> pl.DataFrame:
    """Each arm minus its baseline, over the deals that both have played: by seat, or by player where both are turned.

    Columns: `arm`, `base`, `player`, `seat`, `deals`, `difference` of win shares, `half` of its 95 % interval, `apart`,
    the half it would have had if the two had played different deals, and `gain`, how many times the deals that would
    have taken for the same interval (null where the difference never varies). Left out are pairs in which a mixed
    line-up was turned and the other has other players.
    """
    pairs = [(a, b, what) for a, b in baselines.items() if (what := _compared(arms, a, b)) is not None]
    moments = [_Moments(len(what)) for _, _, what in pairs]
    values = sum({b: len(what) for _, b, what in pairs}.values())
    step = max(2**8, min(DEALS_AT_ONCE, MOST_VALUES // max(values, 1)))
    for first, count in _ranges(max((arm.games for arm in arms.values()), default=0), step):
        kept: dict[int, Array] = {}
        for (a, b, what), total in zip(pairs, moments, strict=True):
            n = min(count, min(arms[a].games, arms[b].games) - first)
            if n <= 0:
                continue
            if b not in kept:
                there = min(count, arms[b].games - first)
                kept[b] = _values(arms[b], _like(arms[b], what), outcomes, first, there)
            total.add(_values(arms[a], what, outcomes, first, n), kept[b][:n])
    rows: list[tuple[Any, ...]] = []
    for (a, b, what), total in zip(pairs, moments, strict=True):
        (mean, base), (one, other, both) = total.means(), total.variances()
        t = t_quantile(total.deals - 1)
        for k, who in enumerate(what):
            half, apart = (t * float(np.sqrt(v / total.deals)) for v in (both[k], one[k] + other[k]))
            gain = float((one[k] + other[k]) / both[k]) if both[k] > 1e-12 else None
            rows.append((a, b, *who, total.deals, float(mean[k] - base[k]), half, apart, gain))
    schema = {"arm": pl.Int64, "base": pl.Int64, "player": pl.String, "seat": pl.Int64, "deals": pl.Int64}
    floats = ("difference", "half", "apart", "gain")
    return pl.DataFrame(rows, schema=schema | dict.fromkeys(floats, pl.Float64), orient="row")


def _compared(arms: Mapping[int, Arm], a: int, b: int) -> dict[Who, Places] | None:
    """What is compared of two arms; None if nothing can be."""
    if a not in arms or b not in arms or min(arms[a].games, arms[b].games) < 2:
        return None
    one, other = arms[a], arms[b]
    if not one.turned and not other.turned:
        return one.seats()
    same = one.turned and other.turned and sorted(one.lineups[0]) == sorted(other.lineups[0])
    return one.players() if same else None


def _like(arm: Arm, what: Mapping[Who, Places]) -> dict[Who, Places]:
    """The same values of another arm, in the same order."""
    own = arm.seats() | (arm.players() if arm.turned else {})
    return {who: own[who] for who in what}


def _ranges(games: int, step: int) -> Iterator[tuple[int, int]]:
    for first in range(0, games, step):
        yield first, min(step, games - first)


def _values(arm: Arm, what: Mapping[Who, Places], outcomes: Outcomes, first: int, count: int) -> Array:
    """An arm's values in deals `first`..: (count, values), each the mean over its places."""
    shares = [SHARES[outcomes(cell, first, count)] for cell in arm.cells]
    values = np.zeros((count, len(what)))
    for k, places in enumerate(what.values()):
        for c, seat in places:
            values[:, k] += shares[c][:, seat]
        values[:, k] /= len(places)
    return values


# ------------------------------------------------------------------------------------- where outcomes are


class Kept:
    """Outcomes kept in memory, a byte a game and seat; safe to add to from several threads.

    Once they would be more than `most` bytes, all are dropped and `full` is set.
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self.full = False
        self._most = most
        self._pages: dict[tuple[int, int], Array] = {}
        self._lock = threading.Lock()

    def add(self, cell: int, first: int, games: int, seat_rows: Array) -> None:
        """Take the kernel's seat rows of games `first`.. of a cell: int32 (games * seats, seat columns)."""
        winners = seat_rows[:, seat_column("win_share")].astype(np.uint8).reshape(games, -1)
        at = 0
        while at < games and not self.full:
            page, start = divmod(first + at, GAMES_PER_PAGE)
            n = min(games - at, GAMES_PER_PAGE - start)
            with self._lock:
                place = self._page(cell, page, winners.shape[1])
            if place is not None:
                place[start : start + n] = winners[at : at + n]
            at += n

    def _page(self, cell: int, page: int, seats: int) -> Array | None:
        if (cell, page) not in self._pages:
            if (len(self._pages) + 1) * GAMES_PER_PAGE * seats > self._most:
                self.full = True
                self._pages.clear()
                return None
            self._pages[cell, page] = np.zeros((GAMES_PER_PAGE, seats), np.uint8)
        return self._pages[cell, page]

    def __call__(self, cell: int, first: int, count: int) -> Array:
        """Outcomes of a range of games that were all added."""
        parts = []
        while count:
            page, start = divmod(first, GAMES_PER_PAGE)
            n = min(count, GAMES_PER_PAGE - start)
            parts.append(self._pages[cell, page][start : start + n])
            first, count = first + n, count - n
        return np.concatenate(parts)


class Stored:
    """Outcomes in the table `seats` of a run folder. `files`: (first game, games, path) of the parts of each cell."""

    def __init__(self, files: Mapping[int, Sequence[tuple[int, int, Path]]]) -> None:
        self._files = files

    def __call__(self, cell: int, first: int, count: int) -> Array:
        """Outcomes of a range of games; ValueError if the folder does not have all of them."""
        end = first + count
        paths = [path for at, n, path in sorted(self._files[cell]) if at < end and at + n > first]
        if not paths:
            raise ValueError(f"cell {cell}: games {first} to {end - 1} are not stored")
        rows = (
            pl.scan_parquet(paths)
            .filter(pl.col("game").is_between(first, end - 1))
            .select((1 / pl.col("win_share")).round().replace(float("inf"), 0).cast(pl.UInt8).alias("winners"), "game")
            .collect()
        )
        seats = rows.height // count
        if rows.height % count or rows["game"].n_unique() != count:
            raise ValueError(f"cell {cell}: not all of the games {first} to {end - 1} are stored")
        return rows["winners"].to_numpy().reshape(count, seats)
