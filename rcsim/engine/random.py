"""Keyed randomness: root seed, deal, purpose and counter determine a draw, and nothing else does.

splitmix64 (Steele, Lea, Flood 2014; reference code by Vigna, public domain). Chosen over Philox4x32-10, which
costs about four times as much a draw here: 64 bits of state hashed twice (deal, purpose) are ample for streams of
a few thousand draws, and the sequence has published test vectors, which the tests check.

A stream is the splitmix64 sequence that starts at the state `stream(key, purpose)`; draw number `counter` of it
is found directly, without the ones before.
"""

import numpy as np

from rcsim.engine.jit import entry, wrapping

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
U1 = np.uint64(1)
U27 = np.uint64(27)
U30 = np.uint64(30)
U31 = np.uint64(31)
U32 = np.uint64(32)

# Purposes. Each has a stream of its own in every deal: a draw for one never shifts another.
(
    COLOURS,  # who has which colour
    MARKET,  # resource tiles onto spaces
    GUILDS,  # influence cards: which, and where
    SETUP_DICE,  # order and first faces of the dice
    PLAN,
    BASES,
    MIDDLES,
    DOMES,
    TILES,  # workshop tiles onto sections
    DICE,  # every later roll
    IVAN,  # order of Ivan's cards
    SEARCH,  # players that look ahead
    PLAYER,  # PLAYER + seat: that seat's own choices
) = range(13)


@wrapping
@entry
def mix(z):
    """The output function of splitmix64: a bijection of 64 bits."""
    z = np.uint64(z)
    z = (z ^ (z >> U30)) * MIX_1
    z = (z ^ (z >> U27)) * MIX_2
    return z ^ (z >> U31)


@wrapping
@entry
def deal_key(seed, deal):
    """Key of one deal under a root seed (both 64-bit)."""
    return mix(mix(np.uint64(seed) + GOLDEN) + (np.uint64(deal) + U1) * GOLDEN)


@wrapping
@entry
def stream(key, purpose):
    """State from which the stream of a purpose starts in the deal of `key`."""
    return mix(np.uint64(key) + (np.uint64(purpose) + U1) * GOLDEN)


@wrapping
@entry
def draw(start, counter):
    """Draw number `counter` (from 0), 64 bits, of the stream that starts at `start`."""
    return mix(np.uint64(start) + (np.uint64(counter) + U1) * GOLDEN)


@wrapping
@entry
def below(bits, n):
    """A whole number in 0..n-1 from 64 random bits, by multiplication (bias below n / 2**32)."""
    return np.int64(((bits >> U32) * np.uint64(n)) >> U32)


@entry
def shuffle(start, items, n):
    """Shuffle items[:n] in place (Fisher and Yates), with draws 0..n-2 of the stream."""
    for i in range(n - 1, 0, -1):
        j = below(draw(start, n - 1 - i), i + 1)
        x = items[i]
        items[i] = items[j]
        items[j] = x
