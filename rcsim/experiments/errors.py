"""What can be wrong with an experiment, said in one line."""

from collections.abc import Iterable
from difflib import get_close_matches


class ExperimentError(Exception):
    """Anything wrong with an experiment or a run folder that the user can put right: one clear line."""


class DesignError(ExperimentError):
    """A value of the design that cannot be: names the key, what was given and what is accepted.

    The keys are those of the design (`players`, `plan`, ...); on the command line each is an option, `--players`.
    """

    def __init__(self, key: str, given: object, accepted: str) -> None:
        super().__init__(f"{key}: {'nothing' if given == '' else given} was given; {accepted}")
        self.key = key
        self.given = given
        self.accepted = accepted


class StoreError(ExperimentError):
    """A run folder that cannot be written, read or replaced."""


class Interrupted(ExperimentError):
    """The user stopped the run; the message says what is left of it."""


def one_of(names: Iterable[str], given: str) -> str:
    """Say which names are accepted, and which of them was perhaps meant."""
    names = list(names)
    near = get_close_matches(given, names, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{hint}accepted: {', '.join(names)}"
