"""Effects of influence cards and workshop tiles (docs/rules.md, section 9, rulings 5 to 13).

An effect is a row of TABLES.effects. `can_use` judges whether a use is legal; `begin_use` starts one, and
`run_effect` carries its parts out in order, stopping at each choice: it then sets the phase, `list_choices` lists
the options, and `choose` carries one out and goes on.
"""

from rcsim.columns import seat_column
from rcsim.engine.cathedral import deliver, has_deliverable
from rcsim.engine.events import EV_INFLUENCE, EV_PAY, EV_WORKSHOP, EV_YIELD, emit
from rcsim.engine.goods import (
    PRESTIGE,
    RECOGNITION,
    RUBLES,
    WOOD,
    end_gain,
    gain_one,
    gain_options,
    gain_points,
    gain_rubles,
    give_back,
    pay_rubles,
    points_column,
    start_gain,
)
from rcsim.engine.jit import jit
from rcsim.engine.market import die_can_move, move_die, roll_space, tile_fits
from rcsim.engine.state import (
    A_DELIVER,
    A_DIE,
    A_MATERIAL,
    A_SPACE,
    A_STOP,
    A_TILE,
    P_ACTIVATE,
    P_DELIVER,
    P_GAIN,
    P_MOVE,
    P_PAY,
    P_ROLL,
    P_YIELD,
    action_a,
    action_b,
    action_kind,
    free_slots,
    put,
)
from rcsim.engine.track import gain_recognition, lose_prestige, prestige_behind
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
    ROLL_ANY,
    ROLL_ARRIVAL,
    YIELD_NONE,
    YIELD_SPACE,
)

ACTIVATIONS = seat_column("tile_activations")

# Parts in order; PART_END is past the last.
(PART_PAY, PART_PAY_ANY, PART_MOVE, PART_ROLL, PART_YIELD, PART_GAIN, PART_DELIVER, PART_ACTIVATE,
 PART_END) = range(9)  # fmt: skip


# --- legality -------------------------------------------------------------------------------------------------


@jit
def can_pay(g, t, seat, effect):
    """Whether the price of an effect is in hand (ruling 2)."""
    e = t.effects[effect]
    if e[E_HAS_PAY] == 0:
        return True
    if g.rubles[seat] < e[E_PAY_RUBLES]:
        return False
    marker = g.marker[seat] - e[E_PAY_RECOGNITION]
    if marker < 0 or (e[E_PAY_PRESTIGE] > 0 and prestige_behind(t, marker) < e[E_PAY_PRESTIGE]):
        return False
    if e[E_PAY_MATERIALS] + e[E_PAY_ANY] > 0:
        choice = 0
        for m in range(6):
            rest = g.inv[seat, m] - e[E_PAY_WOOD + m]
            if rest < 0:
                return False
            if (e[E_PAY_ANY_OF] >> m) & 1:
                choice += rest
        return choice >= e[E_PAY_ANY]
    return True


@jit
def changes(g, t, seat, effect, arrival):
    """Whether an effect, its price paid, changes something; `activate` apart."""
    e = t.effects[effect]
    if e[E_GAIN_RUBLES] + e[E_GAIN_RECOGNITION] + e[E_GAIN_PRESTIGE] > 0 or e[E_ROLL] == ROLL_ANY:
        return True
    if e[E_ROLL] == ROLL_ARRIVAL and arrival >= 0 and g.dice_in[arrival] > 0:
        return True
    if e[E_MOVE]:
        for die in range(5):
            if (e[E_MOVE_DIE] == ANY or e[E_MOVE_DIE] == die) and die_can_move(g, t, die, e[E_MOVE_STEPS]):
                return True
    if e[E_GAIN_MATERIALS] + e[E_GAIN_ANY] > 0 and free_slots(g, seat) > 0:
        for m in range(6):
            wanted = e[E_GAIN_WOOD + m] > 0 or (e[E_GAIN_ANY] > 0 and (e[E_GAIN_ANY_OF] >> m) & 1)
            if wanted and g.supply[m] > 0:
                return True
    if e[E_YIELD] != YIELD_NONE and yield_spaces(g, t, seat, effect, arrival) != 0:
        return True
    return e[E_DELIVER] > 0 and has_deliverable(g, seat)


