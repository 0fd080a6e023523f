"""The table of one game drawn in characters: cathedral, market, workshop boards, players, final score.

Pure functions from a `Table` (what the lines of a trace have said so far, see docs/trace.md) to lists of
rich `Text`, one a line, none wider than the width asked for. Everything that colour says is said by a letter
or a mark too, and no text ever passes through rich's markup. Knows nothing of the engine.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from rcsim.names import GOODS, MARKET_SPACES, MATERIALS, ORNAMENTS, QUADRANTS, WORKSHOP_SPACES

Line = dict[str, Any]

MARKS = {
    "wood": "W",
    "brick": "B",
    "stone": "S",
    "gold": "G",
    "green_gem": "◇",
    "purple_gem": "◆",
    "door": "▯",
    "arch": "∩",
    "cross": "†",
}
BANNER, BUILT, DELIVERED, FREE = "⚑", "✓", "·", "·"
ONCE, REPEATED = "↯", "∞"
STYLES = {
    "red": "bold red",
    "blue": "bold bright_blue",
    "green": "bold green",
    "yellow": "bold yellow",
    "white": "bold",
    "Ivan": "bold magenta",
    "wood": "orange3",
    "brick": "red",
    "stone": "bold",
    "gold": "bold yellow",
    "green_gem": "bold green",
    "purple_gem": "bold magenta",
}
FILLS = {
    "red": "bold white on red",
    "blue": "bold white on blue",
    "green": "black on green",
    "yellow": "black on yellow",
    "white": "black on white",
    "Ivan": "bold white on magenta",
}
LEAST_MARKET, LEAST_TOWER = 57, 12  # cells that a market and a tower should have side by side
DIM = "dim"
TITLE = "bold"
SINGULAR = {"rubles": "ruble", "materials": "material", "turns": "turn", "spaces": "space", "towers": "tower"}
WITH_S = ("brick", "green gem", "purple gem", "banner", *SINGULAR.values())


# Words and small pieces of text


def clean(name: object) -> str:
    """Any value as one printable line of text."""
    return "".join(c if c.isprintable() else " " for c in str(name))


def count(n: int, what: str) -> str:
    """A number and its noun: `2 rubles`, `1 green gem`, `3 stone`."""
    noun = SINGULAR.get(what, clean(what).replace("_", " "))
    if n != 1:
        noun = "dice" if noun == "die" else noun + "s" if noun in WITH_S else noun
    return f"{n} {noun}"


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def in_order(amounts: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The entries of a map of goods in their fixed order, unknown ones last."""
    order = {name: i for i, name in enumerate((*GOODS, "any"))}
    return sorted(amounts.items(), key=lambda item: order.get(item[0], len(order)))


def amounts_words(amounts: Mapping[str, Any]) -> str:
    """A map of goods in words: `2 rubles, 1 gold and 2 of wood or stone`."""
    words = []
    for what, n in in_order(amounts):
        if isinstance(n, Mapping):
            of = [clean(m).replace("_", " ") for m in n.get("of", ())]
            kinds = (
                "material"
                if len(of) >= len(MATERIALS)
                else " or ".join([*filter(None, [", ".join(of[:-1])]), *of[-1:]])
            )
            words.append(f"{n.get('n', 0)} {'of any' if kinds == 'material' else 'of'} {kinds}")
        else:
            words.append(count(n, what))
    return listed(words)


def effect_words(effect: Mapping[str, Any]) -> str:
    """An effect of the vocabulary in words, its parts in the order in which they are carried out."""
    words = []
    if effect.get("pay"):
        words.append(f"pay {amounts_words(effect['pay'])}")
    if move := effect.get("move"):
        die = move.get("die", "any")
        words.append(f"move {'any' if die == 'any' else 'the ' + clean(die)} die {move.get('steps', 0)} on")
    if roll := effect.get("roll"):
        words.append("roll the dice here" if roll == "arrival" else "roll the dice of any space")
    if source := effect.get("yield"):
        if "space" in source:
            words.append(f"yield of the {'next' if source['space'] > 0 else 'previous'} space")
        else:
            die = source.get("die", "any")
            words.append(f"yield at {'any' if die == 'any' else 'the ' + clean(die)} die")
    if effect.get("gain"):
        words.append(f"gain {amounts_words(effect['gain'])}")
    if effect.get("deliver"):
        words.append(f"deliver up to {effect['deliver']}")
    if tile := effect.get("activate"):
        words.append("use any face-up tile" if tile == "any" else f"use a tile on a {clean(tile)} space")
    return ", ".join(words) or "nothing"


