"""TABLES: one ruleset, for one player count and board, packed into a read-only record.

The packer (`rcsim.rules.pack`) fills it, the engine only reads it. Every limit below is checked when a
ruleset is packed, because compiled code checks no bounds.
"""

import numpy as np

MAX_PLAYERS = 4
MAX_TOWERS = 6
MAX_SECTIONS = 36  # in one plan
MAX_PLANS = 32  # for one player count
MAX_CARDS = 128  # section cards over the three decks
MAX_TILES = 64  # workshop tiles
MAX_GUILD_CARDS = 8  # influence cards in one guild
MAX_LAP = 256  # track positions in one lap
MAX_SLOTS = 16  # open and covered ones
MAX_EFFECTS = 2 * 4 * MAX_GUILD_CARDS + MAX_TILES

# Columns of a row of TABLES.effects: one effect of the vocabulary (docs/rules.md section 9).
# Amounts are 0 where the part is absent.
(
    E_HAS_PAY,  # 1 if the effect has a price of any kind
    E_PAY_RUBLES,
    E_PAY_RECOGNITION,
    E_PAY_PRESTIGE,
    E_PAY_WOOD,  # six columns, one for each material
    _, _, _, _, _,
    E_PAY_MATERIALS,  # sum of the six given ones (without `any`)
    E_PAY_ANY,  # n materials of a set by choice
    E_PAY_ANY_OF,  # the set, bit m for material m
    E_MOVE,  # 1 if there is a move part
    E_MOVE_DIE,  # die 0..4, or ANY
    E_MOVE_STEPS,  # 1..7
    E_ROLL,  # ROLL_NONE, ROLL_ARRIVAL, ROLL_ANY
    E_YIELD,  # YIELD_NONE, YIELD_DIE, YIELD_SPACE
    E_YIELD_ARG,  # YIELD_DIE: die 0..4 or ANY; YIELD_SPACE: +1 or -1 from the arrival space
    E_GAIN_RUBLES,
    E_GAIN_RECOGNITION,
    E_GAIN_PRESTIGE,
    E_GAIN_WOOD,  # six columns
    _, _, _, _, _,
    E_GAIN_MATERIALS,  # sum of the six given ones
    E_GAIN_ANY,
    E_GAIN_ANY_OF,
    E_DELIVER,  # up to n deliveries to own sections
    E_ACTIVATE,  # 1 if there is an activate part
    E_ACTIVATE_COLOUR,  # colour 0..4 (4 is white), or ANY
    E_PAYS,  # set of goods (bit i for the i-th of GOODS) that the price may take
    E_GIVES,  # set of goods that the gain may bring
    EFFECT_COLUMNS,
) = range(37)  # fmt: skip

ANY = -1
ROLL_NONE, ROLL_ARRIVAL, ROLL_ANY = range(3)
YIELD_NONE, YIELD_DIE, YIELD_SPACE = range(3)

# Values of the enumerated options.
SHARES_HALVING, SHARES_FLAT_THIRD = range(2)  # tower_shares
SHARES_2P_THIRD, SHARES_2P_AS_MORE = range(2)  # tower_shares_2p
OPTIONAL_BOTH, OPTIONAL_ONE_KIND = range(2)  # optional_actions
SELL_ONE, SELL_ANY = range(2)  # sell_moments

i4 = np.int32

