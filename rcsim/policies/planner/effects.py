"""What an effect does to a view, its choices made well (docs/rules.md, section 9)."""

from rcsim.engine.cathedral import deliver
from rcsim.engine.effects import tile_fits_colour
from rcsim.engine.events import EV_BUILD
from rcsim.engine.goods import PRESTIGE, RECOGNITION, RUBLES, WOOD
from rcsim.engine.jit import jit
from rcsim.engine.track import position_of, prestige_at, prestige_behind
from rcsim.policies.features import THOUSANDTHS
from rcsim.policies.planner.evaluation import UNKNOWN, beside_towers, tower_now, tower_worth
from rcsim.policies.planner.view import (
    add_material,
    add_prestige,
    afford,
    beyond_worth,
    deliver_one,
    has_all,
    lay,
    marker_change,
    material_change,
    room_for,
    rubles_change,
    set_marker,
    set_rubles,
    value,
)
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
    E_ROLL,
    E_YIELD,
    E_YIELD_ARG,
    MAX_SECTIONS,
    YIELD_NONE,
    YIELD_SPACE,
)

COMPLETION = 4 * THOUSANDTHS  # about what one brings
MUCH = 2  # of a material that a tile may bring
# Views (mind.views): the position, then scratch. A function that is given a view uses only those after it.
NOW, START, RUN, STEP, BEST, USE, USED, PAID, LAID = range(9)


@jit
def add_good(g, t, seat, v, good, n, mind):
    """Gain n of a good, materials as far as they fit; whether anything came."""
    if good >= WOOD:
        m = good - WOOD
        n = room_for(g, seat, v, m, n)
        if n <= 0:
            return False
        add_material(v, m, n, mind)
    elif good == RUBLES:
        set_rubles(v, v.rubles + n, mind)
    elif good == RECOGNITION:
        set_marker(t, v, v.marker + n, mind)
    else:
        add_prestige(t, v, n, mind)
    return True


@jit
def good_gain(g, t, seat, v, good, n, mind):
    """What n of a good would be worth in a view, materials as far as they fit; 0 if none does."""
    if good >= WOOD:
        m = good - WOOD
        n = room_for(g, seat, v, m, n)
        return material_change(v, m, n, mind) if n > 0 else 0
    if good == RUBLES:
        return rubles_change(v, v.rubles + n, mind)
    if good == RECOGNITION:
        return marker_change(t, v, v.marker + n, mind)
    return marker_change(t, v, position_of(t, prestige_at(t, v.marker) + n), mind)


@jit
def best_material(g, t, seat, v, of, change, mind):
    """The material of a set of which one more (change 1) or less (-1) suits a view best, or -1."""
    best = -1
    best_worth = UNKNOWN
    for m in range(6):
        if (of >> m) & 1 and (v.inv[m] > 0 if change < 0 else room_for(g, seat, v, m, 1) > 0):
            worth = beyond_worth(m, v.beyond[m] + change, mind) - beyond_worth(m, v.beyond[m], mind)
            if worth > best_worth:  # the rest of `material_change` is the same for all
                best_worth = worth
                best = m
    return best


@jit
def any_material(g, t, seat, i, of, change, mind):
    """Gain (change 1) or give up (change -1) that material in view i; False if there is none."""
    v = mind.views[i]
    m = best_material(g, t, seat, v, of, change, mind)
    if m < 0:
        return False
    add_material(v, m, change, mind)
    return True


