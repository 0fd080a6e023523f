"""A turn: the list of legal atomic actions, and carrying one out (docs/rules.md, sections 4, 5 and 7).

Every player, the trace, the replay and the tests go through `legal` and `apply`.
"""

import numpy as np

from rcsim.columns import seat_column
from rcsim.engine.cathedral import adorn, base_material, claim, deliver, wants_ornament
from rcsim.engine.effects import begin_use, can_use, choose, list_choices, list_deliveries
from rcsim.engine.events import EV_ACQUIRE, EV_BUILD, EV_CLAIM, EV_INFLUENCE, EV_WORKSHOP, emit
from rcsim.engine.goods import can_lose_prestige, sell
from rcsim.engine.jit import entry, jit, wrapping
from rcsim.engine.market import (
    acquire,
    die_can_move,
    extra_spaces,
    list_takes,
    list_wanted,
    reroll,
    roll_space,
    take,
)
from rcsim.engine.random import U1, mix
from rcsim.engine.setup import start_turn
from rcsim.engine.solo import IVAN_SEAT, ivan_claim, ivan_move, ivan_turn, list_ivan_claims
from rcsim.engine.state import (
    A_ADORN,
    A_CLAIM,
    A_DELIVER,
    A_END,
    A_INFLUENCE,
    A_IVAN,
    A_MOVE,
    A_REROLL,
    A_ROLL,
    A_SELL,
    A_STOP,
    A_TAKE,
    A_USE,
    A_WORKSHOP,
    GEMS_GREEN,
    GEMS_PURPLE,
    P_BONUS,
    P_BUILD,
    P_DONE,
    P_IVAN,
    P_IVAN_CLAIM,
    P_MAIN,
    P_MARKET,
    P_OVER,
    P_TAKE,
    action_a,
    action_b,
    action_c,
    action_kind,
    put,
)
from rcsim.rules.tables import E_HAS_PAY, OPTIONAL_ONE_KIND, SELL_ANY

ACTIONS_CLAIM = seat_column("actions_claim")
ACTIONS_BUILD = seat_column("actions_build")
ACTIONS_ACQUIRE = seat_column("actions_acquire")
INFLUENCE_USES = seat_column("influence_artisans")  # four columns
TILE_BONUSES = seat_column("tile_bonuses")
TILE_USES = seat_column("tile_uses")
CARD_CLAIM = 3


@entry
def actor(g):
    """The seat that chooses the next action: the human also for Ivan's claim."""
    return 0 if g.phase == P_IVAN_CLAIM else g.seat


@entry
def legal(g, t, acts):
    """List all legal atomic actions in `acts`; never empty before the game is over."""
    acts.n = 0
    phase = g.phase
    seat = g.seat
    if phase <= P_DONE:
        list_optional(g, t, seat, acts)
        if phase == P_MAIN:
            list_claims(g, t, seat, acts)
            list_building(g, t, seat, acts)
            list_moves(g, t, seat, acts)
        elif phase == P_MARKET:
            list_market(g, t, seat, acts)
        else:
            if phase == P_BUILD and g.deliveries > 0:
                list_building(g, t, seat, acts)
            put(acts, A_END, 0, 0, 0)
    elif phase == P_TAKE:
        list_wanted(g, t, seat, acts)
    elif phase == P_BONUS:
        put(acts, A_USE, 0, 0, 0)
        put(acts, A_STOP, 0, 0, 0)
    elif phase == P_IVAN:
        put(acts, A_IVAN, 0, 0, 0)
    elif phase == P_IVAN_CLAIM:
        list_ivan_claims(g, acts)
    elif phase != P_OVER:
        list_choices(g, t, acts)


@jit
def may_sell(g, t, seat):
    """Whether prestige may be sold now."""
    if t.optional_actions == OPTIONAL_ONE_KIND and g.rerolled:
        return False
    return (g.sold == 0 or g.selling == 1 or t.sell_moments == SELL_ANY) and can_lose_prestige(g, t, seat, 1)


@jit
def may_reroll(g, t, seat):
    """Whether the seat may reroll a space now."""
    if g.rerolled or (t.optional_actions == OPTIONAL_ONE_KIND and g.sold > 0):
        return False
    return can_lose_prestige(g, t, seat, 1)


