"""The game loop: whole games, and ranges of games into rows of numbers.

Line-ups of planners have a loop of their own, those without a planner another, those with a search or a designer's own
functions a third (`guests.py`), so that nobody waits for the compilation of a player that does not sit at the table.
`driver` alone decides which.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rcsim.engine.jit import entry, jit
from rcsim.engine.scoring import score
from rcsim.engine.setup import setup
from rcsim.engine.state import A_IVAN, P_IVAN, P_OVER, new_actions, new_games, new_log, scratch_cards
from rcsim.engine.turn import actor, apply, legal
from rcsim.policies.choose import PLANNER, RANDOM, SEARCH, choose_action, choose_quickly
from rcsim.policies.mind import new_mind
from rcsim.policies.planner.turn import choose_planner
from rcsim.policies.random import choose_random


@entry
def next_action(g, t, acts, mind, lineup):
    """The action that the line-up (PLAYER records by seat) takes next in a game that is not over."""
    if g.phase == P_IVAN:
        return A_IVAN
    return choose_action(g, t, acts, mind, lineup[actor(g)])


@jit
def next_planned(g, t, acts, mind, lineup):
    """`next_action` of a line-up of planners and random players."""
    if g.phase == P_IVAN:
        return A_IVAN
    player = lineup[actor(g)]
    return choose_planner(g, t, acts, mind, player) if player.policy == PLANNER else choose_random(g, t, acts)


@jit
def next_quick(g, t, acts, mind, lineup):
    """`next_action` of a line-up without a planner."""
    return A_IVAN if g.phase == P_IVAN else choose_quickly(g, t, acts, mind, lineup[actor(g)])


# Steps for callers in Python, who pass whole arrays: a record as an argument costs several microseconds.


@entry
def list_legal(games, tables, acts):
    """List the legal actions of games[0] in acts[0]."""
    legal(games[0], tables[0], acts[0])


@entry
def carry_out(games, tables, logs, action):
    """Apply an action to games[0]; its events are in logs[0]."""
    logs[0].n = 0
    apply(games[0], tables[0], logs[0], action)


@entry
def _ask(games, tables, acts, minds, lineup):
    return next_action(games[0], tables[0], acts[0], minds[0], lineup)


@entry
def _ask_planned(games, tables, acts, minds, lineup):
    return next_planned(games[0], tables[0], acts[0], minds[0], lineup)


@entry
def _ask_quick(games, tables, acts, minds, lineup):
    return next_quick(games[0], tables[0], acts[0], minds[0], lineup)


@jit
def write_rows(g, t, i, game_rows, seat_rows):
    """Score a game that is over: its rows are the i-th."""
    score(g, t, game_rows[i])
    for seat in range(t.seats):
        for column in range(seat_rows.shape[1]):  # a slice at once: a second more to compile, for messages of errors
            seat_rows[i * t.seats + seat, column] = g.ledger[seat, column]


@entry
def _play(tables, lineup, seed, first, game_rows, seat_rows, games, acts, mind, log, scratch):
    t = tables[0]
    g = games[0]
    for i in range(game_rows.shape[0]):
        setup(g, t, seed, first + i, scratch)
        while g.phase != P_OVER:
            apply(g, t, log, next_action(g, t, acts, mind, lineup))
        write_rows(g, t, i, game_rows, seat_rows)


@entry
def _play_planned(tables, lineup, seed, first, game_rows, seat_rows, games, acts, mind, log, scratch):
    t = tables[0]
    g = games[0]
    for i in range(game_rows.shape[0]):
        setup(g, t, seed, first + i, scratch)
        while g.phase != P_OVER:
            apply(g, t, log, next_planned(g, t, acts, mind, lineup))
        write_rows(g, t, i, game_rows, seat_rows)


@entry
def _play_quick(tables, lineup, seed, first, game_rows, seat_rows, games, acts, mind, log, scratch):
    t = tables[0]
    g = games[0]
    for i in range(game_rows.shape[0]):
        setup(g, t, seed, first + i, scratch)
        while g.phase != P_OVER:
            apply(g, t, log, next_quick(g, t, acts, mind, lineup))
        write_rows(g, t, i, game_rows, seat_rows)


class Driver(NamedTuple):
    """How a line-up is played; both functions raise PlayerError if a designer's own player fails.

    `ask(games, tables, acts, minds, lineup)` is the action that the line-up takes next in games[0]; a driver is for one
    thread then. `play` has the arguments of `_play`, and any thread may call it.
    """

    ask: Callable[..., int]
    play: Callable[..., None]


def driver(lineup: Any) -> Driver:
    """What plays a line-up (PLAYER records by seat)."""
    policies = set(lineup["policy"].tolist())
    if PLANNER in policies and policies <= {PLANNER, RANDOM}:
        return Driver(_ask_planned, _play_planned)
    if max(policies) < PLANNER:
        return Driver(_ask_quick, _play_quick)
    if max(policies) < SEARCH:
        return Driver(_ask, _play)
    from rcsim.engine.guests import guest_driver

    return Driver(*guest_driver(lineup))


def play_range(tables, lineup, seed, first, game_rows, seat_rows):
    """Play deals first, first + 1, ... and fill the rows; any split into ranges gives the same numbers.

    Args:
        tables: array of one TABLES record (see `rcsim.rules.pack`).
        lineup: PLAYER records by seat, shape (4,) (see `rcsim.policies.lineup`); Ivan's is not read.
        seed: root seed, 0 .. 2**64 - 1.
        first: index of the first deal.
        game_rows: int32 (n, len(GAME_COLUMNS)), filled.
        seat_rows: int32 (n * seats, len(SEAT_COLUMNS)), filled in order of game and seat.

    Releases the GIL while it runs, and keeps all its state in buffers of its own: safe to call from threads.
    Raises PlayerError if a designer's own player fails.
    """
    driver(lineup).play(
        tables.view(np.recarray),
        lineup.view(np.recarray),
        np.uint64(seed),
        np.int64(first),
        game_rows,
        seat_rows,
        new_games(),
        new_actions(),
        new_mind(),
        new_log(),
        scratch_cards(),
    )
