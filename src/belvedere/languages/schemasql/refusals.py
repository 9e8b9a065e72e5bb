"""What SQL's parser reads and SchemaSQL does not have; each is refused by its name, where it stands."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.typing.dialect import located
from belvedere.errors import Unsupported
from belvedere.languages.sql.columns import is_subquery
from belvedere.languages.sql.generators import is_generator

_KEPT = {"expressions", "where", "group", "having", "distinct", "operation_modifiers"}
_CLAUSES = {
    "order": "order by; the rows of a view have no order", "limit": "limit", "offset": "offset", "qualify": "qualify",
    "sort": "sort by", "cluster": "cluster by", "distribute": "distribute by", "laterals": "lateral view",
    "with_": "with; make a view of it", "windows": "window",
}  # fmt: skip


def refuse(tree: exp.Expr, text: str) -> exp.Select:
    """The tree, if it is a plain select."""
    if isinstance(tree, exp.SetOperation):
        raise located(
            Unsupported, f"{tree.key} in SchemaSQL; make a view of each part, and a SQL view of the {tree.key}", text, tree
        )
    if not isinstance(tree, exp.Select):
        raise located(Unsupported, f"'{tree.sql('spark')[:60]}' as a query in SchemaSQL; a select is expected", text, tree)
    for key, value in tree.args.items():
        if value and key not in _KEPT:
            at = value[0] if isinstance(value, list) else value
            named = _CLAUSES.get(key, key.rstrip("_").replace("_", " "))
            raise located(Unsupported, f"{named} in SchemaSQL", text, at if isinstance(at, exp.Expr) else tree)
    distinct = tree.args.get("distinct")
    if isinstance(distinct, exp.Distinct) and distinct.args.get("on") is not None:
        raise located(Unsupported, "distinct on in SchemaSQL; use an aggregate", text, distinct.args["on"])
    for node in tree.walk():
        if node is not tree and is_subquery(node):
            raise located(Unsupported, "a subquery in SchemaSQL; make a view of it and range over that", text, node)
        if isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count):
            raise located(
                Unsupported, "* in SchemaSQL; name the attributes, or range over them with `relation-> A`", text, node.parent
            )
        if isinstance(node, exp.Expr) and is_generator(node):
            raise located(Unsupported, "a function that makes rows in SchemaSQL; use it in a SQL view", text, node)
    return tree
