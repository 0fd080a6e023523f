"""The game loop for line-ups with guests: players that are compiled apart, the search and a designer's own functions.

It gets them as function pointers. So it is compiled once and kept in the cache like everything else; nobody waits for a
search that does not play, and a designer's function costs no more than its own compilation. That one gets a copy of
the game with another future, so that it can neither spoil the game nor look ahead, and what it returns is looked up
among the legal actions every time.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numba import config, from_dtype, typeof, types

from rcsim.engine import state
from rcsim.engine.jit import entry, guest, jit
from rcsim.engine.random import PLAYER, draw, stream
from rcsim.engine.run import next_action, write_rows
from rcsim.engine.setup import setup
from rcsim.engine.state import P_IVAN, P_OVER, new_games, records
from rcsim.engine.turn import actor, apply, legal
from rcsim.policies.blind import hide_future
from rcsim.policies.choose import CUSTOM, SEARCH
from rcsim.policies.custom import SIGNATURE, Own, own, told
from rcsim.policies.errors import PlayerError
from rcsim.policies.mind import MIND
from rcsim.policies.player import PLAYER as PLAYER_RECORD
from rcsim.policies.player import SEATS
from rcsim.policies.search import choose_search, new_room

GAME, STEP, SEAT, ACTION, LEGAL, PLACE = range(6)  # where a line-up stands: told if a function fails
NOT_LEGAL = -1  # in place of an action
KINDS = {value: name for name, value in vars(state).items() if name.startswith("A_")}

SEARCH_SIGNATURE = types.int64(*SIGNATURE.args, from_dtype(PLAYER_RECORD), typeof(new_room()))
POINTERS = types.FunctionType(SEARCH_SIGNATURE), types.UniTuple(types.FunctionType(SIGNATURE), SEATS)


@guest
def no_search(g, t, acts, mind, player, room):
    """In the place of a search where nobody searches."""
    return np.int64(NOT_LEGAL)


@guest
def no_own(g, t, acts, mind):
    """In the place of an own function at a seat without one."""
    return np.int64(NOT_LEGAL)


@jit
def next_of_all(search, owns, g, t, acts, mind, notes, lineup, room, copies, place):
    """The action that the line-up takes next; NOT_LEGAL, and what was returned in `place`, if a function fails.

    An own function has `notes` of its own: in a planner's it could leave it wrong worths.
    """
    if g.phase != P_IVAN:
        seat = actor(g)
        player = lineup[seat]
        if player.policy == SEARCH:
            return search(g, t, acts, mind, player, room)
        if player.policy == CUSTOM:
            place[STEP] = g.steps
            place[SEAT] = seat
            copies[0] = g
            copy = copies[0]
            hide_future(copy, draw(stream(g.key, PLAYER + seat), g.steps))
            legal(g, t, acts)
            action = owns[seat](copy, t, acts, notes)
            legal(g, t, acts)  # once more: the function may have written into the list
            for i in range(acts.n):
                if acts.a[i] == action:
                    return action
            place[ACTION] = action
            place[LEGAL] = acts.n
            return NOT_LEGAL
    return next_action(g, t, acts, mind, lineup)


@entry
def _ask(search, owns, games, tables, acts, minds, lineup, room, copies, notes, place):
    return next_of_all(search, owns, games[0], tables[0], acts[0], minds[0], notes[0], lineup, room, copies, place)


@entry
def _play(
    search,
    owns,
    tables,
    lineup,
    seed,
    first,
    game_rows,
    seat_rows,
    games,
    acts,
    mind,
    log,
    scratch,
    room,
    copies,
    notes,
    place,
):
    t = tables[0]
    g = games[0]
    for i in range(game_rows.shape[0]):
        place[GAME] = first + i
        setup(g, t, seed, first + i, scratch)
        while g.phase != P_OVER:
            action = next_of_all(search, owns, g, t, acts, mind, notes[0], lineup, room, copies, place)
            if action == NOT_LEGAL:
                return action
            apply(g, t, log, action)
        write_rows(g, t, i, game_rows, seat_rows)
    return 0


def guest_driver(lineup: Any) -> tuple[Callable[..., int], Callable[..., None]]:
    """`ask` and `play` of a `Driver` (`run.py`), for a line-up with guests."""
    search = choose_search if (lineup["policy"] == SEARCH).any() else no_search
    at = [own(int(p["custom"])) if p["policy"] == CUSTOM else None for p in lineup]
    owns = tuple(no_own if one is None else one.function for one in at)
    room, copies, notes = new_room(), new_games(), records(MIND)

    def ask(*arguments: Any) -> int:
        with _failing(at) as place:
            return _legal(_call(_ask, search, owns, *arguments, room, copies, notes, place), at, place)

    def play(*arguments: Any) -> None:
        with _failing(at) as place:
            _legal(_call(_play, search, owns, *arguments, new_room(), new_games(), records(MIND), place), at, place)

    return ask, play


_entries: dict[Any, Callable[..., Any]] = {}


def _call(function: Any, search: Any, owns: Any, *arguments: Any) -> int:
    """Call an entry with pointers. Left to itself Numba would compile it anew for every function."""
    if config.DISABLE_JIT:
        return int(function(search, owns, *arguments))
    key = function, *map(_layout, arguments)  # finding the types of records takes a millisecond
    if key not in _entries:
        _entries[key] = function.compile((*POINTERS, *map(typeof, arguments)))
    return int(_entries[key](search, owns, *arguments))


def _layout(argument: Any) -> Any:
    """What the type of an argument depends on."""
    if isinstance(argument, np.ndarray):
        return argument.dtype, argument.ndim, argument.flags.c_contiguous, argument.flags.writeable
    return type(argument)


@contextlib.contextmanager
def _failing(at: list[Own | None]) -> Iterator[Any]:
    """Around a loop: whatever a function raises becomes a PlayerError that says where. Gives the place to fill."""
    place = np.full(PLACE, -1, np.int64)
    try:
        yield place
    except Exception as error:
        one = at[place[SEAT]] if place[SEAT] >= 0 else None
        if one is None or isinstance(error, PlayerError):
            raise
        raise PlayerError(f"{_where(one, place)}: {told(error, one.file)}") from error


def _legal(action: int, at: list[Own | None], place: Any) -> int:
    """The action; PlayerError if a function returned one that is not legal."""
    if action != NOT_LEGAL:
        return action
    returned, one = int(place[ACTION]), at[place[SEAT]]
    assert one is not None
    kind = KINDS.get(returned & 63) if returned >= 0 else None  # the bits of `pack_action`, which Python cannot call
    words = f" ({kind} {returned >> 6 & 1023} {returned >> 16 & 255} {returned >> 24 & 127})" if kind else ""
    raise PlayerError(
        f"{_where(one, place)}: {returned}{words} was returned; it has to be one of the {place[LEGAL]} legal actions in"
        " acts.a[:acts.n]"
    )


def _where(one: Own, place: Any) -> str:
    game = f"game {place[GAME]}, " if place[GAME] >= 0 else ""
    return f"{one.name}: {game}step {place[STEP]}, seat {place[SEAT]}"
