"""A tree of OQL as text that reads back as the same tree, with parentheses only where they are needed."""

from __future__ import annotations

from belvedere.languages.oql import ast

# How tightly a form binds, after the grammar: a part that binds less than its place asks for gets parentheses.
_QUERY, _CAST, _OR, _AND, _QUANT, _EQ, _REL, _ADD, _MUL, _IN, _UNARY, _POSTFIX = range(12)

_LEVELS: dict[str, int] = {
    "or": _OR, "and": _AND, "=": _EQ, "!=": _EQ, "like": _EQ, "<": _REL, "<=": _REL, ">": _REL, ">=": _REL,
    "+": _ADD, "-": _ADD, "||": _ADD, "union": _ADD, "except": _ADD, "*": _MUL, "/": _MUL, "mod": _MUL, "intersect": _MUL,
    "in": _IN,
}  # fmt: skip


def program(p: ast.Program) -> str:
    parts = [_definition(d) for d in p.definitions]
    if p.query is not None:
        parts.append(expression(p.query))
    return ";\n".join(parts)


def _definition(d: ast.Define | ast.Undefine) -> str:
    if isinstance(d, ast.Undefine):
        return f"undefine {word(d.name)}"
    parameters = ", ".join(f"{type_name(t)} {name(n)}" for t, n in d.parameters)
    return f"define {word(d.name)}({parameters}) as {expression(d.body)}"


def expression(e: ast.Expr) -> str:
    """
    >>> from belvedere.languages.oql.ast import Binary, Name
    >>> expression(Binary("*", Binary("+", Name("a"), Name("b")), Name("c")))
    '(a + b) * c'
    """
    return _at(e, _QUERY)


def name(n: str, *, called: bool = False) -> str:
    """A name, in backticks where it would be read as something else."""
    from belvedere.languages.oql.lexer import is_plain

    return n if is_plain(n, called=called) else "`" + n.replace("`", "``") + "`"


def word(n: str) -> str:
    """A name in a place where no keyword can stand: after a point, before a colon."""
    from belvedere.languages.oql.lexer import is_word

    return n if is_word(n) else "`" + n.replace("`", "``") + "`"


def type_name(t: ast.TypeName) -> str:
    from belvedere.languages.oql.lexer import TYPE_WORDS

    shown = t.name if t.name in TYPE_WORDS else name(t.name)
    return f"{shown}<{', '.join(map(type_name, t.args))}>" if t.args else shown


def _at(e: ast.Expr, level: int) -> str:
    text, own = _form(e)
    return text if own >= level else f"({text})"


def _list(items: tuple[ast.Expr, ...]) -> str:
    # a select among others would take the comma after it for its own
    return ", ".join(_at(i, _CAST if len(items) > 1 else _QUERY) for i in items)


def _fields(fields: tuple[tuple[str, ast.Expr], ...]) -> str:
    return ", ".join(f"{word(n)}: {_at(e, _CAST)}" for n, e in fields)


def _args(args: tuple[ast.Expr, ...] | None) -> str:
    return "" if args is None else f"({_list(args)})"


