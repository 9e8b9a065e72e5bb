"""A walk over the words of a text, with errors that say what was expected, and where."""

from __future__ import annotations

import datetime as dt

from belvedere.errors import ParseError
from belvedere.languages.lorel.constants import Constant
from belvedere.languages.lorel.tokens import Token, error, tokens_of

#: words that cannot be variables; after a point, anything is a label
KEYWORDS = frozenset({
    "select", "from", "where", "with", "as", "in", "and", "or", "not", "like", "exists", "for", "true", "false", "distinct",
})  # fmt: skip


class Reader:
    """The words of a text and where the walk stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens_of(text)
        self.place = 0

    @property
    def here(self) -> Token:
        return self.tokens[self.place]

    def ahead(self, count: int = 1) -> Token:
        return self.tokens[min(self.place + count, len(self.tokens) - 1)]

    def next(self) -> Token:
        token = self.here
        self.place = min(self.place + 1, len(self.tokens) - 1)
        return token

    def takes_op(self, *texts: str) -> bool:
        if not self.here.is_op(*texts):
            return False
        self.next()
        return True

    def takes_word(self, *words: str) -> bool:
        if not self.here.is_word(*words):
            return False
        self.next()
        return True

    def need_op(self, text: str, where: str) -> None:
        if not self.takes_op(text):
            raise self.expected(f"`{text}`", where)

    def need_word(self, word: str, where: str) -> None:
        if not self.takes_word(word):
            raise self.expected(f"`{word}`", where)

    def name(self, what: str) -> str:
        """A name or a variable: a word that is no keyword, or anything in backticks."""
        token = self.here
        if token.kind == "name":
            return self.next().text
        if token.kind != "word" or "%" in token.text:
            raise self.expected(what)
        if token.text.lower() in KEYWORDS:
            raise self.error(f"{what} is expected, and '{token.text}' is a keyword; write it as `{token.text}` in backticks")
        return self.next().text

    def constant(self) -> Constant | None:
        """The atomic value that stands here, if one does."""
        token, then = self.here, self.ahead()
        if token.kind == "string":
            return Constant("string", self.next().text)
        if token.kind == "number" or (token.is_op("-", "+") and then.kind == "number"):
            sign = "" if token.kind == "number" else self.next().text
            return self._number(sign, token)
        if token.is_word("true", "false"):
            return Constant("bool", self.next().text.lower() == "true")
        if token.is_word("date", "timestamp") and then.kind == "string":
            self.next()
            return self._moment(token.text.lower(), self.next())
        return None

    def _number(self, sign: str, at: Token) -> Constant:
        digits = self.next().text
        if digits.isdigit():
            whole = int(sign + digits)
            if not -(2**63) <= whole < 2**63:
                raise self.error(f"{sign}{digits} is beyond 64 bits; write it as a real number, {sign}{digits}.0", at)
            return Constant("int", whole)
        real = float(sign + digits)
        if real in (float("inf"), float("-inf")):
            raise self.error(f"{sign}{digits} is too large for a number", at)
        return Constant("real", real + 0.0)

    def _moment(self, kind: str, token: Token) -> Constant:
        try:
            if kind == "date":
                return Constant("date", dt.date.fromisoformat(token.text))
            moment = dt.datetime.fromisoformat(token.text)
        except ValueError:
            example = "date '2026-11-01'" if kind == "date" else "timestamp '2026-11-01 12:30:00'"
            raise self.error(f"{token.shown} is no {kind}; write {example}", token) from None
        return Constant("timestamp", moment.astimezone(dt.UTC).replace(tzinfo=None) if moment.tzinfo else moment)

    def expected(self, what: str, where: str = "") -> ParseError:
        place = f" {where}" if where else ""
        return self.error(f"{what} is expected{place}, and this is {self.here.shown}")

    def error(self, message: str, at: Token | int | None = None, kind: type[ParseError] = ParseError) -> ParseError:
        offset = at.start if isinstance(at, Token) else self.here.start if at is None else at
        return error(self.text, offset, message, kind)
