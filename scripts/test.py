"""All that a change has to pass: lint, types, tests.

    python3 scripts/test.py                         sets up .venv where that is not done yet
    python3 scripts/test.py tests/test_sweep.py -x  some tests only: arguments go to pytest

Needs Python 3.11 or newer and, the first time, a network. Exit code 1 if anything failed; pytest speaks last.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.stderr.write("rcsim: error: Python 3.11 or newer is needed; this is " + sys.version.split()[0] + "\n")
    raise SystemExit(2)

import subprocess

from environment import ROOT, ready, say

CHECKS = (
    ("lint", ("ruff", "check", "--quiet")),
    ("format", ("ruff", "format", "--check", "--quiet")),
    ("types", ("mypy", "--no-error-summary")),
)


def main() -> int:
    """Set up, and check."""
    python = str(ready("dev"))
    failed = []
    for name, arguments in CHECKS:
        if subprocess.run([python, "-m", *arguments], cwd=ROOT, check=False).returncode:
            failed.append(name)
    say(f"failed: {', '.join(failed)}" if failed else f"{', '.join(name for name, _ in CHECKS)}: nothing to say")
    # every core takes a share; with arguments, what they say
    arguments = sys.argv[1:] or ["-n", "auto", "--dist", "worksteal"]
    tests = subprocess.run([python, "-m", "pytest", *arguments], cwd=ROOT, check=False).returncode
    return tests or (1 if failed else 0)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
