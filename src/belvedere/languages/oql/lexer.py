"""Words of OQL. Most keywords are ordinary names elsewhere (`order` without `by`, `date` without a string, anything after a
point), so what a word is depends on its neighbours; the parser then needs no second look."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lark import Token
from lark.lexer import Lexer

from belvedere.errors import ParseError
from belvedere.languages.oql.ast import FUNCTIONS, Position, TypeName

#: names of types, as casts and parameters of definitions write them
TYPE_WORDS = frozenset({
    "short", "long", "unsigned short", "unsigned long", "long long", "unsigned long long", "float", "double", "boolean", "char",
    "octet", "string", "date", "time", "interval", "timestamp", "set", "bag", "list", "array", "dictionary",
})  # fmt: skip
_COLLECTIONS = frozenset({"set", "bag", "list", "array"})
_INFIX = frozenset({"or", "and", "in", "like", "union", "except", "mod", "intersect"})
_CLAUSES = frozenset({"from", "where", "having", "as"})
_CONSTANTS = frozenset({"nil", "undefined", "true", "false"})
_ALWAYS = _INFIX | _CLAUSES | _CONSTANTS | {"select", "not", "abs"}
_BEFORE_PAREN = frozenset(FUNCTIONS) | _COLLECTIONS | {"struct"}

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|--[^\n]*|/\*.*?\*/)
      | (?P<FLOAT>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)
      | (?P<INT>\d+)
      | (?P<word>[^\W\d]\w*)
      | (?P<quoted>`(?:[^`]|``)+`)
      | (?P<STRING>"(?:[^"\\]|\\.)*")
      | (?P<CHAR>'(?:[^'\\]|\\.)*')
      | (?P<PARAMETER>\$\d+)
      | (?P<op>->|<=|>=|!=|<>|\|\||[-+*/=<>.,:;()\[\]])""",
    re.X | re.S,
)
_OPERATORS = {
    "->": "DOT", ".": "DOT", "<=": "REL", ">=": "REL", "<": "REL", ">": "REL", "=": "EQ", "!=": "EQ", "<>": "EQ", "||": "ADDOP",
    "+": "PLUS", "-": "MINUS", "*": "STAR", "/": "MULOP", ",": "COMMA", ":": "COLON", ";": "SEMICOLON", "(": "LPAR", ")": "RPAR",
    "[": "LSQB", "]": "RSQB",
}  # fmt: skip
_WORD_KINDS = {
    "or": "OR", "and": "AND", "in": "IN", "like": "LIKE", "union": "ADDOP", "except": "ADDOP", "mod": "MULOP",
    "intersect": "MULOP", "nil": "NIL", "undefined": "UNDEFINED", "true": "TRUE", "false": "FALSE", "not": "PREFIX",
    "abs": "PREFIX",
}  # fmt: skip
_ENDS_OPERAND = frozenset({
    "ID", "INT", "FLOAT", "STRING", "CHAR", "PARAMETER", "RPAR", "RSQB", "NIL", "UNDEFINED", "TRUE", "FALSE",
})  # fmt: skip
#: words that begin or continue something wherever they stand bare
_ELSEWHERE = frozenset({"asc", "desc", "any", "some", "all", "exists", "distinct", "query", "for", "define", "undefine"})


def is_word(name: str) -> bool:
    return re.fullmatch(r"[^\W\d]\w*", name) is not None


def is_plain(name: str, *, called: bool = False) -> bool:
    """Whether a name can stand for itself in an expression."""
    low = name.lower()
    return is_word(name) and low not in _ALWAYS | _ELSEWHERE and not (called and low in _BEFORE_PAREN)


class OqlLexer(Lexer):
    """lark's idea of a lexer: a text in, tokens out."""

    def __init__(self, conf: Any) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any = None) -> Iterator[Token]:
        yield from tokens(str(lexer_state))


