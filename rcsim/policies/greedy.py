"""The greedy player: hand-made rules, no look-ahead.

A turn goes to the first of these that applies: finish a section; claim one, while few are under way; else the better
of building (deliveries, ornaments) and fetching from the market what is lacking. It never sells prestige or rerolls.
"""

import numpy as np

from rcsim.engine.cathedral import GREEN, PURPLE, base_material, has_deliverable, wants_ornament
from rcsim.engine.effects import can_use, tile_fits_colour
from rcsim.engine.jit import jit
from rcsim.engine.market import WHITE, die_can_move, extra_spaces, good_fits, tile_fits
from rcsim.engine.state import (
    A_ADORN,
    A_CLAIM,
    A_DELIVER,
    A_END,
    A_INFLUENCE,
    A_MATERIAL,
    A_MOVE,
    A_ROLL,
    A_SPACE,
    A_TAKE,
    A_TILE,
    A_TOWER,
    A_USE,
    A_WORKSHOP,
    GEMS_GREEN,
    GEMS_PURPLE,
    GEMS_VALUE,
    P_BUILD,
    P_DONE,
    P_MAIN,
    P_MARKET,
    P_PAY,
    P_YIELD,
    action_a,
    action_kind,
    free_slots,
    pack_action,
)
from rcsim.engine.turn import actor, can_influence, influence_effect, legal
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
    E_PAY_ANY,
    E_PAY_PRESTIGE,
    E_PAY_RECOGNITION,
    E_PAY_RUBLES,
    E_PAY_WOOD,
    E_YIELD,
    E_YIELD_ARG,
    YIELD_DIE,
    YIELD_NONE,
    YIELD_SPACE,
)

# Worths are in hundredths of a recognition point: whole numbers are faster than fractions.
RUBLE = 50
ENOUGH_RUBLES = 6
RUBLE_TOO_MANY = 15  # a ruble beyond that
RECOGNITION = 100
PRESTIGE = 220  # at a usual gap
NEEDED = 220  # a wood, brick or stone that a section lacks
NEEDED_RARE = 320  # gold or a gem
LAST = np.array([0, 40, 20, 13])  # percent of a section's worth in each of the last one, two, three materials it lacks
SPARE = 20  # a material for later, while slots are free
SPARE_RARE = 100
CLUTTER = 70  # what a material beyond that costs
KEEP_FREE = 2  # slots that spare materials leave open
DELIVERED = 90  # a delivery that finishes nothing
PROGRESS = np.array(
    [0, 80, 40, 27, 20, 16, 13, 11, 10]
)  # percent of a section's worth in one of so many materials it misses
FINISHED = 400  # a finished section, besides its reward: presence in the tower, a step to the end
FULL = 200  # for a build while no more than one slot is free
ORNAMENT = 300  # an ornament, besides its prestige
LITTLE = 10  # an effect worth less is not used
UNKNOWN = -(10**9)  # a worth not yet found, or of what cannot be had
TOO_DEAR = -UNKNOWN  # a price that is not in hand
UNDER_WAY = 2  # sections under way at once, as far as claims can see to it
LACKED = 80  # a material that a section to claim lacks
LACKED_RARE = 130
ABOVE = 25  # each section above a claim, from which penalties may come
BEFORE_OWN, BEFORE_OTHERS, BESIDE_OWN = 60, 40, 30  # unfinished sections below, own ones in the same tower
DEAD, OFTEN, SELDOM = range(3)  # a tile face down; face up by a die of white or one's own colour; by another
USES = np.array([0, 35, 28])  # percent of uses of such a tile for each section still to claim
UNLOCKED = 150  # an ornament unlocked


