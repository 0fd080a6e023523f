"""Keyed randomness: published and frozen numbers, evenness, and streams that do not disturb each other."""

from collections import Counter
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest

from rcsim.engine import random as rnd
from rcsim.engine import state as st
from rcsim.engine.events import EV_ROLL
from rcsim.engine.jit import entry
from rcsim.engine.random import below, deal_key, draw, shuffle, stream
from rcsim.engine.run import next_action
from rcsim.engine.setup import setup
from rcsim.engine.state import new_actions, new_games, new_log, scratch_cards
from rcsim.engine.turn import apply
from rcsim.policies.lineup import seat_players
from rcsim.policies.mind import new_mind
from rcsim.policies.player import new_players
from tests.positions import loaded, packed

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
U = np.uint64

# Of the reference code by Sebastiano Vigna: the first numbers from seed 1234567, and from seed 0.
SPLITMIX_1234567 = (
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
)
SPLITMIX_0 = (0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC, 0x1B39896A51A8749B)


def reference_mix(z: int) -> int:
    """The output function once more, with Python's integers."""
    z &= MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def reference_draw(seed: int, deal: int, purpose: int, counter: int) -> int:
    """What the module's words say, with Python's integers."""
    key = reference_mix(reference_mix(seed + GOLDEN) + (deal + 1) * GOLDEN)
    start = reference_mix(key + (purpose + 1) * GOLDEN)
    return reference_mix(start + (counter + 1) * GOLDEN)


def started(seed: int, deal: int, purpose: int) -> np.uint64:
    """Start of a stream, by the engine (compiled code hands back plain integers, and wants unsigned ones)."""
    return U(stream(U(deal_key(U(seed), np.int64(deal))), np.int64(purpose)))


def drawn(seed: int, deal: int, purpose: int, counter: int) -> int:
    """A draw, by the engine."""
    return int(draw(started(seed, deal, purpose), np.int64(counter)))


# --- known answers


@pytest.mark.parametrize(("seed", "numbers"), [(1234567, SPLITMIX_1234567), (0, SPLITMIX_0)])
def test_published_numbers(seed: int, numbers: tuple[int, ...]) -> None:
    assert [int(draw(U(seed), np.int64(i))) for i in range(5)] == list(numbers)
    assert [reference_mix(seed + (i + 1) * GOLDEN) for i in range(5)] == list(numbers)


@pytest.mark.parametrize(
    ("seed", "deal", "purpose", "counter", "number"),
    [
        (0, 0, rnd.COLOURS, 0, 0x2130748AAAC80268),
        (1, 0, rnd.DICE, 0, 0x008D9B81B19068C1),
        (1, 1, rnd.DICE, 0, 0xE2F4D4C5ECAF7B0E),
        (1, 10**6, rnd.DICE, (250 << 16) | (4 << 12) | 2, 0xE1CFADFA2FC4FD60),
        (2**64 - 1, 2**40, rnd.PLAYER + 3, 12345, 0x05A95381824BA452),
        (20240229, 7, rnd.IVAN, 4, 0x3D8F5486F5AAD920),
    ],
)
def test_frozen_draws(seed: int, deal: int, purpose: int, counter: int, number: int) -> None:
    # A change here is another game for every seed: golden games and published results change with it.
    assert drawn(seed, deal, purpose, counter) == reference_draw(seed, deal, purpose, counter) == number


def test_draws_follow_the_reference() -> None:
    numbers = np.random.default_rng(5)
    for _ in range(300):
        seed, deal = int(numbers.integers(2**64, dtype=np.uint64)), int(numbers.integers(2**45))
        purpose, counter = int(numbers.integers(16)), int(numbers.integers(2**30))
        bits = drawn(seed, deal, purpose, counter)
        assert bits == reference_draw(seed, deal, purpose, counter)
        n = int(numbers.integers(1, 600))
        assert below(U(bits), np.int64(n)) == (bits >> 32) * n >> 32


