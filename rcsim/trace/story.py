"""One game told in words, turn by turn, from the lines of its trace (docs/trace.md).

`tell` turns the lines into rich `Text`, one a line of the page; print each with
`console.print(text, soft_wrap=True)`. It reads the lines as they come and tells a turn when the turn is over,
so that a game can be told while it is played. Numbers (turns, seats, towers, levels, spaces) are those of the
trace, from 0. Knows nothing of the engine, and tells an event it does not know with its bare keys.
"""

from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from rcsim.names import MATERIALS
from rcsim.trace import draw
from rcsim.trace.draw import STYLES, TITLE, Line, Table, amounts_words, clean, count, join, listed, rule, wrap


def tell(lines: Iterable[Line], width: int = 80, colour: bool = True, rounds: int = 1) -> Iterator[Text]:
    """Tell a game (or several, one after another) in lines of at most `width` cells.

    `colour` false leaves all styles out. The table is drawn after the setup and after every so many `rounds`
    (0: never), the market alone where nothing else has changed; the cathedral is drawn at the end too. Widths
    below 40 are told as if they were 40.
    """
    for text in _tell(lines, max(40, width), rounds):
        text.no_wrap, text.overflow = True, "ignore"
        yield text if colour else Text(text.plain, no_wrap=True, overflow="ignore")


def _tell(lines: Iterable[Line], width: int, rounds: int) -> Iterator[Text]:
    """The story with its styles."""
    table = Table({})
    events: list[Line] = []
    told = False  # whether a game has been begun
    shown = 0  # rounds since the table was last drawn
    drawn = ""  # the cathedral and the workshops as they were drawn last
    for line in lines:
        kind = line.get("type")
        if kind == "setup":
            if told:
                yield Text()
            table, events, told, shown, drawn = Table(line), [], True, 0, ""
            yield from _opening(table, width)
        elif kind == "event":
            if events and events[0].get("turn") != line.get("turn"):
                yield from _turn(table, events, width)
                events = []
            if not events and rounds and line.get("turn", 0) and line.get("seat") == table.setup.get("first_seat", 0):
                shown += 1
                if shown >= rounds:
                    shown = 0
                    now = f"{table.sections}{[at.get('workshop') for at in table.seats]}"
                    yield from _interlude(table, line.get("turn", 0), width, changed=now != drawn)
                    drawn = now
            events.append(line)
        elif kind == "state":
            if not events:
                events = [{"type": "event", "turn": line.get("turn"), "seat": line.get("seat"), "event": ""}]
            yield from _turn(table, events, width)
            events = []
            table.update(line)
            yield from draw.status(table, width, line.get("seat"))
        elif kind == "score":
            if events:
                yield from _turn(table, events, width)
                events = []
            yield from _ending(table, line, width)
        else:
            yield from wrap(f"(unknown line: {clean(line)})", width)
    if events:
        yield from _turn(table, events, width)


def _opening(table: Table, width: int) -> Iterator[Text]:
    """The header and the table as it is set up."""
    setup = table.setup
    players = f"{len(setup.get('colours', []))} players" if not table.solo else "you against Ivan"
    yield rule(width, Text(f"The Red Cathedral, {players}", TITLE), char="═")
    heights = " ".join(str(len(tower)) for tower in table.towers)
    facts = [
        f"plan {clean(setup.get('plan', '?'))} ({count(len(table.towers), 'towers')} of {heights})",
        f"preset {clean(setup.get('preset', '?'))}",
        f"{clean(setup.get('board', '?'))} board",
        f"seed {clean(setup.get('seed', '?'))}, game {clean(setup.get('game', '?'))}",
        f"rcsim {clean(setup.get('rcsim', '?'))}",
    ]
    yield from draw.flow([*(f + "," for f in facts[:-1]), facts[-1]], width)
    yield Text()
    policies = setup.get("policies", [])
    start = table.part("track").get("start", 2)
    for seat in range(len(table.seats)):
        policy = f", {clean(policies[seat])}" if seat < len(policies) else ""
        rubles = setup.get("rubles", [])
        with_rubles = f", {count(rubles[seat], 'rubles')}" if seat < len(rubles) and not _is_ivan(table, seat) else ""
        first = ", goes first" if seat == setup.get("first_seat", 0) else ""
        yield from wrap(
            join([f"  seat {seat}  ", table.name(seat), f"{policy}{with_rubles}, at {start}{first}"]), width, 10
        )
    yield Text()
    yield rule(width, Text("The table", TITLE))
    yield from draw.board(table, width, detail=True)
    yield Text()
    yield from draw.workshops(table, width, prices=True)
    yield Text()
    if tiles := draw.tile_list(table, width):
        yield Text("Workshop tiles in this game", TITLE)
        yield from tiles
        yield Text()
    yield from draw.legend(width)


