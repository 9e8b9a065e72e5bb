"""The reference: a view's content by nested loops over the values of its variables. Nothing of the product is used here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.schemafuzz.layout import Content, Fragment, arrange
from tests.schemafuzz.ranges import Avoid, Env, Invalid, Memory, Ranges
from tests.schemafuzz.scalars import aggregate, value
from tests.schemafuzz.tree import SCHEMA, Agg, Cell, Expr, Field, Item, Query, Ref, Tuples, Values, Var, names_used, nodes
from tests.schemafuzz.world import Table, World


@dataclass(frozen=True)
class At:
    """A tuple variable's value: a row of a table."""

    table: Table
    row: tuple[Any, ...]


MOST = 4_000


class Reference:
    """One view. It remembers what the names in its text meant whenever they last meant something."""

    def __init__(self, query: Query, name: str) -> None:
        self.query = query
        self.name = name
        self.memory = Memory()

    def state(self, world: World) -> Content | Invalid:
        """What the view is in this world. Raises Avoid where that is not settled."""
        ranges = Ranges(world, self.query, self.memory)
        try:
            ranges.check()
        except Invalid as e:
            return e
        try:
            content: Content | Invalid = arrange(self.query, self.name, _Rows(ranges, self.query).fragments())
        except Invalid as e:
            content = e
        except TypeError as e:  # the columns that are left under a variable have another type than the condition was written for
            raise Avoid(str(e)) from e
        self.memory = ranges.learned
        return content


class _Rows:
    def __init__(self, ranges: Ranges, query: Query) -> None:
        self.ranges = ranges
        self.query = query
        self.read_by_variable: dict[str, set[Ref]] = {}
        for n in nodes(query):
            if isinstance(n, Cell | Field) and isinstance(n.attr, Ref):
                self.read_by_variable.setdefault(n.tuple, set()).add(n.attr)

    def bindings(self) -> list[Env]:
        """Every assignment of all variables that satisfies the conditions."""
        envs = self.ranges.assignments()
        left = list(self.ranges.dynamic)
        bound = set(self.query.schema_vars)
        items = [i for i in self.query.items if not isinstance(i.range, SCHEMA)]
        for n in range(len(items) + 1):
            ready = [c for c in left if names_used(c) <= bound]
            left = [c for c in left if c not in ready]
            envs = [e for e in envs if all(value(c, self._look(e)) is True for c in ready)]
            if n < len(items):
                bound.add(items[n].var)
                envs = [e | {items[n].var: v} for e in envs for v in self._values(items[n], e)]
                envs = [e for e in envs if self._whole(items[n].var, e)]
            if len(envs) > MOST:
                raise Avoid("too many bindings")
        return envs

    def _values(self, item: Item, env: Env) -> list[Any]:
        match item.range:
            case Tuples(db=db, rel=rel):
                table = self.ranges.relation(db, rel, env)
                return [] if table is None else [At(table, row) for row in table.rows]
            case Values(db=db, rel=rel, attr=attr):
                table = self.ranges.relation(db, rel, env)
                column = table and self.ranges.column(table, attr, env)
                if table is None or column is None:
                    return []
                return list(dict.fromkeys(row[table.at(column.number)] for row in table.rows))
            case Field(tuple=t, attr=attr):
                return self._cell(env[t], attr, env)
        raise AssertionError(item)

    def _cell(self, at: At, attr: Any, env: Env) -> list[Any]:
        """The value, or nothing where the attribute is none of the relation's."""
        column = self.ranges.column(at.table, attr, env)
        return [] if column is None else [at.row[at.table.at(column.number)]]

    def _look(self, env: Env) -> Any:
        def look(e: Expr) -> Any:
            match e:
                case Var(name=v):
                    return env[v].name if v in self.query.schema_vars else env[v]
                case Cell(tuple=t, attr=attr):
                    return self._cell(env[t], attr, env)[0]
            raise AssertionError(e)

        return look

    def _whole(self, var: str, env: Env) -> bool:
        """Every T.A that is read anywhere is there; a binding in which one is not gives nothing."""
        attrs = self.read_by_variable.get(var, ())
        return all(self._cell(env[var], a, env) for a in attrs)

    def fragments(self) -> list[Fragment]:
        q = self.query
        h = q.header
        items = [e for e, _ in q.select]
        extra = [Var(n.var) for n in ((h.name, *h.attrs) if h else ()) if isinstance(n, Ref)]
        outputs: list[Expr] = [*items, *extra]
        envs = self.bindings()
        rows = self._groups(envs, outputs) if q.aggregated else [tuple(value(e, self._look(v)) for e in outputs) for v in envs]
        if q.distinct:
            rows = list(dict.fromkeys(rows))
        found = []
        for row in rows:
            named = dict(zip((e.name for e in extra), row[len(items) :], strict=True))
            found.append(Fragment(row[: len(items)], named))
        return found

    def _groups(self, envs: list[Env], outputs: list[Expr]) -> list[tuple[Any, ...]]:
        q = self.query
        plain = [e for e in outputs if not any(isinstance(n, Agg) for n in nodes(e))]
        keys = list(q.group) if q.group is not None else plain
        groups: dict[tuple[Any, ...], list[Env]] = {} if keys else {(): []}
        for env in envs:
            groups.setdefault(tuple(value(k, self._look(env)) for k in keys), []).append(env)
        rows = []
        for key, members in groups.items():
            known = dict(zip(keys, key, strict=True))
            if q.having is not None and self._grouped(q.having, known, members) is not True:
                continue
            rows.append(tuple(self._grouped(e, known, members) for e in outputs))
        return rows

    def _grouped(self, e: Expr, known: dict[Expr, Any], members: list[Env]) -> Any:
        """The value of an expression over a group: of keys and aggregates."""
        if e in known:
            return known[e]

        def look(n: Expr) -> Any:
            if n in known:
                return known[n]
            assert isinstance(n, Agg), n
            if n.arg is None:
                return aggregate(n, members)
            arg = n.arg
            return aggregate(n, [value(arg, self._look(m)) for m in members])

        return value(e, look)
