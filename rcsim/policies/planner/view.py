"""VIEW: what a seat would hold at some point of a turn that it thinks through, and what that is worth.

`look` reckons a view from the game. Every change after that goes through the functions below, which keep `worth` (in
thousandths of a prestige: track, rubles, materials) in step by differences; a test compares the two.
"""

import numpy as np

from rcsim.engine.jit import jit
from rcsim.engine.track import position_of, prestige_at, prestige_behind
from rcsim.policies.features import THOUSANDTHS
from rcsim.policies.planner.evaluation import (
    GEMS_OPEN,
    LACKING_COMMON,
    LACKING_RARE,
    NEARLY,
    ORNAMENTS_READY,
    READY,
    RUBLES_1_3,
    RUBLES_4_6,
    RUBLES_MORE,
    SLOT_1,
    SLOT_2,
    SLOTS_MORE,
    SPARE_COMMON,
    SPARE_RARE,
    UNDELIVERED,
    smooth_prestige,
)

SLIGHT = 10  # what breaks a tie where only the score counts
KIND_OF = np.array([0, -1, 1, 2, -1, -1])  # ornament that is made of a material


@jit
def look(g, t, seat, v, mind):
    """Fill a view with what the seat holds."""
    for m in range(6):
        v.inv[m] = g.inv[seat, m]
        v.need[m] = 0
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        lack = 0
        for m in range(6):
            left = g.left[s, m]
            v.need[m] += left
            lack += max(0, left - v.inv[m])
        v.lack[i] = lack
        v.missing[i] = g.missing[s]
    v.held = g.held[seat]
    v.slots = g.slots[seat]
    v.rubles = g.rubles[seat]
    v.marker = g.marker[seat]
    v.dice = 0
    v.sold = 0
    v.besides = 0
    opened = 0
    for kind in range(3):
        v.open[kind] = 1 if g.bare[kind] != 0 and g.ornaments[seat, kind] > g.locked[seat, kind] else 0
        opened += v.open[kind]
    v.gems = 2 * opened
    v.worth = marker_worth(t, v.marker, mind)
    if mind.last_turn:
        v.worth += leftovers_worth(t, v.held + v.rubles)
        return
    worth = rubles_worth(v.rubles, mind) + slots_worth(v.slots - v.held, mind)
    for m in range(6):
        worth += material_worth(m, v.need[m], v.inv[m], mind)
        kind = KIND_OF[m]
        if kind >= 0 and v.open[kind] and v.inv[m] > v.need[m]:
            worth += mind.w[ORNAMENTS_READY]
    for i in range(g.unfinished[seat]):
        worth += nearness_worth(t, v.lack[i], v.missing[i], mind)
    v.worth += worth + gems_worth(v, v.inv[4], v.inv[5], mind)


@jit
def value(v):
    """What a view is worth in all."""
    return v.worth + v.besides


# --- the parts of a view's worth ----------------------------------------------------------------------------------


@jit
def marker_worth(t, position, mind):
    """The marker; in a seat's last turn only full prestige counts."""
    if mind.last_turn:
        return THOUSANDTHS * prestige_at(t, position) + SLIGHT * position
    return smooth_prestige(t, position)


