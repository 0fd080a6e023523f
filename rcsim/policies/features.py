"""The features that the planner's evaluation adds up, each declared once. No Numba here: the command line reads it.

The evaluation of a position for a seat is its prestige on the track plus the sum of weight times feature. A weight is
the worth of one unit of its feature in prestige. It has two values, one for the opening and one for the end; between
them it changes in step with the game's progress (a tapered evaluation, as chess programs have it).
"""

from typing import NamedTuple


class Feature(NamedTuple):
    """A feature: its name in weight files, and what one unit of it is. Its position is its code."""

    name: str
    doc: str


FEATURES = (
    # rivals on the track, and the end
    Feature("track_rivals", "prestige of all rivals on the track together"),
    Feature("end_lead", "lead over the best rival in prestige, track and towers, once the seat has ended the game"),
    # towers
    Feature("towers_own", "prestige that the towers would give the seat now"),
    Feature("towers_rivals", "what they would give all rivals together"),
    Feature("ahead_own", "prestige that the towers would give the seat if all claimed sections were finished"),
    Feature("ahead_rivals", "what they would then give all rivals together"),
    # own sections
    Feature("claimed", "sections claimed so far, finished ones included"),
    Feature("finished", "sections finished so far"),
    Feature("overtime", "sections claimed and finished, counted in both, for each round beyond the fortieth"),
    Feature("reward", "recognition that sections under way will give"),
    Feature("reward_rubles", "rubles that sections under way will give"),
    Feature("lacking_common", "wood, brick and stone that sections under way need and the inventory lacks"),
    Feature("lacking_rare", "gold and gems that they need and the inventory lacks"),
    Feature("undelivered", "materials of the inventory that sections under way need"),
    Feature("crowded", "sections under way beyond the second"),
    # inventory and money
    Feature("spare_common", "wood, brick and stone that no section under way needs"),
    Feature("spare_rare", "gold and gems that none needs"),
    Feature("slot_1", "1 if a slot is free"),
    Feature("slot_2", "1 if two slots are free"),
    Feature("slots_more", "free slots beyond the second"),
    Feature("rubles_1_3", "the first three rubles"),
    Feature("rubles_4_6", "the next three"),
    Feature("rubles_more", "rubles beyond the sixth"),
    # workshop and ornaments
    Feature("tiles_often", "worth of a use of the face-up tiles that white dice or dice of the own colour use"),
    Feature("tiles_seldom", "worth of a use of the other face-up tiles"),
    Feature("spaces_often", "empty workshop spaces that white dice or dice of the own colour use"),
    Feature("spaces_unlock", "empty workshop spaces that unlock an ornament"),
    Feature("unlocked", "own ornaments left that are not locked"),
    Feature("placed", "own ornaments placed"),
    Feature("ornaments_open", "ornaments left for which a finished section stands bare"),
    Feature("ornaments_ready", "kinds of these whose base material is in the inventory to spare"),
    Feature("gems_open", "spare gems of each colour, as far as those ornaments could take them"),
    # penalties
    Feature("risk", "recognition that rivals' claims above own unfinished sections threaten"),
    Feature("threat", "recognition that own claims above rivals' unfinished sections threaten"),
    Feature("open_above", "unclaimed sections above own unfinished ones"),
    # the market
    Feature("left_next", "the most dice that the next player can have on one resource tile"),
)

# Worth of one use of a workshop tile, for `tiles_often` and `tiles_seldom`: in prestige, by what its effect holds.
TILE_UNITS = (
    Feature("tile_common", "a given wood, brick or stone"),
    Feature("tile_rare", "a given gold or gem"),
    Feature("tile_any", "a material of choice"),
    Feature("tile_yield", "the yield of a market space"),
    Feature("tile_rubles", "a ruble"),
    Feature("tile_recognition", "a recognition"),
)
WEIGHTS = FEATURES + TILE_UNITS
WEIGHT_NAMES = tuple(f.name for f in WEIGHTS)
THOUSANDTHS = 1000  # weights are kept in thousandths of a prestige


def weight(name: str) -> int:
    """Position of a weight; ValueError if there is none of that name."""
    return WEIGHT_NAMES.index(name)
