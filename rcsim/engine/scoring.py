"""The final score (docs/rules.md, section 8, rulings 32 to 34)."""

from rcsim.columns import game_column, seat_column
from rcsim.engine.jit import entry, jit
from rcsim.engine.track import prestige_at
from rcsim.rules.tables import SHARES_2P_THIRD, SHARES_HALVING

TOTAL = seat_column("total")
RANK = seat_column("rank")
WIN_SHARE = seat_column("win_share")
MARKER = seat_column("marker")
ON_TRACK = seat_column("prestige_on_track")
LEFTOVERS = seat_column("leftovers")
TOWERS = seat_column("towers")
TURNS = seat_column("turns")
RUBLES_END = seat_column("rubles_end")
MATERIALS_END = seat_column("materials_end")

G_PLAN = game_column("plan")
G_TURNS = game_column("turns")
G_FINISHER = game_column("finisher")
G_TRUNCATED = game_column("truncated")
G_TIE = game_column("tie")
G_MARGIN = game_column("margin")
G_SECTIONS = game_column("sections")
G_ORNAMENTS = game_column("ornaments")
G_COMPLETE = game_column("complete")
G_STEPS = game_column("steps")


@jit
def place_share(t, value, place):
    """What a place (0 is first) of a tower is worth, for three and more players or where two follow them."""
    if t.tower_shares == SHARES_HALVING:
        return value >> place
    if place == 0:
        return value
    if place == 1:
        return value >> 1
    return 1 if place == 2 else 0


@jit
def share(t, presence, value, seat):
    """Prestige that a seat gets for a tower of that value, from the presence of every seat in it: shape (4,)."""
    own = presence[seat]
    if own == 0:
        return 0
    better = 0
    equal = 0  # the seat itself included
    for other in range(t.seats):
        n = presence[other]
        if n > own:
            better += 1
        elif n == own:
            equal += 1
    if t.seats == 2 and t.tower_shares_2p == SHARES_2P_THIRD:
        if equal == 2:
            return 0
        return value // 3 if better else value
    if equal == 1:
        return place_share(t, value, better)
    shares = 0
    for place in range(better, better + equal):
        shares += place_share(t, value, place)
    return shares // equal


@entry
def tower_share(g, t, tower, seat):
    """Prestige that a seat gets for a tower as it stands."""
    return share(t, g.presence[tower], g.value[tower], seat)


@jit
def beats(g, a, b):
    """Whether seat a ranks strictly before seat b: total, finished sections, ornaments."""
    if g.ledger[a, TOTAL] != g.ledger[b, TOTAL]:
        return g.ledger[a, TOTAL] > g.ledger[b, TOTAL]
    if g.finished[a] != g.finished[b]:
        return g.finished[a] > g.finished[b]
    return g.placed[a] > g.placed[b]


@entry
def score(g, t, game_row):
    """Complete the ledger of every seat and write the game's row (GAME_COLUMNS)."""
    turns = 0
    sections = 0
    ornaments = 0
    for seat in range(t.seats):
        ivan = g.colour[seat] < 0
        towers = 0
        for tower in range(g.towers):
            towers += tower_share(g, t, tower, seat)
        on_track = prestige_at(t, g.marker[seat])
        leftovers = 0 if ivan else (g.held[seat] + g.rubles[seat]) // t.leftover_divisor
        materials = g.held[seat]
        if ivan:
            for m in range(6):
                materials += g.ivan_inventory[m] + g.ivan_construction[m]
        g.ledger[seat, MARKER] = g.marker[seat]
        g.ledger[seat, ON_TRACK] = on_track
        g.ledger[seat, LEFTOVERS] = leftovers
        g.ledger[seat, TOWERS] = towers
        g.ledger[seat, TOTAL] = on_track + leftovers + towers
        g.ledger[seat, TURNS] = g.turns[seat]
        g.ledger[seat, RUBLES_END] = g.rubles[seat]
        g.ledger[seat, MATERIALS_END] = materials
        turns += g.turns[seat]
        sections += g.finished[seat]
        ornaments += g.placed[seat]
    winners = 0
    best = -1
    second = -1
    for seat in range(t.seats):
        rank = 1
        for other in range(t.seats):
            if beats(g, other, seat):
                rank += 1
        g.ledger[seat, RANK] = rank
        if rank == 1:
            winners += 1
        total = g.ledger[seat, TOTAL]
        if total > best:
            second = best
            best = total
        elif total > second:
            second = total
    for seat in range(t.seats):
        g.ledger[seat, WIN_SHARE] = winners if g.ledger[seat, RANK] == 1 else 0
    game_row[G_PLAN] = g.plan
    game_row[G_TURNS] = turns
    game_row[G_FINISHER] = g.finisher
    game_row[G_TRUNCATED] = g.truncated
    game_row[G_TIE] = 1 if winners > 1 else 0
    game_row[G_MARGIN] = best - second
    game_row[G_SECTIONS] = sections
    game_row[G_ORNAMENTS] = ornaments
    game_row[G_COMPLETE] = 1 if sections == g.sections else 0
    game_row[G_STEPS] = g.steps
