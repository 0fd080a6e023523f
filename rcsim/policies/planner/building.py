"""The best use of a build action's deliveries (docs/rules.md, section 6)."""

from rcsim.engine.cathedral import base_material
from rcsim.engine.jit import jit
from rcsim.engine.state import (
    A_ADORN,
    A_DELIVER,
    A_END,
    A_SELL,
    GEMS_GREEN,
    GEMS_PURPLE,
    GEMS_VALUE,
    action_a,
    action_b,
    action_kind,
    pack_action,
)
from rcsim.engine.track import position_of, prestige_at
from rcsim.policies.planner.effects import NOW, PAID, RUN, START, STEP, deliver_all, settle
from rcsim.policies.planner.evaluation import (
    UNKNOWN,
    completion_worth,
    ornaments_worth,
    tower_now,
    tower_worth,
)
from rcsim.policies.planner.view import (
    add_material,
    add_prestige,
    all_beyond,
    has_all,
    lay,
    look_at,
    marker_worth,
    sales_beside,
    set_materials,
    value,
)
from rcsim.policies.player import NO_ORNAMENTS


@jit
def plan_build(g, t, seat, left, mind):
    """The best use of up to `left` deliveries: its worth, and in mind.action the action that begins it."""
    best_worth = plan_progress(g, t, seat, left, NOW, -1, mind)
    best = mind.action
    v = mind.views[NOW]
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        if g.missing[s] > left or not has_all(g, s, v):
            continue
        n = left - g.missing[s]
        settle(g, t, seat, 1 << i, mind)
        look_at(mind.trial[0], t, seat, mind.views[START], mind)
        worth = mind.settled_worth[1 << i] + value(mind.views[START]) - value(v)
        worth += sales_beside(t, mind.views[START], 0, mind)
        sale = mind.sale_sooner
        m = 0
        while g.left[s, m] == 0:
            m += 1
        first = pack_action(A_DELIVER, s, m, 0)
        if n > 0:
            worth += plan_more(mind.trial[0], t, seat, n, g.tower_of[s], mind)
            if action_kind(mind.action) == A_ADORN and action_a(mind.action) != s:
                sooner = adorned_sooner(g, mind.trial[0], t, seat, action_b(mind.action), mind)
                if sooner > 0:
                    worth += sooner
                    first = mind.action
        set_materials(g, seat, mind)
        if worth > best_worth:
            best_worth = worth
            best = A_SELL if sale else first
    mind.action = best
    return best_worth


@jit
def finish(g, trial, t, seat, s, i, mind):
    """Finish a section in `trial`, a copy of g; what the position is worth then, the rest of g apart. View i: trial."""
    tower = g.tower_of[s]
    before = completion_worth(g, t, seat, tower, mind)
    deliver_all(trial, t, seat, s, mind)
    look_at(trial, t, seat, mind.views[i], mind)
    return completion_worth(trial, t, seat, tower, mind) - before + value(mind.views[i])


@jit
def plan_more(g, t, seat, left, grown, mind):
    """What deliveries after a completion in tower `grown` bring: another, an ornament, or progress. View START: g."""
    best = max(0, plan_progress(g, t, seat, left, START, grown, mind))
    action = mind.action
    v = mind.views[START]
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        if g.missing[s] <= left and has_all(g, s, v):
            mind.trial[1] = g
            worth = finish(g, mind.trial[1], t, seat, s, RUN, mind)
            if worth - value(v) > best:
                best = worth - value(v)
                action = A_END
    mind.action = action
    return best


@jit
def adorned_sooner(g, trial, t, seat, gems, mind):
    """What an ornament before a completion gains over one after it: prestige counts to the next prestige space."""
    n = t.ornament_prestige[GEMS_VALUE[gems]]
    if n == 0:
        return 0
    before = g.marker[seat]
    after = trial.marker[seat]
    sooner = position_of(t, prestige_at(t, before) + n) + after - before
    return marker_worth(t, sooner, mind) - marker_worth(t, position_of(t, prestige_at(t, after) + n), mind)