@pytest.mark.parametrize("n", [1, 2, 5, 6, 300])
def test_below_stays_below(n: int) -> None:
    for bits in (0, 1, 2**32 - 1, 2**32, 2**63, MASK):
        assert 0 <= below(U(bits), np.int64(n)) < n
    assert below(U(0), np.int64(n)) == 0
    assert below(U(MASK), np.int64(n)) == n - 1


def test_purposes_are_numbered_as_ever() -> None:
    # Their numbers are part of every seed's games.
    setup_purposes = (rnd.COLOURS, rnd.MARKET, rnd.GUILDS, rnd.SETUP_DICE, rnd.PLAN)
    assert setup_purposes == (0, 1, 2, 3, 4)
    assert (rnd.BASES, rnd.MIDDLES, rnd.DOMES, rnd.TILES) == (5, 6, 7, 8)
    assert (rnd.DICE, rnd.IVAN, rnd.SEARCH, rnd.PLAYER) == (9, 10, 11, 12)


def test_frozen_shuffle() -> None:
    items = np.arange(10)
    shuffle(U(1234567), items, 10)
    assert items.tolist() == [6, 9, 0, 7, 2, 5, 8, 4, 1, 3]
    again = list(range(10))
    for i in range(9, 0, -1):
        j = (reference_mix(1234567 + (10 - i) * GOLDEN) >> 32) * (i + 1) >> 32
        again[i], again[j] = again[j], again[i]
    assert items.tolist() == again
    items = np.arange(10)
    shuffle(U(1234567), items, 4)  # the rest stays
    assert sorted(items[:4].tolist()) == [0, 1, 2, 3]
    assert items[4:].tolist() == [4, 5, 6, 7, 8, 9]


# --- evenness (all deterministic)


@entry
def count_faces(seed, deals, turns, faces, pairs):
    """Faces of dice over deals, turns, dice and rolls as the engine keys them; pairs of successive rolls, too."""
    for deal in range(deals):
        start = stream(deal_key(seed, deal), rnd.DICE)
        for turn in range(turns):
            for die in range(5):
                before = -1
                for roll in range(2):
                    face = below(draw(start, (turn << 16) | (die << 12) | roll), 6)
                    faces[die, face] += 1
                    if before >= 0:
                        pairs[before, face] += 1
                    before = face


def chi_square(counts: Any) -> float:
    """Sum of squared deviations from an even spread, in units of the expected count."""
    counts = np.asarray(counts, float)
    expected = counts.sum() / counts.size
    return float(((counts - expected) ** 2 / expected).sum())


def test_dice_are_fair() -> None:
    faces, pairs = np.zeros((5, 6), np.int64), np.zeros((6, 6), np.int64)
    count_faces(U(11), np.int64(40), np.int64(100), faces, pairs)
    assert chi_square(faces.sum(axis=0)) < 20.5  # 5 degrees of freedom, 0.1 %
    assert all(chi_square(row) < 20.5 for row in faces)
    assert chi_square(pairs) < 66.6  # 35 degrees of freedom, 0.1 %


def test_neighbouring_deals_are_unlike() -> None:
    for purpose in (rnd.DICE, rnd.PLAYER, rnd.PLAN):
        first = [int(below(U(drawn(3, deal, purpose, 0)), np.int64(6))) for deal in range(6001)]
        assert chi_square(np.bincount(first)) < 20.5
        pairs = Counter(pairwise(first))
        assert chi_square([pairs[a, b] for a in range(6) for b in range(6)]) < 66.6


def test_keys_and_streams_are_distinct() -> None:
    keys = {int(deal_key(U(seed), np.int64(deal))) for seed in range(30) for deal in range(300)}
    assert len(keys) == 9000
    starts = {int(started(1, deal, purpose)) for deal in range(500) for purpose in range(16)}
    assert len(starts) == 8000


