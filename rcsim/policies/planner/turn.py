"""The planner's turn: the best of claiming, building and acquiring, and the choices within a step.

A turn is thought of once. Its further actions come from the plan, as long as the game goes the way that was planned.
"""

from rcsim.engine.effects import can_use
from rcsim.engine.events import EV_INFLUENCE
from rcsim.engine.jit import jit, wrapping
from rcsim.engine.market import good_fits, tile_fits
from rcsim.engine.solo import IVAN_SEAT
from rcsim.engine.state import (
    A_DIE,
    A_END,
    A_INFLUENCE,
    A_MATERIAL,
    A_REROLL,
    A_ROLL,
    A_SELL,
    A_SPACE,
    A_STOP,
    A_TAKE,
    A_TILE,
    A_TOWER,
    A_USE,
    A_WORKSHOP,
    P_BUILD,
    P_DELIVER,
    P_DONE,
    P_MARKET,
    P_PAY,
    P_YIELD,
    action_a,
    action_kind,
    pack_action,
)
from rcsim.engine.track import position_of, prestige_behind
from rcsim.engine.turn import actor, can_influence, legal, may_reroll, may_sell, path_after
from rcsim.policies.features import THOUSANDTHS
from rcsim.policies.planner.building import MUCH, NOW, RUN, best_works, works_bound
from rcsim.policies.planner.claims import plan_claim, weigh_claims
from rcsim.policies.planner.effects import add_good, moved_worth, use_effect, yield_tile
from rcsim.policies.planner.evaluation import UNKNOWN, left_next, smooth_prestige
from rcsim.policies.planner.market import best_reroll, list_moves, plan_move, put_in, top_move, weigh_takes
from rcsim.policies.planner.scale import LEFT_NEXT, TRACK_RIVALS, set_scale
from rcsim.policies.planner.towers import after_claim, tower_worth
from rcsim.policies.planner.view import (
    add_material,
    look_at,
    marker_worth,
    rubles_worth,
    sales_gain,
)
from rcsim.policies.planner.visit import MOST_LAID, plan_visit, steps_left
from rcsim.policies.player import NO_REROLL, NO_SELLING
from rcsim.rules.tables import E_DELIVER, E_GAIN_RECOGNITION, E_PAY_RUBLES, OPTIONAL_ONE_KIND, SELL_ANY

SPENT = 1  # rubles that a plan spends, as estimates have it


@jit
def choose_planner(g, t, acts, mind, player):
    """The next action of the best plan for the rest of the turn."""
    here = whereabouts(g, player)
    if mind.asked_path == here:
        return mind.asked
    going = mind.plan_path == here  # the game has gone the way that was planned
    if not going:
        mind.plan_n = 0
        mind.plan_next = 0
    phase = g.phase
    seat = actor(g)
    if phase > P_DONE:
        action = choose_within(g, t, seat, acts, mind, player)
    elif phase < P_DONE and mind.plan_next < mind.plan_n and fits(g, t, mind.plan[mind.plan_next]):
        action = mind.plan[mind.plan_next]
        mind.plan_next += 1
    elif phase == P_DONE or (phase == P_BUILD and (going or g.deliveries == 0 or g.held[seat] == 0)):
        action = end_or_sell(g, t, seat, mind, player)
    else:
        prepare(g, t, seat, player, mind)
        think(g, t, seat, mind, player)
        mind.plan_next = 0
        while mind.plan_next < mind.plan_n and not fits(g, t, mind.plan[mind.plan_next]):
            mind.plan_next += 1  # a use that would change nothing
        action = mind.plan[mind.plan_next] if mind.plan_next < mind.plan_n else A_ROLL
        mind.plan_next += 1
    mind.asked_path = here
    mind.asked = action
    mind.plan_path = path_after(g, action) ^ player.tag
    return action


@wrapping
@jit
def whereabouts(g, player):
    """What tells where a game stands, and who asks."""
    return g.path ^ player.tag


@jit
def fits(g, t, action):
    """Whether a planned action is still legal: an effect may have turned out another way than planned."""
    seat = g.seat
    kind = action_kind(action)
    a = action_a(action)
    if kind == A_INFLUENCE:
        return can_influence(g, t, seat, a)
    if kind == A_WORKSHOP:
        return can_use(g, t, seat, t.tile_effect[g.space_tile[seat, a]], g.arrival)
    if kind == A_TAKE:
        tile = g.market[g.arrival]
        times = g.dice_in[g.arrival]
        if times == 0 or t.tile_kinds[tile] > 1:
            return times > 0 and tile_fits(g, t, seat, tile, times)
        good = t.tile_good[tile]
        full = t.tile_gain[tile, good] * times
        n = good_fits(g, seat, good, full, 0)
        return n > 0 and (a == full or a < n)
    return kind != A_SELL or may_sell(g, t, seat)


