"""MIND: a player's scratch paper, one record for each thread. Nothing in it outlives a decision."""

import numpy as np

from rcsim.engine.state import GAME, LOG
from rcsim.policies.features import WEIGHTS

i2 = np.int16
i4 = np.int32
i8 = np.int64

VIEWS = 8
TRIALS = 2

VIEW = np.dtype(  # what a seat holds at some point of a turn that it thinks through (planner/view.py); 64 bytes
    [
        ("worth", i8),  # of all below, in thousandths of a prestige
        ("besides", i8),  # worth that shows in nothing below
        ("inv", i2, (6,)),
        ("beyond", i2, (6,)),  # inventory beyond what sections under way still need; below 0: what they lack
        ("held", i2),
        ("slots", i2),
        ("dice", i2),  # in the arrival space
        ("rubles", i4),
        ("marker", i4),
        ("sold", i4),  # sales so far in this plan
    ],
    align=True,
)

MIND = np.dtype(
    [
        # greedy
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
        # planner
        ("w", i8, (len(WEIGHTS),)),  # weights at this point of the game, in thousandths of a prestige
        ("limits", i8),  # the player's restrictions
        ("last_turn", i8),  # 1 if the seat has no turn after this one: only the score counts
        ("can_sell", i8),  # 1 if prestige may be sold now
        ("sell_here", i8),  # 1 while the step that is thought through may be paid for by sales
        ("hold", i8),  # 1 while deliveries of repeated uses are held back, to be made together
        ("tile_brings", i8),  # 1 if a face-up tile could bring something
        ("changed", i8),  # 1 if the effect that is thought through has changed something
        ("moved", i8),  # die that the plan has moved, or -1
        ("moved_to", i8),
        ("other_best", i8),  # worth of the best plan without a die
        ("die_best", i8, (5,)),  # bound on the worth of moving each die
        ("face_worth", i8, (3, 6)),  # of a die to be rerolled, by face
        ("views", VIEW, (VIEWS,)),  # [0] is the position itself
        ("now", i8),  # worth of views[0]
        ("tower", i8, (6,)),  # worth of each tower as it stands, or UNKNOWN
        ("adorned", i8, (6,)),  # what an ornament more adds to it, or UNKNOWN
        ("row", i4, (4,)),  # presence of each seat in a tower if all claims were finished
        ("extra_worth", i8, (8,)),  # what so many extra spaces cost
        ("extra_sales", i8, (8,)),  # sales that they take
        ("spare", i8, (6,)),  # weight of a material that none needs
        ("lacking", i8, (6,)),  # weight of one that is lacking
        ("first_spare", i8, (6,)),  # worth besides of the first spare one
        ("gems", i8),  # gems of a colour that open ornaments could take
        ("open", i8, (3,)),  # 1 if an ornament of the kind is left for which a section stands bare
        ("alone", i8, (4,)),  # the best ornament of a kind that takes so many deliveries, without the rest
        ("others", i8, (4,)),  # and the best of the kinds before it
        ("known", i8, (6,)),  # set of amounts (bit n) of a material whose gain is known
        ("gain", i8, (6, 12)),  # what n more of a material are worth, nothing else done
        ("deliveries", i8, (7,)),  # what up to n deliveries of an effect are worth, nothing else done
        ("settled", i8),  # set of own sections under way (by index): known is what finishing them brings
        ("settled_worth", i8, (6,)),  # in the cathedral
        ("settled_marker", i8, (6,)),  # positions on the track
        ("settled_rubles", i8, (6,)),
        ("spared", i8),  # 1 if a take has left something that would have fitted
        ("reach", i8, (8,)),  # bound on a space's resources and influence for a rerolled die
        ("takes", i8, (8, 6)),  # what the resources of a space with so many dice are worth, nothing else done
        ("moves", i8),  # moves that can be made
        ("move", i8, (40,)),  # each: 8 * die + extra spaces
        ("bound", i8, (40,)),  # and a bound on its worth
        ("action", i8),  # the action that the best plan begins with
        ("trial", GAME, (TRIALS,)),  # games in which a plan is tried
        ("log", LOG),  # their event log, always off
    ],
    align=True,
)


def new_mind():
    """An empty record."""
    return np.zeros(1, MIND).view(np.recarray)[0]