def test_all_orders_are_equally_likely() -> None:
    counts: Counter[tuple[int, ...]] = Counter()
    for deal in range(4800):
        items = np.arange(4)
        shuffle(started(8, deal, rnd.COLOURS), items, 4)
        counts[tuple(items.tolist())] += 1
    assert chi_square([counts[order] for order in permutations(range(4))]) < 49.7  # 23 degrees of freedom, 0.1 %


# --- setup: each thing from its own stream


def laid_out(seed: int = 4, deal: int = 0, *, players: int = 3, sets: tuple[str, ...] = (), **kind: Any) -> Any:
    """The record of a deal after setup."""
    games = new_games(1)
    t = packed(loaded(None, sets), players=players, **kind)
    setup(games[0], t, U(seed), np.int64(deal), scratch_cards())
    return games


def parts(games: Any, *, without: set[str]) -> dict[str, Any]:
    """What a deal drew, by field."""
    names = {"key", "plan", "market", "guild", "guild_card", "die_space", "die_value", "supply", "colour", "rubles"}
    names |= {"marker", "card", "tile", "kind", "height", "left"}
    return {name: games[name][0].tolist() for name in names - without}


CHI_SQUARE = {2: 10.9, 3: 13.9, 4: 16.3, 5: 18.5, 6: 20.6, 8: 24.4, 9: 26.2, 10: 27.9, 16: 37.7, 36: 66.7, 100: 148.3}
# by number of classes: the bound that one case in a thousand exceeds, one degree of freedom less than classes


def test_setup_is_even_and_its_parts_are_independent() -> None:
    deals = 3000
    t = packed(loaded(), players=3)
    games, scratch = new_games(1), scratch_cards()
    views = {name: games[name][0] for name in ("market", "guild", "guild_card", "die_space", "die_value", "colour")}
    views |= {name: games[name][0] for name in ("card", "kind", "tile")}
    draws: dict[str, list[int]] = {}
    for deal in range(deals):
        setup(games[0], t, U(17), np.int64(deal), scratch)
        now = {name: view.tolist() for name, view in views.items()}
        cards = [card for _, card in sorted(zip(now["guild"], now["guild_card"], strict=True))]
        cross = now["market"].index(int(t.recognition_tile))
        for name, drawn in {
            "cross": cross,
            "first tile": now["market"][0],
            "quadrant 0": now["guild"][0],
            **{f"card of guild {i}": cards[i] for i in range(4)},
            "colour of seat 0": now["colour"][0],
            "first die": next(die for die in range(5) if now["die_space"][die] == cross),
            **{f"face of die {i}": now["die_value"][i] - 1 for i in range(5)},
            "plan": int(games["plan"][0]),
            "first base": now["card"][0] - int(t.deck_start[0]),
            "first dome": now["card"][now["kind"].index(2)] - int(t.deck_start[2]),
        }.items():
            draws.setdefault(name, []).append(drawn)
    sizes = {name: max(values) + 1 for name, values in draws.items()}
    sizes_wanted = {"cross": 8, "first tile": 8, "quadrant 0": 4, "colour of seat 0": 4, "first die": 5, "plan": 3}
    assert sizes_wanted.items() <= sizes.items()
    assert (sizes["card of guild 2"], sizes["face of die 4"], sizes["first dome"]) == (3, 6, 10)
    for name, values in draws.items():
        assert chi_square(np.bincount(values, minlength=sizes[name])) < CHI_SQUARE[sizes[name]], name
    for a, b in (
        ("card of guild 0", "card of guild 1"),
        ("card of guild 2", "card of guild 3"),
        ("card of guild 0", "plan"),
        ("quadrant 0", "colour of seat 0"),
        ("first base", "first dome"),
        ("face of die 0", "face of die 1"),
        ("face of die 3", "face of die 4"),
    ):
        both = np.asarray(draws[a]) * sizes[b] + np.asarray(draws[b])
        classes = sizes[a] * sizes[b]
        assert chi_square(np.bincount(both, minlength=classes)) < CHI_SQUARE[classes], (a, b)


