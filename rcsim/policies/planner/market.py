"""The best visit to the market: die, extra spaces, and the steps at the arrival space (docs/rules.md, section 7)."""

import numpy as np

from rcsim.engine.effects import can_use
from rcsim.engine.goods import WOOD
from rcsim.engine.jit import jit
from rcsim.engine.market import WHITE, die_can_move
from rcsim.engine.state import (
    A_END,
    A_INFLUENCE,
    A_MOVE,
    A_ROLL,
    A_SELL,
    A_TAKE,
    A_WORKSHOP,
    action_a,
    action_kind,
    pack_action,
)
from rcsim.engine.track import position_of, prestige_behind
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
    effect_bound,
    gain_now,
    use_effect,
)
from rcsim.policies.planner.evaluation import LEFT_NEXT, UNKNOWN, left_next
from rcsim.policies.planner.view import (
    add_material,
    afford,
    material_change,
    room_for,
    set_marker,
    set_rubles,
    value,
)
from rcsim.policies.player import NO_EXTRA, NO_INFLUENCE
from rcsim.rules.tables import (
    E_ACTIVATE,
    E_DELIVER,
    E_GAIN_ANY,
    E_GAIN_MATERIALS,
    E_GAIN_WOOD,
    E_MOVE,
    E_PAY_ANY,
    E_PAY_MATERIALS,
    E_YIELD,
    YIELD_NONE,
    YIELD_SPACE,
)

TAKE, INFLUENCE, WORKSHOP = range(3)  # the steps of a visit
MONEYED = 3  # rubles with which no price at the market takes a sale
MOST_LAID = 4  # deliveries of one repeated action that are thought through
ROOMY = 2  # free slots left after all steps, with which no step crowds out another
TAKE_ALL = 1  # in this order everything is taken, for a price to come
ORDERS = np.array(
    [
        [TAKE, INFLUENCE, WORKSHOP],
        [TAKE, INFLUENCE, WORKSHOP],
        [INFLUENCE, TAKE, WORKSHOP],
        [TAKE, WORKSHOP, INFLUENCE],
        [WORKSHOP, INFLUENCE, TAKE],
    ]
)
TRIED = np.array([0b1, 0b1, 0b1, 0b111, 0b1, 0b10011, 0b1001, 0b11111])  # orders that differ, by set of steps


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
def use_often(g, t, seat, effect, space, uses, i, mind):
    """Use an influence action in view RUN as often as it pays; how often, with the result in view i."""
    worth = value(mind.views[RUN])
    mind.views[STEP] = mind.views[RUN]
    best = 0
    n = 0
    deliveries = t.effects[effect, E_DELIVER] if not t.effect_once[effect] else 0
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
        elif deliveries == 0:
            break
        if t.effect_once[effect] or deliveries * n >= MOST_LAID:
            break
        if deliveries > 0:
            mind.views[STEP] = mind.views[PAID]
    mind.hold = 0
    return best


@jit
def influence_best(g, t, seat, space, mind):
    """The better action of the card at a space, used as often as it pays, in view RUN; the action, or -1."""
    q = space >> 1
    card = t.guild_effect[g.guild[q], g.guild_card[q]]
    best = -1
    for action in range(2):
        if g.influence >= 0 and g.influence != action:
            continue
        i = USED if action == 0 else BEST
        if use_often(g, t, seat, card + action, space, g.uses, i, mind) > 0:
            if best < 0 or value(mind.views[BEST]) > value(mind.views[USED]):
                best = action
    if best >= 0:
        mind.views[RUN] = mind.views[USED if best == 0 else BEST]
    return best


@jit
def workshop_best(g, t, seat, die, space, mind):
    """The best face-up tile for a die, in view RUN; its workshop space, or -1."""
    best = -1
    best_worth = value(mind.views[RUN])
    for own in range(6):
        if g.space_up[seat, own] and t.space_colour[own] == die:
            mind.views[STEP] = mind.views[RUN]
            if use_effect(g, t, seat, t.tile_effect[g.space_tile[seat, own]], space, STEP, mind):
                worth = value(mind.views[STEP])
                if worth > best_worth:
                    best_worth = worth
                    best = own
                    mind.views[BEST] = mind.views[STEP]
    if best >= 0:
        mind.views[RUN] = mind.views[BEST]
    return best


