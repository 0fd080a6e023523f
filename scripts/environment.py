"""The environment of the other scripts: a `.venv` in the checkout with rcsim and what it needs, made when it lacks.

Standard library only. What is there is used again: a note in the folder says for which project file, versions and
extras it was filled. A folder that somebody else made is filled too, but never deleted.
"""

import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv"
NOTE = FOLDER / "rcsim-setup.json"
LOG = FOLDER / "rcsim-setup.log"
VERSIONS = ROOT / "constraints.txt"


def fail(message: str) -> NoReturn:
    """End with one line on stderr."""
    print(f"rcsim: error: {message}", file=sys.stderr)
    raise SystemExit(2)


def say(message: str) -> None:
    """One line on stderr; stdout is for results."""
    print(f"rcsim: {message}", file=sys.stderr, flush=True)


def interpreter() -> Path:
    """The environment's Python."""
    return FOLDER / "Scripts" / "python.exe" if os.name == "nt" else FOLDER / "bin" / "python"


def ready(extra: str = "") -> Path:
    """The environment's Python, with rcsim installed from this checkout and, if named, an extra such as `dev`.

    Ends the process with one clear line if that cannot be had.
    """
    wanted: dict[str, Any] = {
        "checkout": str(ROOT),
        "digest": hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + VERSIONS.read_bytes()).hexdigest(),
    }
    try:
        note = _note()
        extras = sorted({*note.get("extras", []), *([extra] if extra else [])})
        wanted["extras"] = extras
        if note != wanted or not _works(interpreter()):
            _make(note)
            _fill(extras)
            _write(wanted)
    except OSError as error:
        fail(f"{FOLDER} cannot be set up ({error})")
    return interpreter()


def _make(note: dict[str, Any]) -> None:
    """Create the environment, or create it anew where ours is broken or half made."""
    if _works(interpreter(), "-m", "pip", "--version"):
        return
    if FOLDER.exists() and not note:
        fail(f"{FOLDER} is there, but has no Python with pip that runs; delete it and try again")
    for module in ("venv", "ensurepip"):
        if importlib.util.find_spec(module) is None:
            fail(f"this Python has no module {module} (Debian and Ubuntu: apt install python3-venv)")
    say(f"making {FOLDER} with Python {sys.version.split()[0]} ...")
    _write({"unfinished": True})  # so that the next call knows whose folder it is, if this one is interrupted
    again = ["--clear"] if interpreter().exists() else []
    _logged([sys.executable, "-m", "venv", *again, str(FOLDER)], "the environment could not be made")
    _write({"unfinished": True})


def _fill(extras: list[str]) -> None:
    """Install the checkout, editable, with its extras, in the versions that the tests are known to pass with."""
    say("installing what rcsim needs (once, some 300 MB) ...")
    start = time.monotonic()
    target = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
    pip = [str(interpreter()), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    _logged([*pip, "-c", str(VERSIONS), "-e", target], "installing failed (is there a network?)")
    say(f"installed in {time.monotonic() - start:.0f} s")


def _works(python: Path, *arguments: str) -> bool:
    """Whether the environment's Python runs, and runs this."""
    command = [str(python), *(arguments or ("-c", "import rcsim"))]
    try:
        return subprocess.run(command, cwd=FOLDER, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _logged(command: list[str], otherwise: str) -> None:
    """Run a command quietly; if it fails, show what it said of errors, and end."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        FOLDER.mkdir(exist_ok=True)
        LOG.write_text(done.stdout, encoding="utf-8")
        lines = done.stdout.strip().splitlines()
        errors = [line for line in lines if re.match(r"\W*(\w*error|fatal)\b", line, re.IGNORECASE)] or lines
        print("\n".join(errors[-6:]), file=sys.stderr)
        fail(f"{otherwise}; all that was said is in {LOG}")


def _note() -> dict[str, Any]:
    """What the note in the folder says; nothing where there is none."""
    try:
        note = json.loads(NOTE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}


def _write(note: dict[str, Any]) -> None:
    FOLDER.mkdir(exist_ok=True)
    NOTE.write_text(json.dumps(note, indent=1) + "\n", encoding="utf-8")
