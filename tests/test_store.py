"""The Parquet store: what is written comes back, from any reader; only finished parts are ever seen."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

from rcsim.columns import GAME_COLUMNS, SEAT_COLUMNS, game_column, seat_column
from rcsim.experiments import schema
from rcsim.experiments.cells import Cell, Run
from rcsim.experiments.decode import stored_rows
from rcsim.experiments.encode import Encoder
from rcsim.experiments.errors import DesignError, StoreError
from rcsim.experiments.schedule import cut
from rcsim.experiments.store import folder as store
from rcsim.experiments.store import parts
from rcsim.experiments.store.content import content_hash
from rcsim.experiments.store.folder import Folder
from rcsim.experiments.store.parts import Part, PartWriter
from rcsim.policies.lineup import Player

ROOT = Path(__file__).resolve().parent.parent
PLANS = ("2a", "2b", "4a", "4b", "4c")
RULESET = SimpleNamespace(plan_ids=lambda players: PLANS[:2] if players <= 2 else PLANS[2:])


def make_run(games=1000, players=4, lineup=("greedy", "random", "greedy", "greedy"), cells=1):
    return Run(
        seed=7,
        cells=tuple(Cell(i, games, players, "basic", lineup, "abc", "fr2022") for i in range(cells)),
        rulesets={"abc": {"plans": dict.fromkeys(PLANS), "note": "zwölf [red]"}},
        plans=PLANS,
        players={name: Player(name, name) for name in ("random", "greedy")},
        command="rcsim sweep --games 1000",
    )


def rows_of(first, count, seats):
    """Made-up rows of the kernel, a pure function of the game's number."""
    games = np.zeros((count, len(GAME_COLUMNS)), np.int32)
    rows = np.zeros((count * seats, len(SEAT_COLUMNS)), np.int32)
    for i, game in enumerate(range(first, first + count)):
        rng = np.random.default_rng(game)
        games[i] = rng.integers(0, 2, len(GAME_COLUMNS))
        games[i, game_column("finisher")] = rng.integers(-1, seats)
        games[i, game_column("turns")] = rng.integers(0, 400)
        games[i, game_column("steps")] = rng.integers(0, 100_000)
        rows[i * seats : (i + 1) * seats] = rng.integers(0, 4, (seats, len(SEAT_COLUMNS)))
        rows[i * seats : (i + 1) * seats, seat_column("seat")] = range(seats)
        rows[i * seats : (i + 1) * seats, seat_column("total")] = rng.integers(-300, 300, seats)
    return games, rows


def write(folder, run, piece=256, force=False):
    folder = Folder(Path(folder))
    folder.open(run, force=force)
    for cell in run.cells:
        encoder = Encoder(run, cell, RULESET, piece)
        for part in cut(cell.index, range(cell.games), 2**17):
            writer = PartWriter(folder, run, part)
            end = part.first + part.count
            for first in range(part.first, end, piece):
                n = min(piece, end - first)
                encoder.add(first, *rows_of(first, n, cell.seats))
                writer.append(n, encoder.take())
            writer.finish("some sums")
    folder.close()
    return folder


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    run = make_run()
    return run, write(tmp_path_factory.mktemp("run") / "out", run)


def test_values_come_back(stored):
    _, folder = stored
    games, seats = rows_of(0, 1000, 4)
    frame = pl.read_parquet(folder.path / "games")
    assert frame.columns == [c.name for c in schema.TABLES["games"]]
    assert frame["game"].to_list() == frame["deal"].to_list() == list(range(1000))
    assert frame["steps"].to_list() == games[:, game_column("steps")].tolist()
    finisher = games[:, game_column("finisher")]
    assert frame["finisher"].to_list() == [None if f < 0 else f for f in finisher.tolist()]
    assert frame["plan"].to_list() == [PLANS[2 + p] for p in games[:, game_column("plan")]]
    assert frame["lineup"].unique().to_list() == ["greedy,random,greedy,greedy"]
    frame = pl.read_parquet(folder.path / "seats")
    assert frame.columns == [c.name for c in schema.TABLES["seats"]]
    assert frame["total"].to_list() == seats[:, seat_column("total")].tolist()
    assert frame["policy"].to_list() == ["greedy", "random", "greedy", "greedy"] * 1000
    k = seats[:, seat_column("win_share")]
    assert frame["win_share"].to_list() == [float(np.float32(1 / n)) if n else 0.0 for n in k.tolist()]


