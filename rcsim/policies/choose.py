"""Dispatch from a player's id to its choice.

The search and a designer's own players are not among them: they have loops of their own (`engine/run.py`), so that
nobody compiles what no seat plays.
"""

from rcsim.engine.jit import jit
from rcsim.policies.builder import choose_builder
from rcsim.policies.greedy import choose_greedy
from rcsim.policies.planner.turn import choose_planner
from rcsim.policies.random import choose_random

RANDOM, BUILDER, GREEDY, PLANNER, SEARCH, CUSTOM = range(6)


@jit
def choose_action(g, t, acts, mind, player):
    """The action that a player takes in a game that is not over; `acts` and `mind` are its buffers."""
    if player.policy == PLANNER:
        return choose_planner(g, t, acts, mind, player)
    return choose_quickly(g, t, acts, mind, player)


@jit
def choose_quickly(g, t, acts, mind, player):
    """`choose_action` of a player that is no planner."""
    policy = player.policy
    if policy == GREEDY:
        return choose_greedy(g, t, acts, mind)
    if policy == BUILDER:
        return choose_builder(g, t, acts)
    return choose_random(g, t, acts)
