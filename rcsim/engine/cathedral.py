"""The cathedral: claims, deliveries, completions, penalties, ornaments (docs/rules.md, sections 5 and 6)."""

import numpy as np

from rcsim.columns import seat_column
from rcsim.engine.events import (
    EV_ADORN,
    EV_CLAIM,
    EV_COMPLETE,
    EV_DELIVER,
    EV_FINISH,
    EV_GAIN,
    EV_PENALTY,
    emit,
    emit_more,
)
from rcsim.engine.goods import PRESTIGE, RECOGNITION, gain_points, gain_rubles, give_back, pay_rubles
from rcsim.engine.jit import jit, wrapping
from rcsim.engine.random import U32, mix
from rcsim.engine.state import GEMS_GREEN, GEMS_PURPLE, GEMS_VALUE
from rcsim.engine.track import gain_prestige

GOLD, GREEN, PURPLE = 3, 4, 5

CLAIMED = seat_column("sections_claimed")
FINISHED = seat_column("sections_finished")
FINISHED_KIND = seat_column("bases_finished")  # three columns
PLACED_KIND = seat_column("doors")  # three columns
GEMS = seat_column("ornament_gems")
TILES_UP = seat_column("tiles_up")
TILES_DOWN = seat_column("tiles_down")
DELIVERIES = seat_column("deliveries")
POINTS_ORNAMENTS = seat_column("points_ornaments")
POINTS_BONUS = seat_column("points_bonus")
POINTS_PENALTIES = seat_column("points_penalties")
SUFFERED = seat_column("penalties_suffered")
DEALT = seat_column("penalties_dealt")


# What changes a tower, in its code: plus the seat, or the level.
CODE_CLAIM, CODE_ADORN, CODE_FINISH = 0, 4, 8


@wrapping
@jit
def coded(code, change):
    """The code of a tower after a change: alike are owners, what is finished, and who has adorned it."""
    return mix(code ^ np.uint64(change + 1) << U32)


@jit
def base_material(kind):
    """What an ornament on a section of this kind is made of: door wood, arch stone, cross gold."""
    return 0 if kind == 0 else kind + 1


@jit
def take_section(g, t, seat, tower):
    """Put a banner of `seat` on the lowest unclaimed section of a tower; returns the section.

    Banners that cover a slot go first, and the slot opens (docs/rules.md, section 5).
    """
    s = g.first[tower] + g.claimed[tower]
    covered = t.slots_covered - (g.slots[seat] - t.slots_open)
    if covered > 0:
        g.slots[seat] += 1
    g.banners[seat] -= 1
    g.claimed[tower] += 1
    g.code[tower] = coded(g.code[tower], CODE_CLAIM + seat)
    g.owner[s] = seat
    g.under_way[seat, g.unfinished[seat]] = s
    g.unfinished[seat] += 1
    g.ledger[seat, CLAIMED] += 1
    return s


@jit
def claim(g, t, log, seat, tower, space, up):
    """Claim the next section of a tower, its workshop tile onto a space; returns the tile. The bonus follows."""
    s = take_section(g, t, seat, tower)
    emit(log, EV_CLAIM, seat, tower, s - g.first[tower], space, up)
    g.space_tile[seat, space] = g.tile[s]
    g.space_up[seat, space] = up
    if up:
        if t.space_price[space] > 0:
            pay_rubles(g, log, seat, t.space_price[space], EV_CLAIM)
        unlocked = t.space_unlocks[space]
        if unlocked >= 0:
            g.locked[seat, unlocked] -= 1
        g.ledger[seat, TILES_UP] += 1
    else:
        g.ledger[seat, TILES_DOWN] += 1
    return g.tile[s]


@jit
def has_deliverable(g, seat):
    """Whether some material of the inventory is needed by an own unfinished section."""
    if g.held[seat] == 0:
        return False
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        for m in range(6):
            if g.inv[seat, m] > 0 and g.left[s, m] > 0:
                return True
    return False


@jit
def deliver(g, t, log, seat, s, material, why):
    """Deliver one material from the inventory to an own unfinished section that needs it."""
    g.inv[seat, material] -= 1
    g.held[seat] -= 1
    g.left[s, material] -= 1
    put_on(g, t, log, seat, s, material, why)


@jit
def put_on(g, t, log, seat, s, material, why):
    """Lay a material on a section and, if it was the last one, settle the completion."""
    g.laid[s, material] += 1
    g.missing[s] -= 1
    g.ledger[seat, DELIVERIES] += 1
    tower = g.tower_of[s]
    emit(log, EV_DELIVER, seat, tower, s - g.first[tower], material, why)
    if g.missing[s] == 0:
        complete(g, t, log, seat, s)


