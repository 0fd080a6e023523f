"""The best visit to the market: die and extra spaces, and what a reroll promises (docs/rules.md, section 7).

Each move has a bound on its worth: the resources of its arrival space, the better influence action and the best tile,
each as if alone. Moves are thought through in the order of their bounds, until no bound exceeds the best.
"""

from rcsim.engine.goods import PRESTIGE, RECOGNITION, WOOD
from rcsim.engine.jit import jit
from rcsim.engine.market import WHITE, die_can_move
from rcsim.engine.state import A_MOVE, A_ROLL, A_SELL, pack_action
from rcsim.engine.track import position_of, prestige_behind
from rcsim.policies.features import THOUSANDTHS
from rcsim.policies.planner.building import BUILT, NOW, START, STEP, best_works, can_finish, laying_worth
from rcsim.policies.planner.effects import good_gain
from rcsim.policies.planner.evaluation import UNKNOWN, left_next
from rcsim.policies.planner.scale import LEFT_NEXT, UNDELIVERED
from rcsim.policies.planner.view import (
    afford,
    beyond_worth,
    marker_change,
    material_change,
    room_for,
    rubles_change,
    sales_gain,
    set_rubles,
)
from rcsim.policies.planner.visit import INFLUENCE, TAKE, WORKSHOP, visit
from rcsim.policies.player import NO_EXTRA, NO_INFLUENCE
from rcsim.rules.tables import (
    ANY,
    E_ACTIVATE,
    E_ACTIVATE_COLOUR,
    E_DELIVER,
    E_GAIN_ANY,
    E_GAIN_ANY_OF,
    E_GAIN_MATERIALS,
    E_GAIN_PRESTIGE,
    E_GAIN_RECOGNITION,
    E_GAIN_RUBLES,
    E_GAIN_WOOD,
    E_GIVES,
    E_HAS_PAY,
    E_MOVE,
    E_MOVE_DIE,
    E_MOVE_STEPS,
    E_PAY_ANY,
    E_PAY_ANY_OF,
    E_PAY_MATERIALS,
    E_PAY_PRESTIGE,
    E_PAY_RECOGNITION,
    E_PAY_RUBLES,
    E_PAY_WOOD,
    E_PAYS,
    E_YIELD,
    E_YIELD_ARG,
    YIELD_DIE,
    YIELD_NONE,
    YIELD_SPACE,
)

COMPLETION = 4 * THOUSANDTHS  # about what one brings
ALL_GOODS = (1 << 9) - 1
MATERIALS = 0b111111 << WOOD
POINTS = 1 << RECOGNITION | 1 << PRESTIGE
PRICE = 1 << 9  # beside the goods
POINTS_OR_PRICE = POINTS | PRICE
LATER_BRINGS = THOUSANDTHS // 2  # what an action may bring more after other steps
BROUGHT = 2  # materials that a visit may bring for deliveries
FED = 2  # uses that a visit may feed


# --- bounds -----------------------------------------------------------------------------------------------------


@jit
def weigh_takes(g, t, seat, mind):
    """What the resources of every space are worth with any number of dice, as if nothing else were done."""
    v = mind.views[NOW]
    for space in range(8):
        tile = g.market[space]
        most = min(g.dice_in[space] + 2, 5)
        for n in range(most + 1):
            mind.takes[space, n] = 0
        if t.tile_kinds[tile] == 1:  # nearly all
            good = t.tile_good[tile]
            weigh_good(g, t, seat, v, space, most, good, t.tile_gain[tile, good], mind)
        else:
            for good in range(9):
                if t.tile_gain[tile, good] > 0:
                    weigh_good(g, t, seat, v, space, most, good, t.tile_gain[tile, good], mind)


@jit
def weigh_good(g, t, seat, v, space, most, good, unit, mind):
    """Add what a good is worth of which each die brings `unit`, the best amount of it."""
    if good < WOOD:
        for n in range(1, most + 1):
            mind.takes[space, n] += good_gain(g, t, seat, v, good, unit * n, mind)
        return
    m = good - WOOD
    fits = room_for(g, seat, v, m, most * unit)
    best = 0
    amount = 0
    for n in range(1, most + 1):
        for _ in range(unit):
            amount += 1
            if amount <= fits:
                best = max(best, material_change(v, m, amount, mind))
        mind.takes[space, n] += best


