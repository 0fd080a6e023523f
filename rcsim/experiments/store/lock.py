"""One writer a folder: a lock that the system frees when its holder dies, and a note of who holds it."""

import contextlib
import os
import platform
from pathlib import Path
from typing import Any

from rcsim.experiments.errors import StoreError


class Lock:
    """The lock of a run folder, in its folder `unfinished`.

    The file `lock` is what the system locks, `writer` says for people who it is. Both are gone when nobody writes.
    """

    def __init__(self, folder: Path, unfinished: Path) -> None:
        self.folder = folder
        self.unfinished = unfinished
        self.writer = unfinished / "writer"
        self._file = unfinished / "lock"
        self._held: Any = None

    @property
    def held(self) -> bool:
        """Whether it is ours."""
        return self._held is not None

    def take(self) -> None:
        """Become the writer. StoreError, with who it is, if there is another one; OSError if it cannot be."""
        self._held = self._acquire(create=True)
        if self._held is None:
            raise StoreError(f"{self.folder}: {self._who()} writes there; wait for it or give another folder")
        try:
            self.writer.write_text(f"{os.getpid()} {platform.node()}\n", encoding="utf-8")
        except OSError:
            self.give()
            raise

    def holder(self) -> str | None:
        """Who writes the folder now, in words; None if nobody does. Changes nothing."""
        if self.held or not self._file.exists():
            return None
        try:
            lock = self._acquire(create=False)
        except OSError:
            return None  # a folder that cannot be written has no writer
        if lock is None:
            return self._who()
        lock.release()
        return None

    def give(self) -> None:
        """Give the lock back, with its files; never fails, and does nothing if it is not ours."""
        if self._held is None:
            return
        for file in (self.writer, self._file):  # deleted while it is held: who waits for it sees that it is gone
            with contextlib.suppress(OSError):
                file.unlink()
        with contextlib.suppress(OSError):
            self.unfinished.rmdir()
        with contextlib.suppress(Exception):
            self._held.release()
        self._held = None

    def _acquire(self, *, create: bool) -> Any:
        """The lock, if it is free at this moment; else None."""
        from filelock import FileLock, Timeout

        for attempt in range(10):
            if create:
                self.unfinished.mkdir(parents=True, exist_ok=True)
            try:
                lock = FileLock(self._file, thread_local=False)
                lock.acquire(timeout=0)
                return lock
            except Timeout:
                return None
            except FileNotFoundError:  # the last writer has just removed the folder
                if attempt == 9 or not create:
                    raise
        return None

    def _who(self) -> str:
        try:
            pid, _, host = self.writer.read_text(encoding="utf-8", errors="replace").strip().partition(" ")
        except OSError:
            return "another process"
        return f"process {pid} on {host}" if host else "another process"