@jit
def list_optional(g, t, seat, acts):
    """Selling prestige and rerolling."""
    if may_sell(g, t, seat):
        put(acts, A_SELL, 0, 0, 0)
    if may_reroll(g, t, seat):
        for s in range(8):
            if g.dice_in[s] > 0:
                put(acts, A_REROLL, s, 0, 0)


@jit
def list_claims(g, t, seat, acts):
    """Every open section with every empty workshop space, face down or, if it can be paid, face up."""
    if g.banners[seat] == 0:
        return
    for tower in range(g.towers):
        if g.claimed[tower] < g.height[tower]:
            for space in range(6):
                if g.space_tile[seat, space] < 0:
                    put(acts, A_CLAIM, tower, space, 0)
                    if g.rubles[seat] >= t.space_price[space]:
                        put(acts, A_CLAIM, tower, space, 1)


@jit
def list_building(g, t, seat, acts):
    """Every delivery to a section or into an ornament that the rest of the build action allows."""
    if g.held[seat] == 0:
        return
    left = g.deliveries if g.phase == P_BUILD else t.deliveries
    list_deliveries(g, seat, acts)
    list_ornaments(g, seat, left, acts)


@jit
def list_ornaments(g, seat, deliveries, acts):
    """Every fitting section for every ornament that can be made, with every choice of gems."""
    for kind in range(3):
        if not wants_ornament(g, seat, kind) or g.inv[seat, base_material(kind)] == 0:
            continue
        sections = g.bare[kind]
        s = 0
        while sections:
            if sections & 1:
                for gems in range(6):
                    green = GEMS_GREEN[gems]
                    purple = GEMS_PURPLE[gems]
                    if 1 + green + purple <= deliveries and g.inv[seat, 4] >= green and g.inv[seat, 5] >= purple:
                        put(acts, A_ADORN, s, gems, 0)
            sections >>= 1
            s += 1


@jit
def list_moves(g, t, seat, acts):
    """Every die with every number of extra spaces that can be paid and ends on a space with room."""
    for die in range(5):
        for extra in range(extra_spaces(g, t, seat, die) + 1):
            if die_can_move(g, t, die, g.die_value[die] + extra):
                put(acts, A_MOVE, die, extra, 0)


@jit
def influence_effect(g, t, action):
    """Effect row of an action of the card at the arrival space."""
    q = g.arrival >> 1
    return t.guild_effect[g.guild[q], g.guild_card[q]] + action


@jit
def can_influence(g, t, seat, action):
    """Whether an action of the card may be used, for the first time or once more (ruling 12)."""
    if g.influence >= 0:
        effect = influence_effect(g, t, action)
        if action != g.influence or not g.repeating or t.effect_once[effect] or g.uses >= t.max_repeats:
            return False
    return can_use(g, t, seat, influence_effect(g, t, action), g.arrival)


@jit
def list_market(g, t, seat, acts):
    """What the arrival space offers, and the roll that ends the visit."""
    if not g.took:
        list_takes(g, t, seat, acts)
    list_effects(g, t, seat, acts)
    put(acts, A_ROLL, 0, 0, 0)


@jit
def list_effects(g, t, seat, acts):
    """Influence and workshop at the arrival space."""
    for action in range(2):
        if can_influence(g, t, seat, action):
            put(acts, A_INFLUENCE, action, 0, 0)
    if not g.worked:
        for space in range(6):
            if g.space_up[seat, space] and t.space_colour[space] == g.die:
                if can_use(g, t, seat, t.tile_effect[g.space_tile[seat, space]], g.arrival):
                    put(acts, A_WORKSHOP, space, 0, 0)


@wrapping
@jit
def path_after(g, action):
    """What `g.path` becomes with an action."""
    return mix(g.path + np.uint64(action) + U1)