def test_rows_come_back(stored):
    run, folder = stored
    (part,) = folder.parts()
    ((first, games, seats),) = stored_rows(folder, run.cells[0], RULESET, part)
    assert first == 0
    for mine, theirs in zip((games, seats), rows_of(0, 1000, 4), strict=True):
        assert mine.dtype == theirs.dtype
        assert (mine == theirs).all()


def test_types_in_polars(stored):
    run, folder = stored
    for table in ("games", "seats"):
        types = pl.scan_parquet(folder.path / table).collect_schema()
        for column in schema.TABLES[table]:
            name = schema.enum_of(column)
            if column.type.startswith("Enum:"):
                assert types[column.name] == pl.Enum(run.enums[name]), column
            else:
                assert types[column.name] == getattr(pl, column.type), column


def test_frames_of_two_runs_fit_together(stored, tmp_path):
    _, folder = stored
    other = write(tmp_path / "other", make_run(lineup=("random",) * 4, games=10))
    both = pl.concat([pl.read_parquet(f.path / "games") for f in (folder, other)])
    assert both["lineup"].n_unique() == 2


def test_duckdb_and_pandas_read_it(stored):
    _, folder = stored
    frame = pl.read_parquet(folder.path / "seats")
    query = f"select policy, count(*), sum(total), sum(win_share) from '{folder.path}/seats/*.parquet' group by 1"
    found = {row[0]: row[1:] for row in duckdb.sql(query).fetchall()}
    assert found["greedy"][0] == 3000
    assert found["random"][1] == frame.filter(policy="random")["total"].sum()
    table = pd.read_parquet(folder.path / "seats")
    assert table["policy"].dtype == "category"
    assert table["total"].sum() == frame["total"].sum()
    games = pd.read_parquet(folder.path / "games")
    assert list(games["plan"].cat.categories) == list(PLANS)


def test_footer_says_all_that_is_needed(stored):
    run, folder = stored
    (part,) = folder.parts()
    for table in ("games", "seats"):
        data = parts.read_footer(folder.file(table, part))
        assert data["seed"] == "7"
        assert (data["cell"], data["first"], data["count"]) == ("0", "0", "1000")
        assert data["command"] == "rcsim sweep --games 1000"
        assert json.loads(data["ruleset"]) == run.rulesets["abc"]
        assert data["schema_version"] == str(schema.SCHEMA_VERSION)
    folder.manifest.rename(folder.path / "elsewhere")
    try:
        again, cell = folder.origin(part)
    finally:
        (folder.path / "elsewhere").rename(folder.manifest)
    assert again == run
    assert cell == run.cells[0]
    assert folder.read() == run


def test_small_parts_and_pieces_change_nothing(stored, tmp_path, monkeypatch):
    _, folder = stored
    monkeypatch.setattr(parts, "GAMES_PER_ROW_GROUP", 64)
    other = write(tmp_path / "a", make_run(), piece=50)
    assert content_hash(other.path) == content_hash(folder.path)
    assert pq.read_metadata(other.file("games", other.parts()[0])).num_row_groups == 16


def test_hash_sees_a_value_an_order_and_a_schema(stored, tmp_path):
    run, folder = stored
    base = content_hash(folder.path)
    (part,) = folder.parts()
    for change in ("value", "enum", "null"):
        other = write(tmp_path / change, run)
        path = other.file("games", part)
        frame = pl.read_parquet(path)
        if change == "value":
            frame = frame.with_columns(pl.when(pl.col("game") == 999).then(1).otherwise("steps").alias("steps"))
        elif change == "enum":
            frame = frame.with_columns(pl.col("plan").cast(pl.String).cast(pl.Enum([*PLANS, "new"])))
        else:
            frame = frame.with_columns(pl.col("finisher").fill_null(0))
        frame.cast({"steps": pl.Int32, "finisher": pl.Int8}).write_parquet(path)
        assert content_hash(other.path) != base, change
    assert content_hash(folder.path) == base


