"""Run tests of the engine with Numba's bounds checking on: an index out of range is an error, not silence.

    python scripts/boundscheck.py                     the tests that play games
    python scripts/boundscheck.py tests/test_x.py -v  others; arguments go to pytest

The engine is compiled anew for this (half a minute the first time), into a cache folder of its own beside the
temporary files: the usual one does not know about bounds checking.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ("invariants", "limits", "engine_examples", "golden")
SELF_CHECK = """
import numba, numpy as np
@numba.njit(error_model="numpy")
def read(a, i):
    return a[i]
try:
    read(np.zeros(3), 3)
except IndexError:
    print("bounds are checked")
"""


def main() -> int:
    """Make sure that bounds are checked, then run the tests."""
    folder = Path(tempfile.gettempdir()) / f"rcsim-boundscheck-{os.getuid() if hasattr(os, 'getuid') else 0}"
    env = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_DISABLE_JIT": "0", "NUMBA_CACHE_DIR": str(folder)}
    check = subprocess.run([sys.executable, "-c", SELF_CHECK], env=env, capture_output=True, text=True, check=True)
    if "bounds are checked" not in check.stdout:
        print("Numba does not check bounds here", file=sys.stderr)
        return 2
    arguments = sys.argv[1:] or [str(ROOT / "tests" / f"test_{name}.py") for name in TESTS]
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], env=env, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
