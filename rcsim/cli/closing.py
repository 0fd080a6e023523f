"""The closing tables of a sweep: who wins in each cell, how long games are, and what differs between cells."""

import math
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rcsim.cli.tables import ALIKE, decimals, fitted, percent, table, terminal_width, with_half

if TYPE_CHECKING:
    import polars as pl

    from rcsim.analysis.blocks import Arm, Outcomes
    from rcsim.analysis.sums import Sums
    from rcsim.experiments.cells import Cell, Run
    from rcsim.experiments.crossing import Experiment

WIDTH = 80  # where stdout is no terminal
NO_GAMES = "This shard has no games: there are more shards than games of a cell."
NARROW = 60  # below this names of cells get a quarter of the width, else half of it
FEW_ARMS = 4  # up to so many have a line for each seat


def closing_table(experiment: "Experiment", sums: "Sums", outcomes: "Outcomes | None") -> str:
    """What a run says, for people: win shares, games, and the differences between cells on the same deals.

    `outcomes` are those of all games, if they can be had; without them intervals and differences over blocks are left
    out.
    """
    from rcsim.analysis.summary import game_summary, seat_summary

    run = experiment.run
    by_cell = game_summary(sums.games())
    played = {row["cell"]: int(row["games"]) for row in by_cell.iter_rows(named=True)}
    arms = arms_of(run, played)
    if not arms:
        return NO_GAMES
    names = _Names(run, arms)
    turned = any(there.turned for there in arms.values())
    alike = False  # whether a mean that is shown had the same value in every game
    text = [*heading(run, sum(played.values()), len(arms)), *names.legend, ""]
    seats = seat_summary(sums.seats())
    if turned:
        text += [_turned(names, arms, seats, outcomes)]
    elif len(arms) <= FEW_ARMS:
        text += [_long(names, seats)]
        alike = bool((seats["score_half"] < ALIKE).any())
    else:
        text += [_wide(names, seats)]
    game_table, turns_alike = _game_table(experiment, names, sums, arms)
    text += [*_fair(names), "", game_table]
    if len(run.cells) > len(arms):
        text += ["", wrapped("Turns are told without ±: the games of a deal's rotations are not independent.")]
    elif alike or turns_alike:
        text += ["", wrapped("A mean without ±: so far it was the same in every game, which tells no interval.")]
    if by_cell["truncated"].sum():
        text += ["", wrapped("Truncated: ended by the turn cap; they count as scored then.")]
    if run.precision is not None:
        text += ["", wrapped(_precision(run, arms, sums))]
    if experiment.baselines and outcomes is not None:
        from rcsim.analysis.blocks import differences

        frame = differences(arms, experiment.baselines, outcomes)
        if frame.height:
            text += ["", _differences(experiment, names, frame)]
        if frame["arm"].n_unique() < len(experiment.baselines) and turned:
            text += ["", wrapped("Line-ups of different players are compared by rcsim tournament.")]
    return "\n".join(text)


class _Names:
    """How tables name the arms: by their levels or, where that takes too much room, by cells with a legend.

    `heads` are the headings of the columns that do so, `of` what stands in them by arm, `first` the first cell of each.
    """

    def __init__(self, run: "Run", arms: "Mapping[int, Arm]") -> None:
        self.run = run
        self.first = {arm: run.cells[there.cells[0]] for arm, there in arms.items()}
        self.heads = labels(run)
        self.of = {arm: levels(cell) for arm, cell in self.first.items()}
        self.legend: list[str] = []
        rows = [self.heads, *self.of.values()]
        if sum(max(map(len, column)) + 2 for column in zip(*rows, strict=True)) > _width() // (
            2 if _width() >= NARROW else 4
        ):
            cells = {arm: there.cells for arm, there in arms.items()}
            short = {arm: "-".join(map(str, dict.fromkeys((own[0], own[-1])))) for arm, own in cells.items()}
            rows = [[short[arm], *own] for arm, own in self.of.items()]
            self.legend = ["", fitted(["cell", *self.heads], rows, 1, _width())]
            self.heads, self.of = ["cell"], {arm: [name] for arm, name in short.items()}


