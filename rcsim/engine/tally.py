"""Counts of the values of each column, over rows of games: what a summary keeps of them.

A count has a place of its own in a table that spans most values; those beyond it are listed, to be counted outside.
"""

import numpy as np

from rcsim.columns import GAME_COLUMNS, SEAT_COLUMNS, game_column
from rcsim.engine.jit import entry

LOW = -64  # least value that has a place
VALUES = 512  # as many have
PLAN = game_column("plan")


def new_tables(plans, seats):
    """Counts, all 0: int64 (plans, game columns, values) and (plans, seats, seat columns, values)."""
    shape = plans, len(GAME_COLUMNS), VALUES
    return np.zeros(shape, np.int64), np.zeros((plans, seats, len(SEAT_COLUMNS), VALUES), np.int64)


def new_list(games, seats):
    """Room for all values of so many games: int32 rows of plan, seat (-1: of the game), column, value."""
    return np.empty((games * (len(GAME_COLUMNS) + seats * len(SEAT_COLUMNS)), 4), np.int32)


@entry
def tally(game_rows, seat_rows, games, seats, beyond):
    """Count the values of rows (of `play_range`) in tables of `new_tables`; how many are listed in `beyond` instead."""
    n = 0
    many = seats.shape[1]
    for i in range(game_rows.shape[0]):
        plan = game_rows[i, PLAN]
        for column in range(game_rows.shape[1]):
            value = game_rows[i, column]
            if LOW <= value < LOW + VALUES:
                games[plan, column, value - LOW] += 1
            else:
                beyond[n, 0], beyond[n, 1], beyond[n, 2], beyond[n, 3] = plan, -1, column, value
                n += 1
        for seat in range(many):
            row = i * many + seat
            for column in range(seat_rows.shape[1]):
                value = seat_rows[row, column]
                if LOW <= value < LOW + VALUES:
                    seats[plan, seat, column, value - LOW] += 1
                else:
                    beyond[n, 0], beyond[n, 1], beyond[n, 2], beyond[n, 3] = plan, seat, column, value
                    n += 1
    return n
