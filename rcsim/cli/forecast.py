"""What a design would take: cells, games, time and bytes, from a few hundred games of each kind of cell."""

import math
import os
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rcsim.cli.closing import NO_GAMES, WIDTH, counted, heading, labels, levels, wrapped
from rcsim.cli.progress import compiling, duration
from rcsim.cli.tables import fitted, table, terminal_width

if TYPE_CHECKING:
    import pyarrow as pa

    from rcsim.experiments.cells import Cell, Run
    from rcsim.experiments.crossing import Experiment

ENOUGH_S = 0.3  # of play, to know a rate
MOST_GAMES = 2**11
MOST_LINES = 60
UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


@dataclass(frozen=True)
class Cost:
    """What games of one kind of cell cost: seconds of one processor a game; bytes a game, a row group and a part."""

    seconds: float
    game: float
    group: float
    part: float
    games: int  # that were played to find out

    def bytes(self, games: int, detail: str) -> float:
        """Bytes of so many games of a cell."""
        from rcsim.experiments.schedule import GAMES_PER_PART
        from rcsim.experiments.store.parts import GAMES_PER_ROW_GROUP

        parts = math.ceil(games / GAMES_PER_PART[detail])
        if detail == "summary":  # counts: a file a part, soon as long as it gets
            return parts * (self.part + self.group + self.game * min(games, self.games))
        return parts * self.part + math.ceil(games / GAMES_PER_ROW_GROUP) * self.group + games * self.game


def forecast(experiment: "Experiment", *, workers: int, shard: tuple[int, int], stored: bool) -> str:
    """The cells of an experiment and what they would take, in words; plays a little of each kind of cell."""
    from rcsim.experiments.schedule import share
    from rcsim.experiments.work import warm_up

    run = experiment.run
    if not any(share(cell.games, shard) for cell in run.cells):
        return NO_GAMES
    with compiling():
        warm_up(run, experiment.rulesets)
    costs: dict[tuple[object, ...], Cost] = {}
    for cell in run.cells:
        if kind(cell) not in costs:
            costs[kind(cell)] = measure(run, experiment, cell, min(len(share(cell.games, shard)), MOST_GAMES))
    processors = min(workers, os.cpu_count() or workers)
    arms = len({cell.arm for cell in run.cells})
    looks = run.precision
    least = [len(share(cell.games, shard)) if looks is None else min(looks.min_games, cell.games) for cell in run.cells]
    likely = least if looks is None else [likely_games(run, cell) for cell in run.cells]
    most = least if looks is None else [cell.games for cell in run.cells]

    def cost(cell: "Cell", games: int) -> list[str]:
        own = costs[kind(cell)]
        size = [size_words(own.bytes(games, run.detail))] if stored else []
        return [f"{games:,}", duration(games * own.seconds / processors), *size]

    def total(games: list[int]) -> list[str]:
        pairs = list(zip(run.cells, games, strict=True))
        seconds = sum(n * costs[kind(cell)].seconds for cell, n in pairs) / processors
        size = [size_words(sum(costs[kind(cell)].bytes(n, run.detail) for cell, n in pairs))] if stored else []
        return [f"{sum(games):,}", duration(seconds), *size]

    turned = len(run.cells) > arms
    shown = likely if looks is not None else most
    rows = [
        [str(cell.index), *levels(cell), *([",".join(cell.lineup)] if turned else []), *cost(cell, n)]
        for cell, n in zip(run.cells[:MOST_LINES], shown, strict=False)
    ]
    blank = [""] * (len(rows[0]) - len(total(shown)) - 1)
    rows.append(["all", *blank, *total(shown)])
    headers = ["cell", *labels(run), *(["line-up"] if turned else []), "games", "time", *(["data"] if stored else [])]
    text = [*heading(run, sum(shown), arms), "", fitted(headers, rows, 1, terminal_width() or WIDTH)]
    if len(run.cells) > MOST_LINES:
        text += [f"(and {len(run.cells) - MOST_LINES:,} cells more)"]
    if looks is not None:
        told = (
            f"Shown is what a precision of {looks.target} takes where all seats win alike. It is looked at after"
            f" {looks.min_games:,} games of each cell and after each doubling. All in all it takes"
        )
        text += ["", wrapped(told), ""]
        ends = (("at least", least), ("at most", most))
        text += [table(["", "games", "time", *(["data"] if stored else [])], [[name, *total(n)] for name, n in ends])]
    played = sum(own.games for own in costs.values())
    kinds = f"{len(costs):,} kinds" if len(costs) > 1 else "one kind"
    at_once = f"{processors} games are played at a time" if processors > 1 else "one game is played at a time"
    told = (
        f"An estimate: {counted(played, 'game')} of {kinds} of cell were played here to make it. The times are those of"
        f" a machine that does nothing else, where {at_once}."
    )
    text += ["", wrapped(told)]
    if not stored:
        text += [wrapped("With --out DIR it tells how much data there would be.")]
    return "\n".join(text)


