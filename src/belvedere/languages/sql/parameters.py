"""Parameters: `:today` in a text stands for a typed constant that is given beside it.

A view that depends on the clock has no right content of its own. With a parameter it has one for each value, and who sets
the value decides when it moves on.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from belvedere.algebra import types as T  # noqa: N812
from belvedere.algebra.scalar import OUTSIDE
from belvedere.algebra.types import DataType, parse_type
from belvedere.algebra.typing import decimals
from belvedere.algebra.typing.context import sql_type
from belvedere.algebra.typing.dialect import line_and_column, tokens_of
from belvedere.errors import ParseError, TypeMismatch, UnknownName, Unsupported, suggest


@dataclass(frozen=True)
class Parameter:
    """A constant: its type, and its value in a text that JSON can hold."""

    type: DataType
    text: str

    @staticmethod
    def of(name: str, value: Any) -> Parameter:
        """
        >>> Parameter.of("today", dt.date(2026, 11, 1))
        Parameter(type=Date(), text='2026-11-01')
        """
        match value:
            case bool():
                return Parameter(T.Boolean(), str(value).lower())
            case int() if -(2**63) <= value < 2**63:
                return Parameter(T.BigInt(), str(value))
            case float():
                return Parameter(T.Double(), repr(value))
            case str():
                return Parameter(T.String(), value)
            case bytes():
                return Parameter(T.Binary(), value.hex())
            case dt.datetime():
                utc = value.astimezone(dt.UTC) if value.tzinfo else value
                return Parameter(T.Timestamp(), f"{utc.replace(tzinfo=None).isoformat(' ', 'microseconds')}Z")
            case dt.date():
                return Parameter(T.Date(), value.isoformat())
            case Decimal() if value.is_finite() and isinstance(t := decimals.of_literal(f"{abs(value):f}"), T.Decimal):
                return Parameter(t, f"{value:f}")
        what = f"{value!r} ({type(value).__name__}) does not fit"
        if value is None:
            what = "NULL has no type; write `is null` in the text"
        raise TypeMismatch(f"parameter {name!r}: {what}; give a bool, int, float, str, bytes, date, datetime or Decimal")

    def document(self) -> dict[str, str]:
        return {"type": str(self.type), "value": self.text}

    @staticmethod
    def read(document: Mapping[str, str]) -> Parameter:
        return Parameter(parse_type(document["type"]), document["value"])

    def constant(self) -> exp.Expr:
        """The constant as the parser would read it."""
        match self.type:
            case T.Boolean():
                made: exp.Expr = exp.Boolean(this=self.text == "true")
            case T.String():
                made = exp.Literal.string(self.text)
            case T.Binary():
                made = exp.HexString(this=self.text)
            case T.Double() if math.isfinite(float(self.text)):
                made = _number(self.text if "e" in self.text else f"{self.text}e0")
            case T.BigInt() | T.Decimal():
                made = exp.Cast(this=_number(self.text), to=sql_type(self.type))
            case _:
                made = exp.Cast(this=exp.Literal.string(self.text), to=sql_type(self.type))
        made.meta[OUTSIDE] = True
        return made


def _number(text: str) -> exp.Expr:
    digits = exp.Literal.number(text.lstrip("-"))
    return exp.Paren(this=exp.Neg(this=digits)) if text.startswith("-") else digits


def substituted(query: exp.Expr, parameters: Mapping[str, Parameter], text: str) -> exp.Expr:
    """The query with constants in place of its parameters; every parameter must have a value, and every value a use."""
    known = {n.lower(): p for n, p in parameters.items()}
    used: set[str] = set()

    def swap(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Placeholder):
            return node
        name = str(node.args.get("this") or "").lower()
        if not name:
            raise Unsupported("? is a parameter without a name; write :name, and give parameters={'name': …}", text=text)
        if name not in known:
            near = suggest(name, list(known)) if known else ""
            raise _located(f"parameter :{name} has no value; give it in parameters={{{name!r}: …}}{near}", text, name)
        used.add(name)
        given = known[name]
        if isinstance(node.parent, (exp.Limit, exp.Offset)) and given.text.isdigit():
            return exp.Literal.number(given.text)
        return given.constant()

    made = query.transform(swap)
    spare = sorted(set(known) - used)
    if spare:
        raise UnknownName(f"there is no :{spare[0]} in the text, and a value for {spare[0]!r} is given", text=text)
    return made


def _located(message: str, text: str, name: str) -> ParseError:
    tokens = tokens_of(text)
    for colon, word in pairwise(tokens):
        if colon.token_type == TokenType.COLON and word.text.lower() == name:
            line, column = line_and_column(text, colon.start)
            return UnknownName(message, text=text, line=line, column=column)
    return UnknownName(message, text=text)
