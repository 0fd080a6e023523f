"""What players there are, for people: the list with what was measured, the restrictions, and files to begin with."""

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

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
    win_share: float | None  # of one among three planners, with four players
    games_per_s: float | None  # of four of them on one core


def entries() -> list[Entry]:
    """The players that have a name."""
    docs = {policy.name: policy.doc for policy in POLICIES} | {style: shipped(style).doc for style in STYLES}
    docs["planner"] += f"; its style is {PLANNER_STYLE}"
    known = measured()
    return [
        Entry(name, docs[name], figures.get("win_share"), figures.get("games_per_s"))
        for name in NAMES
        for figures in [known.get(resolve(name).spec, {})]
    ]


def measured(path: Path = DATA / "measured.toml") -> dict[str, dict[str, Any]]:
    """What was measured of players, by their canonical form: `win_share` and `games_per_s` of `Entry`, and more.

        [players."search:200"]
        win_share = 0.25
        games_per_s = 100

    Nothing where there is no such file.
    """
    if not path.exists():
        return {}
    players: dict[str, dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["players"]
    return players


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
