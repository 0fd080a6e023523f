"""Engine against oracle, one game at a time: every line of the trace, every list of legal steps, and every choice.

Between steps, the engine's list and the oracle's are compared as they are. Inside a step, the oracle tells all that it
would accept next, and the engine's answer to the same question is found from its list of legal actions:

- a die, a space, a tile, a delivery, whether to decline or to stop: the list, translated;
- the wanted amount of a good of the market: the list, too. Amounts that bring in the same are one;
- the materials of a price or of a gain, which the engine asks for one by one: wherever its legal actions lead, walked
  on copies of the game.

Where the engine asks nothing, the oracle must accept one thing only.
"""

import random
from collections import Counter
from functools import cache, lru_cache
from typing import Any

import numpy as np

from rcsim.engine import events as ev
from rcsim.engine import state as st
from rcsim.engine.goods import WOOD
from rcsim.engine.run import carry_out, list_legal
from rcsim.names import COLOURS, GOODS, MATERIALS
from rcsim.policies import STYLES
from rcsim.policies.player import LIMITS
from rcsim.rules import load
from rcsim.rules.pack import pack
from rcsim.rules.schema import Ruleset
from rcsim.trace.recorder import Recorder
from tests.oracle.replay import Game, OracleError, replay
from tests.rulesets import random_ruleset

Line = dict[str, Any]
Steps = dict[int, set[tuple]]  # before the line of an index
Choices = dict[tuple[int, str], set]  # before the line of an index, of that event or good

EVENT_OF_PHASE = {
    st.P_BONUS: "workshop",
    st.P_PAY: "pay",
    st.P_MOVE: "move",
    st.P_ROLL: "roll",
    st.P_YIELD: "yield",
    st.P_GAIN: "gain",
    st.P_DELIVER: "deliver",
    st.P_ACTIVATE: "workshop",
    st.P_IVAN_CLAIM: "claim",
}


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


def chosen(g: Any, action: int) -> Any:
    """An engine action inside a step, or at Ivan's claim, as the oracle tells of it (AtChoice)."""
    kind, a, b = action & 63, action >> 6 & 1023, action >> 16 & 255
    if kind == st.A_DELIVER:
        return (g.tower_of[a], a - g.first[g.tower_of[a]], MATERIALS[b])
    if kind == st.A_TOWER:
        return (a, g.claimed[a])
    if kind == st.A_DIE:
        return (COLOURS[a],)
    return {
        st.A_SPACE: (a,),
        st.A_TILE: (a,),
        st.A_USE: (g.bonus,),
        st.A_STOP: None,
        st.A_TAKE: a,
    }[kind]


class Walk:
    """All ways in which the engine lets a price or a gain of materials go on to its end."""

    def __init__(self, recorder: Recorder) -> None:
        self.tables = recorder._tables
        self.games = st.new_games()
        self.acts = st.records(st.ACTIONS)
        self.logs = st.records(st.LOG)
        self.logs["on"] = 1
        self.bytes = self.games.view(np.uint8)

    def ends(self, recorder: Recorder) -> set[tuple[tuple[int, int], ...]]:
        """The (material, number) pairs, in order, of the lines that may come next.

        The lines of a gain that follows at once upon this one may stand among them, at the end.
        """
        event = ev.EV_PAY if recorder.now.phase == st.P_PAY else ev.EV_GAIN
        part = recorder.now.phase, recorder.now.part
        ends = set()
        seen = {recorder.g.tobytes()}
        open_ways = list(seen)
        while open_ways:
            way = open_ways.pop()
            self.bytes[:] = np.frombuffer(way, np.uint8)
            list_legal(self.games, self.tables, self.acts)
            for action in self.acts["a"][0, : self.acts["n"][0]].tolist():
                self.bytes[:] = np.frombuffer(way, np.uint8)
                carry_out(self.games, self.tables, self.logs, action)
                if (self.games["phase"][0], self.games["part"][0]) == part:
                    after = self.games.tobytes()
                    if after not in seen:
                        seen.add(after)
                        open_ways.append(after)
                    continue
                end = []
                for kind, _, good, n, *_ in self.logs["row"][0, : self.logs["n"][0]].tolist():
                    if kind != event or good < WOOD:
                        break
                    end.append((good - WOOD, n))
                ends.add(tuple(end))
        return ends


def cut(end: tuple[tuple[int, int], ...], total: int) -> tuple[int, ...]:
    """The numbers of each material in the first lines that make up the total."""
    numbers = [0] * len(MATERIALS)
    for material, n in end:
        if sum(numbers) < total:
            numbers[material] += n
    return tuple(numbers)


