"""What an effect does to a view, its choices made well (docs/rules.md, section 9).

Beside that, `shortage`, `cut`, `shift` and `points` of mind are set where it could matter what else is done before.
"""

from rcsim.engine.effects import tile_fits_colour
from rcsim.engine.goods import PRESTIGE, RECOGNITION, RUBLES, WOOD
from rcsim.engine.jit import jit
from rcsim.engine.track import position_of, prestige_at, prestige_behind
from rcsim.policies.planner.building import BUILT, USE, best_works
from rcsim.policies.planner.evaluation import UNKNOWN
from rcsim.policies.planner.view import (
    add_material,
    add_prestige,
    beyond_worth,
    marker_change,
    material_change,
    room_for,
    rubles_change,
    set_marker,
    set_rubles,
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
    YIELD_NONE,
    YIELD_SPACE,
)

MOVED, AT_ARRIVAL = 1, 2  # bits of mind.shift

# --- goods ------------------------------------------------------------------------------------------------------


@jit
def add_good(g, t, seat, v, good, n, mind):
    """Gain n of a good, materials as far as they fit; whether anything came."""
    if good >= WOOD:
        m = good - WOOD
        fits = room_for(g, seat, v, m, n)
        if fits < n:
            mind.cut = 1
        if fits <= 0:
            return False
        add_material(v, m, fits, mind)
    elif good == RUBLES:
        set_rubles(v, v.rubles + n, mind)
    else:
        mind.points |= 1 << good
        if good == RECOGNITION:
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
def any_material(g, seat, v, of, change, mind):
    """Gain (change 1) or give up (change -1) the material of a set that suits view v best; False if there is none."""
    best = -1
    best_worth = UNKNOWN
    for m in range(6):
        if (of >> m) & 1 and (v.inv[m] > 0 if change < 0 else room_for(g, seat, v, m, 1) > 0):
            worth = beyond_worth(m, v.beyond[m] + change, mind) - beyond_worth(m, v.beyond[m], mind)
            if worth > best_worth:  # the rest of `material_change` is the same for all
                best_worth = worth
                best = m
    if best < 0:
        return False
    add_material(v, best, change, mind)
    return True


# --- parts ------------------------------------------------------------------------------------------------------


@jit
def pay_price(g, t, seat, e, v, mind):
    """Pay the price of an effect (its row e); False if it cannot be paid."""
    price = e[E_PAY_RUBLES]
    if price > 0:
        if v.rubles < price:
            short = price - v.rubles
            mind.shortage = short if mind.shortage == 0 else min(mind.shortage, short)
            return False
        set_rubles(v, v.rubles - price, mind)
    if e[E_PAY_RECOGNITION] > 0:
        mind.points |= 1 << RECOGNITION
        if v.marker < e[E_PAY_RECOGNITION]:
            return False
        set_marker(t, v, v.marker - e[E_PAY_RECOGNITION], mind)
    if e[E_PAY_PRESTIGE] > 0:
        mind.points |= 1 << PRESTIGE
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
        if not any_material(g, seat, v, e[E_PAY_ANY_OF], -1, mind):
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
    if e[E_HAS_PAY] and not pay_price(g, t, seat, e, v, mind):
        return False
    moved = -1  # die that the effect has moved
    if e[E_MOVE]:
        moved = move_in(g, t, seat, effect, arrival, v, mind)
    if e[E_ROLL]:
        mind.changed = 1
    if e[E_YIELD] != YIELD_NONE:
        yield_in(g, t, seat, e, arrival, moved, v, mind)
    if e[E_GAIN_RUBLES] > 0:
        mind.changed = 1
        set_rubles(v, v.rubles + e[E_GAIN_RUBLES], mind)
    if e[E_GAIN_RECOGNITION] > 0:
        mind.changed = 1
        mind.points |= 1 << RECOGNITION
        set_marker(t, v, v.marker + e[E_GAIN_RECOGNITION], mind)
    if e[E_GAIN_PRESTIGE] > 0:
        mind.changed = 1
        mind.points |= 1 << PRESTIGE
        add_prestige(t, v, e[E_GAIN_PRESTIGE], mind)
    if e[E_GAIN_MATERIALS] > 0:
        for m in range(6):
            if e[E_GAIN_WOOD + m] > 0 and add_good(g, t, seat, v, WOOD + m, e[E_GAIN_WOOD + m], mind):
                mind.changed = 1
    for _ in range(e[E_GAIN_ANY]):
        if any_material(g, seat, v, e[E_GAIN_ANY_OF], 1, mind):
            mind.changed = 1
        else:
            mind.cut = 1
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
    best_worth = mind.views[i].worth if changed else UNKNOWN
    for space in range(6):
        if tile_fits_colour(g, t, seat, space, e[E_ACTIVATE_COLOUR]):
            mind.views[USE] = mind.views[i]
            tile = t.tile_effect[g.space_tile[seat, space]]
            if use_parts(g, t, seat, tile, arrival, USE, mind) and mind.changed:
                worth = mind.views[USE].worth
                if worth > best_worth:
                    best_worth = worth
                    best = tile
    if best >= 0:
        use_parts(g, t, seat, best, arrival, i, mind)
        return True
    return changed == 1


