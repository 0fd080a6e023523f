"""What can be wrong with a ruleset: a list of problems, and the one exception that carries it.

No heavy imports: the commands import this to print such errors.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake.

    `key` is the dotted path of the value (empty: the ruleset or the call as a whole), `given` what was found
    there (empty: nothing), `wanted` what would be right.
    """

    key: str
    given: str
    wanted: str

    def __str__(self) -> str:
        found = "; ".join(part for part in (self.given and f"given {self.given}", self.wanted) if part)
        return f"{self.key}: {found}" if self.key else found


class RulesetError(Exception):
    """A ruleset, or what was asked of it, is wrong. `problems` has every mistake that was found, never none."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        super().__init__(source, tuple(problems))  # both arguments: the error then survives pickling
        self.source = source
        self.problems = tuple(problems)

    def lines(self) -> list[str]:
        """One line a mistake, each with where it was found: in the source, or in an option, as `--set key=value`."""
        return [f"{self.source}: {p}" if self.source and not p.key.startswith("--") else str(p) for p in self.problems]

    def __str__(self) -> str:
        return "\n".join(self.lines())


def shown(value: object, limit: int = 60) -> str:
    """A value as a file would spell it, on one line, cut at `limit` characters."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, dict):
        text = "{" + ", ".join(f"{k} = {shown(v)}" for k, v in value.items()) + "}"
    elif isinstance(value, list | tuple):
        text = "[" + ", ".join(shown(v) for v in value) + "]"
    else:
        text = str(value)
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def nearest(word: str, known: Iterable[str]) -> str:
    """What to say about an unknown word: the nearest known one, or, where none is near, all of a short list."""
    names = [str(k) for k in known]
    if close := get_close_matches(word, names, n=1, cutoff=0.5):
        return f'nearest known: "{close[0]}"'
    if 0 < len(names) <= 12:
        return "known: " + ("; " if any("," in name for name in names) else ", ").join(names)
    return "nothing known is near"


def one_of(names: Iterable[str], given: str) -> str:
    """Say which names an option accepts, all of them, and which was perhaps meant."""
    names = list(names)
    near = get_close_matches(given, names, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{hint}accepted: {', '.join(names)}"


def unknown(key: str, word: str, known: Iterable[str], what: str = "key") -> Problem:
    """The problem of a word that is not among the known ones."""
    return Problem(key, "", f"unknown {what}; {nearest(word, known)}")
