"""Text → header, declarations, and SQL's tree of the rest.

Header and FROM are SchemaSQL's own. For SQL's parser they are blanked out, sign by sign, so every position stays right.
"""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.typing.dialect import parse_statements
from belvedere.errors import ParseError, Unsupported
from belvedere.languages.schemasql.refusals import refuse
from belvedere.languages.schemasql.syntax import Declaration, Header, Parsed, Word
from belvedere.languages.schemasql.tokens import Token, error, tokens_of

_JOINS = ("join", "inner", "left", "right", "full", "cross", "natural", "anti", "semi", "lateral", "on", "using")
_AFTER_FROM = ("where", "group", "having", "order", "limit", "union", "intersect", "except", "minus", "window", "qualify", "sort",
               "cluster", "distribute", "offset")  # fmt: skip
_SET_OPERATORS = ("union", "intersect", "except", "minus")
_KEYWORDS = frozenset({*_JOINS, *_AFTER_FROM, "from", "select", "as"})


def parse(text: str) -> Parsed:
    """The parts of a text; ParseError or Unsupported with the position where it cannot be read."""
    return _Parser(text).parse()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens_of(text)
        self.at = 0

    @property
    def here(self) -> Token:
        return self.tokens[self.at]

    def parse(self) -> Parsed:
        self._refuse_set_operators()
        header = self._header() if self.here.is_word("create") else None
        if self.here.is_word("with"):
            raise self._error("with in SchemaSQL; make a view of it", kind=Unsupported)
        if not self.here.is_word("select"):
            raise self._error(f"`select …` or `create view name(…) as select …` is expected, and this is {self.here.shown}")
        begin = self.here.start
        self._to_from()
        start = self.here.start
        self.at += 1
        declarations = self._declarations()
        blank = self._blanked((0, begin), (start, self.here.start))
        return Parsed(self.text, header, declarations, self._select(blank))

    def _refuse_set_operators(self) -> None:
        """By name, before what stands behind one is read: its from clause is SchemaSQL's too, and SQL's parser would stumble."""
        for at, token in enumerate(self.tokens[:-1]):
            after = self.tokens[at + 1]
            behind = self.tokens[at + 2] if after.is_op("(") else after
            if token.is_word(*_SET_OPERATORS) and behind.is_word("select", "all", "distinct"):
                name = token.text.lower()
                message = f"{name} in SchemaSQL; make a view of each part, and a SQL view of the {name}"
                raise error(self.text, token.start, message, Unsupported)

    def _header(self) -> Header:
        self.at += 1
        if self.here.is_word("materialized"):
            self.at += 1
        if not self.here.is_word("view"):
            raise self._error(f"`create view` is expected, and after create comes {self.here.shown}")
        self.at += 1
        name, database = self._name("a name of the view"), None
        if self._take("::"):
            database, name = name, self._name("the name of a relation")
        attributes = self._attributes() if self._take("(") else None
        if not self.here.is_word("as"):
            raise self._error(f"`as select …` is expected after the header, and this is {self.here.shown}")
        self.at += 1
        return Header(database, name, attributes)

    def _attributes(self) -> tuple[Word, ...]:
        found = [self._name("an attribute")]
        while self._take(","):
            found.append(self._name("an attribute"))
        if not self._take(")"):
            raise self._error(f"`,` or `)` is expected in the header, and this is {self.here.shown}")
        return tuple(found)

    def _to_from(self) -> None:
        """To the `from` that belongs to the select: not one inside of parentheses, nor an attribute of that name."""
        depth = 0
        while self.here.kind != "end":
            if self.here.is_op("(") or self.here.is_op(")"):
                depth += 1 if self.here.is_op("(") else -1
            if depth == 0 and self.here.is_word("from") and not self.tokens[self.at - 1].is_op("."):
                return
            self.at += 1
        raise self._error("the from clause is missing; it declares the variables, as in `from db::relation T`")

    def _declarations(self) -> tuple[Declaration, ...]:
        found = [self._declaration()]
        while self._take(","):
            found.append(self._declaration())
        if self.here.is_word(*_JOINS):
            message = f"{self.here.text.lower()} in a from clause; declare both variables, and put the condition into where"
            raise self._error(message, kind=Unsupported)
        if not (self.here.is_word(*_AFTER_FROM) or self.here.is_op(";") or self.here.kind == "end"):
            raise self._error(f"`,`, where or group by is expected after a variable, and this is {self.here.shown}")
        return tuple(found)

    def _declaration(self) -> Declaration:
        start = self.here.start
        if self.here.is_op("("):
            raise self._error("a subquery in a from clause; make a view of it and range over that", kind=Unsupported)
        database = relation = attribute = None
        arrow = self._take("->")
        if not arrow:
            relation = self._name("a range (`->`, `db->`, `db::relation->`, `db::relation`, `T.attribute`)")
            if self._take("::"):
                database, relation = relation, self._name("the name of a relation")
            arrow = self._take("->")
            if not arrow and self._take("."):
                attribute = self._name("an attribute")
        if self.here.is_word("as"):
            self.at += 1
        shown = self.text[start : self.tokens[self.at - 1].stop]
        return Declaration(self._name(f"a variable for the range `{shown}`"), start, database, relation, attribute, arrow)

    def _name(self, what: str) -> Word:
        token = self.here
        if token.kind == "name" or (token.kind == "word" and token.text.lower() not in _KEYWORDS):
            self.at += 1
            return Word(token.text, token.start)
        hint = "; a name that is no plain identifier is written in backticks" if token.kind in ("number", "string") else ""
        raise self._error(f"{what} is expected, and this is {token.shown}{hint}")

    def _take(self, op: str) -> bool:
        if self.here.is_op(op):
            self.at += 1
            return True
        return False

    def _blanked(self, *spans: tuple[int, int]) -> str:
        signs = list(self.text)
        for start, stop in spans:
            signs[start:stop] = [c if c == "\n" else " " for c in signs[start:stop]]
        return "".join(signs)

    def _select(self, blank: str) -> exp.Select:
        try:
            statements = parse_statements(blank)
        except ParseError as e:
            raise type(e)(e.message, text=self.text, line=e.line, column=e.column) from None
        if len(statements) == 1 and isinstance(statements[0], exp.Block):
            statements = list(statements[0].expressions)
        if len(statements) != 1:
            raise ParseError(f"one query is expected, and the text has {len(statements)} statements", text=self.text)
        return refuse(statements[0], self.text)

    def _error(self, message: str, *, kind: type[ParseError] = ParseError) -> ParseError:
        return error(self.text, self.here.start, message, kind)
