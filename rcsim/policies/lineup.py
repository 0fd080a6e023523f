"""From the players' names to the records that the kernel reads."""

from collections.abc import Sequence
from typing import Any

from rcsim.policies import policy_id
from rcsim.policies.player import new_players


def seat_players(specs: Sequence[str], tables: Any) -> Any:
    """PLAYER records of a line-up: shape (4,), a player for each seat that one sits at, the rest idle.

    `tables` is what the players will play with (`rcsim.rules.pack`): the worth of workshop tiles depends on it.
    """
    players = new_players()
    for seat, spec in enumerate(specs):
        players[seat].policy = policy_id(spec)
    return players