@jit
def leftovers_worth(t, goods):
    """Rubles and materials at the end, for a seat's last turn."""
    return THOUSANDTHS * (goods // t.leftover_divisor) + SLIGHT * goods


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
    if free <= 0:
        return 0
    if free == 1:
        return mind.w[SLOT_1]
    return mind.w[SLOT_1] + mind.w[SLOT_2] + mind.w[SLOTS_MORE] * (free - 2)


@jit
def material_worth(m, need, n, mind):
    """n of a material of which sections under way need so many."""
    if n >= need:
        return mind.w[UNDELIVERED] * need + mind.w[SPARE_COMMON if m < 3 else SPARE_RARE] * (n - need)
    return mind.w[UNDELIVERED] * n + mind.w[LACKING_COMMON if m < 3 else LACKING_RARE] * (need - n)


@jit
def nearness_worth(t, lack, missing, mind):
    """A section under way that is ready, or nearly so."""
    if lack == 0:
        return mind.w[READY] if 0 < missing <= t.deliveries else 0
    return mind.w[NEARLY] if lack == 1 else 0


@jit
def gems_worth(v, green, purple, mind):
    """Spare gems that open ornaments could take, with so many in the inventory."""
    if v.gems == 0:
        return 0
    spare = max(0, green - v.need[4]) + max(0, purple - v.need[5])
    return mind.w[GEMS_OPEN] * min(v.gems, spare)


# --- what a change of a view is worth -----------------------------------------------------------------------------


@jit
def rubles_change(t, v, rubles, mind):
    """Having so many rubles."""
    if mind.last_turn:
        return leftovers_worth(t, v.held + rubles) - leftovers_worth(t, v.held + v.rubles)
    return rubles_worth(rubles, mind) - rubles_worth(v.rubles, mind)


@jit
def marker_change(t, v, position, mind):
    """Having the marker there."""
    return marker_worth(t, position, mind) - marker_worth(t, v.marker, mind)


@jit
def material_change(g, t, seat, v, m, n, mind):
    """Having n of a material in the inventory."""
    before = v.inv[m]
    if mind.last_turn:
        goods = v.held + v.rubles
        return leftovers_worth(t, goods + n - before) - leftovers_worth(t, goods)
    need = v.need[m]
    free = v.slots - v.held
    worth = slots_worth(free - n + before, mind) - slots_worth(free, mind)
    worth += material_worth(m, need, n, mind) - material_worth(m, need, before, mind)
    if m > 3:
        if v.gems > 0:
            worth -= gems_worth(v, v.inv[4], v.inv[5], mind)
            worth += gems_worth(v, n, v.inv[5], mind) if m == 4 else gems_worth(v, v.inv[4], n, mind)
    else:
        kind = KIND_OF[m]
        if kind >= 0 and v.open[kind] and (n > need) != (before > need):
            worth += mind.w[ORNAMENTS_READY] if n > need else -mind.w[ORNAMENTS_READY]
    if need > 0:
        for i in range(g.unfinished[seat]):
            left = g.left[g.under_way[seat, i], m]
            if left > 0:
                change = max(0, left - n) - max(0, left - before)
                if change != 0:
                    worth += nearness_worth(t, v.lack[i] + change, v.missing[i], mind)
                    worth -= nearness_worth(t, v.lack[i], v.missing[i], mind)
    return worth


# --- changes of a view --------------------------------------------------------------------------------------------


@jit
def set_rubles(t, v, rubles, mind):
    """Have so many rubles."""
    v.worth += rubles_change(t, v, rubles, mind)
    v.rubles = rubles


@jit
def set_marker(t, v, position, mind):
    """Have the marker there."""
    v.worth += marker_change(t, v, position, mind)
    v.marker = position


@jit
def set_material(g, t, seat, v, m, n, mind):
    """Have n of a material in the inventory."""
    before = v.inv[m]
    if n == before:
        return
    v.worth += material_change(g, t, seat, v, m, n, mind)
    v.inv[m] = n
    v.held += n - before
    if v.need[m] > 0:
        for i in range(g.unfinished[seat]):
            left = g.left[g.under_way[seat, i], m]
            v.lack[i] += max(0, left - n) - max(0, left - before)


@jit
def room_for(g, seat, v, m, n):
    """How much of n of a material supply and slots let in."""
    return min(n, g.supply[m] + g.inv[seat, m] - v.inv[m], v.slots - v.held)


@jit
def lay(g, t, seat, n, v, mind):
    """Deliver up to n materials, each to the section that misses least; the first as section * 8 + material, or -1."""
    first = -1
    while n > 0:
        best = -1
        material = -1
        for i in range(g.unfinished[seat]):
            if v.missing[i] <= 0 or (best >= 0 and v.missing[i] >= v.missing[best]):
                continue
            s = g.under_way[seat, i]
            for m in range(6):
                if v.inv[m] > 0 and v.need[m] > 0 and g.left[s, m] > 0:
                    best = i
                    material = m
                    break
        if best < 0:
            break
        if first < 0:
            first = 8 * g.under_way[seat, best] + material
        lay_one(g, t, seat, v, best, material, mind)
        n -= 1
    return first


@jit
def lay_one(g, t, seat, v, i, m, mind):
    """Deliver one material to the i-th section under way."""
    n = v.inv[m]
    if mind.last_turn:
        v.worth += leftovers_worth(t, v.held + v.rubles - 1) - leftovers_worth(t, v.held + v.rubles)
        v.inv[m] = n - 1
        v.need[m] -= 1
        v.held -= 1
        v.missing[i] -= 1
        return
    need = v.need[m]
    free = v.slots - v.held
    worth = slots_worth(free + 1, mind) - slots_worth(free, mind)
    worth += material_worth(m, need - 1, n - 1, mind) - material_worth(m, need, n, mind)
    worth -= nearness_worth(t, v.lack[i], v.missing[i], mind)
    v.inv[m] = n - 1
    v.need[m] = need - 1
    v.held -= 1
    v.missing[i] -= 1
    worth += nearness_worth(t, v.lack[i], v.missing[i], mind)
    for j in range(g.unfinished[seat]):  # others may have counted on it
        if j != i and g.left[g.under_way[seat, j], m] >= n:
            worth -= nearness_worth(t, v.lack[j], v.missing[j], mind)
            v.lack[j] += 1
            worth += nearness_worth(t, v.lack[j], v.missing[j], mind)
    v.worth += worth


@jit
def need_more(g, t, seat, s, slots, v, mind):
    """Have section s under way too, the last of them, and so many slots more."""
    worth = -gems_worth(v, v.inv[4], v.inv[5], mind)
    if slots > 0:
        free = v.slots - v.held
        worth += slots_worth(free + slots, mind) - slots_worth(free, mind)
        v.slots += slots
    lack = 0
    for m in range(6):
        left = g.left[s, m]
        if left == 0:
            continue
        n = v.inv[m]
        need = v.need[m]
        lack += max(0, left - n)
        worth += material_worth(m, need + left, n, mind) - material_worth(m, need, n, mind)
        kind = KIND_OF[m]
        if kind >= 0 and v.open[kind] and n > need and n <= need + left:
            worth -= mind.w[ORNAMENTS_READY]
        v.need[m] = need + left
    i = g.unfinished[seat] - 1
    v.lack[i] = lack
    v.missing[i] = g.missing[s]
    worth += nearness_worth(t, lack, g.missing[s], mind) + gems_worth(v, v.inv[4], v.inv[5], mind)
    if mind.last_turn == 0:
        v.worth += worth


# --- points and sales -----------------------------------------------------------------------------------------------


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
    set_rubles(t, v, v.rubles + t.sell_rubles, mind)
    v.sold += 1
    return True


@jit
def afford(t, v, rubles, sell, mind):
    """Have so many rubles in hand, by sales if `sell`; False if they cannot be had."""
    while v.rubles < rubles:
        if not sell or not sell_one(t, v, mind):
            return False
    return True
