"""The best visit to the market: die and extra spaces, and what a reroll promises (docs/rules.md, section 7)."""

from rcsim.engine.goods import WOOD
from rcsim.engine.jit import jit
from rcsim.engine.market import WHITE, die_can_move
from rcsim.engine.state import (
    A_END,
    A_MOVE,
    A_ROLL,
    A_SELL,
    pack_action,
)
from rcsim.engine.track import position_of, prestige_behind
from rcsim.policies.planner.effects import (
    NOW,
    START,
    effect_bound,
    gain_now,
)
from rcsim.policies.planner.evaluation import LEFT_NEXT, UNKNOWN, left_next
from rcsim.policies.planner.view import (
    afford,
    room_for,
    set_marker,
    set_rubles,
    value,
)
from rcsim.policies.planner.visit import INFLUENCE, TAKE, WORKSHOP, handles, study, visit
from rcsim.policies.player import NO_EXTRA, NO_INFLUENCE
from rcsim.rules.tables import (
    E_MOVE,
    E_PAY_ANY,
    E_PAY_MATERIALS,
    E_YIELD,
    YIELD_SPACE,
)


@jit
def set_bounds(g, t, seat, mind):
    """Forget the bounds of the decision before; bound the workshop."""
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
    mind.tiles_give = 0
    for space in range(6):
        if g.space_up[seat, space]:
            effect = t.tile_effect[g.space_tile[seat, space]]
            mind.tiles_give |= handles(g, t, seat, effect, 0, mind)
            colour = t.space_colour[space]
            mind.workshop[colour] = max(mind.workshop[colour], effect_bound(g, t, seat, effect, -1, mind))
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
        mind.useful[space] = 0
        for action in range(2):
            bound = effect_bound(g, t, seat, card + action, space, mind)
            if bound > 0:
                mind.useful[space] |= 1 << action
            worth = max(worth, bound)
        if not by_space(t, card) and not by_space(t, card + 1):
            mind.landing[2 * q] = worth
            mind.landing[2 * q + 1] = worth
            mind.useful[2 * q] = mind.useful[space]
            mind.useful[2 * q + 1] = mind.useful[space]
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
            card = t.guild_effect[g.guild[to >> 1], g.guild_card[to >> 1]]
            if t.effects[card, E_MOVE] or t.effects[card + 1, E_MOVE]:  # of one die more
                n = min(n + 1, 5)
            bound = take_bound(g, t, seat, to, n, mind) + guild_bound(g, t, seat, to, mind) + mind.workshop[die]
            bound += mind.extra_worth[extra]
            mind.move[mind.moves] = 8 * die + extra
            mind.die_best[die] = max(mind.die_best[die], bound + mind.sale_now)
            mind.bound[mind.moves] = bound + mind.sale_most
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
        mind.found[top] = UNKNOWN
        die = mind.move[top] >> 3
        extra = mind.move[top] & 7
        worth = bound + leaves * left_next(g, t, die, g.die_value[die] + extra, True) if leaves != 0 else bound
        if worth <= best_worth:
            continue
        to = (g.die_space[die] + g.die_value[die] + extra) & 7
        mind.found[top] = landing_worth(g, t, seat, die, to, extra, mind)
        worth += mind.found[top] - bound
        if worth > best_worth:
            best_worth = worth
            sells = mind.extra_sales[extra] > 0 or mind.action == A_SELL
            best = A_SELL if sells else pack_action(A_MOVE, die, extra, 0)
    mind.action = best
    return best_worth


@jit
def landing_worth(g, t, seat, die, to, extra, mind):
    """What moving a die to a space brings, so many extra spaces paid."""
    n = g.dice_in[to] if to == g.die_space[die] else g.dice_in[to] + 1
    parts = 0
    worth = 0
    if take_bound(g, t, seat, to, n, mind) > 0:
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
    mind.moved = die
    mind.moved_to = to
    if extra > 0:
        afford(t, v, extra * t.extra_space_price, mind.can_sell, mind)
        set_rubles(v, v.rubles - extra * t.extra_space_price, mind)
    study(g, t, seat, die, to, parts, mind.useful[to], mind)
    if mind.apart and extra == 0:
        mind.moved = -1
        return worth + mind.sale_now  # the parts add up
    worth = visit(g, t, seat, die, to, parts, mind) - mind.now
    mind.moved = -1
    return worth


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
    mind.views[START] = mind.views[NOW]
    v = mind.views[START]
    set_marker(t, v, position_of(t, prestige_behind(t, v.marker)), mind)
    cost = mind.now - value(v)
    top = UNKNOWN
    for space in range(8):
        n = min(t.dice_limit, g.dice_in[space] + 1)
        worth = take_bound(g, t, seat, space, n, mind) + guild_bound(g, t, seat, space, mind) + mind.sale_now
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
            worth = mind.reach[to]
            if worth != UNKNOWN:
                worth += mind.workshop[die]
                if exact and worth > plain:
                    worth = landing_worth(g, t, seat, die, to, 0, mind)
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
