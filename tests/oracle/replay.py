"""Replays a trace of one game and judges every line of it.

`replay(lines)` raises OracleError at the first line that the rules do not allow; `games(lines)` splits a stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .cathedral import adorn, deliver, place_banner
from .effects import bonus_at_claim, use, use_tile
from .goods import gain, move, pay, roll, take
from .options import claim_price, options, why_not
from .reader import AtChoice, Reader
from .scoring import score_line
from .solo import ivan_turn
from .state import Game, Turn
from .vocab import OracleError

__all__ = ["Game", "OracleError", "games", "options", "replay"]


def games(lines: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The lines of each game in a stream of several, cut before each setup line."""
    game: list[dict[str, Any]] = []
    for line in lines:
        if line.get("type") == "setup" and game:
            yield game
            game = []
        game.append(line)
    if game:
        yield game


def replay(
    lines: Sequence[dict[str, Any]],
    at_step: Callable[[Game, int], None] | None = None,
    at_choice: AtChoice | None = None,
) -> Game:
    """Replay one game, from its setup line to its score line; the game as it ended.

    `at_step(game, line_index)` is called whenever a seat's turn stands between atomic steps: before the first line of
    each step and before the turn's state line (its index is given). In Ivan's turn it is called only before a claim
    of his that is yours to choose. `at_choice` is told of the choices inside the steps (see reader.py).
    """
    if not lines:
        raise OracleError("line 0: expected a setup line, found nothing")
    game = Game(lines[0])
    reader = Reader(lines, None if at_step is None else lambda index: at_step(game, index), at_choice)
    play(game, reader)
    return game


def play(game: Game, io: Reader) -> None:
    """Turns until the game is over, or until the seat to move has had all its turns (section 8; rulings 18, 21)."""
    seat = game.setup["first_seat"]
    while game.last_turns != 0:
        if game.seats[seat].turns >= game.options_data["turn_cap"]:
            game.truncated = True
            break
        game.turn = Turn(game.turns, seat)
        game.turns += 1
        game.seats[seat].turns += 1
        io.start_turn(game.turn.number, seat)
        if game.seats[seat].ivan:
            ivan_turn(game, io)
        else:
            player_turn(game, io)
        io.whole(game.state_line())
        if game.last_turns is not None:
            game.last_turns -= 1
        elif game.finisher is not None:
            game.last_turns = len(game.seats) - 1
        seat = (seat + 1) % len(game.seats)
    io.whole(score_line(game))
    io.close()


def player_turn(game: Game, io: Reader) -> None:
    """Steps until the turn ends, each judged before it is carried out (section 4)."""
    while True:
        io.pause()
        step = io.step()
        reason = why_not(game, step)
        if reason:
            io.fail(f"a legal step, not {step}: {reason}")
        if step == ("end",):
            return
        carry_out(game, io, step)
        note(game, step[0])


def note(game: Game, name: str) -> None:
    """What a step closes: a moment of sales (ruling 15), the repetition of an influence action (ruling 12)."""
    turn = game.turn
    if name != "sell" and turn.sold:
        turn.sale_closed = True
    if name not in ("sell", "reroll", "influence") and turn.influence_uses:
        turn.influence_closed = True


def carry_out(game: Game, io: Reader, step: tuple) -> None:
    """A legal step with all its consequences."""
    turn, seat = game.turn, game.mover
    name, *args = step
    if name == "sell":
        turn.sold = True
        io.event("sell", {})
        pay(game, io, seat, "prestige", 1, "sell")
        gain(game, io, seat, "rubles", game.options_data["sell_rubles"], "sell")
    elif name == "reroll":
        turn.rerolled = True
        io.event("reroll", {"space": args[0]})
        pay(game, io, seat, "prestige", 1, "reroll")
        roll(game, io, args[0], "reroll")
    elif name == "claim":
        turn.basic = "claim"
        claim(game, io, *args)
    elif name == "deliver":
        turn.basic = "build"
        turn.deliveries += 1
        deliver(game, io, seat, *args, "build")
    elif name == "adorn":
        tower, level, gems = args
        turn.basic = "build"
        turn.deliveries += 1 + len(gems)
        adorn(game, io, seat, game.sections[tower, level], gems)
    elif name == "move":
        acquire(game, io, *args)
    elif name == "take":
        take(game, io, seat)
        turn.taken = True
    elif name == "influence":
        influence(game, io, args[0])
    elif name == "workshop":
        turn.tile_used = True
        use_tile(game, io, seat, args[0], "acquire", turn.arrival)
    elif name == "roll":
        assert turn.arrival is not None
        roll(game, io, turn.arrival, "acquire")
        turn.rolled = True


def claim(game: Game, io: Reader, tower: int, level: int, space: int, face: str) -> None:
    """Section 5: banner, slot, tile, price, ornament unlocked (advanced), bonus."""
    seat = game.mover
    section = game.sections[tower, level]
    io.event("claim", {"tower": tower, "level": level, "space": space, "face": face})
    place_banner(game, seat, section)
    seat.workshop[space] = {"tile": section.tile, "face": face}
    if face == "down":
        return
    pay(game, io, seat, "rubles", claim_price(game, space), "claim")
    ornament = game.rules["workshop_spaces"][space]["ornament"]
    if game.advanced and ornament is not None:
        seat.unlocked[ornament] += 1
    bonus_at_claim(game, io, seat, space)


def acquire(game: Game, io: Reader, die: str, steps: int) -> None:
    """Section 7, point 1: the move and its price."""
    turn, seat = game.turn, game.mover
    extra = steps - game.value[die]
    move(game, io, die, steps, "acquire")
    pay(game, io, seat, "rubles", extra * game.options_data["extra_space_price"], "move")
    turn.basic = "acquire"
    turn.die = die
    turn.arrival = game.space[die]


def influence(game: Game, io: Reader, action: int) -> None:
    """Section 7, point 3: one use of an action of the quadrant's card."""
    turn = game.turn
    assert turn.arrival is not None
    quadrant = turn.arrival // 2
    io.event("influence", {"quadrant": quadrant, "action": action})
    turn.influence_action = action
    turn.influence_uses += 1
    data = game.rules["influence"][game.influence[quadrant]]["actions"][action]
    use(game, io, game.mover, data["effect"], "influence", turn.arrival)