@jit
def think(g, t, seat, mind, player):
    """The best plan for the rest of the turn into mind.plan."""
    mind.plan_n = 0
    if g.phase == P_MARKET:
        steps = steps_left(g, t, seat, player.limits)
        if steps:
            plan_visit(g, t, seat, steps, mind)
            for _ in range(mind.sales_before):
                put_in(A_SELL, mind)
            for k in range(mind.steps_n):
                put_in(mind.steps[k], mind)
        put_in(A_ROLL, mind)
        return
    if g.phase == P_BUILD:  # the turn may end here
        put_in(A_SELL if mind.can_sell and mind.sale_now > 0 else A_END, mind)
        plan_build(g, t, seat, g.deliveries, mind.sale_now, mind)
        return
    # Claims and completions first: they are cheap, and spare most moves, which have the loosest bounds.
    leaves = mind.scale.w[LEFT_NEXT]
    stays = leaves * left_next(g, t, 0, 0, False) if leaves != 0 else 0  # what the dice are worth if none is moved
    most = leaves if leaves < 0 else leaves * t.dice_limit  # if one is
    weigh_takes(g, t, seat, mind)
    list_moves(g, t, seat, mind)
    weigh_claims(g, t, seat, mind, player)
    mind.other_best = UNKNOWN  # without a die
    while True:
        tower = top_claim(mind)
        if mind.claim[tower] <= mind.other_best:
            break
        mind.other_best = plan_claim(g, t, seat, tower, mind.other_best, mind, player)
        mind.claim[tower] = UNKNOWN
    build = works_bound(g, t, seat, t.deliveries, mind) if g.held[seat] > 0 else UNKNOWN
    if build == MUCH:
        mind.other_best = plan_build(g, t, seat, t.deliveries, mind.other_best, mind)
        build = UNKNOWN
    best = mind.other_best + stays
    while True:
        move = top_move(mind)
        if move < 0 or mind.bound[move] + most <= best:
            break
        best = plan_move(g, t, seat, move, best, mind)
    if build > best - stays:
        mind.other_best = plan_build(g, t, seat, t.deliveries, best - stays, mind)
    if not (mind.limits & NO_REROLL) and may_reroll(g, t, seat):
        space = best_reroll(g, t, seat, mind)
        if space >= 0:
            mind.plan_n = 0
            put_in(pack_action(A_REROLL, space, 0, 0), mind)


@jit
def top_claim(mind):
    """The tower with the highest bound on a claim."""
    top = 0
    for tower in range(1, 6):
        if mind.claim[tower] > mind.claim[top]:
            top = tower
    return top


@jit
def plan_build(g, t, seat, left, worth_else, mind):
    """The best build action into mind.plan, if it is worth more than `worth_else`; the greater worth."""
    mind.line_n = 0
    worth = best_works(g, t, seat, left, NOW, True, worth_else + mind.now, mind) - mind.now
    if worth <= worth_else:
        return worth_else
    mind.plan_n = 0
    for _ in range(mind.works_sales):
        put_in(A_SELL, mind)
    for k in range(mind.works_n):
        put_in(mind.works[k], mind)
    return worth


@jit
def prepare(g, t, seat, player, mind):
    """Scale, and the position as it stands."""
    set_scale(g, t, seat, player, mind)
    look_at(g, t, seat, mind.views[NOW], mind)
    mind.now = mind.views[NOW].worth
    mind.line_n = 0
    mind.hold = 0
    mind.moved = -1
    set_sales(g, t, seat, mind)


@jit
def set_sales(g, t, seat, mind):
    """Whether prestige may be sold, now and later, and what that is worth."""
    mind.can_sell = 0
    mind.sell_later = 0
    mind.least_lost = 0 if mind.scale.last_turn else t.least_step
    if not mind.limits & NO_SELLING and t.sell_rubles > 0:
        mind.can_sell = 1 if may_sell(g, t, seat) else 0
        late = g.sold == 0 or t.sell_moments == SELL_ANY
        if late and not (t.optional_actions == OPTIONAL_ONE_KIND and g.rerolled):
            mind.sell_later = 1
    v = mind.views[NOW]
    mind.sale_now = sales_gain(t, v.marker, v.rubles, mind) if mind.can_sell else 0
    mind.sale_most = mind.sale_now
    if mind.sell_later:
        rubles = max(0, v.rubles - SPENT)
        most = rubles_worth(rubles + t.sell_rubles, mind) - rubles_worth(rubles, mind) - mind.least_lost
        mind.sale_most = max(mind.sale_most, most)


