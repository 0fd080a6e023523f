"""Where each value comes from: published, reconstructed, or changed by someone's file or command line.

In a file, a `[provenance.<group>]` table has paths inside the group as keys ("*" stands for any one name);
an entry covers all values at and below its path, and the most exact entry counts. An entry is
`{ published = ["source", ...] }` or `{ reconstructed = "reason" }`, with a `note` if need be.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from rcsim.rules.errors import Problem, shown, unknown

# Tables that are one value: a file that names one replaces the whole of it.
WHOLE = frozenset({"cost", "gain", "pay", "effect"})

Status = Literal["published", "reconstructed", "changed", "unstated"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from; `text` has the sources, the reason, or who changed it."""

    status: Status
    text: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of each value by its dotted path (`track.lap`, `sections.base-01.cost`)."""

    origins: dict[str, Origin] = field(default_factory=dict)

    def __getitem__(self, path: str) -> Origin:
        return self.origins.get(path, Origin("unstated"))


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a ruleset in the form of a file, each with its path.

    A cost, gain, price or effect is one value, and so is a list, unless it is a list of tables.
    """
    key = path.rpartition(".")[2]
    if isinstance(value, dict) and key not in WHOLE:
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and value and all(isinstance(inner, dict) for inner in value):
        for i, inner in enumerate(value):
            yield from leaves(inner, f"{path}.{i}")
    else:
        yield path, value


Patterns = dict[tuple[str, ...], Origin]


def read_patterns(table: object, sources: object, groups: tuple[str, ...]) -> tuple[Patterns, list[Problem]]:
    """The entries of a file's `[provenance]`, and what is wrong with them.

    `sources` is the file's `[sources]`: what an entry cites must be there.
    """
    problems: list[Problem] = []
    patterns: Patterns = {}
    known = sources if isinstance(sources, dict) else {}
    if not isinstance(sources, dict):
        problems.append(Problem("sources", shown(sources), "should be a table of source names"))
    if not isinstance(table, dict):
        return patterns, [*problems, Problem("provenance", shown(table), "should be a table")]
    for group, entries in table.items():
        where = f"provenance.{group}"
        if group not in groups:
            problems.append(unknown(where, group, groups))
            continue
        if not isinstance(entries, dict):
            problems.append(Problem(where, shown(entries), "should be a table of paths inside the group"))
            continue
        for path, entry in entries.items():
            origin, found = _read_entry(f'{where}."{path}"', entry, known)
            problems += found
            if origin:
                name = "prestige_spaces" if (group, path) == ("track", "gaps") else path
                patterns[(group, *name.split("."))] = origin
    return patterns, problems


def _read_entry(where: str, entry: object, known: dict[str, Any]) -> tuple[Origin | None, list[Problem]]:
    wanted = 'should be { published = ["source"] } or { reconstructed = "reason" }'
    if not isinstance(entry, dict) or ("published" in entry) == ("reconstructed" in entry):
        return None, [Problem(where, shown(entry), wanted)]
    problems = [
        unknown(f"{where}.{key}", key, ("published", "reconstructed", "note"))
        for key in entry
        if key not in ("published", "reconstructed", "note")
    ]
    note = entry.get("note", "")
    if not isinstance(note, str):
        problems.append(Problem(f"{where}.note", shown(note), "should be text"))
        note = ""
    if "reconstructed" in entry:
        reason = entry["reconstructed"]
        if not isinstance(reason, str) or not reason:
            return None, [*problems, Problem(f"{where}.reconstructed", shown(reason), "should be the reason, a text")]
        return Origin("reconstructed", reason, note), problems
    cited = entry["published"]
    if not isinstance(cited, list) or not cited:
        return None, [*problems, Problem(f"{where}.published", shown(cited), "should be a list of sources")]
    problems += [
        unknown(f"{where}.published", str(source), known, f"source {shown(source)}")
        for source in cited
        if not isinstance(source, str) or source not in known
    ]
    return Origin("published", ", ".join(map(str, cited)), note), problems


def find_origin(patterns: Patterns, path: str) -> Origin | None:
    """The most exact entry that covers a path: most names, then fewest wildcards."""
    names = tuple(path.split("."))
    best: tuple[tuple[int, int], Origin] | None = None
    for pattern, origin in patterns.items():
        if len(pattern) <= len(names) and all(p in ("*", n) for p, n in zip(pattern, names, strict=False)):
            rank = (len(pattern), -pattern.count("*"))
            if best is None or rank > best[0]:
                best = (rank, origin)
    return best[1] if best else None
