"""`rcsim train`: the planner's weights, by evolution in games against the champion."""

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from rcsim.cli import options
from rcsim.cli.errors import UserError
from rcsim.cli.progress import compiling, duration, terminated_as_interrupted
from rcsim.cli.tables import with_half

if TYPE_CHECKING:
    from rcsim.experiments.training import Entry, Training, TrainingFolder
    from rcsim.policies.lineup import Player

MAX_THREADS = 1024
MAX_GENERATIONS = 10**6
MAX_POPULATION = 10**4
Z95 = 1.96


def train(
    context: typer.Context,
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Folder; the same command continues in it.")],
    style: Annotated[
        str | None,
        typer.Option("--style", metavar="NAME", help="rusher, majority, decorator or workshop; default: to win."),
    ] = None,
    start: Annotated[
        str, typer.Option("--from", metavar="PLAYER", help="Planner to begin with: a style or a weight file.")
    ] = "balanced",
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="NAME,...",
            help="Opponents: champion (the best so far), start, or any player. Default: champion; of a style start.",
        ),
    ] = None,
    generations: Annotated[str, typer.Option("--generations", metavar="N", help="Generations to make.")] = "200",
    population: Annotated[str, typer.Option("--population", metavar="N", help="Candidates of a generation.")] = "100",
    games: Annotated[
        str, typer.Option("--games", metavar="N", help="Games of each candidate in a generation, about.")
    ] = "200",
    sigma: Annotated[
        str, typer.Option("--sigma", metavar="X", help="How far the first candidates stray: 0.3 is about 30 %.")
    ] = "0.3",
    players: Annotated[
        str, typer.Option("--players", metavar="N,...", help="Player counts; all count alike.")
    ] = "2,3,4",
    boards: Annotated[str, typer.Option("--boards", metavar="NAME,...", help="Boards.")] = "basic,advanced",
    floor: Annotated[
        str | None,
        typer.Option("--floor", metavar="X", help="With --style: least wins, as a share of fair ones (default 0.85)."),
    ] = None,
    test_every: Annotated[str, typer.Option("--test-every", metavar="N", help="Generations between two tests.")] = "10",
    test_games: Annotated[
        str, typer.Option("--test-games", metavar="N", help="Games of each side in a test; four times in the last.")
    ] = "10000",
    seed: options.Seed = "1",
    preset: options.Preset = None,
    rules: options.Rules = "base",
    set_: options.Set = None,
    threads: options.Threads = "0",
    force: Annotated[bool, typer.Option("--force", help="Begin anew in a folder that holds a training.")] = False,
) -> None:
    """Train the planner's weights: a weight file, and the curve of the training.

    An evolution strategy (CMA-ES) tries weights in games against the champion, every candidate on the same deals and
    in every seat. Whenever a test shows the middle of its candidates to be better, that is the new champion.
    Interrupted, it can be continued by the same command; with more --generations also later.
    """
    from rcsim.experiments.arena import Arena
    from rcsim.experiments.cells import MAX_SEED, check_name
    from rcsim.experiments.evolution import LEAST_POPULATION
    from rcsim.experiments.objectives import FLOOR, STYLES, Objective
    from rcsim.experiments.training import MAX_TRIAL, Recipe, Training, TrainingFolder
    from rcsim.names import BOARDS

    ruleset = options.load_ruleset("--rules", rules, preset, set_)
    if style is not None:
        check_name("style", style, [s.name for s in STYLES])
    elif floor is not None:
        raise UserError("--floor: was given without --style; accepted with one")
    workers = options.whole("threads", threads, 0, MAX_THREADS) or options.default_threads()
    last = options.whole("generations", generations, 1, MAX_GENERATIONS)
    begin = _planner(start)
    recipe = Recipe(
        start=begin,
        seed=options.whole("seed", seed, 0, MAX_SEED),
        population=options.whole("population", population, LEAST_POPULATION, MAX_POPULATION),
        games=options.whole("games", games, 1, MAX_TRIAL),
        sigma=_real("sigma", sigma, 0.001, 10),
        players=tuple(options.whole("players", n, 2, 4) for n in _items(players)),
        boards=tuple(check_name("boards", name, BOARDS) for name in _items(boards)),
        against=_opponents(("champion" if style is None else "start") if against is None else against, begin),
        objective=Objective(style, FLOOR if floor is None else _real("floor", floor, 0, 4)),
        test_every=options.whole("test-every", test_every, 1, MAX_GENERATIONS),
        test_games=options.whole("test-games", test_games, 1, MAX_TRIAL),
        ruleset=ruleset.hash,
        preset=ruleset.preset,
    )
    folder = TrainingFolder(options.path("--out", out))
    if force and folder.state.exists():
        folder.state.unlink()
    journal, last_test = folder.read(recipe)
    if len(journal) > last:
        raise UserError(f"--generations: {last} was given; {out} holds {len(journal)} already: give that or more")
    bouts = recipe.bouts(ruleset)
    with terminated_as_interrupted(), Arena(bouts, recipe.objective, seed=recipe.seed, threads=workers) as arena:
        try:
            training = Training(recipe, arena)
        except ImportError as error:
            raise UserError(
                'training needs the package cma, which is not installed: pip install "rcsim[train]"'
            ) from error
        for entry in journal:
            training.step(entry)
        if last_test is None or len(journal) < last:
            with compiling():  # before the clock starts, and before several threads would
                arena.warm_up(training.champion)
            last_test = _run(training, folder, last, str(context.obj))
    print(_result(training, last_test))
    print(f"\nWeights: {folder.weights}\nCurve: {folder.curve}")


