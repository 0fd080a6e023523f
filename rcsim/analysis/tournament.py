"""Who is stronger, and how sure that is: statistics of a tournament whose line-ups all play the same deals.

A deal with all its line-ups is one block. Its games share setup and dice and are not independent; deals are. So
every value is averaged within each deal first, and every interval is one for a mean over deals.

All values of a deal are whole numbers in small units, so that sums do not depend on the order in which they came:

    win     twelfths of a win, over the seats that a player has in the line-ups of its contest
    margin  own total minus the mean of the rivals' totals, in parts of as many as there are rivals
    ahead   of a pair: 2 for a seat of the first that ends ahead of a seat of the second, 1 for a tie
"""

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rcsim.analysis.intervals import t_quantile
from rcsim.columns import game_column, seat_column

Array = np.ndarray[Any, Any]

TWELFTHS = np.array([0, 12, 6, 4, 3])  # of a win, by the number of winners that share it
LARGEST_BLOCK = 2**24  # values that one block of deals may hold: 64 MiB
SURE = 0.05  # probability below which chance is no explanation


class Contest(NamedTuple):
    """What a player's results are averaged over: its seats in all line-ups, or as one against the rest."""

    player: str
    against: str | None = None

    def seats(self, lineup: Sequence[str]) -> list[int]:
        """The seats of a line-up that count."""
        if self.against is not None:
            others = [name for name in lineup if name != self.player]
            if len(others) != len(lineup) - 1 or set(others) != {self.against}:
                return []
        return [seat for seat, name in enumerate(lineup) if name == self.player]


def contests(entrants: Sequence[str], against: Sequence[str] | None = None) -> list[Contest]:
    """The contests of a tournament, in the order of the players."""
    if against is None:
        return [Contest(name) for name in entrants]
    return [Contest(one, other) for one, other in product(entrants, against) if one != other]


@dataclass(frozen=True)
class Results:
    """Means of all values over the deals, and how these vary: (values,) and (values, values).

    Values: the win share of each contest, then the margin of each, then for each pair how often it ends ahead.
    `cover` is the covariance of a deal's values, not of the means. `games` and `counts`: of each contest, and the
    comparisons of each pair, in one deal.
    """

    deals: int
    players: int
    contests: tuple[Contest, ...]
    pairs: tuple[tuple[str, str], ...]
    games: tuple[int, ...]
    counts: tuple[int, ...]
    means: Array
    cover: Array
    truncated: int

    def win(self, contest: int) -> int:
        """Index of a contest's win share among the values."""
        return contest

    def margin(self, contest: int) -> int:
        """Index of a contest's margin."""
        return len(self.contests) + contest

    def ahead(self, pair: int) -> int:
        """Index of a pair's value."""
        return 2 * len(self.contests) + pair

    def half(self, weights: Array) -> float:
        """Half-width of the 95 % interval of a sum of means with these weights: t over deals."""
        return t_quantile(self.deals - 1) * math.sqrt(max(float(weights @ self.cover @ weights), 0) / self.deals)

    def unit(self, *signs: tuple[int, int]) -> Array:
        """Weights for `half`: the sign at each index, 0 elsewhere."""
        weights = np.zeros(len(self.means))
        for index, sign in signs:
            weights[index] = sign
        return weights

    def share(self, index: int) -> tuple[float, float, float]:
        """A value between 0 and 1 with its 95 % interval: mean, low, high."""
        return share_bounds(float(self.means[index]), float(self.cover[index, index]), self.deals)


def share_bounds(mean: float, variance: float, deals: int) -> tuple[float, float, float]:
    """A share with its 95 % interval, from mean and variance over deals: mean, low, high.

    Wilson's interval for as many independent wins or losses as would know the share equally well, with Student's t
    for the normal quantile. With many deals that is mean +- t s / sqrt(deals); it stays within 0..1, where every game
    was won it takes each deal for one game, and no deals are so much alike that they count as more than deals**2.
    """
    spread = mean * (1 - mean)
    size = deals * spread / max(variance, spread / deals) if spread > 0 else deals
    t2 = t_quantile(deals - 1) ** 2
    middle = (mean + t2 / (2 * size)) / (1 + t2 / size)
    half = math.sqrt(t2 * (spread / size + t2 / (4 * size**2))) / (1 + t2 / size)
    return mean, max(min(middle - half, mean), 0.0), min(max(middle + half, mean), 1.0)


@dataclass
class _Block:
    """Values of the deals of one block, and the rows that are still to come."""

    values: Array
    missing: int