@entry
def apply(g, t, log, action):
    """Carry out one legal atomic action with all its consequences. Legality is not checked."""
    g.steps += 1
    g.path = path_after(g, action)
    kind = action_kind(action)
    a = action_a(action)
    b = action_b(action)
    seat = g.seat
    if kind == A_SELL:
        sell(g, t, log, seat)
        return
    g.selling = 0
    if kind == A_REROLL:
        reroll(g, t, log, seat, a)
        return
    if kind == A_MOVE:
        acquire(g, t, log, seat, a, b)
        g.ledger[seat, ACTIONS_ACQUIRE] += 1
        g.phase = P_MARKET
    elif kind == A_TAKE:
        g.repeating = 0
        take(g, t, log, seat, a)
    elif kind == A_INFLUENCE:
        g.influence = a
        g.uses += 1
        g.repeating = 1
        q = g.arrival >> 1
        g.ledger[seat, INFLUENCE_USES + g.guild[q]] += 1
        emit(log, EV_INFLUENCE, seat, q, a, 0, 0)
        begin_use(g, t, log, influence_effect(g, t, a), EV_INFLUENCE, P_MARKET)
    elif kind == A_WORKSHOP:
        g.worked = 1
        g.repeating = 0
        g.ledger[seat, TILE_USES] += 1
        emit(log, EV_WORKSHOP, seat, a, g.space_tile[seat, a], EV_ACQUIRE, 0)
        begin_use(g, t, log, t.tile_effect[g.space_tile[seat, a]], EV_WORKSHOP, P_MARKET)
    elif kind == A_ROLL:
        roll_space(g, log, seat, g.arrival, EV_ACQUIRE)
        g.phase = P_DONE
    elif kind == A_DELIVER and g.phase <= P_BUILD:
        start_build(g, t, seat)
        g.deliveries -= 1
        deliver(g, t, log, seat, a, b, EV_BUILD)
    elif kind == A_ADORN:
        start_build(g, t, seat)
        g.deliveries -= 1 + GEMS_GREEN[b] + GEMS_PURPLE[b]
        adorn(g, t, log, seat, a, b)
    elif kind == A_CLAIM:
        g.ledger[seat, ACTIONS_CLAIM] += 1
        claim_turn(g, t, log, seat, a, b, action_c(action))
    elif kind == A_END:
        end_turn(g, t)
    elif g.phase == P_BONUS:
        if kind == A_USE:
            use_bonus(g, t, log, seat)
        else:
            g.phase = P_DONE
    elif kind == A_IVAN:
        ivan_turn(g, t, log)
        if g.phase == P_IVAN:
            end_turn(g, t)
    elif g.phase == P_IVAN_CLAIM:
        ivan_claim(g, t, log, a)
        ivan_move(g, t, log, CARD_CLAIM)
        end_turn(g, t)
    else:
        choose(g, t, log, action)


@jit
def start_build(g, t, seat):
    """The first delivery of a turn makes it a build turn."""
    if g.phase == P_MAIN:
        g.phase = P_BUILD
        g.deliveries = t.deliveries
        g.ledger[seat, ACTIONS_BUILD] += 1


@jit
def claim_turn(g, t, log, seat, tower, space, up):
    """A claim, then the bonus of a tile placed face up (ruling 13)."""
    tile = claim(g, t, log, seat, tower, space, up)
    g.phase = P_DONE
    if up and can_use(g, t, seat, t.tile_effect[tile], -1):
        g.bonus = space
        if t.effects[t.tile_effect[tile], E_HAS_PAY]:
            g.phase = P_BONUS
        else:
            use_bonus(g, t, log, seat)


@jit
def use_bonus(g, t, log, seat):
    """Use the bonus of the tile just placed."""
    space = g.bonus
    tile = g.space_tile[seat, space]
    g.ledger[seat, TILE_BONUSES] += 1
    emit(log, EV_WORKSHOP, seat, space, tile, EV_CLAIM, 0)
    begin_use(g, t, log, t.tile_effect[tile], EV_WORKSHOP, P_DONE)


@jit
def end_turn(g, t):
    """The turn passes on, or the game is over: last turns done, or the turn cap reached."""
    g.turns[g.seat] += 1
    g.turn += 1
    g.seat += 1
    if g.seat == t.seats:
        g.seat = 0
    start_turn(g)
    if g.seat == g.finisher:
        g.phase = P_OVER
    elif g.turns[g.seat] >= t.turn_cap:
        g.phase = P_OVER
        g.truncated = 1
    elif t.solo and g.seat == IVAN_SEAT:
        g.phase = P_IVAN
    else:
        g.phase = P_MAIN
