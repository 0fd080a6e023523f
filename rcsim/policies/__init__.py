"""The players. Each is one small file behind an integer id; `choose.py` dispatches.

This module is the list of them, without Numba: the command line reads it. What a user may write for a player, a name
with options or a file, is in `lineup.py`.
"""

from typing import NamedTuple


class Policy(NamedTuple):
    """A way of playing: its name, its id in the kernel, what it is."""

    name: str
    id: int
    doc: str


POLICIES = (
    Policy("random", 0, "uniform over all legal steps"),
    Policy("builder", 1, "random, but delivers whenever it can: more of its games come to an end"),
    Policy(
        "greedy", 2, "a fast, sensible player: finishes, claims, builds or fetches by hand-made rules, no look-ahead"
    ),
    Policy("planner", 3, "weighs every whole turn by where it leads"),
    Policy("search", 4, "plays the planner's best turns on to the end, many times, and takes what does best"),
    Policy("custom", 5, "a function of a file of your own"),
)
STYLES = ("balanced", "rusher", "majority", "decorator", "workshop")  # the planner's: data/<style>.toml
PLANNER_STYLE = STYLES[0]  # what `planner` and `search` play by
NAMES = (*(p.name for p in POLICIES if p.name not in ("search", "custom")), *STYLES, "search")  # on the command line
DEFAULT_POLICY = "planner"


def policy_id(name: str) -> int:
    """Id of a policy; KeyError if there is none of that name."""
    return {p.name: p.id for p in POLICIES}[name]