@jit
def end_or_sell(g, t, seat, mind, player):
    """The end of the turn, or a sale if it brings something."""
    if player.limits & NO_SELLING or not may_sell(g, t, seat):
        return A_END
    set_scale(g, t, seat, player, mind)
    to = position_of(t, prestige_behind(t, g.marker[seat]))
    rubles = g.rubles[seat]
    gain = rubles_worth(rubles + t.sell_rubles, mind) - rubles_worth(rubles, mind)
    gain += marker_worth(t, to, mind) - marker_worth(t, g.marker[seat], mind)
    return A_SELL if gain > 0 else A_END


# --- choices within a step --------------------------------------------------------------------------------------


@jit
def choose_within(g, t, seat, acts, mind, player):
    """The best of the listed options of a choice; the first of several."""
    legal(g, t, acts)
    if acts.n == 1:
        return acts.a[0]
    prepare(g, t, seat, player, mind)
    if g.phase == P_DELIVER:
        return best_delivery(g, t, seat, acts, mind)
    best = acts.a[0]
    best_worth = UNKNOWN
    for i in range(acts.n):
        worth = option_worth(g, t, seat, acts.a[i], mind)
        if worth > best_worth:
            best_worth = worth
            best = acts.a[i]
    return best


@jit
def is_influence(action):
    """Whether an action uses an influence card."""
    return action_kind(action) == A_INFLUENCE


@jit
def best_delivery(g, t, seat, acts, mind):
    """The next delivery of an effect, with those of further uses in mind; to stop if none is worth it and it can be."""
    n = g.deliver_left
    price = t.effects[g.effect, E_PAY_RUBLES]
    if not t.effect_once[g.effect] and g.why == EV_INFLUENCE:
        uses = g.rubles[seat] // price if price > 0 else MOST_LAID
        if mind.plan_n > 0:  # as many as are planned
            uses = 0
            while mind.plan_next + uses < mind.plan_n and is_influence(mind.plan[mind.plan_next + uses]):
                uses += 1
        n += t.effects[g.effect, E_DELIVER] * uses
    worth = best_works(g, t, seat, min(n, MOST_LAID), NOW, False, UNKNOWN, mind)
    stop = action_kind(acts.a[acts.n - 1]) == A_STOP
    if worth != UNKNOWN and (worth >= mind.now or not stop):
        return mind.works[0]
    return acts.a[acts.n - 1] if stop else acts.a[0]


@jit
def option_worth(g, t, seat, action, mind):
    """Worth of the position after an option of a choice, as far as it tells the options apart."""
    kind = action_kind(action)
    a = action_a(action)
    mind.views[RUN] = mind.views[NOW]
    v = mind.views[RUN]
    arrival = g.arrival
    if kind == A_TAKE:
        for good in range(g.want_good):
            if g.wanted[good] > 0:
                add_good(g, t, seat, v, good, g.wanted[good], mind)
        if a > 0:
            add_good(g, t, seat, v, g.want_good, a, mind)
    elif kind == A_MATERIAL:
        add_material(v, a, (-1 if g.phase == P_PAY else 1), mind)
    elif kind == A_USE:
        use_effect(g, t, seat, t.tile_effect[g.space_tile[seat, g.bonus]], -1, RUN, mind)
    elif kind == A_TILE:
        use_effect(g, t, seat, t.tile_effect[g.space_tile[seat, a]], arrival, RUN, mind)
    elif kind == A_DIE:
        return moved_worth(g, t, seat, g.effect, a, arrival, v, mind)
    elif kind == A_SPACE:
        if g.phase == P_YIELD:
            yield_tile(g, t, seat, a, v, mind)
        else:
            return mind.scale.w[LEFT_NEXT] * left_after_roll(g, t, a)
    elif kind == A_TOWER:
        return ivan_worth(g, t, seat, a, mind)
    return v.worth + (sales_gain(t, v.marker, v.rubles, mind) if mind.sell_later else 0)


@jit
def left_after_roll(g, t, space):
    """`left_next` once the dice of a space have been rolled."""
    die = 0
    while g.die_space[die] != space:
        die += 1
    return left_next(g, t, die, 0, True)


@jit
def ivan_worth(g, t, seat, tower, mind):
    """What it is worth to the human that Ivan claims in a tower."""
    s = g.first[tower] + g.claimed[tower]
    gain = after_claim(g, t, tower, seat, IVAN_SEAT, mind) - tower_worth(g, t, tower, seat, mind)
    shown = t.effects[t.tile_effect[g.tile[s]], E_GAIN_RECOGNITION] + t.card_recognition[g.card[s]]
    now = g.marker[IVAN_SEAT]
    points = smooth_prestige(t, now + shown) - smooth_prestige(t, now)
    return gain + mind.scale.w[TRACK_RIVALS] * points // THOUSANDTHS
