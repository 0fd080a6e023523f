"""Bring weight files and docs/players.md into line with rcsim/policies/features.py, after a feature came or went.

    python scripts/weights.py

A weight that a shipped file lacks becomes 0, one that is no more goes, order and comments are renewed. Then train them.
"""

import re
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rcsim.policies import STYLES
from rcsim.policies.features import WEIGHT_NAMES, WEIGHTS
from rcsim.policies.weights import DATA, WeightFile, to_toml

PAGE = Path(__file__).resolve().parent.parent / "docs" / "players.md"


def page(text: str) -> str:
    """The page with the table of weights as it should be."""
    rows = "".join(f"| `{weight.name}` | {weight.doc} |\n" for weight in WEIGHTS)
    table = f"| weight | one unit |\n|---|---|\n{rows}"
    return re.sub(r"(?<=<!-- weights: python scripts/weights.py -->\n).*?(?=<!-- end)", table, text, flags=re.DOTALL)


def main() -> int:
    """Renew the files, that of the start of trainings too."""
    for style in (*STYLES, "start"):
        path = DATA / f"{style}.toml"
        before = path.read_text(encoding="utf-8")
        data = tomllib.loads(before)
        pairs = {k: v if isinstance(v, list) else [v, v] for k, v in data["weights"].items()}
        weights = {name: tuple(pairs.get(name, (0.0, 0.0))) for name in WEIGHT_NAMES}
        after = to_toml(WeightFile(data["name"], data["doc"], weights, data.get("training", {})))
        path.write_text(after, encoding="utf-8", newline="\n")
        new, gone = [n for n in WEIGHT_NAMES if n not in pairs], [n for n in pairs if n not in WEIGHT_NAMES]
        words = ", ".join((*(f"+{name}" for name in new), *(f"-{name}" for name in gone)))
        print(f"{path.name}: {words or ('as it was' if after == before else 'order and comments')}")
    before = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(page(before), encoding="utf-8", newline="\n")
    print(f"{PAGE.name}: {'as it was' if page(before) == before else 'renewed'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