@jit
def weigh_workshop(g, t, seat, mind):
    """Bounds on the best face-up tile for each die, and what tiles could bring."""
    for colour in range(5):
        mind.workshop[colour] = 0
        mind.tile_touches[colour] = 0
        mind.own_yield[colour] = 0
    mind.tiles_give = 0
    for space in range(6):
        if g.space_up[seat, space]:
            effect = t.tile_effect[g.space_tile[seat, space]]
            e = t.effects[effect]
            mind.tiles_give |= e[E_GIVES]
            colour = t.space_colour[space]
            if e[E_YIELD] == YIELD_SPACE:
                mind.tiles_give |= ALL_GOODS
            elif e[E_YIELD] != YIELD_NONE:
                for die in range(5):
                    if e[E_YIELD_ARG] == die or e[E_YIELD_ARG] == ANY:
                        mind.tiles_give |= t.tile_gives[g.market[g.die_space[die]]]
                        if die == colour:
                            mind.own_yield[colour] = 1
            mind.tile_touches[colour] |= touched_by(t, effect, mind.tiles_give)
            price = effect_price(t, effect, mind)
            gain = effect_gain(g, t, seat, effect, 1, mind)
            if e[E_YIELD] == YIELD_SPACE:
                most = 0
                for s in range(8):
                    most = max(most, mind.takes[s, 1])
                gain += most
            if e[E_DELIVER] > 0:
                gain += laying_worth(mind) * e[E_DELIVER] + COMPLETION
            if price == UNKNOWN or e[E_PAYS] & MATERIALS:
                price = 0  # the visit may bring what it pays
            mind.workshop[colour] = max(mind.workshop[colour], gain + price)


@jit
def weigh_cards(g, t, seat, mind):
    """Bounds on the actions of the influence cards, the yield of spaces beside the arrival space apart."""
    for q in range(4):
        card = t.guild_effect[g.guild[q], g.guild_card[q]]
        mind.touches[q] = 0
        for action in range(2):
            mind.touches[q] |= touched_by(t, card + action, POINTS)
            e = t.effects[card + action]
            times = 1
            price = 0
            if e[E_HAS_PAY]:
                price = effect_price(t, card + action, mind)
                if not t.effect_once[card + action]:
                    times = mind.times
            gain = effect_gain(g, t, seat, card + action, times, mind)
            mind.gain[q, action] = gain
            mind.feeds[q, action] = e[E_PAYS] & MATERIALS
            if e[E_DELIVER] > 0:
                weigh_deliveries(g, t, seat, q, action, gain, price, times, mind)
            elif price == UNKNOWN:
                mind.card[q, action] = UNKNOWN
            else:
                mind.card[q, action] = max(gain + price, (gain + price) * times)


@jit
def layable_now(g, seat, v):
    """A bound on the deliveries that could be made without finishing a section."""
    n = 0
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        fits = 0
        for m in range(6):
            fits += min(g.left[s, m], v.inv[m])
        n += min(fits, g.missing[s] - 1)
    return n


@jit
def weigh_deliveries(g, t, seat, q, action, gain, price, times, mind):
    """Bounds on an action that delivers: with what is at hand, and with what a visit brings."""
    v = mind.views[NOW]
    each = t.effects[t.guild_effect[g.guild[q], g.guild_card[q]] + action, E_DELIVER]
    n = min(each * min(times, 6), 6)
    laying = laying_worth(mind)
    layable = layable_now(g, seat, v)
    if price == UNKNOWN:
        mind.card[q, action] = UNKNOWN
        price = 0  # the visit may bring it
    else:
        one = gain + price + laying * min(each, layable)
        mind.card[q, action] = max(one, gain * times + price * min(times, layable) + laying * min(n, layable))
        if can_finish(g, seat, n, v) and best_works(g, t, seat, n, NOW, False, UNKNOWN, mind) != UNKNOWN:
            mind.card[q, action] = max(mind.card[q, action], gain + price + mind.views[BUILT].worth - mind.now)
    mind.fed[q, action] = gain + price + laying * min(n, layable + BROUGHT)
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        kinds = 0
        lacking = 0
        for m in range(6):
            if g.left[s, m] > v.inv[m]:
                kinds += 1
                lacking = m
        if kinds == 1 and g.missing[s] <= n:  # a visit may bring what completes it
            mind.feeds[q, action] |= 1 << WOOD + lacking
            mind.fed[q, action] = max(mind.fed[q, action], gain + price + COMPLETION)


