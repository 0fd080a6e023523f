"""Games of planners, and each of their decisions held against every turn that there is (planner/exhaustive.py)."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from rcsim.engine import state as st
from rcsim.engine.run import carry_out, driver, list_legal
from rcsim.engine.setup import setup
from rcsim.engine.state import ACTIONS, GAME, LOG, records, scratch_cards
from rcsim.policies import STYLES
from rcsim.policies.features import WEIGHT_NAMES
from rcsim.policies.lineup import Player, resolve, seat_players
from rcsim.policies.mind import MIND
from rcsim.policies.planner.exhaustive import choose_exhaustive, new_room
from rcsim.policies.player import LIMITS
from rcsim.rules import load
from rcsim.rules.pack import pack
from tests.positions import FROZEN
from tests.rulesets import random_ruleset

PHASES = {value: name[2:].lower() for name, value in vars(st).items() if name.startswith("P_")}
SHORT = 25  # turns of each seat by random rules, where planners may go round in circles
POLICIES = (*("planner",) * 4, *STYLES[1:])

# Weights of a sensible planner, so that tests do not change with the shipped ones. Features not named count nothing.
STEADY = {
    "track_rivals": (-0.13, -0.18), "end_lead": (0.26, 0.26),
    "towers_own": (0.54, 0.5), "towers_rivals": (-0.14, -0.27),
    "ahead_own": (0.22, 0.19), "ahead_rivals": (-0.14, -0.09),
    "claimed": (6.3, 4.1), "finished": (1.4, 1.7), "crowded": (-1.7, -1.72), "overtime": (0.3, 0.3),
    "reward": (0.38, 0.34), "reward_rubles": (0.27, 0.21),
    "lacking_common": (-1.8, -2.05), "lacking_rare": (-2.3, -2.45), "undelivered": (-0.87, -0.95),
    "spare_common": (0.37, 0.2), "spare_rare": (0.57, 0.23),
    "slot_1": (0.62, 0.81), "slot_2": (0.43, 0.52), "slots_more": (0.14, 0.17),
    "rubles_1_3": (0.54, 0.36), "rubles_4_6": (0.17, 0.25), "rubles_more": (0.06, 0.15),
    "tiles_often": (1.16, 0.34), "tiles_seldom": (0.7, 0.2),
    "spaces_often": (0.38, 0.14), "spaces_unlock": (0.27, 0.05),
    "unlocked": (0.16, -0.01), "placed": (0.5, 0.5),
    "ornaments_open": (0.2, 0.25), "ornaments_ready": (0.63, 0.51), "gems_open": (0.28, 0.42),
    "risk": (-0.21, -0.25), "threat": (0.04, 0.06), "open_above": (-0.06, 0.01), "left_next": (-0.15, -0.13),
    "tile_common": (0.47, 0.69), "tile_rare": (1.14, 0.75), "tile_any": (0.63, 0.53),
    "tile_yield": (1.49, 0.96), "tile_rubles": (0.4, 0.49), "tile_recognition": (0.42, 0.28),
}  # fmt: skip


def steady(*limits: str, **weights: tuple[float, float]) -> Player:
    """A planner by those weights, with restrictions, some weights being others."""
    named = STEADY | weights
    return Player("steady", "planner", limits, weights={name: named.get(name, (0.0, 0.0)) for name in WEIGHT_NAMES})


class Playing:
    """A game in progress, stepped from Python."""

    def __init__(self, tables: Any, policies: Sequence[str | Player], seed: int, deal: int) -> None:
        self.tables = tables.view(np.recarray)
        self.t = self.tables[0]
        self.lineup = seat_players(policies, self.t)
        self.games, self.acts, self.minds, self.logs = (records(kind) for kind in (GAME, ACTIONS, MIND, LOG))
        self._ask = driver(self.lineup).ask
        self._phase = self.games.view(np.ndarray)["phase"]
        setup(self.games[0], self.t, np.uint64(seed), np.int64(deal), scratch_cards())

    @property
    def g(self) -> Any:
        """The game."""
        return self.games[0]

    @property
    def phase(self) -> int:
        """What the seat to act is asked."""
        return int(self._phase[0])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.phase == st.P_OVER

    def legal(self) -> list[int]:
        """The legal actions."""
        list_legal(self.games, self.tables, self.acts)
        actions: list[int] = self.acts["a"][0, : self.acts["n"][0]].tolist()
        return actions

    def choice(self) -> int:
        """The action that the seat to act chooses."""
        return int(self._ask(self.games, self.tables, self.acts, self.minds, self.lineup))

    def do(self, action: int) -> None:
        """Carry an action out."""
        carry_out(self.games, self.tables, self.logs, action)

    def to_the_end(self) -> None:
        """Play on to the end."""
        while not self.over:
            self.do(self.choice())


class Judge:
    """Weighs decisions by every turn that can follow from them."""

    def __init__(self, limit: int = 10**9) -> None:
        self.room = new_room(limit)
        self.minds = records(MIND)

    def weigh(self, playing: Playing) -> dict[int, int]:
        """Worth of each first action; empty if a limit was reached."""
        choose_exhaustive(playing.games, playing.tables, playing.lineup, self.room, self.minds)
        s = self.room.weighings[0]
        if s.cut:
            return {}
        n = int(s.n)
        return dict(zip(s.action[:n].tolist(), s.worth[:n].tolist(), strict=True))

    def choice(self, playing: Playing) -> int:
        """The first action of the best turn."""
        return int(choose_exhaustive(playing.games, playing.tables, playing.lineup, self.room, self.minds))


class Decision(NamedTuple):
    """A choice among several legal actions, and what it gave away."""

    phase: str
    step: int
    action: int
    best: int
    loss: int | None  # in thousandths of a prestige; None if there were too many turns


def game_number(
    number: int, policies: Sequence[str | Player] = POLICIES, *, restrict: bool = True, shipped_rules: bool = False
) -> Playing:
    """A game of planners, reproducibly: player counts, boards, presets and, in one of four, a random ruleset.

    In one of three, players are restricted if they may be.
    """
    rng = random.Random(number)
    players = 1 + number % 4
    board = ("basic", "advanced")[number // 4 % 2]
    lineup = [rng.choice(policies) for _ in range(players)]
    if rng.random() < 1 / 3 and restrict:
        lineup = [restricted(player, rng.sample(LIMITS, rng.randint(0, 2))) for player in lineup]
    if number // 8 % 4 == 3 and not shipped_rules:
        tables = invented(number, players, board)
    else:
        tables = packed("en" if players > 1 and number // 8 % 2 else "fr2022", players, board)
    return Playing(tables, lineup, seed=number, deal=rng.randrange(1000))


def restricted(player: str | Player, limits: Iterable[str]) -> Player:
    """The same with more restrictions."""
    whole = resolve(player) if isinstance(player, str) else player
    all_limits = tuple(limit for limit in LIMITS if limit in {*whole.limits, *limits})
    return replace(whole, spec=":".join((whole.spec.split(":")[0], *all_limits)), limits=all_limits)


@cache
def packed(preset: str, players: int, board: str) -> Any:
    """The base game with frozen data."""
    return pack(load(FROZEN, preset=preset), players=players, board=board)


@lru_cache(8)
def invented(number: int, players: int, board: str) -> Any:
    """A random ruleset, its games short."""
    ruleset = random_ruleset(random.Random(number), solo=players == 1)
    short = ruleset.model_copy(update={"options": ruleset.options.model_copy(update={"turn_cap": SHORT})})
    return pack(short, players=players, board=board)


def decisions(playing: Playing, judge: Judge, share: float, rng: random.Random) -> Iterator[Decision]:
    """A share of a game's decisions, drawn at random, each with what it gave away."""
    while not playing.over:
        action = playing.choice()
        if rng.random() < share and len(playing.legal()) > 1:
            worth = judge.weigh(playing)
            best = max(worth, key=worth.__getitem__) if worth else action
            loss = worth[best] - worth[action] if worth else None
            yield Decision(PHASES[playing.phase], int(playing.g.steps), action, best, loss)
        playing.do(action)
