"""The story of a game: every event is told, numbers are in it, nothing is too wide, markup is left alone."""

import io
import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from rcsim.names import COLOURS, MATERIALS, WORKSHOP_SPACES
from rcsim.trace import draw
from rcsim.trace.story import tell

Line = dict[str, Any]

EVENTS = (
    *("sell", "reroll", "claim", "deliver", "complete", "penalty", "adorn", "move", "take", "influence"),
    *("workshop", "roll", "yield", "pay", "gain", "card", "transport", "finish"),
)
WIDTHS = (60, 80, 120)
TRACK = {"start": 14, "lap": 20, "prestige_spaces": [5, 9, 12, 14, 15, 16, 17, 18, 19, 20]}


def hand_ruleset(heights: list[int]) -> Line:
    """A small ruleset with every part of the vocabulary and goods of every kind."""
    sections: Line = {}
    for t, height in enumerate(heights):
        for level in range(height):
            kind = "base" if level == 0 else "dome" if level == height - 1 else "middle"
            cost = {MATERIALS[(t + level) % 6]: 2, MATERIALS[(t + level + 2) % 6]: 1 + level % 2}
            sections[f"{kind}-{t}{level}"] = {"kind": kind, "cost": cost, "recognition": 3 + level, "rubles": t % 3}
    market = ["wood", "brick", "stone", "gold", "gems", "recognition", "rubles", "mixed"]
    gains: list[Line] = [{m: 1} for m in MATERIALS[:4]]
    gains += [
        {"green_gem": 1, "purple_gem": 1},
        {"recognition": 2},
        {"rubles": 2},
        {"wood": 2, "gold": 1, "prestige": 1},
    ]
    effects: list[Line] = [
        {"pay": {"brick": 2}, "gain": {"green_gem": 1}},
        {"pay": {"rubles": 1}, "move": {"die": "any", "steps": 2}, "roll": "any"},
        {"roll": "arrival", "gain": {"rubles": 2}},
        {"yield": {"space": 1}, "gain": {"any": {"n": 1, "of": ["wood", "stone"]}}},
        {"yield": {"space": -1}},
        {"pay": {"recognition": 2, "any": {"n": 2, "of": list(MATERIALS)}}, "activate": "any"},
        {"activate": "red"},
        {"pay": {"prestige": 1}, "deliver": 2},
    ]
    guilds = ("artisans", "carriers", "merchants", "clergy")
    return {
        "track": TRACK,
        "options": {"end_sections": 6, "banners": 6, "slots_open": 6},
        "supply": {m: 12 for m in MATERIALS},
        "rubles": [3, 4, 4, 5],
        "plans": {"hand": {"players": 4, "towers": heights}},
        "sections": sections,
        "resource_tiles": {name: {"gain": gain} for name, gain in zip(market, gains, strict=True)},
        "influence": {
            f"{g}-1": {
                "guild": g,
                "actions": [{"once": True, "effect": effects[2 * i + 1]}, {"once": False, "effect": effects[2 * i]}],
            }
            for i, g in enumerate(guilds)
        },
        "workshop_tiles": {
            f"tile-{i:02}": {
                "plus": False,
                "effect": {"yield": {"die": "red"}} if i % 3 else {"gain": {"recognition": i + 1}},
            }
            for i in range(sum(heights))
        },
        "workshop_spaces": [
            {"colour": c, "price": {"basic": i + 1, "advanced": 3}, "ornament": o}
            for i, (c, o) in enumerate(
                zip((*COLOURS, "white"), ("door", "arch", "arch", "cross", None, None), strict=True)
            )
        ],
        "solo": {"points": 4, "inventory": 4, "die": {}, "level": 0},
    }


