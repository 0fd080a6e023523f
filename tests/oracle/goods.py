"""Paying and gaining (rulings 1-4), and rolling dice. Every function that tells lines takes the reader as `io`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

from .reader import Reader
from .state import Game, Seat
from .vocab import GOODS, MATERIALS, POINTS

# --- single changes, one line each


def gain(game: Game, io: Reader, seat: Seat, what: str, n: int, why: str) -> None:
    """One `gain` line and its effect; nothing at all for 0."""
    if n == 0:
        return
    io.event("gain", {"what": what, "n": n, "why": why}, seat.index)
    if what == "rubles":
        seat.rubles += n
    elif what == "recognition":
        seat.marker += n
    elif what == "prestige":
        seat.marker = game.track.ahead(seat.marker, n)
    else:
        game.supply[what] -= n
        seat.materials[what] += n


def pay(game: Game, io: Reader, seat: Seat, what: str, n: int, why: str) -> None:
    """One `pay` line and its effect; the caller has made sure that it can be paid."""
    if n == 0:
        return
    io.event("pay", {"what": what, "n": n, "why": why}, seat.index)
    _take_away(game, seat, what, n)


def _take_away(game: Game, seat: Seat, what: str, n: int) -> None:
    if what == "rubles":
        seat.rubles -= n
    elif what == "recognition":
        seat.marker -= n
    elif what == "prestige":
        position = game.track.behind(seat.marker, n)
        assert position is not None
        seat.marker = position
    else:
        seat.materials[what] -= n
        game.supply[what] += n


# --- prices (ruling 2)


def can_pay_points(game: Game, seat: Seat, price: dict[str, Any]) -> bool:
    """Rubles, recognition, then prestige, each in full."""
    recognition = price.get("recognition", 0)
    return (
        seat.rubles >= price.get("rubles", 0)
        and seat.marker >= recognition
        and game.track.behind(seat.marker - recognition, price.get("prestige", 0)) is not None
    )


def material_prices(seat: Seat, price: dict[str, Any]) -> Iterator[dict[str, int]]:
    """All ways to pay a price's materials: the given ones, and every choice of `any` from what is left."""
    given = {m: price[m] for m in MATERIALS if price.get(m, 0)}
    if any(seat.materials[m] < n for m, n in given.items()):
        return
    free = price.get("any", {"n": 0, "of": []})
    kinds = [m for m in MATERIALS if m in free["of"]]
    for units in combinations_with_replacement(kinds, free["n"]):
        way = {m: given.get(m, 0) + units.count(m) for m in MATERIALS}
        if all(way[m] <= seat.materials[m] for m in MATERIALS):
            yield {m: n for m, n in way.items() if n}


@contextmanager
def as_if_paid(game: Game, seat: Seat, price: dict[str, Any], materials: dict[str, int]) -> Iterator[None]:
    """The table as it would be with the price paid; put back afterwards."""
    before = (seat.rubles, seat.marker)
    for what in POINTS:
        _take_away(game, seat, what, price.get(what, 0))
    for m, n in materials.items():
        _take_away(game, seat, m, n)
    yield
    for m, n in materials.items():
        seat.materials[m] += n
        game.supply[m] -= n
    seat.rubles, seat.marker = before


# --- gains of materials (ruling 3)