@jit
def touch(g, t, seat, die, space, steps, mind):
    """Whether the steps of a visit that starts with view START could touch each other, so that their order matters."""
    v = mind.views[START]
    tile = g.market[space]
    room = v.slots - v.held
    material = -1  # that the resources bring
    if (steps >> TAKE) & 1:
        if t.tile_kinds[tile] > 1:
            return True
        if t.tile_good[tile] >= WOOD:
            material = t.tile_good[tile] - WOOD
            room -= t.tile_gain[tile, t.tile_good[tile]] * v.dice
    if (steps >> INFLUENCE) & 1:
        q = space >> 1
        card = t.guild_effect[g.guild[q], g.guild_card[q]]
        most = 0
        for action in range(2):
            if not is_apart(t, card + action, material):
                return True
            most = max(most, t.effects[card + action, E_GAIN_MATERIALS])
        room -= most
    if (steps >> WORKSHOP) & 1:
        most = 0
        for own in range(6):
            if g.space_up[seat, own] and t.space_colour[own] == die:
                effect = t.tile_effect[g.space_tile[seat, own]]
                if not is_apart(t, effect, material) or (steps >> INFLUENCE) & 1:
                    return True
                most = max(most, t.effects[effect, E_GAIN_MATERIALS])
        room -= most
    return room < ROOMY


@jit
def is_apart(t, effect, material):
    """Whether an effect has nothing to do with a material that resources bring (-1: they bring none)."""
    e = t.effects[effect]
    if e[E_DELIVER] + e[E_ACTIVATE] + e[E_MOVE] + e[E_PAY_MATERIALS] + e[E_PAY_ANY] > 0:
        return False
    if material < 0:
        return True
    return e[E_YIELD] == YIELD_NONE and e[E_GAIN_ANY] == 0 and e[E_GAIN_WOOD + material] == 0


@jit
def visit(g, t, seat, die, space, steps, touching, mind):
    """The best order of the steps (bit set) of a market visit that starts with view START, if they are `touching`.

    Returns the worth of the view at its end; the first action is in mind.action (A_ROLL: none). All sales that the
    steps take are made now, at one moment.
    """
    best_worth = value(mind.views[START])
    mind.action = A_ROLL
    if steps == 0:
        return best_worth
    action = A_ROLL
    orders = TRIED[steps] if touching else 1
    mind.spared = 0
    for order in range(len(ORDERS)):
        if not (orders >> order) & 1 or (order == TAKE_ALL and not mind.spared):
            continue
        mind.views[RUN] = mind.views[START]
        first = A_ROLL
        for k in range(3):
            step = ORDERS[order, k]
            if not (steps >> step) & 1:
                continue
            taken = A_ROLL
            if step == TAKE:
                n = take_best(g, t, seat, space, RUN, order == TAKE_ALL, mind)
                if n > 0:
                    taken = pack_action(A_TAKE, n if t.tile_kinds[g.market[space]] == 1 else 0, 0, 0)
            elif step == INFLUENCE:
                n = influence_best(g, t, seat, space, mind)
                if n >= 0:
                    taken = pack_action(A_INFLUENCE, n, 0, 0)
            else:
                n = workshop_best(g, t, seat, die, space, mind)
                if n >= 0:
                    taken = pack_action(A_WORKSHOP, n, 0, 0)
            if first == A_ROLL:
                first = taken
        worth = value(mind.views[RUN])
        if worth > best_worth:
            best_worth = worth
            action = A_SELL if mind.views[RUN].sold > mind.views[START].sold else first
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
    mind.moved = -1
    mind.sell_here = mind.can_sell
    while steps:
        mind.views[START] = mind.views[NOW]
        mind.views[START].dice = g.dice_in[g.arrival]
        touching = steps & (steps - 1) != 0 and touch(g, t, seat, g.die, g.arrival, steps, mind)
        if steps & 1 and steps != 1 and not touching:
            n = take_best(g, t, seat, g.arrival, START, False, mind)  # the other steps can wait
            if n > 0:
                return pack_action(A_TAKE, n if t.tile_kinds[g.market[g.arrival]] == 1 else 0, 0, 0)
            steps &= ~1
            continue
        visit(g, t, seat, g.die, g.arrival, steps, touching, mind)
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


@jit
def set_bounds(g, t, seat, mind):
    """Forget the bounds of the decision before; bound the workshop."""
    mind.sell_here = 0
    mind.moved = -1
    for space in range(8):
        mind.landing[space] = UNKNOWN
        for n in range(6):
            mind.takes[space, n] = UNKNOWN
    for m in range(6):
        mind.known[m] = 0
    for n in range(7):
        mind.deliveries[n] = UNKNOWN
    for colour in range(5):
        mind.workshop[colour] = 0
    for space in range(6):
        if g.space_up[seat, space]:
            worth = effect_bound(g, t, seat, t.tile_effect[g.space_tile[seat, space]], -1, mind)
            colour = t.space_colour[space]
            mind.workshop[colour] = max(mind.workshop[colour], worth)
    mind.tile_brings = 0
    for colour in range(5):
        if mind.workshop[colour] > 0:
            mind.tile_brings = 1
    mind.extra_worth[0] = 0
    mind.extra_sales[0] = 0


