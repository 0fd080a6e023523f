"""The one decorator of all compiled code, and where its cache lives.

Numba renews a cached function when its own file changes, but not when a helper in another file does. So the
cache directory carries a digest of every source that is compiled: any change anywhere starts a fresh one.
"""

import contextlib
import gc
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import config, types

linking: Any
try:
    from rcsim.engine import linking
except ImportError:  # another Numba: everything is compiled its ordinary way, and takes two to three times as long
    linking = None

PACKAGE = Path(__file__).resolve().parent.parent
COMPILED_ROOMS = ("engine", "policies")
SHARED_SOURCES = ("columns.py", "names.py", "rules/tables.py")
STALE_AFTER_S = 30 * 24 * 3600


def _digest() -> str:
    """Digest of the sources of all compiled code, of the interpreter and of Numba."""
    h = hashlib.sha256(f"{sys.version} {numba.__version__} {np.__version__}".encode())
    files = [p for room in COMPILED_ROOMS for p in sorted((PACKAGE / room).rglob("*.py"))]
    for path in [*files, *(PACKAGE / s for s in SHARED_SOURCES)]:
        h.update(path.name.encode())
        h.update(path.read_bytes())
    return h.hexdigest()[:16]


def _base() -> Path:
    """The user's cache folder of this package, by the custom of the system."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        return Path(os.environ["NUMBA_CACHE_DIR"]) / "rcsim"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "rcsim" / "kernels"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/rcsim/kernels"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rcsim" / "kernels"


def _cache_dir() -> Path:
    """A writable folder for this version of the sources; a temporary one where nothing may be written."""
    try:
        base = _base()
        folder = base / _digest()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        for old in base.iterdir():  # folders of sources long gone
            if old != folder and time.time() - old.stat().st_mtime > STALE_AFTER_S:
                shutil.rmtree(old, ignore_errors=True)
        os.utime(folder)
        return folder
    except (OSError, RuntimeError):
        print("rcsim: no folder for compiled code can be written; every run compiles anew", file=sys.stderr)
        return Path(tempfile.mkdtemp(prefix="rcsim-kernels-"))


if not config.DISABLE_JIT:
    CACHE_DIR = _cache_dir()
    config.CACHE_DIR = str(CACHE_DIR)


_told: set[str] = set()


def _tell_once(message: str) -> None:
    if message not in _told:
        _told.add(message)
        print(f"rcsim: {message}", file=sys.stderr)


def _forgiving(cache: Any) -> None:
    """Let a cache that cannot be read, or written, cost a line and a compilation, no more."""
    load, save = cache.load_overload, cache.save_overload

    def load_overload(*args: Any) -> Any:
        try:
            return load(*args)
        except Exception:  # whatever a damaged file makes of unpickling
            _tell_once("the cache of compiled code cannot be read; compiling anew")
            with contextlib.suppress(OSError):
                cache.flush()
            return None

    def save_overload(*args: Any) -> None:
        try:
            save(*args)
        except OSError as error:
            _tell_once(f"compiled code cannot be kept ({error.strerror}); the next run compiles anew")

    cache.load_overload, cache.save_overload = load_overload, save_overload


def _uncollected(compiled: Any) -> None:
    """Pause the collection of garbage while a function is compiled: a tenth of the time, and little to collect."""
    compile_one = compiled.compile

    def compile_uncollected(signature: Any) -> Any:
        collecting = gc.isenabled()
        gc.disable()
        try:
            return compile_one(signature)
        finally:
            if collecting:  # not so within the compilation of a caller
                gc.enable()

    compiled.compile = compile_uncollected


def _plain(argument: Any) -> Any:
    """The type under which an argument is passed: constants and small integers as 64-bit integers."""
    argument = types.unliteral(argument)
    small = isinstance(argument, types.Integer) and argument.bitwidth < 64
    return types.int64 if small else argument


def _compile(function: Callable[..., Any], *, internal: bool = False, pointer: bool = False) -> Any:
    """Cached, without the GIL, divisions as in C; each function once.

    Numba compiles a callee anew for every combination of constants and integer types among its arguments. Here all
    integers are passed as one type: the records keep small fields, and compile time is down by two thirds.
    """
    if config.DISABLE_JIT:
        return function
    options: dict[str, Any] = {"no_cfunc_wrapper": not pointer, "no_cpython_wrapper": internal}
    if linking:
        options["pipeline_class"] = linking.InternalCompiler if internal else linking.EntryCompiler
    compiled = numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    _forgiving(compiled._cache)
    _uncollected(compiled)
    if internal and linking:
        linking.keep_internal(compiled._cache)
    template_for = compiled.get_call_template
    compiled.get_call_template = lambda args, kws: template_for(
        tuple(map(_plain, args)), {k: _plain(v) for k, v in kws.items()}
    )
    return compiled


def jit(function: Callable[..., Any]) -> Any:
    """Compile a function that only compiled code calls: no wrapper for Python, no machine code of its own."""
    return _compile(function, internal=True)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls; compiled code calls it as if it were internal."""
    compiled = _compile(function)
    if linking and not config.DISABLE_JIT:
        internal = _compile(function, internal=True)
        compiled.get_call_template = internal.get_call_template
        compiled.get_overload = internal.get_overload
    return compiled


def guest(function: Callable[..., Any]) -> Any:
    """Compile a function that compiled code gets as a pointer, and compile it only when some does."""
    return _compile(function, pointer=True)


def wrapping(function: Any) -> Any:
    """Let unsigned integers wrap silently: what compiled code does anyway, plain Python must be told."""
    return np.errstate(over="ignore")(function) if config.DISABLE_JIT else function
