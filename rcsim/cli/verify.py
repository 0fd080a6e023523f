"""`rcsim verify`: whether a run folder is still what was written."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import rcsim
from rcsim.cli import options
from rcsim.cli.progress import Progress, compiling, terminated_as_interrupted
from rcsim.cli.resume import SHARD, command_for, games_told

if TYPE_CHECKING:
    from rcsim.experiments.cells import Run
    from rcsim.experiments.store.verify import Report

DAMAGED = 1


def verify(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Folder of a run.")],
    sample: Annotated[
        str | None,
        typer.Option("--sample", metavar="N", help="Games of each cell to play again (default: some dozens; 0: none)."),
    ] = None,
) -> None:
    """Read all data of a run again, and play some of its games again.

    Checked are checksums, footers, every row, and that no game is there twice; a fixed sample of games is played
    again and compared number by number. Whatever is damaged gets a line, and the exit code is 1. Nothing is changed:
    the command of the run repairs it, and plays only what was damaged or is missing.
    """
    from rcsim.experiments.store.verify import verify

    path = options.folder("DIR", folder)
    number = None if sample is None else options.whole("sample", sample, 0)
    with terminated_as_interrupted(), Progress() as progress:
        report = verify(
            path,
            sample=number,
            watch=lambda done, goal: progress.update(done, 0, goal, lambda: None),
            engine=compiling,
        )
    print("\n".join(_lines(report, path)))
    if report.damages:
        raise typer.Exit(DAMAGED)


def _lines(report: "Report", path: Path) -> list[str]:
    """What was checked, what is odd, what is damaged, and what to do."""
    run, parts = report.run, len(report.parts)
    lines = [] if run is None else [f"run       {_heading(report, run)}"]
    lines += [
        f"parts     {report.found:,}" + (f", of which {parts:,} are sound" if parts < report.found else ""),
        *(games_told(report.games, report.missing, run) if run and report.whole else [f"games     {report.games:,}"]),
        f"replayed  {report.replayed:,} games" + (", each as it is stored" if report.replayed and report.hash else ""),
        *([f"hash      {report.hash}"] if report.hash else []),
        *(f"note      {note}" for note in report.notes),
        *(f"damaged   {damage}" for damage in report.damages),
        "",
    ]
    go_on = ["", f"    {command_for(run.command, path, shard=True)}"] if run and run.command else []
    version = "" if run is None or run.version == rcsim.__version__ else f", with rcsim {run.version}"
    if not report.damages:
        lines.append("Nothing is damaged.")
        if report.missing and run and SHARD in run.command:
            lines.append("It is a shard of its run: the others have the rest (see rcsim merge).")
        elif report.missing and go_on:
            lines += ["", f"To play what is missing{version}:", *go_on]
        return lines
    count = "1 thing is" if len(report.damages) == 1 else f"{len(report.damages):,} things are"
    if report.strays:
        lines += [
            f"{count} damaged. Move this away, whatever it is:",
            "",
            *(f"    {path}" for path in report.strays),
            "",
        ]
        if len(report.damages) == len(report.strays):
            return [*lines, "Nothing else is damaged."]
        repair = "To repair the rest"
    else:
        repair = f"{count} damaged. To repair"
    lines.append(f"{repair}, run the command of the run again{version}: it sets aside")
    lines.append("what is damaged, and plays only that and what is missing" + (":" if go_on else "."))
    return [*lines, *go_on]


def _heading(report: "Report", run: "Run") -> str:
    cells = "1 cell" if len(run.cells) == 1 else f"{len(run.cells):,} cells"
    whose = cells if report.whole else "known from its parts"
    return f"rcsim {run.version}, seed {run.seed}, {whose}, detail {run.detail}, run hash {report.run_hash}"