def _run(training: "Training", folder: "TrainingFolder", last: int, command: str) -> "Entry":
    """Make the generations that are still to be made, and the last test; what it found. The folder keeps pace."""
    from rcsim.experiments.errors import Interrupted

    before, begin = len(training.journal), time.monotonic()
    folder.write(training, training.champion, command)
    try:
        while len(training.journal) < last:
            at = time.monotonic()
            entry = training.step()
            folder.write(training, training.champion, command)
            now = time.monotonic()
            left = (now - begin) / (entry["generation"] - before) * (last - entry["generation"])
            _say(_line(entry, last) + f"; {duration(now - at)}, {duration(left)} left")
            if "test" in entry:
                _say(_test_line(entry["test"]))
        best, found = training.finish()
        folder.write(training, best, command, found)
    except KeyboardInterrupt:
        done = f"{len(training.journal)} of {last} generations are kept in {folder.path}"
        raise Interrupted(f"{done}; the same command continues") from None
    return found


def _line(entry: "Entry", last: int) -> str:
    """What a generation found."""
    best, mean = max(entry["fitness"]), sum(entry["fitness"]) / len(entry["fitness"])
    return (
        f"generation {entry['generation']} of {last}: fitness best {best:.3f}, mean {mean:.3f}; "
        f"win {entry['win']:.3f}; sigma {entry['sigma']:.3f}"
    )


def _test_line(test: "Entry") -> str:
    """What a test found."""
    win, gain = (with_half(test[key], Z95 * test[f"{key}_error"]) for key in ("win", "gain"))
    outcome = "the new champion" if test["promoted"] else "it stays"
    return f"test: win {win}, fitness {gain} above the champion's; {outcome}"


def _result(training: "Training", found: "Entry") -> str:
    """What the last test found, for people."""
    recipe = training.recipe
    start = recipe.start.spec
    games = training.games(last_test=True)
    lines = [
        f"generations {len(training.journal)}, candidates {recipe.population}, {games:,} games, seed {recipe.seed}",
        f"result: {'the middle of the last candidates' if found['middle'] else 'the champion'}",
        f"wins {with_half(found['win'], Z95 * found['win_error'])} times its fair share against {recipe.opponents}",
    ]
    if recipe.objective.style is not None:
        lines.append(f"{recipe.objective.style} {found['style']:.2f}, of {start} {found['start_style']:.2f}")
    return "\n".join(lines)


def _say(text: str) -> None:
    print(f"rcsim: {text}", file=sys.stderr, flush=True)


def _planner(spec: str) -> "Player":
    """The player of --from; UserError if it has no weights to train."""
    player = _player("--from", spec)
    if player.policy != "planner":
        raise UserError(f"--from: {spec} was given; accepted: the planner by a style or a weight file")
    return player


def _opponents(text: str, start: "Player") -> "tuple[Player | None, ...]":
    """The players of --against; None for the champion."""
    known = {"champion": None, "start": start}
    return tuple(known[name] if name in known else _player("--against", name) for name in _items(text))


def _player(option: str, spec: str) -> "Player":
    from rcsim.policies.errors import PlayerError
    from rcsim.policies.lineup import resolve

    try:
        return resolve(spec)
    except PlayerError as error:
        raise UserError(f"{option}: {error}") from error


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")]


def _real(option: str, text: str, least: float, most: float) -> float:
    """A number as it was typed; UserError if it is none within bounds."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value <= most:
        raise UserError(f"--{option}: {text or 'nothing'} was given; accepted: a number from {least:g} to {most:g}")
    return value
