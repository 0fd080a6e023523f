"""A visit to the market: the order of its steps at the arrival space, and sales (docs/rules.md, section 7)."""

from itertools import permutations

import numpy as np

from rcsim.engine.effects import can_use, tile_fits_colour
from rcsim.engine.goods import PRESTIGE, RECOGNITION, RUBLES, WOOD
from rcsim.engine.jit import jit
from rcsim.engine.state import (
    A_INFLUENCE,
    A_ROLL,
    A_SELL,
    A_TAKE,
    A_WORKSHOP,
    action_a,
    action_kind,
    pack_action,
)
from rcsim.engine.turn import can_influence, influence_effect
from rcsim.policies.planner.effects import (
    BEST,
    NOW,
    PAID,
    RUN,
    START,
    STEP,
    USED,
    add_good,
    deliver_in,
    die_at,
    use_effect,
    yield_gain,
)
from rcsim.policies.planner.evaluation import UNKNOWN
from rcsim.policies.planner.view import (
    add_material,
    material_change,
    room_for,
    sales_gain,
    sell_some,
    sooner_gain,
    value,
)
from rcsim.policies.player import NO_INFLUENCE
from rcsim.rules.tables import (
    ANY,
    E_ACTIVATE,
    E_ACTIVATE_COLOUR,
    E_DELIVER,
    E_GIVES,
    E_MOVE,
    E_MOVE_STEPS,
    E_PAY_RUBLES,
    E_PAYS,
    E_YIELD,
    E_YIELD_ARG,
    SELL_ANY,
    YIELD_NONE,
    YIELD_SPACE,
)

TAKE, INFLUENCE, WORKSHOP = range(3)  # the steps of a visit
PAIRS = ((TAKE, INFLUENCE), (TAKE, WORKSHOP), (INFLUENCE, WORKSHOP))
ROOMY = 2  # free slots left after all steps, with which no step crowds out another
MOST_LAID = 6  # deliveries of one repeated action that are thought through
POINTS = 1 << RECOGNITION | 1 << PRESTIGE
MATERIALS = 0b111111 << WOOD
MOVES = 1 << 9  # beside the goods that a step touches: it moves dice
WHERE = 1 << 10  # it depends on where dice are
PRICED = 1 << 11  # it may cost rubles
PAYS = 12  # from this bit on: goods that it pays
NEVER = 4  # no moment of a visit
ORDERS = np.array(list(permutations(range(3))))


FREE, EITHER, AHEAD, BEHIND = range(4)  # how the first step of a pair stands to the second: EITHER if both ways differ


def _different():
    """Orders (bit set) that keep to how the steps of all pairs stand to each other, each only once (index: base 4)."""
    orders = []
    for code in range(4 ** len(PAIRS)):
        first = {}
        for i, order in enumerate(ORDERS.tolist()):
            kept = True
            told = []
            for p, (a, b) in enumerate(PAIRS):
                stands = code // 4**p % 4
                ahead = order.index(a) < order.index(b)
                kept = kept and not (stands == AHEAD and not ahead) and not (stands == BEHIND and ahead)
                told.append(ahead if stands == EITHER else None)
            if kept:
                first.setdefault(tuple(told), i)
        orders.append(sum(1 << i for i in first.values()) or 0b111111)
    return np.array(orders)


DIFFERENT = _different()
# How a visit is thought through: each order as it suits; with steps forced for what comes later; after sales for one
# price, for all; and the best with its sales before the first, second, third step.
(PLAIN, FORCED, PRICE_ONE, PRICE_ALL, SALE_FIRST) = range(5)
WAYS = SALE_FIRST + 3


@jit
def take_best(g, t, seat, space, i, everything, mind):
    """Take a space's resources into view i, as suits it best or all; the amount of the last good (0: nothing)."""
    tile = g.market[space]
    times = mind.views[i].dice
    if t.tile_kinds[tile] == 1:  # nearly all
        good = t.tile_good[tile]
        return take_good(g, t, seat, good, t.tile_gain[tile, good] * times, i, everything, mind)
    taken = 0
    for good in range(9):
        full = t.tile_gain[tile, good] * times
        if full > 0:
            taken = max(taken, take_good(g, t, seat, good, full, i, everything, mind))
    return taken


