"""From sums over games to what a designer reads: win shares, scores, turns, each with its 95 % interval."""

import polars as pl

from rcsim.analysis.intervals import mean_interval, share_interval
from rcsim.analysis.sums import GAME_SUMS, SEAT_SUMS, WINS, Sums


def seat_summary(sums: pl.DataFrame, by: tuple[str, ...] = ("cell",)) -> pl.DataFrame:
    """Seat sums to a row for each group and seat, sorted: `games`, `win`, `win_low`, `win_high`, `score`, `score_half`.

    `win` is the mean win share, `score` the mean prestige; truncated games are in both, as they were scored.
    """
    k = range(1, len(WINS) + 1)
    n = pl.col("games")
    win = share_interval(
        n,
        sum((pl.col(w) / i for i, w in zip(k, WINS, strict=True)), pl.lit(0.0)),
        sum((pl.col(w) / i**2 for i, w in zip(k, WINS, strict=True)), pl.lit(0.0)),
    )
    score = mean_interval(n, pl.col("score"), pl.col("score_2"))
    return (
        sums.group_by(*by, "seat")
        .agg(pl.col(SEAT_SUMS).sum())
        .sort(*by, "seat")
        .select(
            *by,
            "seat",
            "games",
            win["mean"].alias("win"),
            win["low"].alias("win_low"),
            win["high"].alias("win_high"),
            score["mean"].alias("score"),
            score["half"].alias("score_half"),
        )
    )


def game_summary(sums: pl.DataFrame, by: tuple[str, ...] = ("cell",)) -> pl.DataFrame:
    """Game sums to a row for each group, sorted: `games`, `turns`, `turns_half`, `ties`, `complete`, `truncated`.

    `turns` is the mean over games of the turns of all seats together; `ties` and `complete` (cathedrals finished)
    are shares of the games, `truncated` a number of games.
    """
    n = pl.col("games")
    turns = mean_interval(n, pl.col("turns"), pl.col("turns_2"))
    return (
        sums.group_by(*by)
        .agg(pl.col(GAME_SUMS).sum())
        .sort(*by)
        .select(
            *by,
            "games",
            turns["mean"].alias("turns"),
            turns["half"].alias("turns_half"),
            (pl.col("ties") / n).alias("ties"),
            (pl.col("complete") / n).alias("complete"),
            "truncated",
        )
    )


def widths(sums: Sums) -> dict[int, float]:
    """The half-width of the 95 % interval of the win share that is known least well, by cell."""
    half = (pl.col("win_high") - pl.col("win_low")) / 2
    return dict(seat_summary(sums.seats()).group_by("cell").agg(half.max()).iter_rows())