class Hand:
    """A trace written by hand: `turn` takes the events of a turn and keeps the state that follows from them."""

    def __init__(self, players: int = 4, heights: tuple[int, ...] = (3, 2, 4, 3), board: str = "basic") -> None:
        self.rules = hand_ruleset(list(heights))
        names = iter(f"tile-{i:02}" for i in range(sum(heights)))
        seats = max(2, players)
        rubles = [3, 4, 4, 5][:seats]
        if players == 1:
            rubles[1] = 0
        kinds = [["base" if v == 0 else "dome" if v == h - 1 else "middle" for v in range(h)] for h in heights]
        self.setup: Line = {
            "type": "setup", "version": 1, "rcsim": "0.1.0", "seed": 1, "game": 0, "players": players,
            "preset": "fr2022", "board": board,
            "policies": ["planner", "random", "greedy", "[red]mad[/red]"][:players],
            "colours": ["red", "green", "blue", "yellow"][:players], "rubles": rubles, "first_seat": 0,
            "plan": "hand", "towers": [[f"{k}-{t}{v}" for v, k in enumerate(ks)] for t, ks in enumerate(kinds)],
            "tiles": [[next(names) for _ in ks] for ks in kinds],
            "market": list(self.rules["resource_tiles"]), "influence": list(self.rules["influence"]),
            "dice": {c: {"space": (5 + i) % 8, "value": i + 1} for i, c in enumerate(COLOURS)},
            "ruleset": self.rules,
        }  # fmt: skip
        self.table = draw.Table(self.setup)
        self.lines: list[Line] = [self.setup]
        self.turns = 0

    def turn(self, seat: int, *events: Line, state: bool = True) -> None:
        """One turn: the events and, behind them, the state."""
        for event in events:
            self.lines.append({"type": "event", "turn": self.turns, "seat": seat, **event})
            self.follow(self.lines[-1])
        if state:
            sections = [{"tower": t, "level": v, **at} for (t, v), at in self.table.sections.items()]
            self.lines.append(
                deepcopy(
                    {"type": "state", "turn": self.turns, "seat": seat, "seats": self.table.seats, "supply": {},
                     "dice": self.table.dice, "sections": sections}
                )
            )  # fmt: skip
        self.turns += 1

    def follow(self, e: Line) -> None:
        """Do what an event says, roughly."""
        kind, table = e["event"], self.table
        at = table.seats[e["seat"]]
        if kind in ("pay", "gain"):
            sign = 1 if kind == "gain" else -1
            if e["what"] == "rubles":
                at["rubles"] += sign * e["n"]
            elif e["what"] in MATERIALS:
                held = at["materials"] if "materials" in at else at["inventory"]
                held[e["what"]] = held.get(e["what"], 0) + sign * e["n"]
            else:
                at["marker"] += sign * e["n"]
        elif kind == "claim":
            at["banners"] -= 1
            table.sections[e["tower"], e["level"]] = {
                "owner": e["seat"],
                "delivered": {},
                "complete": False,
                "ornament": None,
            }
            if e["face"]:
                at["workshop"][e["space"]] = {"tile": self.setup["tiles"][e["tower"]][e["level"]], "face": e["face"]}
        elif kind == "deliver":
            delivered = table.sections[e["tower"], e["level"]]["delivered"]
            delivered[e["material"]] = delivered.get(e["material"], 0) + 1
        elif kind == "complete":
            table.sections[e["tower"], e["level"]].update(complete=True, delivered={})
        elif kind == "adorn":
            table.sections[e["tower"], e["level"]]["ornament"] = {
                "owner": e["seat"],
                "kind": e["ornament"],
                "gems": e["gems"],
            }
            at["ornaments"][e["ornament"]] -= 1
        elif kind == "penalty":
            table.seats[e["owner"]]["marker"] -= e["lost"]
        elif kind == "move":
            table.dice[e["die"]]["space"] = e["to"]
        elif kind == "roll":
            for die, value in e["values"].items():
                table.dice[die] = {"space": e["space"], "value": value}

    def score(self, truncated: bool = False, finisher: int | None = 0) -> None:
        """The last line."""
        seats, towers = len(self.table.seats), len(self.setup["towers"])
        self.lines.append(
            {
                "type": "score", "truncated": truncated, "turns": self.turns, "finisher": finisher,
                "seats": [
                    {"prestige_on_track": 20 + s, "leftovers": s, "towers": [7 - s] * towers,
                     "total": 20 + 2 * s + towers * (7 - s),
                     "sections": 6 - s, "ornaments": s, "rank": s + 1, "win_share": 1.0 if s == 0 else 0}
                    for s in range(seats)
                ],
                "towers": [{"value": 7 + t, "presence": [3, *[0] * (seats - 1)]} for t in range(towers)],
            }
        )  # fmt: skip


