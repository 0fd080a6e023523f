"""Renew the golden games, after a change of the rules or of a player that is meant.

    python scripts/golden.py            the players that are kept (tests/golden/)
    python scripts/golden.py greedy     this one, kept from now on
    python scripts/golden.py --check    only say what would change; exit code 1 if anything would

Says for every game where it parts from the kept one. Nothing is written where nothing changed.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests import golden_games


def main() -> int:
    """Renew or check."""
    from rcsim.policies import POLICIES

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("policies", nargs="*", metavar="player", help="players (default: those that are kept)")
    parser.add_argument("--check", action="store_true", help="write nothing")
    args = parser.parse_args()
    known = [policy.name for policy in POLICIES]
    for name in args.policies:
        if name not in known:
            parser.error(f"no player {name!r}; there are {', '.join(known)}")
    any_change = False
    for policy in args.policies or golden_games.kept():
        before = golden_games.read(policy) if policy in golden_games.kept() else {}
        now = {name: golden_games.play(policy, name) for name in golden_games.names()}
        changed = 0
        for name, game in now.items():
            words = golden_games.difference(before[name], game) if name in before else "new"
            if words:
                changed += 1
                print(f"{policy} {name}: {words}")
        changed += len(before.keys() - now.keys())
        print(f"{policy}: {len(now)} games, {changed} changed")
        any_change = any_change or changed > 0
        if changed and not args.check:
            golden_games.write(policy, now)
    return 1 if args.check and any_change else 0


if __name__ == "__main__":
    sys.exit(main())
