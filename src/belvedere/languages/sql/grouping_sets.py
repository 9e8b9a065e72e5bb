"""grouping sets, rollup and cube.

Every row is given once for each set (an explode over the sets' numbers), keys that a set leaves out become NULL, and the
set's number is a key: one aggregate for all sets, which is also how Spark does it, so no rows give no rows.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

from sqlglot import exp

from belvedere.algebra.ops import Explode
from belvedere.algebra.scalar import Scalar, col
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.expressions import typed
from belvedere.languages.sql.state import Env, Frame

Sets = list[tuple[int, ...]]


def parse_group(group: exp.Group, env: Env) -> tuple[list[exp.Expr], Sets | None]:
    """All key expressions, and the sets as positions among them; None where there is just one plain list."""
    keys: list[exp.Expr] = []
    choices: list[Sets] = []
    plain = True
    for element in [*group.expressions, *(group.args.get("grouping_sets") or [])]:
        if isinstance(element, (exp.GroupingSets, exp.Rollup, exp.Cube)):
            plain = False
            choices.append(_sets_of(element, keys, env))
        else:
            inner = element.unnest() if isinstance(element, exp.Paren) else element
            parts = list(inner.expressions) if isinstance(inner, exp.Tuple) else [inner]
            choices.append([tuple(_position(p, keys) for p in parts)])
    for kind, build in (("rollup", _rollup), ("cube", _cube)):
        for element in group.args.get(kind) or []:
            plain = False
            if element.expressions:
                choices.append(_sets_of(element, keys, env))
            else:  # with rollup, with cube: over all keys before it
                choices = [build([(i,) for i in range(len(keys))])]
    if plain:
        return keys, None
    sets = [tuple(dict.fromkeys(i for part in combo for i in part)) for combo in product(*choices)]
    if len(sets) > 4096:
        raise env.session.unsupported(f"group by with {len(sets)} grouping sets", group)
    return keys, sets


def _position(e: exp.Expr, keys: list[exp.Expr]) -> int:
    for i, k in enumerate(keys):
        if k == e:
            return i
    keys.append(e)
    return len(keys) - 1


def _units(element: exp.Expr, keys: list[exp.Expr]) -> list[tuple[int, ...]]:
    """rollup(a, (b, c)): what comes and goes together."""
    out = []
    for e in element.expressions:
        inner = e.unnest() if isinstance(e, exp.Paren) else e
        parts = list(inner.expressions) if isinstance(inner, exp.Tuple) else [inner]
        out.append(tuple(_position(p, keys) for p in parts))
    return out


def _sets_of(element: exp.Expr, keys: list[exp.Expr], env: Env) -> Sets:
    if isinstance(element, exp.Rollup):
        return _rollup(_units(element, keys))
    if isinstance(element, exp.Cube):
        return _cube(_units(element, keys))
    sets: Sets = []
    for e in element.expressions:
        if isinstance(e, (exp.Rollup, exp.Cube, exp.GroupingSets)):
            sets += _sets_of(e, keys, env)
        else:
            inner = e.unnest() if isinstance(e, exp.Paren) else e
            parts = list(inner.expressions) if isinstance(inner, exp.Tuple) else [inner]
            sets.append(tuple(_position(p, keys) for p in parts))
    return sets


def _rollup(units: list[tuple[int, ...]]) -> Sets:
    return [tuple(i for u in units[:n] for i in u) for n in range(len(units), -1, -1)]


def _cube(units: list[tuple[int, ...]]) -> Sets:
    return [tuple(i for u in chosen for i in u) for n in range(len(units), -1, -1) for chosen in combinations(units, n)]


def is_grouping_call(node: exp.Expr) -> bool:
    return isinstance(node, (exp.Grouping, exp.GroupingId)) or (
        isinstance(node, exp.Column) and node.name.lower() == "grouping__id"
    )


class GroupingSets:
    """The sets of one group by over a frame, which gets a column with the set's number."""

    def __init__(self, frame: Frame, env: Env, keys: list[str], sets: Sets) -> None:
        self.frame, self.env, self.keys, self.sets = frame, env, keys, sets
        self.column = env.session.fresh("grouping_set")
        numbers = exp.Array(expressions=[exp.Literal.number(i) for i in range(len(sets))])
        frame.node = Explode(frame.node, typed(numbers, env, frame.schema), (self.column,))

    def _with(self, key: str) -> list[int]:
        at = self.keys.index(key)
        return [i for i, s in enumerate(self.sets) if at in s]

    def _number(self) -> exp.Expr:
        return col(self.frame.schema[self.column]).expr

    def masked(self, key: str, scalar: Scalar) -> Scalar:
        """The key in the sets that have it, NULL in the others."""
        inside = self._with(key)
        if len(inside) == len(self.sets):
            return scalar
        chosen = exp.In(this=self._number(), expressions=[exp.Literal.number(i) for i in inside])
        tree = exp.Case(ifs=[exp.If(this=chosen, true=scalar.expr.copy())])
        return typed(tree, self.env, self.frame.schema)

    def call(self, node: exp.Expr, text: Callable[[exp.Expr], str]) -> exp.Expr:
        """grouping(key): 1 where the row's set leaves the key out; grouping_id(): those bits, the first key highest."""
        if isinstance(node, exp.Grouping):
            if len(node.expressions) != 1:
                raise self.env.session.error(TypeMismatch, "grouping takes one key of group by", node)
            keys = self._named(node.expressions, text, node)
            return exp.Cast(this=self._case([self._bits(s, keys) for s in self.sets]), to=exp.DataType.build("tinyint"))
        given = node.expressions if isinstance(node, exp.GroupingId) else []
        keys = self._named(given, text, node) if given else list(range(len(self.keys)))
        return exp.Cast(this=self._case([self._bits(s, keys) for s in self.sets]), to=exp.DataType.build("bigint"))

    def _named(self, expressions: list[exp.Expr], text: Callable[[exp.Expr], str], node: exp.Expr) -> list[int]:
        out = []
        for e in expressions:
            t = text(e)
            if t not in self.keys:
                raise self.env.session.error(TypeMismatch, "grouping() takes keys of group by", node)
            out.append(self.keys.index(t))
        return out

    @staticmethod
    def _bits(present: tuple[int, ...], keys: list[int]) -> int:
        value = 0
        for k in keys:
            value = value * 2 + (0 if k in present else 1)
        return value

    def _case(self, values: list[int]) -> exp.Expr:
        from belvedere.languages.sql.columns import internal

        number = internal(self.column)
        ifs = [exp.If(this=exp.Literal.number(i), true=exp.Literal.number(v)) for i, v in enumerate(values)]
        return exp.Case(this=number, ifs=ifs)
