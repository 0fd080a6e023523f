"""Reading rulesets: files, presets and single values from the command line, into a checked `Ruleset`.

    load()                                          the base game
    load("base", preset="en")                       a named set of options
    load("mine.toml", sets=["start.rubles=3,4,5,5", "options.dice_limit=4"])

**Precedence**: file < preset < set. A file may itself say `preset = "en"`: its options then start from that
preset, and what the file's own `[options]` say counts more.

**Files** are TOML. Usually `extends = "base"` (a shipped name, or a path beside the file) and what differs:

- tables merge key by key, down to the single card or tile: `[sections.base-01] recognition = 5` leaves its cost;
- a cost, a gain, a price (`pay`) and an effect are one value: who names one replaces the whole of it;
- lists (`start.rubles`, `plans.2a.towers`, `actions`, `workshop_spaces`) are replaced whole;
- a new id adds a card, tile or plan; `remove = ["plans.4c", "workshop_tiles.tile-28"]` takes one away;
- `[presets.<name>]` adds a preset or changes an inherited one.

Without `extends` a file must give everything. `name`, `description`, `[sources]` and `[provenance.<group>]`
(see `rcsim.rules.provenance`) are optional; a value that a file changes without saying where it comes from
counts as changed by that file.

**Sets** are `key=value` with a dotted key, down to a single amount (`resource_tiles.wood.gain.wood=3`) or an
item of a list, counted from 0 (`start.rubles.3=6`). The value is TOML, where a list may do without its brackets
and a word without its quotes. An amount of 0 takes it out of a map. A set that would undo an earlier one is refused.

All mistakes are collected into one `RulesetError`; unknown keys are refused with the nearest known one.
"""

import copy
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from rcsim.rules import schema
from rcsim.rules.checks import Sound, contradictions
from rcsim.rules.errors import Problem, RulesetError, nearest, shown, unknown
from rcsim.rules.provenance import WHOLE, Origin, Patterns, Provenance, find_origin, leaves, read_patterns
from rcsim.rules.schema import Ruleset
from rcsim.rules.tables import MAX_LAP

DATA = Path(__file__).resolve().parent / "data"

TABLE_GROUPS: dict[str, type[BaseModel]] = {
    "track": schema.Track,
    "options": schema.Options,
    "supply": schema.Materials,
    "start": schema.Start,
    "solo": schema.Solo,
}
ID_GROUPS: dict[str, type[BaseModel]] = {
    "plans": schema.Plan,
    "sections": schema.Section,
    "resource_tiles": schema.ResourceTile,
    "influence": schema.InfluenceCard,
    "workshop_tiles": schema.WorkshopTile,
}
GROUPS = (
    "track",
    "options",
    "supply",
    "start",
    "plans",
    "sections",
    "resource_tiles",
    "influence",
    "workshop_tiles",
    "workshop_spaces",
    "solo",
)
HEADER = ("name", "description", "extends", "preset", "remove", "sources", "provenance", "presets")
DESIGN = ("design", "fixed", "factors", "cells")  # tables of what is no ruleset
LONG_NUMBER = re.compile(r"[\d_]{4000}")
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


# --------------------------------------------------------------------------------------------- interface


def available() -> tuple[str, ...]:
    """Names of the shipped rulesets."""
    return tuple(sorted(path.stem for path in DATA.glob("*.toml")))


def load(source: str | Path = "base", preset: str | None = None, sets: Sequence[str] = ()) -> Ruleset:
    """Load, resolve and check a ruleset.

    `source` is the name of a shipped ruleset or the path of a TOML file; `preset` a named set of options;
    `sets` single values as `key=value`. Later beats earlier: file, preset, sets.

    Raises `RulesetError` with every mistake found.
    """
    label = _label(source)
    return _resolve(_read_chain(source), label, preset, sets)


def from_dict(data: Mapping[str, Any], name: str = "ruleset", sets: Sequence[str] = ()) -> Ruleset:
    """A ruleset from a dictionary in the form of a file; `extends` is looked up from the working directory.

    Raises `RulesetError` with every mistake found.
    """
    layer = _Layer(name, copy.deepcopy(dict(data)), None)
    chain = [layer]
    if "extends" in layer.data:
        chain = [*_read_chain(_extends(layer)), layer]
    return _resolve(chain, name, None, sets)


