"""What the parts of a ruleset break together: contradictions and limits.

Each check names the groups it needs and is skipped while one of them is broken by itself, so that a mistake is
reported once and does not hide another elsewhere.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rcsim.names import GUILDS, MARKET_SPACES, MATERIALS, PLAYER_COLOURS, SECTION_KINDS, WORKSHOP_SPACES
from rcsim.rules.errors import Problem
from rcsim.rules.schema import (
    InfluenceCard,
    Materials,
    Options,
    Plan,
    ResourceTile,
    Ruleset,
    Section,
    Solo,
    Start,
    Track,
    WorkshopSpace,
    WorkshopTile,
)
from rcsim.rules.tables import MAX_CARDS, MAX_GUILD_CARDS, MAX_PLANS, MAX_TILES

PLAYER_COUNTS = (2, 3, 4)
ORNAMENT_NUMBERS = {"door": 1, "arch": 2, "cross": 1}


@dataclass(slots=True)
class Parts:
    """The groups of a ruleset; None where one is missing or broken by itself."""

    track: Track | None = None
    options: Options | None = None
    supply: Materials | None = None
    start: Start | None = None
    plans: dict[str, Plan] | None = None
    sections: dict[str, Section] | None = None
    resource_tiles: dict[str, ResourceTile] | None = None
    influence: dict[str, InfluenceCard] | None = None
    workshop_tiles: dict[str, WorkshopTile] | None = None
    workshop_spaces: tuple[WorkshopSpace, ...] | None = None
    solo: Solo | None = None


def contradictions(parts: Parts | Ruleset) -> list[Problem]:
    """Every contradiction between values that are each right by themselves; empty if there is none."""
    return [problem for check in CHECKS for problem in check(parts)]


def _banners(parts: Parts | Ruleset) -> Iterator[Problem]:
    if (options := parts.options) is None:
        return
    if options.end_sections > options.banners:
        yield Problem(
            "options.end_sections",
            str(options.end_sections),
            f"should be at most options.banners ({options.banners}): a section takes a banner",
        )
    if options.slots_covered > options.banners:
        yield Problem(
            "options.slots_covered",
            str(options.slots_covered),
            f"should be at most options.banners ({options.banners}): a banner covers one slot",
        )


def _track(parts: Parts | Ruleset) -> Iterator[Problem]:
    if parts.track is not None and parts.track.start > parts.track.lap:
        yield Problem("track.start", str(parts.track.start), f"should be at most track.lap ({parts.track.lap})")


def _plans(parts: Parts | Ruleset) -> Iterator[Problem]:
    if parts.plans is None:
        return
    counts = Counter(plan.players for plan in parts.plans.values())
    for players in PLAYER_COUNTS:
        if not counts[players]:
            yield Problem("plans", "", f"should have at least one plan for {players} players")
        if counts[players] > MAX_PLANS:
            yield Problem("plans", f"{counts[players]} for {players} players", f"should be at most {MAX_PLANS}")
    if parts.sections is not None:
        kinds: Counter[str] = Counter(section.kind for section in parts.sections.values())
        for name, plan in parts.plans.items():
            towers = len(plan.towers)
            needs = {"base": towers, "middle": sum(plan.towers) - 2 * towers, "dome": towers}
            for kind in SECTION_KINDS:
                if needs[kind] > kinds[kind]:
                    yield Problem(
                        f"plans.{name}",
                        f"{needs[kind]} {kind} cards needed",
                        f"there are only {kinds[kind]} in sections",
                    )
    if parts.workshop_tiles is not None:
        everyone = len(parts.workshop_tiles)
        plain = sum(not tile.plus for tile in parts.workshop_tiles.values())
        for name, plan in parts.plans.items():
            tiles, which = (plain, " without plus") if plan.players < 3 else (everyone, "")
            if sum(plan.towers) > tiles:
                yield Problem(
                    f"plans.{name}",
                    f"{sum(plan.towers)} sections",
                    f"needs a workshop tile for each; there are only {tiles}{which} in workshop_tiles",
                )


def _sections(parts: Parts | Ruleset) -> Iterator[Problem]:
    if parts.sections is None:
        return
    if len(parts.sections) > MAX_CARDS:
        yield Problem("sections", f"{len(parts.sections)} cards", f"should be at most {MAX_CARDS}")
    if parts.supply is not None:
        for name, section in parts.sections.items():
            for material in MATERIALS:
                if section.cost.amount(material) > parts.supply.amount(material):
                    yield Problem(
                        f"sections.{name}.cost.{material}",
                        str(section.cost.amount(material)),
                        f"should be at most supply.{material} ({parts.supply.amount(material)})",
                    )


def _market(parts: Parts | Ruleset) -> Iterator[Problem]:
    if (tiles := parts.resource_tiles) is None:
        return
    if len(tiles) != MARKET_SPACES:
        yield Problem("resource_tiles", f"{len(tiles)} tiles", f"should be exactly {MARKET_SPACES}")
    crosses = [name for name, tile in tiles.items() if tile.gain.recognition]
    if len(crosses) != 1:
        yield Problem(
            "resource_tiles",
            f"recognition on {', '.join(crosses) or 'no tile'}",
            "exactly one tile should yield recognition: the first die starts there",
        )


def _influence(parts: Parts | Ruleset) -> Iterator[Problem]:
    if parts.influence is None:
        return
    counts: Counter[str] = Counter(card.guild for card in parts.influence.values())
    for guild in GUILDS:
        if not 1 <= counts[guild] <= MAX_GUILD_CARDS:
            yield Problem(
                "influence", f"{counts[guild]} cards of the {guild}", f"should be 1..{MAX_GUILD_CARDS} in each guild"
            )


def _tiles(parts: Parts | Ruleset) -> Iterator[Problem]:
    if parts.workshop_tiles is not None and len(parts.workshop_tiles) > MAX_TILES:
        yield Problem("workshop_tiles", f"{len(parts.workshop_tiles)} tiles", f"should be at most {MAX_TILES}")


def _spaces(parts: Parts | Ruleset) -> Iterator[Problem]:
    if (spaces := parts.workshop_spaces) is None:
        return
    colours = Counter(space.colour for space in spaces)
    wanted = Counter({**dict.fromkeys(PLAYER_COLOURS, 1), "white": WORKSHOP_SPACES - len(PLAYER_COLOURS)})
    if colours != wanted:
        yield Problem(
            "workshop_spaces",
            ", ".join(space.colour for space in spaces) or "none",
            f"should be {WORKSHOP_SPACES}: one of each player colour ({', '.join(PLAYER_COLOURS)}) and two white",
        )
    ornaments = Counter(space.ornament for space in spaces if space.ornament)
    if ornaments != Counter(ORNAMENT_NUMBERS):
        yield Problem(
            "workshop_spaces",
            f"ornaments {', '.join(ornaments.elements()) or 'none'}",
            "should unlock one door, two arches and one cross",
        )


CHECKS: tuple[Callable[[Parts | Ruleset], Iterator[Problem]], ...] = (
    _banners,
    _track,
    _plans,
    _sections,
    _market,
    _influence,
    _tiles,
    _spaces,
)
