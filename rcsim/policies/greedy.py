"""The greedy player: gives every legal action a score by hand-made rules and takes the best. No look-ahead.

Scores are in recognition points, roughly. It claims while it has little under way, builds when a section can be
finished or enough materials lie ready, and otherwise fetches what its sections lack. It never sells or rerolls.
"""

from rcsim.engine.jit import jit
from rcsim.engine.market import WHITE
from rcsim.engine.state import (
    A_ADORN,
    A_CLAIM,
    A_DELIVER,
    A_END,
    A_INFLUENCE,
    A_MATERIAL,
    A_MOVE,
    A_REROLL,
    A_SELL,
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
    P_TAKE,
    P_YIELD,
    action_a,
    action_b,
    action_c,
    action_kind,
    free_slots,
)
from rcsim.engine.turn import actor, influence_effect, legal
from rcsim.rules.tables import (
    ANY,
    E_ACTIVATE,
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
)

RUBLE = 0.5
ENOUGH_RUBLES = 6
PRESTIGE = 2.2  # in recognition, at a usual gap
NEEDED = 2.0  # a wood, brick or stone that a section lacks
NEEDED_RARE = 2.8  # gold or a gem
LAST = 0.4  # share of a section's worth that its last lacking material carries
SPARE = 0.2  # a material for later, while slots are free
SPARE_RARE = 0.6
DELIVERED = 0.9  # a delivery that finishes nothing
PROGRESS = 0.55  # share of a section's worth in a delivery of all that it misses, spread over several builds
FINISHED = 3.0  # a finished section, besides its reward: presence in the tower, a step to the end
ORNAMENT = 2.5  # an ornament, besides its prestige
CLUTTER = 0.7  # a material beyond that
TAKE_FIRST = 5.0  # resources before influence and workshop, which may fill the slots
KEEP_FREE = 2  # slots that spare materials leave open
CLAIM_NEED = (8.0, 6.5, 4.0, 1.0)  # worth of a claim with 0, 1, 2, 3 sections under way
LACKED = 0.8  # a material that a section to claim lacks
LACKED_RARE = 1.3
ABOVE = 0.25  # each section above a claim, from which penalties may come
TILE_USES = 0.35  # uses of a face-up tile for each section still to claim


@jit
def choose_greedy(g, t, acts, mind):
    """The legal action with the highest score; the first of several."""
    if g.phase == P_DONE:
        return A_END
    legal(g, t, acts)
    if acts.n == 1:
        return acts.a[0]
    seat = actor(g)
    weigh_materials(g, t, seat, mind)
    if g.phase == P_MAIN:
        weigh_market(g, t, seat, mind)
        weigh_claims(g, t, seat, mind)
        mind.build = build_worth(g, t, seat)
    best = acts.a[0]
    best_score = -1e9
    for i in range(acts.n):
        score = action_score(g, t, seat, acts.a[i], mind)
        if score > best_score:
            best_score = score
            best = acts.a[i]
    return best


@jit
def weigh_materials(g, t, seat, mind):
    """What one more of each material is worth."""
    for m in range(6):
        mind.short[m] = -g.inv[seat, m]
        mind.last[m] = 0.0
    mind.unfinished = 0
    for i in range(g.owned[seat]):
        s = g.own[seat, i]
        if g.missing[s] == 0:
            continue
        mind.unfinished += 1
        lacking = 0
        for m in range(6):
            mind.short[m] += g.left[s, m]
            lacking += max(0, g.left[s, m] - g.inv[seat, m])
        if lacking > 0:
            share = LAST * section_worth(g, t, s) / lacking
            for m in range(6):
                if g.left[s, m] > g.inv[seat, m]:
                    mind.last[m] = max(mind.last[m], share)
    mind.room = free_slots(g, seat) - KEEP_FREE if g.banners[seat] > 0 else 0
    for m in range(6):
        if mind.short[m] > 0:
            mind.material[m] = mind.last[m] + (NEEDED if m < 3 else NEEDED_RARE)
        elif mind.room > 0:
            mind.material[m] = SPARE if m < 3 else SPARE_RARE
        else:
            mind.material[m] = -CLUTTER


@jit
def amount_worth(g, seat, m, n, mind):
    """What n more of a material are worth, as far as slots are free: needed ones, spare ones, clutter."""
    n = min(n, free_slots(g, seat))
    needed = min(n, max(0.0, mind.short[m]))
    spare = max(0.0, min(n - needed, mind.room - needed))
    worth = (NEEDED if m < 3 else NEEDED_RARE) * needed + (SPARE if m < 3 else SPARE_RARE) * spare
    if needed > 0:
        worth += mind.last[m]
    return worth - CLUTTER * (n - needed - spare)


