"""A visit to the market: its steps at the arrival space, and sales (docs/rules.md, section 7).

The steps are walked through in one order first. What kept them from doing more then tells whether another order, more
resources than suit by themselves, or a sale before could do better; mostly none could.
"""

from itertools import permutations

import numpy as np

from rcsim.engine.goods import PRESTIGE, RECOGNITION, WOOD
from rcsim.engine.jit import jit
from rcsim.engine.state import A_INFLUENCE, A_SELL, A_TAKE, A_WORKSHOP, pack_action
from rcsim.engine.turn import influence_effect
from rcsim.policies.features import THOUSANDTHS
from rcsim.policies.mind import MOST_STEPS
from rcsim.policies.planner.building import BEST, NOW, PAID, RUN, SAVED, START, STEP, USED
from rcsim.policies.planner.effects import AT_ARRIVAL, add_good, deliver_in, die_at, use_effect, yield_gain
from rcsim.policies.planner.evaluation import UNKNOWN
from rcsim.policies.planner.view import (
    add_material,
    afford,
    material_change,
    note,
    room_for,
    rubles_worth,
    sales_gain,
    sooner_gain,
)
from rcsim.policies.player import NO_INFLUENCE
from rcsim.rules.tables import (
    ANY,
    E_ACTIVATE,
    E_DELIVER,
    E_GIVES,
    E_PAYS,
    E_YIELD,
    E_YIELD_ARG,
    SELL_ANY,
    YIELD_DIE,
    YIELD_NONE,
    YIELD_SPACE,
)

TAKE, INFLUENCE, WORKSHOP = range(3)  # the steps of a visit
ORDERS = np.array(list(permutations(range(3))))
ALL_ORDERS = 0b111111
WORKSHOP_SOONER = 1 << ORDERS.tolist().index([TAKE, WORKSHOP, INFLUENCE])
INFLUENCE_FIRST = 1 << ORDERS.tolist().index([INFLUENCE, TAKE, WORKSHOP])
TAKE_LAST = 1 << ORDERS.tolist().index([INFLUENCE, WORKSHOP, TAKE])
ORDER_BRINGS = 3 * THOUSANDTHS // 2  # more than this another order hardly brings
DONE = 3  # a moment: after the steps
MOST_LAID = 6  # deliveries of one repeated action that are thought through
BOTH_POINTS = 1 << RECOGNITION | 1 << PRESTIGE
ALL_GOODS = (1 << 9) - 1
ALL_MATERIALS = 0b111111 << WOOD


@jit
def take_best(g, t, seat, space, everything, mind):
    """Take a space's resources into view RUN, as suits it best or all."""
    tile = g.market[space]
    times = mind.views[RUN].dice
    if times == 0:
        return
    if t.tile_kinds[tile] == 1:  # nearly all
        good = t.tile_good[tile]
        n = take_some(g, t, seat, good, t.tile_gain[tile, good] * times, everything, mind)
        if n > 0:
            note(pack_action(A_TAKE, n, 0, 0), mind)
        return
    taken = False
    for good in range(9):
        if t.tile_gain[tile, good] > 0:
            n = take_some(g, t, seat, good, t.tile_gain[tile, good] * times, everything, mind)
            taken = taken or n > 0
    if taken:
        note(pack_action(A_TAKE, 0, 0, 0), mind)


@jit
def take_some(g, t, seat, good, full, everything, mind):
    """Take of a good, of which there are `full`; how many are wanted."""
    v = mind.views[RUN]
    if good < WOOD:
        add_good(g, t, seat, v, good, full, mind)
        return full
    m = good - WOOD
    fits = room_for(g, seat, v, m, full)
    if fits < full:
        mind.cut = 1
    best = max(0, fits)
    if not everything:
        best = best_amount(v, m, fits, mind)
        if best < fits:
            mind.spared |= 1 << good
    if best == 0:
        return 0
    add_material(v, m, best, mind)
    return full if best == fits else best


