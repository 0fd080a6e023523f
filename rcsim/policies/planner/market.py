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
from rcsim.policies.planner.effects import BEST, NOW, RUN, START, STEP, add_good, use_effect
from rcsim.policies.planner.evaluation import LEFT_NEXT, UNKNOWN, left_next
from rcsim.policies.planner.view import afford, room_for, set_marker, set_material, set_rubles, value
from rcsim.policies.player import NO_EXTRA, NO_INFLUENCE
from rcsim.rules.tables import E_YIELD, YIELD_SPACE

TAKE, INFLUENCE, WORKSHOP = range(3)  # the steps of a visit
ORDERS = np.array([[TAKE, INFLUENCE, WORKSHOP], [INFLUENCE, TAKE, WORKSHOP], [WORKSHOP, TAKE, INFLUENCE]])


@jit
def take_best(g, t, seat, space, i, mind):
    """Take of a space's tile into view i what suits it best; the amount of its last good (0: nothing)."""
    tile = g.market[space]
    times = mind.views[i].dice
    if t.tile_kinds[tile] == 1:  # nearly all
        good = t.tile_good[tile]
        return take_good(g, t, seat, good, t.tile_gain[tile, good] * times, i, mind)
    taken = 0
    for good in range(9):
        full = t.tile_gain[tile, good] * times
        if full > 0:
            taken = max(taken, take_good(g, t, seat, good, full, i, mind))
    return taken


@jit
def take_good(g, t, seat, good, full, i, mind):
    """Take of `full` units of a good as many as suit view i best; how many are wanted."""
    v = mind.views[i]
    if full == 0:
        return 0
    if good < WOOD:
        add_good(g, t, seat, v, good, full, mind)
        return full
    m = good - WOOD
    fits = room_for(g, seat, v, m, full)
    if fits <= 0:
        return 0
    before = v.inv[m]
    best = 0
    best_worth = value(t, v, mind)
    set_material(g, t, seat, v, m, before + fits, mind)
    n = fits
    while True:
        worth = value(t, v, mind)
        if worth > best_worth:
            best_worth = worth
            best = n
        if n == 1 or (best == fits and n <= v.need[m] - before):
            break
        n -= 1
        set_material(g, t, seat, v, m, before + n, mind)
    set_material(g, t, seat, v, m, before + best, mind)
    return full if best == fits else best


@jit
def influence_best(g, t, seat, space, mind):
    """The better action of the card at a space, used as often as it pays, in view RUN; the action, or -1."""
    q = space >> 1
    card = t.guild_effect[g.guild[q], g.guild_card[q]]
    before = value(t, mind.views[RUN], mind)
    best = -1
    best_worth = before
    mind.sales = 0
    for action in range(2):
        if g.influence >= 0 and g.influence != action:
            continue
        effect = card + action
        uses = g.uses
        worth = before
        mind.views[STEP] = mind.views[RUN]
        while uses < t.max_repeats and use_effect(g, t, seat, effect, space, STEP, mind):
            uses += 1
            now = value(t, mind.views[STEP], mind)
            if now <= worth:
                break
            worth = now
            if worth > best_worth:
                best_worth = worth
                best = action
                mind.views[BEST] = mind.views[STEP]
            if t.effect_once[effect]:
                break
    if best >= 0:
        mind.sales = mind.views[BEST].sold - mind.views[RUN].sold
        mind.views[RUN] = mind.views[BEST]
    return best


@jit
def workshop_best(g, t, seat, die, space, mind):
    """The best face-up tile for a die, in view RUN; its workshop space, or -1."""
    best = -1
    best_worth = value(t, mind.views[RUN], mind)
    mind.sales = 0
    for own in range(6):
        if g.space_up[seat, own] and t.space_colour[own] == die:
            mind.views[STEP] = mind.views[RUN]
            if use_effect(g, t, seat, t.tile_effect[g.space_tile[seat, own]], space, STEP, mind):
                worth = value(t, mind.views[STEP], mind)
                if worth > best_worth:
                    best_worth = worth
                    best = own
                    mind.views[BEST] = mind.views[STEP]
    if best >= 0:
        mind.sales = mind.views[BEST].sold - mind.views[RUN].sold
        mind.views[RUN] = mind.views[BEST]
    return best


