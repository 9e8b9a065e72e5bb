"""Writes docs/sql.md from the code: `python scripts/sql_support.py`.

Nothing on the page is claimed by hand: constructs are bound and compiled, and what is said about each is what its stages say;
functions come from the tables of the typing rules; refusals are the errors that come out.
"""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterator
from pathlib import Path

import pyspark.sql.functions as spark_functions
from sqlglot import exp

from belvedere.algebra.node import OPERATORS, Node
from belvedere.algebra.ops import Agg, Get, Project
from belvedere.algebra.scalar import null
from belvedere.algebra.types import DataType, Schema, String, parse_schema, parse_type
from belvedere.algebra.typing import rules as typing_rules
from belvedere.algebra.typing.aggregates import AGGREGATES, SYNONYMS
from belvedere.algebra.typing.context import Context
from belvedere.algebra.typing.dialect import parse_expression
from belvedere.algebra.typing.functions import refused
from belvedere.engines.duckdb.dialect import DuckDBDialect
from belvedere.engines.duckdb.rewrites import NAMED as DUCKDB_NAMED
from belvedere.engines.duckdb.rewrites import RULES as DUCKDB_RULES
from belvedere.engines.function import Function
from belvedere.engines.sql import Leaf, lower
from belvedere.errors import BelvedereError, ParseError, Unsupported
from belvedere.languages import Parameter, bind
from belvedere.languages.sql import statements
from belvedere.languages.sql.catalog import Relation
from belvedere.maintenance.propagate import rules as change_rules
from belvedere.maintenance.stage_delta import stage_delta
from belvedere.maintenance.stages import ViewPlan, compile_view

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "sql.md"

INTRO = """# SQL

Made from the code by `python scripts/sql_support.py`, and checked by a test; do not edit it.

Views and queries are in Spark's SQL with ANSI on. Everything here is maintained incrementally for inserts, deletes and updates
of every input, on both engines unless it says otherwise. *Stage* is what a view stores: a **bag** of rows, the state of an
**aggregate**, or a relation of which **affected** parts are worked on again. `v.explain()` shows a view's own stages, plans and
SQL.
"""

KINDS = {
    "linear": "old state plus what the changed rows add; the group is not read again",
    "semilattice": "on insertions merged with the old state; on deletions the touched groups are read again",
    "holistic": "the touched groups are read again",
}


class Catalog:
    """The example tables, and one function of a user's."""

    def __init__(self, tables: dict[str, str]) -> None:
        self._schemas = {n: parse_schema(t) for n, t in tables.items()}

    def relation_names(self) -> list[str]:
        return list(self._schemas)

    def relation(self, name: str) -> Relation | None:
        schema = self._schemas.get(name)
        return None if schema is None else Relation(name, schema, Get(name, schema, schema.names))

    def udf(self, name: str) -> Function | None:
        return Function(name, str, (String(),), String()) if name == "my_function" else None


def table(*header: str, rows: list[tuple[str, ...]]) -> Iterator[str]:
    yield "| " + " | ".join(header) + " |"
    yield "|" + "---|" * len(header)
    for row in rows:
        yield "| " + " | ".join(c.replace("\n", " ").replace("|", "\\|") for c in row) + " |"
    yield ""


def compiled(text: str, catalog: Catalog) -> ViewPlan:
    given = {"today": Parameter.of("today", dt.date(2026, 11, 1))} if ":today" in text else {}
    return compile_view("v", bind(text, catalog, parameters=given).node)


def operators_of(plan: ViewPlan) -> set[type[Node]]:
    return {type(n) for tree in (*(s.definition for s in plan.stages), plan.tail) for n in tree.walk()}


def maintained(plan: ViewPlan) -> tuple[str, list[Node]]:
    """What the stages say about their changes, deletions first, and the plans of those."""
    said: dict[str, None] = {}
    nodes: list[Node] = []
    changed: set[str] = set(plan.reads)
    for stage in plan.stages:
        rules = []
        for deleting in (frozenset(changed), frozenset[str]()):
            found = stage_delta(stage, frozenset(changed), deleting)
            if found is not None and found.rule not in rules:
                rules.append(found.rule)
                nodes.append(found.node)
        changed.add(stage.name)
        said[f"{stage.kind}: {'; '.join(rules) or 'never changes'}"] = None
    return ", then ".join(said), nodes


def engines(nodes: list[Node]) -> str:
    try:
        for n in nodes:
            lower(n, DuckDBDialect(), lambda _: Leaf())
    except Unsupported as e:
        return f"Spark ({e.message})"
    return "both"


def constructs(groups: dict[str, dict[str, str]], catalog: Catalog) -> Iterator[str]:
    yield "## Constructs\n"
    for title, examples in groups.items():
        yield f"### {title}"
        rows = []
        for name, text in examples.items():
            plan = compiled(text, catalog)
            used = operators_of(plan) - {Get, Project}
            how, nodes = maintained(plan)
            operators = ", ".join(sorted(c.__name__ for c in used)) or "Project"
            rows.append((name, f"`{text}`", operators, how, engines([*nodes, *(s.definition for s in plan.stages), plan.tail])))
        yield from table("construct", "for example", "operators", "stages and their changes", "engines", rows=rows)


def first_paragraph(doc: str | None) -> str:
    return (doc or "").split("\n\n")[0].strip()


