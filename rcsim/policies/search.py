"""The search: it plays every promising action on to the end of the game, many times, and takes what does best.

A playout copies the game, hides its future (`blind.py`), carries a candidate out and lets the planner move all seats.
Playout i has the same future for every candidate, so that they differ by themselves and not by their luck. The budget
is shared by sequential halving: all candidates get the same number of playouts, the worse half is dropped, and so on.
What was measured on the way is in ARCHITECTURE.md.
"""

from typing import Any, NamedTuple

import numpy as np

from rcsim.columns import GAME_COLUMNS, seat_column
from rcsim.engine.jit import entry, guest, jit
from rcsim.engine.random import SEARCH, draw, stream
from rcsim.engine.scoring import score
from rcsim.engine.state import A_IVAN, MAX_ACTIONS, P_IVAN, P_OVER, new_games, new_log, records
from rcsim.engine.turn import actor, apply, legal
from rcsim.policies.blind import hide_future
from rcsim.policies.features import THOUSANDTHS
from rcsim.policies.planner.evaluation import rest_worth
from rcsim.policies.planner.exhaustive import permitted
from rcsim.policies.planner.scale import set_scale
from rcsim.policies.planner.turn import choose_planner
from rcsim.policies.planner.view import look_at

TOTAL = seat_column("total")
RANK = seat_column("rank")
WINNERS = seat_column("win_share")  # the ledger counts those who share the win

# A playout is worth the margin over the best rival, WIN if it is won, and the lead by the planner's evaluation after
# some rounds, which tells the candidates apart with less luck in it.
WIN = 10.0  # in prestige
LEAD = 0.5
ROUNDS = np.array([4, 8])  # not in solo: of Ivan the evaluation knows nothing
LAST = 30  # rounds after which a playout that does not come to an end is scored as it stands
PRIOR = 4.0  # weight of the lead after the turn itself, in which there is no luck but the dice that are left
LEAST = 4  # playouts that each candidate gets in the mean: if the budget is small, there are fewer candidates

SEARCHING = np.dtype(
    [
        ("n", np.int32),  # candidates left
        ("action", np.int32, (MAX_ACTIONS,)),
        ("worth", np.float64, (MAX_ACTIONS,)),  # sum over its playouts, in prestige
    ],
    align=True,
)


class Room(NamedTuple):
    """What a search works in; nothing in it outlives a decision."""

    games: Any  # [0] is the playout
    log: Any  # off
    search: Any  # SEARCHING
    row: Any  # of a game that is over; not looked at


def new_room() -> Room:
    """The buffers of a search."""
    return Room(new_games(), new_log(), records(SEARCHING)[0], np.zeros(len(GAME_COLUMNS), np.int32))


@guest
def choose_search(g, t, acts, mind, player, room):
    """The action whose playouts do best; player.budget is their number."""
    return search_from(g, t, acts, mind, player, room, draw(stream(g.key, SEARCH), g.steps))


