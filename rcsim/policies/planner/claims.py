"""The best claim, with the workshop space and the face of its tile (docs/rules.md, section 5)."""

from rcsim.engine.cathedral import base_material
from rcsim.engine.jit import jit
from rcsim.engine.state import A_CLAIM, A_SELL, pack_action
from rcsim.policies.features import THOUSANDTHS
from rcsim.policies.planner.building import NOW, RUN, START, STEP
from rcsim.policies.planner.effects import use_effect
from rcsim.policies.planner.evaluation import UNKNOWN, space_worth, tile_worth, used_often
from rcsim.policies.planner.market import effect_gain, put_in
from rcsim.policies.planner.scale import (
    CLAIMED,
    CROWDED,
    GEMS_OPEN,
    ORNAMENTS_OPEN,
    ORNAMENTS_READY,
    REWARD,
    REWARD_RUBLES,
    UNLOCKED,
)
from rcsim.policies.planner.towers import after_claim, tower_worth
from rcsim.policies.planner.view import afford, need_change, need_more, sales_beside, set_rubles
from rcsim.policies.player import BASES_ONLY, NO_TILES, NOT_ABOVE
from rcsim.rules.tables import E_HAS_PAY

SELDOM, OFTEN = range(2)
BONUS_BRINGS = 2 * THOUSANDTHS  # that a bonus may bring more once the section is under way


@jit
def weigh_claims(g, t, seat, mind, player):
    """Bounds on the worth of claiming in each tower into mind.claim: UNKNOWN where there is nothing to claim."""
    for tower in range(6):
        mind.claim[tower] = UNKNOWN
    if mind.scale.last_turn or g.banners[seat] == 0:
        return
    mind.dead = weigh_spaces(g, t, seat, mind)
    mind.harm = space_worth(g, t, seat, mind.dead, mind)
    opens = slots_opened(g, t, seat)
    v = mind.views[NOW]
    for tower in range(g.towers):
        if not may_claim(g, seat, tower, mind.limits):
            continue
        s = g.first[tower] + g.claimed[tower]
        worth = mind.sale_now - mind.harm
        space = best_live(g, t, seat, s, mind, player)
        if space >= 0:
            worth = max(worth, live_bound(g, t, seat, s, space, mind, player) - mind.now)
        mind.claim[tower] = worth + claim_stays(g, t, seat, tower, mind) + need_change(g, t, s, opens, v, mind)


@jit
def slots_opened(g, t, seat):
    """Slots that a claim opens."""
    return 1 if t.slots_covered > g.slots[seat] - t.slots_open else 0


@jit
def claim_stays(g, t, seat, tower, mind):
    """What a claim in a tower is worth, materials and the workshop apart."""
    w = mind.scale.w
    card = g.card[g.first[tower] + g.claimed[tower]]
    worth = w[CLAIMED] + w[REWARD] * t.card_recognition[card] + w[REWARD_RUBLES] * t.card_rubles[card]
    if g.unfinished[seat] >= 2:
        worth += w[CROWDED]
    return worth + after_claim(g, t, tower, seat, seat, mind) - tower_worth(g, t, tower, seat, mind)


@jit
def plan_claim(g, t, seat, tower, worth_else, mind, player):
    """The best way to claim in a tower into mind.plan, if it is worth more than `worth_else`; the greater worth."""
    s = g.first[tower] + g.claimed[tower]
    opens = slots_opened(g, t, seat)
    stays = claim_stays(g, t, seat, tower, mind) - mind.now
    best = worth_else
    mind.views[START] = mind.views[NOW]
    need_more(g, t, s, opens, mind.views[START], mind)
    worth = stays + mind.views[START].worth - mind.harm + mind.sale_now
    if worth > best:
        best = worth
        mind.plan_n = 0
        put_in(pack_action(A_CLAIM, tower, mind.dead, 0), mind)
    space = best_live(g, t, seat, s, mind, player)
    if space >= 0:
        worth = stays + face_up(g, t, seat, s, space, mind, player)
        if worth > best:
            best = worth
            mind.plan_n = 0
            for _ in range(mind.sales):
                put_in(A_SELL, mind)
            put_in(pack_action(A_CLAIM, tower, space, 1), mind)
    return best


@jit
def may_claim(g, seat, tower, limits):
    """Whether the restrictions let the seat claim the next section of a tower."""
    level = g.claimed[tower]
    if level == g.height[tower] or (level > 0 and limits & BASES_ONLY):
        return False
    if limits & NOT_ABOVE:
        for s in range(g.first[tower], g.first[tower] + level):
            if g.owner[s] != seat:
                return False
    return True


