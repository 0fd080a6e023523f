"""Tournaments: complete and balanced line-ups, shared deals, and intervals over deals that cover."""

import json
import re
import sys
from collections import Counter
from itertools import combinations, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rcsim.analysis.intervals import t_quantile
from rcsim.analysis.ratings import POINTS, ratings
from rcsim.analysis.tournament import Tally, contests, cycles, differences, pair_shares, share_bounds, standings
from rcsim.cli import run as command
from rcsim.columns import GAME_COLUMNS, SEAT_COLUMNS, game_column, seat_column
from rcsim.experiments.errors import DesignError, Interrupted
from rcsim.experiments.runner import Pool
from rcsim.experiments.store.content import content_hash
from rcsim.experiments.tournament import challenges, seatings, tournament
from rcsim.policies.lineup import resolve
from rcsim.rules.loader import load

RULESET = load()


# Line-ups


@pytest.mark.parametrize(("k", "n"), [(2, 2), (3, 2), (2, 3), (3, 3), (2, 4), (4, 4)])
def test_all_seatings_are_there_and_balanced(k, n):
    names = "ABCD"[:k]
    lineups = seatings(names, n)
    assert len(set(lineups)) == len(lineups) == k**n - k
    assert all(len(set(lineup)) > 1 for lineup in lineups)
    assert {lineup[1:] + lineup[:1] for lineup in lineups} == set(lineups)
    assert {tuple(sorted(lineup)) for lineup in lineups} == {tuple(sorted(c)) for c in product(names, repeat=n)} - {
        (name,) * n for name in names
    }
    for seat in range(n):
        assert len(set(Counter(lineup[seat] for lineup in lineups).values())) == 1
    meetings = Counter(frozenset(pair) for lineup in lineups for pair in combinations(lineup, 2) if len(set(pair)) > 1)
    assert len(meetings) == k * (k - 1) // 2
    assert len(set(meetings.values())) == 1


def test_solo_seats_everybody_alone():
    assert seatings("ABC", 1) == [("A",), ("B",), ("C",)]


@pytest.mark.parametrize("n", [2, 3, 4])
def test_challenges_are_one_against_the_rest_from_every_seat(n):
    lineups = challenges("AB", "BC", n)
    assert len(set(lineups)) == len(lineups) == 3 * n
    for one, other in ("AB", "AC", "BC"):
        seats = [lineup.index(one) for lineup in lineups if Counter(lineup) == Counter({one: 1, other: n - 1})]
        assert set(seats) == set(range(n))


def test_a_tournament_is_a_run_whose_cells_differ_in_the_line_up_alone():
    arranged = tournament(RULESET, policy=["random", "builder"], seed=7, games=50, players=2, plan="all")
    run = arranged.run
    assert arranged.entrants == ("random", "builder")
    assert [(cell.index, cell.lineup, cell.plan) for cell in run.cells] == [
        (i, lineup, plan)
        for i, (lineup, plan) in enumerate(
            product([("random", "builder"), ("builder", "random")], RULESET.plan_ids(2)),
        )
    ]
    assert {(c.games, c.ruleset, c.board) for c in run.cells} == {(50, RULESET.hash, "basic")}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"policy": ["random"]}, "two different players or more"),
        ({"policy": ["random", "random"]}, "each player once"),
        ({"policy": ["random"], "against": ["random"]}, "another than the player itself"),
        ({"policy": ["random"], "against": ["builder"], "players": 1}, "in solo"),
        ({"policy": ["random", "builder"], "games": 1}, "accepted: 2 to"),
    ],
)
def test_what_makes_no_tournament(more, said):
    with pytest.raises(DesignError, match=said):
        tournament(RULESET, **{"seed": 1, "games": 10, **more})


def test_too_many_line_ups_are_refused(monkeypatch):
    monkeypatch.setattr("rcsim.experiments.tournament.MAX_CELLS", 15)
    with pytest.raises(DesignError, match="more than 15 line-ups"):
        tournament(RULESET, policy=["random", "builder"], seed=1, games=10, players=4)