@jit
def take_good(g, t, seat, good, full, i, everything, mind):
    """Take of `full` units of a good as many as suit view i best; how many are wanted."""
    v = mind.views[i]
    if full == 0:
        return 0
    if good < WOOD:
        add_good(g, t, seat, v, good, full, mind)
        return full
    m = good - WOOD
    fits = room_for(g, seat, v, m, full)
    best = max(0, fits) if everything else best_amount(v, m, fits, mind)
    if best < fits:
        mind.spared = 1
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
def use_often(g, t, seat, effect, space, uses, i, forced, mind):
    """Use an influence action in view RUN as often as it pays, once at least if `forced`; the result in view i.

    How often, 0 if not at all.
    """
    worth = UNKNOWN if forced else value(mind.views[RUN])
    mind.views[STEP] = mind.views[RUN]
    best = 0
    n = 0
    once = t.effect_once[effect]
    deliveries = 0 if once else t.effects[effect, E_DELIVER]
    mind.hold = 1 if deliveries > 0 else 0  # deliveries of all uses together may finish what one cannot
    while uses + n < t.max_repeats and use_effect(g, t, seat, effect, space, STEP, mind):
        n += 1
        if deliveries > 0:
            mind.views[PAID] = mind.views[STEP]
            deliver_in(g, t, seat, deliveries * n, STEP, mind)
        now = value(mind.views[STEP])
        if now > worth:
            worth = now
            best = n
            mind.views[i] = mind.views[STEP]
        elif deliveries == 0 and (not mind.last_turn or n - best > 1):
            break
        if once or deliveries * n >= MOST_LAID:
            break
        if deliveries > 0:
            mind.views[STEP] = mind.views[PAID]
    mind.hold = 0
    return best


@jit
def influence_best(g, t, seat, space, forced, takes, mind):
    """The better action of the card at a space, used as often as it pays, in view RUN; the action, or -1.

    If `forced`, one is used even if that does not pay. With `takes` the resources are yet to be taken.
    """
    q = space >> 1
    card = t.guild_effect[g.guild[q], g.guild_card[q]]
    best = -1
    best_worth = UNKNOWN
    for action in range(2):
        if g.influence >= 0 and g.influence != action:
            continue
        i = USED if action == 0 else BEST
        if use_often(g, t, seat, card + action, space, g.uses, i, forced, mind) > 0:
            worth = value(mind.views[i])
            if takes and mind.views[i].dice > mind.views[RUN].dice:
                worth += yield_gain(g, t, seat, mind.views[i], space, mind)
            if worth > best_worth:
                best_worth = worth
                best = action
    if best >= 0:
        i = USED if best == 0 else BEST
        if value(mind.views[i]) <= value(mind.views[RUN]):
            mind.spared = 1
        mind.views[RUN] = mind.views[i]
    return best


@jit
def workshop_best(g, t, seat, die, space, forced, mind):
    """The best face-up tile for a die, in view RUN, if it pays or is `forced`; its workshop space, or -1."""
    best = -1
    best_worth = UNKNOWN
    for own in range(6):
        if g.space_up[seat, own] and t.space_colour[own] == die:
            mind.views[STEP] = mind.views[RUN]
            if use_effect(g, t, seat, t.tile_effect[g.space_tile[seat, own]], space, STEP, mind):
                worth = value(mind.views[STEP])
                if worth > best_worth:
                    best_worth = worth
                    best = own
                    mind.views[BEST] = mind.views[STEP]
    if best >= 0 and best_worth <= value(mind.views[RUN]) and not forced:
        mind.spared = 1
        return -1
    if best >= 0:
        mind.views[RUN] = mind.views[BEST]
    return best


@jit
def handles(g, t, seat, effect, space, mind):
    """Goods (bit set) that an effect may bring, and MOVES, WHERE, PRICED; from bit PAYS on those that it may pay."""
    e = t.effects[effect]
    bits = e[E_GIVES] | e[E_PAYS] << PAYS
    if e[E_PAY_RUBLES] > 0:
        bits |= PRICED
    if e[E_MOVE]:
        bits |= MOVES
    if e[E_YIELD] == YIELD_SPACE:
        bits |= t.tile_gives[g.market[(space + e[E_YIELD_ARG]) & 7]]
    elif e[E_YIELD] != YIELD_NONE:
        bits |= WHERE
        if e[E_YIELD_ARG] == ANY:
            for d in range(5):
                bits |= t.tile_gives[g.market[die_at(g, d, mind)]]
        elif e[E_MOVE]:
            bits |= t.tile_gives[g.market[(die_at(g, e[E_YIELD_ARG], mind) + e[E_MOVE_STEPS]) & 7]]
        else:
            bits |= t.tile_gives[g.market[die_at(g, e[E_YIELD_ARG], mind)]]
    if e[E_DELIVER]:
        bits |= 1 << RECOGNITION | MATERIALS << PAYS
    return bits


