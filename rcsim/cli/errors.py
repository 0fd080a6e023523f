"""The error of a command: something the user can put right.

`rcsim.cli.run` prints it, and `RulesetError` likewise, in plain lines on stderr and exits with code 2. What the
user typed is printed letter for letter, so that nothing on that way knows any markup.
"""


class UserError(Exception):
    """Something the user asked for cannot be done; the message is one line that says what would be right."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))