@jit
def plan_progress(g, t, seat, left, i, grown, mind):
    """The best use of deliveries that finishes nothing: on sections, or an ornament and the rest on sections.

    View i is that of the position, in which tower `grown` (-1: none) is another than now; the worth is the gain on it.
    """
    mind.action = A_END
    best_worth = UNKNOWN
    mind.views[RUN] = mind.views[i]
    now = value(mind.views[i])
    first = lay(g, seat, left, mind.views[RUN], mind)
    if first >= 0:
        mind.action = pack_action(A_DELIVER, first >> 3, first & 7, 0)
        best_worth = value(mind.views[RUN]) - now + (mind.sale_now if i == NOW else 0)
    if mind.limits & NO_ORNAMENTS:
        return best_worth
    for kind in range(3):
        material = base_material(kind)
        if not mind.open[kind] or mind.views[i].inv[material] == 0:
            continue
        section = best_bare(g, t, seat, kind, grown, mind)
        tower = g.tower_of[section]
        stays = ornament_gain(g, t, tower, seat, grown, mind) - now - ornaments_worth(g, seat, mind)
        mind.views[RUN] = mind.views[i]
        v = mind.views[RUN]
        v.worth -= all_beyond(v, mind)
        put_up(g, seat, section, 1)
        set_materials(g, seat, mind)
        stays += ornaments_worth(g, seat, mind)
        v.worth += all_beyond(v, mind)
        add_material(v, material, -1, mind)
        for gems in range(6):
            green = GEMS_GREEN[gems]
            purple = GEMS_PURPLE[gems]
            if 1 + green + purple > left or g.inv[seat, 4] < green or g.inv[seat, 5] < purple:
                continue
            mind.views[STEP] = v
            end = mind.views[STEP]
            add_material(end, 4, -green, mind)
            add_material(end, 5, -purple, mind)
            prestige = t.ornament_prestige[GEMS_VALUE[gems]]
            if prestige > 0:
                add_prestige(t, end, prestige, mind)
            worth = stays + value(end)
            rest = left - 1 - green - purple
            if rest > 0:
                worth += max(another(g, t, seat, rest, tower, grown, mind), laid_gain(g, seat, rest, mind))
            sooner = 0
            if i == NOW and worth + mind.sale_most > best_worth:
                worth += sales_beside(t, end, prestige, mind)
                sooner = mind.sale_sooner
            if worth > best_worth:
                best_worth = worth
                mind.action = A_SELL if sooner else pack_action(A_ADORN, section, gems, 0)
        put_up(g, seat, section, -1)
        set_materials(g, seat, mind)
    return best_worth


@jit
def put_up(g, seat, section, sign):
    """Have an ornament on a section, as engine/cathedral.py:place_ornament, or undo that (sign -1); prestige apart."""
    kind = g.kind[section]
    tower = g.tower_of[section]
    g.presence[tower, seat] += sign
    g.value[tower] += sign
    g.ornaments[seat, kind] -= sign
    g.placed[seat] += sign
    g.bare[kind] ^= 1 << section


@jit
def laid_gain(g, seat, n, mind):
    """What up to n deliveries to sections that they do not finish add to view STEP."""
    mind.views[PAID] = mind.views[STEP]
    lay(g, seat, n, mind.views[PAID], mind)
    return value(mind.views[PAID]) - value(mind.views[STEP])


@jit
def another(g, t, seat, left, tower, grown, mind):
    """What one more ornament, of up to `left` deliveries, adds to view STEP, after one has been put on a tower."""
    best = 0
    for kind in range(3):
        material = base_material(kind)
        if not mind.open[kind] or mind.views[STEP].inv[material] == 0:
            continue
        stays = UNKNOWN
        sections = g.bare[kind]
        s = 0
        while sections:
            if sections & 1:
                at = g.tower_of[s]
                stays = max(stays, ornament_gain(g, t, at, seat, at if at == tower else grown, mind))
            sections >>= 1
            s += 1
        g.ornaments[seat, kind] -= 1  # undone below
        g.placed[seat] += 1
        stays += ornaments_worth(g, seat, mind)
        g.placed[seat] -= 1
        g.ornaments[seat, kind] += 1
        stays -= ornaments_worth(g, seat, mind)
        for gems in range(6):
            green = GEMS_GREEN[gems]
            purple = GEMS_PURPLE[gems]
            mind.views[PAID] = mind.views[STEP]
            v = mind.views[PAID]
            if 1 + green + purple > left or v.inv[4] < green or v.inv[5] < purple:
                continue
            add_material(v, material, -1, mind)
            add_material(v, 4, -green, mind)
            add_material(v, 5, -purple, mind)
            prestige = t.ornament_prestige[GEMS_VALUE[gems]]
            if prestige > 0:
                add_prestige(t, v, prestige, mind)
            best = max(best, stays + value(v) - value(mind.views[STEP]))
    return best


@jit
def best_bare(g, t, seat, kind, grown, mind):
    """The bare section on which an ornament of a kind does most for its tower."""
    best = -1
    best_gain = UNKNOWN
    s = 0
    sections = g.bare[kind]
    if sections & (sections - 1) == 0:
        while not (sections >> s) & 1:
            s += 1
        return s
    while sections:
        if sections & 1:
            gain = ornament_gain(g, t, g.tower_of[s], seat, grown, mind)
            if gain > best_gain:
                best_gain = gain
                best = s
        sections >>= 1
        s += 1
    return best


@jit
def ornament_gain(g, t, tower, seat, grown, mind):
    """What an ornament more adds to the worth of a tower, reckoned once unless it is tower `grown`."""
    if tower != grown and mind.adorned[tower] != UNKNOWN:
        return mind.adorned[tower]
    gain = -tower_worth(g, t, tower, seat, mind) if tower == grown else -tower_now(g, t, tower, seat, mind)
    g.presence[tower, seat] += 1  # undone below
    g.value[tower] += 1
    gain += tower_worth(g, t, tower, seat, mind)
    g.value[tower] -= 1
    g.presence[tower, seat] -= 1
    if tower != grown:
        mind.adorned[tower] = gain
    return gain