@jit
def study(g, t, seat, die, space, steps, useful, mind):
    """What ties the steps of a visit that starts with view START to each other: mind.conflicts and those after it.

    `useful`: the actions (bit set) of the influence card that may be worth it.
    """
    v = mind.views[START]
    take = 0
    influence = 0
    workshop = 0
    room = v.slots - v.held
    prices = 0  # of all steps
    least = 0
    mixed = False  # a step is more than a yield or a gain
    if (steps >> TAKE) & 1:
        tile = g.market[space]
        take = t.tile_gives[tile] | WHERE
        room -= v.dice * t.tile_gain[tile, t.tile_good[tile]]
    if (steps >> INFLUENCE) & 1:
        q = space >> 1
        card = t.guild_effect[g.guild[q], g.guild_card[q]]
        for action in range(2):
            if (g.influence >= 0 and g.influence != action) or not (useful >> action) & 1:
                continue
            e = t.effects[card + action]
            influence |= handles(g, t, seat, card + action, space, mind)
            price = e[E_PAY_RUBLES]
            if not t.effect_once[card + action]:
                price *= 2
                mixed = True
            if e[E_ACTIVATE]:
                dearest = 0
                for own in range(6):
                    if tile_fits_colour(g, t, seat, own, e[E_ACTIVATE_COLOUR]):
                        effect = t.tile_effect[g.space_tile[seat, own]]
                        influence |= handles(g, t, seat, effect, space, mind)
                        dearest = max(dearest, t.effects[effect, E_PAY_RUBLES])
                price += dearest
                mixed = True
            if price > v.rubles and (least == 0 or price < least):
                least = price
            prices = max(prices, price)
        if influence & MATERIALS:
            room -= 2
    if (steps >> WORKSHOP) & 1:
        dear = 0
        for own in range(6):
            if g.space_up[seat, own] and t.space_colour[own] == die:
                effect = t.tile_effect[g.space_tile[seat, own]]
                workshop |= handles(g, t, seat, effect, space, mind)
                price = t.effects[effect, E_PAY_RUBLES]
                dear = max(dear, price)
                if price > v.rubles and (least == 0 or price < least):
                    least = price
        prices += dear
        if workshop & MATERIALS:
            room -= 2
    short = prices > v.rubles
    tight = room < 0
    snug = room < ROOMY
    mind.price_all = prices if short else 0
    mind.price_one = least if least > 0 else mind.price_all
    mind.conflicts = (
        stand(take, influence, snug, short, tight)
        + 4 * stand(take, workshop, snug, short, tight)
        + 16 * stand(influence, workshop, False, short, tight)
    )
    mind.feeds = (
        take & (influence | workshop) >> PAYS | influence & workshop >> PAYS | workshop & influence >> PAYS
    ) & (MATERIALS)
    take |= take >> PAYS
    influence |= influence >> PAYS
    workshop |= workshop >> PAYS
    pays = (influence | workshop) >> PAYS
    goods = take | influence | workshop
    mind.pointed = 0
    if goods & POINTS:
        mind.pointed = (
            (1 if take & POINTS else 0)
            | (1 << INFLUENCE if influence & POINTS else 0)
            | (1 << WORKSHOP if workshop & POINTS else 0)
        )
    mind.leaps = (goods >> PRESTIGE) & 1
    shared = take & influence | take & workshop | influence & workshop
    alone = shared & MATERIALS == 0 and goods & (POINTS | 1 << RUBLES | PRICED) == 0 and pays == 0
    mind.apart = 1 if alone and not mixed and not snug and mind.conflicts == 0 else 0


@jit
def stand(a, b, snug, short, tight):
    """How two steps stand to each other that handle such goods: rubles where they are `short`, slots if `tight`.

    What pays a material comes after what brings it. Where it is `snug`, the resources come last: one may take less.
    """
    if a == 0 or b == 0:
        return FREE
    if (a & MOVES and b & WHERE) or (a & WHERE and b & MOVES) or a & b & MOVES:
        return EITHER
    all_a = a | a >> PAYS
    all_b = b | b >> PAYS
    if (all_a >> PRESTIGE) & (all_b >> RECOGNITION) & 1 or (all_a >> RECOGNITION) & (all_b >> PRESTIGE) & 1:
        return EITHER
    if (short and all_a & all_b & 1 << RUBLES) or (tight and all_a & MATERIALS and all_b & MATERIALS):
        return EITHER
    if (a >> PAYS) & (b >> PAYS) & MATERIALS:
        return EITHER
    feeds = a & b >> PAYS & MATERIALS
    fed = b & a >> PAYS & MATERIALS
    if feeds:
        return EITHER if fed else AHEAD
    if fed:
        return BEHIND
    return BEHIND if snug and a & MATERIALS and b & MATERIALS else FREE


