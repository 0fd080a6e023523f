"""The greedy player: gives every legal action a score by hand-made rules and takes the best. No look-ahead.

Scores are in recognition points, roughly. It claims while it has little under way, builds when a section can be
finished or enough materials lie ready, and otherwise fetches what its sections lack. It never sells or rerolls.
"""

from rcsim.engine.cathedral import base_material, wants_ornament
from rcsim.engine.jit import jit
from rcsim.engine.market import WHITE, die_can_move, extra_spaces
from rcsim.engine.state import (
    A_ADORN,
    A_CLAIM,
    A_DELIVER,
    A_END,
    A_INFLUENCE,
    A_MATERIAL,
    A_MOVE,
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
    action_kind,
    free_slots,
    pack_action,
)
from rcsim.engine.turn import actor, influence_effect, legal, list_building, list_market
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
SPARE_RARE = 1.0
DELIVERED = 0.9  # a delivery that finishes nothing
PROGRESS = 0.55  # share of a section's worth in a delivery of all that it misses, spread over several builds
FINISHED = 3.0  # a finished section, besides its reward: presence in the tower, a step to the end
ORNAMENT = 5.5  # an ornament, besides its prestige
CLUTTER = 0.7  # a material beyond that
TAKE_FIRST = 5.0  # resources before influence and workshop, which may fill the slots
UNKNOWN = -1e6  # a worth not yet found
DELIVER_FIRST = 10.0  # deliveries before ornaments
KEEP_FREE = 2  # slots that spare materials leave open
UNDER_WAY = 2  # sections under way at once, as far as claims can see to it
LACKED = 0.8  # a material that a section to claim lacks
LACKED_RARE = 1.3
ABOVE = 0.25  # each section above a claim, from which penalties may come
TILE_USES = 0.35  # uses of a face-up tile for each section still to claim


@jit
def choose_greedy(g, t, acts, mind):
    """Its next action: finish a section, else claim, else the better of building and fetching."""
    seat = actor(g)
    phase = g.phase
    if phase == P_DONE or (phase == P_BUILD and g.deliveries == 0):
        return A_END
    acts.n = 0
    if phase == P_MARKET:
        list_market(g, t, seat, acts)
    elif phase == P_BUILD:
        list_building(g, t, seat, acts)
        if acts.n == 0:
            return A_END
    elif phase != P_MAIN:
        legal(g, t, acts)
    if acts.n == 1:
        return acts.a[0]
    weigh_materials(g, t, seat, mind)
    if phase != P_MAIN:
        return best_listed(g, t, seat, acts, mind)
    list_building(g, t, seat, acts)
    if acts.n > 0:
        weigh_build(g, t, seat, acts, mind)
        if mind.finishes:
            return best_listed(g, t, seat, acts, mind)
    if g.banners[seat] > 0 and g.unfinished[seat] < claims_wanted(g, t, seat):
        action = best_claim(g, t, seat, mind)
        if action >= 0:
            return action
    action = best_move(g, t, seat, mind)
    if acts.n > 0 and mind.build > mind.best:
        return best_listed(g, t, seat, acts, mind)
    return action


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
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        lacking = 0
        for m in range(6):
            mind.short[m] += g.left[s, m]
            lacking += max(0, g.left[s, m] - g.inv[seat, m])
        if lacking > 0:
            share = LAST * section_worth(g, t, s) / lacking
            for m in range(6):
                if g.left[s, m] > g.inv[seat, m]:
                    mind.last[m] = max(mind.last[m], share)
    for kind in range(3):
        if wants_ornament(g, seat, kind):
            mind.short[base_material(kind)] += 1
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
def best_move(g, t, seat, mind):
    """The best die to move, with its extra spaces; its worth is left in mind.best."""
    for colour in range(5):
        mind.workshop[colour] = 0.0
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
    mind.best = -1e9
    for die in range(5):
        at = g.die_space[die]
        for extra in range(extra_spaces(g, t, seat, die) + 1):
            if not die_can_move(g, t, die, g.die_value[die] + extra):
                continue
            to = (at + g.die_value[die] + extra) & 7
            if to == at:  # once round: no die more than there is
                worth = guild_worth(g, t, seat, to >> 1, mind)
                worth += tile_worth(g, t, seat, g.market[to], g.dice_in[to], mind)
            else:
                if mind.landing[to] == UNKNOWN:
                    mind.landing[to] = guild_worth(g, t, seat, to >> 1, mind) + tile_worth(
                        g, t, seat, g.market[to], g.dice_in[to] + 1, mind
                    )
                worth = mind.landing[to]
            worth += mind.workshop[die] - RUBLE * extra * t.extra_space_price
            if worth > mind.best:
                mind.best = worth
                best = pack_action(A_MOVE, die, extra, 0)
    return best