@jit
def yield_spaces(g, t, seat, effect, arrival):
    """Set of spaces (bit s) whose tile the yield part may use: something comes in (ruling 9)."""
    e = t.effects[effect]
    spaces = 0
    if e[E_YIELD] == YIELD_SPACE:
        if arrival >= 0:
            spaces = 1 << ((arrival + e[E_YIELD_ARG]) & 7)
    elif e[E_YIELD_ARG] == ANY:
        for die in range(5):
            spaces |= 1 << g.die_space[die]
    else:
        spaces = 1 << g.die_space[e[E_YIELD_ARG]]
    for s in range(8):
        if (spaces >> s) & 1 and not tile_fits(g, t, seat, g.market[s], 1):
            spaces &= ~(1 << s)
    return spaces


@jit
def pay_given(g, t, seat, effect):
    """Take the given part of a price, unbooked."""
    e = t.effects[effect]
    g.rubles[seat] -= e[E_PAY_RUBLES]
    for m in range(6):
        if e[E_PAY_WOOD + m] > 0:
            give_back(g, seat, m, e[E_PAY_WOOD + m])


@jit
def unpay_given(g, t, seat, effect):
    """Undo `pay_given`."""
    e = t.effects[effect]
    g.rubles[seat] += e[E_PAY_RUBLES]
    for m in range(6):
        if e[E_PAY_WOOD + m] > 0:
            give_back(g, seat, m, -e[E_PAY_WOOD + m])


@jit
def shift_choice(g, seat, code, n, sign):
    """Pay (sign 1) or restore (sign -1) the n materials that `code` names in base 6."""
    for _ in range(n):
        give_back(g, seat, code % 6, sign)
        code //= 6


@jit
def next_choice(g, seat, of, n, code):
    """The next way after `code` to pay n materials of a set by choice, or -1; materials do not decrease.

    A way is a number in base 6 with n digits. Start from -1.
    """
    last = 6**n
    code += 1
    while code < last:
        rest = code
        before = 0
        ok = True
        run = 0
        for _ in range(n):
            m = rest % 6
            rest //= 6
            run = run + 1 if m == before else 1
            if m < before or not (of >> m) & 1 or g.inv[seat, m] < run:
                ok = False
                break
            before = m
        if ok:
            return code
        code += 1
    return -1


@jit
def can_use_tile(g, t, seat, effect, arrival):
    """Whether the use of an effect without an `activate` part is legal (ruling 6)."""
    if not can_pay(g, t, seat, effect):
        return False
    e = t.effects[effect]
    if e[E_HAS_PAY] == 0:
        return changes(g, t, seat, effect, arrival)
    if e[E_GAIN_RUBLES] + e[E_GAIN_RECOGNITION] + e[E_GAIN_PRESTIGE] > 0:
        return True
    pay_given(g, t, seat, effect)
    n = e[E_PAY_ANY]
    if n == 0:
        found = changes(g, t, seat, effect, arrival)
    else:
        found = False
        code = next_choice(g, seat, e[E_PAY_ANY_OF], n, -1)
        while code >= 0 and not found:
            shift_choice(g, seat, code, n, 1)
            found = changes(g, t, seat, effect, arrival)
            shift_choice(g, seat, code, n, -1)
            code = next_choice(g, seat, e[E_PAY_ANY_OF], n, code)
    unpay_given(g, t, seat, effect)
    return found


@jit
def tile_fits_colour(g, t, seat, space, colour):
    """Whether a workshop space holds a face-up tile and has the colour (or any)."""
    return (
        g.space_tile[seat, space] >= 0
        and g.space_up[seat, space] == 1
        and (colour == ANY or t.space_colour[space] == colour)
    )


@jit
def can_activate(g, t, seat, effect, arrival):
    """Whether the activate part has a tile to use."""
    for space in range(6):
        if tile_fits_colour(g, t, seat, space, t.effects[effect, E_ACTIVATE_COLOUR]):
            if can_use_tile(g, t, seat, t.tile_effect[g.space_tile[seat, space]], arrival):
                return True
    return False


