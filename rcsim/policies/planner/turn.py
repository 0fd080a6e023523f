"""The planner's turn: the best of claiming, building and acquiring, and the choices within a step."""

from rcsim.engine.events import EV_INFLUENCE
from rcsim.engine.jit import jit
from rcsim.engine.solo import IVAN_SEAT
from rcsim.engine.state import (
    A_DELIVER,
    A_DIE,
    A_END,
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
    P_BUILD,
    P_DELIVER,
    P_DONE,
    P_MAIN,
    P_MARKET,
    P_PAY,
    P_YIELD,
    action_a,
    action_kind,
    pack_action,
)
from rcsim.engine.track import position_of, prestige_behind
from rcsim.engine.turn import actor, legal, may_reroll, may_sell
from rcsim.policies.features import THOUSANDTHS
from rcsim.policies.planner.building import plan_build
from rcsim.policies.planner.claims import plan_claim
from rcsim.policies.planner.effects import NOW, RUN, add_good, deliver_in, moved_worth, use_effect, yield_tile
from rcsim.policies.planner.evaluation import (
    LEFT_NEXT,
    TRACK_RIVALS,
    UNKNOWN,
    left_next,
    set_weights,
    smooth_prestige,
    tower_worth,
)
from rcsim.policies.planner.market import best_reroll, plan_move
from rcsim.policies.planner.view import add_material, look, marker_worth, rubles_worth, sales_gain, set_materials, value
from rcsim.policies.planner.visit import MOST_LAID, plan_visit, steps_left
from rcsim.policies.player import NO_REROLL, NO_SELLING
from rcsim.rules.tables import E_DELIVER, E_GAIN_RECOGNITION, E_PAY_RUBLES, OPTIONAL_ONE_KIND, SELL_ANY

SPENT = 1  # rubles that a plan spends, as bounds have it
LEAST_LOST = THOUSANDTHS // 4  # by a sale


@jit
def choose_planner(g, t, acts, mind, player):
    """The first action of the best plan for the rest of the turn."""
    seat = actor(g)
    phase = g.phase
    if phase == P_MARKET:
        steps = steps_left(g, t, seat, player.limits)
        if steps == 0:
            return A_ROLL
        prepare(g, t, seat, player, mind)
        return plan_visit(g, t, seat, steps, mind)
    if phase == P_DONE or (phase == P_BUILD and (g.deliveries == 0 or g.held[seat] == 0)):
        if player.limits & NO_SELLING or not may_sell(g, t, seat):
            return A_END
        set_weights(g, t, seat, player, mind)
        return A_SELL if sale_worth(g, t, seat, mind) > 0 else A_END
    if phase > P_DONE:
        legal(g, t, acts)
        if acts.n == 1:
            return acts.a[0]
        prepare(g, t, seat, player, mind)
        if phase == P_DELIVER:
            return best_delivery(g, t, seat, acts, mind)
        return best_listed(g, t, seat, acts, mind, player)
    prepare(g, t, seat, player, mind)
    best = A_END
    best_worth = UNKNOWN
    if phase == P_MAIN:
        if mind.last_turn == 0 and g.banners[seat] > 0:
            best_worth = plan_claim(g, t, seat, mind, player)
            best = mind.action
    else:  # the turn may end here
        best_worth = mind.sale_now
        if mind.can_sell and mind.sale_now > 0:
            best = A_SELL
    if g.held[seat] > 0:
        worth = plan_build(g, t, seat, g.deliveries if phase == P_BUILD else t.deliveries, mind)
        if worth > best_worth:
            best_worth = worth
            best = mind.action
    if phase == P_BUILD:
        return best
    mind.other_best = best_worth  # without a die
    stays = mind.w[LEFT_NEXT] * left_next(g, t, 0, 0, False) if mind.w[LEFT_NEXT] != 0 else 0
    if plan_move(g, t, seat, best_worth + stays, mind) > best_worth + stays:
        best = mind.action
    if not (mind.limits & NO_REROLL) and may_reroll(g, t, seat):
        space = best_reroll(g, t, seat, mind)
        if space >= 0:
            return pack_action(A_REROLL, space, 0, 0)
    return best


