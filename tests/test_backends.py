"""One run, however it is executed: threads, processes, a Dask cluster, pieces of it now and then."""

import os
import re
import signal
import socket
import sys
import threading
from dataclasses import replace

import numba
import polars as pl
import pytest
from filelock import FileLock

from rcsim.cli import progress
from rcsim.cli import run as command
from rcsim.cli.errors import UserError
from rcsim.cli.playing import play
from rcsim.experiments import runner, work
from rcsim.experiments.backends import dask, processes, remote
from rcsim.experiments.backends.threads import GAMES_PER_CHUNK, Threads
from rcsim.experiments.cells import Precision, design
from rcsim.experiments.errors import BackendError, DesignError, Interrupted
from rcsim.experiments.lacking import lacking
from rcsim.experiments.runner import Pool
from rcsim.experiments.store import parts
from rcsim.experiments.store.content import content_hash
from rcsim.experiments.store.folder import Folder
from rcsim.experiments.store.merge import merge, survey
from rcsim.rules.loader import load
from tests.fake import fake_kernel

RULESET = load()
STORED = {RULESET.hash: RULESET}
ONE = design(RULESET, seed=11, games=1500, players=2, plan="2a", policy=["greedy", "random"])
RUN = replace(ONE, cells=(ONE.cells[0], replace(ONE.cells[0], index=1, arm=1, lineup=("random", "greedy"))))
PRECISE = replace(
    RUN, precision=Precision(0.036, 100), cells=(replace(RUN.cells[0], lineup=("greedy", "greedy")), RUN.cells[1])
)
PART = 400

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="thousands of games")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed")


def execute(run, path, **more):
    """Play a run into a folder, or what it lacks there; its sums."""
    return play(run, STORED, folder=Folder(path), part_games=PART, **{"threads": 2} | more).to_json()


def interrupt(run, path, games, backend=None):
    """Play a part of a run and stop."""
    folder = Folder(path)
    folder.open(run)
    pool = Pool(run, STORED, threads=2, backend=backend, folder=folder, part_games=PART, chunk_games=64)
    pool.start()
    while pool.sums.games()["games"].sum() < games + pool.held:
        assert not pool.wait(0.001)
    pool.stop()
    assert 0 < folder.games() <= pool.held + pool.done
    folder.close()


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(work, "kernel", lambda: fake_kernel)


@pytest.fixture(scope="module")
def by_threads(tmp_path_factory):
    """Content hash and sums of a run, as one thread plays it; and its folder."""
    found = {}

    def of(run, folder=False):
        if run.hash not in found:
            path = tmp_path_factory.mktemp("one") / "run"
            sums = execute(run, path, threads=1)
            found[run.hash] = (content_hash(path), sums), path
        return found[run.hash][folder]

    return of


@compiled
@pytest.mark.parametrize("run", [RUN, replace(RUN, detail="seats"), replace(RUN, detail="summary"), PRECISE],
                         ids=["full", "seats", "summary", "precise"])  # fmt: skip
def test_threads_and_pieces(run, by_threads, tmp_path):
    expected = by_threads(run)
    for threads in (2, 4):
        sums = execute(run, tmp_path / str(threads), threads=threads)
        assert (content_hash(tmp_path / str(threads)), sums) == expected
    path = tmp_path / "stopped"
    for games in (100, 50):
        interrupt(run, path, games)
    assert (execute(run, path), content_hash(path)) == expected[::-1]
    assert run is PRECISE or len(Folder(path).parts()) > len(Folder(tmp_path / "2").parts())
    assert execute(run, path) == expected[1]  # nothing is left to be played


@compiled
def test_a_summary_counts_what_the_rows_say(by_threads):
    counts = pl.read_parquet(by_threads(replace(RUN, detail="summary"), folder=True) / "summary")
    counts = counts.with_columns(pl.col("plan", "column").cast(pl.String))
    counts = counts.group_by(pl.exclude("games")).agg(pl.col("games").sum())  # of all parts
    games, seats = (pl.read_parquet(by_threads(RUN, folder=True) / table) for table in ("games", "seats"))
    seats = seats.join(games.select("cell", "game", "plan"), on=("cell", "game"))
    for frame, names in ((games, ("steps", "tie", "margin", "turns")), (seats, ("total", "turns", "points_market"))):
        for name in names:
            by = [pl.col("cell"), pl.col("plan").cast(pl.String)]
            by += [pl.col("seat") if frame is seats else pl.lit(None, pl.Int8).alias("seat")]
            told = frame.group_by(*by, pl.col(name).cast(pl.Int32).alias("value")).agg(games=pl.len().cast(pl.Int64))
            whose = pl.col("seat").is_null() == (frame is games)
            mine = counts.filter(whose, pl.col("column") == name).select(told.columns)
            assert mine.sort(pl.all()).equals(told.sort(pl.all())), name


