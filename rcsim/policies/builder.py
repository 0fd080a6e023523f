"""The builder: random, but it delivers or adorns whenever it can.

Fewer of its games than of the purely random player's run into the dead end of a full inventory that fits nothing,
so that tests over random play see endings; with few players many still do.
"""

from rcsim.engine.jit import jit
from rcsim.engine.state import A_ADORN, A_DELIVER, action_kind
from rcsim.engine.turn import legal
from rcsim.policies.random import draw_below


@jit
def choose_builder(g, t, acts):
    """A random delivery or ornament if there is one, else a random legal action."""
    legal(g, t, acts)
    kept = 0
    for i in range(acts.n):
        kind = action_kind(acts.a[i])
        if kind == A_DELIVER or kind == A_ADORN:
            acts.a[kept] = acts.a[i]
            kept += 1
    n = kept if kept > 0 else acts.n
    if n == 1:
        return acts.a[0]
    return acts.a[draw_below(g, n)]
