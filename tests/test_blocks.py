"""Comparisons over blocks: they are those of each deal, their intervals cover, and outcomes are those of the data."""

import numpy as np
import polars as pl
import pytest

from rcsim.analysis import blocks
from rcsim.analysis.blocks import SHARES, Arm, Kept, Stored, differences, player_shares
from rcsim.analysis.intervals import t_quantile
from rcsim.columns import SEAT_COLUMNS, seat_column

ONE = (("a", "a", "a"),)
TURNED = (("a", "b", "b"), ("b", "b", "a"), ("b", "a", "b"))


class Outcomes:
    """Outcomes of made-up games, by cell; counts the rows that were asked for."""

    def __init__(self, games):
        self.games = games
        self.asked = 0

    def __call__(self, cell, first, count):
        self.asked += count
        found = self.games[cell][first : first + count]
        assert len(found) == count
        return found


def made_up(seed, games, cells, seats=3, luck=0.5):
    """Games in which the luck of a deal counts in all cells: winners by deal and cell, sometimes two at a time."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(games, seats))
    found = {}
    for cell in range(cells):
        worth = luck * common + rng.normal(size=(games, seats)) + 0.1 * cell * (np.arange(seats) == 0)
        best = worth.argmax(axis=1)
        code = (np.arange(seats) == best[:, None]).astype(np.uint8)
        tied = rng.random(games) < 0.1
        code[tied] = (np.argsort(-worth[tied], axis=1).argsort(axis=1) < 2) * 2
        found[cell] = code
    return found


def test_differences_are_those_of_each_deal(monkeypatch):
    monkeypatch.setattr(blocks, "DEALS_AT_ONCE", 256)
    games = made_up(1, 1000, 3)
    arms = {0: Arm((0,), ONE, 1000), 1: Arm((1,), ONE, 700), 2: Arm((2,), ONE, 1000)}
    frame = differences(arms, {1: 0, 2: 0}, Outcomes(games))
    assert frame.select("arm", "base", "seat", "deals").rows() == [
        *((1, 0, seat, 700) for seat in range(3)),
        *((2, 0, seat, 1000) for seat in range(3)),
    ]
    for row in frame.iter_rows(named=True):
        n, seat = row["deals"], row["seat"]
        a, b = SHARES[games[row["arm"]][:n, seat]], SHARES[games[0][:n, seat]]
        t = t_quantile(n - 1)
        assert row["difference"] == pytest.approx((a - b).mean())
        assert row["half"] == pytest.approx(t * (a - b).std(ddof=1) / n**0.5)
        assert row["apart"] == pytest.approx(t * ((a.var(ddof=1) + b.var(ddof=1)) / n) ** 0.5)
        assert row["gain"] == pytest.approx((row["apart"] / row["half"]) ** 2)
        assert row["gain"] > 1


def test_each_baseline_is_read_once(monkeypatch):
    monkeypatch.setattr(blocks, "DEALS_AT_ONCE", 100)
    outcomes = Outcomes(made_up(1, 300, 5))
    arms = {k: Arm((k,), ONE, 300) for k in range(5)}
    differences(arms, {1: 0, 2: 0, 4: 3}, outcomes)
    assert outcomes.asked == 300 * 5


def test_equal_games_do_not_differ():
    games = made_up(2, 200, 1)
    frame = differences({0: Arm((0,), ONE, 200), 1: Arm((0,), ONE, 200)}, {1: 0}, Outcomes(games))
    assert frame["difference"].to_list() == frame["half"].to_list() == [0, 0, 0]
    assert frame["gain"].null_count() == 3


def test_players_of_turned_lineups_are_compared_over_all_seats():
    games = made_up(3, 400, 6)
    arms = {0: Arm((0, 1, 2), TURNED, 400), 1: Arm((3, 4, 5), TURNED, 400)}
    frame = differences(arms, {1: 0}, Outcomes(games))
    shares = {cell: SHARES[code] for cell, code in games.items()}
    for row in frame.iter_rows(named=True):
        own = [
            sum(shares[3 * arm + c][:, s] for c in range(3) for s in range(3) if TURNED[c][s] == row["player"])
            / sum(lineup.count(row["player"]) for lineup in TURNED)
            for arm in (0, 1)
        ]
        assert row["difference"] == pytest.approx((own[1] - own[0]).mean())
        assert row["half"] == pytest.approx(t_quantile(399) * (own[1] - own[0]).std(ddof=1) / 20)
    assert frame["player"].to_list() == ["a", "b"]
    shown = player_shares(arms, Outcomes(games))
    means = {(r["arm"], r["player"], r["seat"]): r["win"] for r in shown.iter_rows(named=True)}
    assert means[0, "a", 2] == pytest.approx(shares[1][:, 2].mean())
    assert means[0, "b", 1] == pytest.approx((shares[0][:, 1].mean() + shares[1][:, 1].mean()) / 2)
    assert means[1, "a", None] == pytest.approx((means[1, "a", 0] + means[1, "a", 1] + means[1, "a", 2]) / 3)
    assert means[0, "a", None] + 2 * means[0, "b", None] == pytest.approx(1)


def test_what_cannot_be_compared_is_left_out():
    games = made_up(4, 50, 6)
    other = tuple(tuple("c" if name == "b" else name for name in lineup) for lineup in TURNED)
    arms = {0: Arm((0, 1, 2), TURNED, 50), 1: Arm((3, 4, 5), other, 50), 2: Arm((3,), ONE, 50), 3: Arm((4,), ONE, 1)}
    assert differences(arms, {1: 0, 2: 0, 3: 2, 9: 0}, Outcomes(games)).is_empty()
    assert not Arm((0,), (("a", "b", "b"),), 5).turned
    assert (
        differences({5: Arm((0,), TURNED[:1], 50), 6: Arm((1,), TURNED[:1], 50)}, {6: 5}, Outcomes(games)).height == 3
    )


@pytest.mark.parametrize(("games", "luck"), [(60, 0.0), (60, 2.0), (400, 1.0)])
def test_intervals_of_differences_cover(games, luck):
    every = made_up(6, games * 1500, 2, luck=luck)
    truth = [(SHARES[every[1]] - SHARES[every[0]]).mean(axis=0)[s] for s in range(3)]
    covered = 0
    for k in range(1500):
        some = {cell: code[k * games : (k + 1) * games] for cell, code in every.items()}
        frame = differences({0: Arm((0,), ONE, games), 1: Arm((1,), ONE, games)}, {1: 0}, Outcomes(some))
        covered += int((abs(frame["difference"] - pl.Series(truth)) <= frame["half"]).sum())
    assert 0.94 < covered / 4500 < 0.965


def seat_rows(codes):
    """Kernel's rows of such outcomes."""
    rows = np.zeros((codes.size, len(SEAT_COLUMNS)), np.int32)
    rows[:, seat_column("win_share")] = codes.reshape(-1)
    return rows