def ev(event: str, **keys: Any) -> Line:
    return {"event": event, **keys}


def pay(what: str, n: int, why: str) -> Line:
    return ev("pay", what=what, n=n, why=why)


def gain(what: str, n: int, why: str) -> Line:
    return ev("gain", what=what, n=n, why=why)


def send(tower: int, level: int, material: str, why: str = "build") -> Line:
    return ev("deliver", tower=tower, level=level, material=material, why=why)


def four_players(**keys: Any) -> list[Line]:
    """A few turns of four players with every event that is not Ivan's."""
    hand = Hand(4, **keys)
    hand.turn(
        0,
        ev("claim", tower=0, level=0, space=0, face="up"),
        pay("rubles", 1, "claim"),
        ev("workshop", space=0, tile="tile-00", why="claim"),
        gain("recognition", 1, "workshop"),
    )
    hand.turn(1, ev("claim", tower=0, level=1, space=4, face="down"))
    hand.turn(
        2,
        ev("move", die="blue", **{"from": 6}, to=1, value=2, steps=3, why="acquire"),
        pay("rubles", 1, "move"),
        ev("take", space=1, dice=2, wanted={"brick": 2}),
        gain("brick", 1, "take"),
        ev("influence", quadrant=0, action=1),
        pay("brick", 1, "influence"),
        gain("green_gem", 1, "influence"),
        ev("sell"), pay("prestige", 1, "sell"), gain("rubles", 2, "sell"),
        ev("sell"), pay("prestige", 1, "sell"), gain("rubles", 2, "sell"),
        ev("roll", space=1, values={"blue": 6}, why="acquire"),
        ev("reroll", space=0), pay("prestige", 1, "reroll"), ev("roll", space=0, values={"white": 3}, why="reroll"),
    )  # fmt: skip
    hand.turn(
        3,
        ev("move", die="green", **{"from": 7}, to=3, value=4, steps=4, why="acquire"),
        ev("influence", quadrant=1, action=0),
        pay("rubles", 1, "influence"),
        ev("move", die="red", **{"from": 5}, to=7, value=1, steps=2, why="influence"),
        ev("roll", space=3, values={"green": 5}, why="influence"),
        ev("yield", space=7, why="influence"),
        gain("prestige", 1, "influence"), gain("wood", 2, "influence"), gain("gold", 1, "influence"),
        gain("stone", 1, "influence"),
        ev("workshop", space=3, tile="tile-02", why="influence"),
        ev("yield", space=6, why="workshop"), gain("rubles", 2, "workshop"),
        ev("roll", space=3, values={}, why="acquire"),
    )  # fmt: skip
    hand.turn(
        0,
        send(0, 0, "wood"),
        send(0, 0, "wood"),
        send(0, 0, "stone"),
    )
    hand.turn(
        1,
        send(0, 1, "brick"), send(0, 1, "brick"), send(0, 1, "gold"),
        ev("complete", tower=0, level=1), gain("recognition", 4, "complete"), gain("rubles", 2, "complete"),
        ev("penalty", tower=0, level=0, owner=0, points=2, lost=1),
        ev("finish"), gain("prestige", 3, "finish"),
    )  # fmt: skip
    hand.turn(
        2,
        ev("adorn", tower=0, level=1, ornament="arch", gems=["green_gem", "purple_gem"]), gain("prestige", 3, "adorn"),
    )  # fmt: skip
    hand.score(finisher=1)
    return hand.lines


