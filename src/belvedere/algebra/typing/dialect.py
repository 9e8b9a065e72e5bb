"""Spark SQL as Spark 4 reads it with ANSI on, and where a parsed thing stands in its text.

sqlglot's Spark dialect follows the lenient Spark 3: a cast that fails is NULL, so is a division by zero, and `'it''s'` is
two strings. Here they are what Spark 4 makes of them. `col:path` is read as a JSON path.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

import sqlglot
from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError as SqlglotParseError
from sqlglot.errors import SqlglotError, TokenError
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokenizer_core import Token, TokenType

from belvedere.errors import ParseError

if not (sqlglot.parser.__file__ or "").endswith(".py"):
    raise ImportError(
        "Belvedere extends sqlglot's parser, and the compiled one (package sqlglotc, extra sqlglot[c]) cannot be extended; "
        "run 'pip uninstall sqlglotc'"
    )

#: the key under which a call keeps the name that the user wrote
NAME = "name"
#: marks a join that was written as a comma
COMMA = "comma"


def _variant_get(args: list[exp.Expr], cast: type[exp.Cast]) -> exp.Expr:
    """variant_get(v, path, type): a variant is JSON text here, so the text at the path, cast."""
    if len(args) != 3 or not all(isinstance(a, exp.Literal) and a.is_string for a in args[1:]):
        return exp.Anonymous(this="variant_get", expressions=args)
    path = exp.JSONExtractScalar(this=args[0], expression=Spark().to_json_path(args[1]))
    return cast(
        this=path, to=exp.DataType.build(args[2].name, dialect="spark", udt=True), safe=True if cast is exp.TryCast else None
    )


class AnsiSparkParser(SparkParser):
    STRICT_CAST = True
    COLON_IS_VARIANT_EXTRACT = True

    FUNCTIONS = {  # noqa: RUF012
        # sqlglot writes it back as a datediff with a unit, which is a bigint
        **{name: build for name, build in SparkParser.FUNCTIONS.items() if name != "UNIX_DATE"},
        "VARIANT_GET": lambda args: _variant_get(args, exp.Cast),
        "TRY_VARIANT_GET": lambda args: _variant_get(args, exp.TryCast),
    }

    def _parse_function_call(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        """Every call knows where it stands, those with a syntax of their own too."""
        token = self._curr
        try:
            result = super()._parse_function_call(*args, **kwargs)
        except (AttributeError, IndexError, TypeError, ValueError):  # a builder that trusts its arguments to be there
            self.raise_error("the call has too few arguments, or other ones than the function takes", token)
            return None
        if isinstance(result, exp.Expr) and "start" not in result.meta:
            result.update_positions(token)
        return result

    def _parse_join(self, *args: Any, **kwargs: Any) -> exp.Join | None:
        """A comma binds weaker than a join, which the tree alone does not tell."""
        comma = self._curr is not None and self._curr.token_type == TokenType.COMMA
        join = super()._parse_join(*args, **kwargs)
        if comma and isinstance(join, exp.Join):
            join.meta[COMMA] = True
        return join

    def _parse_table_part(self, schema: bool = False) -> exp.Expr | None:
        """After a dot a table may be called `values`, as a part of every graph is."""
        after_dot = self._prev is not None and self._prev.token_type == TokenType.DOT
        if after_dot and self._curr is not None and self._curr.token_type == TokenType.VALUES:
            return self._parse_id_var(any_token=True)
        return super()._parse_table_part(schema)

    def _warn_unsupported(self) -> None:
        """A statement that is not understood is refused by who reads it; a line in a log helps nobody."""


class AnsiSpark(Spark):
    """The dialect in which all text is read. Text is written in sqlglot's own Spark dialect."""

    SAFE_DIVISION = False
    ORIGINAL_NAME_META_KEY = NAME

    class Tokenizer(Spark.Tokenizer):
        STRING_ESCAPES = ["\\", "'", '"']  # noqa: RUF012 (sqlglot's own convention)

    Parser = AnsiSparkParser


E_ = TypeVar("E_", bound=ParseError)


