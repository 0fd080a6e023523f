"""What players there are, for people: the list with what was measured, the restrictions, and files to begin with."""

import tomllib
from pathlib import Path
from typing import NamedTuple

from rcsim.policies import NAMES, PLANNER_STYLE, POLICIES, STYLES
from rcsim.policies.lineup import resolve
from rcsim.policies.weights import DATA, WeightFile, shipped, to_toml

# What each restriction of `player.LIMITS` keeps a player from.
LIMIT_DOCS = {
    "no-tiles": "lays no workshop tile face up",
    "no-ornaments": "places no ornaments",
    "no-extra": "buys no extra spaces for a die",
    "no-influence": "uses no influence cards",
    "no-reroll": "never rerolls",
    "no-selling": "never sells prestige",
    "bases-only": "claims bases only",
    "not-above": "never claims above another's section",
}


class Entry(NamedTuple):
    """A player of the list; what was not measured is None."""

    name: str
    doc: str
    win: float | None  # share of one among three planners
    rate: float | None  # games a second of four of them on one core


def entries() -> list[Entry]:
    """The players that have a name, and the searches that were measured."""
    docs = {policy.name: policy.doc for policy in POLICIES} | {style: shipped(style).doc for style in STYLES}
    docs["planner"] += f"; its style is {PLANNER_STYLE}"
    wins, rates = measured()
    listed = [(name, resolve(name).spec, docs[name]) for name in NAMES]
    known = {spec for _, spec, _ in listed}
    for spec in sorted({*wins, *rates} - known, key=lambda spec: resolve(spec).budget):
        player = resolve(spec)
        if player.policy == "search" and not player.limits:
            listed.append((spec, spec, f"the same with {player.budget} playouts a decision"))
    return [Entry(name, doc, wins.get(spec), rates.get(spec)) for name, spec, doc in listed]


def measured(path: Path = DATA / "measured.toml") -> tuple[dict[str, float], dict[str, float]]:
    """What benchmarks/strength.py has measured, by canonical form: `win` and `rate` of `Entry`.

    Nothing where there is no file. Four equal players have a quarter each, whatever they are.
    """
    if not path.exists():
        return {}, {}
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    against_three = (line for line in data["lines"] if (line["players"], line["rest"]) == (4, "planner"))
    wins = {resolve(line["one"]).spec: line["win"] for line in against_three}
    rates = {resolve(name).spec: rate for name, rate in data["rates"].items()}
    return wins | {"planner": 1 / 4}, rates


def template(path: Path) -> str:
    """The text of a new player's file: weights for a name that ends in .toml, a function for one in .py."""
    if path.suffix == ".py":
        text = (DATA / "template.py").read_text(encoding="utf-8")
        return text.replace("FILE", path.as_posix())
    text = to_toml(WeightFile(path.stem, "one line about it", shipped(PLANNER_STYLE).weights))
    start, rest = text.split("\n\n", 1)
    return f"""\
# A planner of your own. It plays under the name of its file, as in
#
#     rcsim sweep --games 10k --policy {path.as_posix()},planner,planner,planner
#
# Numbers are in prestige. A line that you delete gets the value of the base.

{start}
base = "{PLANNER_STYLE}"

{rest}"""