@jit
def choice_leads(g, t, seat, effect, arrival, n):
    """Whether n more materials of choice can be paid so that the use then changes something."""
    e = t.effects[effect]
    found = False
    code = next_choice(g, seat, e[E_PAY_ANY_OF], n, -1)
    while code >= 0 and not found:
        shift_choice(g, seat, code, n, 1)
        found = changes(g, t, seat, effect, arrival)
        if not found and e[E_ACTIVATE]:
            found = can_activate(g, t, seat, effect, arrival)
        shift_choice(g, seat, code, n, -1)
        code = next_choice(g, seat, e[E_PAY_ANY_OF], n, code)
    return found


@jit
def can_use(g, t, seat, effect, arrival):
    """Whether the use of any effect is legal (ruling 6); `arrival` is -1 at a claim."""
    e = t.effects[effect]
    if not e[E_ACTIVATE]:
        return can_use_tile(g, t, seat, effect, arrival)
    if not can_pay(g, t, seat, effect):
        return False
    marker = g.marker[seat]
    pay_given(g, t, seat, effect)
    g.marker[seat] -= e[E_PAY_RECOGNITION]  # an activated tile may have a price in points, too
    if e[E_PAY_PRESTIGE] > 0:
        pay_prestige_unbooked(g, t, seat, e[E_PAY_PRESTIGE])
    found = choice_leads(g, t, seat, effect, arrival, e[E_PAY_ANY])
    g.marker[seat] = marker
    unpay_given(g, t, seat, effect)
    return found


@jit
def pay_prestige_unbooked(g, t, seat, n):
    """Move the marker n prestige back without a trace in the ledger."""
    column = points_column(EV_INFLUENCE)
    before = g.ledger[seat, column]
    lose_prestige(g, t, seat, n, column)
    g.ledger[seat, column] = before


# --- use ------------------------------------------------------------------------------------------------------


@jit
def begin_use(g, t, log, effect, why, after):
    """Start a legal use; `after` is the phase to return to."""
    g.effect = effect
    g.why = why
    g.after = after
    g.part = PART_PAY
    g.changed = 0
    run_effect(g, t, log)


@jit
def run_effect(g, t, log):
    """Carry out parts until one asks for a choice (the phase says which) or the effect is over."""
    seat = g.seat
    e = t.effects[g.effect]
    while g.part < PART_END:
        if g.part == PART_PAY:
            pay_part(g, t, log, seat)
        elif g.part == PART_PAY_ANY:
            if g.pay_left > 0:
                g.phase = P_PAY
                return
            for m in range(6):
                if g.paid[m] > 0:
                    emit(log, EV_PAY, seat, WOOD + m, g.paid[m], g.why, 0)
        elif g.part == PART_MOVE:
            if e[E_MOVE]:
                if e[E_MOVE_DIE] == ANY:
                    if any_die_can_move(g, t, e[E_MOVE_STEPS]):
                        g.phase = P_MOVE
                        return
                elif die_can_move(g, t, e[E_MOVE_DIE], e[E_MOVE_STEPS]):
                    move_die(g, log, seat, e[E_MOVE_DIE], e[E_MOVE_STEPS], g.why)
                    g.changed = 1
        elif g.part == PART_ROLL:
            if e[E_ROLL] == ROLL_ANY:
                g.phase = P_ROLL
                return
            if e[E_ROLL] == ROLL_ARRIVAL and g.arrival >= 0 and g.dice_in[g.arrival] > 0:
                roll_space(g, log, seat, g.arrival, g.why)
                g.changed = 1
        elif g.part == PART_YIELD:
            if e[E_YIELD] != YIELD_NONE:
                spaces = yield_spaces(g, t, seat, g.effect, g.arrival)
                if spaces & (spaces - 1):
                    g.phase = P_YIELD
                    return
                if spaces:
                    space = 0
                    while not (spaces >> space) & 1:
                        space += 1
                    yield_tile(g, t, log, seat, space)
                    if gain_waits(g, log, seat):
                        return
        elif g.part == PART_GAIN:
            if e[E_GAIN_RUBLES] > 0:
                gain_rubles(g, log, seat, e[E_GAIN_RUBLES], g.why)
                g.changed = 1
            if e[E_GAIN_RECOGNITION] > 0:
                gain_points(g, t, log, seat, RECOGNITION, e[E_GAIN_RECOGNITION], g.why)
                g.changed = 1
            if e[E_GAIN_PRESTIGE] > 0:
                gain_points(g, t, log, seat, PRESTIGE, e[E_GAIN_PRESTIGE], g.why)
                g.changed = 1
            if e[E_GAIN_MATERIALS] + e[E_GAIN_ANY] > 0:
                start_gain(g, seat, e, E_GAIN_WOOD, e[E_GAIN_ANY], e[E_GAIN_ANY_OF])
                if gain_waits(g, log, seat):
                    return
        elif g.part == PART_DELIVER:
            if e[E_DELIVER] > 0 and has_deliverable(g, seat):
                g.deliver_left = e[E_DELIVER]
                g.phase = P_DELIVER
                return
        elif g.part == PART_ACTIVATE:
            if e[E_ACTIVATE] and can_activate(g, t, seat, g.effect, g.arrival):
                g.phase = P_ACTIVATE
                return
        g.part += 1
    g.phase = g.after


