"""Text → syntax tree: a query, a view, an update."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from belvedere.errors import ParseError
from belvedere.languages.lorel.condition_reader import ConditionReader
from belvedere.languages.lorel.oem_text import read_oem
from belvedere.languages.lorel.syntax import DropName, Literal, Query, SetName, Source, Statement, Update, View
from belvedere.languages.lorel.tokens import tokens_of

_OPS = (":=", "+=", "-=")
T = TypeVar("T")


def parse_view(text: str) -> View:
    """A view, with or without its `define view V as N =`; a query is a view without a with clause."""
    return _whole(text, _Parser.view)


def parse_query(text: str) -> Query:
    view = parse_view(text)
    if view.with_ or view.name is not None:
        raise ParseError("a query is expected, without define view and without with; create_view takes those", text=text)
    return view.query


def parse_update(text: str) -> Statement:
    """`name X := …`, `drop name X` or `update …`."""
    return _whole(text, _Parser.statement)


def is_update(text: str) -> bool:
    """Whether a statement is Lorel's rather than SQL's, by its first words."""
    try:
        tokens = tokens_of(text)
    except ParseError:
        return False
    if tokens[0].is_word("name"):
        return len(tokens) > 2 and tokens[2].is_op(":=")
    if tokens[0].is_word("drop"):
        return tokens[1].is_word("name")
    return tokens[0].is_word("update") and any(t.is_op(*_OPS) for t in tokens)


def _whole(text: str, read: Callable[[_Parser], T]) -> T:
    parser = _Parser(text)
    try:
        made = read(parser)
    except RecursionError:
        raise ParseError("the text is nested too deeply; break it into several views", text=text) from None
    while parser.takes_op(";"):
        pass
    if parser.here.kind != "end":
        raise parser.expected("the end of the text", "here")
    return made


class _Parser(ConditionReader):
    def view(self) -> View:
        name = title = None
        if self.takes_word("define"):
            self.need_word("view", "after define")
            name = self.name("the name of the view")
            self.need_word("as", "after the view's name")
            if not self.here.is_word("select"):
                title = self.name("a name for the view's objects, `N = select …`,")
                self.need_op("=", f"after '{title}'")
        if not self.here.is_word("select"):
            raise self.expected("`select …` or `define view V as N = select …`")
        query = self.query()
        return View(query, self.ranges() if self.takes_word("with") else (), name, title)

    def statement(self) -> Statement:
        at = self.here.start
        if self.takes_word("name"):
            name = self.name("a name")
            self.need_op(":=", "after the name")
            return SetName(name, self._source(), at=at)
        if self.takes_word("drop"):
            self.need_word("name", "after drop")
            return DropName(self.name("a name"), at=at)
        if self.takes_word("update"):
            return self._update(at)
        raise self.expected("`name X := …`, `drop name X` or `update path := …`")

    def _update(self, at: int) -> Update:
        path = self.path("the path to update")
        op = self.here.text
        if not self.takes_op(*_OPS):
            raise self.expected("`:=`, `+=` or `-=`", "after the path")
        source = self._source()
        ranges = self.ranges() if self.takes_word("from") else ()
        where = self.condition() if self.takes_word("where") else None
        return Update(path, op, source, ranges, where, at=at)

    def _source(self) -> Source:
        """A query, a path, an oid, a constant, or an object written out; `&7 {…}` and `&7 "x"` give the object its oid."""
        token, then = self.here, self.ahead()
        if token.is_op("{") or (token.kind == "oid" and (then.is_op("{") or then.kind in ("string", "number"))):
            return read_oem(self)
        if token.is_word("select"):
            return self.query()
        if token.is_op("("):
            self.next()
            inner = self._source()
            self.need_op(")", "after what is put in")
            return inner
        constant = self.constant()
        if constant is not None:
            return Literal(constant, at=token.start)
        return self.path("a query, a path, an oid, a constant or an object {…}")
