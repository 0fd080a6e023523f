"""Engine against oracle, one game at a time: every line of the trace, and at every moment the list of legal steps."""

import random
from functools import cache, lru_cache
from typing import Any

from rcsim.engine import state as st
from rcsim.names import COLOURS, MATERIALS
from rcsim.rules import load
from rcsim.rules.pack import pack
from rcsim.rules.schema import Ruleset
from rcsim.trace.recorder import Recorder
from tests.oracle.replay import Game, OracleError, replay
from tests.rulesets import random_ruleset

Line = dict[str, Any]


def described(g: Any, action: int) -> tuple:
    """An engine action in the oracle's vocabulary of steps; `g` is the recorder's `now`."""
    kind, a, b, c = action & 63, action >> 6 & 1023, action >> 16 & 255, action >> 24 & 127
    if kind == st.A_CLAIM:
        return ("claim", a, g.claimed[a], b, "up" if c else "down")
    if kind == st.A_TOWER:
        return ("claim", a, g.claimed[a], None, None)
    if kind in (st.A_DELIVER, st.A_ADORN):
        tower = g.tower_of[a]
        return (
            "deliver" if kind == st.A_DELIVER else "adorn",
            tower,
            a - g.first[tower],
            MATERIALS[b] if kind == st.A_DELIVER else st.GEMS[b],
        )
    if kind == st.A_MOVE:
        return ("move", COLOURS[a], g.die_value[a] + b)
    return {
        st.A_SELL: ("sell",),
        st.A_REROLL: ("reroll", a),
        st.A_TAKE: ("take",),
        st.A_INFLUENCE: ("influence", a),
        st.A_WORKSHOP: ("workshop", a),
        st.A_ROLL: ("roll",),
        st.A_END: ("end",),
    }[kind]


def record(recorder: Recorder, complete: bool = True) -> tuple[list[Line], dict[int, set[tuple]]]:
    """A whole game: its lines.

    If `complete`, the player's choices are checked against the list of legal ones, and the legal steps before the
    line of each index (between atomic steps) are returned, too.
    """
    lines = [recorder.setup()]
    steps: dict[int, set[tuple]] = {}
    while not recorder.over:
        action = recorder.next_action()
        if complete:
            legal, now = recorder.legal(), recorder.now
            assert len(set(legal)) == len(legal) > 0
            assert action in legal, f"the player chose {described(now, action)}, which is not legal"
            if now.phase <= st.P_DONE or now.phase == st.P_IVAN_CLAIM:
                steps[len(lines)] = {described(now, a) for a in legal}
        lines.extend(recorder.step(action))
    lines.append(recorder.score())
    return lines, steps


def agree(recorder: Recorder, complete: bool = True) -> list[Line]:
    """Play a game and replay it through the oracle; raises OracleError or AssertionError where they differ.

    With `complete`, the two lists of legal steps are compared, too, whenever the turn stands between atomic steps.
    """
    lines, steps = record(recorder, complete)
    seen = set()

    def compare(game: Game, index: int) -> None:
        ours, theirs = steps[index], game.options()
        if ours != theirs:
            raise OracleError(f"line {index}: only the engine lists {ours - theirs}, only the oracle {theirs - ours}")
        seen.add(index)

    replay(lines, compare if complete else None)
    assert seen == steps.keys()
    return lines


POLICIES = ("random", "builder", "greedy", "greedy")


def game_number(number: int) -> Recorder:
    """A game of the differential trial: ruleset, players, board and line-up vary with the number, reproducibly.

    Two in three are played by the shipped rules (both presets), one by a random ruleset. Random players seldom end
    a game, so theirs are capped early: the cap is a rule, too.
    """
    rng = random.Random(number)
    players = 1 + number % 4
    board = ("basic", "advanced")[number // 4 % 2]
    lineup = [rng.choice(POLICIES) for _ in range(players)]
    if number // 8 % 3 == 2:
        ruleset = invented(number // 24, players == 1)
        tables = pack(ruleset, players=players, board=board)
    else:
        preset = "en" if players > 1 and number // 8 % 3 == 1 else "fr2022"
        ruleset, tables = shipped(preset, {*lineup} != {"greedy"}, players, board)
    return Recorder(ruleset, tables, lineup, seed=number, game=rng.randrange(1000))


@cache
def shipped(preset: str, capped: bool, players: int, board: str) -> tuple[Ruleset, Any]:
    """The base game, packed."""
    ruleset = load("base", preset=preset, sets=("options.turn_cap=25",) if capped else ())
    return ruleset, pack(ruleset, players=players, board=board)


@lru_cache(8)
def invented(seed: int, solo: bool) -> Ruleset:
    """A random ruleset."""
    return random_ruleset(random.Random(seed), solo=solo)


def is_complete(number: int) -> bool:
    """Whether the lists of legal steps of this game are compared, too: in one of five, since that takes longest."""
    return number // 24 % 5 == 0