@jit
def pay_part(g, t, log, seat):
    """The given part of a price, booked and written."""
    e = t.effects[g.effect]
    for m in range(6):
        g.paid[m] = 0
    g.pay_left = e[E_PAY_ANY]
    if e[E_HAS_PAY] == 0:
        return
    if e[E_PAY_RUBLES] > 0:
        pay_rubles(g, log, seat, e[E_PAY_RUBLES], g.why)
    if e[E_PAY_RECOGNITION] > 0:
        gain_recognition(g, seat, -e[E_PAY_RECOGNITION], points_column(g.why))
        emit(log, EV_PAY, seat, RECOGNITION, e[E_PAY_RECOGNITION], g.why, 0)
    if e[E_PAY_PRESTIGE] > 0:
        lose_prestige(g, t, seat, e[E_PAY_PRESTIGE], points_column(g.why))
        emit(log, EV_PAY, seat, PRESTIGE, e[E_PAY_PRESTIGE], g.why, 0)
    for m in range(6):
        n = e[E_PAY_WOOD + m]
        if n > 0:
            give_back(g, seat, m, n)
            g.paid[m] = n


@jit
def any_die_can_move(g, t, steps):
    """Whether some die can move that far."""
    for die in range(5):
        if die_can_move(g, t, die, steps):
            return True
    return False


@jit
def yield_tile(g, t, log, seat, space):
    """The yield of a space's tile, times one; its materials wait in the gain under way."""
    emit(log, EV_YIELD, seat, space, g.why, 0, 0)
    gain = t.tile_gain[g.market[space]]
    if gain[RUBLES] > 0:
        gain_rubles(g, log, seat, gain[RUBLES], g.why)
    if gain[RECOGNITION] > 0:
        gain_points(g, t, log, seat, RECOGNITION, gain[RECOGNITION], g.why)
    if gain[PRESTIGE] > 0:
        gain_points(g, t, log, seat, PRESTIGE, gain[PRESTIGE], g.why)
    start_gain(g, seat, gain, WOOD, 0, 0)
    g.changed = 1


@jit
def gain_waits(g, log, seat):
    """Go on with the gain under way; True if the player has to choose, else the gain is over."""
    while True:
        options = gain_options(g, seat)
        if options == 0:
            if end_gain(g, log, seat, g.why) > 0:
                g.changed = 1
            return False
        if options & (options - 1):
            g.phase = P_GAIN
            return True
        m = 0
        while not (options >> m) & 1:
            m += 1
        gain_one(g, seat, m)


# --- choices --------------------------------------------------------------------------------------------------