def test_kept_outcomes_are_those_that_were_added(monkeypatch):
    monkeypatch.setattr(blocks, "GAMES_PER_PAGE", 64)
    games = made_up(7, 300, 2)
    kept = Kept()
    for first in (200, 0, 100):
        for cell in (1, 0):
            part = games[cell][first : first + 100]
            kept.add(cell, first, 100, seat_rows(part))
    assert np.array_equal(kept(1, 30, 250), games[1][30:280])
    assert np.array_equal(kept(0, 0, 300), games[0])
    small = Kept(most=64 * 3 * 4)
    for first in (0, 100, 200):
        small.add(0, first, 100, seat_rows(games[0][first : first + 100]))
    assert small.full
    small.add(0, 0, 100, seat_rows(games[0][:100]))


def test_stored_outcomes_are_those_of_the_data(tmp_path):
    games = made_up(8, 300, 1)[0]
    files = []
    for first, count in ((0, 120), (120, 60), (180, 120)):
        part = games[first : first + count]
        frame = pl.DataFrame(
            {
                "game": np.repeat(np.arange(first, first + count), 3),
                "seat": np.tile(np.arange(3), count),
                "win_share": SHARES[part].reshape(-1).astype(np.float32),
            }
        )
        frame.write_parquet(tmp_path / f"{first}.parquet")
        files.append((first, count, tmp_path / f"{first}.parquet"))
    stored = Stored({0: files[::-1]})
    assert np.array_equal(stored(0, 0, 300), games)
    assert np.array_equal(stored(0, 100, 150), games[100:250])
    with pytest.raises(ValueError, match="cell 0: not all of the games 250 to 349 are stored"):
        stored(0, 250, 100)
    with pytest.raises(ValueError, match="cell 0: games 900 to 909 are not stored"):
        stored(0, 900, 10)
