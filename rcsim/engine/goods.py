"""Goods: rubles, points and materials coming in and going out (docs/rules.md, section 7, rulings 1 to 3).

Every change of rubles or materials is booked in the ledger by its reason.
"""

from rcsim.columns import seat_column
from rcsim.engine.events import (
    EV_CARD,
    EV_CLAIM,
    EV_COMPLETE,
    EV_GAIN,
    EV_INFLUENCE,
    EV_MOVE,
    EV_PAY,
    EV_SELL,
    EV_TAKE,
    emit,
)
from rcsim.engine.jit import jit
from rcsim.engine.state import free_slots
from rcsim.engine.track import gain_prestige, gain_recognition, lose_prestige, prestige_behind

POINTS_SECTIONS = seat_column("points_sections")
POINTS_MARKET = seat_column("points_market")
POINTS_TILES = seat_column("points_tiles")
POINTS_INFLUENCE = seat_column("points_influence")
POINTS_SOLO = seat_column("points_solo")
FROM_SECTIONS = seat_column("rubles_from_sections")
FROM_MARKET = seat_column("rubles_from_market")
FROM_TILES = seat_column("rubles_from_tiles")
FROM_INFLUENCE = seat_column("rubles_from_influence")
FROM_SOLD = seat_column("rubles_from_sold")
FOR_WORKSHOP = seat_column("rubles_for_workshop")
FOR_MOVES = seat_column("rubles_for_moves")
FOR_TILES = seat_column("rubles_for_tiles")
FOR_INFLUENCE = seat_column("rubles_for_influence")
TAKEN = seat_column("taken_wood")  # six columns
LOST_SLOTS = seat_column("lost_slots_wood")
LOST_SUPPLY = seat_column("lost_supply_wood")
LOST_ANY = seat_column("lost_any")
SOLD = seat_column("points_sold")
SALES = seat_column("sales")

# Goods, by their position in GOODS.
RUBLES, RECOGNITION, PRESTIGE, WOOD = range(4)


@jit
def points_column(why):
    """Where a gain or loss of points is booked."""
    if why == EV_COMPLETE:
        return POINTS_SECTIONS
    if why == EV_TAKE:
        return POINTS_MARKET
    if why == EV_INFLUENCE:
        return POINTS_INFLUENCE
    if why == EV_CARD:
        return POINTS_SOLO
    return POINTS_TILES  # EV_WORKSHOP, and EV_CLAIM: Ivan's


@jit
def gain_points(g, t, log, seat, good, n, why):
    """Gain n recognition or prestige."""
    if good == RECOGNITION:
        gain_recognition(g, seat, n, points_column(why))
    else:
        gain_prestige(g, t, seat, n, points_column(why))
    emit(log, EV_GAIN, seat, good, n, why, 0)


@jit
def gain_rubles(g, log, seat, n, why):
    """Gain n rubles."""
    g.rubles[seat] += n
    column = FROM_TILES
    if why == EV_COMPLETE:
        column = FROM_SECTIONS
    elif why == EV_TAKE:
        column = FROM_MARKET
    elif why == EV_INFLUENCE:
        column = FROM_INFLUENCE
    elif why == EV_SELL:
        column = FROM_SOLD
    g.ledger[seat, column] += n
    emit(log, EV_GAIN, seat, RUBLES, n, why, 0)


@jit
def pay_rubles(g, log, seat, n, why):
    """Pay n rubles, which are in hand."""
    g.rubles[seat] -= n
    column = FOR_TILES
    if why == EV_CLAIM:
        column = FOR_WORKSHOP
    elif why == EV_MOVE:
        column = FOR_MOVES
    elif why == EV_INFLUENCE:
        column = FOR_INFLUENCE
    g.ledger[seat, column] += n
    emit(log, EV_PAY, seat, RUBLES, n, why, 0)


@jit
def can_lose_prestige(g, t, seat, n):
    """Whether n prestige spaces lie strictly behind the marker."""
    return prestige_behind(t, g.marker[seat]) >= n


@jit
def take_in(g, seat, material, n):
    """Move n of a material from the supply to the inventory; both have room."""
    g.inv[seat, material] += n
    g.held[seat] += n
    g.supply[material] -= n
    g.ledger[seat, TAKEN + material] += n


@jit
def give_back(g, seat, material, n):
    """Move n of a material from the inventory to the supply."""
    g.inv[seat, material] -= n
    g.held[seat] -= n
    g.supply[material] += n


@jit
def start_gain(g, seat, amounts, offset, any_n, any_of):
    """Begin a gain of materials: amounts[offset:offset + 6] of given kinds, `any_n` of the set `any_of`.

    What fits without a choice comes in at once; the rest waits in `need` and `any_left` for `gain_options`.
    """
    total = 0
    for m in range(6):
        n = amounts[offset + m]
        if n > g.supply[m]:
            g.ledger[seat, LOST_SUPPLY + m] += n - g.supply[m]
            n = g.supply[m]
        g.need[m] = n
        g.got[m] = 0
        total += n
    if total + any_n <= free_slots(g, seat):
        for m in range(6):
            n = g.need[m]
            if n > 0:
                take_in(g, seat, m, n)
                g.got[m] = n
                g.need[m] = 0
    g.any_left = any_n
    g.any_of = any_of


@jit
def gain_options(g, seat):
    """Set of materials (bit m) of which one may come in now."""
    options = 0
    if free_slots(g, seat) > 0:
        for m in range(6):
            if g.supply[m] > 0 and (g.need[m] > 0 or (g.any_left > 0 and (g.any_of >> m) & 1)):
                options |= 1 << m
    return options


@jit
def gain_one(g, seat, material):
    """Let one material of the gain under way in; a given kind before a free choice."""
    take_in(g, seat, material, 1)
    g.got[material] += 1
    if g.need[material] > 0:
        g.need[material] -= 1
    else:
        g.any_left -= 1


@jit
def end_gain(g, log, seat, why):
    """Book what is lost and write what came; returns how much that was."""
    total = 0
    for m in range(6):
        g.ledger[seat, LOST_SLOTS + m] += g.need[m]
        if g.got[m] > 0:
            total += g.got[m]
            emit(log, EV_GAIN, seat, WOOD + m, g.got[m], why, 0)
    g.ledger[seat, LOST_ANY] += g.any_left
    g.any_left = 0
    return total


@jit
def sell(g, t, log, seat):
    """Sell one prestige for rubles (docs/rules.md, section 4)."""
    lose_prestige(g, t, seat, 1, SOLD)
    emit(log, EV_SELL, seat, 0, 0, 0, 0)
    emit(log, EV_PAY, seat, PRESTIGE, 1, EV_SELL, 0)
    if t.sell_rubles > 0:
        gain_rubles(g, log, seat, t.sell_rubles, EV_SELL)
    g.ledger[seat, SALES] += 1
    g.sold += 1
    g.selling = 1