# Statistics against brute force


def rows_of(totals):
    """The kernel's rows of games with these totals, (games, seats); the higher total wins."""
    n, k = totals.shape
    games = np.zeros((n, len(GAME_COLUMNS)), np.int32)
    seats = np.zeros((n, k, len(SEAT_COLUMNS)), np.int32)
    rank = 1 + (totals[:, None, :] > totals[:, :, None]).sum(axis=2)
    seats[:, :, seat_column("total")] = totals
    seats[:, :, seat_column("rank")] = rank
    seats[:, :, seat_column("win_share")] = np.where(rank == 1, (rank == 1).sum(axis=1, keepdims=True), 0)
    games[:, game_column("truncated")] = totals[:, 0] % 5 == 0
    return games, seats.reshape(n * k, -1)


def played(lineups, strengths, deals, rng, shared=3.0, noise=10.0):
    """Totals of every line-up, (line-ups, deals, seats): a strength, what the deal does to the seat, and luck."""
    seats = len(lineups[0])
    deal = rng.normal(0, shared, (deals, seats))
    own = np.array([[strengths[name] for name in lineup] for lineup in lineups])
    return np.rint(own[:, None] + deal + rng.normal(0, noise, (len(lineups), deals, seats))).astype(int)


def tallied(lineups, totals, against=None, entrants=None):
    names = entrants or list(dict.fromkeys(name for lineup in lineups for name in lineup))
    tally = Tally(lineups, contests(names, against), deals=totals.shape[1])
    for cell, of_cell in enumerate(totals):
        tally.add(cell, 0, *rows_of(of_cell))
    return tally.results()


STRENGTHS = {"A": 4.0, "B": 0.0, "C": -2.0}


def by_deal(lineups, totals, value):
    """The mean over seats of a value in each deal; `value(lineup, totals)` lists those of one game."""
    lists = [
        [x for lineup, of_cell in zip(lineups, totals, strict=True) for x in value(lineup, of_cell[d])]
        for d in range(totals.shape[1])
    ]
    return np.array([np.mean(values) for values in lists])


def interval(means):
    return t_quantile(len(means) - 1) * means.std(ddof=1) / np.sqrt(len(means))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_number_is_that_of_a_slow_count(n):
    lineups = seatings("ABC", n)
    totals = played(lineups, STRENGTHS, 40, np.random.default_rng(n), noise=3)
    results = tallied(lineups, totals)

    def wins(name):
        return lambda lineup, game: [
            float(game[s] == max(game)) / list(game).count(max(game)) for s in range(n) if lineup[s] == name
        ]

    def margins(name):
        return lambda lineup, game: [
            game[s] - np.mean([game[r] for r in range(n) if r != s]) for s in range(n) if lineup[s] == name
        ]

    def ahead(a, b):
        return lambda lineup, game: [
            0.5 + 0.5 * np.sign(game[i] - game[j])
            for i, j in product(range(n), repeat=2)
            if (lineup[i], lineup[j]) == (a, b)
        ]

    frame = standings(results)
    assert frame["player"].to_list() == ["A", "B", "C"]
    for row in frame.iter_rows(named=True):
        share, margin = by_deal(lineups, totals, wins(row["player"])), by_deal(lineups, totals, margins(row["player"]))
        assert row["win"] == pytest.approx(share.mean())
        assert (row["win_low"], row["win_high"]) == pytest.approx(share_bounds(share.mean(), share.var(ddof=1), 40)[1:])
        assert (row["margin"], row["margin_half"]) == pytest.approx((margin.mean(), interval(margin)))
        assert row["games"] == 40 * sum(row["player"] in lineup for lineup in lineups)
    for row in pair_shares(results).iter_rows(named=True):
        share = by_deal(lineups, totals, ahead(row["player"], row["other"]))
        assert row["ahead"] == pytest.approx(share.mean())
        assert (row["low"], row["high"]) == pytest.approx(share_bounds(share.mean(), share.var(ddof=1), 40)[1:])
        assert row["compared"] == 40 * sum(v.count(row["player"]) * v.count(row["other"]) for v in lineups)
    for row in differences(results).iter_rows(named=True):
        for key, value in (("win", wins), ("margin", margins)):
            gap = by_deal(lineups, totals, value(row["player"])) - by_deal(lineups, totals, value(row["other"]))
            assert (row[key], row[f"{key}_half"]) == pytest.approx((gap.mean(), interval(gap)))
    assert results.truncated == (totals[:, :, 0] % 5 == 0).sum()


