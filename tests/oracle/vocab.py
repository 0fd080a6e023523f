"""Names of the game, written down a second time (rules section 1), and the oracle's error."""

from __future__ import annotations

MATERIALS = ("wood", "brick", "stone", "gold", "green_gem", "purple_gem")
POINTS = ("rubles", "recognition", "prestige")
GOODS = (*POINTS, *MATERIALS)  # ruling 1: the order of paying and gaining

DICE = ("red", "blue", "green", "yellow", "white")
PLAYER_COLOURS = DICE[:4]
GUILDS = ("artisans", "carriers", "merchants", "clergy")
KINDS = ("base", "middle", "dome")
CARDS = ("points", "inventory", "transport", "claim", "construction")

ORNAMENTS = {"door": 1, "arch": 2, "cross": 1}  # what a player has (section 1)
ORNAMENT_OF_KIND = {"base": "door", "middle": "arch", "dome": "cross"}
ORNAMENT_MATERIAL = {"door": "wood", "arch": "stone", "cross": "gold"}
GEMS = ("green_gem", "purple_gem")

SPACES = 8
IVAN = 1  # his seat in solo


class OracleError(Exception):
    """A trace and the rules disagree."""


def nonzero(amounts: dict[str, int]) -> dict[str, int]:
    """A map as the trace writes it: without zeros."""
    return {what: n for what, n in amounts.items() if n}


def is_int(value: object, low: int | None = None, high: int | None = None) -> bool:
    """A whole number (not a truth value) within bounds."""
    return type(value) is int and (low is None or value >= low) and (high is None or value <= high)
