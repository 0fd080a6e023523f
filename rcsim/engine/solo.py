"""Ivan, the automatic opponent of the solo game (docs/rules.md, section 10, rulings 25 to 31). He is seat 1.

On his sections only the number of materials counts: `missing` counts down and `left` is not used.
"""

from rcsim.engine.cathedral import place_ornament, put_on, take_section
from rcsim.engine.events import EV_CARD, EV_CLAIM, EV_GAIN, EV_IVAN, EV_TRANSPORT, emit
from rcsim.engine.goods import RECOGNITION, TAKEN, WOOD, gain_points
from rcsim.engine.jit import jit
from rcsim.engine.market import DICE_USED, die_can_move, move_die, roll_space
from rcsim.engine.random import IVAN, below, draw, stream
from rcsim.engine.state import A_TOWER, P_IVAN_CLAIM, put
from rcsim.rules.tables import E_GAIN_RECOGNITION

HUMAN, IVAN_SEAT = 0, 1
CARD_POINTS, CARD_INVENTORY, CARD_TRANSPORT, CARD_CLAIM, CARD_CONSTRUCTION = range(5)
CARDS = 5


@jit
def next_card(g):
    """Ivan's next card; a used-up deck is shuffled again. Keyed, so that a look-ahead cannot see it."""
    if g.ivan_next == CARDS:
        g.ivan_next = 0
        g.ivan_decks += 1
    if g.ivan_next == 0:
        start = stream(g.key, IVAN)
        for i in range(CARDS):
            g.ivan_deck[i] = i
        for i in range(CARDS - 1, 0, -1):
            j = below(draw(start, g.ivan_decks * CARDS + i), i + 1)
            x = g.ivan_deck[i]
            g.ivan_deck[i] = g.ivan_deck[j]
            g.ivan_deck[j] = x
    card = g.ivan_deck[g.ivan_next]
    g.ivan_next += 1
    return card


@jit
def ivan_turn(g, t, log):
    """Ivan's turn up to its end, or up to the claim that the human chooses (phase P_IVAN_CLAIM)."""
    card = next_card(g)
    emit(log, EV_CARD, IVAN_SEAT, card, 0, 0, 0)
    if card == CARD_POINTS:
        if t.ivan_points > 0:
            gain_points(g, t, log, IVAN_SEAT, RECOGNITION, t.ivan_points, EV_CARD)
    elif card == CARD_INVENTORY:
        ivan_collect(g, t, log)
    elif card == CARD_TRANSPORT:
        ivan_transport(g, log)
    elif card == CARD_CONSTRUCTION:
        ivan_build(g, t, log)
    else:
        towers = ivan_claim_options(g)
        if towers & (towers - 1):
            g.phase = P_IVAN_CLAIM
            return
        if towers:
            tower = 0
            while not (towers >> tower) & 1:
                tower += 1
            ivan_claim(g, t, log, tower)
    ivan_move(g, t, log, card)


@jit
def ivan_collect(g, t, log):
    """Materials onto the inventory card, one after another from what the supply has most of."""
    for m in range(6):
        g.got[m] = 0
    for _ in range(t.ivan_inventory):
        most = 0
        for m in range(1, 6):
            if g.supply[m] > g.supply[most]:
                most = m
        if g.supply[most] == 0:
            break
        g.supply[most] -= 1
        g.ivan_inventory[most] += 1
        g.got[most] += 1
        g.ledger[IVAN_SEAT, TAKEN + most] += 1
    for m in range(6):
        if g.got[m] > 0:
            emit(log, EV_GAIN, IVAN_SEAT, WOOD + m, g.got[m], EV_CARD, 0)


@jit
def ivan_transport(g, log):
    """All materials from the inventory card to the construction card."""
    n = 0
    for m in range(6):
        n += g.ivan_inventory[m]
        g.ivan_construction[m] += g.ivan_inventory[m]
        g.ivan_inventory[m] = 0
    if n > 0:
        emit(log, EV_TRANSPORT, IVAN_SEAT, n, 0, 0, 0)


@jit
def ivan_claim_options(g):
    """Set of towers (bit t) in which Ivan may claim; 0 without a banner or a section."""
    if g.banners[IVAN_SEAT] == 0:
        return 0
    above_human = 0
    bases = 0
    others = 0
    for tower in range(g.towers):
        level = g.claimed[tower]
        if level == g.height[tower]:
            continue
        if level == 0:
            bases |= 1 << tower
        elif g.owner[g.first[tower] + level - 1] == HUMAN:
            above_human |= 1 << tower
        else:
            others |= 1 << tower
    if above_human:
        return above_human
    if bases:
        return bases
    return others


@jit
def list_ivan_claims(g, acts):
    """The towers among which the human chooses."""
    towers = ivan_claim_options(g)
    for tower in range(g.towers):
        if (towers >> tower) & 1:
            put(acts, A_TOWER, tower, 0, 0)


@jit
def ivan_claim(g, t, log, tower):
    """Ivan claims; he gains the recognition that the workshop tile shows, and the tile leaves the game."""
    s = take_section(g, t, IVAN_SEAT, tower)
    emit(log, EV_CLAIM, IVAN_SEAT, tower, s - g.first[tower], -1, -1)
    shown = t.effects[t.tile_effect[g.tile[s]], E_GAIN_RECOGNITION]
    if shown > 0:
        gain_points(g, t, log, IVAN_SEAT, RECOGNITION, shown, EV_CLAIM)


@jit
def ivan_build(g, t, log):
    """Materials of the construction card onto his sections, from the left, from the bottom; he adorns what he ends."""
    for s in range(g.sections):
        if g.owner[s] != IVAN_SEAT or g.done[s]:
            continue
        for m in range(6):
            while g.ivan_construction[m] > 0 and g.missing[s] > 0:
                g.ivan_construction[m] -= 1
                put_on(g, t, log, IVAN_SEAT, s, m, EV_IVAN)
        if g.done[s] and g.ornament[s] < 0 and g.ornaments[IVAN_SEAT, g.kind[s]] > 0:
            place_ornament(g, t, log, IVAN_SEAT, s, 0)


@jit
def ivan_move(g, t, log, card):
    """He moves the die of his card (blocked: the next one round) and rolls the dice where it ends."""
    die = t.ivan_die[card]
    while not die_can_move(g, t, die, g.die_value[die]):
        die = (die + 1) % 5
    move_die(g, log, IVAN_SEAT, die, g.die_value[die], EV_IVAN)
    g.ledger[IVAN_SEAT, DICE_USED + die] += 1
    roll_space(g, log, IVAN_SEAT, g.die_space[die], EV_IVAN)