def test_the_deal_is_a_function_of_seed_and_number() -> None:
    assert laid_out(4, 9).tobytes() == laid_out(4, 9).tobytes()
    some = [parts(laid_out(seed, deal), without=set()) for seed in (4, 5) for deal in (9, 10)]
    for name in ("market", "card", "tile", "key"):
        assert len({str(part[name]) for part in some}) == 4


def test_a_record_that_was_used_before_makes_no_difference() -> None:
    fresh = laid_out(4, 3, players=3)
    used = laid_out(77, 5, players=3)
    t = packed(loaded(), players=3)
    acts, mind, log, lineup = new_actions(), new_mind(), new_log(), new_players()
    for _ in range(200):
        apply(used[0], t, log, next_action(used[0], t, acts, mind, lineup))
    setup(used[0], t, U(4), np.int64(3), scratch_cards())
    after = []
    for games in (fresh, used):
        for _ in range(900):
            if games["phase"][0] == st.P_OVER:
                break
            apply(games[0], t, log, next_action(games[0], t, acts, mind, lineup))
        after.append(games["ledger"][0].tolist())
    assert after[0] == after[1]


def test_what_a_player_thought_in_other_turns_makes_no_difference() -> None:
    t = packed(loaded("fr2022"), players=2, board="advanced")
    acts, used, log = new_actions(), new_mind(), new_log()
    lineup = seat_players(("planner", "planner"), t)
    for deal in range(4):
        games = new_games(1)
        setup(games[0], t, U(7), np.int64(deal), scratch_cards())
        turn = -1
        while games["phase"][0] != st.P_OVER:
            if games["turn"][0] != turn:  # within a turn it keeps to its plan
                turn = games["turn"][0]
                fresh = new_mind()
            action = next_action(games[0], t, acts, used, lineup)
            assert action == next_action(games[0], t, acts, fresh, lineup)
            assert action == next_action(games[0], t, acts, fresh, lineup)  # asked once more
            apply(games[0], t, log, action)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_fixing_the_plan_changes_nothing_else(players: int) -> None:
    for deal in range(6):
        drawn = laid_out(4, deal, players=players)
        cards = [[c for c, k in zip(drawn["card"][0], drawn["kind"][0], strict=True) if k == kind] for kind in range(3)]
        for index, plan in enumerate(loaded().plan_ids(players)):
            fixed = laid_out(4, deal, players=players, plan=plan)
            assert fixed["plan"][0] == index
            if index == drawn["plan"][0]:
                assert fixed.tobytes() == drawn.tobytes()
            without = {"plan", "card", "kind", "height", "left"}
            assert parts(fixed, without=without) == parts(drawn, without=without)
            n = int(fixed["sections"][0])
            for kind in range(3):  # the decks lie in the same order
                ours = [int(fixed["card"][0, s]) for s in range(n) if fixed["kind"][0, s] == kind]
                length = min(len(ours), int((drawn["kind"][0, :n] == kind).sum()))
                assert ours[:length] == cards[kind][:length]


def test_fixing_colours_rubles_or_board_changes_nothing_else() -> None:
    for deal in range(5):
        drawn = laid_out(4, deal)
        fixed = laid_out(4, deal, colours=("yellow", "red", "green"))
        assert fixed["colour"][0].tolist()[:3] == [3, 0, 2]
        assert parts(fixed, without={"colour"}) == parts(drawn, without={"colour"})
        richer = laid_out(4, deal, rubles=(9, 0, 30))
        assert richer["rubles"][0].tolist()[:3] == [9, 0, 30]
        assert parts(richer, without={"rubles"}) == parts(drawn, without={"rubles"})
        assert parts(laid_out(4, deal, board="advanced"), without=set()) == parts(drawn, without=set())
        assert parts(laid_out(4, deal, sets=("track.start=3",)), without={"marker"}) == parts(drawn, without={"marker"})


