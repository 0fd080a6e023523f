"""How two runs differ, in a line for people."""

from dataclasses import fields
from typing import Any

from rcsim.experiments.cells import Cell, Run

MOST = 4  # differences that are named


def differences(there: Run, here: Run, places: tuple[str, str] = ("there", "here")) -> str:
    """What tells two runs apart, "seed: 3 there, 4 here; ...", the most telling first; empty if nothing does."""
    if there.hash == here.hash:
        return ""
    found = [
        ("version", there.version, here.version),
        ("schema", there.schema_version, here.schema_version),
        ("seed", there.seed, here.seed),
        ("detail", there.detail, here.detail),
        ("target error", _precision(there), _precision(here)),
        ("cells", len(there.cells), len(here.cells)),
        *_cells(there, here),
        ("plans", ", ".join(there.plans), ", ".join(here.plans)),
    ]
    lines = [f"{what}: {a} {places[0]}, {b} {places[1]}" for what, a, b in found if a != b]
    lines += [
        f"player {spec}: other weights or text"
        for spec, player in there.players.items()
        if spec in here.players and player.to_json() != here.players[spec].to_json()
    ]
    lines = lines or ["the text of a ruleset"]
    return "; ".join(lines[:MOST]) + (f"; and {len(lines) - MOST} more" if len(lines) > MOST else "")


def _precision(run: Run) -> str:
    return "none" if run.precision is None else f"{run.precision.target} from {run.precision.min_games} games on"


def _cells(there: Run, here: Run) -> list[tuple[str, str, str]]:
    """The first difference in each field of the cells that both have."""
    found: dict[str, tuple[str, str, str]] = {}
    for one, other in zip(there.cells, here.cells, strict=False):
        for field in fields(Cell):
            a, b = getattr(one, field.name), getattr(other, field.name)
            if a != b:
                found.setdefault(field.name, (f"{field.name} of cell {one.index}", _short(a), _short(b)))
    return list(found.values())


def _short(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(" ".join(v) if isinstance(v, tuple) else str(v) for v in value) or "none"
    if isinstance(value, str) and len(value) == 64:  # a hash
        return value[:8]
    return "any" if value is None else str(value)
