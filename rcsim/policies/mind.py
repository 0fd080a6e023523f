"""MIND: a player's scratch paper, one record for each thread.

What the planner keeps from one decision to the next, worths of towers and its plan of the turn, it finds again by what
these were drawn from. So no choice depends on what was thought in other turns, or on whose paper it is.
"""

import numpy as np

from rcsim.policies.features import WEIGHTS
from rcsim.rules.tables import MAX_SLOTS

i4 = np.int32
i8 = np.int64

VIEWS = 18
MOST_STEPS = 48  # of a plan
TOWERS = 2048  # towers whose worth is kept, a power of two
KNOWN_RUBLES = 32  # rubles whose worth is kept

VIEW = np.dtype(  # what a seat holds at some point of a turn that it thinks through (planner/view.py)
    [
        ("worth", i8),  # of all below and of what the plan has changed besides, in thousandths of a prestige
        ("inv", i4, (6,)),
        ("beyond", i4, (6,)),  # inventory beyond what sections under way still need; below 0: what they lack
        ("free", i4),  # slots
        ("dice", i4),  # in the arrival space
        ("rubles", i4),
        ("marker", i4),
    ],
    align=True,
)

SCALE = np.dtype(  # what things are worth to a seat at this point of the game (planner/scale.py)
    [
        ("tag", np.uint64),  # tells scales apart
        ("last_turn", i8),  # 1 if the seat has no turn after this one: only the score counts
        ("w", i8, (len(WEIGHTS),)),  # weights, in thousandths of a prestige
        ("lacking", i8, (6,)),  # of a material that is lacking
        ("spare", i8, (6,)),  # of one that none needs, above that of any in the inventory
        ("rubles", i8, (KNOWN_RUBLES,)),  # of so many rubles
        ("slots", i8, (MAX_SLOTS + 1,)),  # of so many free slots
    ],
    align=True,
)

