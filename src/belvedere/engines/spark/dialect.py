"""Spark's side of what differs between the engines. Scalars are in Spark's dialect already; they are only renamed."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Array, BigInt, DataType, Decimal, Double, Map, Struct, Variant, Void
from belvedere.engines.spark.renaming import Renamer
from belvedere.engines.sql import build
from belvedere.engines.sql.dialect import Dialect, Over, Step
from belvedere.engines.sql.names import Names, identifier


class SparkDialect(Dialect):
    name = "spark"

    def walled(self, weight: exp.Expr) -> exp.Expr:
        """Conditions are not moved through what the row does not determine: a 0 that for all Spark knows could be another."""
        nothing = exp.Mul(this=build.call("rand"), expression=build.number(0))
        return exp.Add(this=build.paren(weight), expression=self.cast(nothing, BigInt()))

    def scalar(self, scalar: Scalar, columns: Mapping[str, exp.Expr], names: Names) -> exp.Expr:
        return Renamer(columns, names)(scalar.expr)

    def cast(self, node: exp.Expr, t: DataType) -> exp.Expr:
        to = type_node(t)
        if isinstance(node, exp.Cast) and node.args["to"] == to:
            return node
        return exp.Cast(this=node, to=to)

    def fail(self, message: str) -> exp.Expr:
        return build.call("raise_error", build.text(message))

    def groupable(self, node: exp.Expr, t: DataType, names: Names) -> exp.Expr:
        """Spark groups by maps since 4.0, and knows NaN and -0.0."""
        return node

    def orderable(self, node: exp.Expr, t: DataType, names: Names) -> exp.Expr:
        """Maps have no order in Spark; their sorted entries have."""
        if not t.contains(Map):
            return node
        match t:
            case Map(key=k, value=v):
                entries = build.call("map_entries", node)
                if v.contains(Map):
                    pair = {"key": k, "value": v}
                    entries = self.map_list(entries, names, lambda e: self._ordered_fields(e, pair, names))
                return build.call("array_sort", entries)
            case Array(element=e):
                return self.map_list(node, names, lambda x: self.orderable(x, e, names))
            case Struct(fields=fs):
                return build.case(build.not_null(node.copy()), self._ordered_fields(node, dict(fs), names))
        return node

    def _ordered_fields(self, node: exp.Expr, fields: Mapping[str, DataType], names: Names) -> exp.Expr:
        return self.struct({n: self.orderable(self.field(node.copy(), n), t, names) for n, t in fields.items()})

    def repeat(self, times: exp.Expr, alias: str) -> tuple[list[exp.Expr], list[exp.Expr]]:
        numbers = build.call("sequence", self.cast(build.number(1), BigInt()), times)
        return [], [_view(exp.Explode(this=numbers), alias, [f"{alias}_n"], outer=False)]

    def explode(
        self, collection: exp.Expr, t: DataType, alias: str, names: tuple[str, ...], position: str | None, outer: bool
    ) -> tuple[list[exp.Expr], list[exp.Expr]]:
        if position is not None:
            return [], [_view(exp.Posexplode(this=collection), alias, [position, *names], outer=outer)]
        return [], [_view(exp.Explode(this=collection), alias, list(names), outer=outer)]

    def sum_exact(self, value: exp.Expr, t: DataType, weight: exp.Expr | None, result: DataType, agg: Over) -> exp.Expr:
        """A product of decimals must not need more than 38 digits, or Spark cuts its scale: the weight gets the digits left."""
        if weight is not None:
            if self.needs_units(t):
                value = build.case(
                    exp.GT(this=build.paren(weight.copy()), expression=build.number(0)),
                    value,
                    exp.Neg(this=build.paren(value.copy())),
                )
            elif isinstance(t, Decimal):
                digits = min(20, 37 - t.precision)
                value = exp.Mul(this=build.paren(value), expression=self.cast(weight.copy(), Decimal(digits, 0)))
            else:
                wide = result if isinstance(result, Decimal) else BigInt()
                value = exp.Mul(this=self.cast(value, BigInt()), expression=build.paren(weight.copy()))
                value = self.cast(value, Decimal(28, 0)) if isinstance(wide, Decimal) else value
        elif not isinstance(t, Decimal) and isinstance(result, Decimal):
            value = self.cast(value, Decimal(28, 0))
        return self.cast(agg(exp.Sum(this=value), None), result)

    def needs_units(self, t: DataType) -> bool:
        return isinstance(t, Decimal) and t.precision > 28

    def mean_decimal(self, total: exp.Expr, t: Decimal, count: exp.Expr, result: Decimal) -> exp.Expr:
        """The dividend has at most 34 digits and the divisor 12, so that Spark keeps the four digits that avg adds."""
        dividend = self.cast(total, Decimal(min(t.precision, 34), min(t.scale, 34)))
        quotient = exp.Div(this=dividend, expression=self.cast(count, Decimal(12, 0)), typed=False, safe=False)
        return self.cast(quotient, result)

    def collect(self, value: exp.Expr, agg: Over, *, distinct: bool = False, where: exp.Expr | None = None) -> exp.Expr:
        argument = exp.Distinct(expressions=[value]) if distinct else value
        return agg(build.call("collect_list", argument), where)

    def sort_list(self, node: exp.Expr) -> exp.Expr:
        return build.call("array_sort", node)

    def sum_list(self, node: exp.Expr, names: Names) -> exp.Expr:
        a, b = names.fresh("a"), names.fresh("b")
        step = build.lambda_([a, b], exp.Add(this=build.column(a), expression=build.column(b)))
        folded = build.call("aggregate", node, self.cast(build.number(0), Double()), step)
        return build.case(exp.GT(this=self.size(node.copy()), expression=build.number(0)), folded)

    def map_list(self, node: exp.Expr, names: Names, step: Step) -> exp.Expr:
        p = names.fresh("e")
        return build.call("transform", node, build.lambda_([p], step(build.column(p))))

    def repeat_list(self, value: exp.Expr, times: exp.Expr) -> exp.Expr:
        return build.call("array_repeat", value, exp.Cast(this=times, to=exp.DataType(this=exp.DType.INT)))

    def flatten(self, node: exp.Expr) -> exp.Expr:
        return build.call("flatten", node)

    def struct(self, fields: Mapping[str, exp.Expr]) -> exp.Expr:
        items: list[exp.Expr] = []
        for name, value in fields.items():
            items += [build.text(name), value]
        return build.call("named_struct", *items)

    def field(self, node: exp.Expr, name: str) -> exp.Expr:
        return exp.Dot(this=build.paren(node), expression=exp.Identifier(this=name, quoted=True))

    def element(self, node: exp.Expr, index: exp.Expr) -> exp.Expr:
        return build.call("get", node, exp.Cast(this=index, to=exp.DataType(this=exp.DType.INT)))

    def size(self, node: exp.Expr) -> exp.Expr:
        return build.call("size", node)

    def join_list(self, node: exp.Expr, separator: exp.Expr) -> exp.Expr:
        return build.call("array_join", node, separator)


def type_node(t: DataType) -> exp.DataType:
    """A type in Spark's words. A variant is kept as its JSON text."""
    return exp.DataType(this=exp.DType.USERDEFINED, kind=type_text(t))


def type_text(t: DataType) -> str:
    match t:
        case Variant():
            return "STRING"
        case Void():
            return "VOID"
        case Array(element=e):
            return f"ARRAY<{type_text(e)}>"
        case Map(key=k, value=v):
            return f"MAP<{type_text(k)}, {type_text(v)}>"
        case Struct(fields=fs):
            return "STRUCT<" + ", ".join("`" + n.replace("`", "``") + "`: " + type_text(ft) for n, ft in fs) + ">"
        case _:
            return str(t).upper().replace(",", ", ")


def _view(function: exp.Expr, alias: str, columns: list[str], *, outer: bool) -> exp.Expr:
    named = exp.TableAlias(this=identifier(alias), columns=[identifier(c) for c in columns])
    return exp.Lateral(this=function, view=True, outer=outer, alias=named)
