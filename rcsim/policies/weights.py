"""The planner's weights as TOML files: those of the shipped styles in `data/`, and a designer's own.

    name = "mine"
    doc = "one line"
    base = "balanced"           # the style that weights come from which the file does not name
    [weights]
    finished = [1.2, 0.8]       # in prestige: at the opening, and at the end
    crowded = -0.5              # one number for both
    [training]                  # anything: how the weights were come by

A shipped file has no `base` and names every weight.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rcsim.policies import PLANNER_STYLE, STYLES
from rcsim.policies.errors import PlayerError
from rcsim.policies.features import THOUSANDTHS, WEIGHT_NAMES, WEIGHTS
from rcsim.rules.errors import nearest, shown

DATA = Path(__file__).resolve().parent / "data"
MOST = 1000  # prestige: bound of a weight, either way
KEYS = ("name", "doc", "base", "weights", "training")

Weights = dict[str, tuple[float, float]]  # by name, in the order of WEIGHTS: at the opening, at the end


@dataclass(frozen=True)
class WeightFile:
    """A weight file as read, its weights complete."""

    name: str
    doc: str
    weights: Weights
    training: dict[str, Any] = field(default_factory=dict)


@cache
def shipped(style: str) -> WeightFile:
    """The weight file of a shipped style."""
    return read(DATA / f"{style}.toml", complete=True)


def read(path: Path, *, complete: bool = False) -> WeightFile:
    """Read and check a weight file. PlayerError if it cannot be read or something in it is wrong.

    `complete`: it has to name every weight; else those that it does not name are its base's.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise PlayerError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise PlayerError(f"{path}: not text in UTF-8") from None
    except ValueError as error:
        raise PlayerError(f"{path}: not TOML: {error}") from None
    try:
        return _checked(data, path.stem, complete)
    except ValueError as error:
        raise PlayerError(f"{path}: {error}") from None


def _checked(data: Mapping[str, Any], stem: str, complete: bool) -> WeightFile:
    """The file that parsed TOML makes; ValueError, in one line, for the first thing that is wrong."""
    for key in data:
        if key not in KEYS:
            raise ValueError(f"{key}: unknown key; {nearest(key, KEYS)}")
    for key, kind, what in (
        ("name", str, "text"),
        ("doc", str, "text"),
        ("base", str, "text"),
        ("weights", dict, "a table"),
        ("training", dict, "a table"),
    ):
        if not isinstance(data.get(key, kind()), kind):
            raise ValueError(f"{key}: given {shown(data[key])}; should be {what}")
    named = data.get("weights", {})
    for key in named:
        if key not in WEIGHT_NAMES:
            raise ValueError(f"weights.{key}: unknown key; {nearest(key, WEIGHT_NAMES)}")
    if complete:
        if "base" in data:
            raise ValueError("base: a shipped file has none")
        if missing := [name for name in WEIGHT_NAMES if name not in named]:
            raise ValueError(f"weights.{missing[0]}: missing (scripts/weights.py adds it)")
        weights: Weights = {}
    else:
        base = data.get("base", PLANNER_STYLE)
        if base not in STYLES:
            raise ValueError(f"base: given {shown(base)}; should be a style: {', '.join(STYLES)}")
        weights = shipped(base).weights
    given = {key: _pair(f"weights.{key}", value) for key, value in named.items()}
    return WeightFile(
        name=data.get("name", stem),
        doc=data.get("doc", ""),
        weights={name: given.get(name) or weights[name] for name in WEIGHT_NAMES},
        training=data.get("training", {}),
    )


def _pair(key: str, value: object) -> tuple[float, float]:
    """Both values of a weight, rounded to thousandths; ValueError if they are no two numbers within bounds."""
    pair: list[Any] = value if isinstance(value, list) else [value, value]
    if len(pair) != 2 or not all(type(v) in (int, float) for v in pair):
        raise ValueError(f"{key}: given {shown(value)}; should be a number, or [at the opening, at the end]")
    if not all(abs(v) <= MOST for v in pair):  # neither is inf or nan
        raise ValueError(f"{key}: given {shown(value)}; should be from -{MOST} to {MOST}")
    return _rounded(pair[0]), _rounded(pair[1])


def _rounded(value: float) -> float:
    return round(value * THOUSANDTHS) / THOUSANDTHS


def to_array(weights: Mapping[str, tuple[float, float]]) -> NDArray[np.int64]:
    """Weights as the kernel reads them: int64 (2, len(WEIGHTS)), in thousandths of a prestige."""
    values = [[round(weights[name][end] * THOUSANDTHS) for name in WEIGHT_NAMES] for end in (0, 1)]
    return np.array(values, np.int64)


def from_array(array: NDArray[np.int64]) -> Weights:
    """The reverse of `to_array`."""
    early, late = (array / THOUSANDTHS).tolist()
    return dict(zip(WEIGHT_NAMES, zip(early, late, strict=True), strict=True))


def to_toml(file: WeightFile) -> str:
    """The text of a weight file: weights in the order of WEIGHTS with three decimals, each with its meaning."""
    items = [f"{name} = [{early:.3f}, {late:.3f}]" for name, (early, late) in file.weights.items()]
    width = max(map(len, items))
    lines = [f"name = {_toml(file.name)}", f"doc = {_toml(file.doc)}", ""]
    lines += ["# Worth of one unit in prestige: [at the opening, at the end].", "[weights]"]
    lines += [f"{item:{width}}  # {weight.doc}" for item, weight in zip(items, WEIGHTS, strict=True)]
    if file.training:
        lines += ["", "[training]", *(f"{_key(key)} = {_toml(value)}" for key, value in file.training.items())]
    return "\n".join(lines) + "\n"


def _key(key: str) -> str:
    return key if key.isascii() and key.replace("-", "").replace("_", "").isalnum() else _toml(key)


def _toml(value: Any) -> str:
    """A value as TOML spells it. Its strings are those of JSON, but that it escapes one character more."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower() if isinstance(value, bool) else str(value)