def from_resolved(resolved: Mapping[str, Any], name: str = "ruleset", preset: str = "none") -> Ruleset:
    """A ruleset from its resolved form (`Ruleset.resolved()`, the `ruleset` of a trace), checked anew.

    Raises `RulesetError` with every mistake found.
    """
    data = copy.deepcopy(dict(resolved))
    problems: list[Problem] = []
    if "start" in data:
        problems.append(Problem("start", "", 'unknown key; the resolved form has "rubles"'))
    data["start"] = {"rubles": data.pop("rubles")} if "rubles" in data else {}
    for key in sorted(set(data) - set(GROUPS)):
        data.pop(key)
        problems.append(unknown(key, key, (*GROUPS, "rubles")))
    ruleset, found = _build(data, {}, name, "", preset)
    return _checked(ruleset, [*problems, *found], name)


def as_file(ruleset: Ruleset) -> dict[str, Any]:
    """The values of a ruleset in the form of a file (with `start.rubles`, without header and provenance)."""
    data = ruleset.resolved()
    rubles = data.pop("rubles")
    return {group: {"rubles": rubles} if group == "start" else data[group] for group in GROUPS}


def presets(source: str | Path = "base") -> dict[str, dict[str, Any]]:
    """The presets that a ruleset knows, its own and inherited ones: name to options.

    Raises `RulesetError` if the file cannot be read.
    """
    known: dict[str, dict[str, Any]] = {}
    for layer in _read_chain(source):
        for name, options in _tables(layer.data.get("presets")).items():
            known[name] = known.get(name, {}) | options
    return known


def check(source: str | Path, preset: str | None = None, sets: Sequence[str] = ()) -> list[Problem]:
    """Every mistake in a ruleset; a shipped one must also say of every value where it comes from."""
    try:
        ruleset = load(source, preset, sets)
    except RulesetError as error:
        return list(error.problems)
    return unstated(ruleset) if _label(source) in available() else []


def unstated(ruleset: Ruleset) -> list[Problem]:
    """Values of which nothing says where they come from."""
    return [
        Problem(path, shown(value), "should have an entry in [provenance]: published or reconstructed")
        for path, value in leaves(as_file(ruleset))
        if ruleset.provenance[path].status == "unstated"
    ]


# ---------------------------------------------------------------------------------------- reading files


@dataclass(slots=True)
class _Layer:
    """One file as read, or one dictionary."""

    label: str
    data: dict[str, Any]
    folder: Path | None  # where a relative `extends` is looked up
    patterns: Patterns = field(default_factory=dict)


def is_path(source: str | Path) -> bool:
    """Whether a source is a path of a file, not the name of a shipped ruleset."""
    return isinstance(source, Path) or source.endswith(".toml") or "/" in source or "\\" in source


def _label(source: str | Path) -> str:
    return str(source)


def _read_chain(source: str | Path, folder: Path | None = None, above: tuple[Path, ...] = ()) -> list[_Layer]:
    """A file and those it extends, the deepest first."""
    path = _locate(source, folder)
    label = str(source)
    if path in above:
        raise RulesetError(label, [Problem("extends", shown(label), "the files extend each other in a circle")])
    data = copy.deepcopy(_shipped(path)) if path.parent == DATA else parse_toml(read_text(path, label), label)
    if any(key in DESIGN for key in data) and not any(key in (*GROUPS, *HEADER) for key in data):
        raise RulesetError(label, [Problem("", "", f"this is a design, no ruleset; play it with rcsim sweep {label}")])
    layer = _Layer(label, data, path.parent)
    if "extends" not in layer.data:
        return [layer]
    return [*_read_chain(_extends(layer), path.parent, (*above, path)), layer]


def _locate(source: str | Path, folder: Path | None) -> Path:
    if not is_path(source) and (DATA / f"{source}.toml").is_file():
        return (DATA / f"{source}.toml").resolve()
    path = Path(source)
    path = folder / path if folder and not path.is_absolute() else path
    if not is_path(source) and not path.is_file():
        what = f"no shipped ruleset has that name; {nearest(str(source), available())}; a file is named by its path"
        raise RulesetError(str(source), [Problem("", "", what)])
    return path.resolve()


def _extends(layer: _Layer) -> str:
    parent = layer.data["extends"]
    if not isinstance(parent, str) or not parent:
        problem = Problem("extends", shown(parent), "should be the name of a shipped ruleset or a path")
        raise RulesetError(layer.label, [problem])
    return parent


