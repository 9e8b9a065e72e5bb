"""Parts of a statement's text, found by its words at the outermost level."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from sqlglot.tokenizer_core import Token, TokenType

from belvedere.algebra.typing.dialect import tokens_of

_OPEN = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE}
_CLOSE = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE}


class Words:
    """The words of a text. Positions are indexes into `tokens`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = [t for t in tokens_of(text) if t.token_type != TokenType.SEMICOLON]

    def outer(self, start: int = 0) -> Iterator[int]:
        """Positions of words that stand in no parentheses, nor in case … end."""
        depth = 0
        for i in range(start, len(self.tokens)):
            t = self.tokens[i]
            if t.token_type in _CLOSE or self.word(i) == "END":
                depth -= 1
            if depth == 0:
                yield i
            if t.token_type in _OPEN or self.word(i) == "CASE":
                depth += 1

    def word(self, i: int) -> str:
        """The word in upper case; a quoted name or a string is no word."""
        t = self.tokens[i]
        quoted = t.token_type in (TokenType.STRING, TokenType.IDENTIFIER)
        return "" if quoted else t.text.upper()

    def find(self, word: str, start: int = 0) -> int | None:
        return next((i for i in self.outer(start) if self.word(i) == word), None)

    def slice(self, start: int, end: int | None = None) -> str:
        """The text of the words start … end, the last not included."""
        stop = len(self.tokens) if end is None else end
        if start >= stop:
            return ""
        return self.text[self.tokens[start].start : self.tokens[stop - 1].end + 1]

    def split(self, start: int, end: int | None = None) -> list[tuple[int, int]]:
        """The ranges between commas."""
        stop = len(self.tokens) if end is None else end
        commas = [i for i in self.outer(start) if i < stop and self.tokens[i].token_type == TokenType.COMMA]
        edges = [start - 1, *commas, stop]
        return [(a + 1, b) for a, b in pairwise(edges)]