@compiled
@pytest.mark.parametrize("run", [RUN, replace(RUN, detail="summary")], ids=["full", "summary"])
def test_parts_are_judged_in_pieces(by_threads, run, monkeypatch, tmp_path):
    """A summary of many games has more rows than are read at once."""
    monkeypatch.setattr(parts, "ROWS_AT_ONCE", 100)
    sums = execute(run, tmp_path / "run")
    assert (content_hash(tmp_path / "run"), sums) == by_threads(run)


@compiled
def test_shards(by_threads, tmp_path):
    expected = by_threads(RUN)
    for i in (3, 1, 4, 2):
        sums = execute(RUN, tmp_path / "one", shard=(i, 4))
        execute(RUN, tmp_path / str(i), shard=(i, 4))
    assert (content_hash(tmp_path / "one"), sums) == expected
    together = tmp_path / "together"
    merge(*survey([tmp_path / str(i) for i in (1, 2, 3, 4)], together), together)
    assert (content_hash(together), execute(RUN, together)) == expected


@compiled
def test_a_precise_run_stops_at_a_look(by_threads):
    games = dict.fromkeys((0, 1), 0)
    for cell, _, count, *_ in by_threads(PRECISE)[1]["games"]:
        games[cell] += count
    assert games[0] == 800  # 0.98 / sqrt(n) is below 0.036 from 741 on
    assert games[1] < 800  # the same for one that nearly always wins


def test_a_precise_run_knows_no_shards(fake, tmp_path):
    with pytest.raises((DesignError, UserError), match="shard: 1/2 was given"):
        execute(PRECISE, tmp_path / "a", shard=(1, 2))


@compiled
@pytest.mark.parametrize("run", [RUN, replace(RUN, detail="summary")], ids=["full", "summary"])
def test_processes(run, by_threads, tmp_path):
    backend = processes.Processes(run, 2, store=True)
    try:
        interrupt(run, tmp_path / "a", 256, backend)
        victim = next(iter(backend._pool._processes.values()))
        threading.Timer(0.2, victim.kill).start()  # its games are played again, by others
        folder = Folder(tmp_path / "a")
        folder.open(run)
        pool = Pool(run, STORED, backend=backend, folder=folder, part_games=PART)
        pool.start()
        while not pool.wait(0.05):
            pass
        folder.close()
    finally:
        backend.close()
    assert (content_hash(tmp_path / "a"), pool.sums.to_json()) == by_threads(run)


@compiled
def test_dask_loses_a_worker(by_threads, tmp_path):
    pytest.importorskip("distributed")
    backend = dask.Dask(RUN, workers=2, store=True)
    folder = Folder(tmp_path / "a")
    folder.open(RUN)
    pool = Pool(RUN, STORED, backend=backend, folder=folder, part_games=PART)
    try:
        victim = next(iter(backend._client.run(os.getpid).values()))
        pool.start()
        while not pool.done:
            pool.wait(0.01)
        os.kill(victim, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
        while not pool.wait(0.05):
            pass
    finally:
        backend.close()
        folder.close()
    assert (content_hash(tmp_path / "a"), pool.sums.to_json()) == by_threads(RUN)


@pytest.fixture
def cluster():
    """Makes clusters whose workers are threads of this process."""
    distributed = pytest.importorskip("distributed")
    made = []

    def make(workers):
        made.append(
            distributed.LocalCluster(
                n_workers=workers, threads_per_worker=2, processes=False, dashboard_address=":0", silence_logs=50
            )
        )
        return made[-1]

    yield make
    for one in made:
        one.close()


@compiled
def test_a_cluster_that_is_there(cluster, by_threads, tmp_path):
    address = cluster(2).scheduler_address
    for run in (replace(RUN, detail="summary"), PRECISE):
        sums = execute(run, tmp_path / run.hash, backend="dask", scheduler=address)
        assert (content_hash(tmp_path / run.hash), sums) == by_threads(run)
    assert play(RUN, STORED, threads=1, backend="dask", scheduler=address).to_json() == by_threads(RUN)[1]


def test_a_cluster_that_cannot_be_had(cluster, monkeypatch):
    monkeypatch.setattr(dask, "REACHED_S", 0.3)
    with pytest.raises(BackendError, match=r"--scheduler: tcp://127.0.0.1:9 was given; it cannot be reached within"):
        dask.Dask(RUN, scheduler="tcp://127.0.0.1:9", store=False)
    with socket.create_server(("127.0.0.1", 0)) as mute:  # somebody listens, and never answers
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(BackendError, match=r"it cannot be reached within 0.3 s"):
            dask.Dask(RUN, scheduler=address, store=False)
    monkeypatch.setattr(dask, "REACHED_S", 10)
    monkeypatch.setattr(dask, "WORKERS_S", 0.2)
    with pytest.raises(BackendError, match=r"scheduler .* has no workers for 0.2 s"):
        dask.Dask(RUN, scheduler=cluster(0).scheduler_address, store=False)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BackendError, match=r'pip install "rcsim\[distributed\]"'):
        dask.Dask(RUN, workers=1, store=False)


