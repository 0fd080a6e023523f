"""`rcsim schema`: what every stored column means."""

import json
from typing import Annotated

import typer

from rcsim.cli.tables import table


def schema(
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> None:
    """Print the columns of the data, with types and meanings."""
    from rcsim.experiments.schema import describe
    from rcsim.names import PLAYER_COLOURS

    data = describe({"colour": PLAYER_COLOURS})
    rows_of = {
        "games": "a row for each game",
        "seats": "a row for each game and seat (* with --detail full alone)",
        "summary": "counts by plan and seat, with --detail summary in place of the others",
    }
    if as_json:
        print(json.dumps(data, indent=1))
        return
    print(f"Schema version {data['schema_version']}. A nullable column has a ? behind its type.")
    for name, columns in data["tables"].items():
        print(f"\n{name}: DIR/{name}/*.parquet, {rows_of[name]}\n")
        rows = [
            [c["name"] + "*" * (c["detail"] == "full"), c["type"] + ("?" if c["nullable"] else ""), c["doc"]]
            for c in columns
        ]
        print(table(["column", "type", "meaning"], rows, left=3))
    print("\nNames of the enums, in the order of their codes (plan: those of the ruleset):")
    for enum, names in data["enums"].items():
        print(f"  {enum}: {', '.join(names)}")