def test_a_challenge_counts_the_one_and_not_the_rest():
    lineups = challenges("AB", "BC", 3)
    totals = played(lineups, STRENGTHS, 30, np.random.default_rng(5))
    frame = standings(tallied(lineups, totals, against="BC", entrants="AB"))
    assert frame.select("player", "against", "games").rows() == [("A", "B", 90), ("A", "C", 90), ("B", "C", 90)]
    for one, other, win in frame.select("player", "against", "win").iter_rows():
        at = [(i, v.index(one)) for i, v in enumerate(lineups) if Counter(v) == Counter({one: 1, other: 2})]
        shares = [(totals[i, d, s] == totals[i, d].max()) / (totals[i, d] == totals[i, d].max()).sum()
                  for i, s in at for d in range(30)]  # fmt: skip
        assert win == pytest.approx(np.mean(shares))


def test_pieces_blocks_and_order_change_no_number():
    lineups = seatings("AB", 3)
    totals = played(lineups, STRENGTHS, 5000, np.random.default_rng(1))
    whole = tallied(lineups, totals)
    tally = Tally(lineups, contests("AB"), deals=5000)
    tally.block = 2**10
    pieces = [(cell, first) for cell in range(len(lineups)) for first in range(0, 5000, 300)]
    np.random.default_rng(2).shuffle(pieces)
    for cell, first in pieces:
        if first == 0 == cell:
            with pytest.raises(ValueError, match="not complete"):
                tally.results()
        tally.add(cell, first, *rows_of(totals[cell, first : first + 300]))
    again = tally.results()
    assert (again.means == whole.means).all()
    assert (again.cover == whole.cover).all()
    assert again.truncated == whole.truncated


