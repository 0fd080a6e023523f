"""PLAYER: who plays a seat, one record for each, read by the kernel and never written to."""

import numpy as np

from rcsim.policies.features import WEIGHTS
from rcsim.rules.tables import MAX_TILES

i4 = np.int32
i8 = np.int64

# Restrictions of the planner: bit i of `limits` for the i-th.
LIMITS = (
    "no-tiles",  # no workshop tiles face up
    "no-ornaments",
    "no-extra",  # no extra spaces
    "no-influence",
    "no-reroll",
    "no-selling",
    "bases-only",  # claims bases only
    "not-above",  # never claims above another's section
)
(NO_TILES, NO_ORNAMENTS, NO_EXTRA, NO_INFLUENCE, NO_REROLL, NO_SELLING, BASES_ONLY, NOT_ABOVE) = (
    1 << i for i in range(len(LIMITS))
)

STAGES = 17  # from the opening to the end

PLAYER = np.dtype(
    [
        ("policy", i4),  # id in POLICIES
        ("limits", i4),  # set of restrictions
        ("budget", i4),  # playouts that a decision of the search may use
        ("tag", np.uint64),  # tells players apart, and the rules that they play by: a digest of both
        ("custom", i4),  # number in this process of a function of the designer's own (see custom.py)
        ("weights", i8, (STAGES, len(WEIGHTS))),  # at each stage of the game, in thousandths of a prestige
        ("tile_worth", i8, (MAX_TILES,)),  # of a use of each workshop tile, in thousandths of a prestige
    ],
    align=True,
)

SEATS = 4


def new_players():
    """Records for the four seats, all zero: the random player."""
    return np.zeros(SEATS, PLAYER).view(np.recarray)


def taper(weights):
    """Weights at every stage from those of the opening and the end: (2, n) to (STAGES, n), whole numbers."""
    return np.rint(np.linspace(weights[0], weights[1], STAGES)).astype(i8)
