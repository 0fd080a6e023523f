"""Plain text tables: as wide as what is in them, never cut to a terminal that may not be there."""

import math
import shutil
import sys
import textwrap
from collections.abc import Sequence

ALIKE = 1e-9  # a half-width below this is none, but for rounding
LEAST_TEXT = 20  # characters: a column of text gets no narrower


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], left: int = 0) -> str:
    """Columns two spaces apart, the first `left` ones to the left, the others to the right; no line ends in a space."""
    widths = [max(len(cell) for cell in column) for column in zip(headers, *rows, strict=True)]
    lines = []
    for row in (headers, *rows):
        cells = [c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def fitted(headers: Sequence[str], rows: Sequence[Sequence[str]], keys: int, width: int) -> str:
    """A table; where lines would be wider than `width`, pieces below another, all with the first `keys` columns."""
    widths = [max(map(len, column)) + 2 for column in zip(headers, *rows, strict=True)]
    pieces: list[list[int]] = []
    for i in range(keys, len(headers)):
        if not pieces or sum(widths[j] for j in (*pieces[-1], i)) - 2 > width:
            pieces.append([*range(keys)])
        pieces[-1].append(i)
    return "\n\n".join(table([headers[i] for i in at], [[row[i] for i in at] for row in rows]) for at in pieces)


def text_table(headers: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1, width: int | None = None) -> str:
    """A table whose last column is text: to the left, wrapped where lines would be wider than `width` (None: nowhere).

    The first `left` of the other columns are to the left, too.
    """
    start = sum(max(map(len, column)) + 2 for column in list(zip(headers, *rows, strict=True))[:-1])
    room = 10**6 if width is None else max(width - start, LEAST_TEXT)
    lines = []
    for row in (headers, *rows):
        for i, piece in enumerate(textwrap.wrap(row[-1], room, break_on_hyphens=False) or [""]):
            lines.append([*(row[:-1] if i == 0 else [""] * (len(row) - 1)), piece])
    longest = max(len(line[-1]) for line in lines)
    head, *rest = ([*line[:-1], line[-1].ljust(longest)] for line in lines)
    return table(head, rest, left)


def terminal_width() -> int | None:
    """Width of the terminal that stdout is; None where it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def decimals(half: float | None, least: int = 1, most: int = 4) -> int:
    """Decimals with which a number is told whose interval has this half-width: its first digit that counts."""
    if not half or not math.isfinite(half):
        return least if half is None else most
    return min(max(-math.floor(math.log10(half)), least), most)


def with_half(value: float, half: float | None) -> str:
    """A mean and the half-width of its interval, `43.21 ± 0.03`; the mean alone where games tell no width.

    They do not where there is one alone, or where all have the same value: that is no exact knowledge.
    """
    if half is None or half < ALIKE:
        return f"{value:.1f}"
    places = decimals(half)
    return f"{value:.{places}f} ± {half:.{places}f}"


def percent(value: float, places: int = 2) -> str:
    """A share in per cent."""
    return f"{100 * value:.{places}f} %"
