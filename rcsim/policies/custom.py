"""A designer's own players: functions `choose(g, t, acts, mind)` from files, compiled when a line-up asks for them.

`g` is a copy of the GAME (`engine/state.py`) that does not know the game's future, `t` the TABLES
(`rules/tables.py`), `acts` the list of legal actions: the function returns one of `acts.a[:acts.n]`. `mind` is scratch
paper (`mind.py`). It may call whatever the shipped players call; chance comes from
`rcsim.policies.random:draw_below`. It is compiled with Numba whether it is decorated or not, functions that it calls
have to be decorated (`numba.njit`, or `rcsim.engine.jit:jit`). The file stands alone: it may import packages, but not
its neighbours.
"""

import ast
import inspect
import operator
import re
import tempfile
import threading
import traceback
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numba
from numba import config, types

from rcsim.engine.state import ACTIONS, GAME
from rcsim.policies.errors import PlayerError
from rcsim.policies.mind import MIND
from rcsim.rules.tables import TABLES

ARGUMENTS = ("g", "t", "acts", "mind")
RECORDS = (GAME, TABLES, ACTIONS, MIND)
SIGNATURE = types.int64(*map(numba.from_dtype, RECORDS))


class Own(NamedTuple):
    """A designer's function, ready to be called by compiled code (or plain, without compilation)."""

    name: str  # as the user gave it: mine.py:choose
    file: str  # of its code, for line numbers
    function: Callable[..., Any]


_owns: list[Own] = []
_numbers: dict[tuple[str, str, str], int] = {}
_lock = threading.Lock()


def load(spec: str, source: str, function: str) -> int:
    """Number in this process of the function in a text; the same one is compiled once.

    `spec` (`mine.py:choose`) is for messages. PlayerError if the text fails, or the function cannot be compiled.
    """
    key = spec, source, function
    with _lock:
        if key not in _numbers:
            path = spec.rsplit(":", 1)[0]
            file = _file(path, source)
            try:
                made = _compiled(function, _run(source, file, function))
            except PlayerError as error:
                raise PlayerError(f"{path}: {error}") from error
            _owns.append(Own(spec, file, made))
            _numbers[key] = len(_owns) - 1
        return _numbers[key]


def own(number: int) -> Own:
    """The function of a number that `load` gave out."""
    return _owns[number]


def told(error: BaseException, file: str) -> str:
    """What an error in the code of a file says, in one line, with the number of the line."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"line {lines[-1]}: {text}" if lines else text


def _file(path: str, source: str) -> str:
    """A file that holds the text, for debuggers and line numbers: the user's own, or a copy if that has changed."""
    file = Path(path).absolute()
    try:
        if file.read_text(encoding="utf-8-sig") == source:
            return str(file)
    except (OSError, ValueError):
        pass
    copy = Path(tempfile.mkdtemp(prefix="rcsim-player-")) / file.name
    copy.write_text(source, encoding="utf-8")
    return str(copy)


def _run(source: str, file: str, function: str) -> Any:
    """Run the text as a module; what it leaves behind under the function's name."""
    module = ModuleType("rcsim_own_player")
    module.__file__ = file
    try:
        exec(compile(source, file, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        raise PlayerError(told(error, file)) from error
    return vars(module).get(function)


def _compiled(name: str, function: Any) -> Callable[..., Any]:
    """Compile a function for the records that it will get, with the bounds of arrays checked."""
    plain = getattr(function, "py_func", function)
    if not inspect.isfunction(plain) or inspect.isgeneratorfunction(plain):
        raise PlayerError(f"{name} is {'a generator' if inspect.isfunction(plain) else 'no function'}")
    try:
        inspect.signature(plain).bind(*ARGUMENTS)
    except TypeError as error:
        line = f"line {plain.__code__.co_firstlineno}: "
        raise PlayerError(f"{line}wrong arguments; it has to be {name}({', '.join(ARGUMENTS)})") from error
    if config.DISABLE_JIT:
        return lambda g, t, acts, mind: operator.index(plain(g, t, acts, mind))
    compiled = numba.njit(nogil=True, boundscheck=True)(plain)
    try:
        compiled.compile(SIGNATURE.args)
    except Exception as error:  # Numba's, and what its own code trips over
        raise PlayerError(_complaint(error, plain)) from error
    returned = compiled.nopython_signatures[0].return_type
    if not isinstance(returned, types.Integer):
        raise PlayerError(f"{name} returns {_type_name(returned)}; it has to return one of acts.a[:acts.n]")
    return numba.njit(SIGNATURE, nogil=True)(lambda g, t, acts, mind: compiled(g, t, acts, mind))  # of one type for all


def _type_name(kind: Any) -> str:
    """A Numba type in few words."""
    if isinstance(kind, types.Optional):
        return f"nothing in some cases, {_type_name(kind.type)} in others"
    if isinstance(kind, types.Record):
        return "a record"
    return "nothing" if isinstance(kind, types.NoneType) else _shortened(str(kind))


def _complaint(error: Exception, function: Any) -> str:
    """What Numba complains about, in one line out of many, with the number of the line in the file."""
    text = str(error)
    named = re.findall(r'File "[^"]*", line (\d+)|at \S+ \((\d+)\)|[Rr]aised from \S+ \((\d+)\)', text)
    line = next((n for groups in reversed(named) for n in groups if n), None)
    lines = [part.strip() for part in text.splitlines() if part.strip() and not part.startswith("Failed in")]
    said = lines[0] if lines else type(error).__name__
    if said.endswith("found for signature:"):
        said = "Numba cannot do " + lines[1].removeprefix(">>> ")
    said = re.sub(r"\.? Raised from .*", "", said)
    if isinstance(error, KeyError):  # what Numba makes of an unknown field of a record
        field = str(error.args[0])
        fields = [name for record in RECORDS for name in record.names or ()]
        near = get_close_matches(field, fields, n=1)
        said = f"no field {field} in a record" + (f"; did you mean {near[0]}?" if near else "")
        line = _line_of_name(function, field)
    elif undefined := re.match(r"NameError: name '(\w+)'", said):
        line = _line_of_name(function, undefined[1])
    elif plain := re.match(r"Untyped global name '(\w+)'.*<class 'function'>", said):
        said = f"{plain[1]} is not compiled; decorate it with @numba.njit"
    return (f"line {line}: " if line else "") + _shortened(said)


def _line_of_name(function: Any, name: str) -> int | None:
    """The first line of a function's file that has a name, or a field of that name."""
    tree = ast.parse(Path(function.__code__.co_filename).read_text(encoding="utf-8-sig"))
    lines = [node.lineno for node in ast.walk(tree) if name in (getattr(node, "id", 0), getattr(node, "attr", 0))]
    return min(lines, default=None)


def _shortened(text: str) -> str:
    """Without the fields of every record and the addresses of functions."""
    short = re.sub(r"Record\(\[.*?\}\)\], \d+, \w+\)", "record", text)
    short = re.sub(r"type\(CPUDispatcher\(<function (?:\S+\.)?(\w+) at \w+>\)\)", r"\1", short)
    return short if len(short) < 300 else short[:300] + "..."
