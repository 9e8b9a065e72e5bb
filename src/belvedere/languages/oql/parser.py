"""OQL text → syntax tree, with errors that say what was expected, and where."""

from __future__ import annotations

from functools import cache

from lark import Lark, Token
from lark.exceptions import UnexpectedInput, UnexpectedToken, VisitError

from belvedere.errors import ParseError
from belvedere.languages.oql import ast
from belvedere.languages.oql.build import Build
from belvedere.languages.oql.grammar import GRAMMAR, OPERANDS, SHOWN
from belvedere.languages.oql.lexer import OqlLexer, tokens


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, start="program", parser="lalr", lexer=OqlLexer, maybe_placeholders=False)


def parse(text: str) -> ast.Program:
    """The program that a text holds."""
    # lark swallows what a lexer raises; an unreadable character is told first
    tokens(text)
    try:
        made = Build(text).transform(_parser().parse(text))
    except UnexpectedToken as e:
        raise _unexpected(e, text) from None
    except UnexpectedInput as e:
        raise ParseError("this cannot be read", text=text, line=e.line, column=e.column) from None
    except VisitError as e:
        if isinstance(e.orig_exc, ParseError):
            raise e.orig_exc from None
        raise
    except RecursionError:
        raise ParseError("the query is nested too deeply; break it into several definitions", text=text) from None
    assert isinstance(made, ast.Program)
    if made.query is None and not made.definitions:
        raise ParseError("a query is expected, and the text is empty", text=text, line=1, column=1)
    return made


def parse_query(text: str) -> ast.Expr:
    """The one query of a text without definitions."""
    program = parse(text)
    if program.query is None or program.definitions:
        raise ParseError("one query is expected, without definitions", text=text, line=1, column=1)
    return program.query


def _unexpected(e: UnexpectedToken, text: str) -> ParseError:
    kinds = set(e.accepts or e.expected)
    words = ["an expression"] if "FUNCTION" in kinds else []
    words += sorted({SHOWN[k] for k in kinds if k in SHOWN and not (words and k in OPERANDS)})
    expected = ", ".join(words[:-1]) + (" or " if len(words) > 1 else "") + words[-1] if words else "nothing more"
    token = e.token
    if token.type == "$END":
        lines = text.splitlines() or [""]
        return ParseError(f"the text ends too early; expected {expected}", text=text, line=len(lines), column=len(lines[-1]) + 1)
    return ParseError(f"unexpected {_shown(token)}; expected {expected}", text=text, line=token.line, column=token.column)


def _shown(token: Token) -> str:
    return "the type" if token.type == "TYPE" else f"'{token}'"