@jit
def price_extra(g, t, seat, mind):
    """What extra spaces cost, sales included; how many can be paid."""
    if mind.limits & NO_EXTRA:
        return 0
    most = 0
    mind.views[START] = mind.views[NOW]
    v = mind.views[START]
    for n in range(1, 8):
        if not afford(t, v, t.extra_space_price, mind.can_sell, mind):
            break
        set_rubles(v, v.rubles - t.extra_space_price, mind)
        mind.extra_worth[n] = value(v) - mind.now
        mind.extra_sales[n] = v.sold
        most = n
    return most


@jit
def take_bound(g, t, seat, space, dice, mind):
    """Worth of the resources of a space with so many dice, as if nothing else were done."""
    if mind.takes[space, dice] == UNKNOWN:
        tile = g.market[space]
        if t.tile_kinds[tile] == 1:  # nearly all
            good = t.tile_good[tile]
            worth = amount_bound(g, t, seat, good, t.tile_gain[tile, good] * dice, mind)
        else:
            worth = 0
            for good in range(9):
                if t.tile_gain[tile, good] > 0:
                    worth += amount_bound(g, t, seat, good, t.tile_gain[tile, good] * dice, mind)
        mind.takes[space, dice] = worth
    return mind.takes[space, dice]


@jit
def amount_bound(g, t, seat, good, full, mind):
    """Worth of the best amount of a good, of `full` units or fewer."""
    worth = gain_now(g, t, seat, good, full, mind)
    if good >= WOOD:
        for n in range(1, min(full, room_for(g, seat, mind.views[NOW], good - WOOD, full))):
            worth = max(worth, gain_now(g, t, seat, good, n, mind))
        return max(0, worth)
    return worth


@jit
def guild_bound(g, t, seat, space, mind):
    """Worth of the better influence action at a space, as if nothing else were done."""
    if mind.landing[space] != UNKNOWN:
        return mind.landing[space]
    worth = 0
    if not mind.limits & NO_INFLUENCE:
        q = space >> 1
        card = t.guild_effect[g.guild[q], g.guild_card[q]]
        for action in range(2):
            worth = max(worth, effect_bound(g, t, seat, card + action, space, mind))
        if not by_space(t, card) and not by_space(t, card + 1):
            mind.landing[2 * q] = worth
            mind.landing[2 * q + 1] = worth
    mind.landing[space] = worth
    return worth


@jit
def by_space(t, effect):
    """Whether what an effect is worth depends on the arrival space itself."""
    return (
        t.effects[effect, E_YIELD] == YIELD_SPACE
        or t.effects[effect, E_PAY_MATERIALS] + t.effects[effect, E_PAY_ANY] > 0
    )


@jit
def list_moves(g, t, seat, mind):
    """All moves that can be made, each with a bound on its worth, the dice that it leaves apart."""
    set_bounds(g, t, seat, mind)
    mind.moves = 0
    payable = -1
    for die in range(5):
        mind.die_best[die] = UNKNOWN
        at = g.die_space[die]
        most = 0
        if die == WHITE or die == g.colour[seat]:
            if payable < 0:
                payable = price_extra(g, t, seat, mind)
            most = payable
        for extra in range(most + 1):
            steps = g.die_value[die] + extra
            if not die_can_move(g, t, die, steps):
                continue
            to = (at + steps) & 7
            n = g.dice_in[to] if to == at else g.dice_in[to] + 1
            bound = take_bound(g, t, seat, to, n, mind) + guild_bound(g, t, seat, to, mind) + mind.workshop[die]
            bound += mind.extra_worth[extra]
            mind.die_best[die] = max(mind.die_best[die], bound)
            mind.move[mind.moves] = 8 * die + extra
            mind.bound[mind.moves] = bound
            mind.moves += 1


