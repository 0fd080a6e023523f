"""MIND: a player's scratch paper, one record for each thread. Nothing in it outlives a decision."""

import numpy as np

f8 = np.float64

MIND = np.dtype(
    [
        ("short", np.int64, (6,)),  # materials that own sections and ornaments lack (below 0: more than they need)
        ("last", f8, (6,)),  # worth of each to the section that it brings nearest to completion
        ("room", np.int64),  # slots for materials that nothing needs yet
        ("landing", f8, (8,)),  # worth of each space to a die that comes from elsewhere: resources and influence
        ("guild", f8, (4,)),  # worth of the better action of each quadrant's card
        ("workshop", f8, (5,)),  # worth of the best face-up tile for each die
        ("best", f8),  # worth of the best move, or of the best of a list
        ("build", f8),  # worth of the best build action
        ("finishes", np.int64),  # 1 if a section can be finished this turn
        ("delivery", np.int64),  # the action that begins it
    ],
    align=True,
)


def new_mind():
    """An empty record."""
    return np.zeros(1, MIND).view(np.recarray)[0]
