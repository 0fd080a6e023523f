"""Training: what is measured, that it climbs, that a folder tells it all again. A quick stand-in plays the games."""

import itertools
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rcsim.cli import run
from rcsim.columns import SEAT_COLUMNS, game_column, seat_column
from rcsim.experiments import work
from rcsim.experiments.arena import Arena, Results
from rcsim.experiments.evolution import Evolution
from rcsim.experiments.objectives import BELOW, MARGIN, MOST_MARGIN, STRENGTH, STYLES, Objective
from rcsim.experiments.training import CURVE, Recipe, Training
from rcsim.policies import STYLES as SHIPPED
from rcsim.policies.features import FEATURES, WEIGHTS
from rcsim.policies.lineup import resolve
from rcsim.policies.weights import from_array, read, to_array
from rcsim.rules.loader import load

RULESET = load()
START = resolve("balanced")
GOAL = to_array(START.weights) + np.where(np.arange(len(WEIGHTS)) % 2, 400, -400)  # what the stand-in plays best with


def fake_kernel(tables, lineup, seed, first, games, seats):
    """A seat scores the better, and takes the fewer turns, the nearer its weights are to GOAL; the deal adds luck."""
    n = len(games)
    if not n:  # to warm up
        return
    k = len(seats) // n
    seats[:] = 0
    for seat in range(k):
        luck = np.sin((first + np.arange(n) + 1) * (seat + 1.618) * (seed + 2.71828)) * 8
        skill = 12 * np.exp(-np.mean((lineup[seat]["weights"][[0, -1]] - GOAL) ** 2) / 400**2)
        seats[seat::k, seat_column("total")] = np.rint(30 + skill + luck)
        seats[seat::k, seat_column("turns")] = np.rint(30 - skill)
    totals = seats[:, seat_column("total")].reshape(n, k)
    best = totals == totals.max(axis=1, keepdims=True)
    seats[:, seat_column("win_share")] = (best * best.sum(axis=1, keepdims=True)).reshape(-1)


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(work, "kernel", lambda: fake_kernel)


RECIPE = Recipe(
    start=START,
    seed=7,
    population=12,
    games=60,
    sigma=0.3,
    players=(2, 4),
    boards=("basic",),
    against=(None,),
    objective=Objective(),
    test_every=3,
    test_games=200,
    ruleset=RULESET.hash,
    preset=RULESET.preset,
)


def arena(recipe=RECIPE, threads=2):
    return Arena(recipe.bouts(RULESET), recipe.objective, seed=recipe.seed, threads=threads)


def trained(generations, recipe=RECIPE, threads=2):
    with arena(recipe, threads) as place:
        training = Training(recipe, place)
        for _ in range(generations):
            training.step()
        return training, *training.finish()


def distance(player):
    return np.abs(to_array(player.weights)[:, : len(FEATURES)] - GOAL[:, : len(FEATURES)]).mean()


# What is measured


def test_measures_are_those_of_the_candidates_own_seat():
    rows = np.zeros((3, 4, len(SEAT_COLUMNS)), np.int32)
    rows[:, :, seat_column("total")] = [[40, 30, 20, 10], [10, 10, 10, 10], [5, 0, 0, 31]]
    rows[:, :, seat_column("win_share")] = [[1, 0, 0, 0], [4, 4, 4, 4], [0, 0, 0, 1]]
    rows[:, :, seat_column("doors")] = [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 1]]
    rows[:, :, seat_column("points_ornaments")] = [[2, 9, 9, 9], [0, 0, 0, 0], [0, 0, 0, 3]]
    ended = np.zeros(3, np.int32)
    measured = Objective("decorator").measure(rows, 0, ended)
    assert measured == pytest.approx(np.array([[4, 1, 0], [20, 0, 5 - 31 / 3], [1 / 2 + 2 / 4, 0, 1 / 2]]))
    assert Objective().measure(rows, 3, ended)[0].tolist() == [0, 1, 4]
    assert not Objective().measure(rows, 3, ended)[2].any()


def test_a_game_cut_off_is_lost_and_no_margin_counts_beyond_its_bound():
    rows = np.zeros((2, 2, len(SEAT_COLUMNS)), np.int32)
    rows[:, :, seat_column("total")] = [200, 10]
    rows[:, :, seat_column("win_share")] = [1, 0]
    measured = Objective().measure(rows, 0, np.array([1, 0], np.int32))
    assert measured[:2].tolist() == [[0, 2], [-MOST_MARGIN, MOST_MARGIN]]