@jit
def deliver_in(g, t, seat, n, i, mind):
    """Up to n deliveries of an effect in view i."""
    if best_works(g, t, seat, n, i, False, UNKNOWN, mind) != UNKNOWN:
        mind.views[i] = mind.views[BUILT]
        mind.changed = 1


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
def move_in(g, t, seat, effect, arrival, v, mind):
    """Carry out a move part; the die, or -1 if none can move."""
    e = t.effects[effect]
    steps = e[E_MOVE_STEPS]
    die = e[E_MOVE_DIE]
    if die == ANY:
        die = best_die(g, t, seat, effect, arrival, v, mind)
    elif not step_fits(g, t, die, steps, mind):
        die = -1
    if die >= 0:
        mind.changed = 1
        at = die_at(g, die, mind)
        mind.shift |= MOVED
        if at == arrival:
            v.dice -= 1
            mind.shift |= AT_ARRIVAL
        if ((at + steps) & 7) == arrival:
            v.dice += 1
            mind.shift |= AT_ARRIVAL
    return die


@jit
def best_die(g, t, seat, effect, arrival, v, mind):
    """The die that a move part takes: for the yield at its new place, else into the arrival space, not out of it."""
    best = -1
    best_worth = UNKNOWN
    for die in range(5):
        if step_fits(g, t, die, t.effects[effect, E_MOVE_STEPS], mind):
            worth = moved_worth(g, t, seat, effect, die, arrival, v, mind)
            if worth > best_worth:
                best_worth = worth
                best = die
    return best


@jit
def moved_worth(g, t, seat, effect, die, arrival, v, mind):
    """What tells apart the dice that a move part may take."""
    e = t.effects[effect]
    at = die_at(g, die, mind)
    to = (at + e[E_MOVE_STEPS]) & 7
    worth = 0
    if e[E_YIELD] != YIELD_NONE and e[E_YIELD] != YIELD_SPACE and e[E_YIELD_ARG] == ANY:
        worth = 2 * yield_gain(g, t, seat, v, to, mind)
    if to == arrival:
        worth += 1
    if at == arrival:
        worth -= 1
    return worth


@jit
def yield_in(g, t, seat, e, arrival, moved, v, mind):
    """Carry out a yield part; `moved` is the die that the effect has just moved."""
    if e[E_YIELD] == YIELD_SPACE:
        if arrival >= 0:
            yield_tile(g, t, seat, (arrival + e[E_YIELD_ARG]) & 7, v, mind)
        return
    steps = e[E_MOVE_STEPS]
    if e[E_YIELD_ARG] != ANY:
        yield_tile(g, t, seat, yield_space(g, e[E_YIELD_ARG], moved, steps, mind), v, mind)
        return
    best = -1
    best_worth = UNKNOWN
    for die in range(5):
        space = yield_space(g, die, moved, steps, mind)
        worth = yield_gain(g, t, seat, v, space, mind)
        if worth > best_worth and worth != 0:  # a tile of which nothing comes in cannot be chosen
            best_worth = worth
            best = space
    if best >= 0:
        yield_tile(g, t, seat, best, v, mind)


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
def yield_tile(g, t, seat, space, v, mind):
    """The yield of a space's tile, times one."""
    tile = g.market[space]
    if t.tile_kinds[tile] == 1:  # nearly all
        good = t.tile_good[tile]
        if add_good(g, t, seat, v, good, t.tile_gain[tile, good], mind):
            mind.changed = 1
        return
    for good in range(9):
        n = t.tile_gain[tile, good]
        if n > 0 and add_good(g, t, seat, v, good, n, mind):
            mind.changed = 1
