"""Effects and amounts in a few words, for tables and for play."""

from collections.abc import Mapping
from typing import Any


def amounts_in_words(amounts: Mapping[str, Any]) -> str:
    """A map of goods in words: `2 brick, 1 green gem, 2 of wood/stone`; empty: `nothing`."""
    parts = [
        f"{n} {'ruble' if (good, n) == ('rubles', 1) else good.replace('_', ' ')}"
        for good, n in amounts.items()
        if good != "any"
    ]
    if choice := amounts.get("any"):
        parts.append(f"{choice['n']} of {'/'.join(m.replace('_', ' ') for m in choice['of'])}")
    return ", ".join(parts) or "nothing"


def effect_in_words(effect: Mapping[str, Any]) -> str:
    """An effect in its resolved form (`Effect.plain()`) in words, the parts in the order they are carried out."""
    parts = []
    if pay := effect.get("pay"):
        parts.append(f"pay {amounts_in_words(pay)}")
    if move := effect.get("move"):
        parts.append(f"move {_die(move['die'])} {move['steps']} on")
    if roll := effect.get("roll"):
        parts.append("roll the dice of " + ("the arrival space" if roll == "arrival" else "any space"))
    if where := effect.get("yield"):
        space = {1: "of the next space", -1: "of the space before"}
        parts.append("yield " + (space[where["space"]] if "space" in where else f"at {_die(where['die'])}"))
    if gain := effect.get("gain"):
        parts.append(f"gain {amounts_in_words(gain)}")
    if n := effect.get("deliver"):
        parts.append(f"deliver up to {n}" if n > 1 else "deliver 1")
    if colour := effect.get("activate"):
        parts.append("activate " + ("any own tile" if colour == "any" else f"an own tile on {colour}"))
    return "; ".join(parts)


def _die(name: str) -> str:
    return "any die" if name == "any" else f"the {name} die"