def test_hash_refuses_a_gap(tmp_path):
    folder = write(tmp_path / "a", make_run(games=10))
    (part,) = folder.parts()
    for table in ("games", "seats"):
        folder.file(table, part).rename(folder.file(table, Part(0, 5, 10)))
    with pytest.raises(StoreError, match="game 0"):
        content_hash(folder.path)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [("seats", "total", 40_000), ("seats", "doors", 128), ("seats", "win_share", 5), ("games", "plan", 3),
     ("games", "truncated", 2), ("seats", "colour", 4), ("games", "finisher", -129)],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_refused(table, column, value):
    run = make_run()
    games, seats = rows_of(0, 3, 4)
    if table == "games":
        games[1, game_column(column)] = value
    else:
        seats[1, seat_column(column)] = value
    with pytest.raises(StoreError, match=rf"{table}\.{column}: {value} does not fit"):
        Encoder(run, run.cells[0], RULESET, 10).add(0, games, seats)


def test_solo_has_a_seat_without_policy(tmp_path):
    run = make_run(games=5, players=1, lineup=("greedy",))
    folder = write(tmp_path / "solo", run)
    frame = pl.read_parquet(folder.path / "seats")
    assert frame["policy"].to_list() == ["greedy", None] * 5
    assert set(pl.read_parquet(folder.path / "games")["plan"]) <= {"2a", "2b"}


def test_nothing_is_seen_before_it_is_finished(tmp_path):
    run = make_run(games=100)
    folder = Folder(tmp_path / "a")
    folder.open(run)
    cell = run.cells[0]
    encoder = Encoder(run, cell, RULESET, 100)
    encoder.add(0, *rows_of(0, 100, 4))
    writer = PartWriter(folder, run, Part(0, 0, 100))
    writer.append(100, encoder.take())
    assert folder.parts() == []
    assert not any(any((folder.path / t).iterdir()) for t in ("games", "seats"))
    writer.abandon()
    assert sorted(f.name for f in folder.unfinished.iterdir()) == ["lock", "writer"]
    folder.close()
    assert sorted(p.name for p in folder.path.iterdir()) == ["SHA256SUMS", "games", "run.json", "seats"]


def test_another_run_is_replaced_only_by_force(tmp_path):
    folder = write(tmp_path / "a", make_run(games=10))
    (folder.path / "notes.txt").write_text("mine")
    before = folder.parts()
    with pytest.raises(StoreError, match="holds another run"):
        folder.open(make_run(games=20))
    assert folder.parts() == before
    write(folder.path, make_run(games=20), force=True)
    assert [p.count for p in folder.parts()] == [20]
    assert folder.read().games == 20
    assert (folder.path / "notes.txt").read_text() == "mine"


def test_foreign_files_are_never_deleted(tmp_path):
    folder = write(tmp_path / "a", make_run(games=10))
    (folder.path / "games" / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match="not a file of rcsim"):
        folder.open(make_run(), force=True)
    assert folder.games() == 10


def test_a_folder_has_one_writer(tmp_path):
    first, run = Folder(tmp_path / "a"), make_run(games=10)
    first.open(run)
    for force in (False, True):
        with pytest.raises(StoreError, match=rf"process {os.getpid()} on .* writes there"):
            Folder(tmp_path / "a").open(run, force=force)
    first.close()
    write(tmp_path / "a", run)


def test_the_lock_of_a_dead_writer_frees_itself(tmp_path):
    script = """
import sys, time
from pathlib import Path
from rcsim.experiments.store.folder import Folder
from rcsim.experiments.store.parts import Part
from tests.test_store import make_run
folder = Folder(Path(sys.argv[1]))
folder.open(make_run(games=10))
folder.draft("games", Part(0, 0, 5)).write_text("left over")
print("open", flush=True)
time.sleep(60)
"""
    command = [sys.executable, "-c", script, str(tmp_path / "a")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(ROOT)}) as writer:
        assert writer.stdout.readline() == b"open\n"
        folder = Folder(tmp_path / "a")
        assert folder.lock.holder() == f"process {writer.pid} on {platform.node()}"
        with pytest.raises(StoreError, match=rf"process {writer.pid} on .* writes there; wait for it"):
            folder.open(make_run(games=10))
        writer.kill()
        writer.wait()
    assert folder.lock.holder() is None
    folder.open(make_run(games=10))
    assert sorted(f.name for f in folder.unfinished.iterdir()) == ["lock", "writer"]
    folder.close()
    assert sorted(f.name for f in folder.path.iterdir()) == ["SHA256SUMS", "games", "run.json", "seats"]


