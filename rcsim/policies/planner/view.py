"""VIEW: what a seat would hold at some point of a turn that it thinks through, and what that is worth.

`look` reckons a view from the game. Every change after that goes through the functions below, which keep `worth` (in
thousandths of a prestige: track, rubles, materials) in step by differences; a test compares the two. Plans add to it
what they change in the cathedral.

Materials are worth the sum over the six kinds: by how many are in the inventory, and how many are there beyond what the
sections under way still need. A delivery lowers both numbers of materials, and leaves what is beyond.
"""

from rcsim.engine.cathedral import base_material
from rcsim.engine.jit import jit
from rcsim.engine.state import A_DELIVER, pack_action
from rcsim.engine.track import position_of, prestige_at, prestige_behind
from rcsim.policies.features import THOUSANDTHS
from rcsim.policies.mind import KNOWN_RUBLES, MOST_STEPS
from rcsim.policies.planner.evaluation import smooth_prestige
from rcsim.policies.planner.scale import GEMS_OPEN, ORNAMENTS_READY, RUBLES_MORE, UNDELIVERED

MOST_SALES = 3  # at one moment, but for a price
SLIGHT = 10  # what breaks a tie where only the score counts


@jit
def set_materials(g, seat, mind):
    """What the worth of materials depends on, besides scale and view: the ornaments that could be placed."""
    for m in range(4):
        mind.first_spare[m] = 0
    mind.gems = 0
    for kind in range(3):
        mind.open[kind] = 0
        if g.bare[kind] != 0 and g.ornaments[seat, kind] > g.locked[seat, kind]:
            mind.open[kind] = 1
            mind.gems += 2
            mind.first_spare[base_material(kind)] = mind.scale.w[ORNAMENTS_READY]


@jit
def all_beyond(v, mind):
    """The part of a view's worth that depends on the ornaments that could be placed."""
    worth = 0
    for m in range(6):
        worth += beyond_worth(m, v.beyond[m], mind)
    return worth


@jit
def look(g, t, seat, v, mind):
    """Fill a view with what the seat holds, after `set_materials`."""
    for m in range(6):
        v.inv[m] = g.inv[seat, m]
        v.beyond[m] = g.inv[seat, m]
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        for m in range(6):
            v.beyond[m] -= g.left[s, m]
    v.free = g.slots[seat] - g.held[seat]
    v.rubles = g.rubles[seat]
    v.marker = g.marker[seat]
    v.dice = 0
    worth = marker_worth(t, v.marker, mind) + rubles_worth(v.rubles, mind) + mind.scale.slots[v.free]
    v.worth = worth + mind.scale.w[UNDELIVERED] * g.held[seat] + all_beyond(v, mind)


@jit
def look_at(g, t, seat, v, mind):
    """Fill a view with what the seat holds in a game."""
    set_materials(g, seat, mind)
    look(g, t, seat, v, mind)


# --- the parts of a view's worth ----------------------------------------------------------------------------------


@jit
def marker_worth(t, position, mind):
    """The marker; in a seat's last turn only full prestige counts."""
    if mind.scale.last_turn:
        return THOUSANDTHS * prestige_at(t, position) + SLIGHT * position
    return smooth_prestige(t, position)


@jit
def rubles_worth(rubles, mind):
    """Money: less for each further ruble."""
    if rubles < KNOWN_RUBLES:
        return mind.scale.rubles[rubles]
    return mind.scale.rubles[KNOWN_RUBLES - 1] + mind.scale.w[RUBLES_MORE] * (rubles - KNOWN_RUBLES + 1)


@jit
def beyond_worth(m, n, mind):
    """n of a material beyond what sections under way need, on top of the worth of any in the inventory."""
    if n <= 0:
        return -n * mind.scale.lacking[m]
    worth = n * mind.scale.spare[m]
    if m > 3:
        return worth + mind.scale.w[GEMS_OPEN] * min(n, mind.gems)
    return worth + mind.first_spare[m]


# --- what a change of a view is worth -----------------------------------------------------------------------------


@jit
def rubles_change(v, rubles, mind):
    """Having so many rubles."""
    return rubles_worth(rubles, mind) - rubles_worth(v.rubles, mind)


@jit
def marker_change(t, v, position, mind):
    """Having the marker there."""
    return marker_worth(t, position, mind) - marker_worth(t, v.marker, mind)


@jit
def material_change(v, m, n, mind):
    """Having n of a material more in the inventory, or less."""
    slots = mind.scale.slots
    beyond = v.beyond[m]
    worth = mind.scale.w[UNDELIVERED] * n + slots[v.free - n] - slots[v.free]
    return worth + beyond_worth(m, beyond + n, mind) - beyond_worth(m, beyond, mind)


# --- changes of a view --------------------------------------------------------------------------------------------


@jit
def set_rubles(v, rubles, mind):
    """Have so many rubles."""
    v.worth += rubles_change(v, rubles, mind)
    v.rubles = rubles


@jit
def set_marker(t, v, position, mind):
    """Have the marker there."""
    v.worth += marker_change(t, v, position, mind)
    v.marker = position


@jit
def add_prestige(t, v, n, mind):
    """Gain n prestige."""
    set_marker(t, v, position_of(t, prestige_at(t, v.marker) + n), mind)


@jit
def add_material(v, m, n, mind):
    """Have n of a material more in the inventory, or less."""
    v.worth += material_change(v, m, n, mind)
    v.inv[m] += n
    v.beyond[m] += n
    v.free -= n


@jit
def room_for(g, seat, v, m, n):
    """How much of n of a material supply and slots let in."""
    return min(n, g.supply[m] + g.inv[seat, m] - v.inv[m], v.free)