@jit
def complete(g, t, log, seat, s):
    """Settle a completion: materials back, reward, penalties, end of the game (docs/rules.md, section 6)."""
    tower = g.tower_of[s]
    emit(log, EV_COMPLETE, seat, tower, s - g.first[tower], 0, 0)
    for m in range(6):
        g.supply[m] += g.laid[s, m]
        g.laid[s, m] = 0
        g.left[s, m] = 0
    g.done[s] = 1
    g.code[tower] = coded(g.code[tower], CODE_FINISH + s - g.first[tower])
    g.bare[g.kind[s]] |= np.int64(1) << s
    i = 0
    while g.under_way[seat, i] != s:
        i += 1
    g.unfinished[seat] -= 1
    for j in range(i, g.unfinished[seat]):
        g.under_way[seat, j] = g.under_way[seat, j + 1]
    g.value[tower] += 2
    g.presence[tower, seat] += 1
    g.finished[seat] += 1
    g.ledger[seat, FINISHED] += 1
    g.ledger[seat, FINISHED_KIND + g.kind[s]] += 1
    card = g.card[s]
    if t.card_recognition[card] > 0:
        gain_points(g, t, log, seat, RECOGNITION, t.card_recognition[card], EV_COMPLETE)
    if t.card_rubles[card] > 0 and g.colour[seat] >= 0:  # Ivan gains no rubles
        gain_rubles(g, log, seat, t.card_rubles[card], EV_COMPLETE)
    if t.penalty:
        penalize(g, t, log, seat, tower, s)
    if g.finished[seat] == t.end_sections and g.finisher < 0:
        g.finisher = seat
        emit(log, EV_FINISH, seat, 0, 0, 0, 0)
        if t.finisher_bonus > 0:
            gain_prestige(g, t, seat, t.finisher_bonus, POINTS_BONUS)
            emit(log, EV_GAIN, seat, PRESTIGE, t.finisher_bonus, EV_FINISH, 0)


@jit
def penalty_points(g, s, top):
    """Finished sections above section s, up to the tower's last section `top`, that are not its owner's."""
    points = 0
    for above in range(s + 1, top + 1):
        if g.done[above] and g.owner[above] != g.owner[s]:
            points += 1
    return points


@jit
def penalize(g, t, log, seat, tower, finished):
    """Penalties of a completion: every unfinished card below, bottom to top, each on its own."""
    top = g.first[tower] + g.claimed[tower] - 1
    for s in range(g.first[tower], finished):
        if g.done[s]:
            continue
        points = penalty_points(g, s, top)
        if points == 0:
            continue
        owner = g.owner[s]
        lost = min(points, max(0, g.marker[owner] - t.penalty_floor))
        g.marker[owner] -= lost
        g.ledger[owner, POINTS_PENALTIES] -= lost
        g.ledger[owner, SUFFERED] += lost
        if owner != seat:
            g.ledger[seat, DEALT] += lost
        emit(log, EV_PENALTY, seat, tower, s - g.first[tower], owner, points)
        emit_more(log, lost, 0)


@jit
def wants_ornament(g, seat, kind):
    """Whether the seat may place an ornament of a kind on some section, materials apart."""
    return g.bare[kind] != 0 and g.ornaments[seat, kind] > g.locked[seat, kind]


@jit
def adorn(g, t, log, seat, s, gems):
    """Place an ornament with its gems (GEMS_*): materials to the supply, prestige at once."""
    give_back(g, seat, base_material(g.kind[s]), 1)
    if GEMS_GREEN[gems] > 0:
        give_back(g, seat, GREEN, GEMS_GREEN[gems])
    if GEMS_PURPLE[gems] > 0:
        give_back(g, seat, PURPLE, GEMS_PURPLE[gems])
    place_ornament(g, t, log, seat, s, gems)


@jit
def place_ornament(g, t, log, seat, s, gems):
    """The ornament stands: it is booked and gives its prestige."""
    kind = g.kind[s]
    g.ornament[s] = seat
    g.bare[kind] &= ~(np.int64(1) << s)
    g.gems[s] = gems
    g.ornaments[seat, kind] -= 1
    g.placed[seat] += 1
    g.ledger[seat, PLACED_KIND + kind] += 1
    g.ledger[seat, GEMS] += GEMS_GREEN[gems] + GEMS_PURPLE[gems]
    tower = g.tower_of[s]
    g.value[tower] += 1
    g.presence[tower, seat] += 1
    g.code[tower] = coded(g.code[tower], CODE_ADORN + seat)
    emit(log, EV_ADORN, seat, tower, s - g.first[tower], kind, gems)
    prestige = t.ornament_prestige[GEMS_VALUE[gems]]
    if prestige > 0:
        gain_prestige(g, t, seat, prestige, POINTS_ORNAMENTS)
        emit(log, EV_GAIN, seat, PRESTIGE, prestige, EV_ADORN, 0)
