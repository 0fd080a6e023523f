"""What can be wrong with a player that the user names."""


class PlayerError(Exception):
    """A player that cannot be: what was given, and what is accepted or wrong with it, together one clear line."""

    def __init__(self, given: str, accepted: str) -> None:
        super().__init__(given, accepted)
        self.given = given
        self.accepted = accepted

    def __str__(self) -> str:
        return f"{self.given or 'nothing'} was given; {self.accepted}"