def located(kind: type[E_], message: str, text: str, node: exp.Expr | None) -> E_:
    """An error of that kind that points at a node of the parsed text."""
    offset = offset_of(node) if node is not None else None
    if offset is None or not text:
        return kind(message, text=text)
    line, column = line_and_column(text, offset)
    return kind(message, text=text, line=line, column=column)


def offset_of(node: exp.Expr) -> int | None:
    """Where a node begins in its text: its own position, else the leftmost among its parts, else its parent's."""
    if "start" in node.meta:
        return int(node.meta["start"])
    inner = [int(n.meta["start"]) for n in node.walk() if "start" in n.meta]
    if inner:
        return min(inner)
    return offset_of(node.parent) if node.parent is not None else None


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """1-based line and column of an offset."""
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def parse_statements(text: str) -> list[exp.Expr]:
    """Every statement of the text."""
    try:
        return [_without_comments(s) for s in sqlglot.parse(text, dialect=AnsiSpark) if s is not None]
    except SqlglotError as e:
        raise parse_error(e, text) from None
    except RecursionError:
        raise ParseError("the text is nested too deeply to be read; break it into several views", text=text) from None


def tokens_of(text: str) -> list[Token]:
    """The words of the text, with their offsets."""
    try:
        return list(AnsiSpark().tokenize(text))
    except SqlglotError as e:
        raise parse_error(e, text) from None


def parse_expression(text: str) -> exp.Expr:
    """One expression."""
    if not text.strip():
        raise ParseError("an expression is expected, and the text is empty")
    try:
        parsed = sqlglot.parse_one(text, dialect=AnsiSpark, into=exp.Condition)
    except SqlglotError as e:
        raise parse_error(e, text) from None
    except RecursionError:
        raise ParseError("the expression is nested too deeply to be read", text=text) from None
    return _without_comments(parsed)


def _without_comments(tree: exp.Expr) -> exp.Expr:
    """Comments would be written into the statements that are made of the tree."""
    for node in tree.walk():
        node.comments = None
    return tree


def parse_error(error: SqlglotError, text: str) -> ParseError:
    """Our error for the parser's, with its position."""
    if isinstance(error, SqlglotParseError) and error.errors:
        detail = error.errors[0]
        message = str(detail.get("description") or "cannot be read").strip().rstrip(".")
        highlight = str(detail.get("highlight") or "")
        line, column = detail.get("line"), detail.get("col")
        if isinstance(line, int) and isinstance(column, int):
            start = max(1, column - len(highlight) + 1)
            shown = f"{_plain(message)}" + (f" near '{highlight}'" if highlight.strip() else " at the end")
            return ParseError(shown, text=text, line=line, column=start)
        return ParseError(_plain(message), text=text)
    if isinstance(error, TokenError):
        found = re.search(r"[Ll]ine (\d+)", str(error))
        missing = re.search(r"Missing (\S+) from (\d+):(\d+)", str(error))
        if missing:
            message = f"a {missing.group(1)} is missing: what opens here is not closed"
            return ParseError(message, text=text, line=int(missing.group(2)), column=int(missing.group(3)))
        if found:
            return ParseError("the text cannot be split into words", text=text, line=int(found.group(1)), column=1)
        return ParseError("the text cannot be split into words: is a quote or a comment left open?", text=text, line=1, column=1)
    return ParseError(f"cannot be read: {str(error).splitlines()[0]}", text=text)


_SAYINGS = {
    "Invalid expression / Unexpected token": "unexpected text",
    "Expecting )": "a closing parenthesis is expected",
    "Expecting (": "an opening parenthesis is expected",
    "Expected TYPE after CAST": "a type is expected, such as bigint, string or decimal(12,2);",
}


def _plain(message: str) -> str:
    if message in _SAYINGS:
        return _SAYINGS[message]
    required = re.match(r"Required (?:argument|keyword):? '(\w+)' missing for <class '[\w.]*\.(\w+)'>", message)
    if required:
        return f"the {required.group(2).lower()} is incomplete"
    many = re.match(r"The number of provided arguments \((\d+)\) is greater than the maximum.*\((\d+)\)", message)
    if many:
        return f"{many.group(1)} arguments are given and at most {many.group(2)} are taken"
    return message[:1].lower() + message[1:]