@jit
def prepare(g, t, seat, player, mind):
    """Weights, and the position as it stands."""
    set_weights(g, t, seat, player, mind)
    set_materials(g, seat, mind)
    look(g, t, seat, mind.views[NOW], mind)
    mind.now = value(mind.views[NOW])
    mind.settled = 0
    mind.hold = 0
    set_sales(g, t, seat, mind)
    mind.moved = -1
    for tower in range(g.towers):
        mind.tower[tower] = UNKNOWN
        mind.adorned[tower] = UNKNOWN


@jit
def set_sales(g, t, seat, mind):
    """Whether prestige may be sold, now and later, and what that is worth."""
    mind.can_sell = 0
    mind.sell_later = 0
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
        most = rubles_worth(rubles + t.sell_rubles, mind) - rubles_worth(rubles, mind) - LEAST_LOST
        mind.sale_most = max(mind.sale_most, most)


@jit
def sale_worth(g, t, seat, mind):
    """What selling one prestige now brings."""
    to = position_of(t, prestige_behind(t, g.marker[seat]))
    rubles = g.rubles[seat]
    gain = rubles_worth(rubles + t.sell_rubles, mind) - rubles_worth(rubles, mind)
    return gain + marker_worth(t, to, mind) - marker_worth(t, g.marker[seat], mind)


@jit
def best_listed(g, t, seat, acts, mind, player):
    """The best of the listed options of a choice; the first of several."""
    best = acts.a[0]
    best_worth = UNKNOWN
    for i in range(acts.n):
        worth = option_worth(g, t, seat, acts.a[i], mind)
        if worth > best_worth:
            best_worth = worth
            best = acts.a[i]
    return best


@jit
def best_delivery(g, t, seat, acts, mind):
    """The next delivery of an effect, with those of further uses in mind; to stop if none is worth it and it can be."""
    n = g.deliver_left
    price = t.effects[g.effect, E_PAY_RUBLES]
    if not t.effect_once[g.effect] and g.why == EV_INFLUENCE:
        n += t.effects[g.effect, E_DELIVER] * (g.rubles[seat] // price if price > 0 else MOST_LAID)
    mind.views[RUN] = mind.views[NOW]
    first = deliver_in(g, t, seat, n, RUN, mind)
    stop = action_kind(acts.a[acts.n - 1]) == A_STOP
    if first >= 0 and (value(mind.views[RUN]) >= mind.now or not stop):
        return pack_action(A_DELIVER, first >> 3, first & 7, 0)
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
        return moved_worth(g, t, seat, g.effect, a, arrival, RUN, mind)
    elif kind == A_SPACE:
        if g.phase == P_YIELD:
            yield_tile(g, t, seat, a, RUN, mind)
        else:
            return mind.w[LEFT_NEXT] * left_after_roll(g, t, a)
    elif kind == A_TOWER:
        return ivan_worth(g, t, seat, a, mind)
    return value(v)


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
    before = tower_worth(g, t, tower, seat, mind)
    g.claimed[tower] += 1  # undone below
    g.owner[s] = IVAN_SEAT
    after = tower_worth(g, t, tower, seat, mind)
    g.owner[s] = -1
    g.claimed[tower] -= 1
    shown = t.effects[t.tile_effect[g.tile[s]], E_GAIN_RECOGNITION] + t.card_recognition[g.card[s]]
    now = smooth_prestige(t, g.marker[IVAN_SEAT])
    return (
        after - before + mind.w[TRACK_RIVALS] * (smooth_prestige(t, g.marker[IVAN_SEAT] + shown) - now) // THOUSANDTHS
    )