@jit
def visit(g, t, seat, die, space, steps, mind):
    """The best order of the steps (bit set) of a market visit that starts with view START.

    Returns the worth of the view at its end; the first action is in mind.action (A_ROLL: none).
    """
    best_worth = value(t, mind.views[START], mind)
    mind.action = A_ROLL
    if steps == 0:
        return best_worth
    action = A_ROLL
    sell = mind.sell_here
    orders = 1
    if steps & (steps - 1):
        orders = 3 if steps & (1 << WORKSHOP) else 2
    for order in range(orders):
        mind.views[RUN] = mind.views[START]
        first = A_ROLL
        mind.sell_here = sell
        for k in range(3):
            step = ORDERS[order, k]
            if not (steps >> step) & 1:
                continue
            taken = A_ROLL
            mind.sales = 0
            if step == TAKE:
                n = take_best(g, t, seat, space, RUN, mind)
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
            if first == A_ROLL and taken != A_ROLL:
                first = A_SELL if mind.sales > 0 else taken
                mind.sell_here = 0  # sales stand at one moment only
        worth = value(t, mind.views[RUN], mind)
        if worth > best_worth:
            best_worth = worth
            action = first
    mind.sell_here = sell
    mind.action = action
    return best_worth


@jit
def plan_visit(g, t, seat, mind):
    """The next step at the market, or the roll that ends the visit."""
    steps = 0
    if not g.took and g.dice_in[g.arrival] > 0:
        steps |= 1 << TAKE
    again = g.influence >= 0 and g.repeating and not t.effect_once[influence_effect(g, t, g.influence)]
    if (g.influence < 0 or again) and not (mind.limits & NO_INFLUENCE):
        steps |= 1 << INFLUENCE
    if not g.worked:
        for space in range(6):
            if g.space_up[seat, space] and t.space_colour[space] == g.die:
                steps |= 1 << WORKSHOP
    mind.moved = -1
    mind.sell_here = mind.can_sell
    while steps:
        mind.views[START] = mind.views[NOW]
        mind.views[START].dice = g.dice_in[g.arrival]
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


@jit
def set_bounds(g, t, seat, mind):
    """Forget the bounds of the decision before; bound the workshop, and price the extra spaces."""
    mind.sell_here = 0
    mind.moved = -1
    for space in range(8):
        for n in range(6):
            mind.takes[space, n] = UNKNOWN
    for q in range(4):
        mind.guild[q] = UNKNOWN
    for colour in range(5):
        mind.workshop[colour] = 0
    for space in range(6):
        if g.space_up[seat, space]:
            mind.views[STEP] = mind.views[NOW]
            if use_effect(g, t, seat, t.tile_effect[g.space_tile[seat, space]], -1, STEP, mind):
                worth = value(t, mind.views[STEP], mind) - mind.now
                colour = t.space_colour[space]
                mind.workshop[colour] = max(mind.workshop[colour], worth)
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
        mind.extra_worth[n] = value(t, v, mind) - mind.now
        mind.extra_sales[n] = v.sold
        most = n
    return most


@jit
def take_bound(g, t, seat, space, dice, mind):
    """Worth of the resources of a space with so many dice, as if nothing else were done."""
    if mind.takes[space, dice] == UNKNOWN:
        mind.views[START] = mind.views[NOW]
        mind.views[START].dice = dice
        take_best(g, t, seat, space, START, mind)
        mind.takes[space, dice] = value(t, mind.views[START], mind) - mind.now
    return mind.takes[space, dice]


@jit
def guild_bound(g, t, seat, space, mind):
    """Worth of the better influence action at a space, as if nothing else were done; kept for the quadrant."""
    if mind.limits & NO_INFLUENCE:
        return 0
    q = space >> 1
    if mind.guild[q] != UNKNOWN:
        return mind.guild[q]
    mind.views[RUN] = mind.views[NOW]
    worth = 0
    if influence_best(g, t, seat, space, mind) >= 0:
        worth = value(t, mind.views[RUN], mind) - mind.now
    effect = t.guild_effect[g.guild[q], g.guild_card[q]]
    if t.effects[effect, E_YIELD] != YIELD_SPACE and t.effects[effect + 1, E_YIELD] != YIELD_SPACE:
        mind.guild[q] = worth
    return worth