@dataclass(frozen=True)
class Offer:
    """Materials on offer: given amounts, and `any_n` units of the kinds `any_of` by choice."""

    given: dict[str, int]
    any_n: int = 0
    any_of: tuple[str, ...] = ()

    @staticmethod
    def of(amounts: dict[str, Any]) -> Offer:
        """The materials of a `gain` map."""
        free = amounts.get("any", {"n": 0, "of": []})
        return Offer({m: amounts[m] for m in MATERIALS if amounts.get(m, 0)}, free["n"], tuple(free["of"]))

    def chosen(self, taken: dict[str, int]) -> int:
        """How many units count as chosen: those beyond the given ones of their kind."""
        return sum(max(0, n - self.given.get(m, 0)) for m, n in taken.items())

    def may_come(self, game: Game, seat: Seat, taken: dict[str, int]) -> list[str]:
        """The kinds of which one more unit may come in, with some taken already (not yet on the table)."""
        if sum(taken.values()) >= seat.free_slots():
            return []
        more = self.chosen(taken) < self.any_n
        return [
            m
            for m in MATERIALS
            if taken.get(m, 0) < game.supply[m]
            and (taken.get(m, 0) < self.given.get(m, 0) or (more and m in self.any_of))
        ]

    def total(self, game: Game, seat: Seat) -> int:
        """How many units come in: as many as fit, whichever are chosen."""
        taken: dict[str, int] = {}
        while kinds := self.may_come(game, seat, taken):
            taken[kinds[0]] = taken.get(kinds[0], 0) + 1
        return sum(taken.values())

    def conceivable(self, total: int, kinds: tuple[str, ...] = MATERIALS) -> Iterator[dict[str, int]]:
        """So many units in every way that each kind on its own could be on offer, legal together or not."""
        if total == 0:
            yield {}
        elif kinds:
            first, *rest = kinds
            most = self.given.get(first, 0) + (self.any_n if first in self.any_of else 0)
            for n in range(min(most, total) + 1):
                for others in self.conceivable(total - n, tuple(rest)):
                    yield {first: n, **others}

    def legal(self, game: Game, seat: Seat, taken: dict[str, int]) -> bool:
        """Whether these units may come in, and nothing more could."""
        return (
            sum(taken.values()) <= seat.free_slots()
            and all(n <= game.supply[m] for m, n in taken.items())
            and all(n <= self.given.get(m, 0) or m in self.any_of for m, n in taken.items())
            and self.chosen(taken) <= self.any_n
            and not self.may_come(game, seat, taken)
        )


def something_comes(game: Game, seat: Seat, amounts: dict[str, Any]) -> bool:
    """Whether a `gain` map would bring anything."""
    return any(amounts.get(what, 0) for what in POINTS) or bool(Offer.of(amounts).may_come(game, seat, {}))


def take_in(game: Game, io: Reader, seat: Seat, amounts: dict[str, Any], why: str) -> bool:
    """Carry a `gain` map out; whether anything came in."""
    came = False
    for what in POINTS:
        gain(game, io, seat, what, amounts.get(what, 0), why)
        came = came or amounts.get(what, 0) > 0
    offer = Offer.of(amounts)
    total = offer.total(game, seat)
    if total:
        legal = partial(offer.legal, game, seat)
        taken = io.amounts("gain", why, total, legal, partial(offer.conceivable, total))
        for m in MATERIALS:
            gain(game, io, seat, m, taken.get(m, 0), why)
        came = True
    return came


# --- the market's resources (section 7; ruling 4)


def take(game: Game, io: Reader, seat: Seat) -> None:
    """The resources of the arrival space: each good from 0 to yield times dice, and something in all."""
    space = game.turn.arrival
    assert space is not None
    dice = len(game.dice_at(space))
    gains = game.tile_gain(space)
    full = {good: gains[good] * dice for good in GOODS if gains.get(good, 0)}
    wanted: dict[str, int] = {}
    intake: dict[str, int] = {}
    slots = seat.free_slots()

    def fits(good: str) -> int:
        return full[good] if good in POINTS else min(full[good], game.supply[good], slots)

    for good in full:
        would_come = {n: min(n, fits(good)) for n in (*range(fits(good) + 1), full[good])}
        something = any(intake.values()) or any(fits(g) for g in full if GOODS.index(g) > GOODS.index(good))
        wanted[good] = io.want(good, {n: came for n, came in would_come.items() if came or something})
        intake[good] = would_come[wanted[good]]
        if good in MATERIALS:
            slots -= intake[good]
    io.event("take", {"space": space, "dice": dice, "wanted": {g: n for g, n in wanted.items() if n}})
    for good, n in intake.items():
        gain(game, io, seat, good, n, "take")


# --- dice


def roll(game: Game, io: Reader, space: int, why: str) -> None:
    """Roll all dice of a space; the values are the trace's word."""
    dice = game.dice_at(space)
    values = io.roll(dice)
    io.event("roll", {"space": space, "values": values, "why": why})
    game.value.update(values)


def move(game: Game, io: Reader, die: str, steps: int, why: str) -> None:
    """Move a die on by some steps clockwise (room has been checked)."""
    start = game.space[die]
    to = (start + steps) % 8
    io.event("move", {"die": die, "from": start, "to": to, "value": game.value[die], "steps": steps, "why": why})
    game.space[die] = to