def _width() -> int:
    return terminal_width() or WIDTH


def wrapped(text: str) -> str:
    """A line of text, broken where it is wider than what it is shown on."""
    return textwrap.fill(text, _width(), break_on_hyphens=False, break_long_words=False)


def arms_of(run: "Run", played: Mapping[int, int]) -> "dict[int, Arm]":
    """The arms of a run, with the games that all cells of each have; arms without a game are left out."""
    from rcsim.analysis.blocks import Arm

    cells: dict[int, list[Cell]] = {}
    for cell in run.cells:
        cells.setdefault(cell.arm, []).append(cell)
    arms = {
        arm: Arm(
            tuple(cell.index for cell in there),
            tuple(cell.lineup for cell in there),
            min(played.get(cell.index, 0) for cell in there),
        )
        for arm, there in cells.items()
    }
    return {index: arm for index, arm in arms.items() if arm.games}


def _fair(names: _Names) -> list[str]:
    """What each seat would win if the game were fair; solo has no such share."""
    counts = sorted({cell.players for cell in names.first.values() if not cell.solo})
    if not counts:
        return []
    parts = [f"{100 / n:.1f} %".replace(".0 %", " %") for n in counts]
    if len(counts) == 1 and not any(cell.solo for cell in names.first.values()):
        return ["", wrapped(f"Fair would be {parts[0]} each.")]
    told = ", ".join(f"{part} with {n}" for part, n in zip(parts, counts, strict=True))
    return ["", wrapped(f"Fair would be for each: {told} players.")]


def _lineup(lineup: tuple[str, ...]) -> str:
    return lineup[0] if len(set(lineup)) == 1 else ",".join(lineup)


def heading(run: "Run", games: int, arms: int) -> list[str]:
    """What was played: what holds in every cell, and what varies."""
    cell = run.cells[0]
    varied = [key for key, _ in cell.factors]
    players = "solo against Ivan" if cell.solo else f"{cell.players} players"
    every = varied == ["plan"] and arms == _plans(run, cell) and all(cell.plan for cell in run.cells)
    plan = "all, each by itself" if every else cell.plan or "any"
    parts = {
        "players": players,
        "board": f"{cell.board} board",
        "plan": f"plan {plan}",
        "preset": f"preset {cell.preset}",
    }
    shown = [text for key, text in parts.items() if key not in varied or every]
    turned = ", in every rotation" if len(run.cells) > arms else ""
    who = [] if "policy" in varied else [f"policy {_lineup(cell.lineup)}{turned}"]
    rules = [f"ruleset {cell.ruleset[:8]}"] if len(run.rulesets) == 1 else [f"{len(run.rulesets)} rulesets"]
    second = [*who, f"seed {run.seed}", *rules, counted(games, "game")]
    lines = [", ".join(shown), ", ".join(second)]
    if varied and not every:
        cells = counted(len(run.cells), "cell")
        many = f"{counted(arms, 'line-up')} in {cells}" if turned else cells
        lines.append(f"{many}, by {', '.join(varied)}")
    return [wrapped(line) for line in lines if line]


