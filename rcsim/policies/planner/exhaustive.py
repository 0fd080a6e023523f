"""The planner's choice the long way: every sequence of legal actions to the end of the turn, on copies of the game.

It prunes nothing and takes no differences: where a turn may end, the position is weighed from scratch. So it is the
measure of the planner (scripts/exhaustive.py, tests/test_planner.py) and much too slow to play by. A position that
several sequences reach is thought on from once.

Chance. No plan knows what dice will show. Dice rolled in the turn that is thought through count nothing in `left_next`
(the rest of a position's worth does not depend on faces). A reroll is weighed only as the next action before the basic
one: each rolled die is tried with each face, the others unknown, and the reroll is worth the mean, over all faces, of
the best of these dice and of all that needs none of them.

What keeps the number of sequences finite:

- before a basic action and at the market, sales only while there are fewer rubles than the rest of the turn could cost
  (a price that may be paid repeatedly counted twice); in a build action and at the end, SALES in a turn;
- at most so many positions (`new_room`) and DEPTH actions; where that limit is reached the turn ends, and `cut` counts
  it.
"""

from typing import NamedTuple

import numpy as np

from rcsim.engine.jit import entry, jit, wrapping
from rcsim.engine.market import MAX_EXTRA
from rcsim.engine.random import mix
from rcsim.engine.state import (
    A_ADORN,
    A_CLAIM,
    A_END,
    A_INFLUENCE,
    A_MOVE,
    A_REROLL,
    A_SELL,
    ACTIONS,
    GAME,
    MAX_ACTIONS,
    P_BUILD,
    P_DONE,
    P_MAIN,
    P_MARKET,
    P_OVER,
    action_a,
    action_b,
    action_c,
    action_kind,
    new_games,
    new_log,
    pack_action,
    records,
)
from rcsim.engine.turn import actor, apply, legal
from rcsim.policies.planner.evaluation import UNKNOWN, rest_worth
from rcsim.policies.planner.scale import LEFT_NEXT, set_scale
from rcsim.policies.planner.view import look_at
from rcsim.policies.player import (
    BASES_ONLY,
    NO_EXTRA,
    NO_INFLUENCE,
    NO_ORNAMENTS,
    NO_REROLL,
    NO_SELLING,
    NO_TILES,
    NOT_ABOVE,
)
from rcsim.rules.tables import E_PAY_RUBLES

i8 = np.int64
u8 = np.uint64

DEPTH = 256
SLOTS = 1 << 19  # of the table of positions
SLOT_BITS = np.uint64(64 - 19)
POSITIONS = 300_000
SALES = 3
ALL_DICE = 31

WEIGHING = np.dtype(
    [
        ("n", i8),  # actions weighed
        ("action", i8, (MAX_ACTIONS,)),
        ("worth", i8, (MAX_ACTIONS,)),  # of the best turn that begins with it
        ("best", i8),  # the first of the best
        ("cut", i8),  # how often a limit was reached
        # the turn that is thought through
        ("turn", i8),
        ("seat", i8),
        ("rolls", i8, (5,)),  # rolls of each die before it
        ("sold", i8),  # sales before it
        ("enough", i8),  # rubles with which a sale could buy nothing more
        ("movable", i8),  # set of dice that may be moved
        ("besides", i8),  # 1 if claims and builds are tried, too
        ("face_worth", i8, (5, 6)),  # of moving a die that was rolled, by face
        # positions on the way, by depth
        ("next", i8, (DEPTH,)),  # action to be tried next
        ("top", i8, (DEPTH,)),  # worth of the best turn so far
        ("key", u8, (DEPTH,)),
        ("found", i8),  # worth of a position that needs no search
        # positions thought through
        ("states", i8),
        ("limit", i8),  # of states
        ("stamp", i8),  # of this decision: older entries are empty slots
    ],
    align=True,
)
SEEN = np.dtype([("key", u8), ("stamp", i8), ("worth", i8)], align=True)

FIELDS = GAME.fields
CHANGING = FIELDS["claimed"][1] // 4  # words of a game that tell the positions of a turn apart: from here
CHOICE = FIELDS["bonus"][1] // 4  # to here, and inside a step
CHOICE_END = FIELDS["ivan_inventory"][1] // 4  # to here
FACTORS = np.random.default_rng(1).integers(0, 2**64, CHOICE_END, np.uint64) | np.uint64(1)


class Room(NamedTuple):
    """What a weighing works in."""

    games: np.ndarray  # by depth
    words: np.ndarray  # the same bytes
    acts: np.ndarray  # by depth
    seen: np.ndarray  # of SLOTS
    weighings: np.ndarray  # of one
    log: np.record  # off


