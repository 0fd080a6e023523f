"""The market: dice, their moves and rolls, and what the arrival space yields (docs/rules.md, section 7)."""

from rcsim.columns import seat_column
from rcsim.engine.events import EV_ACQUIRE, EV_GAIN, EV_MOVE, EV_PAY, EV_REROLL, EV_ROLL, EV_TAKE, emit, emit_more
from rcsim.engine.goods import (
    LOST_SLOTS,
    LOST_SUPPLY,
    PRESTIGE,
    RUBLES,
    WOOD,
    gain_points,
    gain_rubles,
    pay_rubles,
    take_in,
)
from rcsim.engine.jit import jit
from rcsim.engine.random import DICE, below, draw, stream
from rcsim.engine.state import A_TAKE, P_MARKET, P_TAKE, free_slots, put
from rcsim.engine.track import lose_prestige

WHITE = 4
MAX_EXTRA = 7

DICE_USED = seat_column("dice_red")  # five columns
VISITS = seat_column("visits_1")  # three columns
SPACES_PAID = seat_column("spaces_paid")
REFUSED = seat_column("dice_refused")
REROLLS = seat_column("rerolls")
POINTS_REROLLS = seat_column("points_rerolls")


@jit
def die_can_move(g, t, die, steps):
    """Whether a die may end `steps` spaces on: fewer than the limit of other dice lie there."""
    at = g.die_space[die]
    to = (at + steps) & 7
    others = g.dice_in[to] - (1 if to == at else 0)
    return others < t.dice_limit


@jit
def move_die(g, log, seat, die, steps, why):
    """Lift a die and set it down `steps` spaces on."""
    at = g.die_space[die]
    to = (at + steps) & 7
    g.dice_in[at] -= 1
    g.dice_in[to] += 1
    g.die_space[die] = to
    emit(log, EV_MOVE, seat, die, at, to, g.die_value[die])
    emit_more(log, steps, why)


@jit
def roll_space(g, log, seat, space, why):
    """Roll all dice in a space. A face is keyed by deal, turn, die and the die's rolls this turn."""
    if log.on:
        emit(log, EV_ROLL, seat, space, why, 0, 0)
        for die in range(5):
            log.row[log.n - 1, 4 + die] = 0
    if g.dice_in[space] == 0:
        return
    start = stream(g.key, DICE)
    for die in range(5):
        if g.die_space[die] == space:
            counter = (g.turn << 16) | (die << 12) | g.die_rolls[die]
            g.die_value[die] = 1 + below(draw(start, counter), 6)
            g.die_rolls[die] += 1
            if log.on:
                log.row[log.n - 1, 4 + die] = g.die_value[die]


@jit
def reroll(g, t, log, seat, space):
    """Pay 1 prestige and roll all dice of a space (docs/rules.md, section 4)."""
    lose_prestige(g, t, seat, 1, POINTS_REROLLS)
    emit(log, EV_REROLL, seat, space, 0, 0, 0)
    emit(log, EV_PAY, seat, PRESTIGE, 1, EV_REROLL, 0)
    roll_space(g, log, seat, space, EV_REROLL)
    g.ledger[seat, REROLLS] += 1
    g.rerolled = 1