@lru_cache(maxsize=8)  # what ships does not change under a running program, and parsing is most of the work
def _shipped(path: Path) -> dict[str, Any]:
    return parse_toml(read_text(path, path.stem), path.stem)


def read_text(path: Path, label: str) -> str:
    """The text of a file in UTF-8; RulesetError, under the name `label`, if there is none."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():  # reading a pipe could wait for ever
            raise RulesetError(label, [Problem("", "", "cannot be read: no regular file")])
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        problem = Problem("", "", "no such file")
    except OSError as error:
        problem = Problem("", "", f"cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        problem = Problem("", "", f"is not UTF-8 text (byte {error.start})")
    raise RulesetError(label, [problem])


def parse_toml(text: str, label: str) -> dict[str, Any]:
    """The tables of a text in TOML; RulesetError, under the name `label`, if it is none."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        problem = Problem("", "", "is nested too deeply")
    except ValueError as error:
        what, _, place = str(error).partition(" (at ")
        if not isinstance(error, tomllib.TOMLDecodeError):  # int() takes only so many digits
            what = "a number has thousands of digits"
        place = place.rstrip(")")
        if not place.startswith("line"):
            lines = text.splitlines()
            place = f"line {next((i for i, line in enumerate(lines, 1) if LONG_NUMBER.search(line)), len(lines))}"
        problem = Problem(place, "", f"not valid TOML: {what}")
    raise RulesetError(label, [problem])


# -------------------------------------------------------------------------------------------- resolving


def _tables(value: object) -> dict[str, dict[str, Any]]:
    """The tables in a table of tables; whatever else stands there has been reported."""
    return {k: v for k, v in value.items() if isinstance(v, dict)} if isinstance(value, dict) else {}


def _resolve(chain: list[_Layer], label: str, preset: str | None, sets: Sequence[str]) -> Ruleset:
    problems: list[Problem] = []
    raw: dict[str, Any] = {}
    known_presets: dict[str, dict[str, Any]] = {}
    patterns: Patterns = {}
    origins: dict[str, Origin] = {}
    in_force = "none"

    def note(before: dict[str, Any], who: str, own: Patterns, prefix: str = "") -> None:
        """Record who changed the values that differ from before."""
        for path, value in leaves(raw):
            if path not in before or before[path] != value:
                found = find_origin(own, prefix + path.partition(".")[2] if prefix else path)
                origins[path] = found or Origin("changed", f"by {who}")

    def apply_preset(wanted: str, who: str) -> None:
        nonlocal in_force
        if wanted not in known_presets:
            problems.append(unknown("preset", wanted, known_presets, f'preset "{wanted}"'))
            return
        in_force = wanted
        before = dict(leaves(raw))
        _merge(raw, {"options": known_presets[wanted]})
        note(before, who, patterns, f"presets.{wanted}.")

    for i, layer in enumerate(chain):
        own, found = _read_header(layer)
        problems += found
        name = layer.data.get("name", Path(layer.label).stem)
        description = layer.data.get("description", "")
        for key, options in _tables(layer.data.get("presets")).items():
            known_presets[key] = known_presets.get(key, {}) | options
        if isinstance(chosen := layer.data.get("preset"), str):
            patterns |= {p: o for p, o in own.items() if p[0] == "presets"}
            apply_preset(chosen, f'preset "{chosen}" of {layer.label}')
        before = dict(leaves(raw))
        problems += _remove(raw, layer.data.get("remove", []))
        _merge(raw, {group: layer.data[group] for group in GROUPS if group in layer.data})
        patterns |= own
        if i:
            note(before, layer.label, own)
    root = chain[0].data if len(chain) > 1 else {}
    known_ids = {group: set(root[group]) for group in ID_GROUPS if group in root}

    if preset is not None:
        apply_preset(preset, f'preset "{preset}"')
    problems += _undone(sets)
    for item in sets:
        before = dict(leaves(raw))
        problems += _assign(raw, item)
        note(before, f"--set {item}", {})

    ruleset, found = _build(raw, known_ids, name, description, in_force)
    problems += found
    if ruleset is not None and not problems:
        every = {
            path: origin
            for path, _ in leaves(as_file(ruleset))
            if (origin := origins.get(path) or find_origin(patterns, path))
        }
        ruleset = ruleset.model_copy(update={"provenance": Provenance(every)})
    return _checked(ruleset, problems, label)


