"""The search plays by the rules, repeats itself, and does not know what is still to come."""

import random
import threading
from typing import Any

import numpy as np
import pytest

from rcsim.engine.random import deal_key
from rcsim.engine.solo import CARDS
from rcsim.engine.state import P_IVAN_CLAIM, new_actions, new_games, records
from rcsim.policies.blind import hide_future
from rcsim.policies.lineup import seat_players
from rcsim.policies.mind import MIND, new_mind
from rcsim.policies.search import new_room, search_from
from rcsim.rules.pack import pack
from rcsim.trace.recorder import Recorder
from tests.agreement import agree
from tests.positions import loaded
from tests.rulesets import random_ruleset
from tests.test_invariants import rows

SHORT = ("options.turn_cap=10",)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("board", ["basic", "advanced"])
@pytest.mark.parametrize("preset", ["fr2022", "en"])
def test_plays_by_the_shipped_rules(players: int, board: str, preset: str) -> None:
    ruleset = loaded("fr2022" if players == 1 else preset, SHORT)
    lineup = ["search:6", "greedy", "search:3", "builder"][:players]
    agree(Recorder(ruleset, pack(ruleset, players=players, board=board), lineup, seed=players, game=7))


@pytest.mark.parametrize("number", range(12))
def test_plays_by_random_rules(number: int) -> None:
    players = 1 + number % 4
    ruleset = random_ruleset(random.Random(number), solo=players == 1)
    short = ruleset.model_copy(update={"options": ruleset.options.model_copy(update={"turn_cap": 10})})
    tables = pack(short, players=players, board=("basic", "advanced")[number // 4 % 2])
    agree(Recorder(short, tables, ["search:5"] * players, seed=number, game=0))


@pytest.mark.parametrize("players", [1, 4])
def test_any_thread_any_split(players: int) -> None:
    tables = pack(loaded(sets=SHORT), players=players)
    lineup = ["search:5", "greedy", "search:2", "search:4"][:players]
    whole = rows(tables, lineup, 9, 0, 4)
    parts: list[Any] = [None] * 4

    def play(i: int) -> None:
        parts[i] = rows(tables, lineup, 9, i, 1)

    threads = [threading.Thread(target=play, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for mine, together in zip(zip(*parts, strict=True), whole, strict=True):
        assert (np.concatenate(mine) == together).all()


def positions(players: int, seed: int) -> tuple[Recorder, list[Any]]:
    """A game and copies of it at each of its decisions; none is over."""
    ruleset = loaded(sets=("options.turn_cap=12",))
    recorder = Recorder(ruleset, pack(ruleset, players=players), ["greedy"] * players, seed=seed, game=0)
    copies = []
    while not recorder.over:
        if len(recorder.legal()) > 1:
            copies.append(recorder._games.copy())
        list(recorder.step(recorder.next_action()))
    return recorder, copies


@pytest.mark.parametrize("players", [1, 2, 4])
def test_what_is_to_come_decides_nothing(players: int) -> None:
    recorder, copies = positions(players, 3)
    acts, mind, room = new_actions(), new_mind(), new_room()
    lineup = recorder.lineup.copy()
    lineup[0].budget = 12
    rng = random.Random(players)
    chosen = set()
    for games in rng.sample(copies, 12):
        g = games[0]
        start = np.uint64(rng.getrandbits(64))
        first = search_from(g, recorder.t, acts, mind, lineup[0], room, start)
        for _ in range(3):
            g.key = np.uint64(rng.getrandbits(64))
            rest = list(g.ivan_deck[g.ivan_next :])
            rng.shuffle(rest)
            g.ivan_deck[g.ivan_next :] = rest
            assert search_from(g, recorder.t, acts, mind, lineup[0], room, start) == first
        chosen |= {search_from(g, recorder.t, acts, mind, lineup[0], room, np.uint64(i)) == first for i in range(3)}
    assert chosen == {True, False}  # its own luck does decide something


@pytest.mark.parametrize("players", [1, 2, 4])
def test_what_was_thought_before_makes_no_difference(players: int) -> None:
    recorder, copies = positions(players, 4)
    acts, minds = new_actions(), records(MIND)
    player = seat_players(["search:12"], recorder.t)[0]
    for games in copies:
        chosen = set()
        for left_over in (0, 1, 7):
            minds.view(np.uint8)[:] = left_over
            chosen.add(int(search_from(games[0], recorder.t, acts, minds[0], player, new_room(), np.uint64(7))))
        assert len(chosen) == 1


def test_looking_changes_nothing() -> None:
    recorder, copies = positions(1, 6)
    acts, mind, room = new_actions(), new_mind(), new_room()
    lineup = recorder.lineup.copy()
    lineup[0].budget = 5
    assert copies[2][0].phase == P_IVAN_CLAIM
    for games in copies[2::4]:
        before = games.tobytes()
        search_from(games[0], recorder.t, acts, mind, lineup[0], room, np.uint64(1))
        assert games.tobytes() == before


def test_the_hidden_future() -> None:
    """Cards that Ivan has drawn stay; the others, and they alone, come in every order, whatever the true one is."""
    games = new_games()
    g = games[0]
    for drawn, orders in ((1, 24), (2, 6), (3, 2), (4, 1)):
        seen = set()
        for key in range(300):
            ends = set()
            for true in ([3, 1, 4, 0, 2], [3, 1, 4, 0, 2][:drawn] + [3, 1, 4, 0, 2][drawn:][::-1]):
                g.ivan_deck[:] = true
                g.ivan_next = drawn
                hide_future(g, np.uint64(deal_key(1, key)))
                assert g.key == deal_key(1, key)
                assert g.ivan_deck[:drawn].tolist() == true[:drawn]
                assert sorted(g.ivan_deck) == list(range(CARDS))
                ends.add(tuple(g.ivan_deck[drawn:].tolist()))
            assert len(ends) == 1
            seen |= ends
        assert len(seen) == orders