TABLES = np.dtype(
    [
        # who plays
        ("players", i4),  # human players, 1..4
        ("seats", i4),  # players, or 2 in solo, where Ivan is seat 1
        ("solo", i4),  # 1 if Ivan plays
        ("board", i4),  # index into BOARDS
        ("colours", i4, (4,)),  # fixed colour of each seat, or -1: drawn for each deal
        ("start_rubles", i4, (4,)),  # by seat
        ("plan", i4),  # fixed plan (index into the plans below), or -1: drawn for each deal
        # options (docs/rules.md section 11)
        ("tower_shares", i4),
        ("tower_shares_2p", i4),
        ("optional_actions", i4),
        ("sell_moments", i4),
        ("sell_rubles", i4),
        ("finisher_bonus", i4),  # prestige; 0 in solo
        ("penalty", i4),  # 0 or 1
        ("penalty_floor", i4),  # track position
        ("deliveries", i4),
        ("dice_limit", i4),
        ("extra_space_price", i4),  # rubles a space
        ("leftover_divisor", i4),
        ("banners", i4),
        ("end_sections", i4),
        ("slots_open", i4),
        ("slots_covered", i4),
        ("ornament_prestige", i4, (4,)),  # no gem, one, two alike, two different
        ("first_seat", i4),
        ("max_repeats", i4),
        ("turn_cap", i4),  # turns a seat
        # track; positions count from 0, prestige spaces lie in 1..lap
        ("track_start", i4),
        ("lap", i4),
        ("lap_prestige", i4),  # prestige spaces in one lap
        ("prestige_count", i4, (MAX_LAP + 1,)),  # prestige spaces in 1..p, for p = 0..lap
        ("prestige_position", i4, (MAX_LAP + 1,)),  # [n]: position of the n-th space, n = 1..lap_prestige
        ("prestige_smooth", i4, (MAX_LAP + 1,)),  # [p]: thousandths, with the way to the next space counted in
        ("least_step", i4),  # what the cheapest step of these is worth
        # supply
        ("supply", i4, (6,)),
        # plans of this player count
        ("plans", i4),  # how many
        ("plan_towers", i4, (MAX_PLANS,)),
        ("plan_height", i4, (MAX_PLANS, MAX_TOWERS)),
        # section cards: bases, then middles, then domes
        ("deck_start", i4, (3,)),  # first card of each kind
        ("deck_size", i4, (3,)),
        ("card_kind", i4, (MAX_CARDS,)),
        ("card_cost", i4, (MAX_CARDS, 6)),
        ("card_total", i4, (MAX_CARDS,)),  # materials in all
        ("card_recognition", i4, (MAX_CARDS,)),
        ("card_rubles", i4, (MAX_CARDS,)),
        # resource tiles
        ("recognition_tile", i4),  # the tile at whose space the first die starts
        ("tile_gain", i4, (8, 9)),  # amounts by GOODS
        ("tile_kinds", i4, (8,)),  # how many goods the tile yields
        ("tile_good", i4, (8,)),  # the first good it yields (index into GOODS)
        ("tile_gives", i4, (8,)),  # set of the goods it yields
        # influence cards: guild, card in guild -> effect of action a is row guild_effect[guild, card] + a
        ("guild_cards", i4, (4,)),  # how many
        ("guild_effect", i4, (4, MAX_GUILD_CARDS)),
        ("effect_once", i4, (MAX_EFFECTS,)),  # 1: lightning, 0: infinity; 1 for workshop tiles
        # workshop tiles: in play for this player count ("+" tiles are left out below three players)
        ("tiles", i4),  # how many
        ("tile_id", i4, (MAX_TILES,)),  # index into the ruleset's list of workshop tiles, i-th in play
        ("tile_effect", i4, (MAX_TILES,)),  # effect row, by index into the ruleset's list
        # effects
        ("effects", i4, (MAX_EFFECTS, EFFECT_COLUMNS)),
        # workshop spaces
        ("space_colour", i4, (6,)),
        ("space_price", i4, (6,)),  # rubles face up, on this board
        ("space_unlocks", i4, (6,)),  # ornament unlocked by a face-up tile, or -1 (basic board: all -1)
        ("ornaments_locked", i4, (3,)),  # door, arch, cross locked at the start (basic board: all 0)
        # solo
        ("ivan_points", i4),  # recognition of his points card, level included
        ("ivan_inventory", i4),  # materials his inventory card takes
        ("ivan_die", i4, (5,)),  # die of each card, by SOLO_CARDS
    ],
    align=True,
)