@jit
def best_amount(v, m, fits, mind):
    """How many of a material suit a view best, of those that fit."""
    best = 0
    best_worth = 0
    for n in range(fits, 0, -1):
        worth = material_change(v, m, n, mind)
        if worth > best_worth:
            best_worth = worth
            best = n
    return best


@jit
def use_often(g, t, seat, effect, space, uses, i, mind):
    """Use an influence action in view RUN as often as it pays; the result in view i. How often, 0 if not at all."""
    worth = mind.views[RUN].worth
    mind.views[STEP] = mind.views[RUN]
    best = 0
    n = 0
    once = t.effect_once[effect]
    deliveries = 0 if once else t.effects[effect, E_DELIVER]
    mind.hold = 1 if deliveries > 0 else 0  # deliveries of all uses together may finish what one cannot
    while uses + n < t.max_repeats:
        short = mind.shortage
        if not use_effect(g, t, seat, effect, space, STEP, mind):
            if n > 0:  # that it could not be paid once more does not count
                mind.shortage = short
            break
        n += 1
        if deliveries > 0:
            mind.views[PAID] = mind.views[STEP]
            deliver_in(g, t, seat, deliveries * n, STEP, mind)
        now = mind.views[STEP].worth
        if now > worth:
            worth = now
            best = n
            mind.views[i] = mind.views[STEP]
        elif deliveries == 0 and n - best > 1:  # two may pay where one does not
            break
        if once or deliveries * n >= MOST_LAID or mind.works_n < deliveries * n:  # of no use any more
            break
        if deliveries > 0:
            mind.views[STEP] = mind.views[PAID]
    mind.hold = 0
    return best


@jit
def influence_best(g, t, seat, space, useful, takes, mind):
    """The better of the useful actions of the card at a space, used as often as it pays, in view RUN.

    With `takes` the resources are yet to be taken.
    """
    q = space >> 1
    card = t.guild_effect[g.guild[q], g.guild_card[q]]
    best = -1
    best_worth = mind.views[RUN].worth
    uses = 0
    for action in range(2):
        if not (useful >> action) & 1:
            continue
        i = USED if action == 0 else BEST
        n = use_often(g, t, seat, card + action, space, g.uses, i, mind)
        if n > 0:
            worth = mind.views[i].worth
            if takes and mind.views[i].dice > mind.views[RUN].dice:
                worth += yield_gain(g, t, seat, mind.views[i], space, mind)
            if worth > best_worth:
                best_worth = worth
                best = action
                uses = n
    if best >= 0:
        mind.views[RUN] = mind.views[USED if best == 0 else BEST]
        for _ in range(uses):
            note(pack_action(A_INFLUENCE, best, 0, 0), mind)


@jit
def workshop_best(g, t, seat, die, space, mind):
    """The best face-up tile for a die, in view RUN, if it pays."""
    best = -1
    best_worth = mind.views[RUN].worth
    for own in range(6):
        if g.space_up[seat, own] and t.space_colour[own] == die:
            mind.views[STEP] = mind.views[RUN]
            if use_effect(g, t, seat, t.tile_effect[g.space_tile[seat, own]], space, STEP, mind):
                if mind.views[STEP].worth > best_worth:
                    best_worth = mind.views[STEP].worth
                    best = own
                    mind.views[BEST] = mind.views[STEP]
    if best >= 0:
        mind.views[RUN] = mind.views[BEST]
        note(pack_action(A_WORKSHOP, best, 0, 0), mind)


