"""What lark reads as a syntax tree of ours."""

from __future__ import annotations

import re
from typing import Any

from lark import Token, Transformer

from belvedere.errors import ParseError
from belvedere.languages.oql import ast

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def _at(token: Token) -> ast.Position:
    return ast.Position(token.line or 0, token.column or 0)


def _text(token: Token) -> str:
    """The characters that a literal stands for."""
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), str(token)[1:-1], flags=re.S)


def _exprs(children: list[Any]) -> tuple[ast.Expr, ...]:
    return tuple(c for c in children if isinstance(c, ast.Expr))


def _start(child: Any) -> ast.Position:
    return _at(child) if isinstance(child, Token) else child.pos if isinstance(child, ast.Node) else ast.NOWHERE


class Build(Transformer[Token, Any]):
    """One method for each form of the grammar; children come in the order of the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def program(self, children: list[Any]) -> ast.Program:
        definitions = tuple(c for c in children if isinstance(c, (ast.Define, ast.Undefine)))
        query = next((c for c in children if isinstance(c, ast.Expr)), None)
        return ast.Program(definitions, query)

    def define(self, children: list[Any]) -> ast.Define:
        parameters: tuple[Any, ...] = next((c for c in children if isinstance(c, tuple)), ())
        return ast.Define(str(children[1]), parameters, children[-1], pos=_at(children[1]))

    def undefine(self, children: list[Any]) -> ast.Undefine:
        return ast.Undefine(str(children[1]), pos=_at(children[1]))

    def parameters(self, children: list[Any]) -> tuple[tuple[ast.TypeName, str], ...]:
        inner = [c for c in children if isinstance(c, Token) and c.type in ("TYPE", "ID")]
        return tuple((t.value, str(n)) for t, n in zip(inner[::2], inner[1::2], strict=True))

    def select(self, children: list[Any]) -> ast.Select:
        parts = {k: v for c in children if isinstance(c, dict) for k, v in c.items()}
        distinct = any(isinstance(c, Token) and c.type == "DISTINCT" for c in children)
        return ast.Select(distinct=distinct, pos=_at(children[0]), **parts)

    def everything(self, children: list[Any]) -> dict[str, Any]:
        return {"items": None}

    def projection(self, children: list[Any]) -> dict[str, Any]:
        return {"items": tuple(c for c in children if isinstance(c, ast.Item))}

    def labelled(self, children: list[Any]) -> ast.Item:
        return ast.Item(children[2], str(children[0]), pos=_at(children[0]))

    def unlabelled(self, children: list[Any]) -> ast.Item:
        return ast.Item(children[0], pos=_start(children[0]))

    def named(self, children: list[Any]) -> ast.Item:
        return ast.Item(children[0], str(children[-1]), pos=_at(children[-1]))

    def iterators(self, children: list[Any]) -> dict[str, Any]:
        return {"iterators": tuple(c for c in children if isinstance(c, ast.Iterator))}

    def ranging(self, children: list[Any]) -> ast.Iterator:
        return ast.Iterator(children[2], str(children[0]), pos=_at(children[0]))

    def anonymous(self, children: list[Any]) -> ast.Iterator:
        return ast.Iterator(children[0], pos=_start(children[0]))

    def aliased(self, children: list[Any]) -> ast.Iterator:
        return ast.Iterator(children[0], str(children[-1]), pos=_at(children[-1]))

    def where(self, children: list[Any]) -> dict[str, Any]:
        return {"where": children[1]}

    def group(self, children: list[Any]) -> dict[str, Any]:
        having = next((c for c in children if isinstance(c, ast.Expr)), None)
        return {"group": tuple(c for c in children if isinstance(c, tuple)), "having": having}

    def having(self, children: list[Any]) -> ast.Expr:
        made: ast.Expr = children[1]
        return made

    def order(self, children: list[Any]) -> dict[str, Any]:
        return {"order": tuple(c for c in children if isinstance(c, ast.Order))}

    def key(self, children: list[Any]) -> ast.Order:
        return ast.Order(children[0], children[-1] == "desc", pos=_start(children[0]))

    def cast(self, children: list[Any]) -> ast.Cast:
        return ast.Cast(children[1].value, children[3], pos=_at(children[0]))

    def binary(self, children: list[Any]) -> ast.Binary:
        op = "!=" if children[1] == "<>" else str(children[1])
        return ast.Binary(op, children[0], children[2], pos=_at(children[1]))

    def compared(self, children: list[Any]) -> ast.Compared:
        left, op, word, right = children
        return ast.Compared("!=" if op == "<>" else str(op), "all" if word == "all" else "any", left, right, pos=_at(op))

    def for_all(self, children: list[Any]) -> ast.Quantified:
        return ast.Quantified("all", str(children[2]), children[4], children[6], pos=_at(children[0]))

    def exists(self, children: list[Any]) -> ast.Quantified:
        return ast.Quantified("exists", str(children[1]), children[3], children[5], pos=_at(children[0]))

    def unary(self, children: list[Any]) -> ast.Unary:
        return ast.Unary(str(children[0]), children[1], pos=_at(children[0]))

    def index(self, children: list[Any]) -> ast.Index:
        return ast.Index(children[0], children[2], pos=_at(children[1]))

    def slice(self, children: list[Any]) -> ast.Slice:
        return ast.Slice(children[0], children[2], children[4], pos=_at(children[1]))

    def path(self, children: list[Any]) -> ast.Path:
        return ast.Path(children[0], str(children[2]), children[3] if len(children) > 3 else None, pos=_at(children[2]))

    def function(self, children: list[Any]) -> ast.Function:
        return ast.Function(str(children[0]), children[2], pos=_at(children[0]))

    def count_all(self, children: list[Any]) -> ast.CountAll:
        return ast.CountAll(pos=_at(children[0]))

    def struct(self, children: list[Any]) -> ast.Struct:
        return ast.Struct(children[2], pos=_at(children[0]))

    def new(self, children: list[Any]) -> ast.New:
        return ast.New(str(children[0]), children[2], pos=_at(children[0]))

    def collection(self, children: list[Any]) -> ast.Collection:
        kind: Any = str(children[0])
        return ast.Collection(kind, _exprs(children), pos=_at(children[0]))

    def name(self, children: list[Any]) -> ast.Name:
        return ast.Name(str(children[0]), children[1] if len(children) > 1 else None, pos=_at(children[0]))

    def arguments(self, children: list[Any]) -> tuple[ast.Expr, ...]:
        return _exprs(children)

    def fields(self, children: list[Any]) -> tuple[tuple[str, ast.Expr], ...]:
        return tuple(c for c in children if isinstance(c, tuple))

    def field(self, children: list[Any]) -> tuple[str, ast.Expr]:
        return str(children[0]), children[2]

    def parameter(self, children: list[Any]) -> ast.Parameter:
        return ast.Parameter(int(children[0][1:]), pos=_at(children[0]))

    def group_(self, children: list[Any]) -> ast.Expr:
        inner: ast.Expr = children[1]
        return inner

    def literal(self, children: list[Any]) -> ast.Literal:
        token, pos = children[0], _at(children[0])
        match token.type:
            case "NIL":
                return ast.Literal("nil", pos=pos)
            case "UNDEFINED":
                return ast.Literal("undefined", pos=pos)
            case "TRUE" | "FALSE":
                return ast.Literal("boolean", token.type == "TRUE", pos=pos)
            case "INT":
                if int(token) >= 2**63:
                    raise ParseError(f"{token} is too large for a number", text=self.text, line=token.line, column=token.column)
                return ast.Literal("integer", int(token), pos=pos)
            case "FLOAT":
                return ast.Literal("float", float(token), pos=pos)
            case "CHAR":
                value = _text(token)
                return ast.Literal("char" if len(value) == 1 else "string", value, pos=pos)
            case _:
                return ast.Literal("string", _text(token), pos=pos)

    def temporal(self, children: list[Any]) -> ast.Literal:
        kind: Any = str(children[0])
        return ast.Literal(kind, _text(children[1]), pos=_at(children[0]))