def counted(n: int, what: str) -> str:
    """So many of something: 1 game, 2 games."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _plans(run: "Run", cell: "Cell") -> int:
    """How many plans there are for as many players as a cell has."""
    return sum(plan["players"] == max(cell.players, 2) for plan in run.rulesets[cell.ruleset]["plans"].values())


def labels(run: "Run") -> list[str]:
    """Headings of the columns of factors: their keys, a value of the ruleset by its last part."""
    keys = [key for key, _ in run.cells[0].factors]
    short = [key.rpartition(".")[2] for key in keys]
    return [
        name if short.count(name) == 1 and not name.isdecimal() else key for name, key in zip(short, keys, strict=True)
    ]


def levels(cell: "Cell") -> list[str]:
    """The levels of a cell, by the columns of factors."""
    return [level for _, level in cell.factors]


def _long(names: _Names, seats: "pl.DataFrame") -> str:
    """A row for each cell and seat; columns that say nothing are left out."""
    run = names.run
    cells = {cell.index: cell for cell in run.cells}
    mixed = any(len(set(cell.lineup)) > 1 for cell in run.cells)
    told = any(key in ("rubles", "start.rubles") for key, _ in run.cells[0].factors)
    rows = []
    for row in seats.iter_rows(named=True):
        cell, seat = cells[row["cell"]], row["seat"]
        ivan = seat >= cell.players
        rubles = cell.rubles or run.rulesets[cell.ruleset]["rubles"]
        places = decimals(50 * (row["win_high"] - row["win_low"]))
        rows.append(
            [
                *names.of[cell.arm],
                "Ivan" if ivan else str(seat),
                *(["-" if ivan else cell.lineup[seat]] if mixed else []),
                *([] if told else ["-" if ivan else str(rubles[seat])]),
                percent(row["win"], places),
                f"{100 * row['win_low']:.{places}f} - {100 * row['win_high']:.{places}f}",
                with_half(row["score"], row["score_half"]),
            ]
        )
    headers = ["seat", *(["policy"] if mixed else []), *([] if told else ["rubles"])]
    keys = len(names.heads) + (2 if mixed else 1)
    return fitted([*names.heads, *headers, "win share", "95 % interval", "mean score"], rows, keys, _width())


def _precision(run: "Run", arms: "Mapping[int, Arm]", sums: "Sums") -> str:
    """Whether the win shares are known as well as was asked for."""
    from rcsim.analysis.summary import widths

    assert run.precision is not None
    target = run.precision.target
    found = widths(sums)
    least = {index: max(found[cell] for cell in arm.cells) for index, arm in arms.items()}
    missed = [index for index, half in least.items() if half > target]
    if not missed:
        return f"Precision: each win share is known within ± {100 * target:g} points, by half its 95 % interval."
    what = "line-up" if len(run.cells) > len(arms) else "cell"
    who = f"the {what} has" if len(arms) == 1 else f"{len(missed):,} of {len(arms):,} {what}s have"
    enough = max(arms[index].games * (least[index] / target) ** 2 for index in missed)
    step = 10 ** max(math.floor(math.log10(enough)) - 1, 0)
    half = 100 * max(least.values())
    return (
        f"Precision: {who} not come to ± {100 * target:g} points, by half the 95 % interval: the share that is known"
        f" least well has ± {half:.{decimals(half, 0) + 1}f}. About {math.ceil(enough / step) * step:,} games of each"
        " cell would do; --max-games bounds them."
    )


def _share(row: Mapping[str, Any]) -> str:
    """A win share in per cent with half its interval, the width that a precision goes by."""
    half = (row["win_high"] - row["win_low"]) / 2
    return with_half(100 * row["win"], 100 * half)


def _wide(names: _Names, seats: "pl.DataFrame") -> str:
    """A row for each cell, the win shares of its seats side by side; a row for each seat where that is too wide."""
    shares = {(names.run.cells[row["cell"]].arm, row["seat"]): _share(row) for row in seats.iter_rows(named=True)}
    solo = {cell.solo for cell in names.first.values()}
    ivan = " (seat 1 of solo is Ivan's)" if len(solo) == 2 else ""
    told = wrapped(f"Win share by seat, %, with half the 95 % interval{ivan}:")
    return f"{told}\n\n{_square(names, shares, {})}"


def _square(
    names: _Names,
    values: Mapping[tuple[int, Any], str],
    more: Mapping[int, str],
    last: str = "",
    who: str = "seat",
) -> str:
    """Values by arm and seat (or player): seats side by side, or one below another where lines would be too wide."""
    columns = list(dict.fromkeys(key for _, key in values))
    if who == "seat":
        columns.sort()
    arms = list(dict.fromkeys(arm for arm, _ in values))

    def name(arm: int, key: Any) -> str:
        return "Ivan" if key == 1 and names.first[arm].solo else str(key)

    solo = all(names.first[arm].solo for arm in arms)
    headers = [f"{who} {key}" if who == "seat" and not (solo and key == 1) else name(arms[0], key) for key in columns]
    rows = [
        [*names.of[arm], *(values.get((arm, key), "-") for key in columns), *([more[arm]] if more else [])]
        for arm in arms
    ]
    square = table([*names.heads, *headers, *([last] if more else [])], rows)
    if max(map(len, square.splitlines())) <= _width():
        return square
    lines = []
    for arm in arms:
        own = names.of[arm]
        for key in columns:
            if (arm, key) in values:
                lines.append([*own, name(arm, key), values[arm, key], *([more[arm]] if more else [])])
                own = [""] * len(own)
    headers = [*names.heads, who, "win share" if not more else "difference", *([last] if more else [])]
    return fitted(headers, lines, len(names.heads) + 1, _width())


def _turned(names: _Names, arms: "Mapping[int, Arm]", seats: "pl.DataFrame", outcomes: "Outcomes | None") -> str:
    """Line-ups in all their rotations: win shares by player, over all seats and in each."""
    from rcsim.analysis.blocks import player_shares

    shares: dict[tuple[int, str, int | None], str] = {}
    for arm, cell in names.first.items():
        if not arms[arm].turned:  # one player in all seats: by seat alone
            there = seats.filter(seats["cell"] == cell.index).iter_rows(named=True)
            shares |= {(arm, _lineup(cell.lineup), row["seat"]): _share(row) for row in there}
    if outcomes is None:
        shares |= _means(arms, seats)
        text = "Win share by player and seat, %; intervals take the games of each deal, which are not kept:"
    else:
        frame = player_shares(arms, outcomes)
        shares |= {(row["arm"], row["player"], row["seat"]): _share(row) for row in frame.iter_rows(named=True)}
        text = "Win share by player and seat, %, with half the 95 % interval over deals:"
    columns = [None, *range(max(len(there.lineups[0]) for there in arms.values()))]
    keys = sorted(dict.fromkeys((arm, player) for arm, player, _ in shares), key=lambda key: key[0])
    rows = [
        [
            *names.of[arm],
            player,
            *(shares.get((arm, player, seat), "-") for seat in columns),
        ]
        for arm, player in keys
    ]
    headers = ["all seats" if seat is None else f"seat {seat}" for seat in columns]
    square = table([*names.heads, "player", *headers], rows)
    if max(map(len, square.splitlines())) > _width():
        lines: list[list[str]] = []
        for arm, player in keys:
            own = [*names.of[arm], player]
            for seat in columns:
                if (arm, player, seat) in shares:
                    lines.append([*own, "all" if seat is None else str(seat), shares[arm, player, seat]])
                    own = [""] * len(own)
        square = fitted([*names.heads, "player", "seat", "win share"], lines, len(names.heads) + 2, _width())
    return f"{wrapped(text)}\n\n{square}"


def _means(arms: "Mapping[int, Arm]", seats: "pl.DataFrame") -> dict[tuple[int, str, int | None], str]:
    """Mean win shares of line-ups in all their rotations, by arm, player and seat (None: over all)."""
    win = {(row["cell"], row["seat"]): row["win"] for row in seats.iter_rows(named=True)}
    found: dict[tuple[int, str, int | None], str] = {}
    for index, arm in arms.items():
        for (name, seat), places in (arm.players() | arm.players_by_seat()).items() if arm.turned else ():
            assert name is not None
            mean = sum(win[arm.cells[c], at] for c, at in places) / len(places)
            found[index, name, seat] = f"{100 * mean:.1f}"
    return found


def _game_table(experiment: "Experiment", names: _Names, sums: "Sums", arms: "Mapping[int, Arm]") -> tuple[str, bool]:
    """Games, turns of a seat, ties, finished cathedrals, truncated games: by arm; of a single one by plan.

    Also whether turns were the same in every game of a row.
    """
    import polars as pl

    from rcsim.analysis.summary import game_summary

    run = experiment.run
    frame = sums.games()
    if len(arms) > 1:
        arm_of = {cell.index: cell.arm for cell in run.cells}
        frame = frame.with_columns(arm=pl.col("cell").replace_strict(arm_of, return_dtype=pl.Int64))
        found = list(game_summary(frame, ("arm",)).iter_rows(named=True))
        labelled = [(names.of[row["arm"]], row) for row in found if row["arm"] in arms]
        headers = names.heads
    else:
        plans = experiment.rulesets[run.cells[0].ruleset].plan_ids(run.cells[0].players)
        frame = frame.with_columns(cell=pl.lit(0))
        labelled = [([plans[row["plan"]]], row) for row in game_summary(frame, ("plan",)).iter_rows(named=True)]
        if len(labelled) > 1:
            labelled += [(["any"], row) for row in game_summary(frame).iter_rows(named=True)]
        headers = ["plan"]
    several = len(run.cells) > len(arms)  # the games of rotations are not independent
    lines = []
    for own, row in labelled:
        arm = next(iter(arms)) if len(arms) == 1 else row["arm"]
        seats = run.cells[arms[arm].cells[0]].seats
        half = None if several or row["turns_half"] is None else row["turns_half"] / seats
        counts = [percent(row["ties"]), percent(row["complete"]), f"{row['truncated']:,}"]
        lines.append([*own, f"{row['games']:,}", with_half(row["turns"] / seats, half), *counts])
    heads = [*headers, "games", "turns a seat", "ties", "complete", "truncated"]
    alike = any(row["turns_half"] is not None and row["turns_half"] < ALIKE for _, row in labelled)
    return fitted(heads, lines, len(headers), _width()), alike


def _differences(experiment: "Experiment", names: _Names, frame: "pl.DataFrame") -> str:
    """Paired differences, each arm minus its baseline."""
    told = f"Win share minus that of {_baseline(experiment, names)}, on the same deals, in points of per cent:"
    text = [wrapped(told)]
    rows = list(frame.iter_rows(named=True))
    for who in ("seat", "player"):
        chosen = [row for row in rows if row[who] is not None]
        if not chosen:
            continue
        values = {(row["arm"], row[who]): _points(row) for row in chosen}
        more = {arm: _gain([row for row in chosen if row["arm"] == arm]) for arm, _ in values}
        text += ["", _square(names, values, more, "sharing", who)]
    notes = ["Sharing: unshared deals take so many times the games for intervals as narrow."]
    if any(row["half"] < ALIKE for row in rows):
        notes.append("A difference without ±: so far it was the same in every deal, which tells no interval.")
    return "\n".join([*text, "", *map(wrapped, notes)])


def _points(row: Mapping[str, Any]) -> str:
    """A difference in points of per cent; one that is the same in every deal has no interval."""
    return with_half(100 * row["difference"], 100 * row["half"])


def _gain(rows: list[Mapping[str, Any]]) -> str:
    """By how much sharing has narrowed the intervals of an arm, as the variance of all its values together."""
    half = sum(row["half"] ** 2 for row in rows)
    return f"×{sum(row['apart'] ** 2 for row in rows) / half:.1f}" if half > 1e-12 else "-"


def _baseline(experiment: "Experiment", names: _Names) -> str:
    """What the baselines are, in words."""
    at = [base for base in dict.fromkeys(experiment.baselines.values()) if base in names.first]
    bases = [dict(names.first[base].factors) for base in at]
    if experiment.baseline_keys:
        named = [f"{key} {' or '.join(dict.fromkeys(base[key] for base in bases))}" for key in experiment.baseline_keys]
        others = len(experiment.run.cells[0].factors) > len(named)
        return f"{' and '.join(named)}{', all else the same' if others else ''}"
    if len(at) > 1:
        return "the first cell of as many players"
    if names.legend:
        return f"cell {names.of[at[0]][0]}"
    return ", ".join(f"{key} {level}" for key, level in bases[0].items())
