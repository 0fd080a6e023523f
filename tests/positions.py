"""Positions for tests of the engine: a deal is laid out, arranged by hand, and played by atomic actions.

    p = Position(2)
    p.dice(red=(4, 2))
    p.do(A_MOVE, RED, 0)
    assert p.g.arrival == 6

What is arranged keeps to the rules where that is easy: materials come from the supply, banners from the player.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from rcsim.columns import GAME_COLUMNS, game_column, seat_column
from rcsim.engine import state as st
from rcsim.engine.scoring import score
from rcsim.engine.setup import setup
from rcsim.engine.state import new_actions, new_games, new_log, scratch_cards
from rcsim.engine.turn import apply, legal
from rcsim.names import COLOURS, GUILDS, MATERIALS
from rcsim.rules import Ruleset, load
from rcsim.rules.pack import pack

RED, BLUE, GREEN, YELLOW, WHITE = range(5)
FROZEN = Path(__file__).resolve().parent / "frozen.toml"


def unpacked(action: int) -> tuple[int, int, int, int]:
    """Kind and operands of an action, without the engine's help."""
    return action & 63, action >> 6 & 1023, action >> 16 & 255, action >> 24 & 127


@lru_cache(maxsize=200)
def loaded(preset: str | None = None, sets: tuple[str, ...] = ()) -> Ruleset:
    """The base game with frozen data, loaded once for each preset and settings."""
    return load(FROZEN, preset=preset, sets=sets)


_PACKED: dict[Any, tuple[Ruleset, Any]] = {}


def packed(ruleset: Ruleset, **kind: Any) -> Any:
    """The record of `pack`, made once for each ruleset in memory and kind of game."""
    key = id(ruleset), *sorted(kind.items())
    if key not in _PACKED:
        _PACKED[key] = ruleset, pack(ruleset, **kind).view(np.recarray)[0]  # holding the ruleset keeps its id
    return _PACKED[key][1]