def test_an_old_run_goes_only_when_a_new_part_is_complete(tmp_path):
    folder = write(tmp_path / "a", make_run(games=10))
    before = content_hash(folder.path)
    new = Folder(tmp_path / "a")
    run = make_run(games=20)
    new.open(run, force=True)
    encoder = Encoder(run, run.cells[0], RULESET, 20)
    encoder.add(0, *rows_of(0, 20, 4))
    writer = PartWriter(new, run, Part(0, 0, 20))
    writer.append(20, encoder.take())
    writer._write(20)
    assert new.replacing
    assert (content_hash(folder.path), folder.read().games) == (before, 10)
    writer.finish("some sums")
    assert not new.replacing
    assert (folder.games(), folder.read().games) == (20, 20)
    new.close()
    new.open(make_run(games=30), force=True)
    new.close()
    assert (folder.games(), folder.read().games) == (20, 20)
    assert sorted(p.name for p in folder.path.iterdir()) == ["SHA256SUMS", "games", "run.json", "seats"]


@pytest.mark.skipif(os.name == "nt", reason="there it may not")
@pytest.mark.parametrize("name", ["a:b", "s3://x", "[1]", "*"])
def test_a_folder_may_have_any_name(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    write("1", make_run(games=20))
    folder = write(name, make_run(games=10))
    (part,) = folder.parts()
    assert part.count == 10
    assert folder.scores(part, 9)[0] == 9
    assert folder.origin(part)[0].games == 10
    assert content_hash(folder.path)


def test_folders_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        Folder(tmp_path / "file" / "run").open(make_run())
    with pytest.raises(StoreError, match="no such folder"):
        Folder(tmp_path / "none").read()
    with pytest.raises(StoreError, match="holds no run"):
        Folder(tmp_path).read()
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(StoreError, match="not a manifest"):
        Folder(tmp_path).read()


def test_a_part_is_found_by_its_game(tmp_path):
    folder = write(tmp_path / "a", make_run(games=10, cells=2))
    assert folder.part_of(1, 9) == Part(1, 0, 10)
    with pytest.raises(DesignError, match=r"game: 10 was given; games of cell 1 in .*: 0 to 9"):
        folder.part_of(1, 10)
    with pytest.raises(DesignError, match=r"cell: 2 was given; cells with games in .*: 0 to 1"):
        folder.part_of(2, 0)
    totals = rows_of(9, 1, 4)[1][:, seat_column("total")].tolist()
    assert folder.scores(Part(1, 0, 10), 9) == (9, totals)


def test_part_names():
    part = Part(3, 131072, 131072)
    assert part.name == "cell-00003_game-000000131072-000000262143.parquet"
    assert Part.from_name(part.name) == part
    assert Part.from_name("notes.txt") is None
    names = [Part(c, f, 10).name for c in (0, 1, 12) for f in (0, 10, 10**6)]
    assert names == sorted(names)
    assert store.ranges([0, 1, 2, 5, 7, 8]) == "0 to 2, 5, 7 to 8"


def test_the_schema_is_documented():
    data = schema.describe()
    json.dumps(data)
    for table, columns in data["tables"].items():
        assert [c["name"] for c in columns] == [c.name for c in (schema.TABLES | schema.tables("summary"))[table]]
        assert {c["name"] for c in columns if c["detail"] != "full"} == {
            c.name for c in (schema.tables("seats") | schema.tables("summary"))[table]
        }
        assert all(c["doc"] for c in columns)
    names = [c["name"] for c in data["tables"]["seats"]]
    assert len(set(names)) == len(names)
