"""Words of Lorel. Keywords are ordinary words here; where one may stand, the parser knows.

A `%` is part of a word, since patterns of labels are written `Rest%`; a label with other signs is written in backticks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from belvedere.algebra.typing.dialect import line_and_column
from belvedere.errors import ParseError

_TOKEN = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/\*.*?\*/)
      | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w%]))
      | (?P<word>(?:[^\W\d]|%)[\w%]*)
      | (?P<oid>&\w+)
      | (?P<name>`(?:[^`]|``)+`)
      | (?P<string>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
      | (?P<op>:=|\+=|-=|==|!=|<>|<=|>=|.)""",
    re.X | re.S,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}


@dataclass(frozen=True)
class Token:
    """A `word`, a `name` in backticks, a `string`, a `number`, an `oid`, an operator (`op`) or the `end`. `text` is what it
    means: without quotes, escapes resolved."""

    kind: str
    text: str
    start: int
    stop: int

    def is_word(self, *words: str) -> bool:
        return self.kind == "word" and self.text.lower() in words

    def is_op(self, *texts: str) -> bool:
        return self.kind == "op" and self.text in texts

    @property
    def shown(self) -> str:
        if self.kind == "end":
            return "the end of the text"
        return f'"{self.text}"' if self.kind == "string" else f"'{self.text}'"


def tokens_of(text: str) -> list[Token]:
    """
    >>> [t.text for t in tokens_of("Guide.Rest%.`a b` = 'it''s'")]
    ['Guide', '.', 'Rest%', '.', 'a b', '=', "it's", '']
    """
    found: list[Token] = []
    for m in _TOKEN.finditer(text):
        kind = m.lastgroup or "op"
        if kind == "space":
            continue
        value = m.group()
        if kind == "op" and value in "`'\"":
            raise error(text, m.start(), f"the quote {value} is not closed")
        if kind == "op" and text.startswith("/*", m.start()):
            raise error(text, m.start(), "the comment is not closed")
        if kind == "name":
            value = value[1:-1].replace("``", "`")
        elif kind == "string":
            value = _unquoted(value)
            if any("\ud800" <= c <= "\udfff" for c in value):
                raise error(text, m.start(), r"half of a pair \ud800–\udfff stands alone in this string; write both halves")
        elif value == "<>":
            value = "!="
        found.append(Token(kind, value, m.start(), m.end()))
    return [*found, Token("end", "", len(text), len(text))]


def _unquoted(text: str) -> str:
    quote = text[0]

    def plain(m: re.Match[str]) -> str:
        if m.group(1) is not None:
            return chr(int(m.group(1), 16))
        return _ESCAPES.get(m.group(2), m.group(2)) if m.group(2) is not None else quote

    plainly = re.sub(rf"\\u([0-9a-fA-F]{{4}})|\\(.)|{quote}{quote}", plain, text[1:-1], flags=re.S)
    return plainly.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def error(text: str, offset: int, message: str, kind: type[ParseError] = ParseError) -> ParseError:
    """An error that points into the text."""
    line, column = line_and_column(text, offset)
    return kind(message, text=text, line=line, column=column)