def test_memory_holds_the_deals_that_are_under_way_alone():
    lineups = seatings("AB", 2)
    tally = Tally(lineups, contests("AB"), deals=10**6)
    tally.block = 2**11
    totals = played(lineups, STRENGTHS, 2**11, np.random.default_rng(1))
    for first in range(0, 5 * 2**11, 2**11):
        for cell in (0, 1):
            tally.add(cell, first, *rows_of(totals[cell]))
            assert len(tally._blocks) == 1 - cell
    wide = Tally(seatings([str(i) for i in range(60)], 2), contests([str(i) for i in range(60)]), deals=10**6)
    assert wide.block * (2 * 60 + 60 * 59 // 2) <= 2**24
    assert tally.block >= 2**11


def test_intervals_cover():
    """Of experiments whose deals depend on themselves alone, some 95 % have the truth in their interval."""
    lineups = challenges("A", "B", 3)
    rng = np.random.default_rng(11)
    truth = standings(tallied(lineups, played(lineups, STRENGTHS, 200_000, rng, shared=8)))
    win, margin = truth["win"][0], truth["margin"][0]
    ahead = pair_shares(tallied(lineups, played(lineups, STRENGTHS, 200_000, rng, shared=8)))["ahead"][0]
    hits = np.zeros(3)
    repeats = 400
    for _ in range(repeats):
        results = tallied(lineups, played(lineups, STRENGTHS, 40, rng, shared=8))
        row = standings(results).row(0, named=True)
        pair = pair_shares(results).row(0, named=True)
        hits += [
            row["win_low"] <= win <= row["win_high"],
            abs(row["margin"] - margin) <= row["margin_half"],
            pair["low"] <= ahead <= pair["high"],
        ]
    assert (abs(hits / repeats - 0.95) < 0.03).all(), hits


def test_bounds_of_a_share():
    mean, low, high = share_bounds(0.4, 0.24, 10_000)
    assert (low, high) == pytest.approx((0.4 - 1.96 * 0.0049, 0.4 + 1.96 * 0.0049), abs=1e-4)
    assert mean == 0.4
    assert share_bounds(1.0, 0.0, 100)[1:] == (pytest.approx(0.962, abs=2e-3), 1.0)
    assert share_bounds(0.0, 0.0, 100)[1:] == (0.0, pytest.approx(0.038, abs=2e-3))
    assert share_bounds(0.5, 0.0, 100)[1:] == pytest.approx((0.49, 0.51), abs=1e-3)
    assert share_bounds(0.5, 0.0, 2)[1] < 0.1
    for p in (0.001, 0.5, 0.999):
        _, low, high = share_bounds(p, p * (1 - p) / 7, 5)
        assert 0 <= low < p < high <= 1


# Ratings


def bradley_terry(strengths, deals, rng):
    """Two-seat line-ups and totals of games that follow the model."""
    lineups = seatings(list(strengths), 2)
    chance = np.array([1 / (1 + 10 ** ((strengths[b] - strengths[a]) / 400)) for a, b in lineups])
    first = rng.random((len(lineups), deals)) < chance[:, None]
    return lineups, np.stack([first, ~first], axis=2).astype(int)


RATED = {"A": 120.0, "B": 40.0, "C": -30.0, "D": -130.0}


def test_ratings_find_the_strengths_with_intervals_that_cover():
    rng = np.random.default_rng(3)
    inside, steps, doubts = [], [], []
    for _ in range(400):
        ranking = ratings(tallied(*bradley_terry(RATED, 100, rng)))
        frame = ranking.frame.sort("player")
        inside += [abs(frame["rating"][i] - RATED[n]) <= frame["half"][i] for i, n in enumerate("ABCD")]
        for (one, step, half), after in zip(
            ranking.frame.select("player", "step", "step_half").iter_rows(), ranking.frame["player"][1:], strict=False
        ):
            steps.append(abs(step - RATED[one] + RATED[after]) <= half)
        doubts.append(ranking.fits < 0.05)
        assert (ranking.miss is not None) == doubts[-1]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.03)
    assert np.mean(steps) == pytest.approx(0.95, abs=0.03)
    assert np.mean(doubts) == pytest.approx(0.05, abs=0.03)


def test_intervals_of_ratings_are_those_of_a_bootstrap_over_deals():
    lineups = seatings("ABC", 3)
    rng = np.random.default_rng(4)
    totals = played(lineups, STRENGTHS, 300, rng, shared=8)
    frame = ratings(tallied(lineups, totals)).frame
    drawn = []
    for _ in range(150):
        again = ratings(tallied(lineups, totals[:, rng.integers(0, 300, 300)])).frame.sort("player")
        drawn.append(again["rating"].to_list())
    spread = 1.96 * np.std(drawn, axis=0, ddof=1)
    assert frame.sort("player")["half"].to_list() == pytest.approx(spread.tolist(), rel=0.2)


def test_a_likelihood_is_at_its_greatest():
    lineups, totals = bradley_terry(RATED, 500, np.random.default_rng(6))
    results = tallied(lineups, totals)
    frame = ratings(results).frame
    rating = dict(frame.select("player", "rating").iter_rows())
    assert sum(rating.values()) == pytest.approx(0, abs=1e-6)
    for name in RATED:  # as many wins as the ratings expect
        expected = played_ = 0.0
        for k, (a, b) in enumerate(results.pairs):
            if name in (a, b):
                sign = 1 if name == a else -1
                expected += 1 / (1 + np.exp(-sign * (rating[a] - rating[b]) / POINTS))
                share = results.means[results.ahead(k)]
                played_ += share if name == a else 1 - share
        assert played_ == pytest.approx(expected, abs=1e-6)


def circle(deals=200):
    """Rock, paper, scissors: each wins three of four games against the next."""
    lineups = seatings("ABC", 2)
    ahead = {("A", "B"), ("B", "C"), ("C", "A")}
    luck = np.arange(deals) % 4 > 0
    first = np.array([luck if pair in ahead else ~luck for pair in lineups])
    return lineups, np.stack([first, ~first], axis=2).astype(int)