@jit
def pay_price(g, t, seat, effect, i, mind):
    """Pay the price of an effect; False if it cannot be paid."""
    e = t.effects[effect]
    v = mind.views[i]
    if e[E_PAY_RUBLES] > 0:
        if v.rubles < e[E_PAY_RUBLES]:
            return False
        set_rubles(v, v.rubles - e[E_PAY_RUBLES], mind)
    if e[E_PAY_RECOGNITION] > 0:
        if v.marker < e[E_PAY_RECOGNITION]:
            return False
        set_marker(t, v, v.marker - e[E_PAY_RECOGNITION], mind)
    if e[E_PAY_PRESTIGE] > 0:
        behind = prestige_behind(t, v.marker)
        if behind < e[E_PAY_PRESTIGE]:
            return False
        set_marker(t, v, position_of(t, behind - e[E_PAY_PRESTIGE] + 1), mind)
    if e[E_PAY_MATERIALS] > 0:
        for m in range(6):
            n = e[E_PAY_WOOD + m]
            if n > 0:
                if v.inv[m] < n:
                    return False
                add_material(v, m, -n, mind)
    for _ in range(e[E_PAY_ANY]):
        if not any_material(g, t, seat, i, e[E_PAY_ANY_OF], -1, mind):
            return False
    return True


@jit
def use_parts(g, t, seat, effect, arrival, i, mind):
    """One use of an effect in view i, `activate` apart; False if it cannot be used.

    mind.changed tells whether it changed anything. `arrival` is -1 at a claim.
    """
    e = t.effects[effect]
    v = mind.views[i]
    mind.changed = 0
    if e[E_HAS_PAY] and not pay_price(g, t, seat, effect, i, mind):
        return False
    moved = -1  # die that the effect has moved
    if e[E_MOVE]:
        moved = move_in(g, t, seat, effect, arrival, i, mind)
    if e[E_ROLL]:
        mind.changed = 1
    if e[E_YIELD] != YIELD_NONE:
        yield_in(g, t, seat, effect, arrival, moved, i, mind)
    if e[E_GAIN_RUBLES] > 0:
        mind.changed = 1
        set_rubles(v, v.rubles + e[E_GAIN_RUBLES], mind)
    if e[E_GAIN_RECOGNITION] > 0:
        mind.changed = 1
        set_marker(t, v, v.marker + e[E_GAIN_RECOGNITION], mind)
    if e[E_GAIN_PRESTIGE] > 0:
        mind.changed = 1
        add_prestige(t, v, e[E_GAIN_PRESTIGE], mind)
    if e[E_GAIN_MATERIALS] > 0:
        for m in range(6):
            if e[E_GAIN_WOOD + m] > 0 and add_good(g, t, seat, v, WOOD + m, e[E_GAIN_WOOD + m], mind):
                mind.changed = 1
    for _ in range(e[E_GAIN_ANY]):
        if any_material(g, t, seat, i, e[E_GAIN_ANY_OF], 1, mind):
            mind.changed = 1
    if e[E_DELIVER] > 0:
        if mind.hold:
            mind.changed = 1
        else:
            deliver_in(g, t, seat, e[E_DELIVER], i, mind)
    return True


@jit
def use_effect(g, t, seat, effect, arrival, i, mind):
    """One use of an effect in view i; False if it cannot be used or would change nothing."""
    if not use_parts(g, t, seat, effect, arrival, i, mind):
        return False
    e = t.effects[effect]
    if not e[E_ACTIVATE]:
        return mind.changed == 1
    changed = mind.changed
    best = -1
    best_worth = value(mind.views[i]) if changed else UNKNOWN
    for space in range(6):
        if tile_fits_colour(g, t, seat, space, e[E_ACTIVATE_COLOUR]):
            mind.views[USE] = mind.views[i]
            tile = t.tile_effect[g.space_tile[seat, space]]
            if use_parts(g, t, seat, tile, arrival, USE, mind) and mind.changed:
                worth = value(mind.views[USE])
                if worth > best_worth:
                    best_worth = worth
                    best = tile
    if best >= 0:
        use_parts(g, t, seat, best, arrival, i, mind)
        return True
    return changed == 1


@jit
def gain_now(g, t, seat, good, n, mind):
    """What n of a good are worth in the position as it stands, materials as far as they fit; reckoned once."""
    v = mind.views[NOW]
    if good < WOOD:
        return good_gain(g, t, seat, v, good, n, mind)
    m = good - WOOD
    n = min(room_for(g, seat, v, m, n), 11)
    if n <= 0:
        return 0
    if not (mind.known[m] >> n) & 1:
        mind.known[m] |= 1 << n
        mind.gain[m, n] = material_change(v, m, n, mind)
    return mind.gain[m, n]


