"""What can be wrong with an experiment, said in one line."""

from collections.abc import Sequence

from rcsim.rules.errors import one_of

__all__ = [
    "BackendError",
    "DesignError",
    "DesignProblems",
    "ExperimentError",
    "Interrupted",
    "LineupError",
    "StoreError",
    "one_of",
]


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


class LineupError(DesignError):
    """A player of the design that cannot be; `problem` names it and what is wrong."""

    def __init__(self, problem: str) -> None:
        ExperimentError.__init__(self, f"policy: {problem}")


class DesignProblems(ExperimentError):
    """A design that cannot be: a line for each mistake that was found, never none, each with where it is."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(tuple(problems))
        self.problems = tuple(problems)

    def lines(self) -> list[str]:
        """One line a mistake."""
        return list(self.problems)

    def __str__(self) -> str:
        return "\n".join(self.problems)


class StoreError(ExperimentError):
    """A run folder that cannot be written, read or replaced."""


class BackendError(ExperimentError):
    """Processes or a cluster that cannot play a run."""


class Interrupted(ExperimentError):
    """The user stopped the run; the message says what is left of it."""
