"""Where weights are tried: each candidate alone against one kind of opponent, on deals that all candidates share.

A bout is a kind of game: player count, board, and who sits in the other seats. In each of its deals a candidate sits
once in every seat, so that neither the seats nor the luck of the deals favours one. Threads take a candidate's games
in small pieces; what a piece holds depends on nothing else, and the pieces are put together in order, so that no
number depends on the threads.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from rcsim.columns import game_column
from rcsim.experiments import work
from rcsim.experiments.objectives import MEASURES, Objective
from rcsim.policies.lineup import Player, seat_players

Array = np.ndarray[Any, Any]

GAMES_PER_CALL = 2**7  # a stop is heard soon


@dataclass(frozen=True)
class Bout:
    """A kind of game: packed tables for some players on a board, and the opponent in all other seats.

    The opponent None is the champion of the moment.
    """

    players: int
    board: str
    opponent: Player | None
    tables: Array


@dataclass(frozen=True)
class _Piece:
    """Games of one candidate in one seat: deals first to first + count - 1 of a bout."""

    bout: int
    candidate: int
    seat: int
    first: int
    count: int


class Arena:
    """Bouts, the threads that play them, and the seed of their deals. Close it, or use it as a context."""

    def __init__(self, bouts: Sequence[Bout], objective: Objective, *, seed: int, threads: int) -> None:
        self.bouts = tuple(bouts)
        self.objective = objective
        self.seed = seed
        self._pool = ThreadPoolExecutor(threads)

    def __enter__(self) -> "Arena":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the threads after the pieces that they are at."""
        self._pool.shutdown(cancel_futures=True)

    def warm_up(self, player: Player) -> None:
        """Have all that plays compiled, or read from its cache, before several threads ask for it at once."""
        for bout in self.bouts:
            lineup = seat_players([player, bout.opponent or player], bout.tables[0])
            work.kernel()(bout.tables, lineup, self.seed, 0, *work.new_rows(0, bout.players))

    def deals(self, games: int) -> list[int]:
        """Deals of each bout for about so many games of a candidate: the bouts share the games equally."""
        return [max(1, round(games / len(self.bouts) / bout.players)) for bout in self.bouts]

    def played(self, games: int) -> int:
        """The games of a candidate when about so many are asked for."""
        return sum(n * bout.players for n, bout in zip(self.deals(games), self.bouts, strict=True))

    def play(self, candidates: Sequence[Player], champion: Player, first: int, games: int) -> "Results":
        """Try candidates in about so many games each, on deals from `first` on; no two bouts share a deal."""
        deals = self.deals(games)
        firsts = [first + sum(deals[:i]) for i in range(len(deals))]
        pieces = list(self._cut(len(candidates), firsts, deals))
        lineups = [self._lineups(bout, candidates, champion) for bout in self.bouts]
        futures = [self._pool.submit(self._play, lineups[p.bout][p.candidate, p.seat], p) for p in pieces]
        values = [np.zeros((len(candidates), len(MEASURES), n)) for n in deals]
        try:
            for piece, future in zip(pieces, futures, strict=True):
                start = piece.first - firsts[piece.bout]
                at = slice(start, start + piece.count)
                values[piece.bout][piece.candidate, :, at] += future.result() / self.bouts[piece.bout].players
        finally:
            for future in futures:
                future.cancel()
        return Results(values)

    def _cut(self, candidates: int, firsts: Sequence[int], deals: Sequence[int]) -> Iterator[_Piece]:
        for bout, first, n in zip(range(len(self.bouts)), firsts, deals, strict=True):
            for candidate in range(candidates):
                for seat in range(self.bouts[bout].players):
                    for start in range(0, n, GAMES_PER_CALL):
                        yield _Piece(bout, candidate, seat, first + start, min(GAMES_PER_CALL, n - start))

    @staticmethod
    def _lineups(bout: Bout, candidates: Sequence[Player], champion: Player) -> Array:
        """PLAYER records, (candidates, players, seats): each candidate in each seat, the opponent in the others."""
        opponent, *records = (seat_players([p], bout.tables[0])[0] for p in (bout.opponent or champion, *candidates))
        out = np.empty((len(candidates), bout.players, 4), opponent.dtype)
        out[:] = opponent
        for i, record in enumerate(records):
            for seat in range(bout.players):
                out[i, seat, seat] = record
        return out

    def _play(self, lineup: Array, piece: _Piece) -> Array:
        """The measures of a piece: (measures, games)."""
        bout = self.bouts[piece.bout]
        games, seats = work.new_rows(piece.count, bout.players)
        work.kernel()(bout.tables, lineup, self.seed, piece.first, games, seats)
        rows = seats.reshape(piece.count, bout.players, -1)
        return self.objective.measure(rows, piece.seat, games[:, game_column("truncated")])


@dataclass(frozen=True)
class Results:
    """Measures of each candidate, by bout: float64 (candidates, measures, deals), each the mean over the seats."""

    values: list[Array]

    def means(self) -> Array:
        """Mean measures of each candidate over all bouts, which count alike: (candidates, measures)."""
        return np.asarray(sum(v.mean(axis=2) for v in self.values) / len(self.values))

    def combined(self, weights: Array) -> tuple[float, float]:
        """A sum of means and its standard error; `weights` (candidates, measures) says what each counts.

        The deals are independent, the games of one deal are not: the error is that of the sum deal by deal.
        """
        mean = variance = 0.0
        for values in self.values:
            by_deal = np.einsum("cm,cmd->d", weights, values)
            mean += float(by_deal.mean())
            variance += float(by_deal.var(ddof=1)) / len(by_deal) if len(by_deal) > 1 else 0.0
        return mean / len(self.values), variance**0.5 / len(self.values)
