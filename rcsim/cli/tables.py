"""Plain text tables: as wide as what is in them, never cut to a terminal that may not be there."""

import math
from collections.abc import Sequence


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], left: int = 0) -> str:
    """Columns two spaces apart, the first `left` ones to the left, the others to the right; no line ends in a space."""
    widths = [max(len(cell) for cell in column) for column in zip(headers, *rows, strict=True)]
    lines = []
    for row in (headers, *rows):
        cells = [c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def decimals(half: float | None, least: int = 1, most: int = 4) -> int:
    """Decimals with which a number is told whose interval has this half-width: its first digit that counts."""
    if not half or not math.isfinite(half):
        return least if half is None else most
    return min(max(-math.floor(math.log10(half)), least), most)


def with_half(value: float, half: float | None) -> str:
    """A mean and the half-width of its interval, `43.21 ± 0.03`; the mean alone where one game tells no width."""
    if half is None:
        return f"{value:.1f}"
    places = decimals(half)
    return f"{value:.{places}f} ± {half:.{places}f}"


def percent(value: float, places: int = 2) -> str:
    """A share in per cent."""
    return f"{100 * value:.{places}f} %"
