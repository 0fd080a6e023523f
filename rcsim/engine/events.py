"""The event log: what an atomic action caused, as rows of integers, for the trace.

Row: event, seat, then operands (the list below). A log that is off costs one test an event.
"""

from rcsim.engine.jit import jit

(
    EV_SELL,
    EV_REROLL,  # space
    EV_CLAIM,  # tower, level, space (-1 for Ivan), face
    EV_DELIVER,  # tower, level, material, why
    EV_COMPLETE,  # tower, level
    EV_PENALTY,  # tower, level, owner, points, lost
    EV_ADORN,  # tower, level, ornament, gems
    EV_MOVE,  # die, from, to, value, steps, why
    EV_TAKE,  # space, dice, wanted by good (9)
    EV_INFLUENCE,  # quadrant, action
    EV_WORKSHOP,  # space, tile, why
    EV_ROLL,  # space, why, values by die (5; 0: not rolled)
    EV_YIELD,  # space, why
    EV_PAY,  # good, n, why
    EV_GAIN,  # good, n, why
    EV_CARD,  # card
    EV_TRANSPORT,  # n
    EV_FINISH,
    EV_BUILD,  # only as a reason: a delivery of the build action
    EV_ACQUIRE,  # only as a reason: the move and roll of a market visit
    EV_IVAN,  # only as a reason
) = range(21)


@jit
def emit(log, event, seat, a, b, c, d):
    """Write an event with up to four operands."""
    if log.on:
        row = log.row[log.n]
        row[0] = event
        row[1] = seat
        row[2] = a
        row[3] = b
        row[4] = c
        row[5] = d
        log.n += 1


@jit
def emit_more(log, e, f):
    """Add a fifth and a sixth operand to the event just written."""
    if log.on:
        row = log.row[log.n - 1]
        row[6] = e
        row[7] = f
