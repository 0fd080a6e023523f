"""The track of recognition and prestige (rules section 3), walked space by space."""

from __future__ import annotations

from collections.abc import Sequence


class Track:
    """Prestige spaces lie at the given positions 1..lap of every lap."""

    def __init__(self, start: int, lap: int, prestige_spaces: Sequence[int]) -> None:
        self.start = start
        self.lap = lap
        self.spaces = frozenset(prestige_spaces)

    def is_prestige(self, position: int) -> bool:
        """Positions are absolute, the geometry repeats every lap; position 0 is no prestige space."""
        return position > 0 and (position - 1) % self.lap + 1 in self.spaces

    def ahead(self, position: int, n: int) -> int:
        """Where a gain of n prestige leads: the n-th prestige space ahead."""
        while n > 0:
            position += 1
            if self.is_prestige(position):
                n -= 1
        return position

    def behind(self, position: int, n: int) -> int | None:
        """Where a loss of n prestige leads: the n-th prestige space strictly behind; None: there is none."""
        while n > 0:
            position -= 1
            if position <= 0:
                return None
            if self.is_prestige(position):
                n -= 1
        return position

    def prestige(self, position: int) -> int:
        """What a marker is worth: the prestige spaces at or below it."""
        return sum(self.is_prestige(p) for p in range(1, position + 1))
