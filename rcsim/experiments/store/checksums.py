"""`SHA256SUMS`: a line for each finished file, in the format of `sha256sum`, so that `sha256sum -c` reads it too."""

import contextlib
import errno
import os
import re
from collections.abc import Mapping
from pathlib import Path

from rcsim.experiments.store.disk import put, regular, sync

_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


class Checksums:
    """The checksums of a run folder, by file name relative to it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> tuple[dict[str, str], int]:
        """The checksums, and how many lines could not be read; those at the end, left by a writer that died, not.

        OSError if the file is there and cannot be read, StoreError if it is no file.
        """
        regular(self.path)
        try:
            text = self.path.read_bytes().decode("utf-8", errors="replace")
        except FileNotFoundError:
            return {}, 0
        found = [_LINE.fullmatch(line) for line in text.split("\n")[:-1]]
        return {match[2]: match[1] for match in found if match}, sum(match is None for match in found)

    def add(self, sums: Mapping[str, str]) -> None:
        """Append lines, all or none. OSError if they cannot be written."""
        text = _text(sums).encode()
        handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            size = os.fstat(handle).st_size
            try:
                if os.write(handle, text) != len(text):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(handle)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(handle, size)
                raise
        finally:
            os.close(handle)

    def replace(self, sums: Mapping[str, str], draft: Path) -> None:
        """Write the file anew, if it does not say just this. OSError if it cannot be written."""
        text = _text(sums)
        with contextlib.suppress(OSError):
            if self.read()[0] == sums and self.path.stat().st_size == len(text.encode()):
                return  # in whatever order
        put(draft, text, self.path)

    def remove(self) -> None:
        """Delete the file, if it is there."""
        self.path.unlink(missing_ok=True)
        sync(self.path.parent)


def _text(sums: Mapping[str, str]) -> str:
    return "".join(f"{digest}  {name}\n" for name, digest in sums.items())
