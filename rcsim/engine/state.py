"""The state of one game (GAME), the atomic actions, and the buffers that go with them.

The field list below is the documentation of a game in progress. All records are made by `new_games`,
`new_actions` and `new_log`, so that fields read like `g.rubles[seat]` with and without compilation.
"""

import numpy as np

from rcsim.columns import SEAT_COLUMNS
from rcsim.engine.jit import jit
from rcsim.rules.tables import MAX_CARDS, MAX_SECTIONS, MAX_TOWERS

i4 = np.int32

# Phases: what the player to move is asked.
(
    P_MAIN,  # a basic action (or sell, reroll)
    P_BUILD,  # at least one delivery made, more may follow
    P_MARKET,  # the die has arrived: market steps, then the roll
    P_DONE,  # the basic action is over: sell, reroll, end
    P_TAKE,  # how much of the next good of a tile that yields several
    P_BONUS,  # use or decline a bonus that has a price, at a claim
    P_PAY,  # one material of a price by choice
    P_MOVE,  # which die an effect moves
    P_ROLL,  # which space an effect rolls
    P_YIELD,  # which space's tile an effect yields
    P_GAIN,  # one material of a gain
    P_DELIVER,  # one delivery of an effect, or stop
    P_ACTIVATE,  # which workshop tile an influence action activates, or decline
    P_IVAN,  # Ivan's turn: nothing to choose
    P_IVAN_CLAIM,  # the human chooses Ivan's tower
    P_OVER,
) = range(16)

# Kinds of atomic action, with their operands.
(
    A_END,  # end of the turn
    A_SELL,
    A_REROLL,  # a: space
    A_CLAIM,  # a: tower, b: workshop space, c: 1 face up, 0 face down
    A_DELIVER,  # a: section, b: material
    A_ADORN,  # a: section, b: gems (GEMS_*)
    A_MOVE,  # a: die, b: extra spaces
    A_TAKE,  # a: amount wanted; 0 opens the choice for a tile with several goods
    A_INFLUENCE,  # a: action of the card
    A_WORKSHOP,  # a: workshop space
    A_ROLL,  # the roll that ends a market visit
    A_MATERIAL,  # a: material
    A_DIE,  # a: die
    A_SPACE,  # a: market space
    A_TILE,  # a: workshop space
    A_TOWER,  # a: tower
    A_USE,  # use the bonus
    A_STOP,  # decline, or no more deliveries
    A_IVAN,  # Ivan's turn
) = range(19)

# The gems of an ornament, and how many of each colour they are.
GEMS = ((), ("green_gem",), ("purple_gem",), ("green_gem", "green_gem"), ("purple_gem", "purple_gem"),
        ("green_gem", "purple_gem"))  # fmt: skip
GEMS_GREEN = np.array([g.count("green_gem") for g in GEMS], i4)
GEMS_PURPLE = np.array([g.count("purple_gem") for g in GEMS], i4)
GEMS_VALUE = np.array([0, 1, 1, 2, 2, 3], i4)  # index into the option ornament_prestige