@jit
def weigh_spaces(g, t, seat, mind):
    """The empty space that a dead tile harms least; in mind.space the best for a live tile used seldom, and often."""
    dead = -1
    for use in range(2):
        mind.space[use] = -1
    for space in range(6):
        if g.space_tile[seat, space] >= 0:
            continue
        harm = space_worth(g, t, seat, space, mind)
        if dead < 0 or harm < space_worth(g, t, seat, dead, mind):
            dead = space
        if mind.limits & NO_TILES:
            continue
        mind.views[START] = mind.views[NOW]
        v = mind.views[START]
        if afford(t, v, t.space_price[space], mind.can_sell, mind) < 0:
            continue
        set_rubles(v, v.rubles - t.space_price[space], mind)
        worth = v.worth - harm + unlock_worth(g, t, space, mind)
        use = OFTEN if used_often(g, t, seat, space) else SELDOM
        if mind.space[use] < 0 or worth > mind.space_worth[use]:
            mind.space[use] = space
            mind.space_worth[use] = worth
    return dead


@jit
def best_live(g, t, seat, s, mind, player):
    """The space for the tile of section s, face up, or -1."""
    if mind.space[SELDOM] < 0 or mind.space[OFTEN] < 0:
        return max(mind.space[SELDOM], mind.space[OFTEN])
    often = mind.space_worth[OFTEN] + tile_worth(g, t, seat, g.tile[s], mind.space[OFTEN], player, mind)
    seldom = mind.space_worth[SELDOM] + tile_worth(g, t, seat, g.tile[s], mind.space[SELDOM], player, mind)
    return mind.space[OFTEN] if often > seldom else mind.space[SELDOM]


@jit
def face_up(g, t, seat, s, space, mind, player):
    """The view START once the tile of section s lies face up on a space: price, bonus and uses to come.

    How many sales come before: mind.sales.
    """
    tile = g.tile[s]
    effect = t.tile_effect[tile]
    mind.views[RUN] = mind.views[START]
    v = mind.views[RUN]
    paid = afford(t, v, t.space_price[space], mind.can_sell, mind)
    set_rubles(v, v.rubles - t.space_price[space], mind)
    worth = v.worth + (sales_beside(t, v, 0, mind) if paid == 0 else 0)
    sales = mind.sales if paid == 0 else paid
    mind.views[STEP] = v
    g.under_way[seat, g.unfinished[seat]] = s  # the bonus may deliver to it; undone below
    g.unfinished[seat] += 1
    if use_effect(g, t, seat, effect, -1, STEP, mind):
        used = mind.views[STEP].worth + (sales_beside(t, mind.views[STEP], 0, mind) if paid == 0 else 0)
        if used > worth or not t.effects[effect, E_HAS_PAY]:  # a free bonus cannot be declined
            worth = used
            sales = mind.sales if paid == 0 else paid
    g.unfinished[seat] -= 1
    g.under_way[seat, g.unfinished[seat]] = -1
    mind.sales = sales
    worth += tile_worth(g, t, seat, tile, space, player, mind) - space_worth(g, t, seat, space, mind)
    return worth + unlock_worth(g, t, space, mind)


@jit
def live_bound(g, t, seat, s, space, mind, player):
    """A bound on `face_up`, what the section needs apart."""
    tile = g.tile[s]
    use = OFTEN if used_often(g, t, seat, space) else SELDOM
    gain = max(0, effect_gain(g, t, seat, t.tile_effect[tile], 1, mind)) + BONUS_BRINGS
    worth = mind.space_worth[use] + mind.sale_most
    return worth + tile_worth(g, t, seat, tile, space, player, mind) + gain


@jit
def unlock_worth(g, t, space, mind):
    """What the ornament is worth that a face-up tile on a space unlocks."""
    kind = t.space_unlocks[space]
    if kind < 0:
        return 0
    worth = mind.scale.w[UNLOCKED]
    if g.bare[kind] != 0:
        worth += mind.scale.w[ORNAMENTS_OPEN]
        if not mind.open[kind]:
            v = mind.views[START]
            if v.beyond[base_material(kind)] > 0:
                worth += mind.scale.w[ORNAMENTS_READY]
            for m in range(4, 6):
                spare = max(0, v.beyond[m])
                worth += mind.scale.w[GEMS_OPEN] * (min(spare, mind.gems + 2) - min(spare, mind.gems))
    return worth
