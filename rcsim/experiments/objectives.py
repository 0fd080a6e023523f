"""What a training makes the planner good at: the fitness of weights, and the styles it can be bent to.

Three numbers are measured for each game of the player under trial, and their means make its fitness:

    win     its share of the win times the number of players: 1 is fair, whatever the number
    margin  its total less the mean of the others' totals, in prestige, at most 25 either way
    style   the sum of its columns (`rcsim.columns`) times the style's values; 0 without a style

    strength = win + MARGIN * margin
    fitness  = strength                                                          towards winning
    fitness  = style + STRENGTH * strength - BELOW * max(0, floor - win)         towards a style

Margins vary less than wins, so that fewer games tell two candidates apart; winning still counts more. A style is
followed as far as it goes without the win falling below the floor; strength decides between equals.

A game that ends by the turn cap is lost, by 25: who is ahead is meant to end it. Scored as it stands it would reward
players that gather points for ever.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rcsim.columns import SEAT_COLUMNS, seat_column

Array = np.ndarray[Any, Any]

MARGIN = 0.03  # win for a prestige
MOST_MARGIN = 25
STRENGTH = 0.5
BELOW = 5.0
FLOOR = 0.85
MEASURES = ("win", "margin", "style")
WIN, MARGIN_ROW, STYLE = range(len(MEASURES))


@dataclass(frozen=True)
class Style:
    """A style: its name on the command line, what it is after, and what one of each seat column counts for it."""

    name: str
    doc: str
    values: Mapping[str, float]


STYLES = (
    Style("rusher", "a short game that it ends itself", {"turns": -1 / 4, "sections_finished": 1}),
    Style("majority", "prestige from towers", {"towers": 1 / 4}),
    Style(
        "decorator",
        "ornaments, with gems",
        {"doors": 1 / 2, "arches": 1 / 2, "crosses": 1 / 2, "points_ornaments": 1 / 4},
    ),
    Style(
        "workshop",
        "tiles face up, and uses of them",
        {"tiles_up": 1 / 4, "tile_bonuses": 1 / 8, "tile_uses": 1 / 8, "tile_activations": 1 / 8},
    ),
)


@dataclass(frozen=True)
class Objective:
    """What is made large: winning (`style` None), or a style at a win of at least `floor` times the fair one."""

    style: str | None = None
    floor: float = FLOOR
    _values: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        values = np.zeros(len(SEAT_COLUMNS))
        if self.style is not None:
            for column, value in {s.name: s for s in STYLES}[self.style].values.items():
                values[seat_column(column)] = value
        object.__setattr__(self, "_values", values)

    def to_json(self) -> dict[str, Any]:
        """The objective as plain data."""
        return {"style": self.style, "floor": self.floor}

    def measure(self, seat_rows: Array, seat: int, truncated: Array) -> Array:
        """The three measures of the player in `seat`: float64 (3, games).

        From rows (games, seats, columns) and whether each game was ended by the turn cap (games,).
        """
        seats = seat_rows.shape[1]
        winners = seat_rows[:, seat, seat_column("win_share")]  # the kernel writes k for a share of 1/k
        totals = seat_rows[:, :, seat_column("total")].astype(np.int64)
        out = np.zeros((len(MEASURES), len(seat_rows)))
        np.divide(seats, winners, out=out[WIN], where=winners > 0)
        out[WIN, truncated > 0] = 0
        margins = (seats * totals[:, seat] - totals.sum(axis=1)) / (seats - 1)
        out[MARGIN_ROW] = np.where(truncated > 0, -MOST_MARGIN, np.clip(margins, -MOST_MARGIN, MOST_MARGIN))
        if self.style is not None:
            out[STYLE] = seat_rows[:, seat] @ self._values
        return out

    def fitness(self, means: Array) -> Array:
        """Fitness, from mean measures (..., 3)."""
        win, margin, style = np.moveaxis(means, -1, 0)
        strength = win + MARGIN * margin
        if self.style is None:
            return np.asarray(strength)
        return np.asarray(style + STRENGTH * strength - BELOW * np.maximum(0.0, self.floor - win))

    def slopes(self, means: Array) -> Array:
        """What one unit of each measure changes in the fitness, at mean measures (3,): (3,)."""
        if self.style is None:
            return np.array([1.0, MARGIN, 0.0])
        return np.array([STRENGTH + BELOW * (means[WIN] < self.floor), STRENGTH * MARGIN, 1.0])
