"""`rcsim merge`: the shards of a run, made on several machines, as one folder."""

import sys
from dataclasses import replace
from typing import Annotated

import typer

from rcsim.cli import options
from rcsim.cli.errors import UserError
from rcsim.cli.progress import Progress, terminated_as_interrupted
from rcsim.cli.resume import command_for, games_told


def merge(
    folders: Annotated[list[str], typer.Argument(metavar="DIR...", help="Folders with parts of one run.")],
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Folder for all of them together.")],
    force: Annotated[bool, typer.Option("--force", help="Replace another run that the folder holds.")] = False,
) -> None:
    """Put the parts of a run, made in several folders, into one.

    The folders must be of the same run: the same version, seed, rulesets and cells; and no game may be in two of them.
    Parts are copied, and read back; the folders stay as they are. Broken off, the same command goes on.
    """
    from rcsim.experiments.errors import Interrupted, StoreError
    from rcsim.experiments.lacking import lacking
    from rcsim.experiments.store.content import content_hash
    from rcsim.experiments.store.folder import Folder
    from rcsim.experiments.store.merge import merge, survey

    paths = [options.folder("DIR", folder) for folder in folders]
    target = options.path("--out", out)
    if len(paths) < 2:
        raise UserError(f"DIR: {folders[0]} alone was given; accepted: two folders or more")
    with terminated_as_interrupted(), Progress() as progress:

        def watch(done: int, goal: int) -> None:
            progress.update(done, 0, goal, lambda: None)

        run, sources = survey(paths, target, watch)
        if run.command:  # the whole is no shard
            run = replace(run, command=command_for(run.command, target))
        try:
            notes = merge(run, sources, target, force=force, watch=watch)
        except StoreError as error:
            raise UserError(f"--out: {error}") from error
        except KeyboardInterrupt:
            raise Interrupted(f"what was merged so far is in {target}; the same command goes on") from None
    parts = Folder(target).parts()
    gaps = lacking(run, Folder(target), parts)
    for note in notes:
        print(f"rcsim: {note}", file=sys.stderr)
    print(f"parts     {len(parts):,}, of {len(paths)} folders")
    print("\n".join(games_told(sum(part.count for part in parts), gaps, run)))
    print(f"hash      {content_hash(target)}")
    print(f"\nData: {target} (Parquet)")
    if gaps and run.command:
        print(f"\nTo play what is missing:\n\n    {run.command}")
    elif run.command:
        print(f"\nFor the tables of it:\n\n    {run.command}")