def new_room(limit=POSITIONS):
    """Buffers of weighings that think at most so many positions through, POSITIONS or fewer."""
    games = new_games(DEPTH)
    words = games.view(np.ndarray).view(np.uint32).reshape(DEPTH, -1)
    weighings = records(WEIGHING)
    weighings["limit"] = min(limit, POSITIONS)
    return Room(games, words, records(ACTIONS, DEPTH), records(SEEN, SLOTS), weighings, new_log())


@entry
def choose_exhaustive(games, tables, lineup, room, minds):
    """The first action of the best turn in games[0]; room.weighings[0] has all that begin one, with their worths."""
    g = room.games[0]
    room.games[0] = games[0]
    t = tables[0]
    mind = minds[0]
    s = room.weighings[0]
    seat = actor(g)
    player = lineup[seat]
    set_scale(g, t, seat, player, mind)
    s.n = 0
    s.best = 0
    s.cut = 0
    s.states = 0
    s.stamp += 1
    s.turn = g.turn
    s.seat = seat
    s.sold = g.sold
    s.enough = most_rubles(g, t, seat)
    s.movable = ALL_DICE
    s.besides = 1
    for die in range(5):
        s.rolls[die] = g.die_rolls[die]
    acts = room.acts[0]
    legal(g, t, acts)
    for i in range(acts.n):
        action = acts.a[i]
        kind = action_kind(action)
        if not permitted(g, seat, action, player.limits) or (kind == A_REROLL and g.phase != P_MAIN):
            continue
        if kind == A_END:
            worth = worth_now(g, t, player, room, mind)
        elif kind == A_REROLL:
            worth = reroll_worth(t, player, room, mind, action_a(action))
        else:
            room.games[1] = g
            apply(room.games[1], t, room.log, action)
            worth = best_way(t, player, room, mind)
        s.action[s.n] = action
        s.worth[s.n] = worth
        if worth > s.worth[s.best]:
            s.best = s.n
        s.n += 1
    return s.action[s.best]


@jit
def worth_now(g, t, player, room, mind):
    """What the position is worth if the turn ends here."""
    s = room.weighings[0]
    v = mind.views[0]
    look_at(g, t, s.seat, v, mind)
    worth = v.worth + rest_worth(g, t, s.seat, player, mind)
    return worth + mind.scale.w[LEFT_NEXT] * dice_left(g, t, s) if mind.scale.w[LEFT_NEXT] != 0 else worth


@jit
def dice_left(g, t, s):
    """The most dice that the next player can have on one tile, of dice whose faces are known."""
    most = 1
    for die in range(5):
        if g.die_rolls[die] > s.rolls[die]:
            continue
        at = g.die_space[die]
        to = (at + g.die_value[die]) & 7
        others = g.dice_in[to] - (1 if to == at else 0)
        if others < t.dice_limit:
            most = max(most, others + 1)
    return most


# --- restrictions and limits ------------------------------------------------------------------------------------


@jit
def permitted(g, seat, action, limits):
    """Whether the player's restrictions let it take a legal action."""
    kind = action_kind(action)
    if kind == A_CLAIM:
        tower = action_a(action)
        if action_c(action) == 1 and limits & NO_TILES:
            return False
        if g.claimed[tower] > 0 and limits & BASES_ONLY:
            return False
        if limits & NOT_ABOVE:
            for below in range(g.first[tower], g.first[tower] + g.claimed[tower]):
                if g.owner[below] != seat:
                    return False
        return True
    if kind == A_MOVE:
        return action_b(action) == 0 or not limits & NO_EXTRA
    if kind == A_SELL:
        return not limits & NO_SELLING
    if kind == A_REROLL:
        return not limits & NO_REROLL
    if kind == A_ADORN:
        return not limits & NO_ORNAMENTS
    return kind != A_INFLUENCE or not limits & NO_INFLUENCE


@jit
def tried(g, t, action, s, limits):
    """Whether an action is tried within a plan."""
    kind = action_kind(action)
    if kind == A_REROLL or not permitted(g, s.seat, action, limits):
        return False
    if kind == A_SELL:
        if t.sell_rubles == 0:
            return False
        if g.phase == P_MAIN or g.phase == P_MARKET:
            return g.rubles[s.seat] < s.enough
        return g.sold - s.sold < SALES
    if g.phase == P_MAIN:
        if kind == A_MOVE:
            return (s.movable >> action_a(action)) & 1 == 1
        return s.besides == 1
    return True


