"""A kernel that plays nothing, and a run of it in a process of its own."""

import time
from pathlib import Path

import numpy as np

from rcsim.columns import game_column, seat_column


def fake_kernel(tables, lineup, seed, first, games, seats):
    """Rows that depend on seed, deal and seat alone, filled slowly enough for threads to overtake each other."""
    time.sleep(0.001 * (first // 7 % 3))
    games[:], seats[:] = 0, 0
    n, k = len(games), len(seats) // max(len(games), 1)
    deal = first + np.arange(n)
    games[:, game_column("plan")] = deal % 3
    games[:, game_column("turns")] = deal % 17 + seed
    games[:, game_column("truncated")] = deal % 11 == 0
    games[:, game_column("tie")] = deal % 5 == 0
    for seat in range(k):
        seats[seat::k, seat_column("seat")] = seat
        seats[seat::k, seat_column("total")] = (deal * (seat + 3)) % 97 - 20
        won = np.where(deal % 5 == 0, 2 * (seat < 2), deal % k == seat)
        seats[seat::k, seat_column("win_share")] = won


def child(path):
    """Play a run, or what is missing of it, in a folder."""
    from rcsim.cli.playing import play
    from rcsim.experiments import work
    from rcsim.experiments.cells import design
    from rcsim.experiments.store.folder import Folder
    from rcsim.rules.loader import load

    work.kernel, work.warm_up = lambda: fake_kernel, lambda *_: None
    ruleset = load()
    run = design(ruleset, seed=3, games=500, plan="all", policy=["random"])
    print("begun", flush=True)
    play(run, {ruleset.hash: ruleset}, threads=2, folder=Folder(Path(path)), part_games=100)
