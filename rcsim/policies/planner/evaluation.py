"""What a position is worth to a seat: prestige on the track, plus weights times features (see features.py).

Everything is in thousandths of a prestige. The parts are functions of their own, so that a planner can reckon the
difference that an action makes from the parts that it touches. The seat's own track, rubles and materials are in a VIEW
(view.py), everything else is here.
"""

from rcsim.engine.jit import jit
from rcsim.engine.market import WHITE
from rcsim.engine.scoring import share
from rcsim.engine.track import prestige_at
from rcsim.policies.features import THOUSANDTHS, WEIGHTS, weight
from rcsim.policies.player import STAGES

TRACK_RIVALS = weight("track_rivals")
END_LEAD = weight("end_lead")
TOWERS_OWN = weight("towers_own")
TOWERS_RIVALS = weight("towers_rivals")
AHEAD_OWN = weight("ahead_own")
AHEAD_RIVALS = weight("ahead_rivals")
CLAIMED = weight("claimed")
FINISHED = weight("finished")
OVERTIME = weight("overtime")
REWARD = weight("reward")
REWARD_RUBLES = weight("reward_rubles")
LACKING_COMMON = weight("lacking_common")
LACKING_RARE = weight("lacking_rare")
UNDELIVERED = weight("undelivered")
CROWDED = weight("crowded")
SPARE_COMMON = weight("spare_common")
SPARE_RARE = weight("spare_rare")
SLOT_1 = weight("slot_1")
SLOT_2 = weight("slot_2")
SLOTS_MORE = weight("slots_more")
RUBLES_1_3 = weight("rubles_1_3")
RUBLES_4_6 = weight("rubles_4_6")
RUBLES_MORE = weight("rubles_more")
TILES_OFTEN = weight("tiles_often")
TILES_SELDOM = weight("tiles_seldom")
SPACES_OFTEN = weight("spaces_often")
SPACES_UNLOCK = weight("spaces_unlock")
UNLOCKED = weight("unlocked")
PLACED = weight("placed")
ORNAMENTS_OPEN = weight("ornaments_open")
ORNAMENTS_READY = weight("ornaments_ready")
GEMS_OPEN = weight("gems_open")
RISK = weight("risk")
THREAT = weight("threat")
OPEN_ABOVE = weight("open_above")
LEFT_NEXT = weight("left_next")

ALL_WEIGHTS = len(WEIGHTS)
LONG = 40  # rounds; hardly a game takes more
UNKNOWN = -(10**12)  # a worth not yet found, or of what cannot be had


# --- weights at this point of the game --------------------------------------------------------------------------