@jit
def walk(g, t, seat, die, space, steps, useful, order, everything, mind):
    """Take a visit's steps in an order, from view START, in view RUN; its actions into mind.line."""
    mind.views[RUN] = mind.views[START]
    mind.line_n = 0
    mind.cut = 0
    mind.shortage = 0
    mind.shift = 0
    mind.points = 0
    mind.spared = 0
    takes = (steps >> TAKE) & 1
    for k in range(3):
        step = ORDERS[order, k]
        mind.marks[k] = mind.views[RUN].marker
        mind.mark_line[k] = mind.line_n
        if not (steps >> step) & 1:
            continue
        if step == TAKE:
            takes = 0
            take_best(g, t, seat, space, everything, mind)
        elif step == INFLUENCE:
            if g.influence < 0 or mind.line_n == 0:  # another step ends a repetition
                influence_best(g, t, seat, space, useful, takes, mind)
        else:
            workshop_best(g, t, seat, die, space, mind)


@jit
def look_for_ties(g, t, seat, die, space, steps, useful, mind):
    """What ties the steps of a visit to each other: goods (bit sets) that they may pay, and bring."""
    mind.guild_pays = 0
    mind.guild_touches = 0
    mind.work_pays = 0
    mind.work_gives = 0
    mind.work_yields = 0
    if (steps >> INFLUENCE) & 1:
        q = space >> 1
        card = t.guild_effect[g.guild[q], g.guild_card[q]]
        for action in range(2):
            if (useful >> action) & 1:
                e = t.effects[card + action]
                mind.guild_pays |= ALL_MATERIALS if e[E_DELIVER] else e[E_PAYS]
                mind.guild_touches |= e[E_GIVES] | (ALL_GOODS if e[E_YIELD] != YIELD_NONE or e[E_ACTIVATE] else 0)
    mind.guild_touches |= mind.guild_pays
    if (steps >> WORKSHOP) & 1:
        for own in range(6):
            if g.space_up[seat, own] and t.space_colour[own] == die:
                e = t.effects[t.tile_effect[g.space_tile[seat, own]]]
                mind.work_pays |= ALL_MATERIALS if e[E_DELIVER] else e[E_PAYS]
                mind.work_yields |= 1 if e[E_YIELD] == YIELD_DIE else 0
                mind.work_gives |= e[E_GIVES]
                if e[E_YIELD] != YIELD_NONE and e[E_YIELD] != YIELD_SPACE and e[E_YIELD_ARG] != ANY:
                    mind.work_gives |= t.tile_gives[g.market[die_at(g, e[E_YIELD_ARG], mind)]]
                elif e[E_YIELD] != YIELD_NONE:
                    mind.work_gives |= ALL_GOODS


@jit
def best_sale(t, sold, mind):
    """What sales are worth beside the walk in view RUN: as many as pay, at the moment at which they cost least.

    That moment is mind.moment (DONE: when all steps are done), and their number mind.sales.
    """
    v = mind.views[RUN]
    mind.moment = DONE
    mind.sales = 0
    if rubles_worth(v.rubles + t.sell_rubles, mind) - rubles_worth(v.rubles, mind) <= mind.least_lost:
        return 0
    best = 0
    late = mind.sell_later and (sold == 0 or t.sell_moments == SELL_ANY)
    if late:
        best = sales_gain(t, v.marker, v.rubles, mind)
    if mind.points >> PRESTIGE & 1:  # then it is not enough to know where the marker stood
        return best
    last = -1
    for k in range(3 if late else 1):
        marker = mind.marks[k]
        if marker == v.marker or marker == last or (k == 0 and not mind.can_sell):
            continue
        last = marker
        gain, sales = sooner_gain(t, marker, v.marker, v.rubles, mind)
        if gain > best:
            best = gain
            mind.moment = k
            mind.sales = sales
    return best


@jit
def keep_better(t, sold, sales, best, mind):
    """The worth of the walk in view RUN, with the sales that pay, if it exceeds the best; else that.

    `sales`: those that were made before it already.
    """
    v = mind.views[RUN]
    if v.worth + mind.sale_most <= best:
        return best
    worth = v.worth + best_sale(t, sold + sales, mind)
    if worth <= best:
        return best
    mind.steps_n = 0
    if mind.moment == 0:
        sales += mind.sales
    for k in range(mind.line_n):
        if 0 < mind.moment < DONE and k == mind.mark_line[mind.moment]:
            for _ in range(mind.sales):
                put_step(A_SELL, mind)
        put_step(mind.line[k], mind)
    mind.sales_before = sales
    return worth


