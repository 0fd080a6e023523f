"""Counts of values, by plan, seat and column: all that detail "summary" keeps of the games of a part.

A count is known by one integer that holds plan, seat, column and value and sorts as they do, so that counts of any
games are put together by a sort.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rcsim.columns import GAME_COLUMNS, SEAT_COLUMNS
from rcsim.experiments import schema
from rcsim.experiments.cells import Cell

Array = np.ndarray[Any, Any]

_OFFSET = 2**31  # makes a value positive


@dataclass(frozen=True)
class Counts:
    """Keys, rising, and the number of games of each: int64 both."""

    keys: Array
    games: Array

    @classmethod
    def sum(cls, several: "Iterable[Counts]") -> "Counts":
        """The counts of all their games."""
        several = list(several)
        keys = np.concatenate([np.empty(0, np.int64), *(c.keys for c in several)])
        games = np.concatenate([np.empty(0, np.int64), *(c.games for c in several)])
        order = np.argsort(keys, kind="stable")
        keys, games = keys[order], games[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        return cls(keys[starts], np.add.reduceat(games, starts) if len(starts) else games)

    def columns(self) -> dict[str, Array]:
        """Plan (as the kernel counts them), seat (-1: of the game), column (of schema.COUNTED), value, games."""
        rest, value = np.divmod(self.keys, 2**32)
        rest, column = np.divmod(rest, 2**8)
        plan, place = np.divmod(rest, 2**8)
        return {"plan": plan, "seat": place - 1, "column": column, "value": value - _OFFSET, "games": self.games}


def _key(plan: Array, seat: Array, column: Array, value: Array) -> Array:
    """Keys of int64 arrays that fit together."""
    return np.asarray(((plan * 2**8 + seat + 1) * 2**8 + column) * 2**32 + value + _OFFSET)


_CODES = {name: code for code, name in enumerate(schema.COUNTED)}
_GAME_CODES = np.array([_CODES.get(c.name, -1) for c in GAME_COLUMNS], np.int64)  # -1: not counted but a key
_SEAT_CODES = np.array([_CODES[c.name] if i else -1 for i, c in enumerate(SEAT_COLUMNS)], np.int64)


class Counter:
    """Counts the kernel's rows of one cell; belongs to one thread."""

    def __init__(self, cell: Cell, plans: int, games_per_call: int) -> None:
        """`plans`: of the cell's player count; `games_per_call`: the most games that `add` is given."""
        from rcsim.engine.tally import new_list, new_tables, tally

        self.cell = cell
        self.capacity = sys.maxsize  # games between two calls of `take`
        self._tally = tally
        self._games, self._seats = new_tables(plans, cell.seats)
        self._beyond = new_list(games_per_call, cell.seats)
        self._found: list[Counts] = []

    def add(self, first: int, game_rows: Array, seat_rows: Array) -> None:
        """Count the rows of games `first`.. on: int32, (n, game columns) and (n * seats, seat columns)."""
        n = self._tally(game_rows, seat_rows, self._games, self._seats, self._beyond)
        plan, seat, column, value = self._beyond[:n].T.astype(np.int64)
        codes = np.where(seat < 0, _GAME_CODES[np.minimum(column, len(_GAME_CODES) - 1)], _SEAT_CODES[column])
        kept = codes >= 0
        keys, games = np.unique(_key(plan, seat, codes, value)[kept], return_counts=True)
        self._found.append(Counts(keys, games.astype(np.int64)))

    def take(self) -> Counts:
        """The counts of all rows since the last call, and start anew."""
        from rcsim.engine.tally import LOW

        for table, codes, first in ((self._games[:, None], _GAME_CODES, -1), (self._seats, _SEAT_CODES, 0)):
            flat = table.reshape(-1)
            at = np.flatnonzero(flat)
            plan, seat, column, place = np.unravel_index(at, table.shape)
            kept = codes[column] >= 0
            keys = _key(plan, seat + first, codes[column], place + LOW)
            self._found.append(Counts(keys[kept], flat[at[kept]]))
            flat[at] = 0
        found, self._found = self._found, []
        return Counts.sum(found)