def record(recorder: Recorder, complete: bool = True) -> tuple[list[Line], Steps, Choices]:
    """A whole game: its lines.

    If `complete`, the player's choices are checked against the list of legal ones, and the legal steps (between steps)
    and choices (inside) are returned, too. Those of materials are as `Walk.ends` gives them.
    """
    lines = [recorder.setup()]
    steps: Steps = {}
    choices: Choices = {}
    walk = Walk(recorder)
    while not recorder.over:
        action = recorder.next_action()
        if complete:
            legal, now = recorder.legal(), recorder.now
            assert len(set(legal)) == len(legal) > 0
            assert action in legal, f"line {len(lines)}, phase {now.phase}: the player chose {action}, not in {legal}"
            if now.phase <= st.P_DONE or now.phase == st.P_IVAN_CLAIM:
                steps[len(lines)] = {described(now, a) for a in legal}
            if now.phase in (st.P_PAY, st.P_GAIN):
                key = len(lines), EVENT_OF_PHASE[now.phase]
                if key not in choices:  # else it is a further unit of the same
                    choices[key] = walk.ends(recorder)
            elif now.phase == st.P_TAKE or (now.phase == st.P_MARKET and action & 63 == st.A_TAKE and action >> 6):
                good = GOODS[now.want_good if now.phase == st.P_TAKE else recorder.t.tile_good[now.market[now.arrival]]]
                choices[len(lines), good] = {chosen(now, a) for a in legal if a & 63 == st.A_TAKE}
            elif now.phase in EVENT_OF_PHASE:
                key = len(lines), EVENT_OF_PHASE[now.phase]
                assert key not in choices
                choices[key] = {chosen(now, a) for a in legal}
            elif now.phase == st.P_IVAN:
                assert legal == [st.A_IVAN]
        lines.extend(recorder.step(action))
    lines.append(recorder.score())
    return lines, steps, choices


def agree(recorder: Recorder, complete: bool = True, compared: Counter[str] | None = None) -> list[Line]:
    """Play a game and replay it through the oracle; raises OracleError (or AssertionError) where they differ.

    With `complete`, the two lists of legal steps are compared, too, whenever the turn stands between atomic steps, and
    all choices inside the steps. `compared` counts those with more than one option.
    """
    lines, steps, choices = record(recorder, complete)
    if complete:
        judge(lines, steps, choices, compared)
    else:
        replay(lines)
    return lines


def judge(lines: list[Line], steps: Steps, choices: Choices, compared: Counter[str] | None = None) -> None:
    """Replay a recorded game, and compare the legal steps and choices with what the oracle would accept."""
    seen = set()
    unseen = dict(choices)

    def differ(index: int, what: str, ours: set, theirs: set) -> None:
        if ours != theirs:
            raise OracleError(
                f"line {index}, {what}: only the engine lists {ours - theirs}, only the oracle {theirs - ours}"
            )

    def compare(game: Game, index: int) -> None:
        differ(index, "step", steps[index], game.options())
        seen.add(index)

    def compare_choice(index: int, what: str, theirs: set[Any] | dict[int, int]) -> None:
        ours = unseen.pop((index, what), None)
        if isinstance(theirs, dict):  # wanted amounts, and what would come in
            come = theirs
            theirs = set(come.values())
            if ours is not None:
                same = len(ours)
                ours = {come.get(n, f"{n} wanted") for n in ours}
                if len(ours) < same:
                    raise OracleError(f"line {index}, {what}: two amounts wanted bring in the same")
        elif what in ("pay", "gain") and ours is not None:
            ours = {cut(end, sum(next(iter(theirs), ()))) for end in ours}
        if ours is not None:
            differ(index, what, ours, theirs)
        elif len(theirs) != 1:
            raise OracleError(f"line {index}, {what}: the engine does not ask, the oracle accepts {theirs}")
        if compared is not None and len(theirs) > 1:
            compared["wanted" if what in GOODS else what] += 1

    replay(lines, compare, compare_choice)
    assert seen == steps.keys()
    if unseen:
        raise OracleError(f"only the engine asks: {unseen}")


SEARCHING = 211  # in one of so many games one player searches, which takes longest
POLICIES = ("random", "builder", "greedy", "planner")


def game_number(number: int) -> Recorder:
    """A game of the differential trial: ruleset, players, board and line-up vary with the number, reproducibly.

    Two in three are played by the shipped rules (both presets), one by a random ruleset. Random and restricted players
    seldom end a game, so theirs are capped early: the cap is a rule, too.
    """
    rng = random.Random(number)
    players = 1 + number % 4
    board = ("basic", "advanced")[number // 4 % 2]
    lineup = [rng.choice(POLICIES) for _ in range(players)]
    lineup = [some_planner(number, seat) if policy == "planner" else policy for seat, policy in enumerate(lineup)]
    if number % SEARCHING == 0:
        lineup[number // SEARCHING % players] = "search:8"
    if number // 8 % 3 == 2:
        ruleset = invented(number // 24, players == 1)
        tables = pack(ruleset, players=players, board=board)
    else:
        preset = "en" if players > 1 and number // 8 % 3 == 1 else "fr2022"
        slow = any(policy in ("random", "builder") or ":" in policy for policy in lineup)
        ruleset, tables = shipped(preset, slow, players, board)
    return Recorder(ruleset, tables, lineup, seed=number, game=rng.randrange(1000))


def some_planner(number: int, seat: int) -> str:
    """The planner of a style, half of them with restrictions."""
    rng = random.Random(f"{number} {seat}")
    return ":".join((rng.choice(STYLES), *rng.sample(LIMITS, rng.choice((0, 0, 1, 2)))))


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
    """Whether legal steps and choices of this game are compared, too: in one of seven, since that takes longest."""
    return number % 7 == 0
