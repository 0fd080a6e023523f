"""Bring the shipped weight files into line with rcsim/policies/features.py, after a feature was added or renamed.

    python scripts/weights.py

A weight that a file lacks becomes 0, one that is no more goes, order and comments are renewed. Train them then.
"""

import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rcsim.policies import STYLES
from rcsim.policies.features import WEIGHT_NAMES
from rcsim.policies.weights import DATA, WeightFile, to_toml


def main() -> int:
    """Renew the files."""
    for style in STYLES:
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
    return 0


if __name__ == "__main__":
    sys.exit(main())
