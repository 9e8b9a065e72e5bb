"""Scalars for Spark: the same tree over this statement's identifiers.

Lambda parameters get names that no column has, and names of the user's (fields of structs) are quoted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from belvedere.algebra.types import Variant
from belvedere.engines.function import lowered
from belvedere.engines.sql import build
from belvedere.engines.sql.names import Names


@dataclass
class Renamer:
    """One walk over one scalar."""

    columns: Mapping[str, exp.Expr]
    names: Names
    params: dict[str, str] = field(default_factory=dict)

    def __call__(self, node: exp.Expr) -> exp.Expr:
        match node:
            case exp.Column():
                return build.paren(self.columns[node.name].copy())
            case exp.Identifier() if node.name in self.params and not node.args.get("quoted"):
                return build.column(self.params[node.name])
            case exp.Lambda():
                return self._lambda(node)
            case exp.Dot():
                return exp.Dot(this=self(node.this), expression=_quoted(node.expression.name))
            case exp.PropertyEQ():
                return exp.PropertyEQ(this=_quoted(node.this.name), expression=self(node.expression))
            case exp.DecodeCase():
                return self._decode(node)
            case exp.ParseJSON():
                return build.call("to_json", build.call("parse_json", self(node.this)))
            case exp.Cast() if isinstance(node.meta.get("t"), Variant):
                return exp.Cast(this=self(node.this), to=exp.DataType(this=exp.DType.TEXT))
            case exp.Anonymous() if (call := lowered(node, self)) is not None:
                return call
            case _:
                return build.rebuild(node, self)

    def _decode(self, node: exp.DecodeCase) -> exp.Expr:
        """decode(x, v1, r1, …, default) written out: Spark's own changes the type of the results."""
        args = [self(a) for a in node.expressions]
        pairs = args[1:] if len(args) % 2 else args[1:-1]
        branches = [
            exp.If(this=exp.NullSafeEQ(this=build.paren(args[0].copy()), expression=build.paren(v)), true=r)
            for v, r in zip(pairs[0::2], pairs[1::2], strict=True)
        ]
        return exp.Case(ifs=branches, default=None if len(args) % 2 else args[-1])

    def _lambda(self, node: exp.Lambda) -> exp.Expr:
        given = {p.name: self.names.fresh(p.name) for p in node.expressions}
        inner = Renamer(self.columns, self.names, {**self.params, **given})
        return build.lambda_(list(given.values()), inner(node.this))


def _quoted(name: str) -> exp.Identifier:
    return exp.Identifier(this=name, quoted=True)
