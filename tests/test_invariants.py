"""Whole games of random players, by the shipped rules and by random ones: nothing that must hold ever fails."""

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as hyp

from rcsim.columns import GAME_COLUMNS, SEAT_COLUMNS
from rcsim.engine.run import play_range
from rcsim.engine.state import P_MAIN, new_games
from rcsim.policies.lineup import seat_players
from rcsim.rules import load
from rcsim.rules.pack import pack
from tests.invariants import SEAT_NAMES, Watch, watched_game
from tests.positions import loaded
from tests.rulesets import random_ruleset

PLAYERS = hyp.integers(1, 4)
BOARDS = hyp.sampled_from(("basic", "advanced"))
NUMBERS = hyp.integers(0, 2**40)


def lineups(players: int) -> hyp.SearchStrategy[list[str]]:
    """Random players; those that like to deliver see more of the game."""
    return hyp.lists(hyp.sampled_from(("builder", "greedy", "random")), min_size=players, max_size=players)


def rows(tables: Any, policies: list[str], seed: int, first: int, games: int) -> tuple[Any, Any]:
    """Rows of a range of games."""
    seats = int(tables["seats"][0])
    game_rows = np.full((games, len(GAME_COLUMNS)), -9, np.int32)
    seat_rows = np.full((games * seats, len(SEAT_COLUMNS)), -9, np.int32)
    play_range(tables, seat_players(policies, tables[0]), seed, first, game_rows, seat_rows)
    return game_rows, seat_rows


def check(tables: Any, policies: list[str], seed: int, deal: int) -> None:
    """A watched game, and the same from the kernel."""
    game_row, seat_rows = watched_game(tables, policies, seed, deal)
    game_rows, all_seat_rows = rows(tables, policies, seed, deal, 1)
    assert game_rows.tolist() == [game_row]
    assert all_seat_rows.tolist() == seat_rows


@settings(max_examples=24)
@given(PLAYERS, BOARDS, hyp.sampled_from(("fr2022", "en")), NUMBERS, NUMBERS, hyp.data())
def test_games_by_the_shipped_rules(
    players: int, board: str, preset: str, seed: int, deal: int, data: hyp.DataObject
) -> None:
    ruleset = load("base", preset="fr2022" if players == 1 else preset)
    check(pack(ruleset, players=players, board=board), data.draw(lineups(players)), seed, deal)


@settings(max_examples=60)
@given(PLAYERS, BOARDS, hyp.integers(0, 2**32 - 1), NUMBERS, hyp.data())
def test_games_by_random_rules(players: int, board: str, ruleset: int, deal: int, data: hyp.DataObject) -> None:
    rules = random_ruleset(random.Random(ruleset), solo=players == 1)
    check(pack(rules, players=players, board=board), data.draw(lineups(players)), ruleset, deal)


def digest(players: int) -> str:
    """Hash of the rows of a few games."""
    h = hashlib.sha256()
    for part in rows(pack(loaded(), players=players), ["random", "builder"] * 2, 12, 1000, 20):
        h.update(part.astype("<i4").tobytes())
    return h.hexdigest()


def test_same_seed_same_games_in_another_process() -> None:
    root = Path(__file__).resolve().parent.parent
    script = "from tests.test_invariants import digest; print(*(digest(n) for n in (1, 2, 3, 4)))"
    for hash_seed in ("1", "2"):
        env = os.environ | {"PYTHONPATH": str(root), "PYTHONHASHSEED": hash_seed}
        run = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
        assert run.stdout.split() == [digest(n) for n in (1, 2, 3, 4)]


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_any_split_into_ranges_gives_the_same_games(players: int) -> None:
    tables = pack(loaded(), players=players)
    policies = ["builder", "random"] * 2
    games, seats = rows(tables, policies, 7, 100, 30)
    for first, n in ((100, 1), (101, 12), (113, 17)):
        part, seat_part = rows(tables, policies, 7, first, n)
        at = first - 100
        assert (part == games[at : at + n]).all()
        assert (seat_part == seats[at * tables["seats"][0] : (at + n) * tables["seats"][0]]).all()
    assert not (rows(tables, policies, 8, 100, 30)[1] == seats).all()


def tampered(g: Any) -> dict[str, Any]:
    """Ways to spoil a game in progress; each a field, an index and by how much."""
    seat, other = int(g.seat), 1 - int(g.seat)
    s = int(g.under_way[0, 0])
    return {
        "a material appears": (g.supply, 2, 1),
        "a material in an inventory is not counted": (g.inv, (seat, 0), 1),
        "a slot too many": (g.slots, other, 1),
        "a die is counted twice": (g.dice_in, int(g.die_space[0]), 1),
        "a seventh face": (g.die_value, 3, 6),
        "a banner too many": (g.banners, seat, 1),
        "a claim without a banner": (g.claimed, int(g.tower_of[s]), 1),
        "another owner": (g.owner, s, 1),
        "a section is finished twice": (g.finished, other, 1),
        "an ornament too many": (g.ornaments, (seat, 1), 1),
        "an ornament on nothing": (g.ornament, int(g.sections) - 1, 1),
        "a ruble from nowhere": (g.rubles, seat, 1),
        "debts": (g.rubles, other, -100),
        "a step of the marker that no source explains": (g.marker, other, 1),
        "points booked twice": (g.ledger, (seat, SEAT_NAMES.index("points_market")), 2),
        "rubles booked twice": (g.ledger, (other, SEAT_NAMES.index("rubles_for_moves")), 1),
        "a tile from nowhere": (g.space_tile, (seat, 5), 1),
        "a turn too many": (g.turns, other, 1),
        "a missing material is forgotten": (g.missing, s, -1),
    }


def test_the_checks_notice() -> None:
    for name in tampered(new_games()[0]):
        watch = Watch(pack(loaded(), players=2), 3, 1)
        while watch.g.turn <= 20 or watch.g.phase != P_MAIN or watch.g.unfinished[0] == 0:
            watch.step(seat_players(["random", "random"], watch.record))
        field, index, by = tampered(watch.g)[name]
        field[index] += by
        with pytest.raises(AssertionError):
            watch.check(watch.now())
            pytest.fail(f"not noticed: {name}", pytrace=False)