GAME = np.dtype(
    [
        ("key", np.uint64),  # of the deal, for every draw
        ("path", np.uint64),  # tells the way that the game has come: the deal and all actions so far
        # progress
        ("turn", i4),  # over all seats, from 0
        ("seat", i4),  # whose turn it is
        ("phase", i4),  # P_*
        ("turns", i4, (4,)),  # complete turns of each seat
        ("finisher", i4),  # seat that ended the game, or -1
        ("truncated", i4),  # 1 if stopped by the turn cap
        ("steps", i4),  # atomic actions so far
        ("draws", i4, (4,)),  # random draws that each seat's player has used
        # the site; sections are numbered tower by tower, each from the bottom
        ("plan", i4),
        ("towers", i4),
        ("sections", i4),
        ("height", i4, (MAX_TOWERS,)),
        ("first", i4, (MAX_TOWERS,)),  # section number of each tower's base
        ("code", np.uint64, (MAX_TOWERS,)),  # tells the state of a tower: its height and all that was built
        ("claimed", i4, (MAX_TOWERS,)),  # claimed sections, always the lowest ones
        ("value", i4, (MAX_TOWERS,)),  # 2 for each finished section, 1 for each ornament
        ("presence", i4, (MAX_TOWERS, 4)),  # by seat: own banners on finished sections and own ornaments
        ("tower_of", i4, (MAX_SECTIONS,)),
        ("card", i4, (MAX_SECTIONS,)),  # section card
        ("kind", i4, (MAX_SECTIONS,)),  # 0 base, 1 middle, 2 dome
        ("tile", i4, (MAX_SECTIONS,)),  # workshop tile that lies, or lay, on it
        ("owner", i4, (MAX_SECTIONS,)),  # seat, or -1
        ("missing", i4, (MAX_SECTIONS,)),  # materials still needed
        ("left", i4, (MAX_SECTIONS, 6)),  # of each kind (Ivan's sections: see solo.py)
        ("laid", i4, (MAX_SECTIONS, 6)),  # materials lying on it
        ("done", i4, (MAX_SECTIONS,)),  # 1 once finished
        ("ornament", i4, (MAX_SECTIONS,)),  # seat whose ornament it bears, or -1
        ("gems", i4, (MAX_SECTIONS,)),  # GEMS_* of that ornament
        ("bare", np.int64, (3,)),  # finished sections without an ornament, by kind: bit s for section s
        # the market
        ("market", i4, (8,)),  # resource tile of each space
        ("guild", i4, (4,)),  # guild of each quadrant
        ("guild_card", i4, (4,)),  # card of each quadrant, within its guild
        ("die_space", i4, (5,)),
        ("die_value", i4, (5,)),
        ("die_rolls", i4, (5,)),  # rolls of each die this turn
        ("dice_in", i4, (8,)),  # dice in each space
        ("supply", i4, (6,)),
        # the players
        ("colour", i4, (4,)),  # -1 for Ivan
        ("marker", i4, (4,)),
        ("rubles", i4, (4,)),
        ("banners", i4, (4,)),  # left
        ("slots", i4, (4,)),  # open inventory slots
        ("held", i4, (4,)),  # materials in the inventory
        ("inv", i4, (4, 6)),
        ("space_tile", i4, (4, 6)),  # tile on each workshop space, or -1
        ("space_up", i4, (4, 6)),  # 1 face up
        ("ornaments", i4, (4, 3)),  # left: doors, arches, crosses
        ("locked", i4, (4, 3)),  # of those, not yet unlocked
        ("under_way", i4, (4, 6)),  # own unfinished sections, in order of claim
        ("unfinished", i4, (4,)),  # how many
        ("finished", i4, (4,)),  # finished sections
        ("placed", i4, (4,)),  # ornaments placed
        # this turn
        ("sold", i4),  # sales so far
        ("selling", i4),  # 1 while the last step was a sale
        ("rerolled", i4),
        ("deliveries", i4),  # left in the build action
        ("die", i4),  # moved die
        ("arrival", i4),  # arrival space, or -1
        ("took", i4),  # 1 once resources were taken
        ("influence", i4),  # action of the card used, or -1
        ("uses", i4),  # how often
        ("repeating", i4),  # 1 while that use may be repeated
        ("worked", i4),  # 1 once the die's workshop tile was used
        # a choice under way
        ("bonus", i4),  # P_BONUS: workshop space of the tile just placed
        ("want_good", i4),  # P_TAKE: good asked for
        ("want_slots", i4),  # slots that earlier goods will fill
        ("wanted", i4, (9,)),
        ("effect", i4),  # row of the effect in use
        ("part", i4),  # part to carry out next
        ("why", i4),  # EV_INFLUENCE or EV_WORKSHOP
        ("after", i4),  # phase to return to
        ("changed", i4),  # 1 once the use has changed something
        ("pay_left", i4),  # materials of choice to pay
        ("paid", i4, (6,)),
        ("need", i4, (6,)),  # materials of a gain still to come, given kinds
        ("any_left", i4),  # and by choice
        ("any_of", i4),  # set of kinds
        ("got", i4, (6,)),  # what has come
        ("deliver_left", i4),
        # Ivan
        ("ivan_inventory", i4, (6,)),
        ("ivan_construction", i4, (6,)),
        ("ivan_deck", i4, (5,)),
        ("ivan_next", i4),  # cards of the deck used
        ("ivan_decks", i4),  # shuffles so far
        # what the data will tell, by SEAT_COLUMNS
        ("ledger", i4, (4, len(SEAT_COLUMNS))),
    ],
    align=True,
)

MAX_ACTIONS = 512
ACTIONS = np.dtype([("n", i4), ("a", i4, (MAX_ACTIONS,))], align=True)  # a list of legal actions

LOG_ROWS = 1024  # far more than one atomic action can cause
LOG_WIDTH = 14
LOG = np.dtype([("on", i4), ("n", i4), ("row", i4, (LOG_ROWS, LOG_WIDTH))], align=True)


def records(dtype, n=1):
    """An array of `n` empty records, whose fields are attributes in compiled code and without it."""
    return np.zeros(n, dtype).view(np.recarray)


def new_games(n=1):
    """`n` empty games; `games[1] = games[0]` copies one."""
    return records(GAME, n)


def new_actions():
    """A buffer for `legal`: record with `n` and `a[:n]`."""
    return records(ACTIONS, 1)[0]


def new_log(on=False):
    """An event log (see events.py); off, it stays empty."""
    log = records(LOG, 1)[0]
    log.on = on
    return log


def scratch_cards():
    """A scratch array, large enough for any deck."""
    return np.zeros(MAX_CARDS, i4)


@jit
def pack_action(kind, a, b, c):
    """One action as an integer: kind in bits 0-5, a in 6-15, b in 16-23, c in 24-30."""
    return kind | (a << 6) | (b << 16) | (c << 24)


@jit
def action_kind(action):
    """A_* of an action."""
    return action & 63


@jit
def action_a(action):
    """First operand."""
    return (action >> 6) & 1023


@jit
def action_b(action):
    """Second operand."""
    return (action >> 16) & 255


@jit
def action_c(action):
    """Third operand."""
    return (action >> 24) & 127


@jit
def put(acts, kind, a, b, c):
    """Append an action to a list."""
    acts.a[acts.n] = kind | (a << 6) | (b << 16) | (c << 24)
    acts.n += 1


@jit
def free_slots(g, seat):
    """Open inventory slots without a material."""
    return g.slots[seat] - g.held[seat]
