"""The columns of the data, each declared once: name, stored type, meaning.

The kernel fills one row of int32 for each game and one for each seat, in the order of `GAME_COLUMNS` and
`SEAT_COLUMNS`; the engine finds an index by `game_column("turns")`, the store takes names and types from here.
Adding a column is one line here and the place in the engine that counts it.
"""

from dataclasses import dataclass

from rcsim.names import COLOURS, GUILDS, MATERIALS


@dataclass(frozen=True, slots=True)
class Column:
    """One column that the kernel fills.

    `type` is the stored type: a Polars integer or float name, "Boolean", or "Enum:<what>".
    `null` is the raw value that stands for "none". `share`: the raw value k stands for 1/k (0 for 0).
    """

    name: str
    type: str
    doc: str
    null: int | None = None
    share: bool = False


GAME_COLUMNS = (
    Column("plan", "Enum:plan", "plan of this deal"),
    Column("turns", "Int16", "turns over all seats, Ivan's too"),
    Column("finisher", "Int8", "seat that finished its last section first; null where nobody did", null=-1),
    Column("truncated", "Boolean", "stopped by the turn cap and scored as it stood"),
    Column("tie", "Boolean", "the first rank is shared after all tie-breaks"),
    Column("margin", "Int16", "best total minus second best total, prestige"),
    Column("sections", "Int8", "sections finished by all seats"),
    Column("ornaments", "Int8", "ornaments placed by all seats"),
    Column("complete", "Boolean", "every section of the plan is finished"),
    Column("steps", "Int32", "atomic actions, forced ones (as the end of a turn) and Ivan's turns too"),
)

POINT_SOURCES = (
    ("sections", "recognition of completed sections"),
    ("market", "the recognition tile and others at the market step"),
    ("tiles", "workshop tiles, prices paid included (Ivan: recognition on claimed tiles)"),
    ("influence", "influence actions, prices paid included"),
    ("ornaments", "prestige of ornaments"),
    ("bonus", "the finisher's bonus"),
    ("penalties", "penalties, negative or zero"),
    ("sold", "prestige sold, negative or zero"),
    ("rerolls", "prestige paid for rerolls, negative or zero"),
    ("solo", "Ivan's points card"),
)

SEAT_COLUMNS = (
    Column("seat", "Int8", "seat, from 0; in solo Ivan is 1"),
    Column("colour", "Enum:colour", "colour of the player; null for Ivan", null=-1),
    Column("rubles_start", "Int16", "rubles at the start"),
    Column("total", "Int16", "final prestige: track plus leftovers plus towers"),
    Column("rank", "Int8", "1 is best; ties share (1, 1, 3)"),
    Column("win_share", "Float32", "1/k for each of k winners, else 0", share=True),
    Column("marker", "Int16", "final position of the marker"),
    Column("prestige_on_track", "Int16", "prestige spaces at or below the marker"),
    Column("leftovers", "Int16", "prestige for materials and rubles left"),
    Column("towers", "Int16", "prestige from tower shares"),
    Column("turns", "Int16", "turns of this seat"),
    *(Column(f"points_{s}", "Int16", f"marker positions won by {doc}") for s, doc in POINT_SOURCES),
    Column("sections_claimed", "Int8", "sections claimed"),
    Column("sections_finished", "Int8", "sections finished"),
    Column("bases_finished", "Int8", "bases among them"),
    Column("middles_finished", "Int8", "middles among them"),
    Column("domes_finished", "Int8", "domes among them"),
    Column("doors", "Int8", "doors placed"),
    Column("arches", "Int8", "arches placed"),
    Column("crosses", "Int8", "crosses placed"),
    Column("ornament_gems", "Int8", "gems in the ornaments placed"),
    Column("tiles_up", "Int8", "workshop tiles placed face up"),
    Column("tiles_down", "Int8", "workshop tiles placed face down"),
    Column("actions_claim", "Int16", "turns whose basic action was a claim"),
    Column("actions_build", "Int16", "turns whose basic action was to build"),
    Column("actions_acquire", "Int16", "turns whose basic action was to acquire"),
    *(
        Column(f"rubles_from_{s}", "Int16", f"rubles earned by {doc}")
        for s, doc in (
            ("sections", "completed sections"),
            ("market", "the market step"),
            ("tiles", "workshop tiles"),
            ("influence", "influence actions"),
            ("sold", "prestige sold"),
        )
    ),
    *(
        Column(f"rubles_for_{s}", "Int16", f"rubles spent on {doc}")
        for s, doc in (
            ("workshop", "placing tiles face up"),
            ("moves", "extra spaces of dice"),
            ("tiles", "prices of workshop tiles"),
            ("influence", "prices of influence actions"),
        )
    ),
    Column("rubles_end", "Int16", "rubles at the end"),
    *(Column(f"taken_{m}", "Int16", f"{m} taken into the inventory (Ivan: onto his card)") for m in MATERIALS),
    *(
        Column(
            f"lost_slots_{m}",
            "Int16",
            f"{m} lost for want of a slot; a source of which nothing fits is not used and not counted",
        )
        for m in MATERIALS
    ),
    *(Column(f"lost_supply_{m}", "Int16", f"{m} lost because the supply was out; as before") for m in MATERIALS),
    Column("lost_any", "Int16", "materials of free choice lost, for want of a slot or supply"),
    Column("deliveries", "Int16", "materials delivered to own sections (not into ornaments)"),
    Column("materials_end", "Int16", "materials in the inventory at the end (Ivan: on his cards)"),
    *(Column(f"dice_{c}", "Int16", f"market visits with the {c} die (Ivan: moves)") for c in COLOURS),
    Column("visits_1", "Int16", "market visits with one die in the arrival space after the move"),
    Column("visits_2", "Int16", "with two dice"),
    Column("visits_3", "Int16", "with three dice or more"),
    Column("spaces_paid", "Int16", "extra spaces moved, free ones too where their price is 0"),
    Column("dice_refused", "Int16", "dice that could not end their plain move for a full space, over all visits"),
    Column("rerolls", "Int16", "rerolls"),
    Column("sales", "Int16", "prestige sold, in prestige"),
    Column("penalties_suffered", "Int16", "recognition lost by penalties, own completions' included"),
    Column("penalties_dealt", "Int16", "recognition that others lost by this seat's completions"),
    *(Column(f"influence_{g}", "Int16", f"influence uses with the {g}") for g in GUILDS),
    Column("tile_bonuses", "Int16", "workshop tiles used when claimed"),
    Column("tile_uses", "Int16", "workshop tiles used by their die"),
    Column("tile_activations", "Int16", "workshop tiles used by an influence action"),
)

_GAME_INDEX = {c.name: i for i, c in enumerate(GAME_COLUMNS)}
_SEAT_INDEX = {c.name: i for i, c in enumerate(SEAT_COLUMNS)}


def game_column(name: str) -> int:
    """Index of a game column; KeyError if there is none of that name."""
    return _GAME_INDEX[name]


def seat_column(name: str) -> int:
    """Index of a seat column; KeyError if there is none of that name."""
    return _SEAT_INDEX[name]
