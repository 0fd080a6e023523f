"""VIEW: what a seat would hold at some point of a turn that it thinks through, and what that is worth.

`look` reckons a view from the game. Every change after that goes through the functions below, which keep `worth` (in
thousandths of a prestige: track, rubles, materials) in step by differences; a test compares the two.

Materials are worth the sum over the six kinds: by how many are in the inventory, and how many are there beyond what the
sections under way still need. A delivery lowers both numbers of materials, and leaves what is beyond.
"""

from rcsim.engine.cathedral import base_material
from rcsim.engine.jit import jit
from rcsim.engine.track import position_of, prestige_at, prestige_behind
from rcsim.policies.features import THOUSANDTHS
from rcsim.policies.planner.evaluation import (
    GEMS_OPEN,
    ORNAMENTS_READY,
    RUBLES_1_3,
    RUBLES_4_6,
    RUBLES_MORE,
    UNDELIVERED,
    smooth_prestige,
)

MOST_SALES = 3  # at one moment, but for a price
SLIGHT = 10  # what breaks a tie where only the score counts


@jit
def set_materials(g, seat, mind):
    """What the worth of materials depends on, besides weights and view: the ornaments that could be placed."""
    for m in range(6):
        mind.first_spare[m] = 0
    mind.gems = 0
    for kind in range(3):
        mind.open[kind] = 0
        if g.bare[kind] != 0 and g.ornaments[seat, kind] > g.locked[seat, kind]:
            mind.open[kind] = 1
            mind.gems += 2
            mind.first_spare[base_material(kind)] = mind.w[ORNAMENTS_READY]


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
        v.beyond[m] = v.inv[m]
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        for m in range(6):
            v.beyond[m] -= g.left[s, m]
    v.held = g.held[seat]
    v.slots = g.slots[seat]
    v.rubles = g.rubles[seat]
    v.marker = g.marker[seat]
    v.dice = 0
    v.sold = 0
    worth = marker_worth(t, v.marker, mind) + rubles_worth(v.rubles, mind) + slots_worth(v.slots - v.held, mind)
    for m in range(6):
        worth += mind.w[UNDELIVERED] * v.inv[m] + beyond_worth(m, v.beyond[m], mind)
    v.worth = worth


@jit
def look_at(g, t, seat, v, mind):
    """Fill a view with what the seat holds in a game."""
    set_materials(g, seat, mind)
    look(g, t, seat, v, mind)


@jit
def value(v):
    """What a view is worth in all."""
    return v.worth


# --- the parts of a view's worth ----------------------------------------------------------------------------------


@jit
def marker_worth(t, position, mind):
    """The marker; in a seat's last turn only full prestige counts."""
    if mind.last_turn:
        return THOUSANDTHS * prestige_at(t, position) + SLIGHT * position
    return smooth_prestige(t, position)


@jit
def rubles_worth(rubles, mind):
    """Money: less for each further ruble."""
    w = mind.w
    if rubles <= 3:
        return w[RUBLES_1_3] * rubles
    if rubles <= 6:
        return w[RUBLES_1_3] * 3 + w[RUBLES_4_6] * (rubles - 3)
    return (w[RUBLES_1_3] + w[RUBLES_4_6]) * 3 + w[RUBLES_MORE] * (rubles - 6)


@jit
def slots_worth(free, mind):
    """Free slots."""
    if free > 1:
        return mind.two_slots + mind.more_slots * free
    return mind.one_slot if free == 1 else 0


@jit
def beyond_worth(m, n, mind):
    """n of a material beyond what sections under way need, on top of the worth of any in the inventory."""
    if n <= 0:
        return -n * mind.lacking[m]
    worth = n * mind.spare[m] + mind.first_spare[m]
    return worth + mind.w[GEMS_OPEN] * min(n, mind.gems) if m > 3 else worth


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
    free = v.slots - v.held
    beyond = v.beyond[m]
    worth = mind.w[UNDELIVERED] * n + slots_worth(free - n, mind) - slots_worth(free, mind)
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
def add_material(v, m, n, mind):
    """Have n of a material more in the inventory, or less."""
    v.worth += material_change(v, m, n, mind)
    v.inv[m] += n
    v.beyond[m] += n
    v.held += n


@jit
def room_for(g, seat, v, m, n):
    """How much of n of a material supply and slots let in."""
    return min(n, g.supply[m] + g.inv[seat, m] - v.inv[m], v.slots - v.held)


@jit
def deliver_one(v, m, mind):
    """Deliver one of a material to a section that needs it."""
    free = v.slots - v.held
    v.worth += slots_worth(free + 1, mind) - slots_worth(free, mind) - mind.w[UNDELIVERED]
    v.inv[m] -= 1
    v.held -= 1


@jit
def has_all(g, s, v):
    """Whether the inventory holds all that a section misses."""
    for m in range(6):
        if g.left[s, m] > v.inv[m]:
            return False
    return True