def _checked(ruleset: Ruleset | None, problems: list[Problem], label: str) -> Ruleset:
    if ruleset is None or problems:
        raise RulesetError(label, list(dict.fromkeys(problems)))
    return ruleset


def _read_header(layer: _Layer) -> tuple[Patterns, list[Problem]]:
    """Check all of a file that is not in a group; also turn `track.gaps` into `track.prestige_spaces`."""
    data = layer.data
    problems = [unknown(key, key, (*GROUPS, *HEADER)) for key in data if key not in GROUPS and key not in HEADER]
    for key in ("name", "description", "preset"):
        if not isinstance(data.get(key, ""), str):
            problems.append(Problem(key, shown(data.pop(key)), "should be text"))
    for group in (*TABLE_GROUPS, *ID_GROUPS):
        if group in data and not isinstance(data[group], dict):
            problems.append(Problem(group, shown(data.pop(group)), "should be a table"))
    named = data.get("presets", {})
    if not isinstance(named, dict):
        problems.append(Problem("presets", shown(named), "should be a table of presets"))
        named = {}
    for name, options in named.items():
        if not isinstance(options, dict):
            problems.append(Problem(f"presets.{name}", shown(options), "should be a table of options"))
        else:
            problems += validate(schema.Options, options, f"presets.{name}")[1]
    own, found = read_patterns(data.get("provenance", {}), data.get("sources", {}), (*GROUPS, "presets"))
    problems += found
    if isinstance(track := data.get("track"), dict) and "gaps" in track:
        gaps = track.pop("gaps")
        if "prestige_spaces" in track:
            problems.append(
                Problem("track.gaps", "", "should not stand beside track.prestige_spaces, it means the same")
            )
        spaces, found = _spaces_of(gaps)
        problems += found
        track["prestige_spaces"] = spaces
    return own, problems


def _spaces_of(gaps: object) -> tuple[list[int], list[Problem]]:
    """Positions of the prestige spaces from pairs of gap and how many; a valid stand-in if the pairs are wrong."""
    wanted = "should be a list of pairs [gap, how many], both at least 1"
    good = isinstance(gaps, list) and gaps
    for pair in gaps if isinstance(gaps, list) else ():
        if not isinstance(pair, list) or len(pair) != 2 or not all(type(n) is int and n >= 1 for n in pair):
            good = False
    if not isinstance(gaps, list) or not good:
        return [1], [Problem("track.gaps", shown(gaps), wanted)]
    if (end := sum(gap * n for gap, n in gaps)) > MAX_LAP:
        return [1], [Problem("track.gaps", shown(gaps), f"should add up to at most {MAX_LAP}, not {end}")]
    spaces: list[int] = []
    for gap, n in gaps:
        for _ in range(n):
            spaces.append((spaces[-1] if spaces else 0) + gap)
    return spaces, []


def _merge(raw: dict[str, Any], data: dict[str, Any]) -> None:
    """Lay `data` over `raw`: tables key by key, whole values and lists replaced."""
    for key, value in data.items():
        if isinstance(value, dict) and isinstance(raw.get(key), dict) and key not in WHOLE:
            _merge(raw[key], value)
        else:
            raw[key] = copy.deepcopy(value)


def _remove(raw: dict[str, Any], keys: object) -> list[Problem]:
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        return [Problem("remove", shown(keys), 'should be a list of keys such as "plans.4c"')]
    problems = []
    for key in keys:
        group, _, name = key.partition(".")
        if group not in ID_GROUPS:
            problems.append(unknown("remove", group, ID_GROUPS, f'group in "{key}"'))
        elif name not in raw.get(group, {}):
            problems.append(unknown("remove", name, raw.get(group, {}), f'id in "{key}"'))
        else:
            del raw[group][name]
    return problems


# ------------------------------------------------------------------------------------------------- sets


def parse_value(text: str) -> Any:
    """The value of `key=value`: TOML; or a list without brackets; or a word without quotes."""
    for spelt in (text, f"[{text}]") if "," in text else (text,):
        try:
            table = tomllib.loads(f"v = {spelt}")
        except (ValueError, RecursionError):
            continue
        if set(table) == {"v"}:
            return table["v"]
    if "," in text and not text.lstrip().startswith(("[", "{")):
        return [parse_value(part.strip()) for part in text.split(",")]
    return text.strip()


