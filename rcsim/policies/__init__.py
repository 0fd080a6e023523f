"""The players. Each is one small file behind an integer id; `choose.py` dispatches.

This module is the list of them, without Numba: the command line reads it.
"""

from typing import NamedTuple


class Policy(NamedTuple):
    """A player: its name on the command line, its id in the kernel, what it is."""

    name: str
    id: int
    doc: str


POLICIES = (
    Policy("random", 0, "uniform over all legal steps"),
    Policy("builder", 1, "random, but delivers whenever it can: more of its games come to an end"),
    Policy(
        "greedy", 2, "a fast, sensible player: finishes, claims, builds or fetches by hand-made rules, no look-ahead"
    ),
)


def policy_id(name: str) -> int:
    """Id of a player; KeyError if there is none of that name."""
    return {p.name: p.id for p in POLICIES}[name]