def test_equal_players_have_a_fair_share_in_every_bout(fake):
    with arena(replace(RECIPE, players=(2, 3, 4), boards=("basic", "advanced"))) as place:
        results = place.play([START], START, 0, 600)
    assert [v.shape for v in results.values] == [(1, 3, d) for d in (50, 50, 33, 33, 25, 25)]
    for values in results.values:
        assert np.allclose(values[0, 0], 1)  # each deal, over all its seats
        assert np.allclose(values[0, 1], 0)


def test_no_deal_is_played_in_two_bouts_or_twice_by_one_seat(monkeypatch):
    played = []

    def watching(tables, lineup, seed, first, games, seats):
        played.extend((first + i, len(seats) // len(games), int(lineup["weights"].argmax())) for i in range(len(games)))

    monkeypatch.setattr(work, "kernel", lambda: watching)
    with arena(replace(RECIPE, players=(2, 3))) as place:
        place.play([START], START, 1000, 600)
    deals = {players: {deal for deal, n, _ in played if n == players} for players in (2, 3)}
    assert deals == {2: set(range(1000, 1150)), 3: set(range(1150, 1250))}
    assert len(played) == 600


def test_fitness_and_its_slopes():
    means = np.array([[1.2, 3.0, 0.7], [0.6, -2.0, 0.9]])
    assert Objective().fitness(means).tolist() == pytest.approx([1.2 + 3 * MARGIN, 0.6 - 2 * MARGIN])
    rusher = Objective("rusher", 0.8)
    assert rusher.fitness(means)[0] == pytest.approx(0.7 + STRENGTH * (1.2 + 3 * MARGIN))
    assert rusher.fitness(means)[1] == pytest.approx(0.9 + STRENGTH * (0.6 - 2 * MARGIN) - BELOW * 0.2)
    for objective in (Objective(), rusher):
        for at in means:
            steps = [(objective.fitness(at + d) - objective.fitness(at)) / 1e-3 for d in np.eye(3) * 1e-3]
            assert objective.slopes(at) == pytest.approx(steps)


def test_the_error_of_a_difference_is_that_of_differences_deal_by_deal():
    rng = np.random.default_rng(1)
    luck = rng.normal(size=(1, 3, 400))
    results = Results([luck + rng.normal(0, 0.1, (2, 3, 400)), rng.normal(size=(2, 3, 100))])
    gain, error = results.combined(np.array([[1, 0, 0], [-1, 0, 0]]))
    parts = [v[0, 0] - v[1, 0] for v in results.values]
    assert gain == pytest.approx(sum(p.mean() for p in parts) / 2)
    assert error == pytest.approx(np.sqrt(sum(p.var(ddof=1) / len(p) for p in parts)) / 2)
    assert gain == pytest.approx(results.means()[0, 0] - results.means()[1, 0])


def test_every_style_has_a_weight_file_of_its_name():
    assert {s.name for s in STYLES} == set(SHIPPED) - {"balanced"}


# The search


def test_the_first_candidates_surround_the_start():
    start = to_array(START.weights)
    candidates = np.stack(Evolution(start, sigma=0.2, population=400, seed=1).ask())
    assert candidates.shape == (400, 2, len(WEIGHTS))
    scale = np.maximum(np.abs(start).max(axis=0), 250)
    off = (candidates - start) / scale
    assert np.abs(off.mean(axis=0)).max() < 0.05
    assert np.abs(off[..., : len(FEATURES)].std(axis=0) / 0.2 - 1).max() < 0.2
    assert (off[:, 0, len(FEATURES) :] == off[:, 1, len(FEATURES) :]).all()  # tile units have one value


def test_the_path_depends_on_seed_and_fitness_alone():
    def path(seed, noise):
        search = Evolution(to_array(START.weights), sigma=0.2, population=6, seed=seed)
        np.random.seed(noise)  # noqa: NPY002
        for _ in range(3):
            search.tell([-np.abs(c).sum() for c in search.ask()])
            np.random.random(noise)  # noqa: NPY002
        return search.mean.tolist(), search.sigma

    assert path(1, 1) == path(1, 5)
    assert path(1, 1) != path(2, 1)
    assert path(2**64 - 1, 1) != path(2**64 - 2, 1)


def test_training_climbs_and_champions_follow(fake):
    training, best, found = trained(30)
    assert distance(best) < 0.85 * distance(START)
    assert found["win"] > 1.1
    assert training.champions >= 3
    for entry in training.journal:
        test = entry.get("test")
        assert (test is not None) == (entry["generation"] % 3 == 0)
        assert test is None or test["promoted"] == (test["gain"] > test["gain_error"])


def test_a_style_is_followed_down_to_the_floor(fake):
    objective = Objective("rusher", floor=0.9)
    training, _, found = trained(24, replace(RECIPE, objective=objective, against=(START,)))
    assert found["style"] > found["start_style"]
    assert training.recipe.bouts(RULESET)[0].opponent == START


def test_threads_change_no_number(fake):
    one, two = trained(4, threads=1), trained(4, threads=3)
    assert one[0].journal == two[0].journal
    assert one[1:] == two[1:]


def test_the_kernel_plays_what_the_arena_says():
    recipe = replace(RECIPE, start=START, players=(3,), games=30, against=(resolve("greedy"),))
    (bout,) = recipe.bouts(RULESET)
    with arena(recipe) as place:
        (values,) = place.play([resolve("builder")], START, 5, 30).values
    from rcsim.engine.run import play_range
    from rcsim.policies.lineup import seat_players

    expected = np.zeros((3, 10))
    for seat in range(3):
        lineup = seat_players(["builder" if s == seat else "greedy" for s in range(3)], bout.tables[0])
        games, seats = work.new_rows(10, 3)
        play_range(bout.tables, lineup, recipe.seed, 5, games, seats)
        cut_off = games[:, game_column("truncated")]
        expected += Objective().measure(seats.reshape(10, 3, -1), seat, cut_off) / 3
    assert values[0] == pytest.approx(expected)


# The command


ARGUMENTS = ("train", "--population", 8, "--games", 40, "--test-every", 2, "--test-games", 60, "--seed", 3)


def cli(*arguments):
    return run([str(a) for a in arguments])


def contents(path):
    curve = pl.read_parquet(path / "curve.parquet")
    assert curve.columns == list(CURVE)
    weights = (path / "weights.toml").read_text(encoding="utf-8").replace(str(path), "DIR")
    return json.loads((path / "training.json").read_text(encoding="utf-8")), curve.rows(), weights


def test_an_interrupted_training_continues_to_the_same_end(fake, monkeypatch, tmp_path, capsys):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert cli(*ARGUMENTS, "--generations", 7, "--out", whole, "--threads", 1) == 0
    out, err = capsys.readouterr()
    assert out.startswith("generations 7, candidates 8, ")
    assert err.count("rcsim: generation ") == 7
    assert err.count("rcsim: test: ") == 3
    calls = iter(())

    def stopping(*arguments):
        if next(calls, None) is None:
            raise KeyboardInterrupt
        fake_kernel(*arguments)

    monkeypatch.setattr(work, "kernel", lambda: stopping)
    kept = []
    for n in (400, 60, 700):
        calls = iter(range(n))  # until Ctrl-C
        assert cli(*ARGUMENTS, "--generations", 7, "--out", broken, "--threads", 2) == 130
        err = capsys.readouterr().err.splitlines()[-1]
        kept.append(len(json.loads((broken / "training.json").read_text(encoding="utf-8"))["journal"]))
        assert err == (
            f"rcsim: interrupted; {kept[-1]} of 7 generations are kept in {broken}; the same command continues"
        )
        assert read(broken / "weights.toml").training["finished"] is False
        assert not list(broken.glob("*.unfinished"))
    assert 0 < kept[0] == kept[1] < kept[2] < 7
    calls = itertools.count()
    assert cli(*ARGUMENTS, "--generations", 7, "--out", broken, "--threads", 2) == 0
    assert contents(whole)[:2] == contents(broken)[:2]
    assert contents(whole)[2].replace("--threads 1", "--threads 2") == contents(broken)[2]


def test_more_generations_go_on_from_where_it_ended(fake, tmp_path, capsys):
    whole, grown = tmp_path / "whole", tmp_path / "grown"
    assert cli(*ARGUMENTS, "--generations", 5, "--out", whole) == 0
    assert cli(*ARGUMENTS, "--generations", 3, "--out", grown) == 0
    assert cli(*ARGUMENTS, "--generations", 5, "--out", grown) == 0
    assert contents(whole) == contents(grown)
    capsys.readouterr()
    assert cli(*ARGUMENTS, "--generations", 5, "--out", grown) == 0  # plays nothing, and says it again
    out, err = capsys.readouterr()
    assert out.startswith("generations 5, candidates 8, ")
    assert err == ""
    assert contents(whole) == contents(grown)


def test_the_weight_file_says_how_it_was_come_by_and_plays(monkeypatch, tmp_path):
    played = []

    def counting(*arguments):
        played.append(len(arguments[-2]))
        fake_kernel(*arguments)

    monkeypatch.setattr(work, "kernel", lambda: counting)
    assert cli(*ARGUMENTS, "--generations", 2, "--style", "rusher", "--out", tmp_path) == 0
    file = read(tmp_path / "weights.toml")
    assert file.name == "rusher"
    made = file.training
    assert made["command"].startswith("rcsim train --population 8 ")
    assert (made["seed"], made["generations"], made["population"], made["style"]) == (3, 2, 8, "rusher")
    assert RULESET.hash.startswith(made["ruleset"])
    assert made["finished"] is True
    assert made["games"] == sum(played)
    assert resolve(str(tmp_path / "weights.toml")).weights == file.weights
    assert (to_array(from_array(to_array(file.weights))) == to_array(file.weights)).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--from", "greedy"], "--from: greedy was given; accepted: the planner by a style or a weight file"),
        (["--against", "greed"], "--against: greed was given; did you mean greedy? accepted: "),
        (["--style", "rush"], "--style: rush was given; did you mean rusher? accepted: "),
        (["--players", "2,5"], "--players: 5 was given; accepted: a whole number from 2 to 4"),
        (["--boards", "plain"], "--boards: plain was given; accepted: basic, advanced"),
        (["--sigma", "big"], "--sigma: big was given; accepted: a number from 0.001 to 10"),
        (["--floor", "0.9"], "--floor: was given without --style; accepted with one"),
        (["--population", "3"], "--population: 3 was given; accepted: a whole number from 4 to 10000"),
    ],
)
def test_bad_input_gets_one_line(arguments, message, tmp_path, capsys):
    assert cli("train", "--out", tmp_path / "t", *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"rcsim: error: {message}")
    assert err.count("\n") == 1
    assert not (tmp_path / "t").exists()