def test_a_circle_is_found_and_no_scale_fits_it():
    results = tallied(*circle())
    assert cycles(pair_shares(results)) == [["A", "B", "C"]]
    ranking = ratings(results)
    assert ranking.frame["rating"].to_list() == pytest.approx([0, 0, 0], abs=1e-6)
    assert ranking.fits < 1e-6
    assert ranking.miss.played == pytest.approx(0.75)
    assert ranking.miss.rated == pytest.approx(0.5)
    assert cycles(pair_shares(tallied(*circle(4)))) == []  # too few deals to be sure


def test_longer_circles_where_pairs_did_not_meet():
    def line(a, b, low, high):
        return {"player": a, "other": b, "low": low, "high": high}

    ring = [line("A", "B", 0.6, 0.7), line("B", "C", 0.6, 0.7), line("C", "D", 0.6, 0.7), line("A", "D", 0.2, 0.4)]
    assert cycles(pl.DataFrame(ring)) == [["A", "B", "C", "D"]]
    ring[1] = line("B", "C", 0.49, 0.7)
    assert cycles(pl.DataFrame(ring)) == []


def test_who_never_wins_is_below_all_ratings():
    lineups, totals = bradley_terry({**RATED, "Z": 0.0}, 200, np.random.default_rng(8))
    for cell, lineup in enumerate(lineups):
        if "Z" in lineup:
            totals[cell] = [0 if name == "Z" else 1 for name in lineup]
    ranking = ratings(tallied(lineups, totals))
    assert ranking.frame["player"].to_list() == list("ABCDZ")
    assert ranking.frame["rating"].is_null().to_list() == [False] * 4 + [True]
    assert ranking.frame["rating"].sum() == pytest.approx(0, abs=1e-6)
    top = ratings(tallied(lineups, 1 - totals)).frame  # everything the other way round
    assert top["player"].to_list() == list("ZDCBA")
    lone = ratings(tallied(seatings("AB", 2), np.array([[[1, 0]] * 9, [[0, 1]] * 9]))).frame
    assert lone.select("player", "rating").rows() == [("A", None), ("B", None)]


# Games


def test_line_ups_share_their_deals_and_intervals_can_be_had_from_the_data(capsys, tmp_path):
    arguments = ["tournament", "random", "builder", "--players", "3", "--deals", "40", "--seed", "4"]
    for threads in ("1", "3"):
        assert command([*arguments, "--out", str(tmp_path / threads), "--threads", threads]) == 0
    assert content_hash(tmp_path / "1") == content_hash(tmp_path / "3")
    games = pl.read_parquet(tmp_path / "1" / "games")
    seats = pl.read_parquet(tmp_path / "1" / "seats")
    assert games.group_by("deal").agg(pl.len(), pl.col("plan").n_unique())["plan"].unique().to_list() == [1]
    assert games.group_by("deal").len()["len"].unique().to_list() == [6]
    same = seats.group_by("deal", "seat").agg(pl.col("colour", "rubles_start").n_unique())
    assert same.select("colour", "rubles_start").unique().rows() == [(1, 1)]
    assert seats.group_by("policy", "seat").len()["len"].n_unique() == 1
    for name in ("players", "pairs", "ratings"):
        tables = [pl.read_parquet(tmp_path / t / "tournament" / f"{name}.parquet") for t in ("1", "3")]
        assert tables[0].equals(tables[1])
    players = pl.read_parquet(tmp_path / "1" / "tournament" / "players.parquet")
    means = seats.group_by("policy", "deal").agg(pl.col("win_share").cast(float).mean())
    for name, win, half in means.group_by("policy").agg(
        pl.col("win_share").mean().alias("win"),
        (pl.col("win_share").std() / pl.len().sqrt() * t_quantile(39)).alias("half"),
    ).iter_rows():  # fmt: skip
        (row,) = players.filter(player=name).to_dicts()
        assert row["win"] == pytest.approx(win, abs=1e-6)
        assert (row["win_high"] - row["win_low"]) / 2 == pytest.approx(half, rel=0.1)


