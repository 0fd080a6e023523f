"""What a tower is worth to a seat, now and after one change; kept by the tower's code (engine/cathedral.py)."""

import numpy as np

from rcsim.engine.cathedral import CODE_ADORN, CODE_CLAIM, CODE_FINISH, coded
from rcsim.engine.jit import jit
from rcsim.engine.random import mix
from rcsim.engine.scoring import share
from rcsim.policies.mind import TOWERS
from rcsim.policies.planner.scale import (
    AHEAD_OWN,
    AHEAD_RIVALS,
    OPEN_ABOVE,
    RISK,
    THREAT,
    TOWERS_OWN,
    TOWERS_RIVALS,
)

PLACES = np.uint64(TOWERS - 1)


@jit
def tower_worth(g, t, tower, seat, mind):
    """All that a tower is worth: shares now and if all claims get finished, penalties to come."""
    key = mix(g.code[tower] ^ mind.scale.tag)
    if known(key, mind):
        return mind.tower_worth[np.int64(key & PLACES)]
    return keep(key, reckon_tower(g, t, tower, seat, mind), mind)


@jit
def known(key, mind):
    """Whether the worth of a tower is kept."""
    return mind.tower_key[np.int64(key & PLACES)] == key


@jit
def keep(key, worth, mind):
    """Keep the worth of a tower; returns it."""
    place = np.int64(key & PLACES)
    mind.tower_key[place] = key
    mind.tower_worth[place] = worth
    return worth


@jit
def after_claim(g, t, tower, seat, owner, mind):
    """What a tower is worth to a seat once `owner` has claimed its next section."""
    key = mix(coded(g.code[tower], CODE_CLAIM + owner) ^ mind.scale.tag)
    if known(key, mind):
        return mind.tower_worth[np.int64(key & PLACES)]
    s = g.first[tower] + g.claimed[tower]
    g.claimed[tower] += 1  # undone below
    g.owner[s] = owner
    worth = reckon_tower(g, t, tower, seat, mind)
    g.owner[s] = -1
    g.claimed[tower] -= 1
    return keep(key, worth, mind)


@jit
def after_ornament(g, t, tower, seat, mind):
    """What a tower is worth to a seat that has put an ornament on it."""
    key = mix(coded(g.code[tower], CODE_ADORN + seat) ^ mind.scale.tag)
    if known(key, mind):
        return mind.tower_worth[np.int64(key & PLACES)]
    g.presence[tower, seat] += 1  # undone below
    g.value[tower] += 1
    worth = reckon_tower(g, t, tower, seat, mind)
    g.value[tower] -= 1
    g.presence[tower, seat] -= 1
    return keep(key, worth, mind)


@jit
def finish_section(g, seat, s):
    """Have a section finished, in its tower alone."""
    tower = g.tower_of[s]
    g.done[s] = 1
    g.value[tower] += 2
    g.presence[tower, seat] += 1
    g.code[tower] = coded(g.code[tower], CODE_FINISH + s - g.first[tower])


@jit
def unfinish_section(g, seat, s, code):
    """Undo that; `code` is the tower's before."""
    tower = g.tower_of[s]
    g.done[s] = 0
    g.value[tower] -= 2
    g.presence[tower, seat] -= 1
    g.code[tower] = code


@jit
def shares(t, presence, value, seat, own_weight, rivals_weight):
    """Weighted prestige of a tower of that value and presence by seat: the seat's and its rivals'."""
    own = 0
    rivals = 0
    for other in range(t.seats):
        if presence[other] > 0:
            prestige = share(t, presence, value, other)
            if other == seat:
                own = prestige
            else:
                rivals += prestige
    return own * own_weight + rivals * rivals_weight


@jit
def reckon_tower(g, t, tower, seat, mind):
    """The worth of a tower, reckoned."""
    w = mind.scale.w
    worth = shares(t, g.presence[tower], g.value[tower], seat, w[TOWERS_OWN], w[TOWERS_RIVALS])
    if mind.scale.last_turn:
        return worth
    first = g.first[tower]
    top = first + g.claimed[tower]
    unfinished = 0  # sections
    row = mind.row
    for other in range(t.seats):
        row[other] = g.presence[tower, other]
    own_above = 0  # unfinished own sections above
    for s in range(top - 1, first - 1, -1):
        if g.done[s]:
            continue
        owner = g.owner[s]
        row[owner] += 1
        if unfinished > 0 or owner == seat:
            foreign = 0  # finished ones above that are another's
            rivals = 0  # unfinished ones above that are another's
            for a in range(s + 1, top):
                if g.owner[a] != owner:
                    if g.done[a]:
                        foreign += 1
                    else:
                        rivals += 1
            if owner == seat:
                worth += w[RISK] * (unfinished * foreign + rivals) + w[OPEN_ABOVE] * (first + g.height[tower] - top)
            elif own_above > 0:
                worth += w[THREAT] * own_above * (foreign + 1)
        unfinished += 1
        if owner == seat:
            own_above += 1
    return worth + shares(t, row, g.value[tower] + 2 * unfinished, seat, w[AHEAD_OWN], w[AHEAD_RIVALS])
