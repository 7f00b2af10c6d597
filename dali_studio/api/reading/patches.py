"""Changes of a text by places of its syntax tree; all that is not named by them stays as it is."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Sequence
from io import StringIO

from dali_studio.codegen import layout


class NotWritable(Exception):  # noqa: N818 - no error: the program is emitted instead
    """Why a change of a graph cannot be written into a text."""


class NoVariable(NotWritable):
    """A node is needed by name that is made on the way to another one."""

    def __init__(self, key: str) -> None:
        super().__init__(f"{key} is in no variable")
        self.key = key


class Patches:
    """Pieces of a text and what stands in their place; the places are bytes, as those of syntax trees are."""

    def __init__(self, text: str) -> None:
        self._bytes = text.encode()
        self._starts = [0]
        for line in self._bytes.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        #: Lines that are a comment and nothing else.
        self._comments = {
            one.start[0] for one in tokenize.generate_tokens(StringIO(text).readline)
            if one.type == tokenize.COMMENT and one.line[: one.start[1]].isspace()
        }  # fmt: skip
        self._made: list[tuple[int, int, int, bytes]] = []
        #: Lines that stand elsewhere: begin, end, and where.
        self._moved: list[tuple[int, int, int, int]] = []
        #: Pieces that go with a statement, though they stand at its ends: by their numbers where it begins.
        self._around: dict[int, int] = {}
        self._names: set[str] = set()

    def names(self) -> set[str]:
        """Names that the new pieces read."""
        return self._names

    def applied(self) -> str:
        """The text with all changes.

        Raises
        ------
        NotWritable
            If two of them concern the same piece.
        """
        made = self._made
        for begin, end, place, number in self._moved:
            inner = [
                one for one in made if (begin < one[0] and one[1] < end) or begin <= self._around.get(one[2], -1) < end
            ]  # fmt: skip
            made = [one for one in made if one not in inner]
            made += [(begin, end, number, b""), (place, place, number, self._joined(begin, end, inner))]
        return self._joined(0, len(self._bytes), made).decode()

    def _joined(self, begin: int, end: int, pieces: Sequence[tuple[int, int, int, bytes]]) -> bytes:
        made, at = list[bytes](), begin
        for first, last, _, content in sorted(pieces):
            if first < at:
                raise NotWritable("two changes meet in one place")
            made += [self._bytes[at:first], content]
            at = last
        return b"".join([*made, self._bytes[at:end]])

    def covers(self, node: ast.expr) -> bool:
        """Whether something else stands in the place of an expression."""
        begin, end = self._span(node)
        return any(one <= begin and end <= other for one, other, *_ in self._made)

    def segment(self, node: ast.expr) -> str:
        """The text of an expression."""
        begin, end = self._span(node)
        return self._bytes[begin:end].decode()

    def replace(self, node: ast.expr, value: ast.expr) -> None:
        """Another expression in the place of one."""
        begin, end = self._span(node)
        self._put(begin, end, self._text(value))

    def unfold(self, node: ast.expr, items: Sequence[ast.expr]) -> None:
        """Other items in the place of a tuple or of a single value; ``...`` for none."""
        if not items:
            self.replace(node, ast.Constant(...))
            return
        begin, end = self._span(node)
        bracketed = isinstance(node, ast.Tuple | ast.List) and self._bytes[begin:begin + 1] in (b"(", b"[")
        text = ", ".join(map(self._text, items))
        self._put(begin + bracketed, end - bracketed, f"{text}," if bracketed and len(items) == 1 else text)

    def keyword(self, call: ast.Call, name: str, value: ast.expr | None) -> None:
        """Give an argument of a call another value, add it, or take it away (``None``)."""
        given = next((one for one in call.keywords if one.arg == name), None)
        if given is not None and value is not None:
            begin, end = self._span(given.value)
            self.replace(given.value, value if b"." in self._bytes[begin:end] else _whole_numbers(value))
        elif given is not None:
            self._without(call, given)
        elif value is not None:
            _, end = self._span(call)
            behind = [*call.args, *(one.value for one in call.keywords)]
            begin = max((self._span(one)[1] for one in behind), default=end - 1)
            self._put(begin, begin, f"{', ' if behind else ''}{name}={self._text(value)}")

    def _without(self, call: ast.Call, given: ast.keyword) -> None:
        parts = sorted((self._at(one), self._span(one)[1]) for one in [*call.args, *call.keywords])
        at = next(i for i, part in enumerate(parts) if part[0] == self._at(given))
        if at:
            self._put(parts[at - 1][1], parts[at][1], "")
        else:
            self._put(parts[0][0], parts[1][0] if len(parts) > 1 else parts[0][1], "")

    def remove(self, node: ast.stmt, *, comments: bool = True) -> None:
        """Take the lines of a statement away, with the comments right above it."""
        begin, end = self._lines(node)
        self._put(self._above(node) if comments else begin, end, "")

    def move(self, node: ast.stmt, before: ast.stmt) -> None:
        """Put the lines of a statement, and the comments right above it, before another one."""
        _, end = self._lines(node)
        self._moved.append((self._above(node), end, self._above(before), len(self._made) + len(self._moved)))

    def insert_before(self, node: ast.stmt, lines: Sequence[str]) -> None:
        """Write lines before a statement and the comments right above it."""
        begin = self._above(node)
        text = "".join(f"{line}\n" for line in lines)
        inner = ast.parse(f"if True:\n{text}")
        self._names.update(one.id for one in ast.walk(inner) if isinstance(one, ast.Name))
        self._put(begin, begin, text)

    def within(self, node: ast.stmt, before: str, behind: Sequence[str]) -> None:
        """Put a statement into another one, of which a line stands before it, and some behind it."""
        begin, end = self._lines(node)
        first = len(self._made) + len(self._moved)
        self._put(begin, begin, f"{before}\n")
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
            self._put(self._starts[line - 1], self._starts[line - 1], "    ")
        self._put(end, end, "".join(f"{line}\n" for line in behind))
        self._around |= dict.fromkeys(range(first, len(self._made) + len(self._moved)), begin)
        self._names.update(one.id for one in ast.walk(ast.parse(f"{before.strip()} pass")) if isinstance(one, ast.Name))

    def rename(self, function: ast.FunctionDef, places: Sequence[ast.Name], name: str) -> None:
        """Call a function otherwise, where it is defined and where its name is read."""
        begin = self._bytes.index(function.name.encode(), self._at(function) + len(b"def "))
        self._put(begin, begin + len(function.name.encode()), name)
        for place in places:
            self.replace(place, ast.Name(name, ast.Load()))

    def insert_after(self, nodes: Sequence[ast.stmt], line: str) -> None:
        """Write a line behind the last of the statements, or as the first."""
        begin = self._lines(nodes[-1])[1] if nodes else 0
        self._put(begin, begin, f"{line}\n")

    def _put(self, begin: int, end: int, text: str) -> None:
        self._made.append((begin, end, len(self._made) + len(self._moved), text.encode()))

    def _text(self, value: ast.expr) -> str:
        self._names.update(one.id for one in ast.walk(value) if isinstance(one, ast.Name))
        return layout.inline(value)

    def _at(self, node: ast.expr | ast.keyword | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _span(self, node: ast.expr | ast.keyword) -> tuple[int, int]:
        return self._at(node), self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    def _above(self, node: ast.stmt) -> int:
        """Where the comments right above a statement begin."""
        self._lines(node)
        line = node.lineno
        while line - 1 in self._comments:
            line -= 1
        return self._starts[line - 1]

    def _lines(self, node: ast.stmt) -> tuple[int, int]:
        """The whole lines of a statement.

        Raises
        ------
        NotWritable
            If others stand in them.
        """
        begin, end = self._starts[node.lineno - 1], self._starts[node.end_lineno or node.lineno]
        before = self._bytes[begin : self._at(node)]
        last = self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        behind = self._bytes[last:end].strip()
        if before.strip() or (behind and not behind.startswith(b"#")):
            raise NotWritable("a line has several statements")
        return begin, min(end, len(self._bytes))


def _whole_numbers(value: ast.expr) -> ast.expr:
    """The same with ``224`` for ``224.0``, as the text has it."""
    for one in ast.walk(value):
        if isinstance(one, ast.Constant) and isinstance(one.value, float) and one.value.is_integer():
            one.value = int(one.value)
    return value