class Position:
    """A game in progress: `g` its record, `t` its tables. Arrange it, then `do` actions."""

    def __init__(
        self,
        players: int = 2,
        *,
        ruleset: Ruleset | None = None,
        preset: str | None = None,
        sets: Sequence[str] = (),
        seed: int = 1,
        deal: int = 0,
        **kind: Any,
    ) -> None:
        self.ruleset = ruleset or loaded(preset, tuple(sets))
        kind.setdefault("colours", COLOURS[:players])  # seat 0 red, seat 1 blue, ...
        self.t: Any = packed(self.ruleset, players=players, **kind)
        self.games = new_games(1)
        self.g: Any = self.games[0]
        self.acts, self.log = new_actions(), new_log(on=True)
        setup(self.g, self.t, np.uint64(seed), np.int64(deal), scratch_cards())

    # --- playing

    def legal(self) -> set[tuple[int, int, int, int]]:
        """The legal actions, unpacked."""
        legal(self.g, self.t, self.acts)
        actions = {unpacked(a) for a in self.acts.a[: self.acts.n].tolist()}
        assert len(actions) == self.acts.n
        return actions

    def kinds(self) -> set[int]:
        """The kinds of action that are legal."""
        return {kind for kind, *_ in self.legal()}

    def options(self, kind: int) -> set[int]:
        """First operands of the legal actions of a kind."""
        return {a for k, a, _, _ in self.legal() if k == kind}

    def can(self, kind: int, a: int = 0, b: int = 0, c: int = 0) -> bool:
        """Whether an action is legal."""
        return (kind, a, b, c) in self.legal()

    def do(self, kind: int, a: int = 0, b: int = 0, c: int = 0) -> list[tuple[int, ...]]:
        """Carry out a legal action; its events (kind, seat, six operands)."""
        assert self.can(kind, a, b, c), f"{(kind, a, b, c)} is not legal: {sorted(self.legal())}"
        self.log.n = 0
        apply(self.g, self.t, self.log, np.int64(kind | a << 6 | b << 16 | c << 24))
        return [tuple(row[:8]) for row in self.log.row[: self.log.n].tolist()]

    def end(self) -> None:
        """End the turn."""
        self.do(st.A_END)

    def pass_turn(self) -> None:
        """A turn of the seat to move that changes little: it moves a die, rolls, ends."""
        moves = sorted(a for a in self.legal() if a[0] == st.A_MOVE)
        self.do(*moves[0])
        self.do(st.A_ROLL)
        self.end()

    def score(self) -> dict[str, int]:
        """The game's row; the ledger is complete after this."""
        row = np.zeros(len(GAME_COLUMNS), np.int32)
        score(self.g, self.t, row)
        return {c.name: int(row[game_column(c.name)]) for c in GAME_COLUMNS}

    def told(self, seat: int, column: str) -> int:
        """A ledger entry."""
        return int(self.g.ledger[seat, seat_column(column)])

    # --- arranging

    def give(self, seat: int, **materials: int) -> None:
        """Materials from the supply into an inventory, which has room for them."""
        for name, n in materials.items():
            m = MATERIALS.index(name)
            self.g.inv[seat, m] += n
            self.g.held[seat] += n
            self.g.supply[m] -= n
            assert self.g.supply[m] >= 0
        assert self.g.held[seat] <= self.g.slots[seat]

    def section(self, tower: int, level: int) -> int:
        """Number of a section."""
        assert 0 <= level < self.g.height[tower]
        return int(self.g.first[tower]) + level

    def claim(self, tower: int, seat: int) -> int:
        """A banner of a seat on the next section of a tower; the section."""
        g = self.g
        s = self.section(tower, int(g.claimed[tower]))
        if g.slots[seat] - self.t.slots_open < self.t.slots_covered:
            g.slots[seat] += 1
        g.banners[seat] -= 1
        g.claimed[tower] += 1
        g.owner[s] = seat
        g.under_way[seat, g.unfinished[seat]] = s
        g.unfinished[seat] += 1
        return s

    def built(self, tower: int, seat: int) -> int:
        """Like `claim`, but the section is finished; no rewards."""
        s = self.claim(tower, seat)
        g = self.g
        g.missing[s], g.left[s], g.done[s] = 0, 0, 1
        g.unfinished[seat] -= 1
        g.bare[g.kind[s]] |= 1 << s
        g.value[tower] += 2
        g.presence[tower, seat] += 1
        g.finished[seat] += 1
        return s

    def decorate(self, s: int, seat: int, gems: int = 0) -> None:
        """An ornament of a seat on a finished section; no rewards."""
        self.g.ornament[s], self.g.gems[s] = seat, gems
        self.g.ornaments[seat, self.g.kind[s]] -= 1
        self.g.bare[self.g.kind[s]] &= ~(1 << s)
        self.g.placed[seat] += 1
        self.g.value[self.g.tower_of[s]] += 1
        self.g.presence[self.g.tower_of[s], seat] += 1

    def needs(self, s: int, **materials: int) -> int:
        """Let a section need just these materials, whatever its card says; the section."""
        self.g.left[s] = [materials.get(m, 0) for m in MATERIALS]
        self.g.missing[s] = sum(materials.values())
        return s

    def card(self, s: int, name: str) -> None:
        """Exchange the card of an unclaimed section for that of the given name."""
        card = self.ruleset.section_ids.index(name)
        self.g.card[s] = card
        self.g.left[s] = self.t.card_cost[card]
        self.g.missing[s] = self.t.card_total[card]

    def dice(self, **dice: tuple[int, int]) -> None:
        """Put dice on spaces with values: `red=(space, value)`; the others lie where they lay."""
        for name, (space, value) in dice.items():
            die = COLOURS.index(name)
            self.g.die_space[die], self.g.die_value[die] = space, value
        self.g.dice_in[:] = np.bincount(self.g.die_space, minlength=8)

    def market(self, space: int, name: str) -> None:
        """Exchange resource tiles so that the one of the given name lies on a space."""
        tile = self.ruleset.resource_tile_ids.index(name)
        other = self.g.market.tolist().index(tile)
        self.g.market[other] = self.g.market[space]
        self.g.market[space] = tile

    def influence(self, quadrant: int, name: str) -> None:
        """Exchange guilds so that an influence card lies on a quadrant."""
        guild = GUILDS.index(self.ruleset.influence[name].guild)
        other = self.g.guild.tolist().index(guild)
        for field in (self.g.guild, self.g.guild_card):
            field[[quadrant, other]] = field[[other, quadrant]]
        self.g.guild_card[quadrant] = self.ruleset.influence_ids(GUILDS[guild]).index(name)

    def tile(self, name: str) -> int:
        """Number of a workshop tile."""
        return self.ruleset.tile_ids.index(name)

    def workshop(self, seat: int, space: int, name: str, up: bool = True) -> None:
        """A workshop tile on a space of a player's board."""
        self.g.space_tile[seat, space], self.g.space_up[seat, space] = self.tile(name), up