def as_text(text: Text | str) -> Text:
    """A string as `Text`, a `Text` as it is."""
    return text if isinstance(text, Text) else Text(text)


def join(parts: Iterable[Text | str], gap: str = "") -> Text:
    """Several pieces of text in one."""
    out = Text()
    for i, part in enumerate(parts):
        if i and gap:
            out.append(gap)
        out.append_text(as_text(part))
    return out


def cut(text: Text | str, width: int, tail: bool = False) -> Text:
    """The text, shortened with an ellipsis where it is wider than `width`; `tail` keeps its end."""
    text = as_text(text)
    if cell_len(text.plain) <= width:
        return text
    if width < 1:
        return Text()
    short = text
    while len(short) and cell_len(short.plain) > width - 1:
        short = short[1:] if tail else short[:-1]
    return join(["…", short]) if tail else join([short, "…"])


def pad(text: Text | str, width: int, align: str = "left", tail: bool = False) -> Text:
    """The text in exactly `width` cells: cut, or filled with blanks (`left`, `right` or `centre`)."""
    text = cut(text, width, tail)
    blank = max(0, width - cell_len(text.plain))
    before = {"left": 0, "right": blank, "centre": blank // 2}[align]
    return join([" " * before, text, " " * (blank - before)])


def wrap(text: Text | str, width: int, hang: int = 0) -> list[Text]:
    """The text in lines of at most `width` cells, broken between words; later lines begin `hang` blanks in."""
    text = as_text(text)
    hang = min(hang, width // 2)
    lines: list[Text] = []
    plain, start = text.plain, 0
    while True:
        room = width - (hang if lines else 0)
        end, used = start, 0
        while end < len(plain) and used + cell_len(plain[end]) <= room:
            used += cell_len(plain[end])
            end += 1
        if end < len(plain):
            space = plain.rfind(" ", start, end + 1)
            if plain[start:space].strip() and space > start:
                end = space
            end = max(end, start + 1)
        piece = text[start:end]
        piece.rstrip()
        lines.append(join([" " * hang, piece]) if lines else piece)
        start = end
        while start < len(plain) and plain[start] == " ":
            start += 1
        if start >= len(plain):
            return lines


def flow(fields: Iterable[Text | str], width: int, gap: str = " ") -> list[Text]:
    """Fields one after another, a new line where the next one does not fit."""
    lines: list[Text] = []
    for piece in fields:
        piece = cut(piece, width)
        if lines and cell_len(lines[-1].plain) + len(gap) + cell_len(piece.plain) <= width:
            lines[-1] = join([lines[-1], piece], gap)
        elif piece.plain:
            lines.append(piece)
    return lines


def grid(rows: Sequence[Sequence[Text | str]], aligns: str, gap: int = 2) -> list[Text]:
    """Rows in columns as wide as their widest cell; `aligns` has `l` or `r` for each column."""
    columns = len(aligns)
    widths = [max(cell_len(as_text(row[c]).plain) for row in rows) for c in range(columns)]
    lines = []
    for row in rows:
        cells = [pad(row[c], widths[c], "right" if aligns[c] == "r" else "left") for c in range(columns)]
        line = join(cells, " " * gap)
        line.rstrip()
        lines.append(line)
    return lines


def widest(lines: Sequence[Text]) -> int:
    """Cells of the widest line."""
    return max((cell_len(line.plain) for line in lines), default=0)


def beside(left: Sequence[Text], right: Sequence[Text], gap: int) -> list[Text]:
    """Two drawings side by side, their last lines level."""
    width, height = widest(left), max(len(left), len(right))
    left = [Text()] * (height - len(left)) + list(left)
    right = [Text()] * (height - len(right)) + list(right)
    lines = [join([pad(a, width), " " * gap, b]) for a, b in zip(left, right, strict=True)]
    for line in lines:
        line.rstrip()
    return lines


def rule(width: int, *parts: Text | str, char: str = "─") -> Text:
    """A line across the page with a title set into it."""
    title = cut(join(parts), width - 6)
    filled = width - 4 - cell_len(title.plain)
    return join([Text(char * 2, DIM), " ", title, " ", Text(char * filled, DIM)])


def letters(materials: Mapping[str, int], spread: bool = True) -> Text:
    """Materials as marks: `WWS◇`, or counted (`2WS◇`) where `spread` is false."""
    out = Text()
    for name, n in in_order(materials):
        mark, style = MARKS.get(name, clean(name)[:1]), STYLES.get(name, "")
        out.append(mark * n if spread else (f"{n}{mark}" if n > 1 else mark), style)
    return out


def goods_marks(amounts: Mapping[str, int]) -> list[Text]:
    """Goods as short fields: materials as marks, `+3` recognition, `2p` prestige, `2r` rubles."""
    fields = []
    materials = {k: v for k, v in amounts.items() if k in MATERIALS and v}
    if materials:
        fields.append(letters(materials, spread=sum(materials.values()) <= 6))
    for what, form in (("recognition", "+{}"), ("prestige", "{}p"), ("rubles", "{}r")):
        if amounts.get(what):
            fields.append(Text(form.format(amounts[what])))
    return fields


def die_mark(colour: str, value: int) -> Text:
    """A die: the first letter of its colour and the face it shows."""
    return Text(f"{colour[:1]}{value}", FILLS.get(colour, "bold"))


# The table: what the trace has said so far


@dataclass
class Table:
    """One game as far as it has been told: the setup line and the state that the later lines built up."""

    setup: Line
    dice: dict[str, Line] = field(default_factory=dict)
    seats: list[Line] = field(default_factory=list)
    sections: dict[tuple[int, int], Line] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Lay the table as the setup line says."""
        options, start = self.options, self.part("track").get("start", 2)
        rubles = self.setup.get("rubles", [])
        banners = options.get("banners", 6)
        self.dice = deepcopy(self.setup.get("dice", {}))
        self.seats = [
            {
                "marker": start,
                "rubles": rubles[seat] if seat < len(rubles) else 0,
                "materials": {},
                "slots": options.get("slots_open", 6),
                "banners": banners,
                "workshop": [None] * WORKSHOP_SPACES,
                "ornaments": {"door": 1, "arch": 2, "cross": 1},
            }
            for seat in range(max(len(rubles), len(self.setup.get("colours", []))))
        ]
        if self.solo and len(self.seats) > 1:
            ivan = self.seats[1]
            ivan.update(inventory={}, construction={})
            for key in ("rubles", "materials", "slots", "workshop"):
                del ivan[key]
        self.sections = {}

    def part(self, key: str) -> Line:
        """One table of the ruleset; empty where the trace has none."""
        found = self.setup.get("ruleset", {}).get(key, {})
        return found if isinstance(found, dict) else {}

    @property
    def options(self) -> Line:
        """The rule options."""
        return self.part("options")

    @property
    def solo(self) -> bool:
        """Whether Ivan plays."""
        return len(self.setup.get("colours", [])) == 1

    @property
    def towers(self) -> list[list[str]]:
        """The section cards, tower by tower, bottom to top."""
        return list(self.setup.get("towers", []))

    def who(self, seat: int | None) -> str:
        """A seat's colour, or Ivan."""
        colours = self.setup.get("colours", [])
        if seat is not None and 0 <= seat < len(colours):
            return clean(colours[seat])
        return "Ivan" if self.solo and seat == 1 else f"seat {seat}"

    def name(self, seat: int | None) -> Text:
        """A seat's colour, or Ivan, in that colour."""
        return Text(self.who(seat), STYLES.get(self.who(seat), TITLE))

    def card(self, tower: int, level: int) -> Line:
        """The section card at a place: kind, cost, recognition, rubles."""
        try:
            name = self.towers[tower][level]
        except IndexError:
            return {}
        return dict(self.part("sections").get(name, {}))

    def place(self, tower: int, level: int) -> str:
        """A section in words: `the base of tower 2`, `middle 1 of tower 0`."""
        kind = self.card(tower, level).get("kind")
        if kind is None:
            height = len(self.towers[tower]) if tower < len(self.towers) else 0
            kind = "base" if level == 0 else "dome" if level == height - 1 else "middle"
        return f"middle {level} of tower {tower}" if kind == "middle" else f"the {kind} of tower {tower}"

    def needs(self, tower: int, level: int) -> dict[str, int]:
        """Materials that a section still needs."""
        delivered = self.sections.get((tower, level), {}).get("delivered", {})
        cost = self.card(tower, level).get("cost", {})
        return {m: n - delivered.get(m, 0) for m, n in in_order(cost) if n > delivered.get(m, 0)}

    def tile(self, space: int) -> str:
        """The resource tile of a market space."""
        market = self.setup.get("market", [])
        return clean(market[space]) if 0 <= space < len(market) else f"space {space}"

    def dice_at(self, space: int) -> list[str]:
        """The dice in a market space."""
        return [die for die, at in self.dice.items() if at.get("space") == space]

    def prestige(self, marker: int) -> int:
        """Prestige spaces at or below a marker."""
        track = self.part("track")
        spaces, lap = track.get("prestige_spaces", []), track.get("lap", 0)
        if not spaces or not lap:
            return 0
        return int(marker // lap * len(spaces) + sum(1 for p in spaces if p <= marker % lap))

    def workshop_colour(self, space: int) -> str:
        """The colour of a workshop space."""
        spaces = self.setup.get("ruleset", {}).get("workshop_spaces", [])
        return clean(spaces[space].get("colour", "?")) if 0 <= space < len(spaces) else "?"

    def update(self, state: Line) -> None:
        """Take over a state line."""
        self.seats = deepcopy(state.get("seats", self.seats))
        self.dice = deepcopy(state.get("dice", self.dice))
        self.sections = {(s["tower"], s["level"]): deepcopy(s) for s in state.get("sections", [])}


# Drawings


def legend(width: int) -> list[Text]:
    """What the marks mean."""
    marks: list[Text | str] = [join([Text(MARKS[m], STYLES[m]), f" {m.replace('_', ' ')}"]) for m in MATERIALS]
    marks += [f"{MARKS[o]} {o}" for o in ORNAMENTS]
    marks += ["+2 recognition", "2p prestige", "2r rubles", "y4 yellow die showing 4"]
    marks += [f"{ONCE} once", f"{REPEATED} as often as paid"]
    section = (
        f"A section shows its workshop tile, or {BANNER} who claimed it; what it still needs"
        f" ({DELIVERED} delivered) and its reward; once built, {BUILT} its owner and its ornament."
    )
    lines = [*flow(marks, width, "  "), *wrap(section, width)]
    for line in lines:
        line.stylize(DIM)
    return lines


def _section(table: Table, tower: int, level: int, inner: int) -> tuple[list[Text], str]:
    """The lines inside one section, and the style that fills it."""
    card, at = table.card(tower, level), table.sections.get((tower, level))
    reward = [
        Text(form.format(card[what])) for what, form in (("recognition", "+{}"), ("rubles", "{}r")) if card.get(what)
    ]
    if at is None:
        tiles = table.setup.get("tiles", [])
        tile = clean(tiles[tower][level]) if tower < len(tiles) and level < len(tiles[tower]) else ""
        return [
            cut(Text(tile, DIM), inner, tail=True),
            *flow([*_cost(card.get("cost", {}), {}, inner), *reward], inner),
        ], ""
    who = table.who(at.get("owner"))
    if not at.get("complete"):
        head = cut(Text(f"{BANNER} {who}", STYLES.get(who, TITLE)), inner)
        return [head, *flow([*_cost(card.get("cost", {}), at.get("delivered", {}), inner), *reward], inner)], ""
    lines = [cut(Text(f"{BUILT} {who}"), inner)]
    if ornament := at.get("ornament"):
        mark = MARKS.get(ornament.get("kind", ""), "?")
        by = table.who(ornament.get("owner"))
        gems = "".join(MARKS.get(g, "?") for g in ornament.get("gems", []))
        short = by if len(by) + len(gems) + 2 + bool(gems) <= inner else by[:3]
        lines += flow([f"{mark} {short}", gems], inner)
    return lines, FILLS.get(who, "reverse")


def _cost(cost: Mapping[str, int], delivered: Mapping[str, int], inner: int) -> list[Text]:
    """A cost as marks, a dot for what is delivered; counted where the marks would not fit."""
    needs = {m: n - delivered.get(m, 0) for m, n in cost.items() if n > delivered.get(m, 0)}
    total = sum(cost.values())
    if total <= inner:
        return [join([Text(DELIVERED * (total - sum(needs.values())), DIM), letters(needs)])]
    return [letters({m: n}, spread=False) for m, n in in_order(needs)]


def cathedral(table: Table, width: int) -> list[Text]:
    """The towers side by side, standing on one ground line."""
    towers = table.towers
    if not towers:
        return []
    gap = 1 if (width - 2) // len(towers) >= 12 else 0
    box = max(5, min(16, (width - 2 + gap) // len(towers) - gap))
    inner = box - 2
    cells = {
        (t, level): _section(table, t, level, inner) for t, tower in enumerate(towers) for level in range(len(tower))
    }
    body = max(2, max((len(lines) for lines, _ in cells.values()), default=2))
    height = max(len(tower) for tower in towers) * (body + 1) + 2
    columns: list[list[Text]] = []
    for t, tower in enumerate(towers):
        rows: list[Text] = []
        for level in reversed(range(len(tower))):
            lines, fill = cells[t, level]
            if level == len(tower) - 1:
                owner = table.sections.get((t, level), {})
                style = STYLES.get(table.who(owner.get("owner")), "") if owner.get("complete") else DIM
                rows += [Text("▲".center(box), style), Text("╭" + "─" * inner + "╮")]
            else:
                rows.append(Text("├" + "─" * inner + "┤"))
            for i in range(body):
                content = pad(lines[i] if i < len(lines) else "", inner)
                if fill:
                    content.stylize(fill)
                rows.append(join(["│", content, "│"]))
        rows.append(Text("╘" + "═" * inner + "╛"))
        rows = [Text(" " * box)] * (height - len(rows)) + rows
        columns.append([*rows, Text(cut(f"tower {t}", box).plain.center(box), DIM)])
    out = []
    for i in range(height + 1):
        level, offset = divmod(height - 2 - i, body + 1)
        mark = str(level) if offset == body - 1 and level >= 0 and i > 1 else ""
        line = join(
            [
                Text(pad(mark, 2).plain, DIM),
                *(column[i] if not k else join([" " * gap, column[i]]) for k, column in enumerate(columns)),
            ]
        )
        line.rstrip()
        out.append(line)
    return out


def _space(table: Table, space: int, inner: int) -> list[Text]:
    """The lines inside one market space: its yield, then its dice."""
    gain = table.part("resource_tiles").get(table.tile(space), {}).get("gain", {})
    dice = [die_mark(die, table.dice[die].get("value", 0)) for die in table.dice_at(space)]
    return [*(flow(goods_marks(gain), inner) or [Text()]), *flow(dice, inner)]


def market(table: Table, width: int, detail: bool = False) -> list[Text]:
    """The ring of spaces, clockwise from 0, round the four influence cards; `detail` spells the cards out."""
    inner = max(6, min(22, (width - 5) // 4))
    half = 2 * inner + 1
    top, bottom = (0, 1, 2, 3), (7, 6, 5, 4)
    cells = {s: _space(table, s, inner) for s in range(MARKET_SPACES)}
    cards = {q: _influence(table, q, half - 1, detail) for q in range(QUADRANTS)}

    def border(ends: str, spaces: Sequence[int] | None, cross: str = "─") -> Text:
        parts: list[Text | str] = [ends[0]]
        for i in range(4):
            name = f"{spaces[i]} {table.tile(spaces[i])}" if spaces else ""
            label = cut(f" {name} " if name and cell_len(name) + 2 <= inner else name, inner)
            label.stylize(TITLE)
            parts += [label, "─" * (inner - cell_len(label.plain)), ends[2] if i == 3 else ends[1] if i == 1 else cross]
        return join(parts)

    def spaces(row: Sequence[int]) -> list[Text]:
        tall = max(2, max(len(cells[s]) for s in row))
        return [
            join(["│", *(join([pad(cells[s][i] if i < len(cells[s]) else "", inner), "│"]) for s in row)])
            for i in range(tall)
        ]

    def halves(left: int, right: int) -> list[Text]:
        tall = max(len(cards[left]), len(cards[right]))
        return [
            join(
                [
                    "│ ",
                    *(
                        join([pad(cards[q][i] if i < len(cards[q]) else "", half - 1), "│", " " * (q == left)])
                        for q in (left, right)
                    ),
                ]
            )
            for i in range(tall)
        ]

    return [
        border("┌┬┐", top, "┬"),
        *spaces(top),
        border("├┼┤", None, "┴"),
        *halves(0, 1),
        *([border("├┼┤", None)] if detail else []),
        *halves(3, 2),
        border("├┼┤", None, "┬"),
        *spaces(bottom),
        border("└┴┘", bottom, "┴"),
    ]


def _influence(table: Table, quadrant: int, width: int, detail: bool) -> list[Text]:
    """One influence card: its name and, with `detail`, its two actions."""
    cards = table.setup.get("influence", [])
    name = clean(cards[quadrant]) if quadrant < len(cards) else ""
    lines = [cut(join(["↑ " if quadrant < 2 else "↓ ", Text(name, TITLE if detail else "")]), width)]
    if detail:
        for action in table.part("influence").get(name, {}).get("actions", []):
            mark = ONCE if action.get("once") else REPEATED
            lines += wrap(f"{mark} {effect_words(action.get('effect', {}))}", width, hang=2)
    return lines


def workshops(table: Table, width: int, prices: bool = False) -> list[Text]:
    """The workshop boards: a column for each space, a row for each player; `prices` adds what a space costs."""
    spaces = table.setup.get("ruleset", {}).get("workshop_spaces", [])
    players = [seat for seat, at in enumerate(table.seats) if at.get("workshop") is not None]
    if not players:
        return []
    first = max(len("workshop"), *(cell_len(table.who(s)) for s in players))
    cell = max(4, min(12, (width - first - WORKSHOP_SPACES) // WORKSHOP_SPACES))
    rows: list[tuple[Text | str, list[Text | str]]] = []
    colours = [table.workshop_colour(i) for i in range(WORKSHOP_SPACES)]
    rows.append((Text("workshop", DIM), [Text(c, STYLES.get(c, "")) for c in colours]))
    board = str(table.setup.get("board", "basic"))
    if prices and spaces:
        rows.append((Text("face up", DIM), [f"{_price(s, board)}r" for s in spaces]))
        if board == "advanced":
            rows.append((Text("unlocks", DIM), [clean(s.get("ornament") or FREE) for s in spaces]))
    if not prices:
        for seat in players:
            tiles: list[Text | str] = []
            for at in table.seats[seat]["workshop"]:
                if at is None:
                    tiles.append(Text(FREE, DIM))
                else:
                    tiles.append(clean(at.get("tile")) if at.get("face") == "up" else Text("(down)", DIM))
            rows.append((table.name(seat), tiles))
    lines = []
    for label, row in rows:
        line = join([pad(label, first + 1), *(join([pad(c, cell, tail=True), " "]) for c in row)])
        line.rstrip()
        lines.append(line)
    return lines


def _price(space: Mapping[str, Any], board: str) -> Any:
    price = space.get("price", {})
    return price.get(board, "?") if isinstance(price, Mapping) else price


def tile_list(table: Table, width: int) -> list[Text]:
    """The workshop tiles of this game and their effects, in two columns where there is room."""
    known = table.part("workshop_tiles")
    names = sorted({clean(tile) for tower in table.setup.get("tiles", []) for tile in tower})
    if not names:
        return []
    columns = 2 if width >= 76 else 1
    room = (width - 2 * (columns - 1)) // columns
    label = min(max(cell_len(n) for n in names), room // 2)
    entries = []
    for name in names:
        words = wrap(effect_words(known.get(name, {}).get("effect", {})), room - label - 1)
        entries.append(
            [join([pad(Text(name, TITLE) if not i else "", label, tail=True), " ", w]) for i, w in enumerate(words)]
        )
    if columns == 1:
        return [line for entry in entries for line in entry]
    total = sum(map(len, entries))
    left: list[Text] = []
    while entries and len(left) * 2 < total:
        left += entries.pop(0)
    right = [line for entry in entries for line in entry]
    right += [Text()] * (len(left) - len(right))
    left += [Text()] * (len(right) - len(left))
    return beside([pad(a, room) for a in left], right, 2)


def status(table: Table, width: int, active: int | None = None) -> list[Text]:
    """One line a player: marker, prestige, rubles, inventory, banners and ornaments left."""
    for form in range(5):
        rows = [_status_row(table, seat, form, seat == active) for seat in range(len(table.seats))]
        lines = grid(rows, "llrrlll") if rows else []
        if widest(lines) + 2 <= width:
            break
    return [cut(join(["  ", line]), width) for line in lines]


def _status_row(table: Table, seat: int, form: int, active: bool) -> list[Text | str]:
    """A player's cells; a higher `form` is a shorter one."""
    at = table.seats[seat]
    marker = at.get("marker", 0)
    prestige = table.prestige(marker)
    ornaments = at.get("ornaments", {})
    left = "".join(MARKS.get(o, "?") * ornaments.get(o, 0) for o in ORNAMENTS)
    if "inventory" in at or "construction" in at:
        money = ""
        stock = Text()
        words = (
            ("inventory ", ", construction "),
            ("holds ", ", builds "),
            ("holds ", ", builds "),
            ("", " / "),
            ("", " / "),
        )
        for word, held in zip(words[form], (at.get("inventory", {}), at.get("construction", {})), strict=True):
            stock.append(word, DIM)
            stock.append_text(letters(held, spread=sum(held.values()) <= 4) if held else Text("–", DIM))
    else:
        rubles = at.get("rubles", 0)
        money = count(rubles, "rubles") if form == 0 else f"{rubles}r"
        held = {k: v for k, v in at.get("materials", {}).items() if v}
        slots, used = at.get("slots", 0), sum(held.values())
        if form < 4 and slots <= 24:
            stock = join([letters(held), Text(FREE * max(0, slots - used), DIM)])
        else:
            stock = join([letters(held, spread=False), f" {used}/{slots}"])
    banners = at.get("banners", 0)
    return [
        Text("▸" if active else " ", TITLE),
        table.name(seat),
        f"at {marker}" if form < 3 else f"{marker}",
        f"prestige {prestige}" if form < 2 else f"{prestige}p",
        money,
        stock,
        join([count(banners, "banner") if form == 0 else f"{BANNER}{banners}", " ", left]),
    ]


def scores(table: Table, score: Line, width: int) -> list[Text]:
    """The final score: a row a player, then what each tower was worth and who was present in it."""
    seats, towers = score.get("seats", []), score.get("towers", [])
    if not seats:
        return []
    order = sorted(range(len(seats)), key=lambda s: (seats[s].get("rank", 0), s))
    for form in range(3):
        head = ["rank", "", "track", ("leftovers", "left", "left")[form]]
        head += [(f"tower {t}", f"t{t}", f"t{t}")[form] for t in range(len(towers))]
        head += [
            "total",
            ("sections", "built", BUILT)[form],
            ("ornaments", "orn.", MARKS["cross"])[form],
            ("win", "win", "win")[form],
        ]
        rows: list[list[Text | str]] = [[Text(h, DIM) for h in head]]
        for s in order:
            at = seats[s]
            shares = list(at.get("towers", []))[: len(towers)]
            shares += [0] * (len(towers) - len(shares))
            won = at.get("win_share", 0)
            rows.append(
                [
                    str(at.get("rank", "")),
                    table.name(s),
                    str(at.get("prestige_on_track", 0)),
                    str(at.get("leftovers", 0)),
                    *map(str, shares),
                    Text(str(at.get("total", 0)), TITLE),
                    str(at.get("sections", 0)),
                    str(at.get("ornaments", 0)),
                    _fraction(won),
                ]
            )
        lines = grid(rows, "rl" + "r" * (len(head) - 2), gap=2 if form < 2 else 1)
        if widest(lines) <= width:
            break
    lines = [cut(line, width) for line in lines]
    if towers:
        named = [f"tower {t}" for t in range(len(towers))]
        if 16 + 9 * len(towers) > width:
            named = [f"t{t}" for t in range(len(towers))]
        rows = [[Text(h, DIM) for h in ("", *named)], ["worth", *(Text(str(t.get("value", 0)), TITLE) for t in towers)]]
        for s in range(len(seats)):
            presence = [list(t.get("presence", [])) for t in towers]
            rows.append(
                [
                    join(["presence ", table.name(s)]),
                    *(str(p[s]) if s < len(p) and p[s] else Text(FREE, DIM) for p in presence),
                ]
            )
        lines += [Text(), *(cut(line, width) for line in grid(rows, "l" + "r" * len(towers)))]
    return lines


def _fraction(share: float) -> str:
    """A win share in print: 1, 1/2, nothing."""
    if not share:
        return FREE
    return "1" if share >= 1 else f"1/{round(1 / share)}"


def board(table: Table, width: int, detail: bool = False) -> list[Text]:
    """Cathedral and market, side by side where the page is wide enough, one below the other else."""
    room = width - LEAST_MARKET - 3
    if room >= 2 + LEAST_TOWER * len(table.towers):
        towers = cathedral(table, room)
        return beside(towers, market(table, width - widest(towers) - 3, detail), 3)
    return [*market(table, width, detail), Text(), *cathedral(table, width)]