def operators() -> Iterator[str]:
    yield "## Operators\nWhat the constructs come down to, and the law by which a change passes through each.\n"
    rows = []
    for operator, rule in sorted(change_rules().items(), key=lambda p: p[0].__name__):
        meaning = first_paragraph(sys.modules[operator.__module__].__doc__).removeprefix(f"{operator.__name__}: ")
        rows.append((operator.__name__, meaning, first_paragraph(sys.modules[rule.__module__].__doc__)))
    assert len(rows) == len(OPERATORS)
    yield from table("operator", "meaning", "change", rows=rows)


def kind_of(fn: str, t: DataType) -> str:
    return Agg(fn, (null(t),), t).kind


def with_distinct(fn: str, catalog: Catalog) -> str:
    """How it is kept once it is split into a distinct relation and a function over that, where it can be."""
    for value in ("id", "id > 1", "note, id"):
        try:
            plan = compiled(f"select customer, {fn}(distinct {value}) as x from orders group by customer", catalog)
        except BelvedereError:
            continue
        states = [s.state for s in plan.stages if s.state is not None]
        if all(s.linear for s in states):
            return "linear"
        return "semilattice" if all(s.linear or s.mergeable for s in states) else "holistic"
    return "refused"


def aggregates(catalog: Catalog) -> Iterator[str]:
    yield "## Aggregates\n"
    yield from table("kind", "how a group is kept", rows=list(KINDS.items()))
    rows = []
    for fn in AGGREGATES:
        other = ", ".join(sorted(s for s, name in SYNONYMS.items() if name == fn))
        exact, floating = kind_of(fn, parse_type("bigint")), kind_of(fn, parse_type("double"))
        kinds = exact if exact == floating else f"{exact}; over float and double {floating}"
        rows.append((f"`{fn}`" + (f" ({other})" if other else ""), kinds, with_distinct(fn, catalog)))
    yield from table("function", "kind", "with distinct", rows=rows)
    yield "`count_if` is a count, `any_value` a min; `median`, `percentile`, `percentile_cont` and `listagg` are computed from"
    yield "the group's collected list. Every aggregate takes `filter (where …)`.\n"


def calls(name: str) -> Iterator[exp.Expr]:
    """What the parser makes of a call, with as many arguments as it takes."""
    for count in range(5):
        try:
            yield parse_expression(f"{name}({', '.join(f'a{i}' for i in range(count))})")
        except ParseError:
            continue


def scalar_functions() -> dict[str, dict[str, bool]]:
    """Family → function by Spark's name → whether both engines have it."""
    found: dict[str, dict[str, bool]] = {}
    aggregates = {*AGGREGATES, *SYNONYMS}
    names = {n.lower() for n in spark_functions.__all__} | set(typing_rules.NAMED)
    made = {n: {type(c) for c in calls(n)} for n in sorted(names - aggregates - set(refused.NAMED))}
    for family in (f for f in typing_rules._FAMILIES if f is not refused):
        known = found.setdefault(first_paragraph(family.__doc__).split(". ")[0].rstrip("."), {})
        for name, kinds in made.items():
            if name in family.NAMED:
                known[name] = name in DUCKDB_NAMED
            elif kinds := kinds & set(family.RULES):
                known[name] = any(k in DUCKDB_RULES for k in kinds)
    return found


def functions() -> Iterator[str]:
    yield "## Functions"
    yield "Beside operators, casts, `case`, `if`, `coalesce`, `nvl`, `nvl2`, `nullif`, `greatest` and `least`. Where both engines"
    yield "have a function, they give the same answer; a few forms of these (a format, nested values) are for Spark only.\n"
    rows = []
    for family, known in scalar_functions().items():
        both = ", ".join(n for n, d in known.items() if d)
        rows.append((family, both, ", ".join(n for n, d in known.items() if not d) or "none"))
    yield from table("family", "both engines", "Spark only", rows=rows)


def statement_kinds() -> Iterator[str]:
    yield "## Statements\n`wh.execute(text)` also takes, each in a transaction of its own:\n"
    for kind in vars(statements).values():
        ours = isinstance(kind, type) and kind.__module__ == statements.__name__
        if ours and kind not in (statements.Select, statements.MergeClause):
            made_up = (kind.__doc__ or "").startswith(f"{kind.__name__}(")  # by the dataclass, not by a person
            words = "".join(f" {c.lower()}" if c.isupper() else c for c in kind.__name__).strip()
            yield f"* {words}" if made_up else f"* {words}: {first_paragraph(kind.__doc__).rstrip('.')}"
    yield ""


def refusals(examples: dict[str, str], catalog: Catalog) -> Iterator[str]:
    yield "## Refused, with the reason\n"
    reasons: dict[str, list[str]] = {}
    for name, rule in sorted(refused.NAMED.items()):
        try:
            rule(Context(Schema(())), exp.Anonymous(this=name))
        except Unsupported as e:
            reasons.setdefault(e.message.removeprefix(f"{name}() "), []).append(name)
    yield from table("functions", "reason and way out", rows=[(", ".join(names), why) for why, names in reasons.items()])
    rows = []
    for name, text in examples.items():
        try:
            bind(text, catalog)
        except BelvedereError as e:
            rows.append((name, f"`{text}`", e.message if isinstance(e, ParseError) else str(e)))
            continue
        raise AssertionError(f"{name} is not refused any more: {text}")
    yield from table("construct", "for example", "what is said", rows=rows)


def page() -> str:
    from scripts.sql_examples import REFUSED, SUPPORTED, TABLES

    catalog = Catalog(TABLES)
    parts = [*constructs(SUPPORTED, catalog), *aggregates(catalog), *functions(), *operators(), *statement_kinds()]
    parts += refusals(REFUSED, catalog)
    return "\n".join([INTRO, *parts]).rstrip() + "\n"


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PAGE.write_text(page(), encoding="utf-8")