@jit
def choose_greedy(g, t, acts, mind):
    """Its next action: finish a section, else claim, else the better of building and fetching."""
    phase = g.phase
    if phase == P_MAIN:
        return choose_basic(g, t, g.seat, mind)
    if phase == P_MARKET:
        return choose_at_market(g, t, g.seat, mind)
    if phase == P_BUILD:
        return choose_delivery(g, t, g.seat, mind)
    if phase == P_DONE:
        return A_END
    legal(g, t, acts)
    if acts.n == 1:
        return acts.a[0]
    seat = actor(g)
    weigh_materials(g, t, seat, mind)
    return best_listed(g, t, seat, acts, mind)


@jit
def choose_basic(g, t, seat, mind):
    """The first action of a turn."""
    weigh_materials(g, t, seat, mind)
    mind.build = UNKNOWN
    if g.held[seat] > 0:
        weigh_build(g, t, seat, mind)
        if mind.finishes:
            return mind.delivery
    if g.banners[seat] > 0 and g.unfinished[seat] < claims_wanted(g, t, seat):
        action = best_claim(g, t, seat, mind)
        if action >= 0:
            return action
    action = best_move(g, t, seat, mind)
    return mind.delivery if mind.build > mind.best else action


@jit
def choose_at_market(g, t, seat, mind):
    """Resources first, before effects fill the slots; then influence and workshop; then the roll."""
    if not g.took:
        n = amount_to_take(g, t, seat)
        if n >= 0:
            return pack_action(A_TAKE, n, 0, 0)
    influence = g.influence < 0 or (g.repeating and not t.effect_once[influence_effect(g, t, g.influence)])
    if not influence and g.worked:
        return A_ROLL
    weigh_materials(g, t, seat, mind)
    best = A_ROLL
    best_worth = 0
    if influence:
        for action in range(2):
            worth = effect_worth(g, t, seat, influence_effect(g, t, action), g.arrival, mind) - LITTLE
            if worth > best_worth and can_influence(g, t, seat, action):
                best_worth = worth
                best = pack_action(A_INFLUENCE, action, 0, 0)
    if not g.worked:
        for space in range(6):
            if g.space_up[seat, space] and t.space_colour[space] == g.die:
                effect = t.tile_effect[g.space_tile[seat, space]]
                worth = effect_worth(g, t, seat, effect, g.arrival, mind) - LITTLE
                if worth > best_worth and can_use(g, t, seat, effect, g.arrival):
                    best_worth = worth
                    best = pack_action(A_WORKSHOP, space, 0, 0)
    return best


@jit
def amount_to_take(g, t, seat):
    """How much to take of the arrival space's tile: no clutter; -1 to leave it, 0 to be asked good by good."""
    tile = g.market[g.arrival]
    times = g.dice_in[g.arrival]
    if t.tile_kinds[tile] > 1:
        return 0 if tile_fits(g, t, seat, tile, times) else -1
    good = t.tile_good[tile]
    full = t.tile_gain[tile, good] * times
    fits = good_fits(g, seat, good, full, 0)
    if fits <= 0:
        return -1
    if good < 3:
        return full
    m = good - 3
    short = -g.inv[seat, m]
    for i in range(g.unfinished[seat]):
        short += g.left[g.under_way[seat, i], m]
    for kind in range(3):
        if base_material(kind) == m and wants_ornament(g, seat, kind):
            short += 1
    n = max(0, short, spare_room(g, seat))
    if n == 0:
        return -1
    return full if n >= fits else n


@jit
def spare_room(g, seat):
    """Slots for materials that nothing needs yet; none once there is nothing left to claim."""
    return free_slots(g, seat) - KEEP_FREE if g.banners[seat] > 0 else 0


@jit
def choose_delivery(g, t, seat, mind):
    """The rest of a build action: what brings the best section on, then ornaments."""
    if g.deliveries == 0:
        return A_END
    count_at_hand(g, seat, mind)
    weigh_build(g, t, seat, mind)
    return mind.delivery if mind.build > 0 else A_END