def solo() -> list[Line]:
    """A game against Ivan."""
    hand = Hand(1, heights=(3, 3, 2))
    hand.turn(0, ev("claim", tower=1, level=0, space=5, face="up"), pay("rubles", 3, "claim"))
    away = ev("move", die="white", **{"from": 1}, to=6, value=5, steps=5, why="ivan")
    roll = ev("roll", space=6, values={"white": 1, "blue": 4}, why="ivan")
    hand.turn(1, ev("card", card="points"), gain("recognition", 4, "card"), away, roll)
    hand.turn(1, ev("card", card="inventory"), gain("wood", 3, "card"), gain("brick", 1, "card"), away, roll)
    hand.turn(1, ev("card", card="transport"), ev("transport", n=4), away, roll)
    claim = ev("claim", tower=1, level=1, space=None, face=None)
    hand.turn(1, ev("card", card="claim"), claim, gain("recognition", 2, "claim"), away, roll)
    hand.turn(
        1,
        ev("card", card="construction"),
        *(send(1, 1, m, "ivan") for m in ("wood", "wood", "wood", "brick")),
        ev("complete", tower=1, level=1),
        gain("recognition", 4, "complete"),
        ev("penalty", tower=1, level=0, owner=0, points=1, lost=0),
        ev("finish"),
        ev("adorn", tower=1, level=1, ornament="arch", gems=[]),
        away,
        roll,
    )
    hand.score(finisher=1)
    return hand.lines


def plain(lines: list[Line], width: int = 80, **keys: Any) -> str:
    return "\n".join(text.plain for text in tell(lines, width, **keys))


def flat(lines: list[Line]) -> str:
    """The story with its line breaks undone."""
    return " ".join(plain(lines, 120).split())


STORIES = {
    "four": four_players,
    "advanced": lambda: four_players(board="advanced"),
    "tall": lambda: four_players(heights=(9, 6, 6, 5, 5, 5)),
    "solo": solo,
}


def test_every_event_is_in_the_hand_made_traces() -> None:
    seen = {line["event"] for make in STORIES.values() for line in make() if line["type"] == "event"}
    assert seen == set(EVENTS)


def test_no_event_is_left_bare() -> None:
    for make in STORIES.values():
        for text in plain(make()).splitlines():
            assert not any(text.strip().startswith(f"{e}:") for e in EVENTS), text


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", STORIES)
def test_no_line_is_wider_than_the_page(name: str, width: int) -> None:
    for text in tell(STORIES[name](), width):
        assert cell_len(text.plain) <= width, text.plain
        assert "\n" not in text.plain


