"""Small things about files: safe on the disk before they are named, errors in one plain line."""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rcsim.experiments.errors import StoreError

BLOCK = 2**20  # bytes read at once


def listed(folder: Path) -> list[Path]:
    """What is in a folder, hidden files left out; nothing if it is not there. StoreError if it cannot be read."""
    try:
        return sorted(file for file in folder.iterdir() if not file.name.startswith("."))  # .DS_Store, .nfs...
    except FileNotFoundError:
        return []
    except NotADirectoryError:
        raise StoreError(f"{folder}: not a folder; move it away") from None
    except OSError as error:
        raise StoreError(f"{folder}: cannot be read ({error.strerror})") from error


def regular(path: Path) -> None:
    """StoreError if something is there that is no file: to open a pipe is to wait for ever."""
    if path.exists() and not path.is_file():
        raise StoreError(f"{path}: not a regular file")


def sha256(path: Path) -> str:
    """Digest of a file's bytes, as `sha256sum` has it. OSError if it cannot be read, StoreError if it is no file."""
    regular(path)
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def sync(path: Path) -> None:
    """Wait until what a file or a folder holds is on the disk, where the system can say so. OSError if it is full."""
    if os.name == "nt" and path.is_dir():
        return  # no such thing there
    handle = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def put(draft: Path, text: str, place: Path) -> None:
    """Have a small text file appear whole, or replaced whole, or not at all. OSError if it cannot."""
    draft.write_text(text, encoding="utf-8", newline="\n")
    sync(draft)
    draft.replace(place)
    sync(place.parent)


def local() -> Any:
    """Arrow's local files: without it, or with a relative path, it takes a name with a colon for a URI."""
    from pyarrow.fs import LocalFileSystem

    return LocalFileSystem()


@contextlib.contextmanager
def plainly(path: Path) -> Iterator[None]:
    """Turn an operating system's error into one line that names the folder and the reason."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else first_line(error)
        raise StoreError(f"{path}: cannot be written ({reason})") from error


def first_line(error: BaseException) -> str:
    """What an error says, without what other packages add below."""
    return str(error).strip().split("\n")[0]