def test_the_table_is_told_in_words(capsys, tmp_path):
    arguments = ["tournament", "random", "builder", "greedy", "--players", "2", "--deals", "60"]
    assert command([*arguments, "--out", str(tmp_path / "a")]) == 0
    out, err = capsys.readouterr()
    assert "360 games in" in err
    lines = out.splitlines()
    assert lines[0] == "2 players, basic board, plan any, preset fr2022"
    assert re.fullmatch(r"seed 1, ruleset [0-9a-f]{8}", lines[1])
    assert lines[2] == "6 line-ups on the same 60 deals: 360 games"
    assert [line.split()[0] for line in lines[5:8]] == ["greedy", "builder", "random"]
    assert lines[9:11] == ["Equal players would win 50.00 % each.", "Margin: own prestige minus the rival's."]
    assert lines[14].split() == ["ahead", "of:", "greedy", "builder", "random"]
    assert any(re.match(r"2 +builder +\d", line) for line in lines)
    assert "greedy is not rated: no rated player ever ended ahead of it." in lines
    assert max(map(len, lines[:-1])) <= 80
    assert lines[-1].endswith(f"these tables in {tmp_path / 'a' / 'tournament'}")
    json.loads((tmp_path / "a" / "run.json").read_text())
    for part in ("cell-00001_game-000000000000-000000000059", "cell-00004_game-000000000000-000000000059"):
        (tmp_path / "a" / "games" / f"{part}.parquet").unlink()
    assert command([*arguments, "--out", str(tmp_path / "a")]) == 0
    again, err = capsys.readouterr()
    assert again.splitlines() == lines  # from stored games and others
    assert "120 games in" in err
    assert "besides 240 that were there" in err
    assert command([*arguments, "--seed", "2", "--out", str(tmp_path / "a")]) == 2
    assert "holds another run" in capsys.readouterr().err
    assert (tmp_path / "a" / "tournament" / "pairs.parquet").exists()


def test_one_against_the_rest(capsys):
    assert command(["tournament", "greedy", "builder", "--against", "random", "--players", "4", "--deals", "20"]) == 0
    out = capsys.readouterr().out
    assert "8 line-ups on the same 20 deals" in out
    rows = [line.split() for line in out.splitlines() if re.match(r"(greedy|builder) +random +[\d.]+ %", line)]
    assert [row[0] for row in rows] == ["greedy", "builder"]
    assert float(rows[0][2]) > 90


def test_solo_compares_on_the_same_deals(capsys):
    assert command(["tournament", "greedy", "random", "--players", "1", "--deals", "30"]) == 0
    out = capsys.readouterr().out
    assert "solo against Ivan" in out
    assert re.search(r"^greedy +random +[\d.]+ ± [\d.]+ +[\d.]+ ± [\d.]+$", out, re.M)
    assert "ahead of" not in out
    assert command(["tournament", "greedy", "--players", "1", "--deals", "10"]) == 0
    assert "Differences" not in capsys.readouterr().out