@jit
def walk(g, t, seat, die, space, steps, order, forced, sale, rubles, mind):
    """Take a visit's steps in an order, from view START, in view RUN; the first action (A_ROLL: none).

    Before the `sale`-th of them, sales as far as they pay, and until there are so many rubles.
    """
    mind.views[RUN] = mind.views[START]
    first = A_ROLL
    left = steps
    for k in range(3):
        if k == sale and sell_some(t, mind.views[RUN], rubles, mind) > 0 and first == A_ROLL:
            first = A_SELL
        step = ORDERS[order, k]
        if not (left >> step) & 1:
            continue
        left &= ~(1 << step)
        must = forced and left != 0
        taken = A_ROLL
        if step == TAKE:
            n = take_best(g, t, seat, space, RUN, must, mind)
            if n > 0:
                taken = pack_action(A_TAKE, n if t.tile_kinds[g.market[space]] == 1 else 0, 0, 0)
        elif step == INFLUENCE:
            if g.influence < 0 or first == A_ROLL or first == A_SELL:  # another step ends a repetition
                n = influence_best(g, t, seat, space, must, left & 1, mind)
                if n >= 0:
                    taken = pack_action(A_INFLUENCE, n, 0, 0)
        else:
            n = workshop_best(g, t, seat, die, space, must, mind)
            if n >= 0:
                taken = pack_action(A_WORKSHOP, n, 0, 0)
        if first == A_ROLL:
            first = taken
    return first


@jit
def visit(g, t, seat, die, space, steps, mind):
    """The best way to take the steps (bit set) of a market visit that starts with view START, after `study`.

    Returns the worth of the view at its end, with the sales that pay; in mind.action the first action (A_ROLL: none).
    """
    best_worth = UNKNOWN
    best_order = 0
    best_forced = 0
    marker = 0  # of the best end before sales, with its rubles and its worth
    rubles = 0
    plain = 0
    action = A_ROLL
    start = mind.views[START]
    orders = DIFFERENT[mind.conflicts]
    late = mind.sell_later and (start.sold == 0 or t.sell_moments == SELL_ANY)
    mind.spared = 0
    for way in range(WAYS):
        sale = NEVER
        wanted = 0
        if way == FORCED:
            if mind.feeds == 0 or not mind.spared:
                continue
        elif way == PRICE_ONE or way == PRICE_ALL:
            wanted = mind.price_one if way == PRICE_ONE else mind.price_all
            if not mind.can_sell or wanted == 0 or (way == PRICE_ALL and wanted == mind.price_one):
                continue
            sale = 0
        elif way >= SALE_FIRST:
            sale = way - SALE_FIRST
            if not mind.leaps or (not late and (sale > 0 or not mind.can_sell)):
                continue
            if not (steps >> ORDERS[best_order, sale]) & 1 or not (mind.pointed >> ORDERS[best_order, sale]) & 1:
                continue
            wanted = start.rubles + 1  # one at least
        forced = best_forced if way >= SALE_FIRST else way == FORCED
        for order in range(6):
            if (order != best_order) if way >= SALE_FIRST else not (orders >> order) & 1:
                continue
            first = walk(g, t, seat, die, space, steps, order, forced, sale, wanted, mind)
            v = mind.views[RUN]
            worth = value(v)
            after = sales_gain(t, v.marker, v.rubles, mind) if sale == NEVER and late else 0
            if worth + after > best_worth:
                best_worth = worth + after
                if way < SALE_FIRST:
                    best_forced = forced
                    best_order = order
                marker = v.marker if sale == NEVER else UNKNOWN
                rubles = v.rubles
                plain = worth
                action = first
    if mind.can_sell and not mind.leaps and marker != UNKNOWN and (marker != start.marker or not late):
        sooner = plain + sooner_gain(t, start.marker, marker, rubles, mind)
        if sooner > best_worth:
            best_worth = sooner
            action = A_SELL
    mind.action = action
    return best_worth


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
    """The next of a set of steps at the market, or the roll that ends the visit."""
    while steps:
        mind.views[START] = mind.views[NOW]
        mind.views[START].dice = g.dice_in[g.arrival]
        study(g, t, seat, g.die, g.arrival, steps, 3, mind)
        visit(g, t, seat, g.die, g.arrival, steps, mind)
        action = mind.action
        kind = action_kind(action)
        if kind == A_INFLUENCE and not can_influence(g, t, seat, action_a(action)):
            steps &= ~(1 << INFLUENCE)
        elif kind == A_WORKSHOP and not can_use(
            g, t, seat, t.tile_effect[g.space_tile[seat, action_a(action)]], g.arrival
        ):
            steps &= ~(1 << WORKSHOP)
        else:
            return action
    return A_ROLL
