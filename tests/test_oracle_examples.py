"""The oracle against the worked examples of the rules, against one game written by hand, and against wrong traces."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from tests.oracle import sample, solo
from tests.oracle.author import write
from tests.oracle.cathedral import ornament_prestige, points_asked
from tests.oracle.effects import usable, use
from tests.oracle.mutate import mutations
from tests.oracle.options import why_not
from tests.oracle.reader import Reader
from tests.oracle.replay import carry_out, games, replay
from tests.oracle.scoring import place_values, ranks, tower_shares
from tests.oracle.state import Game
from tests.oracle.track import Track
from tests.oracle.vocab import MATERIALS, OracleError

TRACK = Track(2, 80, sample.PRESTIGE_SPACES)

# --- section 3


def test_prestige_spaces_of_a_lap() -> None:
    spaces = [p for p in range(81) if TRACK.is_prestige(p)]
    assert spaces[:2] == [5, 9]
    assert len(spaces) == 40
    assert spaces[-1] == 80


def test_gaining_and_losing_prestige() -> None:
    assert TRACK.ahead(2, 1) == 5
    assert TRACK.ahead(5, 1) == 9
    assert TRACK.ahead(7, 2) == 13
    assert TRACK.behind(7, 1) == 5
    assert TRACK.behind(9, 1) == 5
    assert TRACK.behind(5, 1) is None
    assert TRACK.behind(9, 2) is None
    assert TRACK.behind(4, 0) == 4


def test_worth_of_a_marker() -> None:
    assert [TRACK.prestige(p) for p in (0, 4, 5, 8, 9, 80)] == [0, 0, 1, 1, 2, 40]


def test_laps_repeat_and_are_crossed_freely() -> None:
    assert TRACK.ahead(79, 2) == 85
    assert TRACK.behind(86, 2) == 80
    assert TRACK.prestige(89) == 42


# --- section 6


@pytest.mark.parametrize(
    ("gems", "prestige"),
    [
        ((), 0),
        (("green_gem",), 1),
        (("purple_gem",), 1),
        (("green_gem", "green_gem"), 2),
        (("green_gem", "purple_gem"), 3),
    ],
)
def test_ornaments(gems: tuple[str, ...], prestige: int) -> None:
    assert ornament_prestige([0, 1, 2, 3], gems) == prestige


def _tower(game: Game, *cards: tuple[int, bool] | None) -> list[Any]:
    """Tower 0 with owners and completions, bottom to top."""
    tower = game.tower(0)
    for section, card in zip(tower, cards, strict=False):
        if card is not None:
            section.owner, section.complete = card
    return tower


def _game(players: int = 4, board: str = "basic", **options: Any) -> Game:
    return Game(sample.setup_line(0, players, sample.ruleset(0, **options), board))


RED, BLUE, YELLOW = 0, 1, 2


def test_penalty_red_finishes_above_blue() -> None:
    tower = _tower(_game(), (BLUE, False), (RED, True))
    assert points_asked(tower, 0) == 1


def test_penalty_yellow_finishes_above_two_of_blue() -> None:
    tower = _tower(_game(), (BLUE, False), (RED, True), (BLUE, False), (YELLOW, True))
    assert [points_asked(tower, 0), points_asked(tower, 2)] == [2, 1]


def test_penalty_for_the_finisher_itself() -> None:
    game = _game()
    tower = _tower(game, (BLUE, False), (RED, True), (BLUE, True))
    assert points_asked(tower, 0) == 1
    tower = _tower(game, (BLUE, False), (RED, True), (BLUE, True), (YELLOW, True))
    assert points_asked(tower, 0) == 2


# --- section 8


@pytest.mark.parametrize(
    ("value", "presence", "shares"),
    [
        (8, [2, 0], [8, 0]),
        (6, [2, 1], [6, 2]),
        (8, [3, 1], [8, 2]),
        (5, [1, 2], [1, 5]),
        (5, [2, 2], [0, 0]),
        (5, [0, 0], [0, 0]),
        (11, [3, 2, 1], [11, 5, 2]),
        (11, [3, 3, 1], [8, 8, 2]),
        (11, [2, 2, 2, 1], [6, 6, 6, 1]),
        (11, [4, 3, 2, 1], [11, 5, 2, 1]),
        (11, [4, 0, 2, 0], [11, 0, 5, 0]),
    ],
)
def test_tower_shares(value: int, presence: list[int], shares: list[int]) -> None:
    assert tower_shares(value, presence) == shares


def test_other_tower_shares() -> None:
    assert place_values(11, 4, "flat_third") == [11, 5, 1, 0]
    assert tower_shares(11, [1, 2, 2], "flat_third") == [1, 8, 8]
    assert tower_shares(11, [2, 2], "halving", "as_more") == [8, 8]
    assert tower_shares(11, [2, 1], "flat_third", "as_more") == [11, 5]


def test_ranks() -> None:
    assert ranks([(9, 2, 1), (9, 2, 1), (9, 2, 0), (10, 0, 0)]) == [2, 2, 4, 1]


# --- effects, on scenes


def _scene(effect: dict[str, Any], **materials: int) -> Game:
    """Seat 0 before a market step, with an effect as its only face-up tile (workshop space 0, red) and action 0."""
    game = _game()
    seat = game.seats[0]
    seat.marker, seat.rubles = 20, 5
    for m, n in materials.items():
        seat.materials[m] += n
        game.supply[m] -= n
    game.rules["workshop_tiles"]["tile-39"]["effect"] = effect
    seat.workshop[0] = {"tile": "tile-39", "face": "up"}
    for s, die in enumerate(("red", "blue", "green", "yellow", "white")):
        game.space[die], game.value[die] = s, 1
    game.market[:] = ["recognition", "wood", "brick", "stone", "gold", "green_gem", "purple_gem", "rubles"]
    game.turn.basic, game.turn.die, game.turn.arrival = "acquire", "red", 0
    return game


def _line(event: str, **keys: Any) -> dict[str, Any]:
    keys = {k.rstrip("_"): v for k, v in keys.items()}
    return {"type": "event", "turn": 0, "seat": 0, "event": event, **keys}


def _use(game: Game, effect: dict[str, Any], arrival: int | None, *lines: dict[str, Any]) -> None:
    reader = Reader([{}, *lines])
    use(game, reader, game.seats[0], effect, "workshop", arrival)
    reader.close()


def test_two_bricks_for_a_green_gem() -> None:
    effect = {"pay": {"brick": 2}, "gain": {"green_gem": 1}}
    assert not usable(_scene(effect, brick=1), _scene(effect, brick=1).seats[0], effect, 0)
    game = _scene(effect, brick=3)
    lines = [
        _line("pay", what="brick", n=2, why="workshop"),
        _line("gain", what="green_gem", n=1, why="workshop"),
    ]
    _use(game, effect, 0, *lines)
    assert (game.seats[0].materials["brick"], game.seats[0].materials["green_gem"]) == (1, 1)
    assert game.supply["brick"] == 19


def test_a_price_frees_the_slot_that_the_gain_needs() -> None:
    effect = {"pay": {"brick": 1}, "gain": {"gold": 2}}
    game = _scene(effect, brick=6)
    with pytest.raises(OracleError):
        _use(
            copy.deepcopy(game),
            effect,
            0,
            _line("pay", what="brick", n=1, why="workshop"),
            _line("gain", what="gold", n=2, why="workshop"),
        )
    _use(
        game,
        effect,
        0,
        _line("pay", what="brick", n=1, why="workshop"),
        _line("gain", what="gold", n=1, why="workshop"),
    )


def test_a_chosen_price_must_leave_a_way_to_change_something() -> None:
    """Paying the last wood for a delivery that needs wood is no way (ruling 6)."""
    effect = {"pay": {"any": {"n": 1, "of": ["wood", "stone"]}}, "deliver": 1}
    game = _scene(effect, wood=1, stone=1)
    section = game.sections[0, 0]
    section.owner, section.cost = 0, {"wood": 3}
    deliver = _line("deliver", tower=0, level=0, material="wood", why="workshop")
    with pytest.raises(OracleError):
        _use(copy.deepcopy(game), effect, 0, _line("pay", what="wood", n=1, why="workshop"), deliver)
    _use(game, effect, 0, _line("pay", what="stone", n=1, why="workshop"), deliver)
    assert section.delivered["wood"] == 1


def test_a_gain_takes_as_much_as_fits() -> None:
    effect = {"gain": {"wood": 2, "any": {"n": 1, "of": ["wood", "gold"]}}}
    for taken, right in (
        ({"wood": 2}, True),
        ({"wood": 1, "gold": 1}, True),
        ({"wood": 1}, False),
        ({"gold": 2}, False),
    ):
        game = _scene(effect, stone=4)  # two slots are left
        lines = [_line("gain", what=m, n=n, why="workshop") for m, n in taken.items()]
        if right:
            _use(game, effect, 0, *lines)
        else:
            with pytest.raises(OracleError):
                _use(game, effect, 0, *lines)


def test_a_blocked_move_is_passed_over() -> None:
    effect = {"move": {"die": "red", "steps": 4}, "gain": {"rubles": 1}}
    game = _scene(effect)
    for die in ("blue", "green", "white"):
        game.space[die] = 4
    _use(game, effect, 0, _line("gain", what="rubles", n=1, why="workshop"))
    assert game.space["red"] == 0
    game.space["blue"] = 3
    move = _line("move", die="red", from_=0, to=4, value=1, steps=4, why="workshop")
    _use(game, effect, 0, move, _line("gain", what="rubles", n=1, why="workshop"))
    assert game.space["red"] == 4


def test_a_yield_counts_where_the_moved_die_now_is() -> None:
    effect = {"move": {"die": "any", "steps": 2}, "yield": {"die": "red"}}
    game = _scene(effect)
    _use(
        game,
        effect,
        None,
        _line("move", die="red", from_=0, to=2, value=1, steps=2, why="workshop"),
        _line("yield", space=2, why="workshop"),
        _line("gain", what="wood", n=1, why="workshop"),  # the sample's brick tile brings both
        _line("gain", what="brick", n=1, why="workshop"),
    )


def test_the_neighbours_of_the_arrival_space() -> None:
    effect = {"yield": {"space": -1}}
    game = _scene(effect)
    assert not usable(game, game.seats[0], effect, None)  # no arrival space during a claim
    _use(
        game,
        effect,
        0,
        _line("yield", space=7, why="workshop"),
        _line("gain", what="rubles", n=2, why="workshop"),
    )


def test_deliveries_may_stop_only_after_a_change() -> None:
    for effect, may_stop in (({"deliver": 2}, False), ({"gain": {"rubles": 1}, "deliver": 2}, True)):
        game = _scene(effect, wood=2)
        game.sections[0, 0].owner, game.sections[0, 0].cost = 0, {"wood": 3}
        lines = [_line("gain", what="rubles", n=1, why="workshop")] if may_stop else []
        if may_stop:
            _use(game, effect, 0, *lines)
        else:
            with pytest.raises(OracleError):
                _use(game, effect, 0, *lines)


def test_activating_may_be_declined_only_where_every_tile_has_a_price() -> None:
    effect = {"gain": {"rubles": 1}, "activate": "any"}
    gain = _line("gain", what="rubles", n=1, why="workshop")
    game = _scene({"pay": {"rubles": 1}, "gain": {"wood": 1}})
    _use(game, effect, 0, gain)
    free = _scene({"gain": {"wood": 1}})
    with pytest.raises(OracleError):
        _use(free, effect, 0, gain)
    only = _scene({"pay": {"rubles": 1}, "gain": {"wood": 1}})
    with pytest.raises(OracleError):  # nothing else has changed
        _use(only, {"activate": "red"}, 0)


def test_the_repetition_of_an_action() -> None:
    game = _scene({"gain": {"wood": 1}})
    card = game.rules["influence"][game.influence[0]]
    infinity = {"once": False, "effect": {"pay": {"rubles": 1}, "gain": {"recognition": 1}}}
    card["actions"] = [infinity, copy.deepcopy(infinity)]
    use_lines = [
        _line("influence", quadrant=0, action=0),
        _line("pay", what="rubles", n=1, why="influence"),
        _line("gain", what="recognition", n=1, why="influence"),
    ]
    for _ in range(5):
        assert why_not(game, ("influence", 0)) is None
        carry_out(game, Reader([{}, *use_lines]), ("influence", 0))
    assert why_not(game, ("influence", 0)) is not None  # no rubles left
    game.seats[0].rubles = 9
    assert why_not(game, ("influence", 0)) is None
    assert why_not(game, ("influence", 1)) is not None  # the actions of a card never mix
    game.turn.influence_closed = True
    assert why_not(game, ("influence", 0)) is not None


# --- what may be done when


def test_selling_and_rerolling() -> None:
    game = _game()
    game.seats[0].marker = 5
    assert not {"sell", "reroll"} & {step[0] for step in game.options()}
    game.seats[0].marker = 6
    assert ("sell",) in game.options()
    game.turn.sold = game.turn.sale_closed = True
    assert ("sell",) not in game.options()
    assert len([s for s in game.options() if s[0] == "reroll"]) == 5
    game = _game(optional_actions="one_kind", sell_moments="any")
    game.seats[0].marker = 6
    game.turn.sold = game.turn.sale_closed = True
    assert ("sell",) in game.options()
    assert not [s for s in game.options() if s[0] == "reroll"]


def test_acquiring_is_always_possible() -> None:
    """With a dice limit of 3: two full spaces cannot stop all five dice."""
    rng = random.Random(1)
    game = _game()
    for _ in range(200):
        for die in game.space:
            game.space[die], game.value[die] = rng.randrange(3), rng.randint(1, 6)
        if all(len(game.dice_at(s)) <= 3 for s in range(3)):
            assert any(step[0] == "move" for step in game.options())


def test_further_moves_of_white_and_own_dice_only() -> None:
    game = _game()
    seat = game.seats[0]
    seat.rubles = 20
    for die in game.space:
        steps = [s[2] - game.value[die] for s in game.options() if s[:2] == ("move", die)]
        room = [e for e in range(8) if game.has_room(die, (game.space[die] + game.value[die] + e) % 8)]
        assert sorted(steps) == (room if die in ("white", seat.colour) else [e for e in room if e == 0])


def test_ornaments_are_locked_on_the_advanced_board() -> None:
    for board, able in (("basic", True), ("advanced", False)):
        game = _game(board=board)
        _tower(game, (1, True))
        game.seats[0].materials["wood"] = 1
        assert (("adorn", 0, 0, ()) in game.options()) == able
        game.seats[0].unlocked["door"] = 1
        assert ("adorn", 0, 0, ()) in game.options()


# --- the end and solo


def _ivan(**supply: int) -> Game:
    game = _game(players=1)
    game.supply.update(supply)
    game.turn.seat = 1
    return game


def test_turn_cap() -> None:
    """Nobody can finish with dear sections, so that every seat has its ten turns."""
    rules = sample.ruleset(0, turn_cap=10)
    for section in rules["sections"].values():
        section["cost"] = {"gold": 9}
    lines = write(sample.setup_line(0, 3, rules), 0)
    game = replay(lines)
    assert (game.truncated, game.turns, game.finisher) == (True, 30, None)


def test_everyone_else_has_one_more_turn() -> None:
    for seed in range(8):
        lines = _written(seed)
        finish = next((line for line in lines if line.get("event") == "finish"), None)
        if finish is not None and not lines[-1]["truncated"]:
            seats = len(lines[-1]["seats"])
            assert lines[-1]["turns"] == finish["turn"] + seats
            assert lines[-2]["seat"] == (finish["seat"] - 1) % seats


def test_ivan_takes_what_the_supply_has_most_of() -> None:
    game = _ivan(wood=5, brick=6, stone=5, gold=5, green_gem=1, purple_gem=1)
    lines = [
        {**_line("gain", what=m, n=n, why="card"), "seat": 1} for m, n in (("wood", 1), ("brick", 2), ("stone", 1))
    ]
    reader = Reader([{}, *lines])
    reader.start_turn(0, 1)
    solo._inventory(game, reader, game.seats[1])
    reader.close()
    assert game.seats[1].inventory["brick"] == 2
    assert game.supply["brick"] == 4


def test_ivan_claims_above_yours_then_a_base() -> None:
    game = _ivan()
    assert solo.claim_candidates(game) == [(t, 0) for t in range(4)]
    game.sections[1, 0].owner = 0
    assert solo.claim_candidates(game) == [(1, 1)]
    game.sections[1, 1].owner = 1  # above his own: only after the bases
    assert solo.claim_candidates(game) == [(0, 0), (2, 0), (3, 0)]
    for tower in (0, 2, 3):
        game.sections[tower, 0].owner = 1
    assert solo.claim_candidates(game) == [(0, 1), (1, 2), (2, 1), (3, 1)]
    game.seats[1].banners = 0
    assert solo.claim_candidates(game) == []


def test_ivan_builds_with_any_material_and_adorns() -> None:
    game = _ivan()
    ivan, you = game.seats[1], game.seats[0]
    game.rules["options"]["ornament_prestige"] = [1, 1, 2, 3]
    low, high = game.sections[0, 0], game.sections[0, 1]
    low.owner, high.owner = 0, 1
    high.cost, high.recognition, high.rubles = {"gold": 2}, 2, 5
    ivan.construction.update(wood=1, purple_gem=2)
    at = {"tower": 0, "level": 1}
    lines = [
        _line("deliver", **at, material="wood", why="ivan"),
        _line("deliver", **at, material="purple_gem", why="ivan"),
        _line("complete", **at),
        _line("gain", what="recognition", n=2, why="complete"),
        _line("penalty", tower=0, level=0, owner=0, points=1, lost=1),
        _line("adorn", **at, ornament="arch", gems=[]),
        _line("gain", what="prestige", n=1, why="adorn"),
    ]
    reader = Reader([{}, *({**line, "seat": 1} for line in lines)])
    reader.start_turn(0, 1)
    solo._construction(game, reader, ivan)
    reader.close()
    assert (ivan.marker, ivan.rubles, you.marker) == (5, 0, 1)
    assert ivan.construction["purple_gem"] == 1


def test_ivan_moves_the_next_die_round_if_his_is_blocked() -> None:
    game = _ivan()
    game.space.update(red=4, blue=4, green=4, yellow=3, white=3)
    game.value.update(yellow=1, white=1, red=2)
    assert solo._die(game, "yellow") == "red"
    game.space["blue"] = 5
    assert solo._die(game, "yellow") == "yellow"


# --- a game by hand


def _hand_rules() -> dict[str, Any]:
    rules = sample.ruleset(0, end_sections=2)
    rules["plans"] = {"2h": {"players": 2, "towers": [3, 2]}}
    rules["sections"] = {
        "base-a": {"kind": "base", "cost": {"wood": 1}, "recognition": 3, "rubles": 1},
        "middle-a": {"kind": "middle", "cost": {"wood": 1}, "recognition": 4, "rubles": 0},
        "dome-a": {"kind": "dome", "cost": {"gold": 1}, "recognition": 3, "rubles": 0},
        "base-b": {"kind": "base", "cost": {"wood": 2}, "recognition": 2, "rubles": 3},
        "dome-b": {"kind": "dome", "cost": {"gold": 1}, "recognition": 3, "rubles": 0},
    }
    effects = [
        {"pay": {"rubles": 1}, "gain": {"prestige": 1}},
        {"gain": {"wood": 1}},
        {"gain": {"wood": 1}},
        {"gain": {"recognition": 2}},
        {"gain": {"wood": 1}},
    ]
    rules["workshop_tiles"] = {f"t{i}": {"plus": False, "effect": effect} for i, effect in enumerate(effects)}
    once = {"once": True, "effect": {"gain": {"prestige": 1}}}
    bricks = {"once": False, "effect": {"pay": {"brick": 2}, "gain": {"green_gem": 1}}}
    rules["influence"] = {
        guild: {"guild": guild, "actions": [once, bricks]} for guild in ("artisans", "carriers", "merchants", "clergy")
    }
    return rules


class Hand:
    """Writes lines down; keeps nothing but the table as the writer of the game says it is."""

    def __init__(self) -> None:
        rules = _hand_rules()
        self.turn, self.seat = 0, 0
        self.table: dict[str, Any] = {
            "seats": [
                {
                    "marker": 2,
                    "rubles": rubles,
                    "materials": {},
                    "slots": 6,
                    "banners": 6,
                    "workshop": [None] * 6,
                    "ornaments": {"door": 1, "arch": 2, "cross": 1},
                }
                for rubles in (3, 4)
            ],
            "supply": dict(zip(MATERIALS, (20, 20, 20, 15, 10, 10), strict=True)),
            "dice": {
                "red": {"space": 0, "value": 1},
                "blue": {"space": 1, "value": 2},
                "green": {"space": 2, "value": 3},
                "yellow": {"space": 3, "value": 6},
                "white": {"space": 4, "value": 5},
            },
            "sections": [],
        }
        self.lines: list[dict[str, Any]] = [
            {
                "type": "setup",
                "version": 1,
                "rcsim": "0",
                "seed": 1,
                "game": 0,
                "players": 2,
                "preset": "hand",
                "board": "basic",
                "policies": ["hand", "hand"],
                "colours": ["red", "blue"],
                "rubles": [3, 4],
                "first_seat": 0,
                "plan": "2h",
                "towers": [["base-a", "middle-a", "dome-a"], ["base-b", "dome-b"]],
                "tiles": [["t0", "t1", "t2"], ["t3", "t4"]],
                "market": ["recognition", "wood", "brick", "stone", "gold", "green_gem", "purple_gem", "rubles"],
                "influence": ["artisans", "clergy", "carriers", "merchants"],
                "dice": copy.deepcopy(self.table["dice"]),
                "ruleset": rules,
            }
        ]

    def say(self, event: str, **keys: Any) -> None:
        keys = {k.rstrip("_"): v for k, v in keys.items()}
        self.lines.append({"type": "event", "turn": self.turn, "seat": self.seat, "event": event, **keys})

    def end(self) -> None:
        self.lines.append({"type": "state", "turn": self.turn, "seat": self.seat, **copy.deepcopy(self.table)})
        self.turn += 1
        self.seat = 1 - self.seat


def _section(tower: int, level: int, owner: int, **more: Any) -> dict[str, Any]:
    section = {"tower": tower, "level": level, "owner": owner, "delivered": {}, "complete": False, "ornament": None}
    return {**section, **more}


def hand_written() -> list[dict[str, Any]]:
    """Ten turns of two players, each number worked out on paper."""
    h = Hand()
    table = h.table
    you, other = table["seats"]
    # 0: red moves 1 to the wood tile, where blue lies: 2 wood times 2 dice
    h.say("move", die="red", from_=0, to=1, value=1, steps=1, why="acquire")
    h.say("take", space=1, dice=2, wanted={"wood": 4})
    h.say("gain", what="wood", n=4, why="take")
    h.say("roll", space=1, values={"red": 3, "blue": 2}, why="acquire")
    table["dice"]["red"] = {"space": 1, "value": 3}
    you["materials"] = {"wood": 4}
    table["supply"]["wood"] = 16
    h.end()
    # 1: the lower base, its tile face up on the red space (1 ruble), its bonus costs another and gives 1 prestige
    h.say("claim", tower=0, level=0, space=0, face="up")
    h.say("pay", what="rubles", n=1, why="claim")
    h.say("workshop", space=0, tile="t0", why="claim")
    h.say("pay", what="rubles", n=1, why="workshop")
    h.say("gain", what="prestige", n=1, why="workshop")
    other.update(marker=5, rubles=2, slots=7, banners=5)
    other["workshop"][0] = {"tile": "t0", "face": "up"}
    table["sections"] = [_section(0, 0, 1)]
    h.end()
    # 2: the section above it, face down
    h.say("claim", tower=0, level=1, space=3, face="down")
    you.update(slots=7, banners=5)
    you["workshop"][3] = {"tile": "t1", "face": "down"}
    table["sections"].append(_section(0, 1, 0))
    h.end()
    # 3: white moves 5 and 2 further; one stone of four; the clergy; the roll; then a prestige is sold
    h.say("move", die="white", from_=4, to=3, value=5, steps=7, why="acquire")
    h.say("pay", what="rubles", n=2, why="move")
    h.say("take", space=3, dice=2, wanted={"stone": 1})
    h.say("gain", what="stone", n=1, why="take")
    h.say("influence", quadrant=1, action=0)
    h.say("gain", what="prestige", n=1, why="influence")
    h.say("roll", space=3, values={"yellow": 1, "white": 6}, why="acquire")
    h.say("sell")
    h.say("pay", what="prestige", n=1, why="sell")
    h.say("gain", what="rubles", n=2, why="sell")
    other.update(marker=5, rubles=2, materials={"stone": 1})
    table["supply"]["stone"] = 19
    table["dice"]["yellow"] = {"space": 3, "value": 1}
    table["dice"]["white"] = {"space": 3, "value": 6}
    h.end()
    # 4: the middle is finished above the other's unfinished base
    h.say("deliver", tower=0, level=1, material="wood", why="build")
    h.say("complete", tower=0, level=1)
    h.say("gain", what="recognition", n=4, why="complete")
    h.say("penalty", tower=0, level=0, owner=1, points=1, lost=1)
    you.update(marker=6, materials={"wood": 3})
    other["marker"] = 4
    table["supply"]["wood"] = 17
    table["sections"][1]["complete"] = True
    h.end()
    # 5: blue joins two dice
    h.say("move", die="blue", from_=1, to=3, value=2, steps=2, why="acquire")
    h.say("take", space=3, dice=3, wanted={"stone": 2})
    h.say("gain", what="stone", n=2, why="take")
    h.say("roll", space=3, values={"blue": 1, "yellow": 2, "white": 3}, why="acquire")
    other["materials"] = {"stone": 3}
    table["supply"]["stone"] = 17
    table["dice"]["blue"] = {"space": 3, "value": 1}
    table["dice"]["yellow"] = {"space": 3, "value": 2}
    table["dice"]["white"] = {"space": 3, "value": 3}
    h.end()
    # 6: the other base, face up on a space that costs nothing
    h.say("claim", tower=1, level=0, space=4, face="up")
    h.say("workshop", space=4, tile="t3", why="claim")
    h.say("gain", what="recognition", n=2, why="workshop")
    you.update(marker=8, slots=8, banners=4)
    you["workshop"][4] = {"tile": "t3", "face": "up"}
    table["sections"].append(_section(1, 0, 0))
    h.end()
    # 7: green to the green gems
    h.say("move", die="green", from_=2, to=5, value=3, steps=3, why="acquire")
    h.say("take", space=5, dice=1, wanted={"green_gem": 1})
    h.say("gain", what="green_gem", n=1, why="take")
    h.say("roll", space=5, values={"green": 2}, why="acquire")
    other["materials"] = {"stone": 3, "green_gem": 1}
    table["supply"]["green_gem"] = 9
    table["dice"]["green"] = {"space": 5, "value": 2}
    h.end()
    # 8: two deliveries finish the second section and the game: 8 + 2 = 10, then 13, 17, 21; the third is a door
    h.say("deliver", tower=1, level=0, material="wood", why="build")
    h.say("deliver", tower=1, level=0, material="wood", why="build")
    h.say("complete", tower=1, level=0)
    h.say("gain", what="recognition", n=2, why="complete")
    h.say("gain", what="rubles", n=3, why="complete")
    h.say("finish")
    h.say("gain", what="prestige", n=3, why="finish")
    h.say("adorn", tower=1, level=0, ornament="door", gems=[])
    you.update(marker=21, rubles=6, materials={}, ornaments={"arch": 2, "cross": 1})
    table["supply"]["wood"] = 20
    table["sections"][2].update(complete=True, ornament={"owner": 0, "kind": "door", "gems": []})
    h.end()
    # 9: the last turn: an arch with a gem on the opponent's middle
    h.say("adorn", tower=0, level=1, ornament="arch", gems=["green_gem"])
    h.say("gain", what="prestige", n=1, why="adorn")
    other.update(marker=5, materials={"stone": 2}, ornaments={"door": 1, "arch": 1, "cross": 1})
    table["supply"].update(stone=18, green_gem=10)
    table["sections"][1]["ornament"] = {"owner": 1, "kind": "arch", "gems": ["green_gem"]}
    h.end()
    # marker 21 is worth 5; 6 rubles are worth 1; the first tower is a tie, the second all of one player
    mine = {"prestige_on_track": 5, "leftovers": 1, "towers": [0, 3], "total": 9, "sections": 2, "ornaments": 1}
    others = {"prestige_on_track": 1, "leftovers": 0, "towers": [0, 0], "total": 1, "sections": 0, "ornaments": 1}
    h.lines.append(
        {
            "type": "score",
            "truncated": False,
            "turns": 10,
            "finisher": 0,
            "seats": [{**mine, "rank": 1, "win_share": 1.0}, {**others, "rank": 2, "win_share": 0}],
            "towers": [{"value": 3, "presence": [1, 1]}, {"value": 3, "presence": [2, 0]}],
        }
    )
    return h.lines


def test_the_game_by_hand_is_accepted() -> None:
    moments: list[int] = []

    def at_step(game: Game, index: int) -> None:
        moments.append(index)
        assert game.options()

    lines = hand_written()
    game = replay(lines, at_step)
    assert (game.turns, game.finisher, game.truncated) == (10, 0, False)
    assert moments[:5] == [1, 2, 4, 5, 6]


def test_a_stream_of_games_is_split() -> None:
    lines = hand_written()
    assert [len(game) for game in games([*lines, *lines])] == [len(lines)] * 2


@pytest.mark.parametrize(
    ("index", "keys"),
    [
        (3, {"n": 3}),  # a wrong gain
        (6, {"level": 1}),  # the section below is not claimed
        (6, {"space": 3}),  # another price
        (14, {"steps": 8, "to": 4}),  # more rubles than there are
    ],
)
def test_a_wrong_line_by_hand_is_rejected(index: int, keys: dict[str, Any]) -> None:
    lines = hand_written()
    assert set(keys) <= set(lines[index])
    lines[index] = {**lines[index], **keys}
    with pytest.raises(OracleError, match=f"line ({index}|{index + 1}),"):
        replay(lines)


def test_every_mutation_of_the_game_by_hand_is_rejected() -> None:
    n = 0
    for description, lines in mutations(hand_written()):
        n += 1
        try:
            replay(lines)
        except OracleError:
            continue
        raise AssertionError(f"accepted: {description}")
    assert n > 1000


# --- random play on invented rulesets


def _written(seed: int) -> list[dict[str, Any]]:
    options: dict[str, Any] = dict(sample.EN) if seed % 3 == 0 else {}
    rules = sample.ruleset(seed, turn_cap=40, **options)
    if seed % 5 == 0:
        rules["supply"] = dict.fromkeys(MATERIALS, 5)
    players = seed % 4 + 1
    return write(sample.setup_line(seed, players, rules, "advanced" if seed % 2 else "basic"), seed)


@pytest.mark.parametrize("seed", range(8))
def test_written_games_are_accepted_and_their_mutations_rejected(seed: int) -> None:
    lines = _written(seed)
    chosen: list[tuple[Game, int]] = []
    game = replay(lines, lambda game, index: chosen.append((game, index)))
    assert game.turns == lines[-1]["turns"]
    assert chosen
    for description, wrong in mutations(lines, random.Random(seed), 25):
        with pytest.raises(OracleError):
            replay(wrong)
            pytest.fail(f"accepted: {description}")


@pytest.mark.parametrize("seed", [1, 4])
def test_materials_are_conserved(seed: int) -> None:
    lines = _written(seed)
    total = sum(lines[0]["ruleset"]["supply"].values())
    for state in (line for line in lines if line["type"] == "state"):
        held = sum(state["supply"].values()) + sum(sum(s["delivered"].values()) for s in state["sections"])
        for seat in state["seats"]:
            held += sum(sum(seat.get(key, {}).values()) for key in ("materials", "inventory", "construction"))
        assert held == total
