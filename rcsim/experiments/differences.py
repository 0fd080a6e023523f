"""How two runs differ, in a line for people."""

from dataclasses import fields
from typing import Any

from rcsim.experiments.cells import Cell, Run

MOST = 4  # differences that are named


def differences(there: Run, here: Run) -> str:
    """What tells two runs apart, "seed: 3, here 4; ...", the most telling first; empty if they have the same hash."""
    if there.hash == here.hash:
        return ""
    found = [
        *_named("version", there.version, here.version),
        *_named("schema", there.schema_version, here.schema_version),
        *_named("seed", there.seed, here.seed),
        *_named("detail", there.detail, here.detail),
        *_named("target error", _precision(there), _precision(here)),
        *_named("cells", len(there.cells), len(here.cells)),
        *_cells(there, here),
        *_players(there, here),
        *_named("plans", ", ".join(there.plans), ", ".join(here.plans)),
    ]
    found = found or ["the ruleset's text"]
    return "; ".join(found[:MOST]) + (f"; and {len(found) - MOST} more" if len(found) > MOST else "")


def _named(what: str, there: object, here: object) -> list[str]:
    return [] if there == here else [f"{what}: {there}, here {here}"]


def _precision(run: Run) -> str:
    return "none" if run.precision is None else f"{run.precision.target} from {run.precision.min_games} games on"


def _cells(there: Run, here: Run) -> list[str]:
    """The first difference in each field of the cells that both have."""
    found: dict[str, str] = {}
    for one, other in zip(there.cells, here.cells, strict=False):
        for field in fields(Cell):
            a, b = getattr(one, field.name), getattr(other, field.name)
            if a != b and field.name not in ("index", "arm"):
                found.setdefault(field.name, f"{field.name} of cell {one.index}: {_short(a)}, here {_short(b)}")
    return list(found.values())


def _short(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(" ".join(v) if isinstance(v, tuple) else str(v) for v in value) or "none"
    return "drawn" if value is None else str(value)[:12] if isinstance(value, str) else str(value)


def _players(there: Run, here: Run) -> list[str]:
    """Players of one name that are not the same, as weight files may change."""
    both = [spec for spec in there.players if spec in here.players]
    return [
        f"player {spec}: its weights or text have changed"
        for spec in both
        if there.players[spec].to_json() != here.players[spec].to_json()
    ]
