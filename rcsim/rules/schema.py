"""The ruleset as typed, immutable values, with the bounds of each.

Every number states its bounds where it is declared: `Annotated[int, Whole(3, 5)]`. Nothing is converted on
the way in (`true` is not 1, `3.0` is not 3, `"3"` is not 3) and no unknown key is accepted at any depth.
What one value alone can break is checked here, what values break together in `rcsim.rules.checks`.

Use `rcsim.rules.loader` to make a `Ruleset`: it reports every mistake at once. Sources: docs/rules.md sections 2 to
11 for the meaning, docs/trace.md for the resolved form.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, GetCoreSchemaHandler, model_validator
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from rcsim.names import GOODS, GUILDS, MATERIALS, SECTION_KINDS
from rcsim.rules.provenance import Provenance
from rcsim.rules.tables import MAX_LAP, MAX_SECTIONS, MAX_TOWERS

MaterialName = Literal["wood", "brick", "stone", "gold", "green_gem", "purple_gem"]
ColourName = Literal["red", "blue", "green", "yellow", "white"]
ColourOrAny = Literal["red", "blue", "green", "yellow", "white", "any"]
GuildName = Literal["artisans", "carriers", "merchants", "clergy"]
SectionKind = Literal["base", "middle", "dome"]
OrnamentName = Literal["door", "arch", "cross"]

MAX_AMOUNT = 99  # of any good in one cost, gain, price or at the start: sums then stay far from any limit


@dataclass(frozen=True, slots=True)
class Whole:
    """Bounds of a whole number, both included; anything else, `true` and 3.0 too, is refused."""

    low: int
    high: int

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.check, serialization=core_schema.plain_serializer_function_ser_schema(int)
        )

    def check(self, value: object) -> int:
        """The value, if it is such a number."""
        if type(value) is not int or not self.low <= value <= self.high:
            raise PydanticCustomError("wanted", "{wanted}", {"wanted": f"a whole number {self.low}..{self.high}"})
        return value


Amount = Annotated[int, Whole(0, MAX_AMOUNT)]  # 0 is the same as leaving the key out


def _broken(rule: str) -> PydanticCustomError:
    return PydanticCustomError("rule", "{rule}", {"rule": rule})


def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Sort key that puts tile-2 before tile-10."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.findall(r"[0-9]+|[^0-9]+", name))


class Model(BaseModel):
    """Base of all: immutable, nothing converted, nothing unknown."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


# ------------------------------------------------------------------------------------------------ goods


class Materials(Model):
    """Amounts of materials, 0..99 each; 0 is the same as leaving the key out."""

    wood: Amount = 0
    brick: Amount = 0
    stone: Amount = 0
    gold: Amount = 0
    green_gem: Amount = 0
    purple_gem: Amount = 0

    def amount(self, good: str) -> int:
        """How much of a good (a name of `GOODS`); 0 for one that cannot be named here."""
        return int(getattr(self, good, 0))

    def materials(self) -> tuple[int, ...]:
        """The six materials in order."""
        return tuple(self.amount(m) for m in MATERIALS)

    def plain(self) -> dict[str, Any]:
        """The map without zeros, in the order of `GOODS`."""
        return {good: n for good in GOODS if (n := self.amount(good))}


class Goods(Materials):
    """Amounts of anything that can be gained."""

    rubles: Amount = 0
    recognition: Amount = 0
    prestige: Amount = 0


class Choice(Model):
    """`n` materials of a set by choice."""

    n: Annotated[int, Whole(1, 6)]
    of: Annotated[tuple[MaterialName, ...], Field(strict=False, min_length=1, max_length=6)]

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        if len(set(self.of)) < len(self.of):
            raise _broken("`of` should name each material once")
        return self

    def plain(self) -> dict[str, Any]:
        """The plain form, the set in the order of materials."""
        return {"n": self.n, "of": [m for m in MATERIALS if m in self.of]}


class EffectGoods(Goods):
    """What an effect takes or gives."""

    any: Choice | None = None

    def plain(self) -> dict[str, Any]:
        """The map without zeros, in the order of `GOODS`, `any` last."""
        return super().plain() | ({"any": self.any.plain()} if self.any else {})


