"""The best use of deliveries: sections to be finished, ornaments, and what is left onto sections (section 6).

What could be better than the best so far is tried: it is done in the game's own fields and undone again. Sections are
finished from the bottom, ornaments come after and before them, each kind where it does most. What lies on a section
that is not finished is worth the same wherever it lies, so that is not tried, but comes last.
"""

import numpy as np

from rcsim.engine.cathedral import CODE_ADORN, base_material, coded, penalty_points
from rcsim.engine.jit import jit
from rcsim.engine.state import A_ADORN, A_DELIVER, GEMS_GREEN, GEMS_PURPLE, GEMS_VALUE, pack_action
from rcsim.policies.features import THOUSANDTHS
from rcsim.policies.mind import VIEWS
from rcsim.policies.planner.evaluation import UNKNOWN, end_worth, ornaments_worth, rivals_on_track
from rcsim.policies.planner.scale import CROWDED, FINISHED, PLACED, REWARD, REWARD_RUBLES, TRACK_RIVALS, UNDELIVERED
from rcsim.policies.planner.towers import after_ornament, finish_section, tower_worth, unfinish_section
from rcsim.policies.planner.view import (
    add_material,
    add_prestige,
    all_beyond,
    deliver_one,
    has_all,
    lay,
    note,
    sales_beside,
    set_marker,
    set_materials,
    set_rubles,
)
from rcsim.policies.player import NO_ORNAMENTS

SLACK = THOUSANDTHS  # that a plan may be worth more than reckoned roughly
MUCH = 1000 * THOUSANDTHS  # more than anything is worth
SECTIONS = 6  # that a seat can have under way
OPTIONS = SECTIONS + 3 * 6  # finish one of them, or an ornament of a kind with certain gems
# Views (mind.views): the position, then scratch; that of `best_works` at its end, and one for each depth of it.
NOW, START, RUN, STEP, BEST, USE, USED, PAID, SAVED, BUILT, LEAF, FIRST = range(12)
DEPTHS = 7  # up to six deliveries, each a depth, and none
assert FIRST + DEPTHS <= VIEWS


@jit
def laying_worth(mind):
    """The most that a delivery is worth that finishes nothing."""
    slots = mind.scale.slots
    return max(0, max(slots[1], slots[2] - slots[1], slots[3] - slots[2]) - mind.scale.w[UNDELIVERED])


@jit
def can_finish(g, seat, left, v):
    """Whether up to `left` deliveries can finish a section."""
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        if g.missing[s] <= left and has_all(g, s, v):
            return True
    return False


@jit
def works_bound(g, t, seat, left, mind):
    """A bound on what a build action brings."""
    v = mind.views[NOW]
    if can_finish(g, seat, left, v):
        return MUCH
    worth = laying_worth(mind) * left + mind.sale_most
    if mind.gems == 0 or mind.limits & NO_ORNAMENTS:
        return worth
    gems = min(v.inv[4] + v.inv[5], left - 1)
    for kind in range(3):
        mind.adorned[kind] = UNKNOWN
        if mind.open[kind] and v.inv[base_material(kind)] > 0:
            worth += max(0, adorned_gain(g, t, seat, kind, mind)) + SLACK
    return worth + THOUSANDTHS * most_prestige(t, gems)


@jit
def most_prestige(t, gems):
    """The most prestige of an ornament with so many gems or fewer."""
    most = t.ornament_prestige[0]
    if gems > 0:
        most = max(most, t.ornament_prestige[1])
    return max(most, t.ornament_prestige[2], t.ornament_prestige[3]) if gems > 1 else most