@jit
def touched_by(t, effect, yields):
    """Points, and PRICE for rubles that it takes, that an effect touches (bit set); `yields`: goods of its yield."""
    e = t.effects[effect]
    bits = (e[E_GIVES] | e[E_PAYS]) & POINTS
    if e[E_PAY_RUBLES] > 0 or e[E_ACTIVATE]:
        bits |= PRICE
    if e[E_DELIVER]:
        bits |= POINTS
    if e[E_YIELD] != YIELD_NONE:
        bits |= yields & POINTS
    return bits


@jit
def effect_price(t, effect, mind):
    """What one price of an effect is worth, 0 or less, UNKNOWN if it cannot be paid; in mind.times how often it can."""
    e = t.effects[effect]
    v = mind.views[NOW]
    mind.times = t.max_repeats
    if not e[E_HAS_PAY]:
        return 0
    worth = 0
    price = e[E_PAY_RUBLES]
    if price > 0:
        mind.times = max(1, min(t.max_repeats, v.rubles // price))
        if v.rubles >= price:
            worth += rubles_change(v, v.rubles - price, mind)
        else:
            mind.views[STEP] = v
            if afford(t, mind.views[STEP], price, mind.can_sell, mind) < 0:
                return UNKNOWN
            set_rubles(mind.views[STEP], mind.views[STEP].rubles - price, mind)
            worth += mind.views[STEP].worth - mind.now
    if e[E_PAY_RECOGNITION] > 0:
        if v.marker < e[E_PAY_RECOGNITION]:
            return UNKNOWN
        mind.times = min(mind.times, v.marker // e[E_PAY_RECOGNITION])
        worth += marker_change(t, v, v.marker - e[E_PAY_RECOGNITION], mind)
    if e[E_PAY_PRESTIGE] > 0:
        behind = prestige_behind(t, v.marker)
        if behind < e[E_PAY_PRESTIGE]:
            return UNKNOWN
        mind.times = min(mind.times, behind // e[E_PAY_PRESTIGE])
        worth += marker_change(t, v, position_of(t, behind - e[E_PAY_PRESTIGE] + 1), mind)
    if e[E_PAY_MATERIALS] > 0:
        for m in range(6):
            n = e[E_PAY_WOOD + m]
            if n > 0:
                if v.inv[m] < n:
                    return UNKNOWN
                mind.times = min(mind.times, v.inv[m] // n)
                worth += material_change(v, m, -n, mind)
    if e[E_PAY_ANY] > 0:
        at_hand = 0
        least = UNKNOWN
        for m in range(6):
            if (e[E_PAY_ANY_OF] >> m) & 1 and v.inv[m] > 0:
                at_hand += v.inv[m]
                least = max(least, material_change(v, m, -1, mind))
        if at_hand < e[E_PAY_ANY]:
            return UNKNOWN
        mind.times = min(mind.times, at_hand // e[E_PAY_ANY])
        worth += e[E_PAY_ANY] * least
    return worth


@jit
def effect_gain(g, t, seat, effect, times, mind):
    """A bound on what one of so many uses of an effect brings, price, deliveries and the yield of spaces apart."""
    e = t.effects[effect]
    v = mind.views[NOW]
    worth = 0
    if e[E_YIELD] != YIELD_NONE and e[E_YIELD] != YIELD_SPACE:
        best = 0
        for die in range(5):
            if e[E_YIELD_ARG] == die or e[E_YIELD_ARG] == ANY:
                at = g.die_space[die]
                best = max(best, mind.takes[at, 1])
                if e[E_MOVE] and (e[E_MOVE_DIE] == die or e[E_MOVE_DIE] == ANY):
                    best = max(best, mind.takes[(at + e[E_MOVE_STEPS]) & 7, 1])
        worth += best
    if e[E_GAIN_RUBLES] > 0:
        worth += rubles_change(v, v.rubles + e[E_GAIN_RUBLES], mind)
    if e[E_GAIN_RECOGNITION] > 0:
        one = marker_change(t, v, v.marker + e[E_GAIN_RECOGNITION], mind)
        if times > 1:
            one = max(one, marker_change(t, v, v.marker + e[E_GAIN_RECOGNITION] * times, mind) // times)
        worth += one
    if e[E_GAIN_PRESTIGE] > 0:
        worth += good_gain(g, t, seat, v, PRESTIGE, e[E_GAIN_PRESTIGE], mind)
    pays = e[E_PAYS] & MATERIALS  # and so makes room
    if e[E_GAIN_MATERIALS] > 0:
        for m in range(6):
            n = e[E_GAIN_WOOD + m]
            if n > 0:
                fits = min(n, max(1, v.free)) if pays else room_for(g, seat, v, m, n)
                worth += gain_of(v, m, fits, mind)
    if e[E_GAIN_ANY] > 0 and (pays or v.free > 0):
        best = UNKNOWN
        for m in range(6):
            if (e[E_GAIN_ANY_OF] >> m) & 1:
                best = max(best, gain_of(v, m, 1, mind))
        worth += e[E_GAIN_ANY] * best
    if e[E_ACTIVATE]:
        best = 0
        for colour in range(5):
            if e[E_ACTIVATE_COLOUR] == colour or e[E_ACTIVATE_COLOUR] == ANY:
                best = max(best, mind.workshop[colour])
        worth += best
    return worth


@jit
def gain_of(v, m, n, mind):
    """What n of a material more are worth; where no slot is free, a payment has made room."""
    worth = mind.scale.w[UNDELIVERED] * n + beyond_worth(m, v.beyond[m] + n, mind) - beyond_worth(m, v.beyond[m], mind)
    return worth + mind.scale.slots[v.free - n] - mind.scale.slots[v.free] if n <= v.free else worth


@jit
def fed_worth(g, t, seat, space, q, action, mind):
    """What an action adds to the resources of a space that it pays with."""
    v = mind.views[NOW]
    e = t.effects[t.guild_effect[g.guild[q], g.guild_card[q]] + action]
    tile = g.market[space]
    good = t.tile_good[tile]
    if t.tile_kinds[tile] > 1 or good < WOOD:
        return FED * mind.gain[q, action]
    m = good - WOOD
    pays = e[E_PAY_WOOD + m] + e[E_PAY_ANY]
    n = min(g.dice_in[space] + 1, 5)
    full = room_for(g, seat, v, m, n * t.tile_gain[tile, good])
    best = 0
    uses = 1
    while uses * pays <= full + max(0, v.inv[m]):
        worth = gain_of(v, m, full - uses * pays, mind) + uses * mind.gain[q, action]
        best = max(best, worth - mind.takes[space, n])
        if t.effect_once[t.guild_effect[g.guild[q], g.guild_card[q]] + action]:
            break
        uses += 1
    return best


@jit
def weigh_guilds(g, t, seat, mind):
    """A bound on the better influence action at each space, and the actions that may be useful there."""
    for space in range(8):
        mind.guilds[space] = 0
        mind.useful[space] = 0
        if mind.limits & NO_INFLUENCE:
            continue
        q = space >> 1
        card = t.guild_effect[g.guild[q], g.guild_card[q]]
        brings = t.tile_gives[g.market[space]]
        for action in range(2):
            worth = mind.card[q, action]
            feeds = mind.feeds[q, action]
            if (brings | mind.tiles_give) & feeds:
                if t.effects[card + action, E_DELIVER]:
                    worth = max(worth, mind.fed[q, action])
                elif brings & feeds:
                    worth = max(worth, fed_worth(g, t, seat, space, q, action, mind))
                else:
                    worth = max(worth, mind.gain[q, action])
            if worth != UNKNOWN and t.effects[card + action, E_YIELD] == YIELD_SPACE:
                worth += mind.takes[(space + t.effects[card + action, E_YIELD_ARG]) & 7, 1]
            if worth > -LATER_BRINGS:  # it may pay after other steps
                mind.useful[space] |= 1 << action
            if worth > 0:
                mind.guilds[space] = max(mind.guilds[space], worth)


@jit
def price_extra(t, mind):
    """What extra spaces cost, sales included; how many can be paid."""
    mind.extra_worth[0] = 0
    mind.extra_sales[0] = 0
    mind.extra_sale[0] = mind.sale_now
    if mind.limits & NO_EXTRA:
        return 0
    mind.views[START] = mind.views[NOW]
    v = mind.views[START]
    sales = 0
    for n in range(1, 8):
        more = afford(t, v, t.extra_space_price, mind.can_sell, mind)
        if more < 0:
            return n - 1
        sales += more
        set_rubles(v, v.rubles - t.extra_space_price, mind)
        mind.extra_worth[n] = v.worth - mind.now
        mind.extra_sale[n] = sales_gain(t, v.marker, v.rubles, mind) if mind.sell_later or mind.can_sell else 0
        mind.extra_sales[n] = sales
    return 7


@jit
def tile_bound(die, to, mind):
    """A bound on the best tile for a die that has moved to a space."""
    return max(mind.workshop[die], mind.takes[to, 1]) if mind.own_yield[die] else mind.workshop[die]


@jit
def guild_bound(g, t, die, to, mind):
    """A bound on the better influence action for a die that has moved to a space."""
    q = to >> 1
    worth = mind.guilds[to]
    card = t.guild_effect[g.guild[q], g.guild_card[q]]
    for action in range(2):
        e = t.effects[card + action]
        if e[E_YIELD] == YIELD_DIE and (e[E_YIELD_ARG] == die or e[E_YIELD_ARG] == ANY):
            steps = e[E_MOVE_STEPS] if e[E_MOVE] else 0
            gain = mind.takes[(to + steps) & 7, 1]
            if gain > 0 and not mind.limits & NO_INFLUENCE:
                mind.useful[to] |= 1 << action
                worth = max(worth, gain)
    return worth


@jit
def list_moves(g, t, seat, mind):
    """All moves that can be made, each with a bound on its worth, the dice that it leaves apart."""
    weigh_workshop(g, t, seat, mind)
    weigh_cards(g, t, seat, mind)
    weigh_guilds(g, t, seat, mind)
    mind.moves = 0
    payable = price_extra(t, mind)
    for die in range(5):
        mind.die_best[die] = UNKNOWN
        at = g.die_space[die]
        most = payable if die == WHITE or die == g.colour[seat] else 0
        for extra in range(most + 1):
            steps = g.die_value[die] + extra
            if not die_can_move(g, t, die, steps):
                continue
            to = (at + steps) & 7
            n = g.dice_in[to] if to == at else g.dice_in[to] + 1
            card = t.guild_effect[g.guild[to >> 1], g.guild_card[to >> 1]]
            if t.effects[card, E_MOVE] or t.effects[card + 1, E_MOVE]:  # of one die more
                n = min(n + 1, 5)
            bound = mind.takes[to, n] + guild_bound(g, t, die, to, mind) + tile_bound(die, to, mind)
            bound += mind.extra_worth[extra]
            mind.move[mind.moves] = 8 * die + extra
            mind.die_best[die] = max(mind.die_best[die], bound + mind.sale_now)
            touched = mind.touches[to >> 1] | t.tile_gives[g.market[to]] | mind.tile_touches[die]
            mind.bound[mind.moves] = bound + (mind.sale_most if touched & POINTS_OR_PRICE else mind.extra_sale[extra])
            mind.moves += 1


# --- moves ------------------------------------------------------------------------------------------------------


@jit
def top_move(mind):
    """The move with the highest bound that has not been thought through, or -1."""
    top = -1
    bound = UNKNOWN
    for i in range(mind.moves):
        if mind.bound[i] > bound:
            bound = mind.bound[i]
            top = i
    return top


@jit
def plan_move(g, t, seat, i, worth_else, mind):
    """A move with its best visit into mind.plan, if it is worth more than `worth_else`; the greater worth."""
    leaves = mind.scale.w[LEFT_NEXT]
    bound = mind.bound[i]
    mind.bound[i] = UNKNOWN
    mind.found[i] = UNKNOWN
    die = mind.move[i] >> 3
    extra = mind.move[i] & 7
    left = leaves * left_next(g, t, die, g.die_value[die] + extra, True) if leaves != 0 else 0
    if bound + left <= worth_else:
        return worth_else
    to = (g.die_space[die] + g.die_value[die] + extra) & 7
    mind.found[i] = landing_worth(g, t, seat, die, to, extra, worth_else - left, mind)
    if mind.found[i] + left <= worth_else:
        return worth_else
    mind.plan_n = 0
    for _ in range(mind.extra_sales[extra] + mind.sales_before):
        put_in(A_SELL, mind)
    put_in(pack_action(A_MOVE, die, extra, 0), mind)
    for k in range(mind.steps_n):
        put_in(mind.steps[k], mind)
    put_in(A_ROLL, mind)
    return mind.found[i] + left


@jit
def put_in(action, mind):
    """Add an action to the best plan; what does not fit is thought of when the plan has come to its end."""
    if mind.plan_n < mind.plan.shape[0]:
        mind.plan[mind.plan_n] = action
        mind.plan_n += 1


@jit
def landing_worth(g, t, seat, die, to, extra, enough, mind):
    """What moving a die to a space brings, so many extra spaces paid."""
    steps = 0
    n = g.dice_in[to] if to == g.die_space[die] else g.dice_in[to] + 1
    if mind.takes[to, n] > 0 or mind.useful[to]:
        steps |= 1 << TAKE
    if mind.useful[to]:
        steps |= 1 << INFLUENCE
    if tile_bound(die, to, mind) > 0:
        steps |= 1 << WORKSHOP
    mind.views[START] = mind.views[NOW]
    v = mind.views[START]
    v.dice = n
    mind.moved = die
    mind.moved_to = to
    if extra > 0:
        afford(t, v, extra * t.extra_space_price, mind.can_sell, mind)
        set_rubles(v, v.rubles - extra * t.extra_space_price, mind)
    worth = visit(g, t, seat, die, to, steps, mind.useful[to], mind.extra_sales[extra], enough + mind.now, mind)
    mind.moved = -1
    return worth - mind.now


# --- rerolls ----------------------------------------------------------------------------------------------------


@jit
def best_reroll(g, t, seat, mind):
    """The space whose dice are worth rolling before the basic action, or -1.

    A reroll is worth the mean over all faces of the better of the best plan that needs none of the rolled dice and of
    moving one of them, less the prestige that it costs. Bounds on all of these say which may pay, and that is thought
    through.
    """
    plain = mind.other_best
    for die in range(5):
        plain = max(plain, mind.die_best[die])
    v = mind.views[NOW]
    cost = -marker_change(t, v, position_of(t, prestige_behind(t, v.marker)), mind)
    top = 0
    for space in range(8):
        n = min(t.dice_limit, g.dice_in[space] + 1)
        top = max(top, mind.takes[space, n] + mind.guilds[space])
    work = 0
    for die in range(5):
        work = max(work, mind.workshop[die])
    if top + work + mind.sale_now - plain <= cost:  # no roll could be worth its price
        return -1
    best = -1
    best_gain = 0
    for space in range(8):
        if g.dice_in[space] == 0:
            continue
        for exact in range(2):
            if exact:
                found_best(mind)
                plain = mind.other_best
                for die in range(5):
                    plain = max(plain, mind.die_best[die])
            gain = reroll_gain(g, t, seat, space, plain, cost + best_gain, exact, mind) - cost
            if gain <= best_gain:
                break
            if exact:
                best_gain = gain
                best = space
    return best


@jit
def found_best(mind):
    """What the best move of each die is worth, as far as moves were thought through, into mind.die_best."""
    for die in range(5):
        mind.die_best[die] = UNKNOWN
    for i in range(mind.moves):
        if mind.bound[i] == UNKNOWN:
            die = mind.move[i] >> 3
            mind.die_best[die] = max(mind.die_best[die], mind.found[i])


@jit
def reroll_gain(g, t, seat, space, plain, enough, exact, mind):
    """What rolling the dice of a space gains on the best plan, by bounds or `exact`; 0 if clearly not `enough`."""
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
            to = (space + face + 1) & 7
            worth = UNKNOWN
            if g.dice_in[to] < t.dice_limit:
                n = min(t.dice_limit, g.dice_in[to] + 1)
                worth = mind.takes[to, n] + mind.guilds[to] + tile_bound(die, to, mind) + mind.sale_now
                if exact and worth > plain:
                    worth = landing_worth(g, t, seat, die, to, 0, plain, mind)
            mind.face_worth[rolled, face] = worth
            hope += max(0, worth - plain)
        rolled += 1
    if hope <= 6 * enough:
        return 0
    total = 0
    cases = 6**rolled
    for case in range(cases):
        worth = others
        code = case
        for r in range(rolled):
            worth = max(worth, mind.face_worth[r, code % 6])
            code //= 6
        total += worth
    return total // cases - plain
