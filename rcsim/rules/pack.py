"""From a ruleset to `TABLES`, the read-only record that the engine plays by."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rcsim.names import (
    BOARDS,
    COLOURS,
    GOODS,
    GUILDS,
    MATERIALS,
    ORNAMENTS,
    PLAYER_COLOURS,
    SECTION_KINDS,
    SOLO_CARDS,
)
from rcsim.rules import tables as T
from rcsim.rules.errors import Problem, RulesetError, shown, unknown
from rcsim.rules.loader import from_resolved
from rcsim.rules.schema import MAX_AMOUNT, Effect, EffectGoods, Ruleset

_VALUES = {
    "tower_shares": {"halving": T.SHARES_HALVING, "flat_third": T.SHARES_FLAT_THIRD},
    "tower_shares_2p": {"third": T.SHARES_2P_THIRD, "as_more": T.SHARES_2P_AS_MORE},
    "optional_actions": {"both": T.OPTIONAL_BOTH, "one_kind": T.OPTIONAL_ONE_KIND},
    "sell_moments": {"one": T.SELL_ONE, "any": T.SELL_ANY},
}
_ROLLS = {None: T.ROLL_NONE, "arrival": T.ROLL_ARRIVAL, "any": T.ROLL_ANY}


def pack(
    ruleset: Ruleset,
    *,
    players: int,
    solo: bool = False,
    board: str = "basic",
    plan: str | None = None,
    colours: Sequence[str] | None = None,
    rubles: Sequence[int] | None = None,
) -> NDArray[np.void]:
    """Pack a ruleset for one kind of game into an array of shape (1,), dtype `TABLES`, read-only.

    `players` are human ones; 1 means solo against Ivan (`solo` may say so again). `plan` fixes the plan, where
    None draws one for each deal; `colours` fixes the colour of each player; `rubles` replaces the starting
    rubles, one number a player (Ivan has none).

    The ruleset is checked once more, since compiled code checks no bounds. Raises `RulesetError` with every
    mistake in the ruleset, or in what is asked of it: a player count out of 1..4, an unknown board, plan or
    colour, the wrong number of colours or rubles, a first seat that is not in play, solo where the ruleset
    describes none.
    """
    source = ruleset.name
    if type(players) is not int or not 1 <= players <= T.MAX_PLAYERS:
        raise RulesetError(source, [Problem("players", shown(players), f"should be 1..{T.MAX_PLAYERS}; 1 is solo")])
    _refuse(source, _mistakes(ruleset, players, solo, board, plan, colours, rubles))
    ruleset = from_resolved(ruleset.resolved(), source)

    solo = players == 1
    seats = 2 if solo else players
    out = np.zeros(1, T.TABLES)
    t: Any = out[0]
    t["players"], t["seats"], t["solo"], t["board"] = players, seats, solo, BOARDS.index(board)
    t["colours"] = -1
    if colours is not None:
        t["colours"][:players] = [PLAYER_COLOURS.index(colour) for colour in colours]
    t["start_rubles"][:players] = ruleset.start.rubles[:players] if rubles is None else list(rubles)
    t["plan"] = -1 if plan is None else ruleset.plan_ids(players).index(plan)
    _pack_options(t, ruleset, solo)
    _pack_track(t, ruleset)
    _pack_cathedral(t, ruleset, players)
    _pack_market(t, ruleset)
    _pack_effects(t, ruleset, players)
    _pack_workshop(t, ruleset, board)
    t["ivan_points"] = ruleset.solo.points + ruleset.solo.level
    t["ivan_inventory"] = ruleset.solo.inventory
    t["ivan_die"] = [COLOURS.index(getattr(ruleset.solo.die, card)) for card in SOLO_CARDS]
    out.setflags(write=False)
    return out


def _refuse(source: str, problems: list[Problem]) -> None:
    if problems:
        raise RulesetError(source, problems)


def _mistakes(
    ruleset: Ruleset,
    players: int,
    solo: bool,
    board: str,
    plan: str | None,
    colours: Sequence[str] | None,
    rubles: Sequence[int] | None,
) -> list[Problem]:
    problems = []
    if solo and players != 1:
        problems.append(Problem("players", str(players), "should be 1 in solo: you against Ivan"))
    if players == 1 and not ruleset.options.solo:
        problems.append(
            Problem("players", "1", f"this ruleset (preset {ruleset.preset}) describes no solo game; use 2..4 players")
        )
    if board not in BOARDS:
        problems.append(unknown("board", board, BOARDS, f'board "{board}"'))
    plans = ruleset.plan_ids(players)
    if plan is not None and plan not in plans:
        problems.append(unknown("plan", plan, plans, f'plan "{plan}" for {max(players, 2)} players'))
    if colours is not None:
        problems += [
            unknown("colours", str(c), PLAYER_COLOURS, f"player colour {shown(c)}")
            for c in colours
            if c not in PLAYER_COLOURS
        ]
        if len(colours) != players:
            problems.append(Problem("colours", f"{len(colours)} colours", f"should be one for each player: {players}"))
        elif len(set(colours)) < players:
            problems.append(Problem("colours", ", ".join(map(str, colours)), "should differ from each other"))
    if rubles is not None:
        if len(rubles) != players:
            problems.append(Problem("rubles", f"{len(rubles)} numbers", f"should be one for each player: {players}"))
        problems += [
            Problem("rubles", shown(n), f"should be whole numbers 0..{MAX_AMOUNT}")
            for n in rubles
            if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 0 <= n <= MAX_AMOUNT
        ]
    if ruleset.options.first_seat >= players:
        wanted = "should be 0: you always start" if players == 1 else f"should be a seat in play, 0..{players - 1}"
        problems.append(Problem("options.first_seat", str(ruleset.options.first_seat), wanted))
    return problems


def _pack_options(t: Any, ruleset: Ruleset, solo: bool) -> None:
    for name, value in ruleset.options.model_dump().items():
        if name != "solo":
            t[name] = _VALUES[name][value] if name in _VALUES else value
    if solo:
        t["finisher_bonus"] = 0


def _pack_track(t: Any, ruleset: Ruleset) -> None:
    track = ruleset.track
    spaces = np.array(track.prestige_spaces)
    t["track_start"], t["lap"], t["lap_prestige"] = track.start, track.lap, len(spaces)
    t["prestige_count"] = np.searchsorted(spaces, np.arange(T.MAX_LAP + 1), side="right")
    t["prestige_position"][1 : len(spaces) + 1] = spaces
    knots = np.concatenate([[0], spaces, [track.lap + spaces[0]]])
    t["prestige_smooth"] = np.interp(np.arange(T.MAX_LAP + 1), knots, 1000 * np.arange(len(knots)))
    t["least_step"] = np.diff(t["prestige_smooth"][: track.lap + 1]).min()
    t["supply"] = ruleset.supply.materials()


def _pack_cathedral(t: Any, ruleset: Ruleset, players: int) -> None:
    plans = ruleset.plan_ids(players)
    t["plans"] = len(plans)
    for i, name in enumerate(plans):
        towers = ruleset.plans[name].towers
        t["plan_towers"][i] = len(towers)
        t["plan_height"][i, : len(towers)] = towers
    kinds = [SECTION_KINDS.index(section.kind) for section in ruleset.sections.values()]
    for kind in range(len(SECTION_KINDS)):
        t["deck_start"][kind] = sum(k < kind for k in kinds)
        t["deck_size"][kind] = kinds.count(kind)
    t["card_kind"][: len(kinds)] = kinds
    for i, section in enumerate(ruleset.sections.values()):
        t["card_cost"][i] = section.cost.materials()
        t["card_total"][i] = sum(section.cost.materials())
        t["card_recognition"][i], t["card_rubles"][i] = section.recognition, section.rubles


def _pack_market(t: Any, ruleset: Ruleset) -> None:
    for i, tile in enumerate(ruleset.resource_tiles.values()):
        gain = [tile.gain.amount(good) for good in GOODS]
        t["tile_gain"][i] = gain
        t["tile_kinds"][i] = sum(n > 0 for n in gain)
        t["tile_gives"][i] = sum(1 << good for good, n in enumerate(gain) if n > 0)
        t["tile_good"][i] = next(good for good, n in enumerate(gain) if n)
        if tile.gain.recognition:
            t["recognition_tile"] = i


def _pack_effects(t: Any, ruleset: Ruleset, players: int) -> None:
    row = 0
    for g, guild in enumerate(GUILDS):
        cards = ruleset.influence_ids(guild)
        t["guild_cards"][g] = len(cards)
        for c, name in enumerate(cards):
            t["guild_effect"][g, c] = row
            for action in ruleset.influence[name].actions:
                t["effects"][row], t["effect_once"][row] = effect_row(action.effect), action.once
                row += 1
    in_play = 0
    for i, tile in enumerate(ruleset.workshop_tiles.values()):
        t["tile_effect"][i] = row
        t["effects"][row], t["effect_once"][row] = effect_row(tile.effect), 1
        row += 1
        if players >= 3 or not tile.plus:
            t["tile_id"][in_play] = i
            in_play += 1
    t["tiles"] = in_play


def effect_row(effect: Effect) -> NDArray[np.int32]:
    """One effect as a row of `TABLES.effects`."""
    row = np.zeros(T.EFFECT_COLUMNS, np.int32)
    if effect.pay and effect.pay.plain():
        row[T.E_HAS_PAY] = 1
        row[T.E_PAYS] = _pack_goods(row, effect.pay, T.E_PAY_RUBLES, T.E_PAY_MATERIALS, T.E_PAY_ANY)
    if effect.move:
        row[T.E_MOVE] = 1
        row[T.E_MOVE_DIE] = _die(effect.move.die)
        row[T.E_MOVE_STEPS] = effect.move.steps
    row[T.E_ROLL] = _ROLLS[effect.roll]
    if effect.yield_ and effect.yield_.die:
        row[T.E_YIELD], row[T.E_YIELD_ARG] = T.YIELD_DIE, _die(effect.yield_.die)
    elif effect.yield_ and effect.yield_.space:
        row[T.E_YIELD], row[T.E_YIELD_ARG] = T.YIELD_SPACE, effect.yield_.space
    if effect.gain:
        row[T.E_GIVES] = _pack_goods(row, effect.gain, T.E_GAIN_RUBLES, T.E_GAIN_MATERIALS, T.E_GAIN_ANY)
    row[T.E_DELIVER] = effect.deliver or 0
    if effect.activate:
        row[T.E_ACTIVATE], row[T.E_ACTIVATE_COLOUR] = 1, _die(effect.activate)
    return row


def _die(name: str) -> int:
    return T.ANY if name == "any" else COLOURS.index(name)


def _pack_goods(row: NDArray[np.int32], goods: EffectGoods, first: int, total: int, choice: int) -> int:
    """Rubles, recognition, prestige and the six materials stand in the order of `GOODS`, the set behind `any`.

    Returns the set of goods that are among them.
    """
    row[first : first + len(GOODS)] = [goods.amount(good) for good in GOODS]
    row[total] = sum(goods.materials())
    if goods.any:
        row[choice] = goods.any.n
        row[choice + 1] = sum(1 << MATERIALS.index(material) for material in goods.any.of)
    among = {good for good in GOODS if goods.amount(good)} | set(goods.any.of if goods.any else ())
    return sum(1 << GOODS.index(good) for good in among)


def _pack_workshop(t: Any, ruleset: Ruleset, board: str) -> None:
    advanced = board == "advanced"
    for i, space in enumerate(ruleset.workshop_spaces):
        t["space_colour"][i] = COLOURS.index(space.colour)
        t["space_price"][i] = space.price.advanced if advanced else space.price.basic
        unlocks = ORNAMENTS.index(space.ornament) if advanced and space.ornament else -1
        t["space_unlocks"][i] = unlocks
        if unlocks >= 0:
            t["ornaments_locked"][unlocks] += 1