@jit
def best_works(g, t, seat, left, i, build, enough, mind):
    """The best use of up to `left` deliveries from view i, those of a `build` action or of an effect.

    Its worth, with sales beside a build action, or `enough` if nothing is worth more; its end in view BUILT, its
    actions in mind.works, and how many sales come before.
    """
    mind.works_n = 0
    mind.works_sales = 0
    best = enough
    base = mind.line_n
    if not build and not can_finish(g, seat, left, mind.views[i]):
        mind.views[BUILT] = mind.views[i]
        lay(g, seat, left, mind.views[BUILT], mind)
        mind.works_n = mind.line_n - base
        for k in range(mind.works_n):
            mind.works[k] = mind.line[base + k]
        mind.line_n = base
        return max(enough, mind.views[BUILT].worth) if mind.works_n > 0 else enough
    if build:
        for kind in range(3):
            mind.adorned[kind] = UNKNOWN
            if mind.open[kind] and not mind.limits & NO_ORNAMENTS:
                adorned_gain(g, t, seat, kind, mind)
    mind.views[FIRST] = mind.views[i]
    mind.left[0] = left
    mind.option[0] = 0
    mind.length[0] = base
    mind.prestige[0] = 0
    mind.from_option[0] = SECTIONS
    laying = laying_worth(mind)
    selling = mind.sale_most if build else 0
    depth = 0
    fresh = True  # what stands at this depth has not been weighed
    while True:
        if fresh:
            fresh = False
            mind.length[depth] = mind.line_n
            if mind.views[FIRST + depth].worth + laying * mind.left[depth] + selling > best:
                mind.views[LEAF] = mind.views[FIRST + depth]
                end = mind.views[LEAF]
                if mind.left[depth] > 0:
                    lay(g, seat, mind.left[depth], end, mind)
                if mind.line_n > base:
                    worth = end.worth
                    sales = 0
                    if build and worth + selling > best:
                        worth += sales_beside(t, end, mind.prestige[depth], mind)
                        sales = mind.sales
                    if worth > best:
                        best = worth
                        mind.views[BUILT] = end
                        mind.works_sales = sales
                        mind.works_n = mind.line_n - base
                        for k in range(mind.works_n):
                            mind.works[k] = mind.line[base + k]
                    mind.line_n = mind.length[depth]
        if try_next(g, t, seat, depth, build, best - selling, laying, mind):
            depth += 1
            fresh = True
        elif depth == 0:
            break
        else:
            depth -= 1
            undo(g, t, seat, depth, mind)
    mind.line_n = base
    return best


@jit
def try_next(g, t, seat, depth, build, best, laying, mind):
    """Do what is to be tried next at a depth and could be better than `best`; False if there is nothing more."""
    left = mind.left[depth]
    v = mind.views[FIRST + depth]
    while left > 0 and mind.option[depth] < g.unfinished[seat]:
        place = mind.option[depth]
        mind.option[depth] += 1
        s = g.under_way[seat, place]
        if g.missing[s] <= left and has_all(g, s, v):
            mind.left[depth + 1] = left - g.missing[s]
            mind.prestige[depth + 1] = mind.prestige[depth]
            mind.option[depth + 1] = place  # of several the lowest first: they are in the order of claims
            mind.from_option[depth + 1] = mind.from_option[depth]
            finish(g, t, seat, place, depth, mind)
            return True
    if left == 0 or not build or mind.limits & NO_ORNAMENTS or mind.gems == 0:
        return False
    mind.option[depth] = max(mind.option[depth], mind.from_option[depth])
    while mind.option[depth] < OPTIONS:
        kind = (mind.option[depth] - SECTIONS) // 6
        gems = 5 - (mind.option[depth] - SECTIONS) % 6  # the most first
        if not mind.open[kind] or v.inv[base_material(kind)] == 0:
            mind.option[depth] = SECTIONS + 6 * (kind + 1)
            continue
        mind.option[depth] += 1
        green = GEMS_GREEN[gems]
        purple = GEMS_PURPLE[gems]
        if 1 + green + purple <= left and v.inv[4] >= green and v.inv[5] >= purple:
            rest = left - 1 - green - purple
            prestige = t.ornament_prestige[GEMS_VALUE[gems]]
            hope = v.worth + adorned_gain(g, t, seat, kind, mind) + THOUSANDTHS * prestige + laying * rest + SLACK
            if rest > 0:
                hope += other_hope(g, t, seat, kind, rest, v, mind)
            if hope <= best:
                continue
            mind.left[depth + 1] = rest
            mind.prestige[depth + 1] = mind.prestige[depth] + prestige
            mind.from_option[depth + 1] = SECTIONS + 6 * kind
            mind.option[depth + 1] = 0 if prestige > 0 else SECTIONS  # without prestige the order does not matter
            adorn(g, t, seat, kind, gems, depth, mind)
            return True
    return False


