"""The stored columns of all tables, and their types on the disk.

`rcsim.columns` declares what the kernel fills. Here the keys that name a game are put in front, and each stored
type becomes an Arrow type. Enums are dictionaries over a fixed list of names and carry the note by which Polars
knows them for its Enum; other readers see a category or a string. Players and line-ups are those that a design has,
so theirs are Categoricals: frames of two runs can be put together.

The stored schema is public: a change of a name, a type or a meaning raises `SCHEMA_VERSION`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rcsim.columns import GAME_COLUMNS, SEAT_COLUMNS, Column
from rcsim.names import PLAYER_COLOURS

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA_VERSION = 3

KEY_COLUMNS = (
    Column("cell", "Int32", "cell of the design, from 0"),
    Column("game", "Int64", "game in its cell, from 0; seed, cell and game name the game for ever"),
    Column("deal", "Int64", "deal: games of one deal share setup and dice, in other cells too"),
)
LINEUP = Column("lineup", "Categorical", "players by seat, joined by commas (Ivan is not named)")
POLICY = Column("policy", "Categorical", "player of the seat, with its options; null for Ivan", null=-1)

TABLES: dict[str, tuple[Column, ...]] = {
    "games": (*KEY_COLUMNS, LINEUP, *GAME_COLUMNS),
    "seats": (*KEY_COLUMNS, *SEAT_COLUMNS[:2], POLICY, *SEAT_COLUMNS[2:]),
}
OUTCOME = (
    "seat", "colour", "rubles_start", "total", "rank", "win_share", "marker", "prestige_on_track", "leftovers",
    "towers", "turns",
)  # fmt: skip  # columns of a seat that say how a game ended for it
COUNTED = tuple(
    dict.fromkeys([c.name for c in GAME_COLUMNS if c.name != "plan"] + [c.name for c in SEAT_COLUMNS[1:]])
)  # columns of which a summary counts the values; a name may be both a game's and a seat's
SUMMARY = (
    KEY_COLUMNS[0],
    Column("plan", "Enum:plan", "plan of the deals"),
    Column("seat", "Int8", "seat; null for a column of games", null=-1),
    Column("column", "Enum:column", "column of games or seats whose values are counted"),
    Column("value", "Int32", "value: a colour by its code, a win share of 1/k as k, nobody as -1"),
    Column("games", "Int64", "games with this value"),
)

# Bounds of the raw values that each stored type can hold.
BOUNDS = {
    "Int8": (-(2**7), 2**7 - 1),
    "Int16": (-(2**15), 2**15 - 1),
    "Int32": (-(2**31), 2**31 - 1),
    "Int64": (-(2**63), 2**63 - 1),
    "Boolean": (0, 1),
}
MAX_WINNERS = 4  # a share is 1/k for k up to this

Enums = Mapping[str, tuple[str, ...]]  # names of each enum, in the order of their codes


def enums(plans: tuple[str, ...], policies: tuple[str, ...], lineups: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The names of one run: its plans, players and line-ups, the package's colours and counted columns."""
    return {"plan": plans, "colour": PLAYER_COLOURS, "column": COUNTED, "policy": policies, "lineup": lineups}


def tables(detail: str) -> dict[str, tuple[Column, ...]]:
    """The tables of a detail, by name, with their columns.

    "full": `games` and `seats` whole; "seats": of the seats only the outcome; "summary": one table of counts.
    """
    if detail == "summary":
        return {"summary": SUMMARY}
    if detail == "full":
        return TABLES
    kept = {c.name for c in (*KEY_COLUMNS, POLICY)} | {*OUTCOME}
    return {"games": TABLES["games"], "seats": tuple(c for c in TABLES["seats"] if c.name in kept)}


def enum_of(column: Column) -> str | None:
    """Name of the list of names behind a column ("plan", "lineup", ...); None for a number or a truth value."""
    if column.type == "Categorical":
        return column.name
    return column.type.removeprefix("Enum:") if column.type.startswith("Enum:") else None


def bounds(column: Column, names: Enums) -> tuple[int, int]:
    """Smallest and largest raw value that the column's stored type can hold (null's code left aside)."""
    if column.share:
        return 0, MAX_WINNERS
    if (enum := enum_of(column)) is not None:
        return 0, len(names[enum]) - 1
    return BOUNDS[column.type]


def arrow_type(column: Column, names: Enums) -> "pa.DataType":
    """Arrow type of a column; names are a dictionary of strings, an enum's with the smallest unsigned codes."""
    import pyarrow as pa

    if column.type == "Categorical":
        return pa.dictionary(pa.uint32(), pa.string())
    if (enum := enum_of(column)) is not None:
        return pa.dictionary(pa.uint8() if len(names[enum]) <= 2**8 else pa.uint32(), pa.string(), ordered=True)
    plain = {"Boolean": pa.bool_(), "Float32": pa.float32()}
    return plain.get(column.type) or getattr(pa, column.type.lower())()


def arrow_schema(table: str, names: Enums, detail: str = "full") -> "pa.Schema":
    """Arrow schema of a table of a detail, with Polars' own note on each enum."""
    import polars as pl
    import pyarrow as pa

    # Polars itself is asked for the note, so that it fits the version that is installed.
    columns = tables(detail)[table]
    types = {c.name: pl.Enum(names[c.type[5:]]) for c in columns if c.type.startswith("Enum:")}
    noted = pl.DataFrame(schema=types).to_arrow().schema
    return pa.schema(
        [
            pa.field(c.name, arrow_type(c, names), metadata=noted.field(c.name).metadata if c.name in types else None)
            for c in columns
        ]
    )


def describe(names: Enums | None = None) -> dict[str, Any]:
    """The documented schema as plain data: version, and each table's columns with type, nulls and meaning.

    "detail" of a column is the least one that stores it. `names` adds the names of the enums; those of plans, players
    and line-ups are known only with a run.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "tables": {
            table: [
                {"name": c.name, "type": c.type.split(":")[0], "nullable": c.null is not None, "doc": c.doc}
                | ({"enum": c.type.removeprefix("Enum:")} if c.type.startswith("Enum:") else {})
                | {"detail": next(d for d in ("summary", "seats", "full") if c in tables(d).get(table, ()))}
                for c in columns
            ]
            for table, columns in (tables("full") | tables("summary")).items()
        },
        "enums": {name: list(values) for name, values in (names or {}).items()},
    }
