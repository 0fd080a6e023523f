"""How far a run has come, on stderr: a bar in a terminal, elsewhere a plain line now and then."""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self

INTERRUPTED = 130  # what a shell reports for Ctrl-C
COMPILING_S = 2.0
FIRST_LINE_S = 10.0  # after this the first plain line; each pause is twice as long as the one before, up to:
LONGEST_PAUSE_S = 600.0
WIDTH_PAUSE_S = 1.0  # it is computed no more often
BAR = 16  # columns that percentage and bar take at least


def duration(seconds: float) -> str:
    """A time in words: 8.3 s, 4 min 10 s, 2 h 5 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


_STOPS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_stopped_by: list[int] = []  # the signals other than SIGINT that came


def stop_code() -> int:
    """The exit code of a process that was asked to stop: what a shell reports for the signal that came first."""
    return 128 + _stopped_by[0] if _stopped_by else INTERRUPTED


@contextlib.contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Within, SIGTERM and SIGHUP are what Ctrl-C is, but for the exit code."""

    def stop(number: int, _: object) -> None:
        _stopped_by.append(number)
        raise KeyboardInterrupt

    _stopped_by.clear()
    before = _handle(stop, *(number for number in _STOPS if number != signal.SIGINT))
    try:
        yield
    finally:
        _restore(before)


@contextlib.contextmanager
def compiling(clean_up: Callable[[], None] = lambda: None, left: str = "") -> Iterator[Callable[[], None]]:
    """Around the first use of the engine: say so if something is compiled, and that takes long.

    Yields what says that another process compiles, and is waited for. Ctrl-C ends the process at once, after
    `clean_up`, and says what is `left`: nothing can be lost here, and an exception in the midst of the compiler leaves
    it in pieces that complain.
    """
    from numba.core import event

    class Compiler(event.Listener):
        """Hears of each function that is not in the cache, and of those that it needs in turn."""

        depth = 0
        timer = threading.Timer(COMPILING_S, _say, ["compiling (once; half a minute or so) ..."])

        def on_start(self, event: object) -> None:
            self.depth += 1
            if self.depth == 1 and not self.timer.is_alive() and not self.timer.finished.is_set():
                self.timer.daemon = True
                self.timer.start()

        def on_end(self, event: object) -> None:
            self.depth -= 1

    def leave(number: int, _: object) -> None:
        clean_up()
        _say(f"interrupted{left and '; '}{left}")
        os._exit(128 + number)

    compiler = Compiler()
    before = _handle(leave, *_STOPS)
    try:
        with event.install_listener("numba:compile", compiler):
            yield lambda: _say("waiting for another process that compiles ...")
    finally:
        compiler.timer.cancel()
        _restore(before)


def _say(text: str) -> None:
    print(f"rcsim: {text}", file=sys.stderr, flush=True)


def _handle(handler: Callable[..., Any], *signals: signal.Signals) -> dict[signal.Signals, Any]:
    """Set a handler; those before. Only the main thread may. A signal that is ignored, as by nohup, stays so."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    heard = [number for number in signals if signal.getsignal(number) is not signal.SIG_IGN]
    return {number: signal.signal(number, handler) for number in heard}


def _restore(handlers: dict[signal.Signals, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


class Progress:
    """Shows the games that are done, the rate and the time left; `update` it often, it shows what it wants.

    The rate is that of the last half minute, so that a slow start does not spoil the forecast. Where a precision is
    asked for, the width that is left is shown as well, and the time is the longest that it can take.
    """

    def __init__(self, target: float | None = None) -> None:
        """`target`: the half-width that is asked for, if any."""
        self.target = target
        self.start = time.monotonic()
        self._seen: list[tuple[float, int]] = [(self.start, 0)]
        self._next_line = self.start + FIRST_LINE_S
        self._pause = FIRST_LINE_S
        self._width: float | None = None
        self._next_width = self.start
        self._bar: Any = None
        self._task: Any = None
        self._sign = plus_minus(sys.stderr.encoding)  # what stands for stderr while there is a bar has no encoding

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar
            from rich.table import Column

            self._bar = Bar(
                TextColumn("{task.percentage:3.0f} %", table_column=Column(no_wrap=True, min_width=5)),
                BarColumn(bar_width=None),
                TextColumn("{task.fields[text]}", table_column=Column(no_wrap=True)),
                console=Console(stderr=True),
                transient=True,
                expand=True,
            )
            self._bar.start()
            self._task = self._bar.add_task("", total=None, text="")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(
        self, done: int, held: int, goal: int, width: Callable[[], float | None], *, steady: bool = True
    ) -> None:
        """Show that so many games were played, besides those that were there, of so many; `width` is asked rarely.

        While they do not come at a `steady` pace yet there is no rate, and no forecast.
        """
        now = time.monotonic()
        if not steady:
            self._seen = [(now, done)]
        elif now - self._seen[-1][0] >= 0.2:
            self._seen.append((now, done))
            while now - self._seen[0][0] > 30 and len(self._seen) > 2:
                self._seen.pop(0)
        if self._bar is not None:
            if self.target is not None and now >= self._next_width:
                self._width, self._next_width = width(), now + WIDTH_PAUSE_S
            text = fitting(self._parts(done, goal - held - done, now), self._bar.console.width - BAR)
            self._bar.update(self._task, completed=held + done, total=goal, text=text)
        elif now >= self._next_line:
            if self.target is not None:
                self._width = width()
            text = ", ".join([f"{held + done:,} of {goal:,} games", *self._parts(done, goal - held - done, now)])
            print(f"rcsim: {text}", file=sys.stderr, flush=True)
            self._pause = min(2 * self._pause, LONGEST_PAUSE_S)
            self._next_line = now + self._pause

    def _parts(self, done: int, left: int, now: float) -> list[str]:
        """What there is to say beside the number of games, what may be left out first comes first."""
        (then, before) = self._seen[0]
        rate = (done - before) / (now - then) if now > then else 0.0
        most = "" if self.target is None else "at most "
        parts = [f"{rate:,.0f} games/s", f"{most}{duration(left / rate)} left"] if rate > 0 else []
        if self.target is not None and self._width is not None:
            sign = self._sign
            parts.append(f"interval {sign} {100 * self._width:.2g} of {sign} {100 * self.target:g} points")
        return parts


def fitting(parts: list[str], width: int) -> str:
    """As many of the last parts as there is room for, at least one."""
    while len(parts) > 1 and len(", ".join(parts)) > width:
        parts = parts[1:]
    return ", ".join(parts)


def plus_minus(encoding: str | None) -> str:
    """The sign, if there is one in this encoding."""
    try:
        "±".encode(encoding or "ascii")
    except (UnicodeError, LookupError):
        return "+-"
    return "±"
