"""The columns of the fragments: the select list, and the names that the header takes from variables."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Array, Binary, Double, Float, Map, String, Struct, Variant
from belvedere.errors import TypeMismatch
from belvedere.languages.schemasql.bound import Layout, Source
from belvedere.languages.schemasql.clauses import Clauses
from belvedere.languages.schemasql.expansion import Expansion
from belvedere.languages.schemasql.layout import Shape
from belvedere.languages.schemasql.references import NAME_OF, References
from belvedere.languages.schemasql.syntax import Parsed, Word
from belvedere.languages.schemasql.tokens import error

_NAMELESS = (Float, Double, Struct, Array, Map, Binary, Variant)


class Outputs:
    """`items`: (name, expression) for each column of the fragments: the select list, then pivot and relation."""

    def __init__(
        self, shape: Shape, clauses: Clauses, references: References, encoded: frozenset[str], sources: tuple[Source, ...],
        aliases: dict[str, str], parsed: Parsed,
    ) -> None:  # fmt: skip
        self.shape, self.clauses, self.references, self.encoded, self.parsed = shape, clauses, references, encoded, parsed
        self.types = {(s.name, n): t for s in sources for n, t in s.columns}
        self.aliases = aliases
        named = dict(shape.fixed)
        self.items = [(named.get(i, "data"), e) for i, (_, e) in enumerate(clauses.items)]
        self.items += [(v, self._name(v)) for v in shape.variables]

    def layout(self, columns: tuple[str, ...]) -> Layout:
        """`columns`: what the items are called in the fragments, by position."""
        shape = self.shape
        names = iter(columns[len(self.clauses.items) :])
        pivot = None if shape.pivot is None else next(names)
        relation = None if shape.relation is None else next(names)
        return Layout(
            database=shape.database, relation_name=shape.relation_name, relation=relation,
            fixed=tuple((columns[i], name) for i, name in shape.fixed),
            pivot=pivot, data=None if shape.data is None else columns[shape.data], pivot_at=shape.pivot_at,
        )  # fmt: skip

    def dictionaries(self, columns: tuple[str, ...], expansion: Expansion) -> dict[str, tuple[tuple[int, str], ...]]:
        """The names that ids stand for, for each column that holds ids."""
        found: dict[str, tuple[tuple[int, str], ...]] = {}
        for column, (_, e) in zip(columns, self.items, strict=True):
            variable = e.meta.get(NAME_OF)
            if variable in self.encoded:
                choices = (a[variable] for a in expansion.over((variable,)))
                found[column] = tuple(sorted((c.id, c.name) for c in choices if c.id is not None))
        return found

    def columns_of_ids(self, columns: tuple[str, ...]) -> dict[str, str]:
        """Encoded variable → a column of the fragments that holds its ids."""
        named = zip(columns, (e.meta.get(NAME_OF) for _, e in self.items), strict=True)
        return {v: column for column, v in named if v in self.encoded}

    def _name(self, variable: str) -> exp.Expr:
        """The value of a variable as a name."""
        start = self._in_header(variable).start
        position = exp.Identifier(this=variable)
        position.meta["start"] = start
        value = self.references.value(variable, position)
        if value.meta.get(NAME_OF):
            return value
        t = self.types[self.aliases[value.table], value.name]
        if isinstance(t, _NAMELESS):
            message = f"'{variable}' is of type {t}, and such values make no names; cast it to a string in a view below"
            raise error(self.parsed.text, start, message, TypeMismatch)
        return value if isinstance(t, String) else exp.Cast(this=value, to=exp.DataType.build("string"))

    def _in_header(self, variable: str) -> Word:
        header, variables = self.parsed.header, self.references.variables
        assert header is not None
        words = [*(header.attributes or ()), header.name]
        return next(w for w in words if (found := variables.find(w.text)) is not None and found.name == variable)
