"""A designer's own functions play like shipped players, and harm nobody; what is wrong is said in one line."""

import re
import threading
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from rcsim import cli
from rcsim.engine.random import deal_key
from rcsim.policies.custom import load
from rcsim.policies.errors import PlayerError
from rcsim.policies.lineup import seat_players
from rcsim.rules.pack import pack
from rcsim.trace import trace_game
from tests.positions import loaded
from tests.test_invariants import rows

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = f"{ROOT / 'rcsim' / 'policies' / 'data' / 'template.py'}:choose"  # of `rcsim policies new`
GREEDY = """
import numba
from rcsim.policies.greedy import choose_greedy
def plain(g, t, acts, mind):
    return choose_greedy(g, t, acts, mind)
@numba.njit(cache=True)
def decorated(g, t, acts, mind):
    return choose_greedy(g, t, acts, mind)
named = lambda g, t, acts, mind: choose_greedy(g, t, acts, mind)
def harmful(g, t, acts, mind):
    action = choose_greedy(g, t, acts, mind)
    for seat in range(4):
        g.rubles[seat] = 99
    g.phase = 15
    g.turn += 1
    for i in range(acts.n):
        acts.a[i] = 77
    acts.n = 0
    for i in range(mind.tower_worth.shape[0]):
        mind.tower_worth[i] = 10**6
    for seat in range(4):
        mind.scales[seat].rubles[1] = 10**6
    return action
"""
COMPILED = not numba.config.DISABLE_JIT


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(GREEDY)


def own(body: str, name: str = "choose") -> str:
    """A file with a function of this body; its spec."""
    lines = (f"    {line}\n" for line in body.split("\n"))
    Path("own.py").write_text(f"def {name}(g, t, acts, mind):\n{''.join(lines)}")
    return f"own.py:{name}"


def same(ours: Any, theirs: Any) -> bool:
    return all((a == b).all() for a, b in zip(ours, theirs, strict=True))


def test_leaves_the_planner_its_own_notes() -> None:
    tables = pack(loaded(), players=2)
    assert same(rows(tables, ["planner", "mine.py:harmful"], 3, 10, 6), rows(tables, ["planner", "greedy"], 3, 10, 6))


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_plays_like_the_player_that_it_calls(players: int) -> None:
    tables = pack(loaded(), players=players, board="advanced" if players % 2 else "basic")
    lineup = ["mine.py:decorated", "mine.py:plain", "greedy", "mine.py:harmful"][:players]
    assert same(rows(tables, lineup, 3, 10, 12), rows(tables, ["greedy"] * players, 3, 10, 12))


def test_a_function_by_any_other_name() -> None:
    number = load("mine.py:named", GREEDY, "named")
    assert load("mine.py:named", GREEDY, "named") == number
    assert load("mine.py:plain", GREEDY, "plain") != number
    tables = pack(loaded(), players=2)
    lineup = seat_players(["mine.py:plain", "greedy"], tables[0])
    lineup[0].custom = number
    from rcsim.engine.run import play_range
    from rcsim.experiments.work import new_rows

    ours = new_rows(5, 2)
    play_range(tables, lineup, 1, 0, *ours)
    assert same(ours, rows(tables, ["greedy"] * 2, 1, 0, 5))


def test_the_text_is_what_counts() -> None:
    tables = pack(loaded(), players=2)
    lineup = seat_players(["mine.py:plain", "greedy"], tables[0])
    Path("mine.py").write_text("raise OSError")  # a run that was begun, or is replayed, does not read it again
    number = load("mine.py:decorated", GREEDY, "decorated")
    assert number != lineup[0].custom


def test_it_sits_with_everybody() -> None:
    tables = pack(loaded(), players=4)
    lineup = ["mine.py:plain", "search:2", EXAMPLE, "random"]
    ours = rows(tables, lineup, 5, 0, 2)
    assert same(ours, rows(tables, ["greedy", *lineup[1:]], 5, 0, 2))
    assert not same(ours, rows(tables, ["greedy", "search:2", "greedy", "random"], 5, 0, 2))


def test_it_does_not_know_the_future() -> None:
    tables = pack(loaded(), players=2)
    spec = own(f"if g.key == {int(deal_key(7, 4))}:\n    return -1\nreturn acts.a[acts.n - 1]")
    rows(tables, [spec, "greedy"], 7, 4, 1)
    spec = own(f"if g.key != {int(deal_key(7, 4))}:\n    return -1\nreturn acts.a[acts.n - 1]")
    with pytest.raises(PlayerError):
        rows(tables, [spec, "greedy"], 7, 4, 1)