@jit
def plan_move(g, t, seat, mind):
    """The best die with its extra spaces; its worth, the action in mind.action."""
    set_bounds(g, t, seat, mind)
    payable = -1
    for die in range(5):
        mind.die_best[die] = UNKNOWN
        at = g.die_space[die]
        most = 0
        if extra_spaces_allowed(g, seat, die):
            if payable < 0:
                payable = price_extra(g, t, seat, mind)
            most = payable
        for extra in range(8):
            mind.bound[8 * die + extra] = UNKNOWN
            if extra > most:
                continue
            steps = g.die_value[die] + extra
            if not die_can_move(g, t, die, steps):
                continue
            to = (at + steps) & 7
            n = g.dice_in[to] if to == at else g.dice_in[to] + 1
            bound = take_bound(g, t, seat, to, n, mind) + guild_bound(g, t, seat, to, mind) + mind.workshop[die]
            bound += mind.extra_worth[extra]
            mind.die_best[die] = max(mind.die_best[die], bound)
            if mind.w[LEFT_NEXT] != 0:
                bound += mind.w[LEFT_NEXT] * left_next(g, t, die, steps, to)
            mind.bound[8 * die + extra] = bound
    best = A_END
    best_worth = UNKNOWN
    while True:
        move = -1
        bound = best_worth
        for i in range(40):
            if mind.bound[i] > bound:
                bound = mind.bound[i]
                move = i
        if move < 0:
            break
        mind.bound[move] = UNKNOWN
        die = move >> 3
        extra = move & 7
        at = g.die_space[die]
        steps = g.die_value[die] + extra
        to = (at + steps) & 7
        n = g.dice_in[to] if to == at else g.dice_in[to] + 1
        stays = mind.w[LEFT_NEXT] * left_next(g, t, die, steps, to) if mind.w[LEFT_NEXT] != 0 else 0
        parts = 0
        if mind.takes[to, n] > 0:
            parts |= 1 << TAKE
        if guild_bound(g, t, seat, to, mind) > 0:
            parts |= 1 << INFLUENCE
        if mind.workshop[die] > 0:
            parts |= 1 << WORKSHOP
        worth = bound
        if extra > 0 or parts & (parts - 1):  # else the bound is exact
            mind.views[START] = mind.views[NOW]
            v = mind.views[START]
            afford(t, v, extra * t.extra_space_price, mind.can_sell, mind)
            set_rubles(v, v.rubles - extra * t.extra_space_price, mind)
            v.dice = n
            mind.moved = die
            mind.moved_to = to
            worth = visit(g, t, seat, die, to, parts, mind) - mind.now + stays
            mind.moved = -1
        if worth > best_worth:
            best_worth = worth
            best = A_SELL if mind.extra_sales[extra] > 0 else pack_action(A_MOVE, die, extra, 0)
    mind.action = best
    return best_worth


@jit
def extra_spaces_allowed(g, seat, die):
    """Whether the seat may pay for extra spaces with a die."""
    return die == WHITE or die == g.colour[seat]


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
    set_marker(t, v, position_of(t, prestige_behind(t, v.marker)))
    cost = mind.now - value(t, v, mind)
    best = -1
    best_gain = 0
    for space in range(8):
        k = g.dice_in[space]
        if k == 0:
            continue
        top = UNKNOWN
        others = mind.other_best
        rolled = 0
        for die in range(5):
            if g.die_space[die] != space:
                others = max(others, mind.die_best[die])
                continue
            if rolled == 3:
                continue
            for face in range(6):
                to = (space + face + 1) & 7
                worth = UNKNOWN
                if die_can_move(g, t, die, face + 1):
                    n = g.dice_in[to] if to == space else g.dice_in[to] + 1
                    worth = take_bound(g, t, seat, to, n, mind) + guild_bound(g, t, seat, to, mind)
                    worth += mind.workshop[die]
                mind.face_worth[rolled, face] = worth
                top = max(top, worth)
            rolled += 1
        if top - plain <= cost + best_gain:
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