# ---------------------------------------------------------------------------------------------- effects


class Move(Model):
    """Move a die clockwise by `steps`; `any`: by choice."""

    die: ColourOrAny
    steps: Annotated[int, Whole(1, 7)]


class Yield(Model):
    """The yield, times one, of the tile at a die's space, or at the arrival space +1 or -1."""

    die: ColourOrAny | None = None
    space: Literal[-1, 1] | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.die is None) == (self.space is None):
            raise _broken("a yield should name either `die` or `space`")
        return self


class Effect(Model):
    """One effect: parts that are carried out in the order of these fields (docs/rules.md section 9)."""

    pay: EffectGoods | None = None
    move: Move | None = None
    roll: Literal["arrival", "any"] | None = None
    yield_: Annotated[Yield | None, Field(alias="yield")] = None
    gain: EffectGoods | None = None
    deliver: Annotated[int, Whole(1, 6)] | None = None
    activate: ColourOrAny | None = None

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        if not self.plain().keys() - {"pay"}:
            raise _broken(
                "an effect should have at least one part besides `pay`: move, roll, yield, gain, deliver, activate"
            )
        return self

    def plain(self) -> dict[str, Any]:
        """The plain form of docs/trace.md: only the parts that are there."""
        parts: dict[str, Any] = {
            "pay": self.pay and self.pay.plain(),
            "move": self.move and self.move.model_dump(),
            "roll": self.roll,
            "yield": self.yield_ and self.yield_.model_dump(exclude_none=True),
            "gain": self.gain and self.gain.plain(),
            "deliver": self.deliver,
            "activate": self.activate,
        }
        return {name: part for name, part in parts.items() if part}


# ----------------------------------------------------------------------------------------------- groups


class Track(Model):
    """The track of points; a file may give `gaps` (pairs of gap and how many) in place of `prestige_spaces`."""

    start: Annotated[int, Whole(0, MAX_LAP)]  # position of all markers at setup
    lap: Annotated[int, Whole(1, MAX_LAP)]
    prestige_spaces: Annotated[
        tuple[Annotated[int, Whole(1, MAX_LAP)], ...], Field(strict=False, min_length=1, max_length=MAX_LAP)
    ]

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        spaces = self.prestige_spaces
        if any(b <= a for a, b in pairwise(spaces)):
            raise _broken("prestige_spaces should increase strictly")
        if spaces[-1] > self.lap:
            raise _broken(f"prestige_spaces should lie within the lap, 1..{self.lap}")
        return self


class Options(Model):
    """The rule options (docs/rules.md section 11); the defaults are those of the preset fr2022."""

    tower_shares: Literal["halving", "flat_third"] = "halving"
    tower_shares_2p: Literal["third", "as_more"] = "third"
    optional_actions: Literal["both", "one_kind"] = "both"
    sell_moments: Literal["one", "any"] = "one"
    sell_rubles: Annotated[int, Whole(0, 9)] = 2
    finisher_bonus: Annotated[int, Whole(0, 9)] = 3  # prestige; never in solo
    penalty: bool = True
    penalty_floor: Annotated[int, Whole(0, MAX_LAP)] = 0  # track position
    deliveries: Annotated[int, Whole(1, 6)] = 3
    dice_limit: Annotated[int, Whole(3, 5)] = 3  # below 3 a turn could be impossible
    extra_space_price: Annotated[int, Whole(0, 9)] = 1
    leftover_divisor: Annotated[int, Whole(1, 99)] = 5
    banners: Annotated[int, Whole(1, 6)] = 6
    end_sections: Annotated[int, Whole(1, 6)] = 6
    slots_open: Annotated[int, Whole(1, 10)] = 6
    slots_covered: Annotated[int, Whole(0, 6)] = 4
    # no gem, one, two alike, two different
    ornament_prestige: Annotated[
        tuple[Annotated[int, Whole(0, 9)], ...], Field(strict=False, min_length=4, max_length=4)
    ] = (0, 1, 2, 3)
    first_seat: Annotated[int, Whole(0, 3)] = 0  # must be in play: checked for the player count
    max_repeats: Annotated[int, Whole(1, 50)] = 20
    turn_cap: Annotated[int, Whole(10, 1000)] = 100  # turns a seat
    solo: bool = True  # whether a game against Ivan is described


