"""The track: the worked examples of the rules, laps, and a naive model of any track (rules page, section 3)."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as hyp

from rcsim.columns import seat_column
from rcsim.engine.jit import entry
from rcsim.engine.state import A_REROLL, A_SELL, new_games
from rcsim.engine.track import (
    gain_prestige,
    gain_recognition,
    lose_prestige,
    position_of,
    prestige_at,
    prestige_behind,
)
from rcsim.rules.pack import pack
from tests.positions import Position, loaded
from tests.rulesets import random_ruleset

COLUMN = seat_column("points_market")
SPACES = [5, 9, 13, 17, 21, *range(24, 43, 3), *range(44, 63, 2), *range(63, 81)]  # of a lap of 80


@entry
def move_marker(g, t, seat, prestige, recognition):
    """Gain or lose prestige, then gain or lose recognition."""
    if prestige > 0:
        gain_prestige(g, t, seat, prestige, COLUMN)
    if prestige < 0:
        lose_prestige(g, t, seat, -prestige, COLUMN)
    if recognition != 0:
        gain_recognition(g, seat, recognition, COLUMN)


class Track:
    """One marker on a track."""

    def __init__(self, ruleset: Any) -> None:
        self.t = pack(ruleset, players=2).view(np.recarray)[0]
        self.g: Any = new_games()[0]

    def worth(self, position: int) -> int:
        return int(prestige_at(self.t, np.int64(position)))

    def behind(self, position: int) -> int:
        """How many prestige can be lost there."""
        return int(prestige_behind(self.t, np.int64(position)))

    def space(self, n: int) -> int:
        return int(position_of(self.t, np.int64(n)))

    def after(self, position: int, prestige: int = 0, recognition: int = 0) -> int:
        """Where the marker comes to stand; the ledger books the way."""
        self.g.marker[1] = position
        self.g.ledger[1, COLUMN] = 0
        move_marker(self.g, self.t, np.int64(1), np.int64(prestige), np.int64(recognition))
        assert self.g.ledger[1, COLUMN] == self.g.marker[1] - position
        return int(self.g.marker[1])


@pytest.fixture(scope="module")
def track() -> Track:
    return Track(loaded())


def test_prestige_spaces_of_a_lap(track: Track) -> None:
    assert len(SPACES) == 40
    assert [track.space(n) for n in range(1, 41)] == SPACES
    assert [p for p in range(1, 81) if track.worth(p) > track.worth(p - 1)] == SPACES


def test_what_a_marker_is_worth(track: Track) -> None:
    assert [track.worth(p) for p in (0, 2, 4, 5, 8, 9, 79, 80)] == [0, 0, 0, 1, 1, 2, 39, 40]


def test_gaining(track: Track) -> None:
    assert track.after(2, recognition=4) == 6
    assert track.after(2, prestige=1) == 5
    assert track.after(5, prestige=1) == 9
    assert track.after(4, prestige=1) == 5
    assert track.after(7, prestige=2) == 13
    assert track.after(0, prestige=40) == 80


def test_losing(track: Track) -> None:
    assert track.after(7, prestige=-1) == 5
    assert track.after(9, prestige=-1) == 5
    assert track.after(10, prestige=-1) == 9
    assert track.after(13, prestige=-2) == 5
    assert track.behind(7) == 1
    assert track.behind(9) == 1
    assert track.behind(5) == 0  # none lies strictly behind
    assert [track.behind(p) for p in range(6)] == [0] * 6
    assert track.after(7, recognition=-3) == 4


def test_a_gain_and_a_loss_of_prestige_are_not_opposites(track: Track) -> None:
    assert track.after(track.after(7, prestige=1), prestige=-1) == 5
    assert track.after(track.after(7, prestige=-1), prestige=1) == 9


def test_laps_are_crossed_freely(track: Track) -> None:
    assert [track.worth(p) for p in (81, 84, 85, 89, 160, 165)] == [40, 40, 41, 42, 80, 81]
    assert track.after(79, prestige=1) == 80
    assert track.after(79, prestige=2) == 85
    assert track.after(80, prestige=1) == 85
    assert track.after(78, recognition=5) == 83
    assert track.after(85, prestige=-1) == 80
    assert track.after(83, prestige=-1) == 80
    assert track.after(86, prestige=-3) == 79
    assert track.after(160, prestige=2) == 169
    assert track.after(82, recognition=-4) == 78
    assert track.space(41) == 85
    assert track.space(80) == 160
    assert track.space(81) == 165


def test_selling_and_rerolling_move_the_marker() -> None:
    p = Position(2)
    for at, to in ((7, 5), (9, 5), (10, 9), (83, 80)):
        for kind, column in ((A_SELL, "points_sold"), (A_REROLL, "points_rerolls")):
            p = Position(2)
            p.g.marker[0] = at
            p.do(kind, int(p.g.die_space[0]) if kind == A_REROLL else 0)
            assert p.g.marker[0] == to
            assert p.told(0, column) == to - at
    for at in (0, 2, 4, 5):
        p.g.marker[0] = at
        assert not p.kinds() & {A_SELL, A_REROLL}


@given(hyp.integers(0, 2**32 - 1), hyp.data())
def test_any_track_agrees_with_a_naive_one(seed: int, data: Any) -> None:
    ruleset = random_ruleset(random.Random(seed))
    lap, spaces = ruleset.track.lap, ruleset.track.prestige_spaces
    all_spaces = [lap * i + s for i in range(200) for s in spaces]  # far enough
    track = Track(ruleset)
    at = data.draw(hyp.integers(0, 3 * lap))
    assert track.worth(at) == sum(s <= at for s in all_spaces)
    assert track.behind(at) == sum(s < at for s in all_spaces)
    n = data.draw(hyp.integers(1, 99))
    assert track.space(n) == all_spaces[n - 1]
    assert track.after(at, prestige=n) == [s for s in all_spaces if s > at][n - 1]
    behind = [s for s in reversed(all_spaces) if s < at]
    if behind:
        n = data.draw(hyp.integers(1, len(behind)))
        assert track.after(at, prestige=-n) == behind[n - 1]
    steps = data.draw(hyp.integers(-at, 99))
    assert track.after(at, recognition=steps) == at + steps
