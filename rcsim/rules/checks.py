"""What the parts of a ruleset break together: contradictions and limits.

A value that is broken by itself has been told already. A check that asks for one ends there, so that a mistake is
reported once and hides none elsewhere, not even beside it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, cast

from rcsim.names import GUILDS, MARKET_SPACES, MATERIALS, PLAYER_COLOURS, SECTION_KINDS, WORKSHOP_SPACES
from rcsim.rules.errors import Problem
from rcsim.rules.schema import Ruleset
from rcsim.rules.tables import MAX_CARDS, MAX_GUILD_CARDS, MAX_PLANS, MAX_TILES

PLAYER_COUNTS = (2, 3, 4)
ORNAMENT_NUMBERS = {"door": 1, "arch": 2, "cross": 1}


class Unknown(Exception):
    """A value was asked for that is missing or broken by itself."""


class Sound:
    """What is sound of something broken: the values that are right by themselves, as attributes."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise Unknown(name) from None


def contradictions(ruleset: Ruleset | Sound) -> list[Problem]:
    """Every contradiction between values that are each right by themselves; empty if there is none."""
    problems = []
    for check in CHECKS:
        with suppress(Unknown):
            for problem in check(cast(Ruleset, ruleset)):
                problems.append(problem)  # one by one: those found before the check ends are kept
    return problems


def _end_sections(ruleset: Ruleset) -> Iterator[Problem]:
    options = ruleset.options
    if options.end_sections > options.banners:
        yield Problem(
            "options.end_sections",
            str(options.end_sections),
            f"should be at most options.banners ({options.banners}): a section takes a banner",
        )


def _slots_covered(ruleset: Ruleset) -> Iterator[Problem]:
    options = ruleset.options
    if options.slots_covered > options.banners:
        yield Problem(
            "options.slots_covered",
            str(options.slots_covered),
            f"should be at most options.banners ({options.banners}): a banner covers one slot",
        )


def _track(ruleset: Ruleset) -> Iterator[Problem]:
    if ruleset.track.start > ruleset.track.lap:
        yield Problem("track.start", str(ruleset.track.start), f"should be at most track.lap ({ruleset.track.lap})")


def _plan_numbers(ruleset: Ruleset) -> Iterator[Problem]:
    counts = Counter(plan.players for plan in ruleset.plans.values())
    for players in PLAYER_COUNTS:
        if not counts[players]:
            yield Problem("plans", "", f"should have at least one plan for {players} players")
        if counts[players] > MAX_PLANS:
            yield Problem("plans", f"{counts[players]} for {players} players", f"should be at most {MAX_PLANS}")


def _plan_sections(ruleset: Ruleset) -> Iterator[Problem]:
    kinds: Counter[str] = Counter(section.kind for section in ruleset.sections.values())
    for name, plan in ruleset.plans.items():
        with suppress(Unknown):
            towers = len(plan.towers)
            needs = {"base": towers, "middle": sum(plan.towers) - 2 * towers, "dome": towers}
            for kind in SECTION_KINDS:
                if needs[kind] > kinds[kind]:
                    yield Problem(
                        f"plans.{name}",
                        f"{needs[kind]} {kind} cards needed",
                        f"there are only {kinds[kind]} in sections",
                    )


def _plan_tiles(ruleset: Ruleset) -> Iterator[Problem]:
    everyone = len(ruleset.workshop_tiles)
    plain = sum(not tile.plus for tile in ruleset.workshop_tiles.values())
    for name, plan in ruleset.plans.items():
        with suppress(Unknown):
            tiles, which = (plain, " without plus") if plan.players < 3 else (everyone, "")
            if sum(plan.towers) > tiles:
                yield Problem(
                    f"plans.{name}",
                    f"{sum(plan.towers)} sections",
                    f"needs a workshop tile for each; there are only {tiles}{which} in workshop_tiles",
                )


def _cards(ruleset: Ruleset) -> Iterator[Problem]:
    if len(ruleset.sections) > MAX_CARDS:
        yield Problem("sections", f"{len(ruleset.sections)} cards", f"should be at most {MAX_CARDS}")


def _costs(ruleset: Ruleset) -> Iterator[Problem]:
    for name, section in ruleset.sections.items():
        for material in MATERIALS:
            with suppress(Unknown):
                cost, supply = section.cost.amount(material), getattr(ruleset.supply, material)
                if cost > supply:
                    yield Problem(
                        f"sections.{name}.cost.{material}",
                        str(cost),
                        f"should be at most supply.{material} ({supply})",
                    )


def _market(ruleset: Ruleset) -> Iterator[Problem]:
    tiles = ruleset.resource_tiles
    if len(tiles) != MARKET_SPACES:
        yield Problem("resource_tiles", f"{len(tiles)} tiles", f"should be exactly {MARKET_SPACES}")
    crosses = [name for name, tile in tiles.items() if tile.gain.recognition]
    if len(crosses) != 1:
        yield Problem(
            "resource_tiles",
            f"recognition on {', '.join(crosses) or 'no tile'}",
            "exactly one tile should yield recognition: the first die starts there",
        )


def _influence(ruleset: Ruleset) -> Iterator[Problem]:
    counts: Counter[str] = Counter(card.guild for card in ruleset.influence.values())
    for guild in GUILDS:
        if not 1 <= counts[guild] <= MAX_GUILD_CARDS:
            yield Problem(
                "influence", f"{counts[guild]} cards of the {guild}", f"should be 1..{MAX_GUILD_CARDS} in each guild"
            )


def _tiles(ruleset: Ruleset) -> Iterator[Problem]:
    if len(ruleset.workshop_tiles) > MAX_TILES:
        yield Problem("workshop_tiles", f"{len(ruleset.workshop_tiles)} tiles", f"should be at most {MAX_TILES}")


def _space_colours(ruleset: Ruleset) -> Iterator[Problem]:
    spaces = ruleset.workshop_spaces
    colours = Counter(space.colour for space in spaces)
    wanted = Counter({**dict.fromkeys(PLAYER_COLOURS, 1), "white": WORKSHOP_SPACES - len(PLAYER_COLOURS)})
    if colours != wanted:
        yield Problem(
            "workshop_spaces",
            ", ".join(space.colour for space in spaces) or "none",
            f"should be {WORKSHOP_SPACES}: one of each player colour ({', '.join(PLAYER_COLOURS)}) and two white",
        )


def _space_ornaments(ruleset: Ruleset) -> Iterator[Problem]:
    ornaments = Counter(space.ornament for space in ruleset.workshop_spaces if space.ornament)
    if ornaments != Counter(ORNAMENT_NUMBERS):
        yield Problem(
            "workshop_spaces",
            f"ornaments {', '.join(ornaments.elements()) or 'none'}",
            "should unlock one door, two arches and one cross",
        )


CHECKS: tuple[Callable[[Ruleset], Iterator[Problem]], ...] = (
    _end_sections,
    _slots_covered,
    _track,
    _plan_numbers,
    _plan_sections,
    _plan_tiles,
    _cards,
    _costs,
    _market,
    _influence,
    _tiles,
    _space_colours,
    _space_ornaments,
)
