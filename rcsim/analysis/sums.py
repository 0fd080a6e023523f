"""Sums over games: all that the closing table of a sweep needs, whole numbers, in any order the same.

Two frames, with a row for each cell and plan (and seat):

    game sums: cell, plan, games, truncated, ties, complete, turns, turns_2
    seat sums: cell, plan, seat, games, wins_1 .. wins_4, score, score_2

`plan` is the index among the plans of the cell's player count or, from stored data, its name; `wins_k` counts the
games that the seat won together with k - 1 others; `_2` marks a sum of squares.
"""

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from rcsim.columns import game_column, seat_column

Array = np.ndarray[Any, Any]

MAX_WINNERS = 4
WINS = tuple(f"wins_{k}" for k in range(1, MAX_WINNERS + 1))
GAME_SUMS = ("games", "truncated", "ties", "complete", "turns", "turns_2")
SEAT_SUMS = ("games", *WINS, "score", "score_2")


class Sums:
    """Running sums over the kernel's rows; a few numbers, however many games. Safe to add to from several threads."""

    def __init__(self) -> None:
        self._games: dict[tuple[int, int], Array] = {}
        self._seats: dict[tuple[int, int], Array] = {}
        self._lock = threading.Lock()

    def add(self, cell: int, game_rows: Array, seat_rows: Array) -> None:
        """Add rows of one cell: int32, (n, game columns) and (n * seats, seat columns), in order of game and seat."""
        plans = game_rows[:, game_column("plan")]
        game = _game_terms(game_rows)
        seat = _seat_terms(seat_rows.reshape(len(game_rows), -1, seat_rows.shape[1]))
        for plan in np.unique(plans):
            chosen = plans == plan
            sums = game[:, chosen].sum(axis=1)  # (sums,)
            seat_sums = seat[:, chosen].sum(axis=1)  # (sums, seats)
            key = (cell, int(plan))
            with self._lock:
                self._games[key] = self._games.get(key, 0) + sums
                self._seats[key] = self._seats.get(key, 0) + seat_sums

    def merge(self, other: "Sums") -> None:
        """Add the sums of other games."""
        for mine, theirs in ((self._games, other._games), (self._seats, other._seats)):
            with self._lock:
                for key, sums in theirs.items():
                    mine[key] = mine.get(key, 0) + sums

    def games(self) -> pl.DataFrame:
        """The game sums so far."""
        return pl.DataFrame(
            self.to_json()["games"], schema=dict.fromkeys(("cell", "plan", *GAME_SUMS), pl.Int64), orient="row"
        )

    def seats(self) -> pl.DataFrame:
        """The seat sums so far."""
        return pl.DataFrame(
            self.to_json()["seats"], schema=dict.fromkeys(("cell", "plan", "seat", *SEAT_SUMS), pl.Int64), orient="row"
        )

    def to_json(self) -> dict[str, list[list[int]]]:
        """The rows of both frames, in their order, as plain data."""
        with self._lock:
            return {
                "games": [[*key, *sums.tolist()] for key, sums in sorted(self._games.items())],
                "seats": [
                    [*key, seat, *sums[:, seat].tolist()]
                    for key, sums in sorted(self._seats.items())
                    for seat in range(sums.shape[1])
                ],
            }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Sums":
        """The sums of plain data; TypeError, ValueError or KeyError if it is none."""
        sums = cls()
        for cell, plan, *values in data["games"]:
            sums._games[cell, plan] = np.array(values, np.int64)
        seats: dict[tuple[int, int], list[list[int]]] = {}
        for cell, plan, _, *values in data["seats"]:
            seats.setdefault((cell, plan), []).append(values)
        sums._seats = {key: np.array(rows, np.int64).T for key, rows in seats.items()}
        return sums


def _game_terms(rows: Array) -> Array:
    """Each game's contribution to the game sums: int64, (sums, games)."""
    turns = rows[:, game_column("turns")].astype(np.int64)
    counted = [rows[:, game_column(name)] for name in ("truncated", "tie", "complete")]
    return np.stack([np.ones_like(turns), *counted, turns, turns**2])


def _seat_terms(rows: Array) -> Array:
    """Each seat's contribution to the seat sums, from rows (games, seats, columns): int64, (sums, games, seats)."""
    score = rows[:, :, seat_column("total")].astype(np.int64)
    winners = rows[:, :, seat_column("win_share")]  # the kernel writes k for a share of 1/k
    wins = [winners == k for k in range(1, MAX_WINNERS + 1)]
    return np.stack([np.ones_like(score), *wins, score, score**2])


def stored_games(games: pl.LazyFrame) -> pl.LazyFrame:
    """The game sums of a stored table `games`."""
    turns = pl.col("turns").cast(pl.Int64)
    return (
        games.group_by("cell", "plan")
        .agg(
            pl.len().cast(pl.Int64).alias("games"),
            *(pl.col(c).sum().cast(pl.Int64).alias(name) for c, name in
              (("truncated", "truncated"), ("tie", "ties"), ("complete", "complete"))),
            turns.sum().alias("turns"),
            (turns**2).sum().alias("turns_2"),
        )
        .sort("cell", "plan")
    )  # fmt: skip


def stored_seats(games: pl.LazyFrame, seats: pl.LazyFrame) -> pl.LazyFrame:
    """The seat sums of the stored tables `games` and `seats`."""
    score = pl.col("total").cast(pl.Int64)
    winners = (1 / pl.col("win_share")).round()
    return (
        seats.select("cell", "game", "seat", "total", "win_share")
        .join(games.select("cell", "game", "plan"), on=["cell", "game"])
        .group_by("cell", "plan", "seat")
        .agg(
            pl.len().cast(pl.Int64).alias("games"),
            *((winners == k).sum().cast(pl.Int64).alias(name) for k, name in enumerate(WINS, 1)),
            score.sum().alias("score"),
            (score**2).sum().alias("score_2"),
        )
        .sort("cell", "plan", "seat")
    )
