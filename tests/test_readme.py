"""What README and ARCHITECTURE show is true: examples run, links lead somewhere, tables list what the code has."""

import fnmatch
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rcsim import cli, columns
from rcsim.engine import events, random, state
from rcsim.rules.loader import load

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "results").glob("*.md")])
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """The code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """Every rcsim command that the README shows, without its comment."""
    lines = "".join(blocks(README, "sh")).splitlines()
    return [line.split("  #")[0].strip() for line in lines if line.startswith("rcsim ")]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a checkout is after the first run, with fewer games."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        from first_run import command
    finally:
        sys.path.remove(str(ROOT / "scripts"))
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "examples", folder / "examples")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert cli.run(command("500")) == 0
    return folder


def test_the_polars_example_runs(first: Path) -> None:
    (example,) = blocks(README, "python")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example], cwd=first, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for word in ("ended_it", "win_share", "penalties", "4a", "4b", "4c"):
        assert word in done.stdout


def test_there_are_commands() -> None:
    shown = {"sweep", "tournament", "play", "trace", "replay", "verify", "policies", "rules", "schema"}
    assert {line.split()[1] for line in commands()} == shown


@pytest.mark.parametrize("line", commands())
def test_a_command_runs(line: str, first: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(first)
    smaller = re.sub(r"--count \d+", "--count 2", re.sub(r"--games \w+", "--games 40", line))
    smaller = re.sub(r"--deals \w+", "--deals 10", smaller)
    assert cli.run(shlex.split(smaller)[1:]) == 0
    out, err = capsys.readouterr()
    assert out or "--out" in line
    assert "error" not in err


def test_the_closing_table_is_of_this_shape(first: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """The README's table has the lines that the first run prints, numbers apart."""
    monkeypatch.chdir(first)
    assert cli.run(["sweep", "--games", "500", "--out", "runs/shape"]) == 0
    printed = capsys.readouterr().out.replace("runs/shape", "runs/first")
    (shown,) = blocks(README, "text")
    assert load().hash[:8] in shown, "the shipped ruleset is another one now: python scripts/readme_table.py"
    ours, theirs = ([re.findall(r"[A-Za-z]+", line) for line in text.splitlines() if line] for text in (printed, shown))
    skipped = ["Truncated"]  # only where there are such games
    ours, theirs = ([w for w in words if w[:1] != skipped] for words in (ours, theirs))
    assert [w for w in ours if w[:1] != ["policy"]] == [w for w in theirs if w[:1] != ["policy"]]


def headings(text: str) -> set[str]:
    """The anchors of a page."""
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in headings(target.read_text(encoding="utf-8")), link


def test_the_rules_are_where_it_says() -> None:
    places = re.findall(r"`([a-z_/]+\.py):(\w+)`", ARCHITECTURE)
    assert len(places) > 50
    for path, name in places:
        source = (ROOT / "rcsim" / path).read_text(encoding="utf-8")
        assert re.search(rf"^def {name}\(", source, re.MULTILINE), f"{path}:{name}"


def numbered(prefix: str) -> dict[str, int]:
    """The rows of the table whose names begin so: name and number."""
    return {name: int(n) for n, name in re.findall(rf"^\| (\d+) \| `({prefix}[A-Z_]*)`", ARCHITECTURE, re.MULTILINE)}


@pytest.mark.parametrize(("module", "prefix"), [(state, "P_"), (state, "A_"), (events, "EV_")])
def test_the_tables_are_those_of_the_code(module, prefix: str) -> None:
    assert numbered(prefix) == {name: value for name, value in vars(module).items() if name.startswith(prefix)}


def test_the_purposes_are_those_of_the_code() -> None:
    shown = numbered("(?!P_|A_|EV_)")
    assert list(shown.values()) == list(range(random.PLAYER + 1))
    assert shown == {name: getattr(random, name) for name in shown}


def test_every_column_is_in_the_table_once() -> None:
    table = ARCHITECTURE.split("### Columns")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*`) \| `(engine/\w+\.py)` \|$", table, re.MULTILINE)
    patterns = [(pattern, path) for names, path in rows for pattern in re.findall(r"`([\w*]+)`", names)]
    exact = {pattern for pattern, _ in patterns if "*" not in pattern}
    for column in columns.SEAT_COLUMNS:
        fits = [
            p for p, _ in patterns if p == column.name or (column.name not in exact and fnmatch.fnmatch(column.name, p))
        ]
        assert len(fits) == 1, (column.name, fits)
    for pattern, path in patterns:
        assert any(fnmatch.fnmatch(c.name, pattern) for c in columns.SEAT_COLUMNS), pattern
        source = (ROOT / "rcsim" / path).read_text(encoding="utf-8")
        names = re.findall(r'seat_column\("(\w+)"\)', source)
        assert any(fnmatch.fnmatch(name, pattern) for name in names) or pattern in (
            "middles_finished",
            "domes_finished",
            "arches",
            "crosses",
        ), (pattern, path)
