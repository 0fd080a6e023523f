"""What a position is worth to a seat: prestige on the track, plus weights times features (see features.py).

Everything is in thousandths of a prestige. The seat's own track, rubles and materials are in a VIEW (view.py), towers
in towers.py, everything else is here.
"""

from rcsim.engine.jit import jit
from rcsim.engine.market import WHITE
from rcsim.engine.scoring import share
from rcsim.engine.track import prestige_at
from rcsim.policies.features import THOUSANDTHS
from rcsim.policies.planner.scale import (
    CLAIMED,
    CROWDED,
    END_LEAD,
    FINISHED,
    ORNAMENTS_OPEN,
    PLACED,
    REWARD,
    REWARD_RUBLES,
    SPACES_OFTEN,
    SPACES_UNLOCK,
    TILES_OFTEN,
    TILES_SELDOM,
    TRACK_RIVALS,
    UNLOCKED,
)
from rcsim.policies.planner.towers import reckon_tower

UNKNOWN = -(10**12)  # a worth not yet found, or of what cannot be had


@jit
def smooth_prestige(t, position):
    """Prestige of a track position with the way to the next prestige space counted in, in thousandths."""
    before = 0
    while position >= t.lap:
        position -= t.lap
        before += THOUSANDTHS * t.lap_prestige
    return before + t.prestige_smooth[position]


@jit
def rivals_on_track(g, t, seat):
    """Prestige of all rivals together, in thousandths."""
    total = 0
    for other in range(t.seats):
        if other != seat:
            total += smooth_prestige(t, g.marker[other])
    return total


@jit
def sections_worth(g, t, seat, mind):
    """Sections claimed, under way and finished."""
    w = mind.scale.w
    worth = w[CLAIMED] * (g.finished[seat] + g.unfinished[seat]) + w[FINISHED] * g.finished[seat]
    if g.unfinished[seat] > 2:
        worth += w[CROWDED] * (g.unfinished[seat] - 2)
    for i in range(g.unfinished[seat]):
        card = g.card[g.under_way[seat, i]]
        worth += w[REWARD] * t.card_recognition[card] + w[REWARD_RUBLES] * t.card_rubles[card]
    return worth


@jit
def used_often(g, t, seat, space):
    """Whether a workshop space has the colour of dice that the seat can move far: white or its own."""
    colour = t.space_colour[space]
    return colour == WHITE or colour == g.colour[seat]


@jit
def tile_worth(g, t, seat, tile, space, player, mind):
    """What a face-up tile on a workshop space is worth for the turns to come."""
    often = used_often(g, t, seat, space)
    return player.tile_worth[tile] * (mind.scale.w[TILES_OFTEN] if often else mind.scale.w[TILES_SELDOM]) // THOUSANDTHS


@jit
def space_worth(g, t, seat, space, mind):
    """What an empty workshop space is worth."""
    worth = mind.scale.w[SPACES_OFTEN] if used_often(g, t, seat, space) else 0
    return worth + mind.scale.w[SPACES_UNLOCK] if t.space_unlocks[space] >= 0 else worth


@jit
def workshop_worth(g, t, seat, player, mind):
    """Workshop tiles and empty spaces."""
    worth = 0
    for space in range(6):
        if g.space_tile[seat, space] < 0:
            worth += space_worth(g, t, seat, space, mind)
        elif g.space_up[seat, space]:
            worth += tile_worth(g, t, seat, g.space_tile[seat, space], space, player, mind)
    return worth


@jit
def ornaments_worth(g, seat, mind):
    """Ornaments placed, and those left."""
    w = mind.scale.w
    worth = w[PLACED] * g.placed[seat]
    for kind in range(3):
        left = g.ornaments[seat, kind] - g.locked[seat, kind]
        if left > 0:
            worth += w[UNLOCKED] * left
            if g.bare[kind] != 0:
                worth += w[ORNAMENTS_OPEN] * left
    return worth


@jit
def end_worth(g, t, seat, mind):
    """The lead with which the seat has ended the game, if it has."""
    if g.finisher != seat or mind.scale.w[END_LEAD] == 0:
        return 0
    own = 0
    best = 0
    for other in range(t.seats):
        total = prestige_at(t, g.marker[other])
        for tower in range(g.towers):
            if g.presence[tower, other] > 0:
                total += share(t, g.presence[tower], g.value[tower], other)
        if other == seat:
            own = total
        else:
            best = max(best, total)
    return mind.scale.w[END_LEAD] * (own - best)


@jit
def left_next(g, t, die, steps, rolled):
    """The most dice that the next player can have on one tile, once `die` has moved `steps` on (0: stays).

    With `rolled`, the dice of its new space are rolled before, and their faces are not known.
    """
    moved_from = g.die_space[die]
    moved_to = (moved_from + steps) & 7
    most = 1
    for d in range(5):
        at = g.die_space[d]
        if d == die or at == moved_to:
            if rolled:
                continue
            at = moved_to
        to = (at + g.die_value[d]) & 7
        n = g.dice_in[to]
        if to == moved_from:
            n -= 1
        if to == moved_to:
            n += 1
        if to == at:
            n -= 1
        if n < t.dice_limit:
            most = max(most, n + 1)
    return most


@jit
def rest_worth(g, t, seat, player, mind):
    """All but the view and the market."""
    worth = mind.scale.w[TRACK_RIVALS] * rivals_on_track(g, t, seat) // THOUSANDTHS
    for tower in range(g.towers):
        worth += reckon_tower(g, t, tower, seat, mind)
    if mind.scale.last_turn:
        return worth
    worth += sections_worth(g, t, seat, mind) + ornaments_worth(g, seat, mind) + end_worth(g, t, seat, mind)
    return worth + workshop_worth(g, t, seat, player, mind)