class Start(Model):
    """Starting rubles by seat; n players use the first n."""

    rubles: Annotated[tuple[Amount, ...], Field(strict=False, min_length=4, max_length=4)]


class Plan(Model):
    """A plan: heights of its towers from left to right, base and dome included. Solo uses those for two."""

    players: Annotated[int, Whole(2, 4)]
    towers: Annotated[
        tuple[Annotated[int, Whole(2, MAX_SECTIONS)], ...], Field(strict=False, min_length=1, max_length=MAX_TOWERS)
    ]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if sum(self.towers) > MAX_SECTIONS:
            raise _broken(f"a plan should have at most {MAX_SECTIONS} sections, this one has {sum(self.towers)}")
        return self


class Section(Model):
    """A cathedral card."""

    kind: SectionKind
    cost: Materials
    recognition: Amount
    rubles: Amount

    @model_validator(mode="after")
    def _costs(self) -> Self:
        # a section is finished when its last material arrives, so that one without cost never would be
        if not self.cost.plain():
            raise _broken("a section should cost at least one material")
        return self


class ResourceTile(Model):
    """A market tile: what one die takes there."""

    gain: Goods

    @model_validator(mode="after")
    def _gives(self) -> Self:
        if not self.gain.plain():
            raise _broken("a resource tile should yield something")
        return self


class Action(Model):
    """One action of an influence card: lightning (once) or infinity (as often as it can be paid)."""

    once: bool
    effect: Effect

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if not self.once and "pay" not in self.effect.plain():
            raise _broken("an infinity action (once = false) should pay something")
        return self


class InfluenceCard(Model):
    """An influence card with its two actions."""

    guild: GuildName
    actions: Annotated[tuple[Action, ...], Field(strict=False, min_length=2, max_length=2)]


class WorkshopTile(Model):
    """A workshop tile; `plus` ones are left out with fewer than three players."""

    plus: bool
    effect: Effect

    @model_validator(mode="after")
    def _calls_no_tile(self) -> Self:
        if self.effect.activate is not None:
            raise _broken(
                "a workshop tile should not `activate`: only influence cards do, so that no tile calls a tile"
            )
        return self


class Price(Model):
    """Rubles for a face-up tile, on each side of the board."""

    basic: Amount
    advanced: Amount


def _none_is_null(value: object) -> object:
    return None if value == "none" else value  # TOML cannot write null


class WorkshopSpace(Model):
    """A space of the workshop board.

    `ornament` is what a face-up tile there unlocks on the advanced side; "none", or left out: nothing.
    """

    colour: ColourName
    price: Price
    ornament: Annotated[OrnamentName | None, BeforeValidator(_none_is_null)] = None


class SoloDice(Model):
    """The die that Ivan moves after each card."""

    points: ColourName
    inventory: ColourName
    transport: ColourName
    claim: ColourName
    construction: ColourName


class Solo(Model):
    """Ivan."""

    points: Amount  # recognition of his points card
    inventory: Amount  # materials his inventory card takes
    die: SoloDice
    level: Amount = 0  # added to `points`


# ---------------------------------------------------------------------------------------------- ruleset