@entry
def search_from(g, t, acts, mind, player, room, start):
    """The same with a stream of its own futures; nothing else is known of what is to come."""
    legal(g, t, acts)
    if acts.n == 1:
        return np.int64(acts.a[0])
    list_candidates(g, t, acts, mind, player, room, start)
    s = room.search
    seat = actor(g)
    left = player.budget
    done = 0  # playouts of each candidate so far
    while s.n > 1 and left >= s.n:
        each = max(1, left // (s.n * halvings(s.n)))
        for i in range(s.n):
            for playout in range(done, done + each):
                s.worth[i] += play_out(g, t, acts, mind, player, room, s.action[i], seat, draw(start, playout))
        left -= each * s.n
        done += each
        keep_best(s, (s.n + 1) // 2)
    return np.int64(s.action[0])


@jit
def halvings(n):
    """How often n candidates are halved until one is left."""
    times = 0
    while n > 1:
        n = (n + 1) // 2
        times += 1
    return times


@jit
def list_candidates(g, t, acts, mind, player, room, start):
    """The planner's own choice, and the actions after which the turn, played on by the planner, leads farthest."""
    s = room.search
    seat = actor(g)
    copy = room.games[0]
    room.games[0] = g
    hide_future(copy, start)
    own = choose_planner(copy, t, acts, mind, player)
    legal(g, t, acts)  # once more: the planner uses the list
    s.n = 0
    for i in range(acts.n):
        if acts.a[i] == own or permitted(g, seat, acts.a[i], player.limits):
            s.action[s.n] = acts.a[i]
            s.n += 1
    for i in range(s.n):
        room.games[0] = g
        hide_future(copy, start)
        apply(copy, t, room.log, s.action[i])
        while copy.turn == g.turn and copy.phase != P_OVER:
            apply(copy, t, room.log, next_inner(copy, t, acts, mind, player))
        s.worth[i] = PRIOR * lead(copy, t, seat, player, mind)
    keep_best(s, s.n)
    most = max(1, player.budget // LEAST)
    for i in range(most, s.n):
        if s.action[i] == own:
            s.action[most - 1] = own
            s.worth[most - 1] = s.worth[i]
    s.n = min(s.n, most)


@jit
def keep_best(s, n):
    """Sort the candidates by worth, the earlier of equals first, and forget all but the first n."""
    for i in range(1, s.n):
        action = s.action[i]
        worth = s.worth[i]
        j = i
        while j > 0 and s.worth[j - 1] < worth:
            s.action[j] = s.action[j - 1]
            s.worth[j] = s.worth[j - 1]
            j -= 1
        s.action[j] = action
        s.worth[j] = worth
    s.n = min(s.n, n)


@jit
def next_inner(g, t, acts, mind, player):
    """The next action where the planner plays all seats."""
    if g.phase == P_IVAN:
        return A_IVAN
    return choose_planner(g, t, acts, mind, player)


@jit
def play_out(g, t, acts, mind, player, room, action, seat, key):
    """What a game that goes on with the action is worth to the seat, in the future of that key."""
    room.games[0] = g
    copy = room.games[0]
    hide_future(copy, key)
    apply(copy, t, room.log, action)
    worth = 0.0
    looks = 0
    if not t.solo:
        for rounds in ROUNDS:
            while copy.turn < g.turn + rounds * t.seats and copy.phase != P_OVER:
                apply(copy, t, room.log, next_inner(copy, t, acts, mind, player))
            if copy.phase != P_OVER:
                worth += LEAD * lead(copy, t, seat, player, mind)
                looks += 1
    last = g.turn + LAST * t.seats
    while copy.turn < last and copy.phase != P_OVER:
        apply(copy, t, room.log, next_inner(copy, t, acts, mind, player))
    score(copy, t, room.row)
    weight = 1.0
    if not t.solo:
        weight += LEAD * (len(ROUNDS) - looks)
    worth += weight * margin(copy, t, seat)
    if copy.ledger[seat, RANK] == 1:
        worth += WIN / copy.ledger[seat, WINNERS]
    return worth


@jit
def margin(g, t, seat):
    """Total less that of the best rival, of a game that was scored."""
    best = -1000
    for other in range(t.seats):
        if other != seat:
            best = max(best, g.ledger[other, TOTAL])
    return g.ledger[seat, TOTAL] - best


@jit
def lead(g, t, seat, player, mind):
    """By how much the position is worth more to the seat than to its rivals in the mean, in prestige."""
    others = 0
    for other in range(t.seats):
        if other != seat:
            others += position_worth(g, t, other, player, mind)
    return (position_worth(g, t, seat, player, mind) - others / (t.seats - 1)) / THOUSANDTHS


@jit
def position_worth(g, t, seat, player, mind):
    """The planner's evaluation, in thousandths of a prestige."""
    set_scale(g, t, seat, player, mind)
    look_at(g, t, seat, mind.views[0], mind)
    return mind.views[0].worth + rest_worth(g, t, seat, player, mind)
