"""Setup of a deal (docs/rules.md, section 2). Each part draws from a stream of its own purpose."""

import numpy as np

from rcsim.columns import seat_column
from rcsim.engine.jit import entry, jit
from rcsim.engine.market import WHITE
from rcsim.engine.random import (
    BASES,
    COLOURS,
    GUILDS,
    MARKET,
    PLAN,
    SETUP_DICE,
    TILES,
    below,
    deal_key,
    draw,
    shuffle,
    stream,
)
from rcsim.engine.state import P_MAIN

SEAT = seat_column("seat")
COLOUR = seat_column("colour")
RUBLES_START = seat_column("rubles_start")


@entry
def setup(g, t, seed, deal, scratch):
    """Lay out deal number `deal` of root seed `seed` in g; `scratch` is an array for the decks."""
    g.key = deal_key(seed, deal)
    g.path = g.key
    g.turn = 0
    g.seat = t.first_seat
    g.phase = P_MAIN
    g.finisher = -1
    g.truncated = 0
    g.steps = 0
    setup_players(g, t, scratch)
    setup_market(g, t, scratch)
    setup_cathedral(g, t, scratch)
    g.ivan_next = 0
    g.ivan_decks = 0
    for m in range(6):
        g.supply[m] = t.supply[m]
        g.ivan_inventory[m] = 0
        g.ivan_construction[m] = 0
    start_turn(g)


@jit
def start_turn(g):
    """Forget what concerned the turn before."""
    g.sold = 0
    g.selling = 0
    g.rerolled = 0
    g.deliveries = 0
    g.die = -1
    g.arrival = -1
    g.took = 0
    g.influence = -1
    g.uses = 0
    g.repeating = 0
    g.worked = 0
    for die in range(5):
        g.die_rolls[die] = 0


@jit
def setup_players(g, t, scratch):
    """Colours, markers, rubles, banners, ornaments, empty boards and ledgers."""
    for c in range(WHITE):
        scratch[c] = c
    shuffle(stream(g.key, COLOURS), scratch, WHITE)
    for seat in range(t.seats):
        g.colour[seat] = t.colours[seat] if t.colours[seat] >= 0 else scratch[seat]
        g.marker[seat] = t.track_start
        g.rubles[seat] = t.start_rubles[seat]
        g.banners[seat] = t.banners
        g.slots[seat] = t.slots_open
        g.held[seat] = 0
        g.turns[seat] = 0
        g.draws[seat] = 0
        g.unfinished[seat] = 0
        g.finished[seat] = 0
        g.placed[seat] = 0
        for m in range(6):
            g.inv[seat, m] = 0
        for space in range(6):
            g.space_tile[seat, space] = -1
            g.space_up[seat, space] = 0
        for kind in range(3):
            g.ornaments[seat, kind] = 2 if kind == 1 else 1
            g.locked[seat, kind] = t.ornaments_locked[kind]
        if t.solo and seat > 0:  # Ivan
            g.colour[seat] = -1
            for kind in range(3):
                g.locked[seat, kind] = 0
        g.ledger[seat, :] = 0
        g.ledger[seat, SEAT] = seat
        g.ledger[seat, COLOUR] = g.colour[seat]
        g.ledger[seat, RUBLES_START] = g.rubles[seat]


@jit
def setup_market(g, t, scratch):
    """Resource tiles, influence cards, and the dice from the space of the recognition tile on."""
    for i in range(8):
        scratch[i] = i
    shuffle(stream(g.key, MARKET), scratch, 8)
    first = 0
    for s in range(8):
        g.market[s] = scratch[s]
        g.dice_in[s] = 0
        if scratch[s] == t.recognition_tile:
            first = s
    start = stream(g.key, GUILDS)
    for i in range(4):
        scratch[i] = i
    shuffle(start, scratch, 4)
    for q in range(4):
        guild = scratch[q]
        g.guild[q] = guild
        g.guild_card[q] = below(draw(start, 8 + guild), t.guild_cards[guild])
    start = stream(g.key, SETUP_DICE)
    for i in range(5):
        scratch[i] = i
    shuffle(start, scratch, 5)
    for i in range(5):
        die = scratch[i]
        g.die_space[die] = (first + i) & 7
        g.dice_in[(first + i) & 7] += 1
        g.die_value[die] = 1 + below(draw(start, 8 + die), 6)


@jit
def setup_cathedral(g, t, scratch):
    """Plan, sections and workshop tiles."""
    g.plan = t.plan
    if t.plan < 0:
        g.plan = below(draw(stream(g.key, PLAN), 0), t.plans)
    g.towers = t.plan_towers[g.plan]
    s = 0
    for tower in range(g.towers):
        height = t.plan_height[g.plan, tower]
        g.first[tower] = s
        g.code[tower] = np.uint64(height)
        g.height[tower] = height
        g.claimed[tower] = 0
        g.value[tower] = 0
        for seat in range(4):
            g.presence[tower, seat] = 0
        for level in range(height):
            kind = 1
            if level == 0:
                kind = 0
            elif level == height - 1:
                kind = 2
            g.tower_of[s] = tower
            g.kind[s] = kind
            g.owner[s] = -1
            g.done[s] = 0
            g.ornament[s] = -1
            g.gems[s] = 0
            s += 1
    g.sections = s
    for kind in range(3):
        size = t.deck_size[kind]
        for i in range(size):
            scratch[i] = t.deck_start[kind] + i
        shuffle(stream(g.key, BASES + kind), scratch, size)
        g.bare[kind] = 0
        drawn = 0
        for s in range(g.sections):
            if g.kind[s] == kind:
                card = scratch[drawn]
                drawn += 1
                g.card[s] = card
                g.missing[s] = t.card_total[card]
                for m in range(6):
                    g.left[s, m] = t.card_cost[card, m]
                    g.laid[s, m] = 0
    for i in range(t.tiles):
        scratch[i] = t.tile_id[i]
    shuffle(stream(g.key, TILES), scratch, t.tiles)
    for s in range(g.sections):
        g.tile[s] = scratch[s]
