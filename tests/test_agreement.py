"""The engine agrees with the oracle, over player counts, boards, presets, players and rulesets."""

import random
from collections import Counter

import pytest

from rcsim.names import GOODS
from tests import agreement
from tests.agreement import EVENT_OF_PHASE, agree, game_number, is_complete, judge, record
from tests.oracle.mutate import mutations
from tests.oracle.replay import OracleError, replay

GAMES = 2000  # the long trial, scripts/agree.py, plays 20,000
SHARE = 50
WILD = (16, 88)  # games by random rulesets; together they have choices of every kind


@pytest.mark.parametrize("first", range(0, GAMES, SHARE))
def test_traces_legal_steps_and_choices(first: int) -> None:
    compared: Counter[str] = Counter()
    for number in range(first, first + SHARE):
        try:
            agree(game_number(number), is_complete(number), compared)
        except (OracleError, AssertionError) as error:
            raise AssertionError(f"game {number}: {error}") from error
    assert compared["wanted"]
    assert compared.total() - compared["wanted"]


@pytest.mark.parametrize("number", [0, 3, 5, 6, 46, 67])
def test_oracle_rejects_wrong_traces(number: int) -> None:
    lines, *_ = record(game_number(number), complete=False)
    replay(lines)  # as it is, it is right
    wrong_ones = list(mutations(lines, random.Random(number), limit=40))
    assert len(wrong_ones) == 40
    for description, wrong in wrong_ones:
        with pytest.raises(OracleError):
            replay(wrong)
            pytest.fail(description)


def test_a_missing_option_is_noticed() -> None:
    noticed = set()
    for number in WILD:
        lines, steps, choices = record(game_number(number))
        judge(lines, steps, choices)
        for key, options in choices.items():
            what = "wanted" if key[1] in GOODS else key[1]
            if what in noticed or len(options) == 1:
                continue
            fewer, more = options - {max(options, key=repr)}, options | {((5, 9),)}
            for wrong in ({**choices, key: fewer}, {**choices, key: more}):
                with pytest.raises(OracleError):
                    judge(lines, steps, wrong)
            del wrong[key]
            with pytest.raises(OracleError, match="does not ask"):
                judge(lines, steps, wrong)
            with pytest.raises(OracleError, match="only the engine asks"):
                judge(lines, steps, {**choices, (-1, key[1]): options})
            noticed.add(what)
    assert noticed == {"wanted", *EVENT_OF_PHASE.values()}


@pytest.mark.parametrize("event", ["pay", "gain"])
def test_a_missing_unit_of_a_price_or_gain_is_noticed(event: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = agreement.list_legal

    def without_the_last(games, tables, acts):
        whole(games, tables, acts)
        if EVENT_OF_PHASE[int(games["phase"][0])] == event and acts["n"][0] > 1:
            acts["n"][0] -= 1

    monkeypatch.setattr(agreement, "list_legal", without_the_last)
    with pytest.raises(OracleError, match=rf", {event}: only the engine lists set\(\)"):
        for number in WILD:
            agree(game_number(number))