def _undone(sets: Sequence[str]) -> list[Problem]:
    """The sets that a later one would undo: the same key, or one inside it, given twice."""
    problems = []
    keys = [item.partition("=")[0].strip() for item in sets]
    keys = ["track.prestige_spaces" if key == "track.gaps" else key for key in keys]
    for i, key in enumerate(keys):
        for later in range(i + 1, len(sets)):
            if key and f"{key}.".startswith(f"{keys[later]}."):
                wanted = f"should be given once, but {sets[i]} is undone by --set {sets[later]}"
                problems.append(Problem(f"--set {sets[i].partition('=')[0].strip()}", "", wanted))
                break
    return problems


def _assign(raw: dict[str, Any], item: str) -> list[Problem]:
    """Carry out one `key=value`."""
    key, equals, text = item.partition("=")
    key = key.strip()
    names = key.split(".")
    if not equals or not key or not all(names) or not text.strip():
        return [Problem(f"--set {item}", "", "should be key=value, such as start.rubles=3,4,5,5")]
    value = parse_value(text)
    if names[0] not in GROUPS:
        paths = [path for path, _ in leaves(raw)]
        same = [path for path in paths if path.rpartition(".")[2] == names[-1]]
        if same:
            return [Problem(key, "", f'unknown key; nearest known: "{same[0]}"')]
        return [unknown(key, key, (*GROUPS, *paths))]
    if key == "track.gaps":
        value, problems = _spaces_of(value)
        if problems:
            return problems
        names[-1] = "prestige_spaces"
    if names[0] in ID_GROUPS and len(names) > 1:
        ids = raw.get(names[0])
        if isinstance(ids, dict) and names[1] not in ids and not (len(names) == 2 and isinstance(value, dict)):
            return [unknown(key, names[1], ids, "id")]
    here: Any = raw
    for depth, name in enumerate(names):
        path, last = ".".join(names[:depth]), depth == len(names) - 1
        if isinstance(here, list):
            if name not in map(str, range(len(here))):
                return [Problem(key, "", f"{path} is a list: its items are 0..{len(here) - 1}, not {name}")]
            step: int | str = int(name)
        elif isinstance(here, dict):
            step = name
            if not last:
                here.setdefault(name, {})  # a part that is not there yet, or a misspelling that the schema reports
        else:
            return [Problem(key, "", f"{path} is a single value without parts")]
        if last:
            here[step] = value
        else:
            here = here[step]
    return []


# ------------------------------------------------------------------------------------------- validating


def _build(
    raw: dict[str, Any], known_ids: Mapping[str, set[str]], name: str, description: str, preset: str
) -> tuple[Ruleset | None, list[Problem]]:
    """Validate every group by itself, then what they break together."""
    problems: list[Problem] = []
    parts: dict[str, Any] = {}
    absent = [group for group in GROUPS if group not in raw]
    hint = ' (write extends = "base" to take what a file does not name)' if len(absent) > 1 else ""
    problems += [Problem(group, "", f"missing{hint}") for group in absent]
    for group, model in TABLE_GROUPS.items():
        if group in raw:
            parts[group], found = validate(model, raw[group], group)
            problems += found
    for group, model in ID_GROUPS.items():
        if group not in raw:
            continue
        if not isinstance(raw[group], dict):
            problems.append(Problem(group, shown(raw[group]), "should be a table"))
            continue
        items = parts[group] = {}
        for key, value in raw[group].items():
            if not isinstance(key, str) or not ID.fullmatch(key):
                problems.append(
                    Problem(f"{group}.{key}", "", "an id should be 1..40 letters, digits, - or _, no - or _ first")
                )
            items[key], found = validate(model, value, f"{group}.{key}")
            if known_ids.get(group) and key not in known_ids[group]:
                found = [_new_id(p, key, known_ids[group]) for p in found]
            problems += found
    if isinstance(listed := raw.get("workshop_spaces", []), list | tuple):
        checked = [validate(schema.WorkshopSpace, value, f"workshop_spaces.{i}") for i, value in enumerate(listed)]
        problems += [problem for _, found in checked for problem in found]
        if "workshop_spaces" in raw:
            parts["workshop_spaces"] = tuple(space for space, _ in checked)
    else:
        problems.append(Problem("workshop_spaces", shown(listed), "should be a list of tables"))
    problems += contradictions(Sound(parts))
    if problems:
        return None, problems
    return Ruleset(name=name, description=description, preset=preset, **parts), []