@jit
def claims_wanted(g, t, seat):
    """How many sections to have under way: one once a rival may end the game with the next section."""
    for other in range(t.seats):
        if other != seat and g.finished[other] >= t.end_sections - 1:
            return 1
    return UNDER_WAY


@jit
def best_listed(g, t, seat, acts, mind):
    """The listed action with the highest score; the first of several."""
    best = acts.a[0]
    best_score = UNKNOWN
    for i in range(acts.n):
        score = action_score(g, t, seat, acts.a[i], mind)
        if score > best_score:
            best_score = score
            best = acts.a[i]
    return best


@jit
def count_at_hand(g, seat, mind):
    """How many materials of the inventory each section under way can take."""
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        n = 0
        for m in range(6):
            n += min(g.left[s, m], g.inv[seat, m])
        mind.at_hand[i] = n


@jit
def weigh_materials(g, t, seat, mind):
    """What own sections and ornaments lack, and how many slots are left for more."""
    for m in range(6):
        mind.short[m] = -g.inv[seat, m]
        mind.last[m] = 0
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        lacking = 0
        for m in range(6):
            mind.short[m] += g.left[s, m]
            lacking += max(0, g.left[s, m] - g.inv[seat, m])
        mind.at_hand[i] = g.missing[s] - lacking  # as count_at_hand, in the same pass: 3 % of a game
        if 0 < lacking < 4:
            share = LAST[lacking] * section_worth(g, t, s) // 100
            for m in range(6):
                if g.left[s, m] > g.inv[seat, m]:
                    mind.last[m] = max(mind.last[m], share)
    for kind in range(3):
        if wants_ornament(g, seat, kind):
            mind.short[base_material(kind)] += 1
    mind.room = spare_room(g, seat)


@jit
def amount_worth(g, seat, m, n, mind):
    """What n more of a material are worth, as far as slots are free: needed ones, spare ones, clutter."""
    n = min(n, free_slots(g, seat))
    needed = min(n, max(0, mind.short[m]))
    spare = max(0, min(n - needed, mind.room - needed))
    worth = (NEEDED if m < 3 else NEEDED_RARE) * needed + (SPARE if m < 3 else SPARE_RARE) * spare
    if needed > 0:
        worth += mind.last[m]
    return worth - CLUTTER * (n - needed - spare)


@jit
def tile_worth(g, t, seat, tile, times, mind):
    """What a resource tile, so many times over, is worth."""
    if t.tile_kinds[tile] == 1:
        return good_worth(g, t, seat, tile, t.tile_good[tile], times, mind)
    worth = 0
    for good in range(9):
        worth += good_worth(g, t, seat, tile, good, times, mind)
    return worth


@jit
def good_worth(g, t, seat, tile, good, times, mind):
    """What the yield of one good of a tile is worth; at the market no clutter need be taken."""
    n = t.tile_gain[tile, good] * times
    if good >= 3:
        n = min(n, g.supply[good - 3])
        if times > 1 or g.phase == P_MAIN:
            n = min(n, max(0, mind.short[good - 3], mind.room))
        return amount_worth(g, seat, good - 3, n, mind)
    if good == 0:
        return n * (RUBLE if g.rubles[seat] < ENOUGH_RUBLES else RUBLE_TOO_MANY)
    return n * (RECOGNITION if good == 1 else PRESTIGE)