def test_without_the_package_there_is_no_ranking_and_a_line(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "choix", None)
    assert command(["tournament", "random", "builder", "--players", "2", "--deals", "30"]) == 0
    out, err = capsys.readouterr()
    assert "rcsim: no ranking: it needs the package choix (pip install choix)" in err.splitlines()
    assert "ahead of:" in out
    assert "rating" not in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "PLAYER: random was given; accepted: two different players or more"),
        (["random", "random"], "PLAYER: random, random was given; accepted: each player once"),
        (["random", ""], "nothing was given"),
        (["random", "bilder"], "rcsim: error: bilder was given; did you mean builder?"),
        (["random", "builder", "--deals", "1"], "--deals: 1 was given; accepted: a whole number from 2 to"),
        (["random", "builder", "--deals", "some"], "--deals: some was given"),
        (["random", "builder", "--players", "9"], "--players: 9 was given"),
        (["random", "builder", "--against", "nobody"], "rcsim: error: nobody was given; accepted: random"),
        (["random", "builder", "--against", ""], "nothing was given"),
        (["random", "--against", "random"], "--against: random was given; accepted: another than the player itself"),
        (["random", "--against", "builder", "--players", "1"], "--against: builder was given; in solo"),
        (["random", "builder", "--plan", "2a"], "--plan: 2a was given; that is a plan for 2 players"),
        ([], "PLAYER"),
    ],
)
def test_bad_input_gets_one_line(capsys, arguments, message):
    assert command(["tournament", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1, err
    assert message in err


def test_tables_of_a_run_that_is_no_more_go(capsys, monkeypatch, tmp_path):
    arguments = ["tournament", "random", "builder", "--players", "2", "--deals", "20", "--out", str(tmp_path / "a")]
    assert command(arguments) == 0
    assert (tmp_path / "a" / "tournament").is_dir()

    def stopped(pool, run, folder):
        folder._settle()  # as the first part of the new run does
        raise Interrupted("nothing is stored")

    monkeypatch.setattr("rcsim.cli.playing._play", stopped)
    assert command([*arguments, "--seed", "2", "--force"]) == 130
    assert not (tmp_path / "a" / "tournament").exists()
    assert "interrupted; nothing is stored" in capsys.readouterr().err


def test_the_pool_plays_parts_of_all_cells_in_turn():
    run = tournament(RULESET, policy=["random", "builder"], seed=1, games=25, players=2).run
    pool = Pool(run, {RULESET.hash: RULESET}, threads=1, part_games=10, chunk_games=5)
    order = []
    while (batch := pool._take()) is not None:
        order += [(chunk.cell, chunk.first, chunk.count) for _, chunk in batch]
        pool._flying -= 1
    assert order == [
        (cell, start + piece, 5)
        for start in (0, 10, 20)
        for cell in (0, 1)
        for piece in ((0, 5) if start < 20 else (0,))
    ]


# The table of strength


@pytest.fixture
def strength(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parent.parent / "benchmarks"))
    import strength

    return strength


def test_the_table_of_strength_names_players_and_levels_that_are(strength):
    lines = strength.all_lines()
    assert len(set(lines)) == len(lines)
    assert {line.part for line in lines} == set(strength.PARTS)
    for line in lines:
        for name in {line.one, line.rest} - {strength.IVAN}:
            assert resolve(name).spec == name
    assert {line.level for line in lines if line.part == "solo"} == set(strength.LEVELS)
    load(sets=(f"solo.level={max(strength.LEVELS)}",))


def test_the_table_of_strength_is_kept_and_renewed_in_part(strength, monkeypatch, tmp_path, capsys):
    for name in ("MEASURED", "PAGE"):
        monkeypatch.setattr(strength, name, tmp_path / name)
    strength.PAGE.write_text(f"before {' old '.join(strength.MARKS)} after")
    monkeypatch.setattr(strength, "rate", lambda name: 1234.5)
    for part, deals in (("rivals", 4), ("duel", 3), ("rivals", 5)):
        monkeypatch.setattr(
            strength, "all_lines", lambda: [strength.Line("rivals", 4, "builder", "random"),
                                            strength.Line("duel", 2, "random", "builder")]
        )  # fmt: skip
        monkeypatch.setattr(sys, "argv", ["strength.py", "--only", part, "--deals", str(deals), "--write"])
        strength.main()
    kept = strength.read()
    assert kept["rates"] == {"builder": 1230.0, "random": 1230.0}
    assert [(row["one"], row["deals"], row["games"]) for row in kept["lines"]] == [("builder", 5, 20), ("random", 3, 6)]
    page = strength.PAGE.read_text()
    assert page.startswith(f"before {strength.MARKS[0]}\n**4 players")
    assert page.endswith(f"{strength.MARKS[1]} after")
    assert re.search(r"^\| random \| builder \| [\d.]+ % \| [\d.]+ - [\d.]+ \\\* \| .* \| 3 \| 6 \|$", page, re.M)
    assert " old " not in page