def _interlude(table: Table, turn: int, width: int, changed: bool) -> Iterator[Text]:
    """The table between two rounds; the market alone where nothing else has `changed`."""
    yield Text()
    yield rule(width, Text(f"The table before turn {turn}", TITLE))
    if not changed:
        yield from draw.market(table, width)
        return
    yield from draw.board(table, width)
    yield Text()
    yield from draw.workshops(table, width)


def _ending(table: Table, score: Line, width: int) -> Iterator[Text]:
    """The last drawing and the final score."""
    yield Text()
    yield rule(width, Text("The cathedral at the end", TITLE))
    yield from draw.cathedral(table, width)
    yield Text()
    yield rule(width, Text("Final score", TITLE), char="═")
    yield from draw.scores(table, score, width)
    yield Text()
    seats = score.get("seats", [])
    winners = [s for s, at in enumerate(seats) if at.get("rank") == 1]
    if winners:
        names = [table.name(s) for s in winners]
        total = f" with {seats[winners[0]].get('total', 0)}"
        parts: list[Text | str] = []
        for i, name in enumerate(names):
            parts += [name] if not i else [" and " if i == len(names) - 1 else ", ", name]
        yield from wrap(join([*parts, " wins" if len(names) == 1 else " share the win", total, " prestige."]), width)
    turns = count(score.get("turns", 0), "turns")
    finisher = score.get("finisher")
    if score.get("truncated"):
        yield from wrap(f"Stopped after {turns} by the turn cap and scored as it stood (truncated).", width)
    elif finisher is None:
        yield from wrap(f"Over after {turns}; nobody finished a last section.", width)
    else:
        yield from wrap(join([f"Over after {turns}; ", table.name(finisher), " finished first."]), width)


def _is_ivan(table: Table, seat: int) -> bool:
    return table.solo and seat == 1


def _turn(table: Table, events: Sequence[Line], width: int) -> Iterator[Text]:
    """One turn: its heading and a sentence for each thing that happened."""
    seat = events[0].get("seat", 0)
    policies = table.setup.get("policies", [])
    policy = f", {clean(policies[seat])}" if isinstance(seat, int) and seat < len(policies) else ""
    yield Text()
    yield rule(width, Text(f"Turn {events[0].get('turn')}", TITLE), " · ", table.name(seat), f" · seat {seat}{policy}")
    for depth, sentence in _Turn(table, list(events), seat).sentences():
        indent = "  " + "  " * depth
        yield from wrap(join([indent, sentence]), width, len(indent) + 2)