def test_another_training_in_the_folder_is_left_alone(fake, tmp_path, capsys):
    assert cli(*ARGUMENTS, "--generations", 2, "--out", tmp_path) == 0
    before = contents(tmp_path)
    capsys.readouterr()
    for more, line in (
        (("--sigma", "0.2"), f"{tmp_path}: holds a training with another sigma; give another folder, or --force"),
        (("--test-games", "61"), f"{tmp_path}: holds a training with another test games; "),
        (("--generations", "1"), f"--generations: 1 was given; {tmp_path} holds 2 already: give that or more"),
    ):
        assert cli(*ARGUMENTS, "--generations", 2, "--out", tmp_path, *more) == 2
        assert capsys.readouterr().err.startswith(f"rcsim: error: {line}")
    assert contents(tmp_path) == before
    assert cli(*ARGUMENTS, "--generations", 2, "--sigma", "0.2", "--out", tmp_path, "--force") == 0
    assert contents(tmp_path)[0]["recipe"]["sigma"] == 0.2


def test_a_journal_of_other_candidates_is_refused(fake, tmp_path, capsys):
    assert cli(*ARGUMENTS, "--generations", 2, "--out", tmp_path) == 0
    state = tmp_path / "training.json"
    data = json.loads(state.read_text(encoding="utf-8"))
    data["journal"][1]["candidates"] = "0" * 16
    state.write_text(json.dumps(data), encoding="utf-8")
    capsys.readouterr()
    assert cli(*ARGUMENTS, "--generations", 3, "--out", tmp_path) == 2
    assert "generation 2 of the journal had other candidates" in capsys.readouterr().err
    state.write_text("{", encoding="utf-8")
    assert cli(*ARGUMENTS, "--generations", 3, "--out", tmp_path) == 2
    assert f"{state}: not a training that rcsim" in capsys.readouterr().err


def test_without_cma_one_line_says_what_to_install(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "cma", None)
    assert cli("train", "--out", tmp_path / "t") == 2
    assert capsys.readouterr().err == (
        'rcsim: error: training needs the package cma, which is not installed: pip install "rcsim[train]"\n'
    )


def test_the_page_names_all_styles_and_columns():
    page = (Path(__file__).resolve().parent.parent / "docs" / "training.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert rows == {s.name for s in STYLES} | set(CURVE)
