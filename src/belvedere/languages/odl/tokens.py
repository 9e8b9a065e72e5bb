"""ODL text → words, numbers, literals and signs, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass

from belvedere.errors import ParseError

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/)
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<char>'(?:[^'\\\n]|\\.)*')
      | (?P<sign>::|[{}()<>,;:=+\-])""",
    re.X | re.S,
)


@dataclass(frozen=True)
class Token:
    """`kind` is word, number, string, char, sign or end."""

    kind: str
    text: str
    line: int
    column: int

    def __str__(self) -> str:
        return "the end of the text" if self.kind == "end" else f"'{self.text}'"


def tokens(text: str) -> list[Token]:
    """All tokens, then one of kind "end".

    >>> [t.text for t in tokens("a::b; // why")]
    ['a', '::', 'b', ';', '']
    """
    found: list[Token] = []
    at, line, start = 0, 1, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            column = at - start + 1
            opened = {'"': "a text that does not end", "'": "a character that does not end"}
            what = "a comment that does not end" if text.startswith("/*", at) else opened.get(text[at])
            raise ParseError(what or f"{text[at]!r} has no meaning in ODL", text=text, line=line, column=column)
        kind, part = str(match.lastgroup), match.group()
        if kind != "space":
            found.append(Token(kind, part, line, at - start + 1))
        if "\n" in part:
            line += part.count("\n")
            start = at + part.rindex("\n") + 1
        at = match.end()
    found.append(Token("end", "", line, at - start + 1))
    return found
