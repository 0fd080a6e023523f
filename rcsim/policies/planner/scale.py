"""The scale by which a seat weighs things: its player's weights at this point of the game, and tables made of them.

A scale changes a few times in a game; those of all seats are kept until they do.
"""

import numpy as np

from rcsim.engine.jit import jit, wrapping
from rcsim.engine.random import U1, mix
from rcsim.policies.features import THOUSANDTHS, WEIGHTS, weight
from rcsim.policies.mind import KNOWN_RUBLES
from rcsim.policies.player import STAGES
from rcsim.rules.tables import MAX_SLOTS

TRACK_RIVALS = weight("track_rivals")
END_LEAD = weight("end_lead")
TOWERS_OWN = weight("towers_own")
TOWERS_RIVALS = weight("towers_rivals")
AHEAD_OWN = weight("ahead_own")
AHEAD_RIVALS = weight("ahead_rivals")
CLAIMED = weight("claimed")
FINISHED = weight("finished")
OVERTIME = weight("overtime")
REWARD = weight("reward")
REWARD_RUBLES = weight("reward_rubles")
LACKING_COMMON = weight("lacking_common")
LACKING_RARE = weight("lacking_rare")
UNDELIVERED = weight("undelivered")
CROWDED = weight("crowded")
SPARE_COMMON = weight("spare_common")
SPARE_RARE = weight("spare_rare")
SLOT_1 = weight("slot_1")
SLOT_2 = weight("slot_2")
SLOTS_MORE = weight("slots_more")
RUBLES_1_3 = weight("rubles_1_3")
RUBLES_4_6 = weight("rubles_4_6")
RUBLES_MORE = weight("rubles_more")
TILES_OFTEN = weight("tiles_often")
TILES_SELDOM = weight("tiles_seldom")
SPACES_OFTEN = weight("spaces_often")
SPACES_UNLOCK = weight("spaces_unlock")
UNLOCKED = weight("unlocked")
PLACED = weight("placed")
ORNAMENTS_OPEN = weight("ornaments_open")
ORNAMENTS_READY = weight("ornaments_ready")
GEMS_OPEN = weight("gems_open")
RISK = weight("risk")
THREAT = weight("threat")
OPEN_ABOVE = weight("open_above")
LEFT_NEXT = weight("left_next")

ALL_WEIGHTS = len(WEIGHTS)
LONG = 40  # rounds; hardly a game takes more


@jit
def set_scale(g, t, seat, player, mind):
    """The scale of this point of the game into mind.scale."""
    mind.limits = player.limits
    last_turn = g.finisher >= 0 and g.finisher != seat
    over = max(0, g.turn // t.seats - LONG)
    point = STAGES if last_turn else stage(g, t)
    tag = tagged(player.tag, (over * (STAGES + 1) + point) * 4 + seat)
    if mind.scales[seat].tag != tag:
        make_scale(t, last_turn, over, point, player, mind.scales[seat])
        mind.scales[seat].tag = tag
    if mind.scale.tag != tag:
        mind.scale = mind.scales[seat]


@wrapping
@jit
def tagged(tag, point):
    """The tag of a player's scale."""
    return mix(tag + np.uint64(point) + U1)


@jit
def stage(g, t):
    """How far the game is, 0 to STAGES - 1: by the player who has come farthest, sections finished and claimed."""
    most = 0
    for seat in range(t.seats):
        most = max(most, 3 * g.finished[seat] + g.unfinished[seat])
    return min(STAGES - 1, most * (STAGES - 1) // (3 * t.end_sections))


@jit
def make_scale(t, last_turn, over, point, player, scale):
    """Fill a scale. In a seat's last turn it is that of the score itself."""
    w = scale.w
    scale.last_turn = 1 if last_turn else 0
    if last_turn:
        for k in range(ALL_WEIGHTS):
            w[k] = 0
        rival = -THOUSANDTHS // (t.seats - 1)
        w[TOWERS_OWN] = THOUSANDTHS
        w[TOWERS_RIVALS] = rival
        w[TRACK_RIVALS] = rival
        for k in (UNDELIVERED, SPARE_COMMON, SPARE_RARE, RUBLES_1_3, RUBLES_4_6, RUBLES_MORE):
            w[k] = THOUSANDTHS // t.leftover_divisor
    else:
        for k in range(ALL_WEIGHTS):
            w[k] = player.weights[point, k]
        w[CLAIMED] += over * w[OVERTIME]  # whoever gains by waiting would wait for ever
        w[FINISHED] += over * w[OVERTIME]
    for m in range(6):
        scale.spare[m] = (w[SPARE_COMMON] if m < 3 else w[SPARE_RARE]) - w[UNDELIVERED]
        scale.lacking[m] = w[LACKING_COMMON] if m < 3 else w[LACKING_RARE]
    worth = 0
    scale.rubles[0] = 0
    for n in range(1, KNOWN_RUBLES):
        worth += w[RUBLES_1_3] if n <= 3 else (w[RUBLES_4_6] if n <= 6 else w[RUBLES_MORE])
        scale.rubles[n] = worth
    worth = 0
    scale.slots[0] = 0
    for n in range(1, MAX_SLOTS + 1):
        worth += w[SLOT_1] if n == 1 else (w[SLOT_2] if n == 2 else w[SLOTS_MORE])
        scale.slots[n] = worth