@jit
def put_step(action, mind):
    """Add an action to the steps of the best visit."""
    if mind.steps_n < MOST_STEPS:
        mind.steps[mind.steps_n] = action
        mind.steps_n += 1


@jit
def visit(g, t, seat, die, space, steps, useful, sold, enough, mind):
    """The best way to take the steps (bit set) of a market visit that starts with view START, after `sold` sales.

    Returns the worth of the view at its end, with the sales that pay; in mind.steps its actions, without the roll, and
    in mind.sales_before how many sales come before. What seems to stay below `enough` is thought of once only.
    """
    mind.sales_before = 0
    walk(g, t, seat, die, space, steps, useful, 0, False, mind)
    best = keep_better(t, sold, 0, UNKNOWN, mind)
    if best + ORDER_BRINGS <= enough:
        return best
    shortage = mind.shortage
    points = mind.points
    spared = mind.spared
    orders = 0
    if spared or steps & (steps - 1):
        look_for_ties(g, t, seat, die, space, steps, useful, mind)
        if points == BOTH_POINTS:
            orders = ALL_ORDERS - 1
        if mind.shift & AT_ARRIVAL:
            orders = ALL_ORDERS - 1
        if (mind.shift and mind.work_yields) or mind.work_gives & mind.guild_pays:
            orders |= WORKSHOP_SOONER
        if (mind.cut or mind.views[RUN].free <= 1) and (mind.guild_touches | mind.work_gives) & ALL_MATERIALS:
            orders |= TAKE_LAST | (INFLUENCE_FIRST if mind.guild_pays & ALL_MATERIALS else 0)
        spared &= mind.guild_pays | mind.work_pays
    for order in range(1, 6):
        if (orders >> order) & 1:
            walk(g, t, seat, die, space, steps, useful, order, False, mind)
            best = keep_better(t, sold, 0, best, mind)
    if spared:
        for order in range(2):  # as they are, and the workshop sooner
            if order == 0 or orders & WORKSHOP_SOONER:
                walk(g, t, seat, die, space, steps, useful, order, True, mind)
                best = keep_better(t, sold, 0, best, mind)
    if mind.can_sell and (shortage > 0 or points >> PRESTIGE & 1):
        mind.views[SAVED] = mind.views[START]
        sales = afford(t, mind.views[START], mind.views[START].rubles + max(shortage, 1), True, mind)
        if sales > 0:
            walk(g, t, seat, die, space, steps, useful, 0, False, mind)
            best = keep_better(t, sold, sales, best, mind)
        mind.views[START] = mind.views[SAVED]
    return best


@jit
def steps_left(g, t, seat, limits):
    """The steps (bit set) that a visit could still take."""
    steps = 0
    if not g.took and g.dice_in[g.arrival] > 0:
        steps |= 1 << TAKE
    again = g.influence >= 0 and g.repeating and not t.effect_once[influence_effect(g, t, g.influence)]
    if (g.influence < 0 or again) and not (limits & NO_INFLUENCE):
        steps |= 1 << INFLUENCE
    if not g.worked:
        for space in range(6):
            if g.space_up[seat, space] and t.space_colour[space] == g.die:
                steps |= 1 << WORKSHOP
    return steps


@jit
def plan_visit(g, t, seat, steps, mind):
    """The rest of a visit at the market into mind.steps, with the sales before."""
    mind.views[START] = mind.views[NOW]
    mind.views[START].dice = g.dice_in[g.arrival]
    useful = 3 if g.influence < 0 else 1 << g.influence
    visit(g, t, seat, g.die, g.arrival, steps, useful, 0, UNKNOWN, mind)