class _Turn:
    """The events of one turn read from first to last; each `_<event>` method tells one and what follows it."""

    def __init__(self, table: Table, events: list[Line], seat: int) -> None:
        self.table, self.events, self.seat = table, events, seat
        self.at = 0
        self.depth = 0  # of the part of an effect being told
        self.effect_depth = {"influence": 0, "workshop": 0}

    def sentences(self) -> Iterator[tuple[int, Text]]:
        """Every sentence with the depth at which it stands."""
        while self.at < len(self.events):
            event = self.events[self.at]
            self.at += 1
            kind = str(event.get("event", ""))
            why = event.get("why")
            self.depth = self.effect_depth[why] + 1 if why in self.effect_depth and kind != "workshop" else 0
            try:
                method = getattr(self, f"_{kind}", None) if kind.isalpha() else None
                if method:
                    yield from method(event)
                elif kind:
                    yield self.depth, self.bare(event)
            except (KeyError, TypeError, IndexError, AttributeError):
                yield self.depth, self.bare(event)

    # Reading ahead

    def next(self, event: str) -> Line | None:
        """The next event, if it is of this kind, is this seat's and has not been told."""
        if self.at < len(self.events) and self.events[self.at].get("event") == event:
            return self.events[self.at]
        return None

    def amounts(self, event: str, why: str, most: dict[str, int] | None = None) -> dict[str, int]:
        """The `pay` or `gain` lines that stand here for this reason, summed; `most` takes each good up to a number."""
        total: dict[str, int] = {}
        while (line := self.next(event)) and line.get("why") == why and line.get("seat") == self.seat:
            what, n = str(line.get("what")), line.get("n", 0)
            if most is not None and total.get(what, 0) + n > most.get(what, 0):
                break
            total[what] = total.get(what, 0) + n
            self.at += 1
        return total

    def bare(self, event: Line) -> Text:
        """An event letter for letter."""
        keys = ", ".join(
            f"{clean(k)} {clean(v)}" for k, v in event.items() if k not in ("type", "turn", "seat", "event")
        )
        return Text(f"{clean(event.get('event'))}: {keys}" if keys else clean(event.get("event")))

    def die(self, colour: str) -> Text:
        """A die by name."""
        return join(["the ", Text(clean(colour), STYLES.get(colour, TITLE)), " die"])

    def space(self, space: int) -> str:
        """A market space by its tile and number."""
        return f"{self.table.tile(space)} ({space})"

    def section(self, event: Line) -> str:
        """The section that an event names."""
        return self.table.place(event["tower"], event["level"])

    def entry(self, event: Line) -> Line:
        """The state of a claimed section, kept up to date within the turn."""
        key = (event["tower"], event["level"])
        new = {"owner": self.seat, "delivered": {}, "complete": False, "ornament": None}
        return self.table.sections.setdefault(key, new)

    # Optional actions

    def _sell(self, event: Line) -> Iterator[tuple[int, Text]]:
        paid, got = self.amounts("pay", "sell"), self.amounts("gain", "sell")
        while self.next("sell"):
            self.at += 1
            for total, kind in ((paid, "pay"), (got, "gain")):
                for what, n in self.amounts(kind, "sell").items():
                    total[what] = total.get(what, 0) + n
        yield 0, join([_verb("Sells"), f" {amounts_words(paid) or 'prestige'} for {amounts_words(got) or 'nothing'}."])

    def _reroll(self, event: Line) -> Iterator[tuple[int, Text]]:
        paid = self.amounts("pay", "reroll")
        price = f"Pays {amounts_words(paid)} to reroll" if paid else "Rerolls"
        head = join([_verb(price), f" the dice on {self.space(event['space'])}"])
        roll = self.next("roll")
        if roll and roll.get("why") == "reroll":
            self.at += 1
            yield 0, join([head, ": ", self.faces(roll), "."])
        else:
            yield 0, join([head, "."])

    # Claim

    def _claim(self, event: Line) -> Iterator[tuple[int, Text]]:
        self.entry(event)
        place, face = self.section(event), event.get("face")
        paid, got = self.amounts("pay", "claim"), self.amounts("gain", "claim")
        tile = self.tile_on(event["tower"], event["level"])
        parts: list[Text | str] = [_verb("Claims"), f" {place}"]
        if face is None:
            parts.append(f"; {tile} leaves the game")
        else:
            colour = self.table.workshop_colour(event["space"])
            cost = "" if face != "up" else f" for {amounts_words(paid)}" if paid else " for nothing"
            parts.append(f" and lays {tile} face {clean(face)} on the ")
            parts += [Text(colour, STYLES.get(colour, "")), f" workshop space ({event['space']}){cost}"]
            boards = self.table.seats[self.seat].get("workshop") if self.seat < len(self.table.seats) else None
            if boards is not None and event["space"] < len(boards):
                boards[event["space"]] = {"tile": tile, "face": face}
        parts.append(f": {_gained(got)}." if got else ".")
        yield 0, join(parts)

    def tile_on(self, tower: int, level: int) -> str:
        """The workshop tile that lay on a section at setup."""
        tiles = self.table.setup.get("tiles", [])
        return clean(tiles[tower][level]) if tower < len(tiles) and level < len(tiles[tower]) else "the tile"

    # Build

    def _deliver(self, event: Line) -> Iterator[tuple[int, Text]]:
        depth, entry = self.depth, self.entry(event)
        sent: dict[str, int] = {}
        line: Line | None = event
        while line:
            material = str(line["material"])
            sent[material] = sent.get(material, 0) + 1
            delivered = entry.setdefault("delivered", {})
            delivered[material] = delivered.get(material, 0) + 1
            line = self.next("deliver")
            if line and any(line.get(k) != event.get(k) for k in ("tower", "level", "why")):
                line = None
            if line:
                self.at += 1
        done = self.next("complete")
        needs = self.table.needs(event["tower"], event["level"])
        if event.get("why") == "ivan":  # only the number of his materials counts
            cost = self.table.card(event["tower"], event["level"]).get("cost", {})
            left = sum(cost.values()) - sum(entry["delivered"].values())
            still = f" (still needs {count(left, 'materials')})" if left > 0 and not done else ""
        else:
            still = f" (still needs {amounts_words(needs)})" if needs and not done else ""
        yield depth, join([_verb("Delivers"), f" {amounts_words(sent)} to {self.section(event)}{still}."])

    def _complete(self, event: Line) -> Iterator[tuple[int, Text]]:
        entry = self.entry(event)
        entry["complete"], entry["delivered"] = True, {}
        got = self.amounts("gain", "complete")
        tail = f": {_gained(got)}." if got else "."
        yield self.depth, join([_verb("Completes", "bold green"), f" {self.section(event)}{tail}"])

    def _penalty(self, event: Line) -> Iterator[tuple[int, Text]]:
        asked, lost = event.get("points", 0), event.get("lost", 0)
        short = f" ({asked} asked)" if asked != lost else ""
        where = f" for the unfinished section below: {self.section(event)}"
        what = count(lost, "recognition") if lost else "nothing"
        name = self.table.name(event.get("owner"))
        yield self.depth, join([_verb("Penalty", "bold red"), ": ", name, f" loses {what}{short}{where}."])

    def _adorn(self, event: Line) -> Iterator[tuple[int, Text]]:
        entry, gems = self.entry(event), list(event.get("gems", []))
        entry["ornament"] = {"owner": self.seat, "kind": event["ornament"], "gems": gems}
        got = self.amounts("gain", "adorn")
        owner = entry.get("owner")
        kinds = listed([count(gems.count(g), g) for g in MATERIALS if g in gems])
        ornament = clean(event["ornament"])
        article = "an" if ornament[:1] in "aeiou" else "a"
        parts: list[Text | str] = [_verb("Adorns"), f" {self.section(event)}"]
        if owner != self.seat:
            parts += [", built by ", self.table.name(owner), ","]
        parts.append(f" with {article} {ornament}{' and ' + kinds if kinds else ''}")
        parts.append(f": {_gained(got)}." if got else ".")
        yield self.depth, join(parts)

    # Market

    def _move(self, event: Line) -> Iterator[tuple[int, Text]]:
        depth, why, die = self.depth, event.get("why"), str(event["die"])
        self.table.dice.setdefault(die, {}).update(space=event["to"], value=event.get("value", 0))
        paid = self.amounts("pay", "move")
        extra = event.get("steps", 0) - event.get("value", 0)
        there = len(self.table.dice_at(event["to"]))
        steps = event.get("steps", 0)
        far = f" {count(steps, 'spaces')}"
        if why in ("acquire", "ivan") and extra > 0:
            price = f" for {amounts_words(paid)}" if paid else " for nothing"
            far += f" ({event['value']} and {extra} more{price})"
        elif paid:
            far += f" for {amounts_words(paid)}"
        back = event["from"] == event["to"]
        route = (
            f", round to {self.space(event['to'])}"
            if back
            else f" from {self.space(event['from'])} to {self.space(event['to'])}"
        )
        yield (
            depth,
            join(
                [
                    _verb("Moves"),
                    " ",
                    self.die(die),
                    f"{far}{route}; {count(there, 'die')} there.",
                ]
            ),
        )

    def _take(self, event: Line) -> Iterator[tuple[int, Text]]:
        got, wanted = self.amounts("gain", "take"), event.get("wanted", {})
        dice = event.get("dice", 0)
        missed = {what: n - got.get(what, 0) for what, n in wanted.items() if n > got.get(what, 0)}
        lost = f"; {amounts_words(missed)} lost for want of room or supply" if missed else ""
        source = f" from {self.space(event['space'])} with {count(dice, 'die')}"
        yield 0, join([_verb("Takes"), f" {amounts_words(got) or 'nothing'}{source}{lost}."])

    def _influence(self, event: Line) -> Iterator[tuple[int, Text]]:
        cards, quadrant, action = self.table.setup.get("influence", []), event["quadrant"], event.get("action", 0)
        card = clean(cards[quadrant]) if quadrant < len(cards) else f"quadrant {quadrant}"
        actions = self.table.part("influence").get(card, {}).get("actions", [])
        known = actions[action] if action < len(actions) else {}
        mark = f" {draw.ONCE if known.get('once') else draw.REPEATED}" if known else ""
        self.effect_depth["influence"] = 0
        yield 0, join([_verb("Influences"), f" {card}, action {action}{mark}", self.trade("influence")])

    def _workshop(self, event: Line) -> Iterator[tuple[int, Text]]:
        why, space = event.get("why"), event["space"]
        colour = self.table.workshop_colour(space)
        depth = {"claim": 1, "influence": 1}.get(str(why), 0)
        self.effect_depth["workshop"] = depth
        verb = "Its bonus" if why == "claim" else "Uses"
        where: list[Text | str] = [" on the ", Text(colour, STYLES.get(colour, "")), f" space ({space})"]
        parts: list[Text | str] = [_verb(verb)] if why == "claim" else [_verb(verb), f" {clean(event['tile'])}", *where]
        yield depth, join([*parts, self.trade("workshop")])

    def trade(self, why: str) -> Text:
        """What stands right behind the use of an effect, to end its sentence: the price, then a yield or gains."""
        paid, got = self.amounts("pay", why), self.amounts("gain", why)
        words = [f"pays {amounts_words(paid)}"] if paid else []
        source = self.next("yield")
        if got:
            words.append(_gained(got))
        elif source and source.get("why") == why:
            self.at += 1
            words.append(f"yield of {self.space(source['space'])}, {self.yielded(source)}")
        goes_on = self.at < len(self.events) and self.events[self.at].get("why") == why
        return Text(f": {', '.join(words)}." if words else ":" if goes_on else ".")

    def _roll(self, event: Line) -> Iterator[tuple[int, Text]]:
        for die, value in event.get("values", {}).items():
            self.table.dice.setdefault(str(die), {}).update(space=event["space"], value=value)
        if not event.get("values"):
            yield self.depth, Text(f"No dice to roll on {self.space(event['space'])}.")
        else:
            yield (
                self.depth,
                join([_verb("Rolls"), f" the dice on {self.space(event['space'])}: ", self.faces(event), "."]),
            )

    def faces(self, roll: Line) -> Text:
        """The dice of a roll and what they show."""
        values = roll.get("values", {})
        for die, value in values.items():
            self.table.dice.setdefault(str(die), {}).update(space=roll.get("space"), value=value)
        pieces = [join([Text(clean(die), STYLES.get(die, TITLE)), f" {value}"]) for die, value in values.items()]
        return join(pieces, ", ") if pieces else Text("no dice")

    def _yield(self, event: Line) -> Iterator[tuple[int, Text]]:
        yield (
            self.depth,
            join([_verb("Receives"), f" the yield of {self.space(event['space'])}: {self.yielded(event)}."]),
        )

    def yielded(self, event: Line) -> str:
        """What came in by a yield; gains of the same effect that the tile cannot explain are left for later."""
        gain = self.table.part("resource_tiles").get(self.table.tile(event["space"]), {}).get("gain", {})
        return _gained(self.amounts("gain", str(event.get("why")), most=gain or None)) or "nothing"

    # Amounts on their own, and the rest

    def _pay(self, event: Line) -> Iterator[tuple[int, Text]]:
        yield self.depth, join([self.by(event, "Pays"), f" {amounts_words(self.run(event))}{self.because(event)}."])

    def _gain(self, event: Line) -> Iterator[tuple[int, Text]]:
        yield self.depth, join([self.by(event, "Gains"), f" {amounts_words(self.run(event))}{self.because(event)}."])

    def run(self, event: Line) -> dict[str, int]:
        """The amounts of this line and of those that go on with it."""
        total = {str(event.get("what")): event.get("n", 0)}
        if event.get("seat") == self.seat:
            for what, n in self.amounts(str(event["event"]), str(event.get("why"))).items():
                total[what] = total.get(what, 0) + n
        return total

    def by(self, event: Line, verb: str) -> Text:
        """A verb, with its owner where that is not the seat to move."""
        owner = event.get("seat", self.seat)
        return _verb(verb) if owner == self.seat else join([self.table.name(owner), f" {verb.lower()}"])

    def because(self, event: Line) -> str:
        """Where an amount comes from, unless its place in the turn says it."""
        why = event.get("why")
        return "" if why is None or why in self.effect_depth else f" ({clean(why)})"

    def _card(self, event: Line) -> Iterator[tuple[int, Text]]:
        got = self.amounts("gain", "card")
        tail = f": {_gained(got)}." if got else "."
        yield 0, join([_verb("Draws"), f" the {clean(event['card'])} card{tail}"])

    def _transport(self, event: Line) -> Iterator[tuple[int, Text]]:
        yield 1, join([_verb("Carries"), f" {count(event['n'], 'materials')} to the construction card."])

    def _finish(self, event: Line) -> Iterator[tuple[int, Text]]:
        got = self.amounts("gain", "finish")
        last = self.table.options.get("end_sections")
        which = "the last of its sections" if last is None else f"section {last} of {last}"
        parts: list[Text | str] = [_verb("Finishes", "bold magenta"), f" {which}: the last turns begin"]
        yield 0, join([*parts, f"; {_gained(got)}." if got else "."])


def _verb(word: str, style: str = TITLE) -> Text:
    """The word that a sentence begins with."""
    return Text(word, style)


def _gained(amounts: dict[str, int]) -> str:
    """Amounts that come in: `+6 recognition, +2 rubles`."""
    return ", ".join(f"+{count(n, what)}" for what, n in amounts.items())


__all__ = ["tell"]
