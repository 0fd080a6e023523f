"""Copies of a game that do not know its future."""

from rcsim.engine.jit import entry
from rcsim.engine.random import SEARCH, below, draw, stream
from rcsim.engine.solo import CARDS


@entry
def hide_future(g, key):
    """Give the copy of a game another future: its rolls, its players' private draws, and the cards Ivan has not drawn.

    All of the future follows from the key, except the rest of Ivan's deck, which is laid out already. The new one
    must not depend on the order of the old, so the cards are first sorted.
    """
    g.key = key
    g.path ^= key  # a plan for the game itself is none for its copy
    if g.ivan_next == 0 or g.ivan_next == CARDS:  # the next deck is laid out by the key
        return
    drawn = 0
    for i in range(g.ivan_next):
        drawn |= 1 << g.ivan_deck[i]
    i = g.ivan_next
    for card in range(CARDS):
        if not (drawn >> card) & 1:
            g.ivan_deck[i] = card
            i += 1
    start = stream(key, SEARCH)
    for i in range(CARDS - 1, g.ivan_next, -1):
        j = g.ivan_next + below(draw(start, i), i - g.ivan_next + 1)
        card = g.ivan_deck[i]
        g.ivan_deck[i] = g.ivan_deck[j]
        g.ivan_deck[j] = card