def kind(cell: "Cell") -> tuple[object, ...]:
    """What decides how long a game takes and how big its data are, nearly."""
    return cell.players, cell.board, tuple(sorted(cell.lineup)), cell.ruleset


def likely_games(run: "Run", cell: "Cell") -> int:
    """The look at which a cell has its precision, if each seat wins equally often and nothing is shared."""
    from rcsim.analysis.intervals import normal_quantile

    assert run.precision is not None
    p = 1 / cell.seats
    needed = p * (1 - p) * (normal_quantile() / run.precision.target) ** 2
    games = run.precision.min_games
    while games < needed and games < cell.games:
        games *= 2
    return min(games, cell.games)


def measure(run: "Run", experiment: "Experiment", cell: "Cell", most: int) -> Cost:
    """Play a little of a cell, so many games at most, and write what comes of it."""
    from rcsim.experiments.encode import summary_table
    from rcsim.experiments.store.parts import Part
    from rcsim.experiments.work import Work

    alone = replace(run, cells=(cell,))
    work = Work(alone, experiment.rulesets, store=True)
    count = min(2, most)
    while True:
        start = time.thread_time()  # of this thread alone: whatever else the machine does has no say
        played = work.play(Part(cell.index, 0, count))
        seconds = time.thread_time() - start
        assert played is not None
        if seconds >= ENOUGH_S or count >= most:
            break
        count = min(4 * count, most)
    if isinstance(played.data, dict):
        tables = played.data
        few = {name: rows.slice(0, rows.num_rows // 2) for name, rows in tables.items()}
        data, rest = _size(alone, cell, count, tables)
        half = _size(alone, cell, count // 2, few)[0] if count > 1 else 0
        game = (data - half) / (count - count // 2)
        return Cost(seconds / count, game, max(data - game * count, 0), rest, count)
    counts = summary_table(alone, cell, experiment.rulesets[cell.ruleset], played.data)
    data, rest = _size(alone, cell, count, {"summary": counts})
    return Cost(seconds / count, 2 * data / count, 0, rest, count)


def _size(run: "Run", cell: "Cell", games: int, tables: "dict[str, pa.Table]") -> tuple[int, int]:
    """Bytes of a part with these rows: of its row groups, and of all around them."""
    import pyarrow.parquet as pq

    from rcsim.experiments.store.folder import Folder
    from rcsim.experiments.store.parts import Part, PartWriter

    with tempfile.TemporaryDirectory() as place:
        folder = Folder(Path(place) / "sample")
        folder.open(run)
        part = Part(cell.index, 0, games)
        writer = PartWriter(folder, run, part)
        writer.append(games, tables)
        writer.finish("")
        folder.close()
        files = [folder.file(name, part) for name in tables]
        inside = 0
        for file in files:
            about = pq.read_metadata(file)
            groups = [about.row_group(i) for i in range(about.num_row_groups)]
            inside += sum(g.column(j).total_compressed_size for g in groups for j in range(g.num_columns))
        return inside, sum(file.stat().st_size for file in files) - inside


def size_words(size: float) -> str:
    """Bytes in words: 940 bytes, 12.5 MB."""
    power = 0
    while size >= 1000 and power < len(UNITS) - 1:
        size /= 1000
        power += 1
    return f"{size:.0f} {UNITS[power]}" if size >= 100 or not power else f"{size:.1f} {UNITS[power]}"