@jit
def adorned_gain(g, t, seat, kind, mind):
    """About what an ornament of a kind is worth in the cathedral; reckoned once for all plans of a build action."""
    if mind.adorned[kind] == UNKNOWN:
        mind.bare_best[kind] = best_bare(g, t, seat, kind, mind)
        tower = g.tower_of[mind.bare_best[kind]]
        gain = after_ornament(g, t, tower, seat, mind) - tower_worth(g, t, tower, seat, mind)
        mind.adorned[kind] = gain + mind.scale.w[PLACED]
    return mind.adorned[kind]


@jit
def other_hope(g, t, seat, kind, left, v, mind):
    """A bound on what ornaments and completions add after an ornament of a kind."""
    if can_finish(g, seat, left, v):
        return MUCH
    worth = 0
    for other in range(kind, 3):
        if mind.open[other] and v.inv[base_material(other)] > 0:
            worth += max(0, adorned_gain(g, t, seat, other, mind)) + THOUSANDTHS * most_prestige(t, left - 1)
    return worth


@jit
def finish(g, t, seat, place, depth, mind):
    """Finish a section under way, as engine/cathedral.py:complete does; the view of the next depth is that after it."""
    mind.views[FIRST + depth + 1] = mind.views[FIRST + depth]
    v = mind.views[FIRST + depth + 1]
    w = mind.scale.w
    s = g.under_way[seat, place]
    tower = g.tower_of[s]
    mind.built[depth] = s
    mind.place[depth] = place
    mind.code[depth] = g.code[tower]
    mind.ender[depth] = g.finisher
    for m in range(6):
        for _ in range(g.left[s, m]):
            note(pack_action(A_DELIVER, s, m, 0), mind)
            deliver_one(v, m, mind)
    worth = w[FINISHED] - w[REWARD] * t.card_recognition[g.card[s]] - w[REWARD_RUBLES] * t.card_rubles[g.card[s]]
    worth -= tower_worth(g, t, tower, seat, mind)
    finish_section(g, seat, s)
    worth += tower_worth(g, t, tower, seat, mind)
    kind = g.kind[s]
    opens = g.bare[kind] == 0 and g.ornaments[seat, kind] > g.locked[seat, kind]
    if opens:
        worth -= all_beyond(v, mind) + ornaments_worth(g, seat, mind)
    g.bare[kind] |= np.int64(1) << s
    if opens:
        set_materials(g, seat, mind)
        worth += all_beyond(v, mind) + ornaments_worth(g, seat, mind)
    g.unfinished[seat] -= 1
    for j in range(place, g.unfinished[seat]):
        g.under_way[seat, j] = g.under_way[seat, j + 1]
    if g.unfinished[seat] >= 2:
        worth -= w[CROWDED]
    g.finished[seat] += 1
    set_marker(t, v, v.marker + t.card_recognition[g.card[s]], mind)
    set_rubles(v, v.rubles + t.card_rubles[g.card[s]], mind)
    for other in range(t.seats):
        mind.markers[depth, other] = g.marker[other]
    if t.penalty:
        worth += penalize(g, t, seat, tower, s, v, mind)
    if g.finished[seat] == t.end_sections and g.finisher < 0:
        g.finisher = seat
        if t.finisher_bonus > 0:
            add_prestige(t, v, t.finisher_bonus, mind)
        g.marker[seat] = v.marker
        worth += end_worth(g, t, seat, mind)
    v.worth += worth


