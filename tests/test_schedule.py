"""What is played when: parts, shards, looks; and counts of values."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from rcsim.columns import GAME_COLUMNS, SEAT_COLUMNS, game_column, seat_column
from rcsim.experiments import schema
from rcsim.experiments.cells import Precision, design
from rcsim.experiments.counts import Counter, Counts
from rcsim.experiments.errors import DesignError
from rcsim.experiments.schedule import cut, missing, rounds, share
from rcsim.experiments.store.parts import Part
from rcsim.rules.loader import load

RULESET = load()


def a_run(games=1000, arms=(0,), target=None, min_games=100):
    run = design(RULESET, seed=1, games=games, policy=["random"])
    cells = tuple(replace(run.cells[0], index=i, arm=arm) for i, arm in enumerate(arms))
    return replace(run, cells=cells, precision=None if target is None else Precision(target, min_games))


def never():
    raise AssertionError("nobody looks")


def covered(parts):
    """The games of each cell, which must not overlap."""
    games = {}
    for part in parts:
        games.setdefault(part.cell, []).extend(range(part.first, part.end))
    assert all(len(set(found)) == len(found) for found in games.values())
    return {cell: sorted(found) for cell, found in games.items()}


def test_parts_end_on_a_grid_wherever_they_begin():
    assert [(p.first, p.count) for p in cut(0, range(1000), 300)] == [(0, 300), (300, 300), (600, 300), (900, 100)]
    assert [(p.first, p.count) for p in cut(0, range(250, 610), 300)] == [(250, 50), (300, 300), (600, 10)]
    assert list(cut(0, range(5, 5), 300)) == []


def test_shards_are_all_games_once():
    for games in (1, 7, 100, 10**9 + 7):
        for n in (1, 3, 16):
            spans = [share(games, (i, n)) for i in range(1, n + 1)]
            assert spans[0].start == 0
            assert spans[-1].stop == games
            assert all(a.stop == b.start for a, b in pairwise(spans))
            assert max(map(len, spans)) - min(map(len, spans)) <= 1


def test_what_is_missing():
    assert missing(range(100), []) == [range(100)]
    assert missing(range(100), [Part(0, 20, 10), Part(0, 0, 5)]) == [range(5, 20), range(30, 100)]
    assert missing(range(50, 100), [Part(0, 0, 60), Part(0, 90, 20)]) == [range(60, 90)]
    assert missing(range(100), [Part(0, 0, 100)]) == []


def test_a_plain_run_is_one_round_cell_beside_cell():
    (one,) = rounds(a_run(arms=(0, 1)), [], never, part_games=400)
    assert [(p.cell, p.first) for p in one.parts] == [(0, 0), (1, 0), (0, 400), (1, 400), (0, 800), (1, 800)]
    assert (one.stored, one.goal) == ([], 2000)


def test_what_is_stored_is_not_played_again():
    stored = [Part(0, 100, 50), Part(1, 0, 1000)]
    (one,) = rounds(a_run(arms=(0, 1)), stored, never, part_games=400)
    assert sorted(one.stored) == stored
    assert covered(one.parts) == {0: [*range(100), *range(150, 1000)]}


def test_shards_share_a_run():
    run = a_run(arms=(0, 1), games=1001)
    parts = [next(rounds(run, [], never, part_games=300, shard=(i, 3))) for i in (1, 2, 3)]
    assert covered(p for one in parts for p in one.parts) == {0: [*range(1001)], 1: [*range(1001)]}
    assert sum(one.goal for one in parts) == 2002
    with pytest.raises(DesignError, match="shard: 1/3 was given"):
        next(rounds(a_run(target=0.1), [], never, part_games=300, shard=(1, 3)))


def looks(run, widths, stored=()):
    """Games that each cell has at each look, where `widths(cell, games)` is found."""
    have, seen, out = {cell.index: 0 for cell in run.cells}, set(), []

    def look():
        out.append(dict(have))
        return {cell: widths(cell, games) for cell, games in have.items()}

    for one in rounds(run, stored, look, part_games=128):
        for part in (*one.stored, *one.parts):
            assert part not in seen
            seen.add(part)
            have[part.cell] += part.count
    return out


def test_looks_double_until_it_is_enough():
    assert looks(a_run(target=0.05), lambda cell, games: games**-0.5) == [{0: n} for n in (100, 200, 400)]
    assert looks(a_run(target=0.01), lambda cell, games: games**-0.5) == [{0: n} for n in (100, 200, 400, 800, 1000)]
    assert looks(a_run(target=0.01, games=60), lambda cell, games: games**-0.5) == [{0: 60}]


def test_cells_of_an_arm_stop_together():
    run = a_run(target=0.1, arms=(0, 0, 1))
    seen = looks(run, lambda cell, games: 0.2 if cell == 1 and games < 400 else 0.05)
    assert seen == [{0: 100, 1: 100, 2: 100}, {0: 200, 1: 200, 2: 100}, {0: 400, 1: 400, 2: 100}]


def test_a_resumed_run_looks_as_it_did():
    run = a_run(target=0.1, arms=(0, 1))

    def widths(cell, games):
        return 0.05 if games >= 200 * (cell + 1) else 0.2

    parts = [Part(0, 0, 100), Part(0, 100, 30), Part(1, 0, 100), Part(1, 200, 56)]  # cell 1 after its second look
    assert looks(run, widths) == looks(run, widths, parts) == looks(run, widths, [*parts, Part(0, 130, 70)])


def rows(games, seats, rng):
    plays = rng.integers(-70, 500, (games, len(GAME_COLUMNS))).astype(np.int32)
    plays[:, game_column("plan")] = rng.integers(0, 3, games)
    plays[:, game_column("steps")] = rng.integers(0, 10**6, games)
    seated = rng.integers(-300, 460, (games * seats, len(SEAT_COLUMNS))).astype(np.int32)
    seated[:, seat_column("seat")] = np.tile(np.arange(seats), games)
    return plays, seated


@pytest.mark.parametrize("pieces", [[40], [1, 7, 32]])
def test_every_value_is_counted(pieces):
    (cell,) = design(RULESET, seed=1, games=40, players=3, policy=["random"]).cells
    plays, seated = rows(40, 3, np.random.default_rng(1))
    counter, at, found = Counter(cell, 3, 40), 0, []
    for n in pieces:
        counter.add(at, plays[at : at + n], seated[3 * at : 3 * (at + n)])
        found.append(counter.take() if n != 7 else Counts.sum([]))
        at += n
    counts = Counts.sum(found).columns()
    mine = {}
    for i, play in enumerate(plays.tolist()):
        for seat, row in [(-1, play), *enumerate(seated[3 * i : 3 * i + 3].tolist())]:
            for column, value in zip(GAME_COLUMNS if seat < 0 else SEAT_COLUMNS, row, strict=True):
                if column.name not in ("plan", "seat"):
                    key = play[0], seat, schema.COUNTED.index(column.name), value
                    mine[key] = mine.get(key, 0) + 1
    keys = list(zip(*(counts[name].tolist() for name in ("plan", "seat", "column", "value")), strict=True))
    assert keys == sorted(mine)
    assert dict(zip(keys, counts["games"].tolist(), strict=True)) == mine
    assert len(counter.take().keys) == 0
