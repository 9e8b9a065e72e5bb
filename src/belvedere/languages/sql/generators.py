"""Functions that make rows: explode, posexplode, inline, stack, and their outer forms."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.ops import Explode, Values
from belvedere.algebra.scalar import Scalar, col, integer
from belvedere.algebra.types import Array, BigInt, Column, Map, Schema, Struct
from belvedere.algebra.typing.context import name_of
from belvedere.errors import TypeMismatch
from belvedere.languages.sql.expressions import bind_expr, typed
from belvedere.languages.sql.relations import one_row, relation_frame
from belvedere.languages.sql.scope import Scope, Source, Visible
from belvedere.languages.sql.state import Env, Frame

#: ExplodeOuter and PosexplodeOuter are subclasses of these
GENERATORS = (exp.Explode, exp.Posexplode, exp.Inline, exp.Stack)


def is_generator(node: exp.Expr) -> bool:
    return isinstance(node, GENERATORS) or (isinstance(node, exp.Anonymous) and node.name.lower() == "inline_outer")


def bind_generator(
    node: exp.Expr, frame: Frame, env: Env, *, names: list[str], alias: str, outer: bool = False
) -> tuple[Visible, ...]:
    """Add the rows that the function makes of each row of the frame, and its columns to the scope."""
    kind = name_of(node)
    outer = outer or kind.endswith("_outer")
    collection = _collection(node, frame, env)
    t = collection.type
    if not isinstance(t, (Array, Map)):
        raise env.session.error(TypeMismatch, f"{kind} takes an array or a map, and this is of type {t}", node)
    positioned = kind.startswith("posexplode")
    inlined = kind.startswith(("inline", "stack"))
    if inlined and not (isinstance(t, Array) and isinstance(t.element, Struct)):
        raise env.session.error(TypeMismatch, f"{kind} takes an array of structs, and this is of type {t}", node)
    given = _names(kind, t, names, positioned, inlined, node, env)
    fresh = env.session.fresh
    if inlined:
        assert isinstance(t, Array)
        assert isinstance(t.element, Struct)
        item = fresh("item")
        frame.node = Explode(frame.node, collection, (item,), None, outer)
        internal = [fresh(n) for n in given]
        source = frame.schema[item]
        fields = [_field(source, f, env, frame) for f, _ in t.element.fields]
        frame.extend(list(zip(internal, fields, strict=True)))
    else:
        internal = [fresh(n) for n in given]
        position = internal[0] if positioned else None
        frame.node = Explode(frame.node, collection, tuple(internal[1 if positioned else 0 :]), position, outer)
    visible = tuple(Visible(n, i, frame.schema[i].type) for n, i in zip(given, internal, strict=True))
    frame.scope = frame.scope.joined(Scope.of(Source((alias,) if alias else (), visible)))
    return visible


def _field(source: Column, field: str, env: Env, frame: Frame) -> Scalar:
    tree = exp.Dot(this=col(source).expr, expression=exp.to_identifier(field, quoted=True))
    return typed(tree, env, frame.schema)


def _collection(node: exp.Expr, frame: Frame, env: Env) -> Scalar:
    if isinstance(node, exp.Stack):
        return bind_expr(_stacked(node, env), frame, env)
    argument = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
    return bind_expr(argument, frame, env)


def _stacked(node: exp.Stack, env: Env) -> exp.Expr:
    """stack(n, a, b, …) is inline(array(struct(…), …)) with n structs, the last filled up with NULL."""
    count, values = node.this, node.expressions
    if not isinstance(count, exp.Literal) or count.is_string or int(count.this) < 1:
        raise env.session.error(TypeMismatch, "stack takes a literal number of rows first", node)
    width = -(-len(values) // int(count.this))
    padded = [*values, *(exp.null() for _ in range(width * int(count.this) - len(values)))]
    rows = []
    for i in range(0, len(padded), width):
        items = [
            exp.PropertyEQ(this=exp.to_identifier(f"col{j}"), expression=v.copy()) for j, v in enumerate(padded[i : i + width])
        ]
        rows.append(exp.Struct(expressions=items))
    return exp.Array(expressions=rows)


def _names(kind: str, t: Array | Map, names: list[str], positioned: bool, inlined: bool, node: exp.Expr, env: Env) -> list[str]:
    if inlined:
        assert isinstance(t, Array)
        assert isinstance(t.element, Struct)
        default = [f for f, _ in t.element.fields]
    else:
        default = ["pos"] * positioned + (["key", "value"] if isinstance(t, Map) else ["col"])
    if names and len(names) != len(default):
        raise env.session.error(TypeMismatch, f"{kind} gives {len(default)} column(s), and {len(names)} name(s) are given", node)
    return names or default


def table_function(table: exp.Table, function: exp.Expr, env: Env) -> Frame:
    """from explode(…), from range(…)."""
    alias = table.args.get("alias")
    name = alias.name if isinstance(alias, exp.TableAlias) else ""
    names = [c.name for c in alias.args.get("columns") or []] if isinstance(alias, exp.TableAlias) else []
    frame = Frame(one_row(), Scope())
    if is_generator(function):
        bind_generator(function, frame, env, names=names, alias=name)
        return frame
    if isinstance(function, exp.Anonymous) and function.name.lower() == "range":
        return _range(function, names, name, env)
    raise env.session.unsupported(f"the table function {name_of(function)}()", table)


def _range(function: exp.Anonymous, names: list[str], alias: str, env: Env) -> Frame:
    """range(n), range(start, end, step): constant rows of bigints, the end not included."""
    numbers = []
    for e in function.expressions:
        literal, sign = (e.this, -1) if isinstance(e, exp.Neg) else (e, 1)
        if not isinstance(literal, exp.Literal) or literal.is_string or not str(literal.this).isdigit():
            raise env.session.unsupported("range of anything but literal numbers", function)
        numbers.append(sign * int(literal.this))
    if not 1 <= len(numbers) <= 3 or numbers[2:] == [0]:
        raise env.session.error(TypeMismatch, "range takes an end, or a start, an end and a step other than 0", function)
    values = range(*numbers)
    if len(values) > 10_000:
        raise env.session.unsupported("a range of more than 10000 rows; load it as a table", function)
    node = Values(Schema((Column("id", BigInt()),)), tuple((integer(v),) for v in values))
    return relation_frame(node, tuple(names or ["id"]), (alias,) if alias else (), env)
