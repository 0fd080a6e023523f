"""Stored games played again by the engine, and compared with what is stored, number by number."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rcsim.columns import GAME_COLUMNS, SEAT_COLUMNS
from rcsim.experiments import work
from rcsim.experiments.cells import Cell, Run, ruleset_of
from rcsim.experiments.schema import COUNTED

if TYPE_CHECKING:
    import pyarrow as pa

Array = np.ndarray[Any, Any]

GAMES_PER_CALL = 2**10


class Again:
    """Plays games of one cell again. Raises what `ruleset_of` and `Cell.inputs` do, if that cannot be done here."""

    def __init__(self, run: Run, cell: Cell) -> None:
        self.run = replace(run, detail="full") if run.detail == "summary" else run
        self.cell = cell
        self.ruleset = ruleset_of(run, cell)
        self._inputs = cell.inputs(self.ruleset, run.players)
        self._play(0, 0)  # the engine is ready then

    def _play(self, first: int, count: int) -> tuple[Array, Array]:
        """Rows of the kernel, as `new_rows` has them."""
        rows = work.new_rows(count, self.cell.seats)
        work.kernel()(*self._inputs, self.run.seed, first, *rows)
        return rows

    def game(self, game: int, stored: "Mapping[str, pa.Table]") -> str | None:
        """What is not as `stored`, the rows of a game by table: "seats: total is ..., and ... when ..."; or None."""
        from rcsim.experiments.encode import Encoder

        encoder = Encoder(self.run, self.cell, self.ruleset, 1)
        encoder.add(game, *self._play(game, 1))
        for table, rows in encoder.take().items():
            for name in rows.schema.names:
                here, there = (t.column(name).to_pylist() for t in (rows, stored[table]))
                if here != there:
                    return f"{table}: {name} is {_list(there)}, and {_list(here)} when the game is played again"
        return None

    def counts(self, first: int, count: int, stored: "pa.Table") -> str | None:
        """What is not as `stored`, the summary of a range of games; or None."""
        plans = self.ruleset.plan_ids(self.cell.players)
        found: Counter[tuple[Any, ...]] = Counter()
        for start in range(first, first + count, GAMES_PER_CALL):
            games, seats = self._play(start, min(GAMES_PER_CALL, first + count - start))
            by_seat = seats.reshape(len(games), self.cell.seats, -1)
            codes = games[:, [c.name for c in GAME_COLUMNS].index("plan")]
            for code in np.unique(codes):
                rows, plan = codes == code, plans[code]
                for j, column in enumerate(GAME_COLUMNS):
                    if column.name != "plan":
                        _count(found, (plan, None, column.name), games[rows, j])
                for seat in range(self.cell.seats):
                    for j, column in enumerate(SEAT_COLUMNS):
                        if column.name in COUNTED and column.name != "seat":
                            _count(found, (plan, seat, column.name), by_seat[rows, seat, j])
        names = ("plan", "seat", "column", "value")
        keys = zip(*(stored.column(name).to_pylist() for name in names), strict=True)
        there = dict(zip(keys, stored.column("games").to_pylist(), strict=True))
        for key in {**there, **found}:
            if there.get(key, 0) != found[key]:
                what = f"{key[2]} {key[3]}" + ("" if key[1] is None else f" of seat {key[1]}")
                return f"{what} is counted {there.get(key, 0)} times, and {found[key]} when the games are played again"
        return None


def _count(counter: "Counter[tuple[Any, ...]]", key: tuple[Any, ...], values: Array) -> None:
    for value, games in zip(*np.unique(values, return_counts=True), strict=True):
        counter[(*key, int(value))] += int(games)


def _list(values: list[Any]) -> str:
    return ", ".join("null" if value is None else str(value) for value in values)
