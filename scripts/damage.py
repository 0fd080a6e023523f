"""Damage a run folder in every way that disks, people and other programs do, and see what becomes of it.

    python scripts/damage.py                               the table, and how many trials failed
    python scripts/damage.py --write results/damage.md     into a file

Each trial damages a copy of a sound folder, lets `rcsim verify` look for it, gives the run's own command again and
verifies once more. It succeeds if the damage was named, if the command plays what was damaged and no more, if the
content hash is then that of the sound folder, and if no good file was lost on the way. Full and read-only disks are
file systems of their own in memory, where that is allowed, else stood in for.
"""

import argparse
import contextlib
import io
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import pyarrow.parquet as pq

import rcsim
from rcsim.cli import run as rcsim_run
from rcsim.experiments.store.content import content_hash
from rcsim.experiments.store.disk import sha256
from rcsim.experiments.store.folder import Folder

COMMAND = ("sweep", "--policy", "builder", "--players", "2", "--plan", "all")


@dataclass
class Row:
    """A trial: what was done, what was said, how many games were played again, and what went wrong, if anything."""

    name: str
    said: str
    again: int
    wrong: list[str] = field(default_factory=list)


def command(*arguments: object) -> tuple[int, str, str]:
    """Run rcsim in this process: exit code, stdout, stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = rcsim_run([str(argument) for argument in arguments])
    return code, out.getvalue(), err.getvalue()


class Trials:
    """The trials of one sound folder."""

    def __init__(self, place: Path, games: int) -> None:
        self.place = place
        self.sweep = (*COMMAND, "--games", str(games))
        self.sound = place / "sound"
        code, _, err = command(*self.sweep, "--out", self.sound)
        if code:
            raise SystemExit(err)
        self.hash = content_hash(self.sound)
        self.digests = digests(self.sound)
        self.rows: list[Row] = []
        print(f"a sound run of {Folder(self.sound).games():,} games, hash {self.hash[:16]}", file=sys.stderr)

    def copy(self, to: Path | None = None) -> Path:
        """A fresh copy of the sound folder."""
        path = to or self.place / "trial"
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(self.sound, path)
        return path

    def repair(self, row: Row, path: Path, *, parts: int | None = None) -> None:
        """Give the command again, and see that all is as it was; at most so many parts are to be played again."""
        before = {name: digest for name, digest in digests(path).items() if self.digests.get(name) == digest}
        before.pop("SHA256SUMS", None)  # a list, which the command brings up to date
        code, _, err = command(*self.sweep, "--out", path)
        found = re.search(r"^rcsim: ([\d,]+) games in", err, re.M)
        row.again = int(found[1].replace(",", "")) if found else 0
        if code:
            row.wrong.append(f"the command failed: {err.strip().splitlines()[-1]}")
            return
        code, out, err = command("verify", path, "--sample", "5")
        if code or f"hash      {self.hash}" not in out:
            row.wrong.append(f"not repaired: {out}{err}")
        after = digests(path)
        kept = {*after.values()}
        row.wrong += [f"{name} was lost" for name, digest in before.items() if digest not in kept]
        most = sum(sorted((part.count for part in Folder(self.sound).parts()), reverse=True)[: parts or 10**6])
        if parts is not None and row.again > most:
            row.wrong.append(f"{row.again:,} games were played again")

    def damage(self, name: str, do: Callable[[Path], None], parts: int, *expected: str) -> None:
        """One damage; each of `expected` is to be in a line of its own that verify prints."""
        path = self.copy()
        do(path)
        before = digests(path)
        code, out, err = command("verify", path, "--sample", "5")
        lines = [line.removeprefix("damaged   ") for line in out.splitlines() if line.startswith("damaged")]
        row = Row(name, "; ".join(lines[:2]) + (f"; and {len(lines) - 2} more" if len(lines) > 2 else ""), 0)
        if code != 1 or err:
            row.wrong.append(f"verify ended with {code}: {out}{err}")
        row.wrong += [f"not named: {words}" for words in expected if not any(words in line for line in lines)]
        if digests(path) != before:
            row.wrong.append("verify changed the folder")
        self.repair(row, path, parts=parts)
        self.add(row)

    def refused(self, name: str, path: Path, words: str, run: tuple[int, str, str]) -> Row:
        """A command that cannot do what it should: one line that says so, and nothing is lost."""
        code, _, err = run
        row = Row(name, err.strip().splitlines()[-1].removeprefix("rcsim: error: ") if err.strip() else "", 0)
        row.said = row.said.replace(f"{path}", "DIR")
        if code != 2 or words not in row.said or "Traceback" in err:
            row.wrong.append(f"ended with {code}: {err}")
        return row

    def add(self, row: Row) -> None:
        """Take the outcome of a trial down."""
        self.rows.append(row)
        print(f"{'FAILED' if row.wrong else 'ok    '}  {row.name}  {'; '.join(row.wrong)}", file=sys.stderr)


def digests(path: Path) -> dict[str, str]:
    """Checksum of each file in a folder, by name."""
    return {str(file.relative_to(path)): sha256(file) for file in sorted(path.rglob("*")) if file.is_file()}


def flip(file: Path, bit: int) -> None:
    """Turn one bit of a file."""
    data = bytearray(file.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    file.write_bytes(data)


def damages(trials: Trials, flips: int) -> None:
    """All that can be wrong with the files of a folder."""
    folder = Folder(trials.sound)
    first, *_, last = folder.parts()
    dice = random.Random(1)
    for _ in range(flips):
        table = dice.choice(folder.tables)
        part = dice.choice(folder.parts())
        name = f"{table}/{part.name}"
        size = folder.file(table, part).stat().st_size
        bit = dice.randrange(8 * size)
        what = f"bit {bit:,} of a file of {table} flipped"
        trials.damage(what, lambda path, n=name, b=bit: flip(path / n, b), 1, name)
        without = f"{what}, no SHA256SUMS"
        if bit < 8 * (size - pq.read_metadata(folder.file(table, part)).serialized_size):  # in the data themselves
            trials.damage(
                without,
                lambda path, n=name, b=bit: (flip(path / n, b), (path / "SHA256SUMS").unlink()),
                1,
                name,
                "SHA256SUMS: missing",
            )
    name = f"seats/{last.name}"
    size = folder.file("seats", last).stat().st_size
    for left in (size - 1, size // 2, 4, 0):
        what = f"a part cut to {left:,} of {size:,} bytes"
        trials.damage(what, lambda path, n=left: os.truncate(path / name, n), 1, name)
    one, other = f"games/{first.name}", f"games/{last.name}"

    def swap(path: Path) -> None:
        (path / one).rename(path / "aside-1")
        (path / other).rename(path / one)
        (path / "aside-1").rename(path / other)

    trials.damage("two parts in each other's place", swap, 2, one, other)
    trials.damage("a file deleted", lambda path: (path / one).unlink(), 1, f"{one}: missing")
    trials.damage("one table deleted", lambda path: shutil.rmtree(path / "games"), 10**6, f"{other}: missing")
    trials.damage("a link to nowhere", lambda path: link(path / one), 1, one)
    manifest = len((trials.sound / "run.json").read_bytes())
    for left in (manifest - 2, manifest // 2, 0):
        what = f"the manifest cut to {left:,} bytes"
        trials.damage(what, lambda path, n=left: os.truncate(path / "run.json", n), 0, "run.json")
    for _ in range(flips):
        bit = dice.randrange(8 * manifest)
        trials.damage(
            f"bit {bit:,} of the manifest flipped", lambda path, b=bit: flip(path / "run.json", b), 0, "run.json"
        )
    trials.damage("the manifest deleted", lambda path: (path / "run.json").unlink(), 0, "run.json: missing")
    trials.damage("SHA256SUMS deleted", lambda path: (path / "SHA256SUMS").unlink(), 0, "SHA256SUMS: missing")
    trials.damage("SHA256SUMS cut", lambda path: (path / "SHA256SUMS").write_text("0000\nabc"), 0, "SHA256SUMS: 1 of")


def link(path: Path) -> None:
    """Have a link that leads nowhere in the place of a file."""
    path.unlink()
    path.symlink_to("nowhere")


@contextlib.contextmanager
def small_disk(place: Path, size: int) -> Iterator[Path | None]:
    """A file system in memory of so many bytes; None where it may not be made."""
    place.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    try:
        made = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        made = False
    try:
        yield place if made else None
    finally:
        if made:
            subprocess.run(["umount", str(place)], check=False)


def remount(place: Path, option: str) -> None:
    """Change an option of a file system."""
    subprocess.run(["mount", "-o", f"remount,{option}", str(place)], check=True)


def disks(trials: Trials) -> None:
    """Full and read-only disks."""
    sizes = [file.stat().st_size for file in trials.sound.rglob("*") if file.is_file()]
    total = sum(sizes)
    for share in (0.001, 0.3, 0.5, 0.7, 0.9, 0.98):
        size = max(int(total * share), 4096)
        with small_disk(trials.place / "disk", size) as disk:
            name = f"a disk of {size:,} bytes for {total:,}"
            if disk is None:
                size = int(max(sizes) * share)
                name = f"files of at most {size:,} bytes"
                path = trials.place / "trial"
                shutil.rmtree(path, ignore_errors=True)
                with limited(size):
                    run = command(*trials.sweep, "--out", path)
            else:
                path = disk / "run"
                run = command(*trials.sweep, "--out", path)
            row = trials.refused(name, path, "cannot be written", run)
            if disk is not None:
                remount(disk, f"size={4 * total}")
            trials.repair(row, path)
            trials.add(row)
    with small_disk(trials.place / "disk", 4 * total) as disk:
        if disk is None and os.geteuid() == 0:
            print("a read-only folder was not tried: root may write anywhere", file=sys.stderr)
            return
        path = trials.copy(None if disk is None else disk / "run")
        if disk is not None:
            remount(disk, "ro")
        else:
            for folder in (path, *path.iterdir()):
                if folder.is_dir():
                    folder.chmod(0o555)
        run = command(*trials.sweep, "--out", path)
        row = trials.refused("a folder that is read-only", path, "cannot be written", run)
        code, out, err = command("verify", path, "--sample", "5")
        if code or err or trials.hash not in out:
            row.wrong.append(f"verify ended with {code}: {out}{err}")
        if digests(path) != trials.digests:
            row.wrong.append("the folder was changed")
        trials.add(row)
        if disk is None:
            for folder in (path, *path.iterdir()):
                folder.chmod(0o755)


@contextlib.contextmanager
def limited(size: int) -> Iterator[None]:
    """Within, no file may grow beyond so many bytes, which stands in for a full disk."""
    import resource
    import signal

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def writers(trials: Trials) -> None:
    """Two writers of one folder at once, and one that was killed with the lock in its hand."""
    path = trials.place / "trial"
    for name, ending in (("two writers at once", "wait"), ("a writer killed with kill -9", "kill")):
        shutil.rmtree(path, ignore_errors=True)
        process = subprocess.Popen(
            [sys.executable, "-m", "rcsim", *trials.sweep, "--out", str(path)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=Path(__file__).resolve().parent.parent,
        )
        while not (path / "run.json").exists() and process.poll() is None:
            time.sleep(0.001)
        row = trials.refused(name, path, "writes there", command(*trials.sweep, "--out", path))
        row.said = re.sub(r"process \d+ on \S+", "process N on HOST", row.said)
        if ending == "kill":
            process.kill()
        _, err = process.communicate()
        if ending == "wait" and process.returncode:
            row.wrong.append(f"the first one failed: {err.decode()}")
        trials.repair(row, path, parts=0 if ending == "wait" else None)
        trials.add(row)


def table(trials: Trials) -> str:
    """The outcome, as the page that is stored."""
    failed = sum(bool(row.wrong) for row in trials.rows)
    games = Folder(trials.sound).games()
    lines = [
        "# Damage",
        "",
        f"`rcsim {' '.join(trials.sweep)}`, {games:,} games in {len(Folder(trials.sound).parts())} parts, damaged in"
        f" {len(trials.rows)} ways",
        f"by `scripts/damage.py` (rcsim {rcsim.__version__}, {platform.system()}). Each time the same command was",
        f"given again. **{len(trials.rows) - failed} of {len(trials.rows)}** times the damage was named, the content",
        "hash was that of the sound run afterwards, and no good file was lost.",
        "",
        "| what was done | what was said | games played again |",
        "|---|---|---|",
    ]
    for row in trials.rows:
        said = re.sub(r"_game-0*(\d+)-0*(\d+)\.parquet", r" \1 to \2", row.said.replace("|", "\\|"))
        lines.append(f"| {row.name} | {said} | {row.again:,}{' **FAILED**' if row.wrong else ''} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Make all trials; the number of those that failed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--games", type=int, default=20_000, help="games of each of the three cells")
    parser.add_argument("--flips", type=int, default=12, help="bits that are flipped in parts, and in the manifest")
    parser.add_argument("--write", type=Path, help="file for the table (default: stdout)")
    parser.add_argument("--only", choices=["damages", "disks", "writers"], help="some of the trials")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="rcsim-damage-") as place:
        trials = Trials(Path(place), asked.games)
        if asked.only in (None, "damages"):
            damages(trials, asked.flips)
        if asked.only in (None, "disks"):
            disks(trials)
        if asked.only in (None, "writers"):
            writers(trials)
        text = table(trials)
    if asked.write is not None:
        asked.write.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return sum(bool(row.wrong) for row in trials.rows)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
