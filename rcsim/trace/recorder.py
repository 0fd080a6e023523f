"""One game, step by step, from the engine's records to lines of the trace format (docs/trace.md)."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rcsim
from rcsim.columns import GAME_COLUMNS, seat_column
from rcsim.engine import events as ev
from rcsim.engine.run import carry_out, driver, list_legal
from rcsim.engine.scoring import score, tower_share
from rcsim.engine.setup import setup
from rcsim.engine.state import ACTIONS, GAME, GEMS, LOG, P_OVER, records, scratch_cards
from rcsim.names import BOARDS, COLOURS, GOODS, GUILDS, MATERIALS, ORNAMENTS, SOLO_CARDS
from rcsim.policies.lineup import Player, resolve, seat_players
from rcsim.policies.mind import MIND
from rcsim.rules.schema import Ruleset

EVENTS = {
    ev.EV_SELL: "sell",
    ev.EV_REROLL: "reroll",
    ev.EV_CLAIM: "claim",
    ev.EV_DELIVER: "deliver",
    ev.EV_COMPLETE: "complete",
    ev.EV_PENALTY: "penalty",
    ev.EV_ADORN: "adorn",
    ev.EV_MOVE: "move",
    ev.EV_TAKE: "take",
    ev.EV_INFLUENCE: "influence",
    ev.EV_WORKSHOP: "workshop",
    ev.EV_ROLL: "roll",
    ev.EV_YIELD: "yield",
    ev.EV_PAY: "pay",
    ev.EV_GAIN: "gain",
    ev.EV_CARD: "card",
    ev.EV_TRANSPORT: "transport",
    ev.EV_FINISH: "finish",
    ev.EV_BUILD: "build",
    ev.EV_ACQUIRE: "acquire",
    ev.EV_IVAN: "ivan",
}


def _amounts(names: Sequence[str], values: Sequence[int]) -> dict[str, int]:
    """A map without zeros."""
    return {name: n for name, n in zip(names, values, strict=True) if n}


class _Plain:
    """The fields of a record as plain numbers and lists, as they are now; each is read once when first asked for.

    Attributes of NumPy records are slow, and a state line asks for hundreds.
    """

    def __init__(self, views: dict[str, NDArray[Any]]) -> None:
        self._views = views

    def __getattr__(self, name: str) -> Any:
        value = self._views[name][0].tolist()
        self.__dict__[name] = value
        return value


class Recorder:
    """A game that is played action by action and writes its lines.

    `setup()` first, then `step(action)` until `over`, then `score()`. Parameters as of `rcsim.trace.trace_game`.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        tables: NDArray[np.void],
        policies: Sequence[str | Player],
        seed: int,
        game: int,
        preset: str | None = None,
    ) -> None:
        self.ruleset = ruleset
        self._tables = tables.view(np.recarray)
        self.t = self._tables[0]
        players = [resolve(player) if isinstance(player, str) else player for player in policies]
        self.policies = [player.spec for player in players]
        self.seed = seed
        self.game = game
        self.preset = preset or ruleset.preset
        self.lineup = seat_players(players, self.t)
        self._ask = driver(self.lineup).ask
        self._games = records(GAME)
        self.g = self._games[0]
        self._views: dict[str, NDArray[Any]] = {name: self._games[name] for name in GAME.names or ()}
        self._acts = records(ACTIONS)
        self._minds = records(MIND)
        self._logs = records(LOG)
        self._logs["on"] = 1
        self.seats = range(int(self.t.seats))
        self.tile_ids = ruleset.tile_ids
        setup(self.g, self.t, np.uint64(seed), np.int64(game), scratch_cards())

    @property
    def now(self) -> Any:
        """The fields of the game as they are now (engine/state.py), plain numbers and lists."""
        return _Plain(self._views)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._views["phase"][0] == P_OVER)

    def legal(self) -> list[int]:
        """The legal actions now."""
        list_legal(self._games, self._tables, self._acts)
        listed: list[int] = self._acts["a"][0, : self._acts["n"][0]].tolist()
        return listed

    def next_action(self) -> int:
        """The action that the line-up takes now."""
        return int(self._ask(self._games, self._tables, self._acts, self._minds, self.lineup))

    def step(self, action: int) -> Iterator[dict[str, Any]]:
        """Carry out an action; the lines that it causes, with the state if it ends the turn."""
        turn, seat = int(self._views["turn"][0]), int(self._views["seat"][0])
        carry_out(self._games, self._tables, self._logs, action)
        for row in self._logs["row"][0, : self._logs["n"][0]].tolist():
            yield {"type": "event", "turn": turn, **self._event(row)}
        if self._views["turn"][0] != turn:
            yield {"type": "state", "turn": turn, "seat": seat, **self._state()}

    def setup(self) -> dict[str, Any]:
        """The first line."""
        g, t, ruleset = self.now, self.t, self.ruleset
        sections, tiles = ruleset.section_ids, self.tile_ids
        towers = [range(f, f + h) for f, h in zip(g.first[: g.towers], g.height[: g.towers], strict=True)]
        return {
            "type": "setup",
            "version": 1,
            "rcsim": rcsim.__version__,
            "seed": self.seed,
            "game": self.game,
            "players": int(t.players),
            "preset": self.preset,
            "board": BOARDS[t.board],
            "policies": self.policies,
            "colours": [COLOURS[g.colour[s]] for s in range(t.players)],
            "rubles": [g.rubles[s] for s in self.seats],
            "first_seat": int(t.first_seat),
            "plan": ruleset.plan_ids(int(t.players))[g.plan],
            "towers": [[sections[g.card[s]] for s in tower] for tower in towers],
            "tiles": [[tiles[g.tile[s]] for s in tower] for tower in towers],
            "market": [ruleset.resource_tile_ids[i] for i in g.market],
            "influence": [
                ruleset.influence_ids(GUILDS[guild])[card] for guild, card in zip(g.guild, g.guild_card, strict=True)
            ],
            "dice": self._dice(g),
            "ruleset": ruleset.resolved(),
        }

    def score(self) -> dict[str, Any]:
        """The last line."""
        g, t = self.g, self.t
        score(g, t, np.zeros(len(GAME_COLUMNS), np.int32))

        def told(seat: int, column: str) -> int:
            return int(g.ledger[seat, seat_column(column)])

        winners = [told(seat, "win_share") for seat in self.seats]
        return {
            "type": "score",
            "truncated": bool(g.truncated),
            "turns": int(g.turn),
            "finisher": int(g.finisher) if g.finisher >= 0 else None,
            "seats": [
                {
                    "prestige_on_track": told(seat, "prestige_on_track"),
                    "leftovers": told(seat, "leftovers"),
                    "towers": [int(tower_share(g, t, tower, seat)) for tower in range(g.towers)],
                    "total": told(seat, "total"),
                    "sections": told(seat, "sections_finished"),
                    "ornaments": int(g.placed[seat]),
                    "rank": told(seat, "rank"),
                    "win_share": 1 / winners[seat] if winners[seat] else 0,
                }
                for seat in self.seats
            ],
            "towers": [
                {
                    "value": int(g.value[tower]),
                    "presence": [int(g.presence[tower, seat]) for seat in self.seats],
                }
                for tower in range(g.towers)
            ],
        }

    def _dice(self, g: _Plain) -> dict[str, dict[str, int]]:
        return {c: {"space": g.die_space[i], "value": g.die_value[i]} for i, c in enumerate(COLOURS)}

    def _event(self, row: list[int]) -> dict[str, Any]:
        """An event from its row (the operands are listed in engine/events.py)."""
        kind, seat, a, b, c, d, e, f = row[:8]
        event: dict[str, Any] = {"seat": seat, "event": EVENTS[kind]}
        if kind == ev.EV_REROLL:
            event |= {"space": a}
        elif kind == ev.EV_CLAIM:
            ivan = c < 0
            event |= {"tower": a, "level": b, "space": None if ivan else c}
            event |= {"face": None if ivan else ("up" if d else "down")}
        elif kind == ev.EV_DELIVER:
            event |= {"tower": a, "level": b, "material": MATERIALS[c], "why": EVENTS[d]}
        elif kind == ev.EV_COMPLETE:
            event |= {"tower": a, "level": b}
        elif kind == ev.EV_PENALTY:
            event |= {"tower": a, "level": b, "owner": c, "points": d, "lost": e}
        elif kind == ev.EV_ADORN:
            event |= {"tower": a, "level": b, "ornament": ORNAMENTS[c], "gems": list(GEMS[d])}
        elif kind == ev.EV_MOVE:
            event |= {"die": COLOURS[a], "from": b, "to": c, "value": d, "steps": e, "why": EVENTS[f]}
        elif kind == ev.EV_TAKE:
            event |= {"space": a, "dice": b, "wanted": _amounts(GOODS, row[4:13])}
        elif kind == ev.EV_INFLUENCE:
            event |= {"quadrant": a, "action": b}
        elif kind == ev.EV_WORKSHOP:
            event |= {"space": a, "tile": self.tile_ids[b], "why": EVENTS[c]}
        elif kind == ev.EV_ROLL:
            event |= {"space": a, "values": _amounts(COLOURS, row[4:9]), "why": EVENTS[b]}
        elif kind == ev.EV_YIELD:
            event |= {"space": a, "why": EVENTS[b]}
        elif kind in (ev.EV_PAY, ev.EV_GAIN):
            event |= {"what": GOODS[a], "n": b, "why": EVENTS[c]}
        elif kind == ev.EV_CARD:
            event |= {"card": SOLO_CARDS[a]}
        elif kind == ev.EV_TRANSPORT:
            event |= {"n": a}
        return event

    def _state(self) -> dict[str, Any]:
        g = self.now
        return {
            "seats": [self._seat(g, seat) for seat in self.seats],
            "supply": _amounts(MATERIALS, g.supply),
            "dice": self._dice(g),
            "sections": [self._section(g, s) for s in range(g.sections) if g.owner[s] >= 0],
        }

    def _seat(self, g: _Plain, seat: int) -> dict[str, Any]:
        ornaments = _amounts(ORNAMENTS, g.ornaments[seat])
        if g.colour[seat] < 0:  # Ivan
            return {
                "marker": g.marker[seat],
                "banners": g.banners[seat],
                "ornaments": ornaments,
                "inventory": _amounts(MATERIALS, g.ivan_inventory),
                "construction": _amounts(MATERIALS, g.ivan_construction),
            }
        return {
            "marker": g.marker[seat],
            "rubles": g.rubles[seat],
            "materials": _amounts(MATERIALS, g.inv[seat]),
            "slots": g.slots[seat],
            "banners": g.banners[seat],
            "workshop": [
                None if tile < 0 else {"tile": self.tile_ids[tile], "face": "up" if up else "down"}
                for tile, up in zip(g.space_tile[seat], g.space_up[seat], strict=True)
            ],
            "ornaments": ornaments,
        }

    def _section(self, g: _Plain, s: int) -> dict[str, Any]:
        owner, tower = g.ornament[s], g.tower_of[s]
        return {
            "tower": tower,
            "level": s - g.first[tower],
            "owner": g.owner[s],
            "delivered": _amounts(MATERIALS, g.laid[s]),
            "complete": bool(g.done[s]),
            "ornament": None
            if owner < 0
            else {"owner": owner, "kind": ORNAMENTS[g.kind[s]], "gems": list(GEMS[g.gems[s]])},
        }
