"""The random player: uniform over the full list of legal steps."""

from rcsim.engine.jit import jit
from rcsim.engine.random import PLAYER, below, draw, stream
from rcsim.engine.turn import actor, legal


@jit
def draw_below(g, n):
    """A whole number in 0..n-1 from the private stream of the seat to act."""
    seat = actor(g)
    bits = draw(stream(g.key, PLAYER + seat), g.draws[seat])
    g.draws[seat] += 1
    return below(bits, n)


@jit
def choose_random(g, t, acts):
    """One of the legal actions, all equally likely."""
    legal(g, t, acts)
    if acts.n == 1:
        return acts.a[0]
    return acts.a[draw_below(g, acts.n)]
