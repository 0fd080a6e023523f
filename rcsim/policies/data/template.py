"""A player of your own. It plays under the name FILE:choose, as in

    rcsim sweep --games 10k --policy FILE:choose,greedy,greedy,greedy

As it is, it keeps two sections under way, and leaves all else to the greedy player.

Numba compiles it: plain numbers, tests and loops, no lists, dictionaries or strings. NUMBA_DISABLE_JIT=1 runs it as
plain Python, slowly, with print and breakpoints. The file stands alone: it may import packages, but not its neighbours.
"""

from numba import njit

from rcsim.engine.state import A_CLAIM, P_MAIN, action_a, action_c, action_kind
from rcsim.engine.turn import actor
from rcsim.policies.greedy import choose_greedy
from rcsim.policies.random import draw_below

AT_ONCE = 2  # sections under way


@njit  # what choose calls has to be decorated, choose need not be
def claim_worth(g, t, action):
    """What a claim is worth, in any unit: only the order counts."""
    tower = action_a(action)
    section = g.first[tower] + g.claimed[tower]
    card = g.card[section]
    worth = 3 * t.card_recognition[card] + t.card_rubles[card] - 2 * t.card_total[card]
    return worth + 2 * action_c(action)  # its workshop tile face up


def choose(g, t, acts, mind):
    """One of acts.a[:acts.n], the legal actions now; there always is one.

    g: the game so far (the fields of GAME in rcsim/engine/state.py), a copy that knows nothing of its future.
    t: the ruleset (TABLES in rcsim/rules/tables.py), only to be read.
    mind: room for notes within one decision (MIND in rcsim/policies/mind.py).

    Chance comes from draw_below alone: then the same seed gives the same games.
    """
    seat = actor(g)
    if g.phase == P_MAIN and g.unfinished[seat] < AT_ONCE:
        best = -1000
        ties = 0
        chosen = acts.a[0]
        for i in range(acts.n):
            action = acts.a[i]
            if action_kind(action) == A_CLAIM:
                worth = claim_worth(g, t, action)
                if worth > best:
                    best = worth
                    ties = 0
                if worth == best:  # all that are equally good have the same chance
                    ties += 1
                    if draw_below(g, ties) == 0:
                        chosen = action
        if ties > 0:
            return chosen
    return choose_greedy(g, t, acts, mind)