@jit
def best_move(g, t, seat, mind):
    """The best die to move, with its extra spaces; its worth is left in mind.best."""
    for colour in range(5):
        mind.workshop[colour] = 0
    for space in range(6):
        if g.space_up[seat, space]:
            worth = effect_worth(g, t, seat, t.tile_effect[g.space_tile[seat, space]], -1, mind)
            colour = t.space_colour[space]
            mind.workshop[colour] = max(mind.workshop[colour], worth)
    for q in range(4):
        mind.guild[q] = UNKNOWN
    for s in range(8):
        mind.landing[s] = UNKNOWN
    best = 0
    mind.best = UNKNOWN
    for die in range(5):
        at = g.die_space[die]
        for extra in range(extra_spaces(g, t, seat, die) + 1):
            if not die_can_move(g, t, die, g.die_value[die] + extra):
                continue
            to = (at + g.die_value[die] + extra) & 7
            if to == at:  # once round: no die more than there is
                worth = guild_worth(g, t, seat, to, mind)
                worth += tile_worth(g, t, seat, g.market[to], g.dice_in[to], mind)
            else:
                if mind.landing[to] == UNKNOWN:
                    mind.landing[to] = guild_worth(g, t, seat, to, mind) + tile_worth(
                        g, t, seat, g.market[to], g.dice_in[to] + 1, mind
                    )
                worth = mind.landing[to]
            worth += mind.workshop[die] - RUBLE * extra * t.extra_space_price
            if worth > mind.best:
                mind.best = worth
                best = pack_action(A_MOVE, die, extra, 0)
    return best


@jit
def guild_worth(g, t, seat, space, mind):
    """What the better action of the card at a space is worth; kept for the quadrant unless it depends on the space."""
    q = space >> 1
    if mind.guild[q] != UNKNOWN:
        return mind.guild[q]
    effect = t.guild_effect[g.guild[q], g.guild_card[q]]
    first = effect_worth(g, t, seat, effect, space, mind)
    second = effect_worth(g, t, seat, effect + 1, space, mind)
    worth = max(0, first, second)
    if t.effects[effect, E_YIELD] != YIELD_SPACE and t.effects[effect + 1, E_YIELD] != YIELD_SPACE:
        mind.guild[q] = worth
    return worth


@jit
def effect_worth(g, t, seat, effect, arrival, mind):
    """What one use of an effect is worth, price deducted; UNKNOWN if the price is not in hand.

    Dice moved and rolled are worth nothing to this player.
    """
    e = t.effects[effect]
    cost = 0
    if e[E_HAS_PAY]:
        cost = price(g, seat, e, mind)
        if cost == TOO_DEAR:
            return UNKNOWN
    worth = RUBLE * e[E_GAIN_RUBLES] + RECOGNITION * e[E_GAIN_RECOGNITION] + PRESTIGE * e[E_GAIN_PRESTIGE]
    if e[E_GAIN_MATERIALS] > 0:
        for m in range(6):
            if e[E_GAIN_WOOD + m] > 0:
                worth += amount_worth(g, seat, m, min(e[E_GAIN_WOOD + m], g.supply[m]), mind)
    if e[E_GAIN_ANY] > 0 and free_slots(g, seat) > 0:
        best = -CLUTTER
        for m in range(6):
            if (e[E_GAIN_ANY_OF] >> m) & 1 and g.supply[m] > 0:
                best = max(best, amount_worth(g, seat, m, 1, mind))
        worth += best * e[E_GAIN_ANY]
    if e[E_YIELD] != YIELD_NONE:
        if e[E_YIELD] != YIELD_DIE:
            if arrival >= 0:
                worth += tile_worth(g, t, seat, g.market[(arrival + e[E_YIELD_ARG]) & 7], 1, mind)
        elif e[E_YIELD_ARG] == ANY:
            best = 0
            for die in range(5):
                best = max(best, tile_worth(g, t, seat, g.market[g.die_space[die]], 1, mind))
            worth += best
        else:
            worth += tile_worth(g, t, seat, g.market[g.die_space[e[E_YIELD_ARG]]], 1, mind)
    if e[E_DELIVER] > 0 and has_deliverable(g, seat):
        worth += DELIVERED * min(e[E_DELIVER], g.held[seat])
    if e[E_ACTIVATE]:
        for space in range(6):
            if tile_fits_colour(g, t, seat, space, e[E_ACTIVATE_COLOUR]):
                worth += NEEDED  # as much as a usual tile gives
                break
    return worth - cost