@jit
def extra_spaces(g, t, seat, die):
    """The most extra spaces that the seat may move a die: white or own colour, one price each."""
    if die != WHITE and die != g.colour[seat]:
        return 0
    if t.extra_space_price == 0:
        return MAX_EXTRA
    if t.extra_space_price == 1:  # as printed; a division takes longer than the rest
        return min(MAX_EXTRA, g.rubles[seat])
    return min(MAX_EXTRA, g.rubles[seat] // t.extra_space_price)


@jit
def acquire(g, t, log, seat, die, extra):
    """Move the chosen die; the market steps follow at its arrival space."""
    refused = 0
    for d in range(5):
        if not die_can_move(g, t, d, g.die_value[d]):
            refused += 1
    g.ledger[seat, REFUSED] += refused
    move_die(g, log, seat, die, g.die_value[die] + extra, EV_ACQUIRE)
    if extra * t.extra_space_price > 0:
        pay_rubles(g, log, seat, extra * t.extra_space_price, EV_MOVE)
    g.die = die
    g.arrival = g.die_space[die]
    g.ledger[seat, DICE_USED + die] += 1
    g.ledger[seat, VISITS + min(3, g.dice_in[g.arrival]) - 1] += 1
    g.ledger[seat, SPACES_PAID] += extra


@jit
def good_fits(g, seat, good, full, slots_used):
    """How much of `full` units of a good would come in, with slots already spoken for."""
    if good < WOOD:
        return full
    return min(full, g.supply[good - WOOD], free_slots(g, seat) - slots_used)


@jit
def tile_fits(g, t, seat, tile, times):
    """Whether a resource tile, `times` over, would bring in anything."""
    for good in range(9):
        full = t.tile_gain[tile, good] * times
        if full > 0 and good_fits(g, seat, good, full, 0) > 0:
            return True
    return False


@jit
def list_takes(g, t, seat, acts):
    """The ways to take the resources of the arrival space (ruling 4)."""
    tile = g.market[g.arrival]
    times = g.dice_in[g.arrival]
    if times == 0:
        return
    if t.tile_kinds[tile] > 1:
        if tile_fits(g, t, seat, tile, times):
            put(acts, A_TAKE, 0, 0, 0)
        return
    good = t.tile_good[tile]
    list_amounts(g, seat, good, t.tile_gain[tile, good] * times, 0, acts)


@jit
def list_amounts(g, seat, good, full, slots_used, acts):
    """Amounts of one good that may be wanted: all below what fits, and the full yield."""
    fits = good_fits(g, seat, good, full, slots_used)
    for n in range(1, fits):
        put(acts, A_TAKE, n, 0, 0)
    if fits > 0:
        put(acts, A_TAKE, full, 0, 0)


@jit
def list_wanted(g, t, seat, acts):
    """P_TAKE: amounts of the good asked for; none only if another good can still come in."""
    tile = g.market[g.arrival]
    times = g.dice_in[g.arrival]
    other = False
    for good in range(9):
        if good < g.want_good:
            other = other or g.wanted[good] > 0
        elif good > g.want_good and t.tile_gain[tile, good] > 0:
            other = other or good_fits(g, seat, good, 1, g.want_slots) > 0
    if other:
        put(acts, A_TAKE, 0, 0, 0)
    list_amounts(g, seat, g.want_good, t.tile_gain[tile, g.want_good] * times, g.want_slots, acts)


@jit
def take(g, t, log, seat, n):
    """Take resources: all at once from a tile with one good, good by good from another."""
    tile = g.market[g.arrival]
    if g.phase != P_TAKE:
        g.took = 1
        g.want_slots = 0
        for good in range(9):
            g.wanted[good] = 0
        if t.tile_kinds[tile] == 1:
            g.wanted[t.tile_good[tile]] = n
            finish_take(g, t, log, seat, tile)
            return
        g.phase = P_TAKE
        g.want_good = next_good(g, t, seat, tile, 0)
        return
    good = g.want_good
    g.wanted[good] = n
    if good >= WOOD:
        g.want_slots += good_fits(g, seat, good, n, g.want_slots)
    g.want_good = next_good(g, t, seat, tile, good + 1)
    if g.want_good < 0:
        g.phase = P_MARKET
        finish_take(g, t, log, seat, tile)


@jit
def next_good(g, t, seat, tile, good):
    """The first good from `good` on of which something can come in, or -1: others are not asked for."""
    while good < 9:
        full = t.tile_gain[tile, good] * g.dice_in[g.arrival]
        if full > 0 and good_fits(g, seat, good, full, g.want_slots) > 0:
            return good
        good += 1
    return -1


@jit
def finish_take(g, t, log, seat, tile):
    """What is wanted comes in as far as it fits; the rest of a full yield is lost."""
    if log.on:
        emit(log, EV_TAKE, seat, g.arrival, g.dice_in[g.arrival], 0, 0)
        for good in range(9):
            log.row[log.n - 1, 4 + good] = g.wanted[good]
    for good in range(9):
        n = g.wanted[good]
        if n == 0:
            continue
        if good == RUBLES:
            gain_rubles(g, log, seat, n, EV_TAKE)
        elif good < WOOD:
            gain_points(g, t, log, seat, good, n, EV_TAKE)
        else:
            m = good - WOOD
            came = good_fits(g, seat, good, n, 0)
            in_supply = min(n, g.supply[m])
            g.ledger[seat, LOST_SUPPLY + m] += n - in_supply
            g.ledger[seat, LOST_SLOTS + m] += in_supply - came
            if came > 0:
                take_in(g, seat, m, came)
                emit(log, EV_GAIN, seat, good, came, EV_TAKE, 0)
