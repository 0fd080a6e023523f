"""`rcsim rules`: list, show and check rulesets."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rcsim.cli.errors import UserError
from rcsim.cli.options import Preset, Set, load_ruleset, sound_rules
from rcsim.cli.tables import table

if TYPE_CHECKING:
    from rcsim.rules.schema import Ruleset

app = typer.Typer(help="List, show and check rulesets.", no_args_is_help=True)

PARTS = (
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


@app.command("list")
def list_rulesets() -> None:
    """List the shipped rulesets and their presets."""
    from rcsim.rules.loader import available, load, presets

    rows = []
    for name in available():
        ruleset = load(name)
        rows.append((name, ", ".join(presets(name)), ruleset.hash[:12], ruleset.description))
    _print_table(("ruleset", "presets", "hash", "description"), rows)


@app.command()
def show(
    ruleset: Annotated[str, typer.Argument(metavar="[RULESET]", help="A shipped one, or the path of a file.")] = "base",
    preset: Preset = None,
    sets: Set = None,
    part: Annotated[str | None, typer.Option("--part", help=f"One part only: {', '.join(PARTS)}.")] = None,
    provenance: Annotated[
        bool, typer.Option("--provenance", help="Where each value comes from: published, reconstructed, changed.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The resolved ruleset as one line of JSON.")] = False,
) -> None:
    """Show a ruleset after preset and changes."""
    from rcsim.rules.errors import nearest

    if part is not None and part not in PARTS:
        raise UserError(f'unknown part "{part}"; {nearest(part, PARTS)}')
    loaded = load_ruleset("RULESET", ruleset, preset, sets)
    parts = (part,) if part else PARTS
    if as_json:
        _print_json(loaded, part)
        return
    print(f"{loaded.name}: {loaded.description}" if loaded.description else loaded.name)
    print(f"preset {loaded.preset}, hash {loaded.hash[:12]}")
    for name in parts:
        print(f"\n{name}")
        if provenance:
            _print_origins(loaded, name)
        else:
            _print_table(*_rows(loaded, name))


@app.command()
def check(
    ruleset: Annotated[str, typer.Argument(metavar="FILE", help="The path of a file, or a shipped ruleset.")],
    preset: Preset = None,
    sets: Set = None,
) -> None:
    """Report every mistake in a ruleset, one a line; exit code 2 if there is one."""
    from rcsim.rules.errors import RulesetError
    from rcsim.rules.loader import check as mistakes

    with sound_rules("FILE", ruleset, preset, sets):
        problems = mistakes(ruleset, preset, sets or ())
    if problems:
        raise RulesetError(ruleset, problems)
    print(f"{ruleset}: ok")


def _rows(ruleset: "Ruleset", part: str) -> tuple[Sequence[str], Iterable[Sequence[object]]]:
    """Columns and rows of one part."""
    from rcsim.rules.loader import as_file
    from rcsim.rules.words import amounts_in_words, effect_in_words

    data = as_file(ruleset)[part]
    match part:
        case "plans":
            rows = [(i, p["players"], _list(p["towers"]), sum(p["towers"])) for i, p in data.items()]
            return ("plan", "players", "towers", "sections"), rows
        case "sections":
            cards = [(i, amounts_in_words(s["cost"]), s["recognition"], s["rubles"]) for i, s in data.items()]
            return ("section", "cost", "recognition", "rubles"), cards
        case "resource_tiles":
            return ("tile", "one die takes"), [(i, amounts_in_words(t["gain"])) for i, t in data.items()]
        case "influence":
            actions = [
                (i if n == 0 else "", "once" if a["once"] else "repeated", effect_in_words(a["effect"]))
                for i, card in data.items()
                for n, a in enumerate(card["actions"])
            ]
            return ("card", "use", "action"), actions
        case "workshop_tiles":
            tiles = [(i, "+" if t["plus"] else "", effect_in_words(t["effect"])) for i, t in data.items()]
            return ("tile", "plus", "bonus"), tiles
        case "workshop_spaces":
            spaces = [
                (i, s["colour"], s["price"]["basic"], s["price"]["advanced"], s["ornament"] or "")
                for i, s in enumerate(data)
            ]
            return ("space", "colour", "basic price", "advanced price", "unlocks"), spaces
    values = [(key, _value(value)) for key, value in data.items()]
    return ("key", "value"), values


def _print_origins(ruleset: "Ruleset", part: str) -> None:
    """The values of one part by where they come from, each source or reason once."""
    from rcsim.rules.errors import shown
    from rcsim.rules.loader import as_file
    from rcsim.rules.provenance import leaves

    by_origin: dict[str, list[str]] = {}
    for path, value in leaves(as_file(ruleset)[part], part):
        origin = ruleset.provenance[path]
        told = f"{origin.status}: {origin.text}" if origin.text else origin.status
        told += f" ({origin.note})" if origin.note else ""
        by_origin.setdefault(told, []).append(f"{path} = {shown(value, 500)}")
    for told, values in by_origin.items():
        print(f"  {told}", *(f"    {value}" for value in values), sep="\n")


def _list(values: Iterable[object]) -> str:
    return " ".join(map(str, values))


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return ", ".join(f"{key} {inner}" for key, inner in value.items())
    return _list(value) if isinstance(value, list) else str(value)


def _print_json(ruleset: "Ruleset", part: str | None) -> None:
    import json

    resolved = ruleset.resolved()
    if part:
        resolved = {"rubles": resolved["rubles"]} if part == "start" else {part: resolved[part]}
    print(json.dumps(resolved))


def _print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    print(table(columns, [[str(cell) for cell in row] for row in rows], left=len(columns)))
