"""Play the first run and put its table into the README, after a change of the shipped ruleset or of a player.

    python scripts/readme_table.py

A minute or two; runs/first is played anew.
"""

import re
import subprocess
import sys

from environment import ROOT
from first_run import command


def main() -> int:
    """Play, and write."""
    play = [sys.executable, "-m", "rcsim", *command("100000"), "--force"]
    table = subprocess.run(play, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.strip()
    readme = ROOT / "README.md"
    before = readme.read_text(encoding="utf-8")
    after, found = re.subn(r"(?<=^```text\n).*?(?=\n```$)", lambda _: table, before, flags=re.MULTILINE | re.DOTALL)
    if found != 1:
        sys.exit("rcsim: error: README.md has not exactly one block of text")
    readme.write_text(after, encoding="utf-8", newline="\n")
    print("the table is as it was" if after == before else table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