@jit
def tile_worth(g, t, seat, tile, times, mind):
    """What a resource tile, so many times over, is worth."""
    if t.tile_kinds[tile] == 1:
        return good_worth(g, t, seat, tile, t.tile_good[tile], times, mind)
    worth = 0.0
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
            n = min(n, max(0.0, mind.short[good - 3]) + max(0.0, mind.room))
        return amount_worth(g, seat, good - 3, n, mind)
    if good == 0:
        return n * (RUBLE if g.rubles[seat] < ENOUGH_RUBLES else 0.3 * RUBLE)
    return n * 1.0 if good == 1 else PRESTIGE * n


@jit
def weigh_market(g, t, seat, mind):
    """What the spaces, the guilds and the face-up tiles are worth to a visit."""
    for q in range(4):
        effect = t.guild_effect[g.guild[q], g.guild_card[q]]
        first = effect_worth(g, t, seat, effect, 2 * q, mind)
        second = effect_worth(g, t, seat, effect + 1, 2 * q, mind)
        mind.guild[q] = max(0.0, first, second)
    for s in range(8):
        mind.landing[s] = mind.guild[s >> 1] + tile_worth(g, t, seat, g.market[s], g.dice_in[s] + 1, mind)
    for colour in range(5):
        mind.workshop[colour] = 0.0
    for space in range(6):
        if g.space_up[seat, space]:
            worth = effect_worth(g, t, seat, t.tile_effect[g.space_tile[seat, space]], -1, mind)
            colour = t.space_colour[space]
            mind.workshop[colour] = max(mind.workshop[colour], worth)


@jit
def effect_worth(g, t, seat, effect, arrival, mind):
    """What one use of an effect is worth, price deducted; far below 0 if the price is not in hand."""
    e = t.effects[effect]
    worth = RUBLE * e[E_GAIN_RUBLES] + e[E_GAIN_RECOGNITION] + PRESTIGE * e[E_GAIN_PRESTIGE]
    if e[E_GAIN_MATERIALS] > 0:
        for m in range(6):
            if e[E_GAIN_WOOD + m] > 0:
                worth += amount_worth(g, seat, m, min(e[E_GAIN_WOOD + m], g.supply[m]), mind)
    if e[E_GAIN_ANY] > 0 and free_slots(g, seat) > 0:
        best = -CLUTTER
        for m in range(6):
            if (e[E_GAIN_ANY_OF] >> m) & 1 and g.supply[m] > 0:
                best = max(best, mind.material[m])
        worth += best * e[E_GAIN_ANY]
    if e[E_YIELD] != YIELD_NONE:
        if e[E_YIELD] != YIELD_DIE:
            if arrival >= 0:
                worth += tile_worth(g, t, seat, g.market[(arrival + e[E_YIELD_ARG]) & 7], 1, mind)
        elif e[E_YIELD_ARG] == ANY:
            best = 0.0
            for die in range(5):
                best = max(best, tile_worth(g, t, seat, g.market[g.die_space[die]], 1, mind))
            worth += best
        else:
            worth += tile_worth(g, t, seat, g.market[g.die_space[e[E_YIELD_ARG]]], 1, mind)
    if e[E_DELIVER] > 0:
        worth += DELIVERED * min(e[E_DELIVER], deliverable(g, seat))
    if e[E_ACTIVATE]:
        for space in range(6):
            if g.space_up[seat, space]:
                worth += NEEDED
                break
    if e[E_HAS_PAY]:
        worth -= price(g, seat, e, mind)
    return worth


@jit
def price(g, seat, e, mind):
    """What the price of an effect is worth."""
    if g.rubles[seat] < e[E_PAY_RUBLES]:
        return 1e6
    worth = RUBLE * e[E_PAY_RUBLES] + e[E_PAY_RECOGNITION] + PRESTIGE * e[E_PAY_PRESTIGE]
    for m in range(6):
        n = e[E_PAY_WOOD + m]
        if n > 0:
            if g.inv[seat, m] < n:
                return 1e6
            worth += n * (SPARE if -mind.short[m] >= n else NEEDED)
    return worth + NEEDED * e[E_PAY_ANY] * 0.5


@jit
def deliverable(g, seat):
    """How many materials of the inventory own unfinished sections can take."""
    n = 0
    for m in range(6):
        if g.inv[seat, m] > 0:
            needed = 0
            for i in range(g.owned[seat]):
                s = g.own[seat, i]
                if g.missing[s] > 0:
                    needed += g.left[s, m]
            n += min(needed, g.inv[seat, m])
    return n


@jit
def section_worth(g, t, s):
    """What finishing a section is worth."""
    card = g.card[s]
    return t.card_recognition[card] + RUBLE * t.card_rubles[card] + FINISHED


@jit
def progress_worth(g, t, seat, s, deliveries):
    """What it is worth to deliver to one section now: its worth, or a part of it for a part of what it misses."""
    n = 0
    for m in range(6):
        n += min(g.left[s, m], g.inv[seat, m])
    n = min(n, deliveries)
    worth = section_worth(g, t, s)
    return worth if n == g.missing[s] else PROGRESS * worth * n / g.missing[s]


