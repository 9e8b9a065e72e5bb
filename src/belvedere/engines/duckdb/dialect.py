"""DuckDB's side of what differs between the engines."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from belvedere.algebra.copying import copied
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import Array, BigInt, DataType, Decimal, Map, Struct
from belvedere.engines.duckdb.rewriter import Rewriter
from belvedere.engines.duckdb.rewrites import decimals
from belvedere.engines.duckdb.rewrites.nested import field, normal, pack
from belvedere.engines.duckdb.types import cast_node
from belvedere.engines.sql import build
from belvedere.engines.sql.dialect import Dialect, Over, Step
from belvedere.engines.sql.names import Names, identifier


class DuckDBDialect(Dialect):
    name = "duckdb"
    materializes = True

    def scalar(self, scalar: Scalar, columns: Mapping[str, exp.Expr], names: Names) -> exp.Expr:
        return Rewriter(columns, names)(scalar.expr)

    def cast(self, node: exp.Expr, t: DataType) -> exp.Expr:
        return cast_node(node, t)

    def fail(self, message: str) -> exp.Expr:
        return build.call("error", build.text(message))

    def groupable(self, node: exp.Expr, t: DataType, names: Names) -> exp.Expr:
        return normal(node, t, Rewriter({}, names))

    def orderable(self, node: exp.Expr, t: DataType, names: Names) -> exp.Expr:
        """DuckDB puts NULLs inside of nested values last; a flag in front of each nested value puts them first."""
        match t:
            case Struct(fields=fs):
                flagged: dict[str, exp.Expr] = {}
                for i, (n, ft) in enumerate(fs):
                    flagged[f"t{i}"] = build.not_null(field(node.copy(), n))
                    flagged[f"v{i}"] = self.orderable(field(node.copy(), n), ft, names)
                return build.case(build.not_null(node.copy()), pack(flagged))
            case Array(element=e):
                return self.map_list(
                    node, names, lambda x: pack({"t": build.not_null(x.copy()), "v": self.orderable(x.copy(), e, names)})
                )
            case Map(key=k, value=v):
                entries = Array(Struct((("key", k), ("value", v))))
                return self.orderable(build.call("map_entries", self.groupable(node, t, names)), entries, names)
            case _:
                return node

    def repeat(self, times: exp.Expr, alias: str) -> tuple[list[exp.Expr], list[exp.Expr]]:
        numbers = build.call("range", times)
        table = exp.Unnest(
            expressions=[numbers], alias=exp.TableAlias(this=identifier(alias), columns=[identifier(f"{alias}_n")])
        )
        return [exp.Join(this=table, kind="CROSS")], []

    def explode(
        self, collection: exp.Expr, t: DataType, alias: str, names: tuple[str, ...], position: str | None, outer: bool
    ) -> tuple[list[exp.Expr], list[exp.Expr]]:
        """A lateral SELECT of the elements. The element is unpacked there, so that a map's key and value are columns."""
        listed = build.call("map_entries", collection) if isinstance(t, Map) else collection
        inner = exp.Select(expressions=[exp.Alias(this=build.call("unnest", listed), alias=identifier("e"))])
        if position:
            places = build.call("generate_subscripts", listed.copy(), build.number(1))
            inner.append("expressions", exp.Alias(this=places, alias=identifier("i")))
        element = build.column("e")
        items: list[exp.Expr] = []
        if position:
            zero_based = exp.Sub(this=build.column("i"), expression=build.number(1))
            items.append(
                exp.Alias(this=exp.Cast(this=zero_based, to=exp.DataType(this=exp.DType.INT)), alias=identifier(position))
            )
        if isinstance(t, Map):
            items += [
                exp.Alias(this=field(element.copy(), k), alias=identifier(n))
                for k, n in zip(("key", "value"), names, strict=True)
            ]
        else:
            items.append(exp.Alias(this=element, alias=identifier(names[0])))
        source = exp.Subquery(this=inner, alias=exp.TableAlias(this=identifier("u")))
        body = exp.Select(expressions=items, from_=exp.From(this=source))
        lateral = exp.Lateral(this=exp.Subquery(this=body), alias=exp.TableAlias(this=identifier(alias)))
        if outer:
            return [exp.Join(this=lateral, side="LEFT", on=exp.true())], []
        return [exp.Join(this=lateral, kind="CROSS")], []

    def sum_exact(self, value: exp.Expr, t: DataType, weight: exp.Expr | None, result: DataType, agg: Over) -> exp.Expr:
        """Sums run in 128 bits; the cast to the result raises when it does not fit."""
        if weight is not None:
            value = decimals.hugeint(value) if isinstance(t, BigInt) else build.paren(value)
            value = exp.Mul(this=value, expression=build.paren(copied(weight)))
        return cast_node(agg(exp.Sum(this=value), None), result)

    def needs_units(self, t: DataType) -> bool:
        return False

    def mean_decimal(self, total: exp.Expr, t: Decimal, count: exp.Expr, result: Decimal) -> exp.Expr:
        return decimals.quotient(decimals.unscaled(total, t), decimals.hugeint(count), result.scale - t.scale, result)

    def collect(self, value: exp.Expr, agg: Over, *, distinct: bool = False, where: exp.Expr | None = None) -> exp.Expr:
        condition = where if where is not None else build.not_null(value.copy())
        argument = exp.Distinct(expressions=[value]) if distinct else value
        return build.call("coalesce", agg(build.call("list", argument), condition), build.call("list_value"))

    def sort_list(self, node: exp.Expr) -> exp.Expr:
        return build.call("list_sort", node)

    def sum_list(self, node: exp.Expr, names: Names) -> exp.Expr:
        return build.call("list_sum", node)

    def map_list(self, node: exp.Expr, names: Names, step: Step) -> exp.Expr:
        p = names.fresh("e")
        return build.call("list_transform", node, build.lambda_([p], step(build.column(p))))

    def repeat_list(self, value: exp.Expr, times: exp.Expr) -> exp.Expr:
        return build.call("repeat", build.call("list_value", value), times)

    def flatten(self, node: exp.Expr) -> exp.Expr:
        return build.call("flatten", node)

    def struct(self, fields: Mapping[str, exp.Expr]) -> exp.Expr:
        return pack(dict(fields))

    def field(self, node: exp.Expr, name: str) -> exp.Expr:
        return field(node, name)

    def element(self, node: exp.Expr, index: exp.Expr) -> exp.Expr:
        return build.call("list_extract", node, exp.Add(this=build.paren(index), expression=build.number(1)))

    def size(self, node: exp.Expr) -> exp.Expr:
        return build.call("len", node)

    def join_list(self, node: exp.Expr, separator: exp.Expr) -> exp.Expr:
        return build.call("array_to_string", node, separator)