@jit
def deliver_one(v, m, mind):
    """Deliver one of a material to a section that needs it."""
    v.worth += mind.scale.slots[v.free + 1] - mind.scale.slots[v.free] - mind.scale.w[UNDELIVERED]
    v.inv[m] -= 1
    v.free += 1


@jit
def has_all(g, s, v):
    """Whether the inventory holds all that a section misses."""
    for m in range(6):
        if g.left[s, m] > v.inv[m]:
            return False
    return True


@jit
def lay(g, seat, n, v, mind):
    """Deliver up to n materials, what misses least first, and finish nothing; the deliveries into mind.line."""
    before = -1  # what the section before missed, and its number
    while n > 0:
        best = -1  # the next section in order of what they miss
        after = 0
        for i in range(g.unfinished[seat]):
            s = g.under_way[seat, i]
            key = 64 * g.missing[s] + i
            if key > before and (best < 0 or key < after):
                best = s
                after = key
        if best < 0:
            break
        before = after
        room = g.missing[best] - 1
        if room == 0:
            continue
        for m in range(6):
            fits = min(min(n, room), min(g.left[best, m], v.inv[m]))
            for _ in range(fits):
                note(pack_action(A_DELIVER, best, m, 0), mind)
                deliver_one(v, m, mind)
            n -= fits
            room -= fits


@jit
def need_change(g, t, s, slots, v, mind):
    """What having section s under way too, and so many slots more, is worth."""
    worth = mind.scale.slots[v.free + slots] - mind.scale.slots[v.free]
    card = g.card[s]
    for m in range(6):
        left = t.card_cost[card, m]
        if left > 0:
            worth += beyond_worth(m, v.beyond[m] - left, mind) - beyond_worth(m, v.beyond[m], mind)
    return worth


@jit
def need_more(g, t, s, slots, v, mind):
    """Have section s under way too, and so many slots more."""
    v.worth += need_change(g, t, s, slots, v, mind)
    v.free += slots
    for m in range(6):
        v.beyond[m] -= t.card_cost[g.card[s], m]


# --- plans --------------------------------------------------------------------------------------------------------


@jit
def note(action, mind):
    """Add an action to the plan that is being thought of."""
    if mind.line_n < MOST_STEPS:
        mind.line[mind.line_n] = action
        mind.line_n += 1


# --- sales --------------------------------------------------------------------------------------------------------


@jit
def sell_one(t, v, mind):
    """Sell one prestige; False if there is none behind the marker."""
    behind = prestige_behind(t, v.marker)
    if behind == 0:
        return False
    set_marker(t, v, position_of(t, behind), mind)
    set_rubles(v, v.rubles + t.sell_rubles, mind)
    return True


@jit
def afford(t, v, rubles, sell, mind):
    """Have so many rubles in hand, by sales if `sell`; how many these are, or -1 if the rubles cannot be had."""
    n = 0
    while v.rubles < rubles:
        if not sell or not sell_one(t, v, mind):
            return -1
        n += 1
    return n


@jit
def sales_gain(t, marker, rubles, mind):
    """What sales are worth, as many as pay, where the marker stands there and so many rubles are in hand."""
    total = 0
    for _ in range(MOST_SALES):
        brought = rubles_worth(rubles + t.sell_rubles, mind) - rubles_worth(rubles, mind)
        if brought <= mind.least_lost:
            break
        behind = prestige_behind(t, marker)
        if behind == 0:
            break
        to = position_of(t, behind)
        gain = brought + marker_worth(t, to, mind) - marker_worth(t, marker, mind)
        if gain <= 0:
            break
        total += gain
        marker = to
        rubles += t.sell_rubles
    return total


@jit
def sooner_gain(t, start, marker, rubles, mind):
    """What sales sooner in a plan are worth that then brings recognition, and their number.

    The marker goes from `start` to `marker`, and ends as much farther back; it ends with so many rubles.
    """
    sales = 0
    best = 0
    back = start
    for n in range(1, MOST_SALES + 1):
        brought = rubles_worth(rubles + n * t.sell_rubles, mind) - rubles_worth(rubles, mind)
        behind = prestige_behind(t, back)
        if behind == 0 or brought <= mind.least_lost:
            break
        back = position_of(t, behind)
        if marker + back < start:  # what the plan pays could not be paid then
            break
        gain = brought + marker_worth(t, marker + back - start, mind) - marker_worth(t, marker, mind)
        if gain <= best:
            break
        best = gain
        sales = n
    return best, sales


@jit
def sales_beside(t, v, prestige, mind):
    """What sales before or after a plan add to it: it ends in view v, so many prestige gained, first of all.

    mind.sales is how many have to come before.
    """
    gain = sales_gain(t, v.marker, v.rubles, mind) if mind.sell_later else 0
    mind.sales = 0
    start = mind.views[0].marker
    if not mind.can_sell or (v.marker == start and mind.sell_later):
        return gain
    sooner = 0
    sales = 0
    if prestige > 0:
        behind = prestige_behind(t, start)
        if behind > 0:
            to = position_of(t, behind)
            shift = position_of(t, prestige_at(t, to) + prestige) - position_of(t, prestige_at(t, start) + prestige)
            sooner = marker_change(t, v, max(0, v.marker + shift), mind) + rubles_change(
                v, v.rubles + t.sell_rubles, mind
            )
            sales = 1
    else:
        sooner, sales = sooner_gain(t, start, v.marker, v.rubles, mind)
    if sooner > gain:
        gain = sooner
        mind.sales = sales
    return gain
