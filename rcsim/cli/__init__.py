"""The command line. Commands are thin, and import what they need when they run, so that `--help` is instant."""

import contextlib
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

import rcsim
from rcsim.cli import games, merge, policies, rules, schema, sweep, tournament, train, verify
from rcsim.cli.errors import UserError
from rcsim.cli.progress import INTERRUPTED, stop_code

app = typer.Typer(
    help="Simulate the board game The Red Cathedral: is it fair? (An unofficial tool.)",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("sweep")(sweep.sweep)
app.command("tournament")(tournament.tournament)
app.command("play")(games.play)
app.command("trace")(games.trace)
app.command("replay")(games.replay)
app.command("verify")(verify.verify)
app.command("merge")(merge.merge)
app.command("train")(train.train)
app.add_typer(policies.app, name="policies")
app.add_typer(rules.app, name="rules")
app.command("schema")(schema.schema)

BAD_INPUT = 2


def _version(asked: bool) -> None:
    if asked:
        print(f"rcsim {rcsim.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit code. Whatever the user can put right is said in one line on stderr, with code 2."""
    from rcsim.experiments.errors import DesignError, DesignProblems, ExperimentError, Interrupted
    from rcsim.policies.errors import PlayerError
    from rcsim.rules.errors import RulesetError

    try:
        code: object = app(list(arguments), prog_name="rcsim", standalone_mode=False, obj=_command(arguments))
        if code == INTERRUPTED:  # newer versions of Typer make this of Ctrl-C, older ones the errors below
            return _say("interrupted", code=stop_code())
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        return _say("interrupted", code=stop_code())
    except Interrupted as error:
        return _say(f"interrupted; {error}", code=stop_code())
    except DesignError as error:
        return _say(f"error: --{error}")  # each key of a design is an option
    except (DesignProblems, RulesetError) as error:
        return _say(*(f"error: {line}" for line in error.lines()))
    except (ExperimentError, PlayerError, UserError) as error:
        return _say(f"error: {error}")
    except Exception as error:
        # Typer's own complaints: their class has a public name in no version of it, their method has one.
        if not hasattr(error, "format_message"):
            raise
        message = " ".join(error.format_message().split())
        if message.startswith("Usage:"):  # no command was given: the message is the help
            print(error.format_message(), file=sys.stderr)
            return BAD_INPUT
        context = getattr(error, "ctx", None)
        return _say(f"error: {message} (see {context.command_path if context else 'rcsim'} --help)")


def _command(arguments: Sequence[str]) -> str:
    """The command as data say it, which are UTF-8."""
    return shlex.join(["rcsim", *arguments]).encode(errors="backslashreplace").decode()


def _say(*lines: str, code: int = BAD_INPUT) -> int:
    """Print lines on stderr letter for letter; hand the code on."""
    with contextlib.suppress(OSError):  # the terminal may be gone, as with SIGHUP
        for line in lines:
            print(f"rcsim: {line}", file=sys.stderr)
    return code


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    if sys.stderr is None:  # closed, as by 2>&-
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        sys.exit(_say("error: standard output cannot be written (it is closed)"))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows another
    try:
        code = run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough, as in `rcsim trace | head`
        _drop_output()
        code = 1
    except OSError as error:
        if error.filename is not None:
            code = _say(f"error: {error.filename}: {error.strerror}")
        else:  # files that the user names have their own messages
            _drop_output()
            code = _say(f"error: standard output cannot be written ({error.strerror or error})")
    sys.exit(code)


def _drop_output() -> None:
    """Let what stdout still holds go nowhere, so that Python does not complain about it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