@dataclass(frozen=True)
class _CellPlan:
    """What a line-up adds to the values: seats to contests, and pairs of seats to pairs with their turn."""

    seats: list[tuple[int, list[int]]] = field(default_factory=list)
    duels: list[tuple[int, int, int]] = field(default_factory=list)


class Tally:
    """Takes the kernel's rows of all line-ups in any order, from several threads, and keeps sums over deals.

    Memory: the deals of the blocks that are under way (`block` deals each, about two if the line-ups come block by
    block), whatever the number of deals.
    """

    def __init__(self, lineups: Sequence[Sequence[str]], contests: Sequence[Contest], *, deals: int) -> None:
        """`lineups` by cell; `deals` of each, from 0."""
        self.deals = deals
        self.contests = tuple(contests)
        self.players = len(lineups[0])
        names = list(dict.fromkeys(name for lineup in lineups for name in lineup))
        together = {frozenset(pair) for lineup in lineups for pair in combinations(set(lineup), 2)}
        self.pairs = tuple(pair for pair in combinations(names, 2) if frozenset(pair) in together)
        self._pair = {pair: k for k, pair in enumerate(self.pairs)}
        self._plans = [self._plan(lineup) for lineup in lineups]
        self._width = 2 * len(self.contests) + len(self.pairs)
        self.block = 2 ** max(min(17, (LARGEST_BLOCK // self._width).bit_length() - 1), 11)
        self._blocks: dict[int, _Block] = {}
        self._sums = np.zeros(self._width, object)  # Python's integers: nothing is rounded, nothing wraps
        self._cross = np.zeros((self._width, self._width), object)
        self._truncated = 0
        self._done = 0
        self._lock = threading.Lock()

    def _plan(self, lineup: Sequence[str]) -> _CellPlan:
        plan = _CellPlan()
        for i, contest in enumerate(self.contests):
            if seats := contest.seats(lineup):
                plan.seats.append((i, seats))
        for i, j in product(range(len(lineup)), repeat=2):
            if (lineup[i], lineup[j]) in self._pair:
                plan.duels.append((self._pair[lineup[i], lineup[j]], i, j))
        return plan

    def add(self, cell: int, first: int, game_rows: Array, seat_rows: Array) -> None:
        """Add the rows of deals `first`.. of one cell: int32, (n, game columns) and (n * seats, seat columns)."""
        n = len(game_rows)
        seats = seat_rows.reshape(n, -1, seat_rows.shape[1])
        values = self._values(self._plans[cell], seats)
        truncated = int(game_rows[:, game_column("truncated")].sum())
        at = 0
        while at < n:  # rows of one block at a time
            number, offset = divmod(first + at, self.block)
            count = min(n - at, self.block - offset)
            self._add(number, offset, values[at : at + count])
            at += count
        with self._lock:
            self._truncated += truncated

    def _values(self, plan: _CellPlan, seats: Array) -> Array:
        """What games add to the values of their deals: int32 (games, values), from rows (games, seats, columns)."""
        n, k = seats.shape[:2]
        values = np.zeros((n, self._width), np.int32)
        win = TWELFTHS[seats[:, :, seat_column("win_share")]]
        total = seats[:, :, seat_column("total")]
        margin = k * total - total.sum(axis=1, keepdims=True)  # times the number of rivals
        rank = seats[:, :, seat_column("rank")]
        for contest, own in plan.seats:
            values[:, contest] = win[:, own].sum(axis=1)
            values[:, len(self.contests) + contest] = margin[:, own].sum(axis=1)
        for pair, i, j in plan.duels:
            values[:, 2 * len(self.contests) + pair] += 1 + np.sign(rank[:, j] - rank[:, i])
        return values

    def _add(self, number: int, offset: int, values: Array) -> None:
        with self._lock:
            if number not in self._blocks:
                size = min(self.block, self.deals - number * self.block)
                self._blocks[number] = _Block(np.zeros((size, self._width), np.int32), size * len(self._plans))
            block = self._blocks[number]
            block.values[offset : offset + len(values)] += values
            block.missing -= len(values)
            if block.missing:
                return
            del self._blocks[number]
        for start in range(0, len(block.values), 2**10):
            part = block.values[start : start + 2**10].astype(np.int64)
            sums, cross = part.sum(axis=0), part.T @ part
            with self._lock:
                self._sums += sums
                self._cross += cross
                self._done += len(part)

    def results(self) -> Results:
        """Means and covariances, once every deal of every line-up is there."""
        if self._done != self.deals:
            raise ValueError(f"{self.deals - self._done} deals are not complete")
        own = [sum(len(seats) for plan in self._plans for i, seats in plan.seats if i == c) for c in self._each()]
        games = [sum(i == c for plan in self._plans for i, _ in plan.seats) for c in self._each()]
        counts = [sum(p == k for plan in self._plans for p, _, _ in plan.duels) for k in range(len(self.pairs))]
        rivals = max(self.players, 2) - 1
        units = np.array([*(12 * n for n in own), *(rivals * n for n in own), *(2 * n for n in counts)], float)
        spread = self.deals * self._cross - np.outer(self._sums, self._sums)
        cover = spread.astype(float) / (self.deals * (self.deals - 1))
        return Results(
            deals=self.deals,
            players=self.players,
            contests=self.contests,
            pairs=self.pairs,
            games=tuple(games),
            counts=tuple(counts),
            means=self._sums.astype(float) / (self.deals * units),
            cover=cover / np.outer(units, units),
            truncated=self._truncated,
        )

    def _each(self) -> range:
        return range(len(self.contests))


def standings(results: Results) -> pl.DataFrame:
    """A row for each contest: `player`, `against` (null: everybody), `games`, win share and margin.

    `win`, `win_low`, `win_high`: win share of a seat of the player with its 95 % interval. `margin`, `margin_half`:
    own total minus the mean of the rivals' totals, in prestige.
    """
    rows = []
    for i, contest in enumerate(results.contests):
        at = results.margin(i)
        margin = (float(results.means[at]), results.half(results.unit((at, 1))))
        rows.append((*contest, results.games[i] * results.deals, *results.share(results.win(i)), *margin))
    floats = ("win", "win_low", "win_high", "margin", "margin_half")
    schema = {"player": pl.String, "against": pl.String, "games": pl.Int64} | dict.fromkeys(floats, pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row")


def pair_shares(results: Results) -> pl.DataFrame:
    """A row for each pair that met: `player`, `other`, `compared`, `ahead`, `low`, `high`.

    `ahead` is how often a seat of `player` ends ahead of a seat of `other` (by rank; a tie counts half), over all
    `compared` pairs of their seats in a game.
    """
    rows = [
        (*pair, results.counts[k] * results.deals, *results.share(results.ahead(k)))
        for k, pair in enumerate(results.pairs)
    ]
    floats = ("ahead", "low", "high")
    schema = {"player": pl.String, "other": pl.String, "compared": pl.Int64} | dict.fromkeys(floats, pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row")


def differences(results: Results) -> pl.DataFrame:
    """A row for each two contests: `player` minus `other` on the same deals, win share and margin.

    `win`, `win_half`, `margin`, `margin_half`; the intervals are those of paired differences over deals.
    """
    rows = []
    for i, j in combinations(range(len(results.contests)), 2):
        row: list[Any] = [results.contests[i].player, results.contests[j].player]
        for a, b in ((results.win(i), results.win(j)), (results.margin(i), results.margin(j))):
            row += [float(results.means[a] - results.means[b]), results.half(results.unit((a, 1), (b, -1)))]
        rows.append(row)
    floats = ("win", "win_half", "margin", "margin_half")
    schema = {"player": pl.String, "other": pl.String} | dict.fromkeys(floats, pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row")


def cycles(pairs: pl.DataFrame) -> list[list[str]]:
    """Shortest cycles of players each ahead of the next, and the last of the first, beyond doubt.

    Beyond doubt: the whole interval of the pair is on one side of one half. From `pair_shares`; each cycle once, begun
    with the player that comes first in the table.
    """
    beats: dict[str, list[str]] = {}
    for row in pairs.iter_rows(named=True):
        if row["low"] > 0.5:
            beats.setdefault(row["player"], []).append(row["other"])
        elif row["high"] < 0.5:
            beats.setdefault(row["other"], []).append(row["player"])
    order = list(dict.fromkeys([*pairs["player"], *pairs["other"]]))
    found: dict[tuple[str, ...], None] = {}
    for start in order:
        paths, seen = [[start]], {start}
        while paths:
            path = paths.pop(0)
            after = beats.get(path[-1], [])
            if start in after:
                k = min(range(len(path)), key=lambda i: order.index(path[i]))
                found[tuple(path[k:] + path[:k])] = None
                break
            paths += [[*path, name] for name in after if name not in seen]
            seen.update(after)
    shortest = min(map(len, found), default=0)
    return [list(cycle) for cycle in found if len(cycle) == shortest]