def _new_id(problem: Problem, key: str, known: set[str]) -> Problem:
    """Say of a mistake in an id that is not in the extended ruleset that the id may be misspelt."""
    if problem.wanted != "missing":
        return problem
    return Problem(problem.key, problem.given, f'missing; "{key}" is a new id, {nearest(key, known)}')


def validate(model: type[BaseModel], value: object, key: str) -> tuple[Any, list[Problem]]:
    """A value of a model; or what is sound of it, and what is wrong with it."""
    try:
        return model.model_validate(value), []
    except ValidationError as error:
        details = error.errors(include_url=False)
        told = [_translate(model, d, key) for d in details if not _is_echo(d)]
        return Sound(dict(_sound_values(model, value, [d["loc"] for d in details]))), told


def _sound_values(
    model: type[BaseModel], value: object, wrong: Sequence[tuple[int | str, ...]]
) -> Iterator[tuple[str, Any]]:
    """The fields of a model that are right by themselves, where `wrong` says where mistakes are.

    None are where the fields break a rule together. What a misspelt key was perhaps meant for is not known either.
    """
    if not isinstance(value, Mapping) or not all(wrong):
        return
    keys = {name: f.alias or name for name, f in model.model_fields.items()}
    unsure = {key for loc in wrong for key in get_close_matches(str(loc[0]), keys.values(), n=1, cutoff=0.5)}
    for name, key in keys.items():
        known = model.model_fields[name]
        if key in value and key not in unsure:
            kind: Any = Annotated[known.annotation, known]
            yield name, TypeAdapter(kind).validate_python(value[key])
        elif key not in unsure:
            yield name, known.get_default(call_default_factory=True)


def _is_echo(error: ErrorDetails) -> bool:
    """Whether a list counts as too short only because some of its items are wrong, which is told already."""
    given = error["input"]
    return error["type"] == "too_short" and isinstance(given, list | tuple) and len(given) >= error["ctx"]["min_length"]


def _translate(model: type[BaseModel], error: ErrorDetails, key: str) -> Problem:
    """A mistake in the words of this package."""
    path = ".".join([key, *map(str, error["loc"])])
    context = error.get("ctx", {})
    kind, given = error["type"], shown(error["input"])
    match kind:
        case "missing":
            return Problem(path, "", "missing")
        case "extra_forbidden":
            return unknown(path, str(error["loc"][-1]), _keys_at(model, error["loc"][:-1]))
        case "wanted":
            return Problem(path, given, f"should be {context['wanted']}")
        case "rule":
            return Problem(path, "", context["rule"])
        case "literal_error":
            return Problem(path, given, f"should be one of: {context['expected'].replace(' or ', ', ')}")
        case "too_short" | "too_long":
            limit = context.get("min_length", context.get("max_length"))
            word = "at least" if kind == "too_short" else "at most"
            word = "exactly" if _one_length(model, error["loc"]) else word
            return Problem(path, f"{context['actual_length']} items", f"should have {word} {limit}")
    kinds = {
        "bool_type": "true or false",
        "string_type": "text",
        "tuple_type": "a list",
        "list_type": "a list",
        "model_type": "a table",
        "model_attributes_type": "a table",
        "dict_type": "a table",
    }
    return Problem(path, given, f"should be {kinds[kind]}" if kind in kinds else error["msg"])


def _keys_at(model: type[BaseModel], loc: Sequence[int | str]) -> list[str]:
    """The keys that a table at `loc` may have."""
    field = _field_at(model, loc)
    here = _model_in(field.annotation) if field else model if not loc else None
    return list(_fields(here)) if here else []


def _one_length(model: type[BaseModel], loc: Sequence[int | str]) -> bool:
    """Whether a list at `loc` may have one length only."""
    metadata = known.metadata if (known := _field_at(model, loc)) else []
    least, most = (
        next((n for m in metadata if (n := getattr(m, side, None)) is not None), None)
        for side in ("min_length", "max_length")
    )
    return least is not None and least == most


def _field_at(model: type[BaseModel], loc: Sequence[int | str]) -> FieldInfo | None:
    """The field at `loc`; None where there is none."""
    here: type[BaseModel] | None = model
    found = None
    for step in loc:
        if isinstance(step, int):  # an item of a list: the annotation has been entered already
            continue
        found = _fields(here).get(step) if here else None
        here = _model_in(found.annotation) if found else None
    return found


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a model by their keys in a file."""
    return {f.alias or name: f for name, f in model.model_fields.items()}


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for arg in get_args(annotation) if (found := _model_in(arg))), None)
