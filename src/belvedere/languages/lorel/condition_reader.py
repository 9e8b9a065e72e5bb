"""Conditions, by the precedence of OQL: or, and, not and quantifiers, comparisons.

A quantifier takes one condition after its colon; more than one stands in parentheses.
"""

from __future__ import annotations

from functools import cached_property

from belvedere.languages.lorel.path_reader import PathReader
from belvedere.languages.lorel.syntax import (
    Aggregate,
    And,
    Comparison,
    Condition,
    Exists,
    ForAll,
    Item,
    Literal,
    Member,
    Not,
    Or,
    Path,
    Query,
    Range,
    Start,
)

FUNCTIONS = ("count", "sum", "avg", "min", "max")
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=", "==")
Value = Path | Literal | Aggregate | Query


class ConditionReader(PathReader):
    # -- queries ---------------------------------------------------------------------------------------------------------

    def query(self) -> Query:
        at = self.here.start
        self.need_word("select", "here")
        distinct = self.takes_word("distinct")
        items = [self._item()]
        while self.takes_op(","):
            items.append(self._item())
        ranges = self.ranges() if self.takes_word("from") else ()
        where = self.condition() if self.takes_word("where") else None
        return Query(tuple(items), ranges, where, distinct, at=at)

    def _item(self) -> Item:
        at = self.here.start
        value = self.value()
        label = None
        if self.takes_word("as"):
            if self.here.kind not in ("word", "name", "string"):
                raise self.expected("a label", "after as")
            label = self.next().text
        return Item(value, label, at=at)

    def ranges(self) -> tuple[Range, ...]:
        found = [self._range()]
        while self.takes_op(","):
            found.append(self._range())
        return tuple(found)

    def _range(self) -> Range:
        at = self.here.start
        if self.ahead().is_word("in"):
            variable = self.name("a variable")
            self.next()
            return Range(self.path(), variable, at=at)
        path = self.path()
        if self.takes_word("as"):
            return Range(path, self.name("a variable"), at=at)
        token = self.here
        if token.kind == "name" or (token.kind == "word" and token.text.lower() not in ("where", "with", "from")):
            return Range(path, self.name("a variable, a comma or the next clause"), at=at)
        return Range(path, None, at=at)

    # -- values ----------------------------------------------------------------------------------------------------------

    def value(self) -> Value:
        token = self.here
        constant = self.constant()
        if constant is not None:
            return Literal(constant, at=token.start)
        if token.is_word(*FUNCTIONS) and self.ahead().is_op("("):
            self.next()
            if not self.at_group():
                return self._aggregate(token.text.lower(), token.start)
            self.place -= 1
        if token.is_op("("):
            return self._parenthesised()
        return self.path("a path, a constant or an aggregate")

    def _aggregate(self, function: str, at: int) -> Aggregate:
        self.next()
        over = self.domain()
        self.need_op(")", f"after {function}(…")
        return Aggregate(function, over, at=at)

    def _parenthesised(self) -> Value:
        self.next()
        value = self.query() if self.here.is_word("select") else self.value()
        self.need_op(")", "after the value in parentheses")
        return value

    def domain(self) -> Path | Query:
        """What a quantifier, `in` or an aggregate ranges over."""
        if self.here.is_word("select"):
            return self.query()
        if not self.here.is_op("("):
            return self.path("a path or a query")
        self.next()
        inner = self.domain()
        self.need_op(")", "after the query")
        return inner

    # -- conditions ------------------------------------------------------------------------------------------------------

    def condition(self) -> Condition:
        parts = [self._conjunction()]
        while self.takes_word("or"):
            parts.append(self._conjunction())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _conjunction(self) -> Condition:
        parts = [self._single()]
        while self.takes_word("and"):
            parts.append(self._single())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _single(self) -> Condition:
        token = self.here
        if self.takes_word("not"):
            return Not(self._single())
        if token.is_word("exists"):
            self.next()
            return self._exists(token.start)
        if token.is_word("for") and self.ahead().is_word("all"):
            self.next()
            self.next()
            return self._for_all(token.start)
        if token.is_op("(") and self._condition_follows():
            self.next()
            inner = self.condition()
            self.need_op(")", "after the condition")
            return inner
        return self._comparison()

    def _condition_follows(self) -> bool:
        """Whether what the parenthesis holds is a condition, rather than one side of a comparison."""
        if self.ahead().is_word("select"):
            return False
        at = self._closing.get(self.place, len(self.tokens) - 1) + 1
        after = self.tokens[min(at, len(self.tokens) - 1)]
        return not (after.is_op(*_COMPARISONS) or after.is_word("like", "in") or (after.is_word("not") and self._negated(at)))

    @cached_property
    def _closing(self) -> dict[int, int]:
        """Where each parenthesis is closed."""
        found: dict[int, int] = {}
        open_: list[int] = []
        for at, token in enumerate(self.tokens):
            if token.is_op("("):
                open_.append(at)
            elif token.is_op(")") and open_:
                found[open_.pop()] = at
        return found

    def _negated(self, at: int) -> bool:
        return self.tokens[min(at + 1, len(self.tokens) - 1)].is_word("like", "in")

    def _exists(self, at: int) -> Condition:
        if self.here.kind == "oid" and self.ahead().is_word("in"):
            return self._oid_in(at)
        if self.ahead().is_word("in") and not self.here.is_op("("):
            variable = self.name("a variable")
            self.next()
            domain = self.domain()
            return Exists(variable, domain, self._body(), at=at)
        return Exists(None, self.domain(), at=at)

    def _oid_in(self, at: int) -> Condition:
        """`exists &15 in p: c` says that &15 is in p, and c."""
        start = Start(self.here.text, oid=True, at=self.here.start)
        oid = Path(start, at=self.next().start)
        self.next()
        among = self._among(oid, self.domain(), at)
        body = self._body()
        return among if body is None else And((among, body))

    def _among(self, oid: Path, domain: Path | Query, at: int) -> Condition:
        return Comparison("==", oid, domain, at=at)

    def _body(self) -> Condition | None:
        return self._single() if self.takes_op(":") else None

    def _for_all(self, at: int) -> Condition:
        variable = self.name("a variable")
        self.need_word("in", "after the variable")
        domain = self.domain()
        self.need_op(":", "before the condition of for all")
        return ForAll(variable, domain, self._single(), at=at)

    def _comparison(self) -> Condition:
        at = self.here.start
        left = self.value()
        token = self.here
        if token.is_op(*_COMPARISONS):
            self.next()
            return Comparison(token.text, left, self.value(), at=at)
        negated = token.is_word("not") and self.ahead().is_word("like", "in")
        if negated:
            self.next()
        if self.takes_word("like"):
            made: Condition = Comparison("like", left, self.value(), at=at)
        elif self.takes_word("in"):
            made = Member(left, self.domain(), at=at)
        elif isinstance(left, (Path, Query)) and not negated:
            return Exists(None, left, at=at)
        else:
            raise self.expected("a comparison (= != < <= > >= == like in)", "after the value")
        return Not(made) if negated else made
