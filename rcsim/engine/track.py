"""The track: recognition and prestige on one line (docs/rules.md, section 3).

Positions are absolute and the geometry repeats every lap. `column` names where in the ledger a displacement
is booked, so that start plus all sources is the final position.
"""

from rcsim.engine.jit import entry, jit


@entry
def prestige_at(t, position):
    """Prestige that a marker at `position` is worth: prestige spaces at or below it."""
    before = 0
    while position >= t.lap:
        position -= t.lap
        before += t.lap_prestige
    return before + t.prestige_count[position]


@entry
def position_of(t, n):
    """Position of the n-th prestige space, n >= 1."""
    laps = 0
    while n > t.lap_prestige:
        n -= t.lap_prestige
        laps += t.lap
    return laps + t.prestige_position[n]


@entry
def prestige_behind(t, position):
    """Prestige spaces strictly behind `position`."""
    return prestige_at(t, position - 1) if position > 0 else 0


@jit
def gain_recognition(g, seat, n, column):
    """Move the marker n positions on."""
    g.marker[seat] += n
    g.ledger[seat, column] += n


@jit
def gain_prestige(g, t, seat, n, column):
    """Move the marker to the n-th prestige space ahead."""
    to = position_of(t, prestige_at(t, g.marker[seat]) + n)
    g.ledger[seat, column] += to - g.marker[seat]
    g.marker[seat] = to


@jit
def lose_prestige(g, t, seat, n, column):
    """Move the marker to the n-th prestige space strictly behind; the caller has checked that there is one."""
    to = position_of(t, prestige_behind(t, g.marker[seat]) - n + 1)
    g.ledger[seat, column] += to - g.marker[seat]
    g.marker[seat] = to