MIND = np.dtype(
    [
        # greedy; the planner uses `useful`, `workshop`, `space` (0: used SELDOM, 1: OFTEN) and `space_worth`, too
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
        ("scale", SCALE),  # of the seat that thinks
        ("scales", SCALE, (4,)),  # of each seat when it last thought
        ("limits", i8),  # the player's restrictions
        ("tower_key", np.uint64, (TOWERS,)),  # towers whose worth is known: by code and scale
        ("tower_worth", i8, (TOWERS,)),
        ("row", i4, (4,)),  # presence of each seat in a tower if all claims were finished
        ("views", VIEW, (VIEWS,)),  # [0] is the position itself
        ("now", i8),  # worth of views[0]
        # the plan that is being thought of, and the best one
        ("line", i8, (MOST_STEPS,)),  # actions
        ("line_n", i8),
        ("plan", i8, (MOST_STEPS,)),
        ("plan_n", i8),
        ("plan_next", i8),  # the next to be taken,
        ("plan_path", np.uint64),  # if the game has come this way
        ("asked_path", np.uint64),  # where the last decision was asked for, and what it was
        ("asked", i8),
        # materials, as the ornaments that could be placed make them worth
        ("first_spare", i8, (4,)),  # of the first spare one
        ("gems", i8),  # gems of a colour that ornaments could take
        ("open", i8, (3,)),  # 1 if an ornament of the kind is left for which a section stands bare
        # sales
        ("can_sell", i8),  # 1 if prestige may be sold now
        ("sell_later", i8),  # 1 if it may be sold later this turn, too
        ("sales", i8),  # sales beside the plan that is being thought of
        ("moment", i8),  # of a visit at which they come
        ("marks", i8, (3,)),  # marker before each step of the walk
        ("mark_line", i8, (3,)),  # length of the plan before it
        ("sales_before", i8),  # sales before the best visit
        ("sale_now", i8),  # what sales now, or at the end of a turn that touches neither marker nor rubles, are worth
        ("least_lost", i8),  # by a sale: a bound
        ("sale_most", i8),  # about the most that they are worth in a plan
        # effects
        ("changed", i8),  # 1 if the effect that is thought through has changed something
        ("hold", i8),  # 1 while deliveries of repeated uses are held back, to be made together
        ("moved", i8),  # die that the plan has moved, or -1
        ("moved_to", i8),
        ("shortage", i8),  # least number of rubles that a price was short of, or 0
        ("cut", i8),  # 1 if a gain did not find the slots
        ("spared", i8),  # goods (bit set) of which a step took less than it could
        ("shift", i8),  # whether an effect moved a die (bits: effects.py)
        ("points", i8),  # points that were gained or paid: bit RECOGNITION, bit PRESTIGE
        ("guild_pays", i8),  # goods (bit set) that the influence actions of a visit may pay
        ("guild_touches", i8),  # pay or bring
        ("work_pays", i8),  # that its tiles may pay,
        ("work_gives", i8),  # and bring
        ("work_yields", i8),  # 1 if one of them yields where a die is
        # the market
        ("takes", i8, (8, 6)),  # what the resources of a space with so many dice are worth, nothing else done
        ("card", i8, (4, 2)),  # bound on what each action of a quadrant's card is worth, its space apart
        ("gain", i8, (4, 2)),  # what it brings, its price apart
        ("fed", i8, (4, 2)),  # the bound if the visit brings what it delivers,
        ("feeds", i8, (4, 2)),  # which is one of these goods (bit set)
        ("guilds", i8, (8,)),  # bound on the better action at each space
        ("times", i8),  # how often the price of an effect can be paid
        ("tiles_give", i8),  # goods (bit set) that the face-up tiles could bring
        ("extra_worth", i8, (8,)),  # what so many extra spaces cost
        ("extra_sales", i8, (8,)),  # sales that they take
        ("extra_sale", i8, (8,)),  # what sales after them are worth
        ("touches", i8, (4,)),  # points and prices (bit set) that each quadrant's card touches
        ("own_yield", i8, (5,)),  # 1 if a tile for a die yields where that die is
        ("tile_touches", i8, (5,)),  # that the tiles for each die touch
        ("moves", i8),  # moves that can be made
        ("move", i8, (48,)),  # each: 8 * die + extra spaces
        ("bound", i8, (48,)),  # and a bound on its worth, or UNKNOWN once it was thought through
        ("found", i8, (48,)),  # and then what it is worth
        ("other_best", i8),  # worth of the best plan without a die
        ("die_best", i8, (5,)),  # bound on the worth of moving each die
        ("face_worth", i8, (3, 6)),  # of a die to be rerolled, by face
        ("steps", i8, (MOST_STEPS,)),  # of the best visit
        ("steps_n", i8),
        # claims
        ("claim", i8, (6,)),  # bound on the worth of claiming in each tower, or UNKNOWN
        ("dead", i8),  # workshop space that a dead tile harms least,
        ("harm", i8),  # and how much
        ("adorned", i8, (3,)),  # about what an ornament of each kind is worth in the cathedral, or UNKNOWN
        ("bare_best", i8, (3,)),  # and on which section
        # building, by depth
        ("option", i8, (8,)),  # to be tried next
        ("from_option", i8, (8,)),  # the first ornament to be tried
        ("left", i8, (8,)),  # deliveries left
        ("length", i8, (8,)),  # of the plan so far
        ("prestige", i8, (8,)),  # gained so far
        ("built", i8, (8,)),  # section that was finished, or adorned
        ("place", i8, (8,)),  # of a section among those under way, or -1 for an ornament
        ("markers", i8, (8, 4)),  # before penalties
        ("ender", i8, (8,)),  # the finisher before
        ("code", np.uint64, (8,)),  # of the tower before
        ("works", i8, (16,)),  # the best: actions
        ("works_n", i8),
        ("works_sales", i8),  # sales before
    ],
    align=True,
)


def new_mind():
    """An empty record."""
    return np.zeros(1, MIND).view(np.recarray)[0]
