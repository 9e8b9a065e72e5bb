"""Words of a SchemaSQL text, as far as header and FROM need them. What stands between is SQL, and is read by SQL's parser.

A name may hold a minus inside (`univ-A`), but `->` is the arrow: `univ-C->` is a name and an arrow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from belvedere.algebra.typing.dialect import line_and_column
from belvedere.errors import ParseError

_TOKEN = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/\*.*?\*/)
      | (?P<word>[^\W\d]\w*(?:-\w+)*)
      | (?P<name>`(?:[^`]|``)+`)
      | (?P<string>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
      | (?P<number>\d[\w.]*)
      | (?P<op>->|::|.)""",
    re.X | re.S,
)


@dataclass(frozen=True)
class Token:
    """A word (`word`), a name in backticks (`name`), a `string`, a `number`, an operator (`op`) or the `end`."""

    kind: str
    text: str
    start: int
    stop: int

    def is_word(self, *words: str) -> bool:
        return self.kind == "word" and self.text.lower() in words

    def is_op(self, text: str) -> bool:
        return self.kind == "op" and self.text == text

    @property
    def shown(self) -> str:
        return "the end of the text" if self.kind == "end" else f"'{self.text}'"


def tokens_of(text: str) -> list[Token]:
    """
    >>> [t.text for t in tokens_of("univ-C-> R, `a b`::R T")]
    ['univ-C', '->', 'R', ',', 'a b', '::', 'R', 'T', '']
    """
    found: list[Token] = []
    for m in _TOKEN.finditer(text):
        kind = m.lastgroup or "op"
        if kind == "space":
            continue
        if kind == "op" and m.group() in "`'\"":
            raise error(text, m.start(), f"the quote {m.group()} is not closed")
        if kind == "op" and text.startswith("/*", m.start()):
            raise error(text, m.start(), "the comment is not closed")
        value = m.group()[1:-1].replace("``", "`") if kind == "name" else m.group()
        found.append(Token(kind, value, m.start(), m.end()))
    return [*found, Token("end", "", len(text), len(text))]


def error(text: str, offset: int, message: str, kind: type[ParseError] = ParseError) -> ParseError:
    """An error that points into the text."""
    line, column = line_and_column(text, offset)
    return kind(message, text=text, line=line, column=column)
