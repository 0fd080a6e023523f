"""Golden games are played as they were; `scripts/golden.py` renews them where a change is meant."""

import pytest

from rcsim.policies import POLICIES
from tests.golden_games import difference, kept, names, play, read

NOT_KEPT = {"planner", "search", "custom"}  # retrained now and then, slow, anybody's


def test_games_of_every_player_are_kept() -> None:
    assert kept() == sorted({policy.name for policy in POLICIES} - NOT_KEPT)


@pytest.mark.parametrize("policy", kept())
def test_all_kinds_of_games_are_kept(policy: str) -> None:
    assert list(read(policy)) == names()


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("policy", kept())
def test_golden_game(policy: str, name: str) -> None:
    changed = difference(read(policy)[name], play(policy, name))
    assert changed is None, f"{changed}. If that is meant: python scripts/golden.py {policy}"


def test_where_games_part() -> None:
    game = play("random", names()[0])
    assert difference(game, game) is None
    other = {**game, "hashes": "00000" + game["hashes"][5:]}
    assert "at the setup" in str(difference(game, other))
    other = {**game, "hashes": game["hashes"][:20] + "-----" + game["hashes"][25:], "totals": [1, 2]}
    assert "in turn 3; totals" in str(difference(game, other))
    assert "in where it ends" in str(difference(game, {**game, "hashes": game["hashes"][:-5]}))
    assert "in the score" in str(difference(game, {**game, "score": "-"}))