def _form(e: ast.Expr) -> tuple[str, int]:
    match e:
        case ast.Select():
            return _select(e), _QUERY
        case ast.Cast(type=t, operand=o):
            return f"({type_name(t)}) {_at(o, _CAST)}", _CAST
        case ast.Quantified(quantifier=q, variable=v, domain=d, body=b):
            start = "for all" if q == "all" else "exists"
            return f"{start} {name(v)} in {_at(d, _OR)}: {_at(b, _QUANT)}", _QUANT
        case ast.Binary(op="in", left=a, right=b):
            return f"{_at(a, _UNARY)} in {_at(b, _UNARY)}", _IN
        case ast.Binary(op=op, left=a, right=b):
            level = _LEVELS[op]
            return f"{_at(a, level)} {op} {_at(b, level + 1)}", level
        case ast.Compared(op=op, quantifier=q, left=a, right=b):
            level = _LEVELS[op]
            return f"{_at(a, level)} {op} {q} {_at(b, level + 1)}", level
        case ast.Unary(op=op, operand=o):
            return f"{op}{' ' if op.isalpha() or isinstance(o, ast.Unary) else ''}{_at(o, _UNARY)}", _UNARY
        case ast.Path(base=b, name=n, args=args):
            return f"{_at(b, _POSTFIX)}.{word(n)}{_args(args)}", _POSTFIX
        case ast.Index(base=b, index=i):
            return f"{_at(b, _POSTFIX)}[{_at(i, _CAST)}]", _POSTFIX
        case ast.Slice(base=b, low=low, high=high):
            return f"{_at(b, _POSTFIX)}[{_at(low, _CAST)}:{_at(high, _CAST)}]", _POSTFIX
        case ast.Literal():
            return _literal(e), _UNARY if _negative(e) else _POSTFIX
        case ast.Parameter(number=n):
            return f"${n}", _POSTFIX
        case ast.Name(name=n, args=args):
            return f"{name(n, called=args is not None)}{_args(args)}", _POSTFIX
        case ast.Function(name=n, operand=o):
            return f"{n}({expression(o)})", _POSTFIX
        case ast.CountAll():
            return "count(*)", _POSTFIX
        case ast.Struct(fields=fields):
            return f"struct({_fields(fields)})", _POSTFIX
        case ast.New(cls=c, fields=fields):
            return f"{name(c, called=True)}({_fields(fields)})", _POSTFIX
        case ast.Collection(kind=kind, items=items):
            return f"{kind}({_list(items)})", _POSTFIX
    raise AssertionError(f"no text for {type(e).__name__}")


def _negative(e: ast.Literal) -> bool:
    return e.kind in ("integer", "float") and isinstance(e.value, (int, float)) and e.value < 0


def _literal(e: ast.Literal) -> str:
    match e.kind:
        case "nil" | "undefined":
            return e.kind
        case "boolean":
            return "true" if e.value else "false"
        case "integer":
            return str(e.value)
        case "float":
            shown = repr(e.value)
            return shown if "." in shown or "e" in shown else f"{shown}.0"
        case "string":
            return quoted(str(e.value), '"')
        case "char":
            return quoted(str(e.value), "'")
        case _:
            return f"{e.kind} {quoted(str(e.value), chr(39))}"


def quoted(value: str, mark: str) -> str:
    """A string or char literal, with escapes for what cannot stand in it."""
    out = value.replace("\\", "\\\\").replace(mark, "\\" + mark).replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    return f"{mark}{out}{mark}"


def _select(s: ast.Select) -> str:
    parts = ["select distinct" if s.distinct else "select"]
    shown = "*" if s.items is None else ", ".join(map(_item, s.items))
    # select distinct(x) would be read as select distinct
    parts.append(f"({shown})" if not s.distinct and shown.startswith("distinct(") and s.items and len(s.items) == 1 else shown)
    parts.append("from " + ", ".join(map(_iterator, s.iterators)))
    if s.where is not None:
        parts.append("where " + _at(s.where, _CAST))
    if s.group:
        parts.append("group by " + _fields(s.group))
    if s.having is not None:
        parts.append("having " + _at(s.having, _CAST))
    if s.order:
        parts.append("order by " + ", ".join(_at(o.expr, _CAST) + (" desc" if o.descending else "") for o in s.order))
    return " ".join(parts)


def _item(i: ast.Item) -> str:
    return f"{word(i.label)}: {_at(i.expr, _CAST)}" if i.label is not None else _at(i.expr, _CAST)


def _iterator(i: ast.Iterator) -> str:
    if i.variable is not None:
        return f"{name(i.variable)} in {_at(i.domain, _CAST)}"
    # `a in b` alone would be read as a variable over a collection
    return _at(i.domain, _UNARY)