@jit
def list_choices(g, t, acts):
    """The options of the choice under way in an effect."""
    seat = g.seat
    e = t.effects[g.effect]
    if g.phase == P_PAY:
        for m in range(6):
            if (e[E_PAY_ANY_OF] >> m) & 1 and g.inv[seat, m] > 0:
                give_back(g, seat, m, 1)
                leads = choice_leads(g, t, seat, g.effect, g.arrival, g.pay_left - 1)
                give_back(g, seat, m, -1)
                if leads:
                    put(acts, A_MATERIAL, m, 0, 0)
    elif g.phase == P_MOVE:
        for die in range(5):
            if die_can_move(g, t, die, e[E_MOVE_STEPS]):
                put(acts, A_DIE, die, 0, 0)
    elif g.phase == P_ROLL:
        for s in range(8):
            if g.dice_in[s] > 0:
                put(acts, A_SPACE, s, 0, 0)
    elif g.phase == P_YIELD:
        spaces = yield_spaces(g, t, seat, g.effect, g.arrival)
        for s in range(8):
            if (spaces >> s) & 1:
                put(acts, A_SPACE, s, 0, 0)
    elif g.phase == P_GAIN:
        options = gain_options(g, seat)
        for m in range(6):
            if (options >> m) & 1:
                put(acts, A_MATERIAL, m, 0, 0)
    elif g.phase == P_DELIVER:
        list_deliveries(g, seat, acts)
        if g.changed or (e[E_ACTIVATE] and can_activate(g, t, seat, g.effect, g.arrival)):
            put(acts, A_STOP, 0, 0, 0)
    elif g.phase == P_ACTIVATE:
        free = False  # some tile without a price
        for space in range(6):
            if tile_fits_colour(g, t, seat, space, e[E_ACTIVATE_COLOUR]):
                effect = t.tile_effect[g.space_tile[seat, space]]
                if can_use_tile(g, t, seat, effect, g.arrival):
                    put(acts, A_TILE, space, 0, 0)
                    free = free or t.effects[effect, E_HAS_PAY] == 0
        if g.changed and not free:
            put(acts, A_STOP, 0, 0, 0)


@jit
def list_deliveries(g, seat, acts):
    """Every material of the inventory onto every own section that needs it."""
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        for m in range(6):
            if g.inv[seat, m] > 0 and g.left[s, m] > 0:
                put(acts, A_DELIVER, s, m, 0)


@jit
def choose(g, t, log, action):
    """Carry out one option of `list_choices` and go on with the effect."""
    seat = g.seat
    kind = action_kind(action)
    a = action_a(action)
    if g.phase == P_PAY:
        give_back(g, seat, a, 1)
        g.paid[a] += 1
        g.pay_left -= 1
    elif g.phase == P_MOVE:
        move_die(g, log, seat, a, t.effects[g.effect, E_MOVE_STEPS], g.why)
        g.changed = 1
        g.part += 1
    elif g.phase == P_ROLL:
        roll_space(g, log, seat, a, g.why)
        g.changed = 1
        g.part += 1
    elif g.phase == P_YIELD:
        yield_tile(g, t, log, seat, a)
        if gain_waits(g, log, seat):
            return
        g.part += 1
    elif g.phase == P_GAIN:
        gain_one(g, seat, a)
        if gain_waits(g, log, seat):
            return
        g.part += 1
    elif g.phase == P_DELIVER:
        if kind == A_STOP:
            g.part += 1
        else:
            deliver(g, t, log, seat, a, action_b(action), g.why)
            g.changed = 1
            g.deliver_left -= 1
            if g.deliver_left > 0 and has_deliverable(g, seat):
                return
            g.part += 1
    elif kind == A_STOP:  # P_ACTIVATE, declined
        g.part += 1
    else:  # P_ACTIVATE: the influence action is over, the tile goes on in its place
        tile = g.space_tile[seat, a]
        emit(log, EV_WORKSHOP, seat, a, tile, EV_INFLUENCE, 0)
        g.ledger[seat, ACTIVATIONS] += 1
        begin_use(g, t, log, t.tile_effect[tile], EV_WORKSHOP, g.after)
        return
    run_effect(g, t, log)
