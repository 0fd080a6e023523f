"""MIND: a player's scratch paper, one record for each thread. Nothing in it outlives a decision."""

import numpy as np

f8 = np.float64

MIND = np.dtype(
    [
        ("short", f8, (6,)),  # materials that own unfinished sections still need beyond the inventory (below 0: spare)
        ("last", f8, (6,)),  # worth of it to the section that it brings nearest to completion
        ("room", f8),  # slots for materials that no section needs yet
        ("material", f8, (6,)),  # worth of one more of each material
        ("landing", f8, (8,)),  # worth of each space to a die that comes from elsewhere: resources and influence
        ("guild", f8, (4,)),  # worth of the better action of each quadrant's card
        ("workshop", f8, (5,)),  # worth of the best face-up tile for each die
        ("best", f8),  # worth of the best move
        ("build", f8),  # worth of the best build action
        ("finishes", f8),  # 1 if a section can be finished this turn
    ],
    align=True,
)


def new_mind():
    """An empty record."""
    return np.zeros(1, MIND).view(np.recarray)[0]
