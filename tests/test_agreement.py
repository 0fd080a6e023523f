"""The engine agrees with the oracle, over player counts, boards, presets, players and rulesets."""

import random

import pytest

from tests.agreement import agree, game_number, is_complete, record
from tests.oracle.mutate import mutations
from tests.oracle.replay import OracleError, replay

GAMES = 2000  # the long trial, scripts/agree.py, plays 20,000
SHARE = 50


@pytest.mark.parametrize("first", range(0, GAMES, SHARE))
def test_traces_and_legal_steps(first: int) -> None:
    for number in range(first, first + SHARE):
        try:
            agree(game_number(number), is_complete(number))
        except (OracleError, AssertionError) as error:
            raise AssertionError(f"game {number}: {error}") from error


@pytest.mark.parametrize("number", [0, 3, 5, 6, 18, 23])
def test_oracle_rejects_wrong_traces(number: int) -> None:
    lines, _ = record(game_number(number))
    replay(lines)  # as it is, it is right
    for description, wrong in mutations(lines, random.Random(number), limit=40):
        with pytest.raises(OracleError):
            replay(wrong)
            pytest.fail(description)