@pytest.mark.parametrize("width", WIDTHS)
def test_printing_changes_nothing(width: int) -> None:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=False, color_system=None)
    for text in tell(four_players(), width):
        console.print(text, soft_wrap=True)
    assert [s.rstrip() for s in out.getvalue().splitlines()] == [
        s.rstrip() for s in plain(four_players(), width).splitlines()
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "seat 0 red, planner, 3 rubles, at 14, goes first",
        "Turn 2 · blue · seat 2, greedy",
        "Claims the base of tower 0 and lays tile-00 face up on the red workshop space (0) for 1 ruble.",
        "Its bonus: +1 recognition.",
        "Claims middle 1 of tower 0 and lays tile-01 face down on the white workshop space (4).",
        "Moves the blue die 3 spaces (2 and 1 more for 1 ruble) from rubles (6) to brick (1); 2 dice there.",
        "Takes 1 brick from brick (1) with 2 dice; 1 brick lost for want of room or supply.",
        "Influences artisans-1, action 1 ∞: pays 1 brick, +1 green gem.",
        "Sells 2 prestige for 4 rubles.",
        "Rolls the dice on brick (1): blue 6.",
        "Pays 1 prestige to reroll the dice on wood (0): white 3.",
        "Influences carriers-1, action 0 ↯: pays 1 ruble.",
        "Moves the red die 2 spaces from recognition (5) to mixed (7); 1 die there.",
        "Receives the yield of mixed (7): +1 prestige, +2 wood, +1 gold. Gains 1 stone.",
        "Uses tile-02 on the yellow space (3): yield of rubles (6), +2 rubles.",
        "No dice to roll on gold (3).",
        "Delivers 2 wood and 1 stone to the base of tower 0.",
        "Completes middle 1 of tower 0: +4 recognition, +2 rubles.",
        "Penalty: red loses 1 recognition (2 asked) for the unfinished section below: the base of tower 0.",
        "Finishes section 6 of 6: the last turns begin; +3 prestige.",
        "Adorns middle 1 of tower 0, built by green, with an arch and 1 green gem and 1 purple gem: +3 prestige.",
        "red wins with 48 prestige.",
        "Over after 7 turns; green finished first.",
    ],
)
def test_sentences(sentence: str) -> None:
    assert sentence in flat(four_players())


@pytest.mark.parametrize(
    "sentence",
    [
        "The Red Cathedral, you against Ivan",
        "seat 1 Ivan, at 14",
        "Draws the points card: +4 recognition.",
        "Draws the inventory card: +3 wood, +1 brick.",
        "Carries 4 materials to the construction card.",
        "Claims middle 1 of tower 1; tile-04 leaves the game: +2 recognition.",
        "Delivers 3 wood and 1 brick to middle 1 of tower 1.",
        "Penalty: red loses nothing (1 asked)",
        "Adorns middle 1 of tower 1 with an arch.",
        "Moves the white die 5 spaces from brick (1) to rubles (6)",
    ],
)
def test_solo_sentences(sentence: str) -> None:
    assert sentence in flat(solo())


def test_cost_still_needed_and_owners_are_drawn() -> None:
    table = draw.Table(four_players()[0])
    table.sections[0, 0] = {"owner": 2, "delivered": {"wood": 1}, "complete": False, "ornament": None}
    table.sections[0, 1] = {
        "owner": 1, "delivered": {}, "complete": True, "ornament": {"owner": 3, "kind": "arch", "gems": ["green_gem"]},
    }  # fmt: skip
    drawn = "\n".join(line.plain for line in draw.cathedral(table, 80))
    assert "⚑ blue" in drawn and "·WS +3" in drawn
    assert "✓ green" in drawn and "∩ yellow ◇" in drawn


def test_prestige_counts_laps() -> None:
    table = draw.Table({"ruleset": {"track": TRACK}})
    assert [table.prestige(m) for m in (0, 4, 5, 19, 20, 24, 25, 40, 45)] == [0, 0, 1, 9, 10, 10, 11, 20, 21]


def test_colour_is_only_decoration() -> None:
    for make in STORIES.values():
        assert plain(make()) == plain(make(), colour=False)
        assert not any(text.spans or str(text.style) for text in tell(make(), colour=False))


def test_markup_is_left_alone() -> None:
    assert "[red]mad[/red]" in plain(four_players())
    out = io.StringIO()
    console = Console(file=out, width=80, color_system=None)
    for text in tell(four_players()):
        console.print(text, soft_wrap=True)
    assert "[red]mad[/red]" in out.getvalue()


def test_told_while_it_is_played() -> None:
    def lines() -> Iterator[Line]:
        for line in four_players():
            if line.get("turn") == 1:
                raise RuntimeError("asked too early")
            yield line

    story = tell(lines())
    for text in story:
        if "Claims the base of tower 0" in text.plain:
            break
    else:
        pytest.fail("the first turn was not told")


