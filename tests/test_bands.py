"""Games of greedy players by the shipped data look like games: scores, lengths and ends lie where people's do.

The bands are wide. They are left when a card, a rule or the player goes wrong, not when one is tuned.
"""

from typing import Any

import numba
import numpy as np
import pytest

from rcsim.columns import game_column, seat_column
from rcsim.rules import load
from rcsim.rules.pack import pack
from tests.test_invariants import rows

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="thousands of games")
SEED = 77


def play(policies: list[str], deals: int) -> tuple[Any, Any]:
    """Rows of games by the shipped ruleset: (deals, game columns) and (deals, seats, seat columns)."""
    games, seats = rows(pack(load(), players=len(policies)), policies, SEED, 0, deals)
    return games, seats.reshape(deals, len(policies), -1)


@pytest.mark.parametrize(("players", "complete"), [(2, 0.15), (3, 0.05), (4, 0.05)])
def test_greedy_games_look_like_games(players: int, complete: float) -> None:
    games, seats = play(["greedy"] * players, 3000)
    assert 25 < np.median(seats[:, :, seat_column("total")]) < 70
    assert 12 < np.median(seats[:, :, seat_column("turns")]) < 25
    assert games[:, game_column("complete")].mean() < complete
    assert games[:, game_column("truncated")].mean() < 0.005


def test_greedy_beats_random() -> None:
    won = 0.0
    for seat in range(4):
        policies = ["random"] * 4
        policies[seat] = "greedy"
        sharing = play(policies, 500)[1][:, seat, seat_column("win_share")]  # k of k winners, 0: lost
        won += (1 / sharing[sharing > 0]).sum()
    assert won / (4 * 500) >= 0.95
