"""A game as text: the public trace format, and the story told from it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy import void
    from numpy.typing import NDArray

    from rcsim.policies.lineup import Player
    from rcsim.rules.schema import Ruleset

__all__ = ["trace_game"]


def trace_game(
    ruleset: "Ruleset",
    tables: "NDArray[void]",
    policies: "Sequence[str | Player]",
    seed: int,
    game: int,
    preset: str | None = None,
) -> Iterator[dict[str, Any]]:
    """The lines of one game in the trace format (docs/trace.md), as dictionaries.

    Args:
        ruleset: the ruleset that `tables` was packed from.
        tables: one packed record (`rcsim.rules.pack`).
        policies: player of each human seat, or how a user names it (`rcsim.policies.lineup.resolve`, whose errors
            are raised).
        seed: root seed.
        game: index of the deal.
        preset: name of the preset to state (default: the ruleset's).
    """
    from rcsim.trace.recorder import Recorder

    recorder = Recorder(ruleset, tables, policies, seed, game, preset)
    yield recorder.setup()
    while not recorder.over:
        yield from recorder.step(recorder.next_action())
    yield recorder.score()