@jit
def penalize(g, t, seat, tower, finished, v, mind):
    """Penalties of a completion, as engine/cathedral.py:penalize: own ones in view v, what the rivals' are worth."""
    top = g.first[tower] + g.claimed[tower] - 1
    before = -1
    for s in range(g.first[tower], finished):
        if g.done[s]:
            continue
        points = penalty_points(g, s, top)
        if points == 0:
            continue
        owner = g.owner[s]
        if owner == seat:
            set_marker(t, v, v.marker - min(points, max(0, v.marker - t.penalty_floor)), mind)
        else:
            if before < 0:
                before = rivals_on_track(g, t, seat)
            g.marker[owner] -= min(points, max(0, g.marker[owner] - t.penalty_floor))
    if before < 0:
        return 0
    return mind.scale.w[TRACK_RIVALS] * (rivals_on_track(g, t, seat) - before) // THOUSANDTHS


@jit
def adorn(g, t, seat, kind, gems, depth, mind):
    """Put an ornament where it does most, as engine/cathedral.py:adorn; the view of the next depth is that after it."""
    mind.views[FIRST + depth + 1] = mind.views[FIRST + depth]
    v = mind.views[FIRST + depth + 1]
    s = mind.bare_best[kind] if depth == 0 else best_bare(g, t, seat, kind, mind)
    tower = g.tower_of[s]
    mind.built[depth] = s
    mind.place[depth] = -1
    mind.code[depth] = g.code[tower]
    note(pack_action(A_ADORN, s, gems, 0), mind)
    worth = after_ornament(g, t, tower, seat, mind) - tower_worth(g, t, tower, seat, mind)
    worth -= all_beyond(v, mind) + ornaments_worth(g, seat, mind)
    put_up(g, seat, s, 1)
    g.code[tower] = coded(g.code[tower], CODE_ADORN + seat)
    set_materials(g, seat, mind)
    v.worth += worth + all_beyond(v, mind) + ornaments_worth(g, seat, mind)
    add_material(v, base_material(kind), -1, mind)
    if GEMS_GREEN[gems] > 0:
        add_material(v, 4, -GEMS_GREEN[gems], mind)
    if GEMS_PURPLE[gems] > 0:
        add_material(v, 5, -GEMS_PURPLE[gems], mind)
    prestige = t.ornament_prestige[GEMS_VALUE[gems]]
    if prestige > 0:
        add_prestige(t, v, prestige, mind)


@jit
def best_bare(g, t, seat, kind, mind):
    """The bare section on which an ornament of a kind does most for its tower."""
    best = -1
    best_gain = UNKNOWN
    for tower in range(g.towers):
        if (g.bare[kind] >> g.first[tower]) & ((np.int64(1) << g.height[tower]) - 1):
            gain = after_ornament(g, t, tower, seat, mind) - tower_worth(g, t, tower, seat, mind)
            if gain > best_gain:
                best_gain = gain
                best = tower
    s = g.first[best]
    while not (g.bare[kind] >> s) & 1:
        s += 1
    return s


@jit
def put_up(g, seat, s, sign):
    """Have an ornament on a section, or undo that (sign -1); code and prestige apart."""
    kind = g.kind[s]
    tower = g.tower_of[s]
    g.presence[tower, seat] += sign
    g.value[tower] += sign
    g.ornaments[seat, kind] -= sign
    g.placed[seat] += sign
    g.bare[kind] ^= np.int64(1) << s


@jit
def undo(g, t, seat, depth, mind):
    """Undo what was done at a depth."""
    s = mind.built[depth]
    place = mind.place[depth]
    if place >= 0:
        for j in range(g.unfinished[seat], place, -1):
            g.under_way[seat, j] = g.under_way[seat, j - 1]
        g.under_way[seat, place] = s
        g.unfinished[seat] += 1
        g.finished[seat] -= 1
        g.finisher = mind.ender[depth]
        for other in range(t.seats):
            g.marker[other] = mind.markers[depth, other]
        g.bare[g.kind[s]] &= ~(np.int64(1) << s)
        unfinish_section(g, seat, s, mind.code[depth])
    else:
        put_up(g, seat, s, -1)
        g.code[g.tower_of[s]] = mind.code[depth]
    set_materials(g, seat, mind)
    mind.line_n = mind.length[depth]