@jit
def stage(g, t):
    """How far the game is, 0 to STAGES - 1: by the player who has come farthest, sections finished and claimed."""
    most = 0
    for seat in range(t.seats):
        most = max(most, 3 * g.finished[seat] + g.unfinished[seat])
    return min(STAGES - 1, most * (STAGES - 1) // (3 * t.end_sections))


@jit
def set_weights(g, t, seat, player, mind):
    """The weights of this point of the game into mind.w; in a seat's last turn those of the score itself."""
    mind.limits = player.limits
    mind.last_turn = 0
    if g.finisher >= 0 and g.finisher != seat:
        mind.last_turn = 1
        for k in range(ALL_WEIGHTS):
            mind.w[k] = 0
        rival = -THOUSANDTHS // (t.seats - 1)
        mind.w[TOWERS_OWN] = THOUSANDTHS
        mind.w[TOWERS_RIVALS] = rival
        mind.w[TRACK_RIVALS] = rival
        for k in (UNDELIVERED, SPARE_COMMON, SPARE_RARE, RUBLES_1_3, RUBLES_4_6, RUBLES_MORE):
            mind.w[k] = THOUSANDTHS // t.leftover_divisor
    else:
        weights = player.weights[stage(g, t)]
        for k in range(ALL_WEIGHTS):
            mind.w[k] = weights[k]
        over = g.turn // t.seats - LONG
        if over > 0:  # whoever gains by waiting would wait for ever
            mind.w[CLAIMED] += over * weights[OVERTIME]
            mind.w[FINISHED] += over * weights[OVERTIME]
    w = mind.w
    for m in range(6):
        mind.spare[m] = (w[SPARE_COMMON] if m < 3 else w[SPARE_RARE]) - w[UNDELIVERED]
        mind.lacking[m] = w[LACKING_COMMON] if m < 3 else w[LACKING_RARE]
    mind.one_slot = w[SLOT_1]
    mind.more_slots = w[SLOTS_MORE]
    mind.two_slots = w[SLOT_1] + w[SLOT_2] - 2 * w[SLOTS_MORE]


# --- the track --------------------------------------------------------------------------------------------------


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


# --- towers -----------------------------------------------------------------------------------------------------


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
def tower_worth(g, t, tower, seat, mind):
    """All that a tower is worth to a seat: shares now and if all claims get finished, penalties to come."""
    w = mind.w
    worth = shares(t, g.presence[tower], g.value[tower], seat, w[TOWERS_OWN], w[TOWERS_RIVALS])
    return worth if mind.last_turn else worth + claims_worth(g, t, tower, seat, mind)


@jit
def claims_worth(g, t, tower, seat, mind):
    """What a claim changes in the worth of a tower: shares if all claims get finished, penalties to come."""
    w = mind.w
    worth = 0
    first = g.first[tower]
    top = first + g.claimed[tower]
    unfinished = 0
    for s in range(first, top):
        if not g.done[s]:
            unfinished += 1
    if unfinished == 0:
        return shares(t, g.presence[tower], g.value[tower], seat, w[AHEAD_OWN], w[AHEAD_RIVALS])
    row = mind.row
    for other in range(t.seats):
        row[other] = g.presence[tower, other]
    above = 0  # unfinished sections above, own ones
    own_above = 0
    for s in range(top - 1, first - 1, -1):
        if g.done[s]:
            continue
        owner = g.owner[s]
        row[owner] += 1
        if above > 0 or owner == seat:
            foreign = 0  # finished ones above that are another's
            rivals = 0  # unfinished ones above that are another's
            for a in range(s + 1, top):
                if g.owner[a] != owner:
                    if g.done[a]:
                        foreign += 1
                    else:
                        rivals += 1
            if owner == seat:
                worth += w[RISK] * (above * foreign + rivals) + w[OPEN_ABOVE] * (first + g.height[tower] - top)
            elif own_above > 0:
                worth += w[THREAT] * own_above * (foreign + 1)
        above += 1
        if owner == seat:
            own_above += 1
    return worth + shares(t, row, g.value[tower] + 2 * unfinished, seat, w[AHEAD_OWN], w[AHEAD_RIVALS])


@jit
def tower_now(g, t, tower, seat, mind):
    """Worth of a tower as it stands, reckoned once in a decision."""
    if mind.tower[tower] == UNKNOWN:
        mind.tower[tower] = tower_worth(g, t, tower, seat, mind)
    return mind.tower[tower]


# --- the rest ---------------------------------------------------------------------------------------------------


@jit
def sections_worth(g, t, seat, mind):
    """Sections claimed, under way and finished."""
    w = mind.w
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
    return player.tile_worth[tile] * (mind.w[TILES_OFTEN] if often else mind.w[TILES_SELDOM]) // THOUSANDTHS


@jit
def space_worth(g, t, seat, space, mind):
    """What an empty workshop space is worth."""
    worth = mind.w[SPACES_OFTEN] if used_often(g, t, seat, space) else 0
    return worth + mind.w[SPACES_UNLOCK] if t.space_unlocks[space] >= 0 else worth


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
    w = mind.w
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
    if g.finisher != seat or mind.w[END_LEAD] == 0:
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
    return mind.w[END_LEAD] * (own - best)


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
def beside_towers(g, t, seat, mind):
    """All that a completion may change, the view and the towers apart."""
    worth = mind.w[TRACK_RIVALS] * rivals_on_track(g, t, seat) // THOUSANDTHS
    if mind.last_turn:
        return worth
    return worth + sections_worth(g, t, seat, mind) + ornaments_worth(g, seat, mind) + end_worth(g, t, seat, mind)


@jit
def completion_worth(g, t, seat, tower, mind):
    """All that a completion in a tower may change, the view apart."""
    return beside_towers(g, t, seat, mind) + tower_worth(g, t, tower, seat, mind)


@jit
def rest_worth(g, t, seat, player, mind):
    """All but the view and the market."""
    worth = mind.w[TRACK_RIVALS] * rivals_on_track(g, t, seat) // THOUSANDTHS
    for tower in range(g.towers):
        worth += tower_worth(g, t, tower, seat, mind)
    if mind.last_turn:
        return worth
    worth += sections_worth(g, t, seat, mind) + ornaments_worth(g, seat, mind) + end_worth(g, t, seat, mind)
    return worth + workshop_worth(g, t, seat, player, mind)