class Ruleset(Model):
    """A resolved ruleset. Made by `rcsim.rules.loader`, which checks it.

    Maps of ids are in one canonical order, whatever the order in the file: natural order of ids, sections by
    kind first, influence cards by guild first. Indexes in `TABLES` and in the data follow it.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, arbitrary_types_allowed=True)

    name: str
    description: str = ""
    preset: str = "none"
    track: Track
    options: Options
    supply: Materials
    start: Start
    plans: dict[str, Plan]
    sections: dict[str, Section]
    resource_tiles: dict[str, ResourceTile]
    influence: dict[str, InfluenceCard]
    workshop_tiles: dict[str, WorkshopTile]
    workshop_spaces: Annotated[tuple[WorkshopSpace, ...], Field(strict=False)]
    solo: Solo
    provenance: Provenance = Field(default_factory=Provenance, repr=False)

    @model_validator(mode="before")
    @classmethod
    def _canonical_order(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        data = dict(data)
        for group, field, names in (
            ("plans", "players", ()),
            ("sections", "kind", SECTION_KINDS),
            ("resource_tiles", "", ()),
            ("influence", "guild", GUILDS),
            ("workshop_tiles", "", ()),
        ):
            if isinstance(items := data.get(group), dict):
                data[group] = dict(sorted(items.items(), key=lambda item: _order(item, field, names)))
        return data

    def resolved(self) -> dict[str, Any]:
        """The plain form of docs/trace.md: no defaults left out, no zeros in maps, no provenance, no names.

        Plain dictionaries, lists, strings, numbers, booleans and None; a new one at each call.
        """
        return {
            "track": {
                "start": self.track.start,
                "lap": self.track.lap,
                "prestige_spaces": list(self.track.prestige_spaces),
            },
            "options": self.options.model_dump() | {"ornament_prestige": list(self.options.ornament_prestige)},
            "supply": self.supply.plain(),
            "rubles": list(self.start.rubles),
            "plans": {i: {"players": p.players, "towers": list(p.towers)} for i, p in self.plans.items()},
            "sections": {
                i: {"kind": s.kind, "cost": s.cost.plain(), "recognition": s.recognition, "rubles": s.rubles}
                for i, s in self.sections.items()
            },
            "resource_tiles": {i: {"gain": t.gain.plain()} for i, t in self.resource_tiles.items()},
            "influence": {
                i: {
                    "guild": c.guild,
                    "actions": [{"once": a.once, "effect": a.effect.plain()} for a in c.actions],
                }
                for i, c in self.influence.items()
            },
            "workshop_tiles": {i: {"plus": t.plus, "effect": t.effect.plain()} for i, t in self.workshop_tiles.items()},
            "workshop_spaces": [
                {"colour": s.colour, "price": s.price.model_dump(), "ornament": s.ornament}
                for s in self.workshop_spaces
            ],
            "solo": {
                "points": self.solo.points,
                "inventory": self.solo.inventory,
                "die": self.solo.die.model_dump(),
                "level": self.solo.level,
            },
        }

    @property
    def hash(self) -> str:
        """SHA-256 (hex) of the resolved form as JSON with sorted keys and no spaces; names do not enter."""
        text = json.dumps(self.resolved(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    # ids by index, for those who decode what the engine wrote

    def plan_ids(self, players: int) -> tuple[str, ...]:
        """Plans of a player count; index i is plan i of `TABLES`. 1 (solo) has those for 2."""
        return tuple(i for i, p in self.plans.items() if p.players == max(players, 2))

    @property
    def section_ids(self) -> tuple[str, ...]:
        """Section cards: bases, then middles, then domes; index = card of `TABLES`."""
        return tuple(self.sections)

    @property
    def resource_tile_ids(self) -> tuple[str, ...]:
        """The eight resource tiles; index = row of `TABLES.tile_gain`."""
        return tuple(self.resource_tiles)

    @property
    def tile_ids(self) -> tuple[str, ...]:
        """All workshop tiles, plus ones too; index = what `TABLES.tile_id` holds."""
        return tuple(self.workshop_tiles)

    def influence_ids(self, guild: str) -> tuple[str, ...]:
        """Influence cards of a guild; index = column of `TABLES.guild_effect`."""
        return tuple(i for i, c in self.influence.items() if c.guild == guild)


def _order(item: tuple[str, Any], field: str, names: tuple[str, ...]) -> tuple[int, tuple[tuple[int, str], ...]]:
    name, value = item
    rank = 0
    if field:
        found = value.get(field) if isinstance(value, dict) else getattr(value, field, None)
        if names:
            rank = names.index(found) if found in names else len(names)
        elif type(found) is int:
            rank = found
    return rank, natural(name)