@jit
def most_rubles(g, t, seat):
    """The most rubles that the rest of the turn could cost."""
    if g.phase == P_BUILD or g.phase == P_DONE:
        return 0
    workshop = 0
    place = 0
    for space in range(6):
        if g.space_tile[seat, space] < 0:
            place = max(place, t.space_price[space])
        elif g.space_up[seat, space]:
            workshop = max(workshop, t.effects[t.tile_effect[g.space_tile[seat, space]], E_PAY_RUBLES])
    influence = 0
    for q in range(4):
        for action in range(2):
            effect = t.guild_effect[g.guild[q], g.guild_card[q]] + action
            uses = 1 if t.effect_once[effect] else 2
            influence = max(influence, uses * t.effects[effect, E_PAY_RUBLES])
    visit = 2 * workshop + influence  # a tile may work twice
    return visit if g.phase != P_MAIN else max(place, MAX_EXTRA * t.extra_space_price + visit)


# --- search -----------------------------------------------------------------------------------------------------


@jit
def best_way(t, player, room, mind):
    """What room.games[1] is worth if the turn goes on as well as it can."""
    s = room.weighings[0]
    if not opened(t, 1, player, room, mind):
        return s.found
    depth = 1
    while True:
        acts = room.acts[depth]
        g = room.games[depth]
        if s.next[depth] == acts.n:
            keep(room, s.key[depth], s.top[depth])
            worth = s.top[depth]
            depth -= 1
            if depth == 0:
                return worth
            s.top[depth] = max(s.top[depth], worth)
            continue
        action = acts.a[s.next[depth]]
        s.next[depth] += 1
        if not tried(g, t, action, s, player.limits):
            continue
        if action_kind(action) == A_END:
            s.top[depth] = max(s.top[depth], worth_now(g, t, player, room, mind))
            continue
        room.games[depth + 1] = g
        apply(room.games[depth + 1], t, room.log, action)
        if opened(t, depth + 1, player, room, mind):
            depth += 1
        else:
            s.top[depth] = max(s.top[depth], s.found)


@jit
def opened(t, depth, player, room, mind):
    """Begin with the position at a depth; False if its worth is known, in `found`."""
    s = room.weighings[0]
    g = room.games[depth]
    if g.turn != s.turn or g.phase == P_OVER:  # the turn was Ivan's
        s.found = worth_now(g, t, player, room, mind)
        return False
    g.steps = 0
    if g.phase != P_MAIN:
        for die in range(5):
            if g.die_rolls[die] > s.rolls[die]:
                g.die_value[die] = 0
    key = fingerprint(g, s, room.words[depth])
    slot = slot_of(room, key)
    if room.seen[slot].stamp == s.stamp:
        s.found = room.seen[slot].worth
        return False
    if s.states >= s.limit or depth == DEPTH - 1:
        s.cut += 1
        s.found = worth_now(g, t, player, room, mind)
        return False
    s.states += 1
    s.key[depth] = key
    s.next[depth] = 0
    s.top[depth] = UNKNOWN
    legal(g, t, room.acts[depth])
    return True


@wrapping
@jit
def fingerprint(g, s, words):
    """A number that tells the positions of a turn apart."""
    key = np.uint64(0)
    for i in range(CHANGING, CHOICE_END if g.phase > P_DONE else CHOICE):
        key += np.uint64(words[i]) * FACTORS[i]
    if g.phase == P_MAIN:
        key += np.uint64(2 * s.movable + s.besides + 1) * FACTORS[0]
    return mix(key)


@jit
def slot_of(room, key):
    """The slot that holds a key, or the empty one for it."""
    stamp = room.weighings[0].stamp
    slot = np.int64(key >> SLOT_BITS)
    while room.seen[slot].stamp == stamp and room.seen[slot].key != key:
        slot = (slot + 1) & (SLOTS - 1)
    return slot


@jit
def keep(room, key, worth):
    """Remember what a position is worth."""
    seen = room.seen[slot_of(room, key)]
    seen.key = key
    seen.stamp = room.weighings[0].stamp
    seen.worth = worth


# --- reroll -----------------------------------------------------------------------------------------------------


@jit
def reroll_worth(t, player, room, mind, space):
    """What rerolling a space before the basic action is worth."""
    s = room.weighings[0]
    g = room.games[1]
    rolled = 0
    room.games[1] = room.games[0]
    apply(g, t, room.log, pack_action(A_REROLL, space, 0, 0))
    for die in range(5):
        if g.die_space[die] != space:
            continue
        s.movable = 1 << die
        s.besides = 0
        for face in range(6):
            g.die_value[die] = face + 1
            s.face_worth[rolled, face] = best_way(t, player, room, mind)
        g.die_value[die] = 0
        rolled += 1
    s.besides = 1
    s.movable = ALL_DICE
    for die in range(5):
        if g.die_space[die] == space:
            s.movable &= ~(1 << die)
    others = best_way(t, player, room, mind)
    s.movable = ALL_DICE
    total = 0
    cases = 6**rolled
    for case in range(cases):
        worth = others
        for r in range(rolled):
            worth = max(worth, s.face_worth[r, case // 6**r % 6])
        total += worth
    return total // cases
