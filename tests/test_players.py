"""Players as users write them: the grammar, weight files, and what a run keeps of both."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rcsim import cli, policies
from rcsim.experiments.cells import Run, design
from rcsim.experiments.errors import DesignError
from rcsim.experiments.store.folder import Folder
from rcsim.policies import NAMES, STYLES, weights
from rcsim.policies.catalogue import LIMIT_DOCS, entries, measured
from rcsim.policies.errors import PlayerError
from rcsim.policies.features import TILE_UNITS, WEIGHT_NAMES, WEIGHTS
from rcsim.policies.lineup import MAX_PLAYOUTS, Player, resolve, seat_players, tile_worth
from rcsim.policies.player import LIMITS, NO_EXTRA, NO_ORNAMENTS, NO_REROLL, NO_TILES
from rcsim.rules.loader import from_dict, load
from rcsim.rules.pack import pack

ROOT = Path(__file__).resolve().parent.parent
RULESET = load()
CHOOSE = "def choose(g, t, acts, mind):\n    return acts.a[0]\n"


def refusal(spec: str) -> str:
    """What a bad player gets, on one line."""
    with pytest.raises(PlayerError) as error:
        resolve(spec)
    text = str(error.value)
    assert "\n" not in text
    return text


# ----------------------------------------------------------------------------------------------- grammar


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        *((name, name) for name in NAMES if name not in ("balanced", "search")),
        ("balanced", "planner"),
        ("balanced:no-tiles", "planner:no-tiles"),
        ("planner:no-reroll:no-ornaments:no-reroll", "planner:no-ornaments:no-reroll"),
        ("planner:" + ":".join(reversed(LIMITS)), "planner:" + ":".join(LIMITS)),
        ("rusher:bases-only", "rusher:bases-only"),
        ("search", "search:200"),
        ("search:1", "search:1"),
        ("search:0050", "search:50"),
        (f"search:{MAX_PLAYOUTS}", f"search:{MAX_PLAYOUTS}"),
        ("search:no-selling:no-tiles:300", "search:300:no-tiles:no-selling"),
    ],
)
def test_a_player_has_one_form(written: str, canonical: str) -> None:
    player = resolve(written)
    assert player.spec == canonical
    assert resolve(canonical) == player
    assert Player.from_json(json.loads(json.dumps(player.to_json()))) == player


def test_what_a_player_is() -> None:
    assert resolve("greedy") == Player("greedy", "greedy")
    assert resolve("planner").weights == resolve("search").weights == weights.shipped("balanced").weights
    search = resolve("search:300:no-tiles")
    assert (search.policy, search.budget, search.limits) == ("search", 300, ("no-tiles",))
    rusher = resolve("rusher:no-reroll:no-tiles")
    assert (rusher.policy, rusher.limits) == ("planner", ("no-tiles", "no-reroll"))
    assert rusher.weights == weights.shipped("rusher").weights


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "nothing was given; accepted: random, builder, greedy, planner, balanced, rusher,"),
        ("bilder", "bilder was given; did you mean builder? accepted: random"),
        ("rushr:no-tiles", "rushr:no-tiles was given; did you mean rusher? accepted: "),
        ("custom", "custom was given; accepted: random"),
        ("mine", "search, FILE.toml, FILE.py:FUNCTION"),
        ("planner:no-ornament", "no-ornament is no restriction; did you mean no-ornaments? accepted: no-tiles,"),
        ("planner:", "planner: was given; nothing is no restriction; accepted: no-tiles"),
        ("planner:200", "200 is no restriction"),
        ("search:0", "search:0 was given; accepted: 1 to 100000 playouts a decision"),
        ("search:100001", "accepted: 1 to 100000 playouts"),
        ("search:10k", "10k is neither a number of playouts nor a restriction; accepted: no-tiles"),
        ("search:-5", "-5 is neither a number"),
        ("search:20:30", "30 is neither a number"),
        ("search:no-tile", "no-tile is neither a number of playouts nor a restriction; did you mean no-tiles?"),
        *((f"{name}:no-tiles", f"{name} takes no restrictions") for name in ("random", "builder", "greedy")),
        ("random,greedy", "accepted: a player without a comma"),
        ("no/such.toml", "no/such.toml: cannot be read (No such file or directory)"),
        ("no/such.py:choose", "no/such.py: cannot be read (No such file or directory)"),
        ("no/such.py", "accepted: no/such.py:FUNCTION"),
        ("no/such.py:", "accepted: no/such.py:FUNCTION"),
        ("no/such.py:choose:no-tiles", "accepted: no/such.py:FUNCTION, with the name of a function and no options"),
    ],
)
def test_a_player_that_cannot_be(spec: str, message: str) -> None:
    assert message in refusal(spec)


def test_a_weight_file_is_a_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a:b").mkdir()
    for path in ("mine.toml", "a:b/mine.toml"):
        Path(path).write_text("[weights]\nfinished = 2\n")
        player = resolve(f"{path}:no-reroll:no-tiles")
        assert player.spec == f"{path}:no-tiles:no-reroll"
        assert player.weights == weights.shipped("balanced").weights | {"finished": (2.0, 2.0)}
    assert "no-tile is no restriction; did you mean no-tiles?" in refusal("mine.toml:no-tile")


def test_a_function_is_a_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = f"# ünicode\n{CHOOSE}"
    Path("mine.py").write_text(source, encoding="utf-8")
    player = resolve("mine.py:choose")
    assert player == Player("mine.py:choose", "custom", source=source, function="choose")
    assert Player.from_json(json.loads(json.dumps(player.to_json()))) == player
    assert "mine.py: no function chose; did you mean choose? accepted: choose" in refusal("mine.py:chose")
    Path("marked.py").write_text(source, encoding="utf-8-sig")  # as some editors write it
    assert resolve("marked.py:choose").source == source
    Path("none.py").write_text("x = 1\n")
    assert "none.py: no function choose; there is none" in refusal("none.py:choose")
    Path("bad.py").write_text("x = 1\ndef choose(:\n")
    assert refusal("bad.py:choose").startswith("bad.py: line 2: ")
    Path("zero.py").write_bytes(b"x = 1\0")
    assert "zero.py: source code string cannot contain null bytes" in refusal("zero.py:choose")
    Path("latin.py").write_bytes(b"# \xfc\n")
    assert "latin.py: not text in UTF-8" in refusal("latin.py:choose")


def test_names_and_ids() -> None:
    assert [p.id for p in policies.POLICIES] == [*range(6)]
    assert len({*NAMES}) == len(NAMES)
    assert policies.DEFAULT_POLICY in NAMES


# ------------------------------------------------------------------------------------------ weight files


@pytest.mark.parametrize("style", STYLES)
def test_a_shipped_file_is_complete_and_as_it_would_be_written(style: str) -> None:
    path = weights.DATA / f"{style}.toml"
    file = weights.shipped(style)
    assert file.name == style
    assert file.doc
    assert list(file.weights) == list(WEIGHT_NAMES)
    assert path.read_text(encoding="utf-8") == weights.to_toml(file), "run scripts/weights.py"


def test_styles_are_the_files() -> None:
    assert {*STYLES} == {path.stem for path in weights.DATA.glob("*.toml")} - {"measured", "start"}


FILE = weights.WeightFile(
    'mi"ne\x7f',
    "zwölf \\ lines",
    {name: (round(i / 7, 3), -i / 8) for i, name in enumerate(WEIGHT_NAMES)},
    {"games": 5, "share": 0.25, "done": True, "seeds": [1, 2], "how": {"a b": "x\ty", "c": 1e-7}},
)


def test_a_file_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(weights.to_toml(FILE), encoding="utf-8")
    assert weights.read(path, complete=True) == FILE
    for weight in WEIGHTS:
        assert re.search(rf"^{weight.name} = \[.*\]  +# {re.escape(weight.doc)}$", path.read_text("utf-8"), re.M)


def test_arrays_are_in_thousandths() -> None:
    array = weights.to_array(FILE.weights)
    assert (array.dtype, array.shape) == (np.int64, (2, len(WEIGHTS)))
    assert array[:, 8].tolist() == [1143, -1000]
    assert weights.from_array(array) == FILE.weights


def test_a_file_of_ones_own_names_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('base = "rusher"\nweights.finished = [1, -2.00049]\nweights.crowded = 3e2\n')
    file = weights.read(path)
    assert (file.name, file.doc, file.training) == ("mine", "", {})
    expected = weights.shipped("rusher").weights | {"finished": (1.0, -2.0), "crowded": (300.0, 300.0)}
    assert file.weights == expected
    assert list(file.weights) == list(WEIGHT_NAMES)
    path.write_text("")
    assert weights.read(path).weights == weights.shipped("balanced").weights


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("weight.finished = 1", 'weight: unknown key; nearest known: "weights"'),
        ("weights.finishd = 1", 'weights.finishd: unknown key; nearest known: "finished"'),
        (
            "weights.finished = true",
            "weights.finished: given true; should be a number, or [at the opening, ",
        ),
        ("weights.finished = [1, true]", "weights.finished: given [1, true]; should be a number, or ["),
        ('weights.finished = "1"', 'weights.finished: given "1"; should be a number'),
        ("weights.finished = [1]", "weights.finished: given [1]; should be a number"),
        ("weights.finished = [1, 2, 3]", "weights.finished: given [1, 2, 3]; should be a number"),
        ("weights.finished = [1, -1000.1]", "weights.finished: given [1, -1000.1]; should be from -1000 to 1000"),
        (f"weights.finished = {10**400}", "weights.finished: given 1000000"),
        ("weights.finished = nan", "weights.finished: given nan; should be from"),
        ("weights.finished = inf", "weights.finished: given inf; should be from"),
        ("weights = 3", "weights: given 3; should be a table"),
        ("training = 3", "training: given 3; should be a table"),
        ("name = 3", "name: given 3; should be text"),
        ('base = "rush"', 'base: given "rush"; should be a style: balanced, rusher'),
        ("weights.finished = 1\nweights.finished = 2", "not TOML: "),
        ("weights = [", "not TOML: "),
    ],
)
def test_a_file_that_cannot_be(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    assert refusal(str(path)).startswith(f"{path}: {message}")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b'doc = "\xfc"')
    assert "not text in UTF-8" in refusal(str(tmp_path / "latin.toml"))
    (tmp_path / "folder.toml").mkdir()
    assert "cannot be read (" in refusal(str(tmp_path / "folder.toml"))


def test_a_shipped_file_lacks_nothing(tmp_path: Path) -> None:
    data = tomllib.loads((weights.DATA / "balanced.toml").read_text(encoding="utf-8"))
    path = tmp_path / "new.toml"
    path.write_text("".join(f"weights.{name} = {pair}\n" for name, pair in data["weights"].items() if name != "risk"))
    with pytest.raises(PlayerError, match=r"weights\.risk: missing"):
        weights.read(path, complete=True)
    assert weights.read(path).weights["risk"] == tuple(data["weights"]["risk"])
    path.write_text('base = "rusher"')
    with pytest.raises(PlayerError, match="base: a shipped file has none"):
        weights.read(path, complete=True)


# ----------------------------------------------------------------------------------- the kernel's records


def test_records_of_a_lineup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(CHOOSE + CHOOSE.replace("choose", "other"))
    Path("mine.toml").write_text("weights.finished = [2, -0.5]")
    tables = pack(RULESET, players=4)
    records = seat_players(["mine.toml:no-reroll:no-extra", "search:7:no-tiles", "greedy"], tables[0])
    assert records.shape == (4,)
    assert records["policy"].tolist() == [3, 4, 2, 0]
    assert records["limits"].tolist() == [NO_REROLL | NO_EXTRA, NO_TILES, 0, 0]
    assert records["budget"].tolist() == [0, 7, 0, 0]
    finished = WEIGHT_NAMES.index("finished")
    assert records["weights"][0, [0, 8, -1], finished].tolist() == [2000, 750, -500]
    assert records["weights"][1, [0, -1]].tolist() == weights.to_array(weights.shipped("balanced").weights).tolist()
    assert not records["weights"][2:].any()
    assert not records["tile_worth"][2:].any()
    records = seat_players(["mine.py:choose", "mine.py:other", "planner:no-ornaments", "mine.py:choose"], tables[0])
    assert records["policy"].tolist() == [5, 5, 3, 5]
    choose, other, none, again = records["custom"].tolist()
    assert choose == again != other
    assert none == 0
    assert records["limits"].tolist() == [0, 0, NO_ORNAMENTS, 0]


@pytest.mark.parametrize(
    "stranger",
    [
        Player("planner", "planner", weights={"finished": (1.0, 1.0)}),
        Player("planner", "planner", limits=("no-luck",), weights=resolve("planner").weights),
        Player("oracle", "oracle"),
    ],
)
def test_a_player_of_another_version_is_refused(stranger: Player) -> None:
    again = Player.from_json(stranger.to_json())
    assert again == stranger  # data can be read
    with pytest.raises(PlayerError, match="a player of another version of rcsim"):
        seat_players([again], pack(RULESET, players=4)[0])


CHOICE = {"n": 1, "of": ["wood", "gold"]}
UNITS = {unit.name: 10**i for i, unit in enumerate(TILE_UNITS)}  # so that a worth tells how often each counted


@pytest.mark.parametrize(
    ("effect", "worth"),
    [
        ({"gain": {"wood": 2, "stone": 1}}, 3 * UNITS["tile_common"]),
        ({"gain": {"gold": 1, "purple_gem": 1}}, 2 * UNITS["tile_rare"]),
        ({"gain": {"any": {"n": 2, "of": ["wood"]}}}, 2 * UNITS["tile_any"]),
        ({"gain": {"rubles": 2, "recognition": 1}}, 2 * UNITS["tile_rubles"] + UNITS["tile_recognition"]),
        ({"gain": {"prestige": 2}}, 2000),
        ({"yield": {"space": 1}}, UNITS["tile_yield"]),
        ({"pay": {"rubles": 1, "wood": 1}, "gain": {"recognition": 1}}, UNITS["tile_recognition"] - 10**4 - 1),
        ({"pay": {"recognition": 1}, "gain": {"wood": 1}}, 0),
        (
            {"pay": {"any": CHOICE}, "gain": {"gold": 1, "rubles": 1}},
            UNITS["tile_rubles"] + 10 - 100,
        ),
        ({"deliver": 2}, 2 * UNITS["tile_common"]),
        ({"roll": "arrival"}, 0),
    ],
)
def test_worth_of_a_tile(effect: dict[str, Any], worth: int) -> None:
    row = np.zeros(len(WEIGHTS), np.int64)
    for name, unit in UNITS.items():
        row[WEIGHT_NAMES.index(name)] = unit
    ruleset = from_dict({"extends": "base", "workshop_tiles": {"tile-03": {"effect": effect}}})
    found = tile_worth(row, pack(ruleset, players=4)[0])
    assert found[[*ruleset.workshop_tiles].index("tile-03")] == worth
    assert found.min() >= 0


def test_tiles_that_are_not_in_play_are_worth_nothing() -> None:
    row = np.full(len(WEIGHTS), 1000)
    many, few = (tile_worth(row, pack(RULESET, players=players)[0]) for players in (3, 2))
    plus = [tile.plus for tile in RULESET.workshop_tiles.values()]
    assert any(many[: len(plus)][plus])
    assert not few[: len(plus)][plus].any()
    assert not many[len(plus) :].any()


# ----------------------------------------------------------------------------------------------- the run


def a_run(*lineup: str, games: int = 20) -> Run:
    return design(RULESET, seed=3, games=games, players=len(lineup), policy=lineup)


def test_a_run_keeps_its_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text("weights.finished = 2")
    run = a_run("mine.toml:no-reroll:no-tiles", "balanced", "greedy", "planner")
    assert run.cells[0].lineup == ("mine.toml:no-tiles:no-reroll", "planner", "greedy", "planner")
    assert run.policies == ("mine.toml:no-tiles:no-reroll", "planner", "greedy")
    assert run.enums["policy"] == run.policies
    again = Run.from_json(json.loads(json.dumps(run.to_json())))
    assert again == run
    assert again.policies == run.policies
    Path("mine.toml").write_text("weights.finished = 3")
    changed = a_run("mine.toml:no-reroll:no-tiles", "balanced", "greedy", "planner")
    assert changed.hash != run.hash
    assert [p.spec for p in again.cells[0].seated(again.players)] == list(run.cells[0].lineup)
    _, records = again.cells[0].inputs(RULESET, again.players)  # as it was, whatever the file says now
    assert records["weights"][0, 0, WEIGHT_NAMES.index("finished")] == 2000


def test_a_run_without_its_players_is_none() -> None:
    data = a_run("greedy", "random").to_json()
    del data["players"][1]
    with pytest.raises(KeyError):
        Run.from_json(data)


@pytest.mark.parametrize(
    ("lineup", "message"),
    [
        (("greedy:no-tiles",), "policy: greedy:no-tiles was given; greedy takes no restrictions; accepted: greedy"),
        (("none.toml",), "policy: none.toml: cannot be read"),
        (("planner", "search:0"), "policy: search:0 was given; accepted: 1 to"),
    ],
)
def test_a_design_names_the_option(lineup: tuple[str, ...], message: str) -> None:
    with pytest.raises(DesignError) as error:
        a_run(*lineup)
    assert str(error.value).startswith(message)


def test_games_are_played_again_from_their_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text("weights.finished = 2")
    options = ["--players", "2", "--policy", "mine.toml:no-reroll:no-tiles,balanced", "--seed", "5"]
    assert cli.run(["sweep", *options, "--no-rotate", "--games", "4", "--out", "data"]) == 0
    assert re.search(r"^policy mine\.toml:no-tiles:no-reroll,planner, seed 5,", capsys.readouterr().out, re.M)
    seats = pl.read_parquet("data/seats")
    assert seats["policy"].to_list() == ["mine.toml:no-tiles:no-reroll", "planner"] * 4
    assert pl.read_parquet("data/games")["lineup"].unique().to_list() == ["mine.toml:no-tiles:no-reroll,planner"]
    stored = Folder(Path("data"))
    assert stored.read().players["mine.toml:no-tiles:no-reroll"].weights["finished"] == (2.0, 2.0)
    assert cli.run(["trace", *options, "--game", "3"]) == 0
    traced = capsys.readouterr().out
    assert json.loads(traced.splitlines()[0])["policies"] == ["mine.toml:no-tiles:no-reroll", "planner"]
    Path("mine.toml").unlink()
    (stored.path / "run.json").unlink()  # the footer alone is enough
    run, cell = stored.origin(stored.part_of(0, 3))
    assert run.players["mine.toml:no-tiles:no-reroll"].weights["finished"] == (2.0, 2.0)
    assert run.policies == cell.lineup
    assert cli.run(["replay", "data", "--game", "3", "--trace"]) == 0
    assert capsys.readouterr().out == traced


def test_a_bad_player_gets_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("sweep", "play", "trace"):
        assert cli.run([command, "--policy", "planner,greedy:no-tiles,planner,planner"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("rcsim: error: --policy: greedy:no-tiles was given; greedy takes no restrictions")
        assert err.count("\n") == 1


# --------------------------------------------------------------------------------------- rcsim policies


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.run(["policies", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.run(["policies", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err.removeprefix("rcsim: error: ")


def test_the_list_of_players(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    out = printed(capsys, "list")
    rows = dict(re.findall(r"^([a-z]+) +\S+(?: %)? +\S+  (\S.*)$", out, re.M))
    for name in NAMES:
        assert rows[name], name
    for name, doc in LIMIT_DOCS.items():
        assert re.search(rf"^{name} +{re.escape(doc)}$", out, re.M)
    figures = {"planner": 0.25, "search:200": 0.4567, "search:90": 0.4, "search:800:no-tiles": 0.5}
    monkeypatch.setattr("rcsim.policies.catalogue.measured", lambda: (figures, {"planner": 1234.5, "search:90": 0.123}))
    out = printed(capsys, "list")
    for row in (
        "planner +25.0 % +1,23[45] ",
        "balanced +25.0 % +1,23[45] ",
        "search +45.7 % +- ",
        "search:90 +40.0 % +0.12  the same with 90 ",
        "greedy +- +- ",
    ):
        assert re.search(f"^{row}", out, re.M), row
    assert "800" not in out


def test_restrictions_have_words() -> None:
    assert tuple(LIMIT_DOCS) == LIMITS


def test_figures_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "measured.toml"
    assert measured(path) == ({}, {})
    path.write_text(
        """
        [rates]
        balanced = 7.5
        [[lines]]
        players = 4
        one = "search"
        rest = "planner"
        win = 0.4
        [[lines]]
        players = 2
        one = "greedy"
        rest = "planner"
        win = 0.3
        [[lines]]
        players = 4
        one = "greedy"
        rest = "random"
        win = 0.5
        """
    )
    assert measured(path) == ({"search:200": 0.4, "planner": 0.25}, {"planner": 7.5})


@pytest.mark.parametrize("width", [50, 60, 80, 200])
@pytest.mark.parametrize("arguments", [("list",), ("show", "rusher")])
def test_tables_fit_the_terminal(
    arguments: tuple[str, ...], width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = printed(capsys, *arguments)
    monkeypatch.setattr("rcsim.cli.policies.terminal_width", lambda: width)
    narrow = printed(capsys, *arguments)
    tables = [line for line in narrow.splitlines() if "  " in line]
    assert max(map(len, tables)) <= max(width, 60)  # a column of text keeps 20 characters
    if width >= 80:
        assert max(map(len, narrow.splitlines())) <= width
    assert sorted(wide.split()) == sorted(narrow.split())


def test_weights_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "show", "rusher")
    assert out.startswith(f"rusher: {weights.shipped('rusher').doc}\n")
    for weight in WEIGHTS:
        early, late = weights.shipped("rusher").weights[weight.name]
        assert re.search(rf"^{weight.name} +{early:.3f} +{late:.3f}  {re.escape(weight.doc)}$", out, re.M)
    assert printed(capsys, "show", "planner") == printed(capsys, "show", "balanced")
    path = tmp_path / "mine.toml"
    path.write_text('base = "rusher"\nweights.finished = [7, -8]\ntraining.games = 5')
    out = printed(capsys, "show", str(path))
    assert out.startswith("mine\n")
    assert re.search(r"^finished +7\.000 +-8\.000  ", out, re.M)
    assert re.search(r"^games +5$", out, re.M)
    path.write_text("weights.finishd = 1")
    assert refused(capsys, "show", str(path)).startswith(f'{path}: weights.finishd: unknown key; nearest known: "')


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "rushr"), "NAME: rushr was given; did you mean rusher? accepted: planner, balanced,"),
        (("show", "greedy"), "NAME: greedy was given; accepted: planner, balanced,"),
        (("show", ""), "NAME: nothing was given; accepted: planner, balanced,"),
        (("show", "none.toml"), "none.toml: cannot be read (No such file or directory)"),
        (("new", "mine.txt"), "FILE: mine.txt was given; accepted: a name without commas that ends in .toml or .py"),
        (("new", "a,b.toml"), "FILE: a,b.toml was given; accepted: a name without commas"),
        (("new", ""), "FILE: nothing was given"),
        (("new", "no/where/mine.py"), "FILE: no/where/mine.py cannot be written (No such file or directory)"),
    ],
)
def test_policies_with_bad_input(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, *arguments).startswith(message)


def test_a_new_weight_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    out = printed(capsys, "new", "mine.toml")
    assert (
        out
        == "mine.toml is written. To see it play: rcsim sweep --games 10k --policy mine.toml,planner,planner,planner\n"
    )
    player = resolve("mine.toml")
    assert player.weights == resolve("planner").weights
    text = Path("mine.toml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith(("finished", "crowded"))]
    Path("mine.toml").write_text("\n".join(lines).replace('base = "balanced"', 'base = "rusher"'))
    assert resolve("mine.toml").weights["crowded"] == weights.shipped("rusher").weights["crowded"]
    assert "mine.toml is there already; give another file, or --force" in refused(capsys, "new", "mine.toml")
    printed(capsys, "new", "mine.toml", "--force")
    assert Path("mine.toml").read_text(encoding="utf-8") == text
    Path("folder.toml").mkdir()
    assert "folder.toml cannot be written" in refused(capsys, "new", "folder.toml", "--force")


def test_a_new_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert "--policy mine.py:choose,planner" in printed(capsys, "new", "mine.py")
    source = Path("mine.py").read_text(encoding="utf-8")
    assert resolve("mine.py:choose") == Player("mine.py:choose", "custom", source=source, function="choose")
    assert "--policy mine.py:choose,greedy,greedy,greedy" in source
    assert "FILE" not in source
    assert cli.run(["trace", "--players", "2", "--policy", "mine.py:choose,greedy"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["policies"] == ["mine.py:choose", "greedy"]
    assert lines[-1]["type"] == "score"
    own = [line["event"] for line in lines if line["type"] == "event" and line["turn"] in (0, 2)]
    assert own.count("claim") == 2  # it begins with two sections


# -------------------------------------------------------------------------------------------- the page


def rows_of(title: str) -> dict[str, str]:
    """The table of a section of the page: name and meaning."""
    page = (ROOT / "docs" / "players.md").read_text(encoding="utf-8")
    section = page if title == "" else page.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `([\w:.-]+)` \| (.*) \|$", section, re.M))


def test_the_page_says_what_there_is() -> None:
    assert rows_of("Weights") == {weight.name: weight.doc for weight in WEIGHTS}, "run scripts/weights.py"
    assert rows_of("Restrictions") == LIMIT_DOCS
    docs = {entry.name: entry.doc for entry in entries()}
    assert rows_of("Styles") == {style: docs[style] for style in STYLES}
    shown = rows_of("")
    for name in ("random", "builder", "greedy", "planner"):
        assert shown[name] == docs[name]
    assert shown["search:200"].replace(" (here 200 a decision)", "") == docs["search"]


def test_the_examples_of_the_page_are_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "players.md").read_text(encoding="utf-8")
    (file,) = re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)
    (function,) = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    Path("mine.toml").write_text(file)
    Path("mine.py").write_text(function)
    named = re.findall(r"--policy ([\w.,:-]+)", page)
    assert len(named) >= 4
    for lineup in named:
        for spec in lineup.split(","):
            assert resolve(spec).spec == spec
    assert resolve("mine.toml").weights["rubles_more"] == (0.9, 0.9)