@jit
def plan_move(g, t, seat, worth_else, mind):
    """The best die with its extra spaces, if it is worth more than `worth_else`; its worth, in mind.action its action.

    Moves are reckoned exactly in the order of their bounds, until no bound exceeds the best.
    """
    list_moves(g, t, seat, mind)
    best = A_END
    best_worth = worth_else
    leaves = mind.w[LEFT_NEXT]
    most = leaves if leaves < 0 else leaves * t.dice_limit  # that the dice left can be worth
    while True:
        top = -1
        bound = best_worth - most
        for i in range(mind.moves):
            if mind.bound[i] > bound:
                bound = mind.bound[i]
                top = i
        if top < 0:
            break
        mind.bound[top] = UNKNOWN
        die = mind.move[top] >> 3
        extra = mind.move[top] & 7
        worth = bound + leaves * left_next(g, t, die, g.die_value[die] + extra, True) if leaves != 0 else bound
        if worth <= best_worth:
            continue
        worth += move_worth(g, t, seat, die, extra, mind) - bound
        if worth > best_worth:
            best_worth = worth
            sells = mind.extra_sales[extra] > 0 or mind.action == A_SELL
            best = A_SELL if sells else pack_action(A_MOVE, die, extra, 0)
    mind.action = best
    return best_worth


@jit
def move_worth(g, t, seat, die, extra, mind):
    """What moving a die brings, the dice that it leaves apart."""
    at = g.die_space[die]
    to = (at + g.die_value[die] + extra) & 7
    n = g.dice_in[to] if to == at else g.dice_in[to] + 1
    parts = 0
    worth = 0
    if mind.takes[to, n] > 0:
        parts |= 1 << TAKE
        worth = mind.takes[to, n]
    if guild_bound(g, t, seat, to, mind) > 0:
        parts |= 1 << INFLUENCE
        worth += guild_bound(g, t, seat, to, mind)
    if mind.workshop[die] > 0:
        parts |= 1 << WORKSHOP
        worth += mind.workshop[die]
    mind.action = A_ROLL
    mind.views[START] = mind.views[NOW]
    v = mind.views[START]
    v.dice = n
    touching = touch(g, t, seat, die, to, parts, mind)
    if extra == 0 and v.rubles >= MONEYED and not touching:
        return worth  # the parts add up
    if extra > 0:
        afford(t, v, extra * t.extra_space_price, mind.can_sell, mind)
        set_rubles(v, v.rubles - extra * t.extra_space_price, mind)
    mind.moved = die
    mind.moved_to = to
    mind.sell_here = mind.can_sell
    worth = visit(g, t, seat, die, to, parts, touching, mind) - mind.now
    mind.sell_here = 0
    mind.moved = -1
    return worth


@jit
def best_reroll(g, t, seat, mind):
    """The space whose dice are worth rolling before the basic action, or -1.

    A reroll is worth the mean over all faces of the better of the best plan that needs none of the rolled dice and of
    the bound of moving one of them, less the prestige that it costs.
    """
    plain = mind.other_best
    for die in range(5):
        plain = max(plain, mind.die_best[die])
    mind.views[START] = mind.views[NOW]
    v = mind.views[START]
    set_marker(t, v, position_of(t, prestige_behind(t, v.marker)), mind)
    cost = mind.now - value(v)
    top = UNKNOWN
    for space in range(8):
        n = min(t.dice_limit, g.dice_in[space] + 1)
        worth = take_bound(g, t, seat, space, n, mind) + guild_bound(g, t, seat, space, mind)
        top = max(top, worth)
        mind.reach[space] = worth if g.dice_in[space] < t.dice_limit else UNKNOWN
    work = 0
    for die in range(5):
        work = max(work, mind.workshop[die])
    if top + work - plain <= cost:  # no roll could be worth its price
        return -1
    best = -1
    best_gain = 0
    for space in range(8):
        if g.dice_in[space] == 0:
            continue
        others = mind.other_best
        rolled = 0
        hope = 0  # six times a bound on the gain: the sum over dice of the mean gain over faces
        for die in range(5):
            if g.die_space[die] != space:
                others = max(others, mind.die_best[die])
                continue
            if rolled == 3:
                continue
            for face in range(6):
                worth = mind.reach[(space + face + 1) & 7]
                if worth != UNKNOWN:
                    worth += mind.workshop[die]
                mind.face_worth[rolled, face] = worth
                hope += max(0, worth - plain)
            rolled += 1
        if hope <= 6 * (cost + best_gain):
            continue
        total = 0
        cases = 6**rolled
        for case in range(cases):
            worth = others
            code = case
            for r in range(rolled):
                worth = max(worth, mind.face_worth[r, code % 6])
                code //= 6
            total += worth
        gain = total // cases - plain - cost
        if gain > best_gain:
            best_gain = gain
            best = space
    return best