@pytest.mark.parametrize("address", ["nonsense", "nowhere:x", "foo://a:1"])
def test_what_is_no_address_of_a_scheduler(address):
    pytest.importorskip("distributed")
    said = rf"--scheduler: {address} was given; accepted: an address, as tcp://10.0.0.1:8786 \("
    with pytest.raises(BackendError, match=said):
        dask.Dask(RUN, scheduler=address, store=False)


def test_a_client_that_cannot_be_had_is_closed(monkeypatch):
    distributed = pytest.importorskip("distributed")
    closed = []
    real = distributed.Client.close
    monkeypatch.setattr(distributed.Client, "close", lambda self, **more: (real(self, **more), closed.append(self)))
    backend = dask.Dask.__new__(dask.Dask)
    backend._dask = distributed
    with pytest.raises(ValueError, match="missing port"):
        backend._client_of("nonsense")
    assert [client.status for client in closed] == ["closed"]


def test_a_command_says_it_in_a_line(capfd, monkeypatch, tmp_path):
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask, "REACHED_S", 0.3)
    sweep = ["sweep", "--policy", "random", "--games", "10", "--out", str(tmp_path / "a")]
    assert command([*sweep, "--scheduler", "tcp://127.0.0.1:9"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert re.fullmatch(
        "rcsim: error: --scheduler: tcp://127.0.0.1:9 was given; it cannot be reached within .*\\n", err
    )
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert command([*sweep, "--backend", "dask"]) == 2
    assert capfd.readouterr().err.endswith('pip install "rcsim[distributed]"\n')


def test_workers_of_another_version_are_refused(cluster, monkeypatch):
    address = cluster(1).scheduler_address
    monkeypatch.setattr(dask, "sources", lambda: "another")
    with pytest.raises(BackendError, match=r"worker inproc.* has rcsim .* with other sources; this is rcsim"):
        dask.Dask(RUN, scheduler=address, store=False)
    monkeypatch.setattr(dask.rcsim, "__version__", "0.0.1")
    text = remote.payload(RUN, False).replace(work.sources(), "other")
    with pytest.raises(BackendError, match=r"the run is of .*; install the same"):  # one that comes later
        remote.prepare(text)


STARTED, GO = threading.Event(), threading.Event()


def play_when_told(payload, batch):
    STARTED.set()
    GO.wait(10)
    return b""


def test_a_scheduler_that_goes(cluster, tmp_path, monkeypatch):
    one = cluster(1)
    backend = dask.Dask(RUN, scheduler=one.scheduler_address, store=False)
    monkeypatch.setattr(remote, "play", play_when_told)
    pool = Pool(RUN, STORED, backend=backend)
    pool.start()
    assert STARTED.wait(10)
    threading.Timer(0.1, GO.set).start()
    one.close()
    with pytest.raises(BackendError, match=r"scheduler .* is gone"):
        while not pool.wait(0.05):
            pass
    pool.stop()
    backend.close()


def test_a_pool_that_dies(monkeypatch, tmp_path):
    monkeypatch.setattr(processes, "_begin", os._exit)
    backend = processes.Processes(RUN, 1, store=False)
    pool = Pool(RUN, STORED, backend=backend)
    pool.start()
    with pytest.raises(BackendError, match="worker processes died 3 times without a result"):
        while not pool.wait(0.05):
            pass
    pool.stop()
    backend.close()


def test_rows_are_seen_by_threads_alone():
    backend = object()
    with pytest.raises(ValueError, match="threads of this process"):
        Pool(RUN, STORED, backend=backend, watch=lambda *_: None)


def test_no_forecast_before_a_few_tasks_are_back(monkeypatch):
    pace = remote.Pace()
    for _ in range(7):
        assert not pace.steady(4)
        pace.saw(256, 5.0)  # a worker that has to start
    pace.saw(256, 0.1)
    assert pace.steady(4)
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    shown = progress.Progress()
    for at, done, steady in ((10.0, 256, False), (20.0, 2_000, False), (22.0, 4_000, True), (24.0, 6_000, True)):
        now[0] = at
        shown.update(done, 0, 10_000, lambda: None, steady=steady)
        if not steady:
            assert shown._parts(done, 10_000 - done, at) == []
    assert shown._parts(6_000, 4_000, 24.0) == ["1,000 games/s", "4.0 s left"]


def test_chunks_of_slow_players_are_small():
    one = Threads(None, 1)
    one._pace.saw(256, 60.0)
    assert one.wanted(10**6) == remote.FIRST_GAMES
    one._pace.saw(2048, 0.1)
    assert one.wanted(10**6) == GAMES_PER_CHUNK


@pytest.mark.parametrize("detail", ["full", "seats", "summary"])
def test_a_part_that_takes_long_is_cut(fake, monkeypatch, tmp_path, detail):
    run = replace(RUN, detail=detail)
    whole = execute(run, tmp_path / "whole")
    monkeypatch.setattr(runner, "PART_S", 0.0)
    folder = Folder(tmp_path / "cut")
    folder.open(run)
    pool = Pool(run, STORED, threads=2, folder=folder, part_games=PART, chunk_games=100)
    pool.start()
    while not pool.wait(0.01):
        pass
    folder.close()
    assert [part.count for part in folder.parts()] == [100] * 30
    assert content_hash(tmp_path / "cut") == content_hash(tmp_path / "whole")
    assert pool.sums.to_json() == whole == execute(run, tmp_path / "cut")


@compiled
def test_what_a_precise_run_lacks(capsys, by_threads, tmp_path):
    folder = Folder(by_threads(PRECISE, folder=True))
    parts = folder.parts()
    assert lacking(PRECISE, folder, parts) == {}
    assert command(["verify", str(folder.path), "--sample", "0"]) == 0
    games = sum(part.count for part in parts)
    assert f"\ngames     {games:,}, enough for the precision\n" in capsys.readouterr().out
    last = max(part for part in parts if part.cell == 0)
    assert lacking(PRECISE, folder, [part for part in parts if part != last]) == {0: [range(last.first, last.end)]}
    assert list(lacking(replace(PRECISE, precision=Precision(0.01, 100)), folder, parts)) == [1]  # it stopped earlier


def test_tasks_take_their_time():
    pace = remote.Pace()
    assert pace.wanted(10**6, 4) == remote.FIRST_GAMES
    pace.saw(256, 0.064)  # 4000 a second
    assert pace.wanted(10**6, 4) == 256 * remote.FASTER
    pace.saw(2048, 0.512)
    assert pace.wanted(10**6, 4) == 4000 * remote.TASK_S
    assert pace.wanted(4000, 4) == 500
    assert pace.wanted(100, 4) == remote.FIRST_GAMES
    pace.saw(8000, 8.0)
    assert pace.wanted(10**6, 4) == 1000 * remote.TASK_S


@compiled
def test_one_process_compiles_at_a_time(fake, monkeypatch, tmp_path):
    from rcsim.engine import jit

    monkeypatch.setattr(jit, "CACHE_DIR", tmp_path)
    over = threading.Event()
    waiting = threading.Event()
    monkeypatch.setattr(work, "PATIENCE_S", 0.1)
    other = threading.Thread(target=lambda: (work.warm_up(RUN, STORED, waiting.set), over.set()))
    with FileLock(tmp_path / "compiling.lock"):
        other.start()
        assert waiting.wait(10)
        assert not over.wait(0.2)
    assert over.wait(10)
    other.join()
    monkeypatch.setattr(jit, "CACHE_DIR", tmp_path / "none")
    (tmp_path / "none").write_text("in the way")
    work.warm_up(RUN, STORED)  # no lock can be had


@pytest.mark.parametrize("when", ["open", "twice"])
def test_ctrl_c_says_how_to_go_on_whenever_it_comes(fake, monkeypatch, tmp_path, when):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    if when == "open":
        monkeypatch.setattr(Folder, "_resume", stopped)
    else:
        monkeypatch.setattr(Pool, "wait", stopped)
        monkeypatch.setattr(Pool, "stop", stopped)  # the second one comes while parts are finished
    with pytest.raises(Interrupted, match="the same command goes on"):
        execute(RUN, tmp_path / "a")