@jit
def lay(g, seat, n, v, mind):
    """Deliver up to n materials, what misses least first, and finish nothing.

    The first delivery as section * 8 + material, or -1 if none fits.
    """
    first = -1
    after = 0  # what the section before missed, and its number
    before = -1
    while n > 0 and v.held > 0:
        best = -1  # the next section in order of what they miss
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
        for m in range(6):
            for _ in range(min(min(n, room), min(g.left[best, m], v.inv[m]))):
                if first < 0:
                    first = 8 * best + m
                deliver_one(v, m, mind)
                n -= 1
                room -= 1
    return first


@jit
def need_more(g, t, s, slots, v, mind):
    """Have section s under way too, and so many slots more."""
    free = v.slots - v.held
    worth = slots_worth(free + slots, mind) - slots_worth(free, mind)
    v.slots += slots
    for m in range(6):
        left = t.card_cost[g.card[s], m]
        if left > 0:
            beyond = v.beyond[m]
            worth += beyond_worth(m, beyond - left, mind) - beyond_worth(m, beyond, mind)
            v.beyond[m] = beyond - left
    v.worth += worth


# --- points and sales ---------------------------------------------------------------------------------------------


@jit
def add_prestige(t, v, n, mind):
    """Gain n prestige."""
    set_marker(t, v, position_of(t, prestige_at(t, v.marker) + n), mind)


@jit
def sell_one(t, v, mind):
    """Sell one prestige; False if there is none behind the marker."""
    behind = prestige_behind(t, v.marker)
    if behind == 0:
        return False
    set_marker(t, v, position_of(t, behind), mind)
    set_rubles(v, v.rubles + t.sell_rubles, mind)
    v.sold += 1
    return True


@jit
def afford(t, v, rubles, sell, mind):
    """Have so many rubles in hand, by sales if `sell`; False if they cannot be had."""
    while v.rubles < rubles:
        if not sell or not sell_one(t, v, mind):
            return False
    return True


@jit
def sale_gain(t, v, mind):
    """What selling one prestige is worth; 0 if there is none behind the marker."""
    behind = prestige_behind(t, v.marker)
    if behind == 0:
        return 0
    return marker_change(t, v, position_of(t, behind), mind) + rubles_change(v, v.rubles + t.sell_rubles, mind)


@jit
def sell_some(t, v, rubles, mind):
    """Sell until there are so many rubles, and on while that pays; how many sales."""
    n = 0
    while v.rubles < rubles or (n < MOST_SALES and sale_gain(t, v, mind) > 0):
        if not sell_one(t, v, mind):
            break
        n += 1
    return n


@jit
def sales_gain(t, marker, rubles, mind):
    """What sales are worth, as many as pay, where the marker stands there and so many rubles are in hand."""
    total = 0
    for _ in range(MOST_SALES):
        behind = prestige_behind(t, marker)
        if behind == 0:
            break
        to = position_of(t, behind)
        gain = marker_worth(t, to, mind) - marker_worth(t, marker, mind)
        gain += rubles_worth(rubles + t.sell_rubles, mind) - rubles_worth(rubles, mind)
        if gain <= 0:
            break
        total += gain
        marker = to
        rubles += t.sell_rubles
    return total


@jit
def sooner_gain(t, start, marker, rubles, mind):
    """What sales before a plan are worth that brings recognition: the marker then ends as much farther back.

    It goes from `start` to `marker`, and ends with so many rubles.
    """
    best = 0
    back = start
    n = 0
    while n < MOST_SALES:
        behind = prestige_behind(t, back)
        if behind == 0:
            break
        back = position_of(t, behind)
        n += 1
        gain = marker_worth(t, marker + back - start, mind) - marker_worth(t, marker, mind)
        gain += rubles_worth(rubles + n * t.sell_rubles, mind) - rubles_worth(rubles, mind)
        if gain <= best:
            break
        best = gain
    return best


@jit
def sales_beside(t, v, prestige, mind):
    """What sales before or after a plan add to it: it ends in view v, so many prestige gained, first of all.

    mind.sale_sooner is 1 if they have to come before.
    """
    gain = sales_gain(t, v.marker, v.rubles, mind) if mind.sell_later else 0
    mind.sale_sooner = 0
    start = mind.views[0].marker
    if not mind.can_sell or (v.marker == start and mind.sell_later):
        return gain
    sooner = 0
    if prestige > 0:
        behind = prestige_behind(t, start)
        if behind > 0:
            to = position_of(t, behind)
            shift = position_of(t, prestige_at(t, to) + prestige) - position_of(t, prestige_at(t, start) + prestige)
            sooner = marker_change(t, v, v.marker + shift, mind) + rubles_change(v, v.rubles + t.sell_rubles, mind)
    else:
        sooner = sooner_gain(t, start, v.marker, v.rubles, mind)
    if sooner > gain:
        gain = sooner
        mind.sale_sooner = 1
    return gain