@jit
def build_worth(g, t, seat):
    """What a build action that delivers to sections is worth."""
    best = 0.0
    for i in range(g.owned[seat]):
        s = g.own[seat, i]
        if g.missing[s] > 0:
            best = max(best, progress_worth(g, t, seat, s, t.deliveries))
    worth = DELIVERED * min(t.deliveries, deliverable(g, seat)) - 0.5
    if free_slots(g, seat) <= 1:
        worth += 2.0
    return max(best, worth)


@jit
def weigh_claims(g, t, seat, mind):
    """What the next section of each tower is worth to claim, and its tile."""
    if g.banners[seat] == 0:
        return
    need = CLAIM_NEED[min(3, int(mind.unfinished))]
    for tower in range(g.towers):
        level = g.claimed[tower]
        if level == g.height[tower]:
            continue
        first = g.first[tower]
        s = first + level
        card = g.card[s]
        worth = need + 0.5 * section_worth(g, t, s)
        for m in range(6):
            cost = t.card_cost[card, m]
            if cost > 0:
                worth -= max(0.0, min(cost, cost + mind.short[m])) * (LACKED if m < 3 else LACKED_RARE)
        worth -= ABOVE * (g.height[tower] - 1 - level)  # others may build above
        for below in range(first, s):
            own = g.owner[below] == seat
            if not g.done[below]:
                worth += -0.6 if own else 0.4
            if own:
                worth += 0.3
        mind.tower[tower] = worth
        mind.bonus[tower] = max(0.0, effect_worth(g, t, seat, t.tile_effect[g.tile[s]], -1, mind))


@jit
def claim_score(g, t, seat, tower, space, up, mind):
    """What a claim is worth: the section, and the tile on its space."""
    colour = t.space_colour[space]
    reach = 1.0 if colour in (WHITE, g.colour[seat]) else 0.8
    unlocks = t.space_unlocks[space] >= 0
    if up:
        uses = 1.0 + TILE_USES * reach * g.banners[seat]
        return mind.tower[tower] + mind.bonus[tower] * uses - RUBLE * t.space_price[space] + (1.5 if unlocks else 0.0)
    # a dead tile goes where a live one would do least
    return mind.tower[tower] - 0.1 * reach - (1.0 if unlocks else 0.0)


@jit
def action_score(g, t, seat, action, mind):
    """Score of one legal action in its phase; steps that end something (roll, end, stop) are 0."""
    kind = action_kind(action)
    a = action_a(action)
    b = action_b(action)
    if kind == A_MOVE:
        to = (g.die_space[a] + g.die_value[a] + b) & 7
        score = mind.landing[to]
        if to == g.die_space[a]:  # once round: no die more than there is
            score = mind.guild[to >> 1] + tile_worth(g, t, seat, g.market[to], g.dice_in[to], mind)
        return score + mind.workshop[a] - RUBLE * b * t.extra_space_price
    if kind == A_CLAIM:
        return claim_score(g, t, seat, a, b, action_c(action), mind)
    if kind == A_DELIVER:
        deliveries = t.deliveries
        score = 0.2
        if g.phase == P_MAIN:
            score += mind.build
        elif g.phase == P_BUILD:
            deliveries = g.deliveries
        return score + 0.05 * progress_worth(g, t, seat, a, deliveries)
    if kind == A_ADORN:
        score = ORNAMENT + PRESTIGE * t.ornament_prestige[GEMS_VALUE[b]]
        if mind.short[4] > -GEMS_GREEN[b]:
            score -= NEEDED_RARE * GEMS_GREEN[b]
        if mind.short[5] > -GEMS_PURPLE[b]:
            score -= NEEDED_RARE * GEMS_PURPLE[b]
        return score
    if kind == A_TAKE:
        good = g.want_good if g.phase == P_TAKE else t.tile_good[g.market[g.arrival]]
        if good < 3 or (g.phase == P_MARKET and t.tile_kinds[g.market[g.arrival]] > 1):
            return TAKE_FIRST + a
        worth = amount_worth(g, seat, good - 3, a, mind) - 0.01 * a
        return TAKE_FIRST + worth if worth > 0 else worth
    if kind == A_INFLUENCE:
        return effect_worth(g, t, seat, influence_effect(g, t, a), g.arrival, mind) - 0.2
    if kind == A_WORKSHOP or kind == A_TILE:
        return effect_worth(g, t, seat, t.tile_effect[g.space_tile[seat, a]], g.arrival, mind) - 0.1
    if kind == A_USE:
        return effect_worth(g, t, seat, t.tile_effect[g.space_tile[seat, g.bonus]], -1, mind)
    if kind == A_MATERIAL:
        return -mind.material[a] if g.phase == P_PAY else mind.material[a]
    if kind == A_SPACE and g.phase == P_YIELD:
        return tile_worth(g, t, seat, g.market[a], 1, mind)
    if kind == A_TOWER:  # Ivan's claim: the poorest section
        return -float(t.card_recognition[g.card[g.first[a] + g.claimed[a]]])
    if kind == A_SELL or kind == A_REROLL:
        return -1e6
    return 0.0
