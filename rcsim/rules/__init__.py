"""The ruleset as data: schema, loader, checker and packer. No Numba here.

`load`, `Ruleset` and `RulesetError` may be imported from here; they are looked up at first use, so that the
engine, which needs only `rcsim.rules.tables`, does not wait for the schema.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rcsim.rules.errors import Problem, RulesetError
    from rcsim.rules.loader import load
    from rcsim.rules.schema import Ruleset

__all__ = ["Problem", "Ruleset", "RulesetError", "load"]

_HOMES = {"Problem": "errors", "RulesetError": "errors", "Ruleset": "schema", "load": "loader"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"rcsim.rules.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