def test_the_player_count_does_not_move_the_market() -> None:
    two, four = laid_out(4, 2, players=2), laid_out(4, 2, players=4)
    for name in ("market", "guild", "guild_card", "die_space", "die_value"):
        assert two[name][0].tolist() == four[name][0].tolist()
    assert two["colour"][0, :2].tolist() == four["colour"][0, :2].tolist()


# --- play: players never touch the dice


Rolls = dict[tuple[int, int, int], int]


def rolls_of(lineup: tuple[str, ...], seed: int, deal: int, sets: tuple[str, ...] = ()) -> tuple[int, Rolls]:
    """Key of a game and the face of every roll by (turn, die, roll of that die in that turn)."""
    games = new_games(1)
    t = packed(loaded(None, ("options.turn_cap=30", *sets)), players=len(lineup))
    g, acts, mind, log = games[0], new_actions(), new_mind(), new_log(on=True)
    players = seat_players(lineup, t)
    setup(g, t, U(seed), np.int64(deal), scratch_cards())
    rolls: Rolls = {}
    count: Counter[tuple[int, int]] = Counter()
    while games["phase"][0] != st.P_OVER:
        turn = int(games["turn"][0])
        log.n = 0
        apply(g, t, log, next_action(g, t, acts, mind, players))
        for row in log.row[: log.n].tolist():
            if row[0] == EV_ROLL:
                for die, face in enumerate(row[4:9]):
                    if face:
                        rolls[turn, die, count[turn, die]] = face
                        count[turn, die] += 1
    return int(games["key"][0]), rolls


@pytest.mark.parametrize("players", [1, 2, 4])
def test_a_face_is_keyed_by_turn_die_and_roll(players: int) -> None:
    key, rolls = rolls_of(("random",) * players, 21, 1)
    assert len(rolls) > 40
    assert any(roll > 0 for _, _, roll in rolls)
    start = reference_mix(key + (rnd.DICE + 1) * GOLDEN)
    for (turn, die, roll), face in rolls.items():
        bits = reference_mix(start + ((turn << 16 | die << 12 | roll) + 1) * GOLDEN)
        assert face == 1 + ((bits >> 32) * 6 >> 32)


def test_other_players_meet_the_same_dice() -> None:
    common = 0
    for deal in range(5):
        key, ours = rolls_of(("random", "random", "random"), 6, deal)
        for lineup, sets in (
            (("random", "builder", "random"), ()),
            (("builder", "builder", "builder"), ()),
            (("random", "random", "random"), ("options.deliveries=2", "start.rubles=9,9,9,9")),
        ):
            other_key, theirs = rolls_of(lineup, 6, deal, sets)
            assert key == other_key
            assert ours != theirs
            both = ours.keys() & theirs.keys()
            common += len(both)
            assert {k: ours[k] for k in both} == {k: theirs[k] for k in both}
    assert common > 300


def test_private_draws_do_not_shift_the_dice_nor_other_players() -> None:
    # Seat 0's player uses up a thousand draws in vain; until its own next choice nothing changes for anybody.
    t = packed(loaded(), players=2)
    games, acts, mind, log = new_games(2), new_actions(), new_mind(), new_log(on=True)
    lineup = new_players()
    setup(games[0], t, U(5), np.int64(0), scratch_cards())
    while games["turn"][0] < 1:
        apply(games[0], t, log, next_action(games[0], t, acts, mind, lineup))
    games[1] = games[0]
    games["draws"][1, 0] += 1000
    for g in games:
        while g.turn < 2:
            apply(g, t, log, next_action(g, t, acts, mind, lineup))
    games["draws"][1, 0] -= 1000
    assert games[0].tobytes() == games[1].tobytes()


def test_seats_have_streams_of_their_own() -> None:
    assert len({drawn(1, 0, rnd.PLAYER + seat, 0) for seat in range(4)}) == 4
