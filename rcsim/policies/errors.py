"""What can be wrong with a player, said in one line."""


class PlayerError(Exception):
    """A player that cannot be, cannot be read or cannot play on; the message is one line."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))