def test_lines_are_not_changed() -> None:
    lines = four_players()
    before = json.dumps(lines)
    plain(lines)
    assert json.dumps(lines) == before


def test_rounds_between_drawings() -> None:
    often, never = plain(four_players()), plain(four_players(), rounds=0)
    assert "The table before turn 4" in often
    assert "The table before" not in never and "The cathedral at the end" in never


def test_only_the_market_is_drawn_where_nothing_else_changed() -> None:
    hand = Hand(2)
    for turn in range(6):
        hand.turn(turn % 2, ev("roll", space=0, values={"red": 1 + turn % 6}, why="acquire"))
    parts = plain(hand.lines).split("The table before turn ")
    assert len(parts) == 3
    assert "tower 0" in parts[1] and "5 recognition" in parts[1]
    assert "tower 0" not in parts[2] and "5 recognition" in parts[2]


def test_unknown_and_incomplete_lines_are_told_all_the_same() -> None:
    lines = four_players()
    lines[0] = {k: v for k, v in lines[0].items() if k in ("type", "colours", "rubles")} | {"ruleset": {}}
    lines.insert(3, {"type": "event", "turn": 0, "seat": 0, "event": "thunder", "why": "[bold]god[/bold]"})
    lines.insert(4, {"type": "event", "turn": 0, "seat": 0, "event": "claim"})
    lines.insert(5, {"type": "remark", "text": "x"})
    story = flat(lines)
    assert "thunder: why [bold]god[/bold]" in story and "remark" in story
    for width in WIDTHS:
        assert max(cell_len(t.plain) for t in tell(lines, width)) <= width


def test_truncated_and_shared_wins() -> None:
    lines = four_players()
    lines[-1].update(truncated=True, finisher=None)
    for seat in lines[-1]["seats"][:2]:
        seat.update(rank=1, win_share=0.5, total=40)
    story = flat(lines)
    assert "red and green share the win with 40 prestige." in story and "1/2" in story
    assert "Stopped after 7 turns by the turn cap" in story


@pytest.mark.parametrize("heights", [(12, 12, 12), (6, 6, 6, 6, 6, 6), (1,), (2, 9)])
@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_odd_plans_fit(heights: tuple[int, ...], width: int) -> None:
    hand = Hand(4, heights=heights)
    for card in hand.rules["sections"].values():
        card.update(cost={m: 3 for m in MATERIALS}, recognition=25, rubles=11)
    hand.setup["market"] = [f"a-very-long-tile-name-{i}" for i in range(8)]
    for lines in (draw.board(hand.table, width, detail=True), draw.cathedral(hand.table, width)):
        assert max(cell_len(line.plain) for line in lines) <= width


def test_a_die_of_one_letter_and_value_is_drawn_where_it_lies() -> None:
    table = draw.Table(four_players()[0])
    for die in table.dice.values():
        die.update(space=4, value=6)
    drawn = "\n".join(line.plain for line in draw.market(table, 60))
    for letter in "rbgyw":
        assert f"{letter}6" in drawn


def test_wrap_keeps_every_word() -> None:
    words = "Moves the [red] die 3 spaces, averyveryverylongwordthatfitsnowhere, and so on "
    for width in range(8, 60):
        lines = draw.wrap(Text(words), width, hang=3)
        assert all(cell_len(line.plain) <= width for line in lines)
        assert "".join("".join(line.plain.split()) for line in lines) == "".join(words.split())


def test_effect_words() -> None:
    effect: Line = {"pay": {"brick": 2}, "gain": {"green_gem": 1, "any": {"n": 2, "of": ["wood", "stone", "gold"]}}}
    assert draw.effect_words(effect) == "pay 2 bricks, gain 1 green gem and 2 of wood, stone or gold"
    assert draw.effect_words({"activate": "any", "deliver": 2}) == "deliver up to 2, use any face-up tile"
    assert WORKSHOP_SPACES == 6