def tokens(text: str) -> list[Token]:
    return _Classifier(_raw(text)).run()


def _raw(text: str) -> list[Token]:
    out: list[Token] = []
    at, line, start = 0, 1, 0
    while at < len(text):
        m = _TOKEN.match(text, at)
        if m is None:
            what = "a string that does not end" if text[at] in "\"'`" else f"{text[at]!r} is no part of OQL"
            raise ParseError(what, text=text, line=line, column=at - start + 1)
        kind = str(m.lastgroup)
        if kind != "space":
            out.append(Token(kind, m.group(), at, line, at - start + 1, line, at - start + 1 + len(m.group()), m.end()))
        newlines = m.group().count("\n")
        if newlines:
            line, start = line + newlines, at + m.group().rindex("\n") + 1
        at = m.end()
    return out


class _Classifier:
    """Gives every raw token its kind, left to right, with a look ahead."""

    def __init__(self, raw: list[Token]) -> None:
        self.raw = raw
        self.out: list[Token] = []
        #: where the output stood after the parenthesis that closes a cast: what follows it is no call
        self.cast_end = 0

    def run(self) -> list[Token]:
        i = 0
        while i < len(self.raw):
            i = self.step(i)
        return self.out

    def emit(self, token: Token, kind: str, value: object = None) -> None:
        made = Token.new_borrow_pos(kind, token.value if value is None else value, token)
        self.out.append(made)

    def low(self, i: int) -> str:
        return self.raw[i].value.lower() if 0 <= i < len(self.raw) and self.raw[i].type in ("word", "op") else ""

    @property
    def before(self) -> str:
        return self.out[-1].type if self.out else ""

    def step(self, i: int) -> int:
        token = self.raw[i]
        if token.type == "quoted":
            self.emit(token, "ID", token.value[1:-1].replace("``", "`"))
        elif token.type == "op":
            return self.operator(i)
        elif token.type == "word":
            return self.word(i)
        else:
            self.emit(token, token.type)
        return i + 1

    def operator(self, i: int) -> int:
        token = self.raw[i]
        self.emit(token, _OPERATORS[token.value])
        if token.value != "(":
            return i + 1
        if self.defining():
            return self.parameters(i + 1)
        before = self.out[-2].type if len(self.out) > 1 else ""
        if before in ("ID", "RPAR", "RSQB", "FUNCTION", "STRUCT", "COLLECTION", "COUNT") and len(self.out) - 1 != self.cast_end:
            return i + 1
        found = self.type_at(i + 1)
        if found is not None and self.low(found[1]) == ")" and self.casts(found[0], found[1] + 1):
            self.emit(self.raw[i + 1], "TYPE", found[0])
            self.emit(self.raw[found[1]], "RPAR")
            self.cast_end = len(self.out)
            return found[1] + 1
        return i + 1

    def defining(self) -> bool:
        kinds = [t.type for t in self.out[-4:-1]]
        return kinds[-2:] == ["DEFINE", "ID"]

    def parameters(self, i: int) -> int:
        """Types and names, up to the closing parenthesis, as far as they can be read."""
        while (found := self.type_at(i)) is not None and self.raw[found[1] : found[1] + 1]:
            self.emit(self.raw[i], "TYPE", found[0])
            i = found[1]
            if self.raw[i].type in ("word", "quoted"):
                self.emit(self.raw[i], "ID", self.raw[i].value.strip("`"))
                i += 1
            if self.low(i) != ",":
                break
            self.emit(self.raw[i], "COMMA")
            i += 1
        return i

    def casts(self, t: TypeName, i: int) -> bool:
        """Whether what follows a type in parentheses is what it casts. After a mere name, a sign is an operator."""
        if i >= len(self.raw):
            return False
        token = self.raw[i]
        if token.type == "word":
            low = token.value.lower()
            two = (low, self.low(i + 1)) in (("order", "by"), ("group", "by"))
            return not (low in _INFIX | _CLAUSES or low in ("asc", "desc") or two)
        if token.type == "op":
            return token.value == "(" or (token.value in "+-" and (t.name in TYPE_WORDS or bool(t.args)))
        return True

    def type_at(self, i: int) -> tuple[TypeName, int] | None:
        """The type that begins at a token, and where it ends."""
        if i >= len(self.raw) or self.raw[i].type not in ("word", "quoted"):
            return None
        pos = Position(self.raw[i].line or 0, self.raw[i].column or 0)
        if self.raw[i].type == "quoted":
            return TypeName(self.raw[i].value[1:-1].replace("``", "`"), pos=pos), i + 1
        for length in (3, 2, 1):
            words = " ".join(self.low(i + k) for k in range(length))
            if words in TYPE_WORDS:
                end = i + length
                break
        else:
            return TypeName(self.raw[i].value, pos=pos), i + 1
        if words not in _COLLECTIONS | {"dictionary"} or self.low(end) != "<":
            return TypeName(words, pos=pos), end
        args: list[TypeName] = []
        while self.low(end) in ("<", ","):
            inner = self.type_at(end + 1)
            if inner is None:
                return None
            args.append(inner[0])
            end = inner[1]
        if self.low(end) != ">":
            return None
        return TypeName(words, tuple(args), pos=pos), end + 1

    def word(self, i: int) -> int:
        token, low, after = self.raw[i], self.low(i), self.low(i + 1)
        label = after == ":" and self.before in ("LPAR", "COMMA", "SELECT", "DISTINCT", "BY")
        if self.before in ("DOT", "DEFINE", "UNDEFINE") and low != "query":
            self.emit(token, "ID")
        elif self.before in ("DEFINE", "UNDEFINE"):
            # `define query q`, unless the query itself is called query
            if i + 1 >= len(self.raw) or self.raw[i + 1].type not in ("word", "quoted") or after in ("as", "select"):
                self.emit(token, "ID")
        elif label:
            self.emit(token, "ID")
        elif low in ("define", "undefine") and self.before in ("", "SEMICOLON"):
            self.emit(token, low.upper())
        elif (low, after) in (("order", "by"), ("group", "by"), ("for", "all")):
            self.emit(token, low.upper())
            self.emit(self.raw[i + 1], after.upper())
            return i + 2
        elif low == "distinct" and self.before == "SELECT":
            self.emit(token, "DISTINCT")
        elif low == "exists" and after != "(" and i + 1 < len(self.raw) and self.raw[i + 1].type in ("word", "quoted"):
            self.emit(token, "EXISTS")
        elif after == "(" and low in _BEFORE_PAREN:
            kind = "COLLECTION" if low in _COLLECTIONS else {"struct": "STRUCT", "count": "COUNT"}.get(low, "FUNCTION")
            self.emit(token, kind, low)
        elif low in ("date", "time", "timestamp") and i + 1 < len(self.raw) and self.raw[i + 1].type in ("STRING", "CHAR"):
            self.emit(token, "TEMPORAL", low)
        elif low in ("any", "some", "all") and self.before in ("EQ", "REL") and self.operand_follows(i + 1):
            self.emit(token, "QUANTIFIER", low)
        elif low in ("asc", "desc") and self.before in _ENDS_OPERAND and after in ("", ",", ")", ";"):
            self.emit(token, "DIRECTION", low)
        elif low in _WORD_KINDS:
            self.emit(token, _WORD_KINDS[low], low)
        elif low in _CLAUSES or low == "select":
            self.emit(token, low.upper())
        else:
            self.emit(token, "ID")
        return i + 1

    def operand_follows(self, i: int) -> bool:
        if i >= len(self.raw):
            return False
        token = self.raw[i]
        if token.type == "op":
            return str(token.value) == "("
        return token.type != "word" or str(token.value).lower() not in _INFIX | _CLAUSES
