"""The runner and the statistics of a sweep: the same numbers however it is run, and intervals that cover."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numba
import numpy as np
import polars as pl
import pytest

from rcsim.analysis.intervals import mean_interval, share_interval, t_quantile
from rcsim.analysis.summary import game_summary, seat_summary
from rcsim.analysis.sums import Sums, stored_games, stored_seats
from rcsim.experiments import work
from rcsim.experiments.cells import Run, design, ruleset_of
from rcsim.experiments.errors import DesignError, StoreError
from rcsim.experiments.runner import Pool
from rcsim.experiments.store import parts
from rcsim.experiments.store.content import content_hash
from rcsim.experiments.store.folder import Folder
from rcsim.rules.loader import load
from tests.fake import fake_kernel

ROOT = Path(__file__).resolve().parent.parent
RULESET = load()
STORED = {RULESET.hash: RULESET}


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(work, "kernel", lambda: fake_kernel)


def small_run(games=1000, plan="any", **more):
    return design(RULESET, seed=3, games=games, plan=plan, policy=["random"], **more)


def execute(run, path=None, threads=2, watch=None, part_games=300, chunk_games=40):
    folder = None
    if path is not None:
        folder = Folder(path)
        folder.open(run)
    pool = Pool(
        run, STORED, threads=threads, folder=folder, watch=watch, part_games=part_games, chunk_games=chunk_games
    )
    pool.start()
    while not pool.wait(0.05):
        pass
    if folder is not None:
        folder.close()
    return pool


def test_threads_and_pieces_change_no_number(fake, tmp_path):
    run = small_run(plan="all", games=700)
    hashes = set()
    for i, (threads, part, chunk) in enumerate([(1, 10**6, 10**6), (1, 300, 40), (2, 300, 40), (5, 128, 7)]):
        pool = execute(run, tmp_path / str(i), threads, part_games=part, chunk_games=chunk)
        assert pool.done == run.games == 2100
        hashes.add(content_hash(tmp_path / str(i)))
        assert sorted(p.name for p in (tmp_path / str(i)).iterdir()) == ["SHA256SUMS", "games", "run.json", "seats"]
    assert len(hashes) == 1
    frame = pl.read_parquet(tmp_path / "2" / "games")
    assert frame.select("cell", "game").rows() == [(c, g) for c in range(3) for g in range(700)]
    execute(design(RULESET, seed=4, games=700, plan="all", policy=["random"]), tmp_path / "other")
    assert content_hash(tmp_path / "other") not in hashes


def played(path, threads, part_games, chunk_games):
    """The content hash of a run of the real kernel in which each thread plays."""
    run = design(RULESET, seed=8, games=600, players=3, plan="all", policy=["greedy", "random", "greedy"])
    everyone, playing = threading.Barrier(threads), set()

    def watch(cell, first, games, seats):
        if threading.get_ident() not in playing:
            playing.add(threading.get_ident())
            everyone.wait(60)  # no thread plays on before all have played

    work.warm_up(run, STORED)
    execute(run, path, threads, watch, part_games, chunk_games)
    assert len(playing) == threads
    return content_hash(path)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="thousands of games, and Python's lock is held")
def test_threads_and_processes_play_the_same_games(tmp_path):
    kinds = [(1, 10**6, 10**6), (1, 256, 64), (2, 256, 64), (5, 256, 64)]
    hashes = {played(tmp_path / str(i), *kind) for i, kind in enumerate(kinds)}
    script = f"from tests.test_sweep import Path, played; print(played(Path({str(tmp_path / 'other')!r}), 3, 200, 50))"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert hashes == {done.stdout.strip()}


def test_parts_are_the_same_files(fake, tmp_path):
    for threads in (1, 3):
        execute(small_run(), tmp_path / str(threads), threads)
    for part in Folder(tmp_path / "1").parts():
        for table in ("games", "seats"):
            files = [Folder(tmp_path / t).file(table, part).read_bytes() for t in ("1", "3")]
            assert files[0] == files[1]


def test_running_sums_are_those_of_the_data(fake, tmp_path):
    sums, run = Sums(), small_run(plan="all", games=500)
    execute(run, tmp_path / "a", 3, lambda cell, first, games, seats: sums.add(cell.index, games, seats))
    games, seats = (pl.scan_parquet(tmp_path / "a" / t) for t in ("games", "seats"))
    ids = dict(enumerate(RULESET.plan_ids(4)))
    for mine, theirs in ((sums.games(), stored_games(games)), (sums.seats(), stored_seats(games, seats))):
        found = theirs.collect().with_columns(pl.col("plan").cast(pl.String))
        mine = mine.with_columns(pl.col("plan").replace_strict(ids), pl.col("cell").cast(pl.Int32))
        if "seat" in mine.columns:
            found = found.with_columns(pl.col("seat").cast(pl.Int64))
        assert mine.sort(pl.all()).equals(found.sort(pl.all()))
    seat = seat_summary(sums.seats()).row(0, named=True)
    frame = seats.filter(cell=0, seat=0).collect()
    assert seat["games"] == 500
    assert seat["win"] == pytest.approx(frame["win_share"].mean())
    assert seat["score"] == pytest.approx(frame["total"].mean())
    assert seat["score_half"] == pytest.approx(1.9647 * frame["total"].cast(pl.Float64).std() / 500**0.5, rel=1e-4)
    game = game_summary(sums.games()).row(0, named=True)
    assert (game["games"], game["truncated"]) == (500, 46)
    assert game["ties"] == pytest.approx(0.2)


def test_nothing_is_stored_without_a_folder(fake):
    sums = Sums()
    pool = execute(small_run(), None, 2, lambda cell, first, games, seats: sums.add(cell.index, games, seats))
    assert pool.done == sums.games()["games"].sum() == 1000


def test_a_failing_thread_ends_the_run_and_leaves_what_is_finished(fake, tmp_path, monkeypatch):
    def failing(tables, lineup, seed, first, games, seats):
        if first >= 700:
            raise RuntimeError("broken kernel")
        fake_kernel(tables, lineup, seed, first, games, seats)

    monkeypatch.setattr(work, "kernel", lambda: failing)
    folder = Folder(tmp_path / "a")
    folder.open(small_run())
    pool = Pool(small_run(), STORED, threads=3, folder=folder, part_games=300, chunk_games=40)
    pool.start()
    with pytest.raises(RuntimeError, match="broken kernel"):
        while not pool.wait(0.05):
            pass
    pool.stop()
    folder.close()
    assert 400 <= folder.games() <= 720  # but for chunks that other threads were about to play, and what comes after
    assert not any(lane.is_alive() for lane in pool._lanes if lane.join(10) is None)


@pytest.mark.parametrize("threads", [1, 4])
def test_a_full_disk_leaves_what_is_finished(fake, tmp_path, monkeypatch, threads):
    write = parts.PartWriter._open

    def full(self, table, kind):
        if self.part.first >= 500:
            raise OSError(28, "No space left on device")
        write(self, table, kind)

    monkeypatch.setattr(parts.PartWriter, "_open", full)
    folder = Folder(tmp_path / "a")
    run = small_run()
    folder.open(run)
    pool = Pool(run, STORED, threads=threads, folder=folder, part_games=100, chunk_games=50)
    pool.start()
    with pytest.raises(StoreError, match=r"cannot be written .No space left on device"):
        while not pool.wait(0.05):
            pass
    pool.stop()
    folder.close()
    assert all(part.first < 500 for part in folder.parts())
    assert threads > 1 or folder.games() == 500
    assert pl.read_parquet(folder.path / "games").height == folder.games()
    assert not folder.unfinished.exists()


def test_a_stopped_run_keeps_what_it_has(fake, tmp_path):
    folder = Folder(tmp_path / "a")
    run = small_run(games=10**6)
    folder.open(run)
    pool = Pool(run, STORED, threads=2, folder=folder, part_games=10**6, chunk_games=40)
    pool.start()
    while pool.done < 2000:
        pool.wait(0.01)
    pool.stop()
    folder.close()
    (part,) = folder.parts()
    assert part.first == 0
    assert part.count % 40 == 0
    assert 500 < part.count <= pool.done
    assert pl.read_parquet(folder.path / "games")["game"].to_list() == list(range(part.count))
    assert parts.read_footer(folder.file("seats", part))["count"] == str(part.count)
    assert not folder.unfinished.exists()


def test_a_design_makes_cells():
    run = small_run(plan="all")
    assert [c.plan for c in run.cells] == list(RULESET.plan_ids(4))
    assert Run.from_json(json.loads(json.dumps(run.to_json()))) == run
    assert run.hash == small_run(plan="all", command="another").hash != small_run().hash
    assert ruleset_of(run, run.cells[0]).resolved() == RULESET.resolved()
    solo = small_run(players=1)
    assert (solo.cells[0].seats, solo.cells[0].lineup) == (2, ("random",))
    assert small_run(players=2, rubles=[1, 2], colours=["red", "blue"]).cells[0].rubles == (1, 2)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"plan": "2a"}, "plan: 2a was given; that is a plan for 2 players; accepted: any, all, 4a, 4b, 4c"),
        (
            {"plan": "3b", "players": 1},
            "plan: 3b was given; that is a plan for 3 players; accepted: any, all, 2a",
        ),
        ({"plan": "4d"}, "plan: 4d was given; accepted: any, all, 4a, 4b, 4c"),
        ({"players": 5}, "players: 5 was given; accepted: 1 to 4"),
        ({"games": 0}, "games: 0 was given"),
        ({"seed": -1}, "seed: -1 was given"),
        ({"board": "basics"}, "board: basics was given; did you mean basic"),
        ({"rubles": [3, 4, 4]}, "rubles: 3,4,4 was given; accepted: a number from 0 to 99 for each of 4 seats"),
        ({"rubles": [3, 4, 4, -1]}, "rubles: 3,4,4,-1 was given"),
        ({"colours": ["red"] * 4}, "colours: red,red,red,red was given; accepted: a different"),
        ({"colours": ["red", "white", "blue", "green"]}, "colours: white was given"),
        ({"policy": ["random", "random"]}, "policy: random,random was given; accepted: one name, or one for each"),
        ({"policy": ["randm"]}, "policy: randm was given; did you mean random"),
    ],
)
def test_a_design_that_cannot_be(asked, message):
    with pytest.raises(DesignError) as error:
        design(RULESET, **{"seed": 1, "games": 10, "policy": ["random"], **asked})
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_t_quantiles():
    known = {1: 12.706, 2: 4.3027, 3: 3.1824, 5: 2.5706, 10: 2.2281, 30: 2.0423, 10**6: 1.95996}
    for df, value in known.items():
        assert t_quantile(df) == pytest.approx(value, rel=2e-3 if df == 3 else 2e-4)


def intervals_of(shares):
    """Share intervals of several samples, (samples, games) with values 1/k or 0."""
    frame = pl.DataFrame({"n": [len(s) for s in shares], "t": shares.sum(axis=1), "q": (shares**2).sum(axis=1)})
    return frame.select(**share_interval(pl.col("n"), pl.col("t"), pl.col("q")))


def test_share_interval_is_wilsons_where_nothing_is_shared():
    shares = np.zeros((3, 10))
    shares[1, :2], shares[2, :] = 1, 1
    found = intervals_of(shares)
    for (p, low, high), k in zip(found.rows(), (0, 2, 10), strict=True):
        z2, n = 1.959964**2, 10
        # the variance has one further game of p (1 - p), so that n is the same up to that
        assert p == k / n
        half = (z2 * (p * (1 - p) / n + z2 / (4 * n * n))) ** 0.5 / (1 + z2 / n)
        middle = (p + z2 / (2 * n)) / (1 + z2 / n)
        assert low == pytest.approx(max(0, middle - half), abs=0.03)
        assert high == pytest.approx(min(1, middle + half), abs=0.03)
    assert found["low"][0] == 0
    assert found["high"][2] == 1
    assert found["high"][0] > 0.2


@pytest.mark.parametrize(("n", "tie"), [(40, 0.0), (40, 0.3), (400, 0.1), (400, 0.9)])
def test_share_interval_covers(n, tie):
    rng = np.random.default_rng(5)
    winner = rng.integers(0, 4, (4000, n))
    second = (winner + rng.integers(1, 4, winner.shape)) % 4
    tied = rng.random(winner.shape) < tie
    shares = np.where(tied, ((winner == 0) | (second == 0)) / 2, winner == 0)
    found = intervals_of(shares)
    covered = ((found["low"] <= 0.25) & (found["high"] >= 0.25)).mean()
    assert 0.935 < covered < 0.97


def test_mean_interval_of_few_games():
    frame = pl.DataFrame({"n": [1, 3], "t": [7, 6], "q": [49, 14]})
    found = frame.select(**mean_interval(pl.col("n"), pl.col("t"), pl.col("q")))
    assert found["mean"].to_list() == [7.0, 2.0]
    assert found["half"].to_list()[0] is None
    assert found["half"].to_list()[1] == pytest.approx(4.3027 / 3**0.5, rel=1e-4)


def test_the_kernel_is_warmed_up_without_a_game(monkeypatch):
    seen = SimpleNamespace(rows=None)

    def kernel(tables, lineup, seed, first, games, seats):
        seen.rows = (games.shape[0], seats.shape[0])

    monkeypatch.setattr(work, "kernel", lambda: kernel)
    work.warm_up(small_run(), STORED)
    assert seen.rows == (0, 0)
