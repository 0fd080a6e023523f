"""The vocabulary of the game, in the fixed order that every index in the package follows.

The position of a name in its tuple is its integer code in the engine, in the traces and in the data.
Plain Python without dependencies: every room may import it.
"""

MATERIALS = ("wood", "brick", "stone", "gold", "green_gem", "purple_gem")
COLOURS = ("red", "blue", "green", "yellow", "white")  # dice; players have one of the first four
PLAYER_COLOURS = COLOURS[:4]
GUILDS = ("artisans", "carriers", "merchants", "clergy")
SECTION_KINDS = ("base", "middle", "dome")
ORNAMENTS = ("door", "arch", "cross")  # each fits the section kind at the same position
BOARDS = ("basic", "advanced")
SOLO_CARDS = ("points", "inventory", "transport", "claim", "construction")

# What a gain or a pay may name, in the order in which an effect carries its parts out.
GOODS = ("rubles", "recognition", "prestige", *MATERIALS)

MARKET_SPACES = 8
QUADRANTS = 4
WORKSHOP_SPACES = 6