@jit
def yield_now(g, t, seat, space, mind):
    """What the yield of a space's tile, times one, is worth in the position as it stands."""
    tile = g.market[space]
    if t.tile_kinds[tile] == 1:  # nearly all
        good = t.tile_good[tile]
        return gain_now(g, t, seat, good, t.tile_gain[tile, good], mind)
    worth = 0
    for good in range(9):
        if t.tile_gain[tile, good] > 0:
            worth += gain_now(g, t, seat, good, t.tile_gain[tile, good], mind)
    return worth


@jit
def effect_bound(g, t, seat, effect, arrival, mind):
    """What one use of an effect is worth, as if its parts did not touch each other; UNKNOWN if it cannot be paid.

    In the position as it stands; by how often it could be paid, if it may be used again.
    """
    e = t.effects[effect]
    v = mind.views[NOW]
    worth = 0
    times = 1
    if e[E_HAS_PAY]:
        times = t.max_repeats
        if e[E_PAY_RUBLES] > 0:
            times = v.rubles // e[E_PAY_RUBLES]
            if times > 0:
                worth += rubles_change(v, v.rubles - e[E_PAY_RUBLES], mind)
            else:
                if not mind.can_sell:
                    return UNKNOWN
                mind.views[STEP] = v
                if not afford(t, mind.views[STEP], e[E_PAY_RUBLES], True, mind):
                    return UNKNOWN
                set_rubles(mind.views[STEP], mind.views[STEP].rubles - e[E_PAY_RUBLES], mind)
                worth += value(mind.views[STEP]) - mind.now
                times = 1
        if e[E_PAY_RECOGNITION] > 0:
            times = min(times, v.marker // e[E_PAY_RECOGNITION])
            if times == 0:
                return UNKNOWN
            worth += marker_change(t, v, v.marker - e[E_PAY_RECOGNITION], mind)
        if e[E_PAY_PRESTIGE] > 0:
            behind = prestige_behind(t, v.marker)
            times = min(times, behind // e[E_PAY_PRESTIGE])
            if times == 0:
                return UNKNOWN
            worth += marker_change(t, v, position_of(t, behind - e[E_PAY_PRESTIGE] + 1), mind)
        if e[E_PAY_MATERIALS] > 0:
            for m in range(6):
                n = e[E_PAY_WOOD + m]
                if n > 0:
                    at_hand = v.inv[m] + could_bring(g, t, m, arrival, mind)
                    times = min(times, at_hand // n)
                    if times == 0:
                        return UNKNOWN
                    if v.inv[m] >= n:
                        worth += material_change(v, m, -n, mind)
        if e[E_PAY_ANY] > 0:
            at_hand = 0
            least = UNKNOWN
            for m in range(6):
                if (e[E_PAY_ANY_OF] >> m) & 1:
                    taken = could_bring(g, t, m, arrival, mind)
                    at_hand += v.inv[m] + taken
                    if taken > 0:
                        least = 0
                    elif v.inv[m] > 0:
                        least = max(least, material_change(v, m, -1, mind))
            times = min(times, at_hand // e[E_PAY_ANY])
            if times == 0:
                return UNKNOWN
            worth += e[E_PAY_ANY] * least
        if t.effect_once[effect]:
            times = 1
    if e[E_YIELD] == YIELD_SPACE:
        if arrival >= 0:
            worth += yield_now(g, t, seat, (arrival + e[E_YIELD_ARG]) & 7, mind)
    elif e[E_YIELD] != YIELD_NONE:
        best = UNKNOWN
        for die in range(5):
            if e[E_YIELD_ARG] == die or e[E_YIELD_ARG] == ANY:
                at = g.die_space[die]
                if e[E_MOVE] and (e[E_MOVE_DIE] == die or e[E_MOVE_DIE] == ANY):
                    best = max(best, yield_now(g, t, seat, (at + e[E_MOVE_STEPS]) & 7, mind))
                best = max(best, yield_now(g, t, seat, at, mind))
        worth += best
    if e[E_GAIN_RUBLES] > 0:
        worth += rubles_change(v, v.rubles + e[E_GAIN_RUBLES], mind)
    if e[E_GAIN_RECOGNITION] > 0:
        all_uses = marker_change(t, v, v.marker + e[E_GAIN_RECOGNITION] * times, mind)
        worth += max(all_uses // times, marker_change(t, v, v.marker + e[E_GAIN_RECOGNITION], mind))
    if e[E_GAIN_PRESTIGE] > 0:
        worth += good_gain(g, t, seat, v, PRESTIGE, e[E_GAIN_PRESTIGE], mind)
    if e[E_GAIN_MATERIALS] > 0:
        for m in range(6):
            if e[E_GAIN_WOOD + m] > 0:
                worth += gain_now(g, t, seat, WOOD + m, e[E_GAIN_WOOD + m], mind)
    if e[E_GAIN_ANY] > 0:
        best = UNKNOWN
        for m in range(6):
            if (e[E_GAIN_ANY_OF] >> m) & 1:
                best = max(best, gain_now(g, t, seat, WOOD + m, 1, mind))
        worth += e[E_GAIN_ANY] * best
    if e[E_DELIVER] > 0:
        n = min(e[E_DELIVER] * min(times, 6), 6)
        worth = (
            max(worth, worth * times)
            + deliver_now(g, t, seat, n, mind)
            + completion_bound(g, t, seat, n, arrival, mind)
        )
        times = 1
    if e[E_ACTIVATE]:
        best = 0
        for colour in range(5):
            if e[E_ACTIVATE_COLOUR] == colour or e[E_ACTIVATE_COLOUR] == ANY:
                best = max(best, mind.workshop[colour])
        worth += best
    return worth * times if worth > 0 else worth


@jit
def completion_bound(g, t, seat, n, arrival, mind):
    """What a completion with up to n deliveries could bring once the visit has brought what it lacks."""
    best = 0
    v = mind.views[NOW]
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        if g.missing[s] > n or has_all(g, s, v):
            continue
        brought = arrival >= 0  # by the resources, or perhaps by a tile
        for m in range(6):
            if g.left[s, m] > v.inv[m] and could_bring(g, t, m, arrival, mind) == 0:
                brought = False
        if brought:
            best = max(best, COMPLETION)
    return best


@jit
def could_bring(g, t, m, space, mind):
    """How much of a material a visit to a space could bring in, by its resources or a tile (no space: some)."""
    if space < 0:
        return MUCH
    tiles = MUCH if (mind.tiles_give >> (WOOD + m)) & 1 else 0
    return t.tile_gain[g.market[space], WOOD + m] * (g.dice_in[space] + 1) + tiles


@jit
def deliver_now(g, t, seat, n, mind):
    """What up to n deliveries of an effect are worth in the position as it stands; reckoned once."""
    if mind.deliveries[n] == UNKNOWN:
        mind.views[STEP] = mind.views[NOW]
        deliver_in(g, t, seat, n, STEP, mind)
        mind.deliveries[n] = max(0, value(mind.views[STEP]) - mind.now)
    return mind.deliveries[n]


# --- dice and yields --------------------------------------------------------------------------------------------


@jit
def die_at(g, die, mind):
    """Space of a die, the one that the plan has moved included."""
    return mind.moved_to if die == mind.moved else g.die_space[die]


@jit
def step_fits(g, t, die, steps, mind):
    """Whether an effect can move a die so far, in the plan's market."""
    at = die_at(g, die, mind)
    to = (at + steps) & 7
    others = 0
    for d in range(5):
        if d != die and die_at(g, d, mind) == to:
            others += 1
    return others < t.dice_limit


@jit
def move_in(g, t, seat, effect, arrival, i, mind):
    """Carry out a move part; the die, or -1 if none can move."""
    e = t.effects[effect]
    steps = e[E_MOVE_STEPS]
    die = e[E_MOVE_DIE]
    if die == ANY:
        die = best_die(g, t, seat, effect, arrival, i, mind)
    elif not step_fits(g, t, die, steps, mind):
        die = -1
    if die >= 0:
        mind.changed = 1
        at = die_at(g, die, mind)
        if at == arrival:
            mind.views[i].dice -= 1
        if ((at + steps) & 7) == arrival:
            mind.views[i].dice += 1
    return die


@jit
def best_die(g, t, seat, effect, arrival, i, mind):
    """The die that a move part takes: for the yield at its new place, else into the arrival space, not out of it."""
    best = -1
    best_worth = UNKNOWN
    for die in range(5):
        if step_fits(g, t, die, t.effects[effect, E_MOVE_STEPS], mind):
            worth = moved_worth(g, t, seat, effect, die, arrival, i, mind)
            if worth > best_worth:
                best_worth = worth
                best = die
    return best


@jit
def moved_worth(g, t, seat, effect, die, arrival, i, mind):
    """What tells apart the dice that a move part may take."""
    e = t.effects[effect]
    at = die_at(g, die, mind)
    to = (at + e[E_MOVE_STEPS]) & 7
    worth = 0
    if e[E_YIELD] != YIELD_NONE and e[E_YIELD] != YIELD_SPACE and e[E_YIELD_ARG] == ANY:
        worth = 2 * yield_gain(g, t, seat, mind.views[i], to, mind)
    if to == arrival:
        worth += 1
    if at == arrival:
        worth -= 1
    return worth


@jit
def yield_in(g, t, seat, effect, arrival, moved, i, mind):
    """Carry out a yield part; `moved` is the die that the effect has just moved."""
    e = t.effects[effect]
    if e[E_YIELD] == YIELD_SPACE:
        if arrival >= 0:
            yield_tile(g, t, seat, (arrival + e[E_YIELD_ARG]) & 7, i, mind)
        return
    steps = e[E_MOVE_STEPS]
    if e[E_YIELD_ARG] != ANY:
        yield_tile(g, t, seat, yield_space(g, e[E_YIELD_ARG], moved, steps, mind), i, mind)
        return
    best = -1
    best_worth = UNKNOWN
    for die in range(5):
        space = yield_space(g, die, moved, steps, mind)
        worth = yield_gain(g, t, seat, mind.views[i], space, mind)
        if worth > best_worth and worth != 0:  # a tile of which nothing comes in cannot be chosen
            best_worth = worth
            best = space
    if best >= 0:
        yield_tile(g, t, seat, best, i, mind)


@jit
def yield_gain(g, t, seat, v, space, mind):
    """What the yield of a space's tile, times one, would be worth in a view; 0 if nothing would come in."""
    tile = g.market[space]
    if t.tile_kinds[tile] == 1:  # nearly all
        good = t.tile_good[tile]
        return good_gain(g, t, seat, v, good, t.tile_gain[tile, good], mind)
    worth = 0
    for good in range(9):
        if t.tile_gain[tile, good] > 0:
            worth += good_gain(g, t, seat, v, good, t.tile_gain[tile, good], mind)
    return worth


@jit
def yield_space(g, die, moved, steps, mind):
    """Space of a die when an effect yields: `moved` has just gone `steps` on."""
    at = die_at(g, die, mind)
    return (at + steps) & 7 if die == moved else at


@jit
def yield_tile(g, t, seat, space, i, mind):
    """The yield of a space's tile, times one."""
    tile = g.market[space]
    if t.tile_kinds[tile] == 1:  # nearly all
        good = t.tile_good[tile]
        if add_good(g, t, seat, mind.views[i], good, t.tile_gain[tile, good], mind):
            mind.changed = 1
        return
    for good in range(9):
        n = t.tile_gain[tile, good]
        if n > 0 and add_good(g, t, seat, mind.views[i], good, n, mind):
            mind.changed = 1


# --- deliveries -------------------------------------------------------------------------------------------------


@jit
def deliver_all(g, t, seat, s, mind):
    """Deliver all that a section misses, in a trial game."""
    for m in range(6):
        while g.left[s, m] > 0:
            deliver(g, t, mind.log, seat, s, m, EV_BUILD)


@jit
def settle(g, t, seat, chosen, mind):
    """Finish some of the seat's sections under way (bit set by index) in a trial game, and reckon what that brings."""
    mind.trial[0] = g
    trial = mind.trial[0]
    last = -1
    towers = 0
    for _ in range(g.unfinished[seat]):  # from the bottom up, as that costs no penalties
        s = MAX_SECTIONS
        for j in range(g.unfinished[seat]):
            at = g.under_way[seat, j]
            if (chosen >> j) & 1 and at > last and at < s:
                s = at
        if s == MAX_SECTIONS:
            break
        deliver_all(trial, t, seat, s, mind)
        last = s
        towers |= 1 << g.tower_of[s]
    worth = beside_towers(trial, t, seat, mind) - beside_towers(g, t, seat, mind)
    for tower in range(g.towers):
        if (towers >> tower) & 1:
            worth += tower_worth(trial, t, tower, seat, mind) - tower_now(g, t, tower, seat, mind)
    mind.settled |= 1 << chosen
    mind.settled_worth[chosen] = worth
    mind.settled_marker[chosen] = trial.marker[seat] - g.marker[seat]
    mind.settled_rubles[chosen] = trial.rubles[seat] - g.rubles[seat]


@jit
def deliver_in(g, t, seat, n, i, mind):
    """Up to n deliveries of an effect in view i: sections that they can finish, if that pays, and progress.

    The first as section * 8 + material, or -1 if there is none.
    """
    v = mind.views[i]
    mind.views[LAID] = v
    laid = mind.views[LAID]
    first = lay(g, seat, n, laid, mind)
    start = v.marker
    rubles = v.rubles
    finishing = -1
    finished = 0
    while n > 0:
        best = -1
        best_gain = UNKNOWN
        for j in range(g.unfinished[seat]):
            s = g.under_way[seat, j]
            if (finished >> j) & 1 or g.missing[s] > n or not has_all(g, s, v):
                continue
            chosen = finished | 1 << j
            if not (mind.settled >> chosen) & 1:
                settle(g, t, seat, chosen, mind)
            gain = mind.settled_worth[chosen] + marker_change(t, v, start + mind.settled_marker[chosen], mind)
            gain += rubles_change(v, rubles + mind.settled_rubles[chosen], mind)
            if gain > best_gain:
                best = j
                best_gain = gain
        if best < 0:
            break
        v.worth -= mind.settled_worth[finished] if finished else 0
        finished |= 1 << best
        s = g.under_way[seat, best]
        v.worth += mind.settled_worth[finished]
        for m in range(6):
            for _ in range(g.left[s, m]):
                if finishing < 0:
                    finishing = 8 * s + m
                deliver_one(v, m, mind)
                n -= 1
        set_marker(t, v, start + mind.settled_marker[finished], mind)
        set_rubles(v, rubles + mind.settled_rubles[finished], mind)
    if finished:
        if n > 0:
            lay_beside(g, seat, n, finished, v, mind)
        if value(v) >= value(laid):
            first = finishing
        else:
            mind.views[i] = laid
    else:
        mind.views[i] = laid
    if first >= 0:
        mind.changed = 1
    return first


@jit
def lay_beside(g, seat, n, finished, v, mind):
    """Deliver up to n materials to sections (by index) that are not finished in this plan, and finish nothing."""
    for j in range(g.unfinished[seat]):
        if (finished >> j) & 1:
            continue
        s = g.under_way[seat, j]
        room = g.missing[s] - 1
        for m in range(6):
            for _ in range(min(min(n, room), min(g.left[s, m], v.inv[m]))):
                deliver_one(v, m, mind)
                n -= 1
                room -= 1