def test_any_thread_any_split() -> None:
    tables = pack(loaded(), players=3)
    lineup = [EXAMPLE, "greedy", "mine.py:plain"]
    whole = rows(tables, lineup, 2, 0, 40)
    parts: list[Any] = [None] * 4

    def play(i: int) -> None:
        parts[i] = rows(tables, lineup, 2, 10 * i, 10)

    threads = [threading.Thread(target=play, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert same([np.concatenate(part) for part in zip(*parts, strict=True)], whole)


def test_traces_are_those_of_the_sweep() -> None:
    ruleset = loaded()
    tables = pack(ruleset, players=2)
    *_, score = trace_game(ruleset, tables, [EXAMPLE, "greedy"], 1, 3)
    total = rows(tables, [EXAMPLE, "greedy"], 1, 3, 1)[1]
    from rcsim.columns import seat_column

    assert [seat["total"] for seat in score["seats"]] == total[:, seat_column("total")].tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def choose(g, t):\n    return 1", "line 1: wrong arguments; it has to be choose(g, t, acts, mind)"),
        ("\n\ndef choose(g, t, acts, mind, x):\n    return 1", "line 3: wrong arguments; it has to be choose("),
        ("import nix_da\ndef choose(g, t, acts, mind):\n    return 1", "line 1: ModuleNotFoundError: No module named"),
        ("x = 1\ny = x // 0\ndef choose(g, t, acts, mind):\n    return 1", "line 2: ZeroDivisionError: "),
        ("def choose(g, t, acts, mind):\n    return 1\nraise SystemExit", "line 3: SystemExit"),
        ("def choose(g, t, acts, mind):\n    yield 1", "choose is a generator"),
        ("def choose(g, t, acts, mind):\n    return 1\nchoose = 3", "choose is no function"),
    ],
)
def test_what_is_wrong_before_it_is_compiled(text: str, message: str) -> None:
    Path("own.py").write_text(text)
    with pytest.raises(PlayerError, match=f"^{re.escape('own.py: ' + message)}") as caught:
        seat_players(["own.py:choose"], pack(loaded(), players=1)[0])
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x = 1\nreturn g.rublez[x]", "line 3: no field rublez in a record; did you mean rubles?"),
        ("return numpy.argmax(acts.a)", "line 2: NameError: name 'numpy' is not defined"),
        ("return helper(g)\ndef helper(g):\n    return 1", None),
        ("x = 'a' + 1\nreturn 0", "line 2: Numba cannot do add(Literal[str](a), Literal[int](1))"),
        ("import numpy\nreturn 0", "line 2: Use of unsupported opcode (IMPORT_NAME) found"),
        ("return acts.b()", "line 2: no field b in a record"),
        ("return 1.5", "choose returns float64; it has to return one of acts.a[:acts.n]"),
        ("x = g.turn", "choose returns nothing; it has to"),
        ("if g.turn:\n    return 1", "choose returns nothing in some cases, int64 in others; it has to"),
        ("return g", "choose returns a record; it has to"),
        ("return acts.a[0], 1", "choose returns"),
    ],
)
def test_what_does_not_compile(body: str, message: str | None) -> None:
    with pytest.raises(PlayerError, match=f"^own.py: {re.escape(message or '')}") as caught:
        seat_players([own(body)], pack(loaded(), players=1)[0])
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 150


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_helper_that_is_not_decorated() -> None:
    Path("own.py").write_text("def helper(g):\n    return 1\n\ndef choose(g, t, acts, mind):\n    return helper(g)\n")
    with pytest.raises(PlayerError, match=r"^own.py: line 5: helper is not compiled; decorate it with @numba.njit$"):
        seat_players(["own.py:choose"], pack(loaded(), players=1)[0])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return 4 | 7 << 6 | 3 << 16", "game 20, step 0, seat 1: 197060 (A_DELIVER 7 3 0) was returned; it has to be"),
        ("return -5", "game 20, step 0, seat 1: -5 was returned; it has to be one of the "),
        ("if g.turn < 5:\n    return acts.a[0]\nraise ValueError('I give up')", "line 4: ValueError: I give up"),
        ("return acts.a[1000 + g.turn]", "IndexError: index "),
    ],
)
def test_what_goes_wrong_in_a_game(body: str, message: str) -> None:
    tables = pack(loaded(sets=("options.first_seat=1",)), players=2)
    with pytest.raises(PlayerError, match=r"^own\.py:choose: game 20, step ") as caught:
        rows(tables, ["greedy", own(body)], 1, 20, 3)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(PlayerError, match=r"^own\.py:choose: step "):
        list(trace_game(loaded(), tables, ["greedy", "own.py:choose"], 1, 20))


def test_the_command_line_says_it_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["sweep", "--games", "600", "--players", "2", "--threads", "2", "--out", "run", "--policy"]
    assert cli.run([*command, f"{own('return 3 + g.x')},greedy"]) == 2
    said = capsys.readouterr().err
    if COMPILED:
        assert said == "rcsim: error: --policy: own.py: line 2: no field x in a record\n"
        assert not Path("run").exists()
    assert cli.run([*command, f"{own('return -1 - g.turn')},greedy", "--force"]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if "error" in line]
    assert len(lines) == 1
    assert re.match(r"rcsim: error: own\.py:choose: game \d+, step 0, seat 0: -1 was returned; .*stored$", lines[0])
    assert cli.run(["play", "--players", "2", "--policy", "own.py:choose"]) == 2
    assert "rcsim: error: own.py:choose: step " in capsys.readouterr().err
