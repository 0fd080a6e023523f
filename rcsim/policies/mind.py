"""MIND: a player's scratch paper, one record for each thread. Nothing in it outlives a decision."""

import numpy as np

from rcsim.engine.state import GAME, LOG
from rcsim.policies.features import WEIGHTS

i2 = np.int16
i4 = np.int32
i8 = np.int64

VIEWS = 9
TRIALS = 2

VIEW = np.dtype(  # what a seat holds at some point of a turn that it thinks through (planner/view.py)
    [
        ("worth", i8),  # of all below and of what the plan has changed besides, in thousandths of a prestige
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
        ("useful", i8, (8,)),  # actions (bit set) of the card at each space that may be worth it
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
        ("sell_later", i8),  # 1 if it may be sold later this turn, too
        ("hold", i8),  # 1 while deliveries of repeated uses are held back, to be made together
        ("tiles_give", i8),  # goods (bit set) that the face-up tiles could bring
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
        ("one_slot", i8),  # worth of the first free slot
        ("more_slots", i8),  # of each after the second
        ("two_slots", i8),  # of two or more, beside that for each
        ("spare", i8, (6,)),  # weight of a material that none needs, above that of any in the inventory
        ("lacking", i8, (6,)),  # weight of one that is lacking
        ("first_spare", i8, (6,)),  # worth besides of the first spare one
        ("gems", i8),  # gems of a colour that open ornaments could take
        ("open", i8, (3,)),  # 1 if an ornament of the kind is left for which a section stands bare
        ("known", i8, (6,)),  # set of amounts (bit n) of a material whose gain is known
        ("gain", i8, (6, 12)),  # what n more of a material are worth, nothing else done
        ("deliveries", i8, (7,)),  # what up to n deliveries of an effect are worth, nothing else done
        ("settled", i8),  # bit c: known is what finishing the own sections under way of set c (by index) brings
        ("settled_worth", i8, (64,)),  # in the cathedral
        ("settled_marker", i8, (64,)),  # positions on the track
        ("settled_rubles", i8, (64,)),
        ("spared", i8),  # 1 if a step has left what would have been possible, as it did not pay by itself
        ("conflicts", i8),  # pairs of a visit's steps whose order matters: bit set over PAIRS
        ("pointed", i8),  # steps (bit set) that move the marker
        ("leaps", i8),  # 1 if one of them may bring prestige
        ("feeds", i8),  # goods (bit set) that one step may bring and another pay
        ("apart", i8),  # 1 if no step touches what another one does, nor the marker, nor rubles
        ("sale_sooner", i8),  # 1 if the sales of a plan come before it
        ("sale_now", i8),  # what sales now, or at the end of a turn that touches neither marker nor rubles, are worth
        ("sale_most", i8),  # a bound on what they are worth in a plan
        ("price_one", i8),  # rubles for the cheapest price of a visit that cannot be paid, or 0
        ("price_all", i8),  # and for all of them
        ("reach", i8, (8,)),  # bound on a space's resources and influence for a rerolled die
        ("takes", i8, (8, 6)),  # what the resources of a space with so many dice are worth, nothing else done
        ("moves", i8),  # moves that can be made
        ("move", i8, (40,)),  # each: 8 * die + extra spaces
        ("bound", i8, (40,)),  # and a bound on its worth, or UNKNOWN once it was thought through
        ("found", i8, (40,)),  # and then what it is worth
        ("action", i8),  # the action that the best plan begins with
        ("trial", GAME, (TRIALS,)),  # games in which a plan is tried
        ("log", LOG),  # their event log, always off
    ],
    align=True,
)


def new_mind():
    """An empty record."""
    return np.zeros(1, MIND).view(np.recarray)[0]
