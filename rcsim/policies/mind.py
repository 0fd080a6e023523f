"""MIND: a player's scratch paper, one record for each thread. Nothing in it outlives a decision."""

import numpy as np

i8 = np.int64

MIND = np.dtype(
    [
        ("short", i8, (6,)),  # materials that own sections and ornaments lack (below 0: more than they need)
        ("last", i8, (6,)),  # worth of each to the section that it brings nearest to completion
        ("at_hand", i8, (6,)),  # materials in the inventory that each own section under way can take
        ("room", i8),  # slots for materials that nothing needs yet
        ("landing", i8, (8,)),  # worth of each space to a die that comes from elsewhere: resources and influence
        ("guild", i8, (4,)),  # worth of the better action of each quadrant's card
        ("workshop", i8, (5,)),  # worth of the best face-up tile for each die
        ("space", i8, (3,)),  # best workshop space for a tile that is DEAD, used OFTEN, used SELDOM
        ("space_worth", i8, (3,)),  # and its worth, the tile's bonus apart
        ("best", i8),  # worth of the best move
        ("build", i8),  # worth of the best build action
        ("finishes", i8),  # 1 if a section can be finished this turn
        ("delivery", i8),  # the action that begins it
    ],
    align=True,
)


def new_mind():
    """An empty record."""
    return np.zeros(1, MIND).view(np.recarray)[0]
