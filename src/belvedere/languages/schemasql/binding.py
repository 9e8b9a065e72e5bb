"""A SchemaSQL text → its fragments in the algebra.

The variables are expanded to sources; over these the text is an ordinary select, which SQL's own binder reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from sqlglot import exp

from belvedere.errors import ParseError, Unsupported
from belvedere.languages.schemasql.bound import SchemaBound, Source
from belvedere.languages.schemasql.catalog import SchemaNames
from belvedere.languages.schemasql.clauses import clauses_of, grouped, names_in
from belvedere.languages.schemasql.declare import declare
from belvedere.languages.schemasql.encoding import encoded_variables
from belvedere.languages.schemasql.expansion import Expansion
from belvedere.languages.schemasql.fragments import Fragments
from belvedere.languages.schemasql.layout import need_unique, shape_of
from belvedere.languages.schemasql.outputs import Outputs
from belvedere.languages.schemasql.parser import parse
from belvedere.languages.schemasql.references import NAME_OF, References, qualified
from belvedere.languages.schemasql.sources import names_source, reader_source, variables_of
from belvedere.languages.schemasql.syntax import Parsed
from belvedere.languages.sql.catalog import Names
from belvedere.languages.sql.columns import rewrite
from belvedere.languages.sql.fresh import Fresh
from belvedere.languages.sql.parameters import Parameter, substituted


def bind(text: str, names: Names, *, parameters: Mapping[str, Parameter] | None = None) -> SchemaBound:
    """The fragments of a view, and how they become relations; errors carry line, column and a caret."""
    if not isinstance(names, SchemaNames):
        raise Unsupported("SchemaSQL needs a catalog whose names can be ranged over")
    parsed = parse(text)
    select = substituted(parsed.select, parameters or {}, text)
    assert isinstance(select, exp.Select)
    try:
        return _Binder(replace(parsed, select=select), names).bound()
    except RecursionError:
        raise ParseError("the query is nested too deeply; break it into several views", text=text) from None


class _Binder:
    """`places`: each schema variable's columns, as (source, column); the sources that share one are joined by it."""

    def __init__(self, parsed: Parsed, names: SchemaNames) -> None:
        self.parsed, self.names = parsed, names
        self.variables = declare(parsed, names)
        self.references = References(parsed.text, self.variables)
        self.clauses = clauses_of(parsed, self.references)
        self.shape = shape_of(parsed, self.variables, [n for n, _ in self.clauses.items])
        if parsed.header is None:
            need_unique([n for n, _ in self.clauses.items], parsed)
        self.places: dict[str, list[tuple[str, str]]] = {v: [] for v in self.variables.schema}
        self.aliases: dict[str, str] = {}

    def bound(self) -> SchemaBound:
        columns = self._columns()
        kept = self._kept(columns)
        expansion = Expansion(self.parsed.text, self.variables, self.names, self.clauses.static)
        shown = frozenset(v for v in self.shape.variables if v in self.variables.schema)
        homes = {v: len(places) for v, places in self.places.items()}
        encoded = encoded_variables(self.clauses, kept, shown, self.shape.data, homes, self.variables, expansion)
        sources = self._sources(columns, encoded, expansion)
        outputs = Outputs(self.shape, self.clauses, self.references, encoded, sources, self.aliases, self.parsed)
        fragments = self._fragments(outputs, kept)
        node = fragments.over(sources)
        headless = self.parsed.header is None
        shows = outputs.columns_of_ids(node.schema.names)
        sources = tuple(replace(s, encoded=self._encoded(s.name, shows)) for s in sources)
        return SchemaBound(
            node, tuple(n for n, _ in self.clauses.items) if headless else node.schema.names, tuple(expansion.read),
            (), False, self.parsed.text,
            layout=outputs.layout(node.schema.names), sources=sources, assemble=fragments.over,
            dictionaries=outputs.dictionaries(node.schema.names, expansion),
            projection=tuple(_shown(e) for _, e in outputs.items),
            selection=" ∧ ".join(_shown(c) for c in [*self.clauses.static, *self.clauses.where]),
        )  # fmt: skip

    def _fragments(self, outputs: Outputs, kept: list[exp.Expr]) -> Fragments:
        group = grouped(self.clauses, [self.references.value(v) for v in self.shape.variables])
        placed = None if group is None else self._placed(group)
        assert placed is None or isinstance(placed, exp.Group)
        return Fragments(
            self.parsed.text,
            self.names,
            tuple((n, self._placed(e)) for n, e in outputs.items),
            (*self._joins(), *(self._placed(c) for c in kept)),
            placed,
            None if self.clauses.having is None else self._placed(self.clauses.having),
            self.clauses.distinct,
        )

    def _encoded(self, source: str, shows: dict[str, str]) -> tuple[tuple[str, str], ...]:
        """The columns of a source that hold ids, with the columns of the fragments that show them."""
        return tuple((c, shows[v]) for v in shows for alias, c in self.places[v] if alias == source)

    def _columns(self) -> dict[str, dict[str, str]]:
        """Source → the schema variables that it fixes → their columns there. Those that no reader fixes get sources of names."""
        aliases = Fresh()
        found: dict[str, dict[str, str]] = {}
        for reader in self.references.readers.values():
            alias = self.aliases[reader.variable] = aliases(reader.variable)
            found[alias] = {v: reader.fresh(v) for v in variables_of(reader, self.variables)}
        covered = {v for fixed in found.values() for v in fixed}
        for variable in reversed(self.variables.schema):
            if variable not in covered:
                closure = self.variables.closure((variable,))
                fresh = Fresh()
                found[aliases(f"names of {variable}")] = {v: fresh(v) for v in closure}
                covered.update(closure)
        for alias, fixed in found.items():
            for variable, column in fixed.items():
                self.places[variable].append((alias, column))
        return found

    def _kept(self, columns: dict[str, dict[str, str]]) -> list[exp.Expr]:
        """The conditions that SQL decides: all but those on names that one source fixes all of, where the branches tell."""
        across = []
        for c in self.clauses.static:
            speaks_of = {n.meta[NAME_OF] for n in names_in(c)}
            if not any(speaks_of <= fixed.keys() for fixed in columns.values()):
                across.append(c)
        return [*across, *self.clauses.where]

    def _sources(self, columns: dict[str, dict[str, str]], encoded: frozenset[str], expansion: Expansion) -> tuple[Source, ...]:
        readers = {self.aliases[r.variable]: r for r in self.references.readers.values()}
        found = []
        for alias, fixed in columns.items():
            if alias in readers:
                found.append(replace(reader_source(readers[alias], fixed, encoded, self.variables, expansion), name=alias))
            else:
                found.append(names_source(alias, fixed, encoded, expansion))
        return tuple(found)

    def _joins(self) -> list[exp.Expr]:
        """Sources that fix the same variable agree on it."""
        pairs = [pair for places in self.places.values() for pair in pairwise(places)]
        return [exp.EQ(this=qualified(*a), expression=qualified(*b)) for a, b in pairs]

    def _placed(self, e: exp.Expr) -> exp.Expr:
        """The expression over the columns of the sources."""

        def rule(node: exp.Expr) -> exp.Expr | None:
            if not isinstance(node, exp.Column):
                return None
            variable = node.meta.get(NAME_OF)
            if variable is not None:
                return qualified(*self.places[variable][0], node.this)
            return qualified(self.aliases[node.table], node.name, node.this) if node.table else None

        return rewrite(e.copy(), rule)


def _shown(e: exp.Expr) -> str:
    """The expression as a person would write it."""
    plain = e.copy()
    for identifier in plain.find_all(exp.Identifier):
        identifier.set("quoted", False)
    return plain.sql("spark")