@jit
def guild_worth(g, t, seat, q, mind):
    """What the better action of a quadrant's card is worth."""
    if mind.guild[q] == UNKNOWN:
        effect = t.guild_effect[g.guild[q], g.guild_card[q]]
        first = effect_worth(g, t, seat, effect, 2 * q, mind)
        second = effect_worth(g, t, seat, effect + 1, 2 * q, mind)
        mind.guild[q] = max(0.0, first, second)
    return mind.guild[q]


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
            for i in range(g.unfinished[seat]):
                needed += g.left[g.under_way[seat, i], m]
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
def weigh_build(g, t, seat, acts, mind):
    """What the listed deliveries are worth as a turn (mind.build), and whether they finish a section."""
    best = -1e9
    mind.finishes = 0
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        n = 0
        for m in range(6):
            n += min(g.left[s, m], g.inv[seat, m])
        n = min(n, t.deliveries)
        if n == g.missing[s]:
            mind.finishes = 1
        best = max(best, progress_worth(g, t, s, n))
    n = min(t.deliveries, deliverable(g, seat))
    if n > 0:
        best = max(best, DELIVERED * n - 0.5)
    for i in range(acts.n):
        if action_kind(acts.a[i]) == A_ADORN:
            best = max(best, action_score(g, t, seat, acts.a[i], mind))
    if free_slots(g, seat) <= 1:
        best += 2.0
    mind.build = best


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
def build_worth(g, t, seat, mind):
    """What a build action that delivers to sections is worth; mind.finishes tells whether it finishes one."""
    best = 0.0
    mind.finishes = 0
    if g.held[seat] == 0:
        return best
    for i in range(g.unfinished[seat]):
        s = g.under_way[seat, i]
        n = 0
        for m in range(6):
            n += min(g.left[s, m], g.inv[seat, m])
        n = min(n, t.deliveries)
        if n == g.missing[s]:
            mind.finishes = 1
        best = max(best, progress_worth(g, t, s, n))
    worth = DELIVERED * min(t.deliveries, deliverable(g, seat)) - 0.5
    if free_slots(g, seat) <= 1:
        worth += 2.0
    return max(best, worth)


@jit
def progress_worth(g, t, s, n):
    """What n materials for a section are worth: its whole worth if they finish it, else a part."""
    worth = section_worth(g, t, s)
    return worth if n == g.missing[s] else PROGRESS * worth * n / g.missing[s]


@jit
def best_claim(g, t, seat, mind):
    """The best section to claim, with the space and face of its tile, or -1."""
    best = -1
    best_worth = -1e9
    for tower in range(g.towers):
        if g.claimed[tower] == g.height[tower]:
            continue
        section = claim_worth(g, t, seat, tower, mind)
        tile = t.tile_effect[g.tile[g.first[tower] + g.claimed[tower]]]
        bonus = max(0.0, effect_worth(g, t, seat, tile, -1, mind))
        for space in range(6):
            if g.space_tile[seat, space] >= 0:
                continue
            colour = t.space_colour[space]
            reach = 1.0 if colour in (WHITE, g.colour[seat]) else 0.8
            unlocks = t.space_unlocks[space] >= 0
            up = 0
            worth = section - 0.1 * reach  # a dead tile goes where a live one would do least
            if unlocks:
                worth -= 1.0
            if g.rubles[seat] >= t.space_price[space]:
                live = section - RUBLE * t.space_price[space] + bonus * (1.0 + TILE_USES * reach * g.banners[seat])
                if unlocks:
                    live += 1.5
                if live > worth:
                    worth = live
                    up = 1
            if worth > best_worth:
                best_worth = worth
                best = pack_action(A_CLAIM, tower, space, up)
    return best


@jit
def claim_worth(g, t, seat, tower, mind):
    """What the next section of a tower is worth to claim, its tile apart."""
    level = g.claimed[tower]
    first = g.first[tower]
    s = first + level
    card = g.card[s]
    worth = 0.5 * section_worth(g, t, s)
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
    return worth


@jit
def action_score(g, t, seat, action, mind):
    """Score of one legal action in its phase; steps that end something (roll, end, stop) are 0."""
    kind = action_kind(action)
    a = action_a(action)
    b = action_b(action)
    if kind == A_DELIVER:
        n = 0
        for m in range(6):
            n += min(g.left[a, m], g.inv[seat, m])
        return DELIVER_FIRST + 0.05 * progress_worth(
            g, t, a, min(n, g.deliveries if g.phase == P_BUILD else t.deliveries)
        )
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
    return 0.0