@jit
def price(g, seat, e, mind):
    """What the price of an effect is worth."""
    if g.rubles[seat] < e[E_PAY_RUBLES]:
        return TOO_DEAR
    worth = RUBLE * e[E_PAY_RUBLES] + RECOGNITION * e[E_PAY_RECOGNITION] + PRESTIGE * e[E_PAY_PRESTIGE]
    for m in range(6):
        n = e[E_PAY_WOOD + m]
        if n > 0:
            if g.inv[seat, m] < n:
                return TOO_DEAR
            if mind.short[m] + n > 0:  # a section wants it
                worth += n * (NEEDED if m < 3 else NEEDED_RARE)
            else:
                worth += n * (SPARE if m < 3 else SPARE_RARE)
    return worth + NEEDED // 2 * e[E_PAY_ANY]


@jit
def section_worth(g, t, s):
    """What finishing a section is worth."""
    card = g.card[s]
    return RECOGNITION * t.card_recognition[card] + RUBLE * t.card_rubles[card] + FINISHED


@jit
def weigh_build(g, t, seat, mind):
    """The best delivery (mind.delivery), what building is worth (mind.build), whether it finishes a section."""
    left = g.deliveries if g.phase == P_BUILD else t.deliveries
    best = UNKNOWN
    section = -1
    reach = 0  # deliveries to sections that could be made
    mind.finishes = 0
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        n = mind.at_hand[i]
        if n == 0:
            continue
        reach += n
        n = min(n, left)
        finishes = 1 if n == g.missing[s] else 0
        worth = progress_worth(g, t, s, n)
        if finishes > mind.finishes or (finishes == mind.finishes and worth > best):
            mind.finishes = finishes
            best = worth
            section = s
    mind.build = best
    if section >= 0:
        m = 0
        while g.left[section, m] == 0 or g.inv[seat, m] == 0:
            m += 1
        mind.delivery = pack_action(A_DELIVER, section, m, 0)
        mind.build = max(best, DELIVERED * min(left, reach) - DELIVERED // 2)
    if mind.finishes or (section >= 0 and g.phase == P_BUILD):
        return
    for kind in range(3):
        if wants_ornament(g, seat, kind) and g.inv[seat, base_material(kind)] > 0:
            weigh_ornament(g, t, seat, kind, left, mind)
    if mind.build > 0 and free_slots(g, seat) <= 1:
        mind.build += FULL


@jit
def weigh_ornament(g, t, seat, kind, deliveries, mind):
    """The best gems for an ornament, on the first section that it fits."""
    section = 0
    while not (g.bare[kind] >> section) & 1:
        section += 1
    spare_green = g.inv[seat, GREEN]
    spare_purple = g.inv[seat, PURPLE]
    for i in range(g.unfinished[seat]):  # gems that a section lacks are not for ornaments
        s = g.under_way[seat, i]
        spare_green -= g.left[s, GREEN]
        spare_purple -= g.left[s, PURPLE]
    for gems in range(6):
        green = GEMS_GREEN[gems]
        purple = GEMS_PURPLE[gems]
        if gems == 0 or (1 + green + purple <= deliveries and green <= spare_green and purple <= spare_purple):
            worth = ORNAMENT + PRESTIGE * t.ornament_prestige[GEMS_VALUE[gems]]
            if worth > mind.build:
                mind.build = worth
                mind.delivery = pack_action(A_ADORN, section, gems, 0)


@jit
def progress_worth(g, t, s, n):
    """What n materials for a section are worth: its whole worth if they finish it, else a part."""
    worth = section_worth(g, t, s)
    return worth if n == g.missing[s] else PROGRESS[min(8, g.missing[s])] * worth * n // 100


@jit
def best_claim(g, t, seat, mind):
    """The best section to claim, with the space and face of its tile, or -1."""
    weigh_spaces(g, t, seat, mind)
    banners = g.banners[seat]
    best = -1
    best_worth = UNKNOWN
    for tower in range(g.towers):
        if g.claimed[tower] == g.height[tower]:
            continue
        section = claim_worth(g, t, seat, tower, mind)
        if section + mind.space_worth[DEAD] > best_worth:
            best_worth = section + mind.space_worth[DEAD]
            best = pack_action(A_CLAIM, tower, mind.space[DEAD], 0)
        if mind.space_worth[OFTEN] == UNKNOWN and mind.space_worth[SELDOM] == UNKNOWN:
            continue
        tile = t.tile_effect[g.tile[g.first[tower] + g.claimed[tower]]]
        bonus = max(0, effect_worth(g, t, seat, tile, -1, mind))
        for use in range(OFTEN, SELDOM + 1):
            worth = section + mind.space_worth[use] + bonus * (100 + USES[use] * banners) // 100
            if mind.space_worth[use] != UNKNOWN and worth > best_worth:
                best_worth = worth
                best = pack_action(A_CLAIM, tower, mind.space[use], 1)
    return best


@jit
def weigh_spaces(g, t, seat, mind):
    """The best empty workshop space for a dead tile, and for a live one that is used often or seldom."""
    for use in range(3):
        mind.space[use] = -1
        mind.space_worth[use] = UNKNOWN
    for space in range(6):
        if g.space_tile[seat, space] >= 0:
            continue
        colour = t.space_colour[space]
        use = OFTEN if colour == WHITE or colour == g.colour[seat] else SELDOM
        unlocked = UNLOCKED if t.space_unlocks[space] >= 0 else 0
        worth = -USES[use] - unlocked  # a dead tile goes where a live one would do least
        if worth > mind.space_worth[DEAD]:
            mind.space_worth[DEAD] = worth
            mind.space[DEAD] = space
        if g.rubles[seat] >= t.space_price[space]:
            worth = unlocked - RUBLE * t.space_price[space]
            if worth > mind.space_worth[use]:
                mind.space_worth[use] = worth
                mind.space[use] = space


@jit
def claim_worth(g, t, seat, tower, mind):
    """What the next section of a tower is worth to claim, its tile apart."""
    level = g.claimed[tower]
    first = g.first[tower]
    s = first + level
    card = g.card[s]
    worth = section_worth(g, t, s) // 2
    for m in range(6):
        cost = t.card_cost[card, m]
        if cost > 0:
            worth -= max(0, min(cost, cost + mind.short[m])) * (LACKED if m < 3 else LACKED_RARE)
    worth -= ABOVE * (g.height[tower] - 1 - level)  # others may build above
    for below in range(first, s):
        own = g.owner[below] == seat
        if not g.done[below]:
            worth += -BEFORE_OWN if own else BEFORE_OTHERS
        if own:
            worth += BESIDE_OWN
    return worth


@jit
def action_score(g, t, seat, action, mind):
    """Score of one option of a choice inside a step; to decline or to stop is 0."""
    kind = action_kind(action)
    a = action_a(action)
    if kind == A_DELIVER:
        return 100 - g.missing[a]  # what is nearly done first
    if kind == A_TAKE:
        return a if g.want_good < 3 else amount_worth(g, seat, g.want_good - 3, a, mind) - a
    if kind == A_TILE:
        return effect_worth(g, t, seat, t.tile_effect[g.space_tile[seat, a]], g.arrival, mind) - LITTLE
    if kind == A_USE:
        return effect_worth(g, t, seat, t.tile_effect[g.space_tile[seat, g.bonus]], -1, mind)
    if kind == A_MATERIAL:
        if g.phase == P_PAY:
            return -mind.short[a]
        return amount_worth(g, seat, a, 1, mind)
    if kind == A_SPACE and g.phase == P_YIELD:
        return tile_worth(g, t, seat, g.market[a], 1, mind)
    if kind == A_TOWER:  # Ivan's claim: the poorest section
        return -t.card_recognition[g.card[g.first[a] + g.claimed[a]]]
    return 0
