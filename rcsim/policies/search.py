"""The search: it plays every promising action on to see what comes of it, many times, with futures of its own.

A playout copies the game, hides its future (`blind.py`), carries a candidate out and lets the inner player move all
seats. Playout i has the same future for every candidate, so that they differ by themselves and not by their luck.
"""

from typing import NamedTuple

import numpy as np

from rcsim.columns import GAME_COLUMNS, seat_column
from rcsim.engine.jit import entry, guest, jit
from rcsim.engine.random import SEARCH, draw, stream
from rcsim.engine.scoring import score
from rcsim.engine.state import A_IVAN, MAX_ACTIONS, P_IVAN, P_OVER, new_games, new_log, records
from rcsim.engine.turn import actor, apply, legal
from rcsim.policies.blind import hide_future
from rcsim.policies.greedy import choose_greedy

TOTAL = seat_column("total")
RANK = seat_column("rank")
WIN_SHARE = seat_column("win_share")

SEARCHING = np.dtype(
    [
        ("n", np.int32),  # candidates left
        ("action", np.int32, (MAX_ACTIONS,)),  # each, the inner player's own choice first
        ("worth", np.float64, (MAX_ACTIONS,)),  # sum of what its playouts were worth
    ],
    align=True,
)


class Room(NamedTuple):
    """What a search works in; nothing in it outlives a decision."""

    games: np.ndarray  # of one game, the playout
    log: np.record  # off
    search: np.record  # SEARCHING
    row: np.ndarray  # of a game that is over, not looked at


def new_room():
    """Buffers of a search."""
    return Room(new_games(), new_log(), records(SEARCHING)[0], np.zeros(len(GAME_COLUMNS), np.int32))


@guest
def choose_search(g, t, acts, mind, player, room):
    """The action whose playouts end best."""
    return search_from(g, t, acts, mind, player, room, draw(stream(g.key, SEARCH), g.steps))


@entry
def search_from(g, t, acts, mind, player, room, start):
    """The same, with the stream of its futures as an argument; nothing else of the game's key is looked at."""
    legal(g, t, acts)
    if acts.n == 1:
        return np.int64(acts.a[0])
    s = room.search
    list_candidates(g, t, acts, mind, player, room, start)
    seat = actor(g)
    left = player.budget
    done = 0  # playouts of each candidate that is left
    while s.n > 1 and left >= s.n:
        rounds = 0
        n = s.n
        while n > 1:
            rounds += 1
            n = (n + 1) // 2
        each = max(1, left // (rounds * s.n))
        for i in range(s.n):
            for playout in range(done, done + each):
                s.worth[i] += play_out(g, t, acts, mind, player, room, s.action[i], seat, draw(start, playout))
        left -= each * s.n
        done += each
        keep_best(s, (s.n + 1) // 2)
    keep_best(s, 1)
    return np.int64(s.action[0])


@jit
def list_candidates(g, t, acts, mind, player, room, start):
    """The actions worth trying, the inner player's own choice first."""
    s = room.search
    s.n = acts.n
    for i in range(acts.n):
        s.action[i] = acts.a[i]
        s.worth[i] = 0
    copy = room.games[0]
    room.games[0] = g
    hide_future(copy, start)
    own = choose_greedy(copy, t, acts, mind)
    for i in range(s.n):
        if s.action[i] == own:
            s.action[i] = s.action[0]
            s.action[0] = own


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
def play_out(g, t, acts, mind, player, room, action, seat, key):
    """What a game that goes on with the action is worth to the seat, in one future."""
    room.games[0] = g
    copy = room.games[0]
    hide_future(copy, key)
    apply(copy, t, room.log, action)
    while copy.phase != P_OVER:
        if copy.phase == P_IVAN:
            apply(copy, t, room.log, A_IVAN)
        else:
            apply(copy, t, room.log, choose_greedy(copy, t, acts, mind))
    score(copy, t, room.row)
    return worth_of(copy, t, seat)


@jit
def worth_of(g, t, seat):
    """Share of the win, and a little for the margin over the best rival."""
    best = -1000
    for other in range(t.seats):
        if other != seat:
            best = max(best, g.ledger[other, TOTAL])
    margin = g.ledger[seat, TOTAL] - best
    share = 0.0
    if g.ledger[seat, RANK] == 1:
        share = 1.0 / g.ledger[seat, WIN_SHARE]
    return share + 0.01 * margin
