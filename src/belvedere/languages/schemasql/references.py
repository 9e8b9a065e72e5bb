"""What the expressions of a text read: tuple variables by attribute, and the names that schema variables stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from belvedere.algebra.scalar import tight
from belvedere.algebra.typing.dialect import located
from belvedere.algebra.typing.functions.refused import BARE
from belvedere.algebra.typing.resolve import fields, quoted
from belvedere.errors import ParseError, UnknownName, suggest
from belvedere.languages.schemasql.syntax import Word
from belvedere.languages.schemasql.variables import (
    AttributeVariable,
    Constant,
    DomainVariable,
    RelationTerm,
    SchemaVariable,
    Term,
    TupleVariable,
    Use,
    ValueVariable,
    Variables,
)
from belvedere.languages.sql.columns import rewrite
from belvedere.languages.sql.fresh import Fresh

#: marks a column that stands for the value of a schema variable
NAME_OF = "name_of"


@dataclass
class Reader:
    """A variable that reads relations, and the columns it gives: attributes named in the text, and folded ones.
    `distinct`: it gives each value once."""

    variable: str
    start: int
    relation: RelationTerm
    distinct: bool = False
    columns: dict[str, Term] = field(default_factory=dict)
    fresh: Fresh = field(default_factory=Fresh)

    def column(self, attribute: Term) -> str:
        """The column that holds the attribute, made when it is first read."""
        for name, known in self.columns.items():
            if _key(known) == _key(attribute):
                return name
        name = self.fresh(attribute.variable if isinstance(attribute, Use) else attribute.word.text)
        self.columns[name] = attribute
        return name

    @property
    def folds(self) -> tuple[str, ...]:
        return tuple(t.variable for t in self.columns.values() if isinstance(t, Use))


def _key(term: Term) -> tuple[str, str]:
    return ("fold", term.variable) if isinstance(term, Use) else ("attribute", term.word.text)


class References:
    """The readers of a text, which grow as its expressions are read."""

    def __init__(self, text: str, variables: Variables) -> None:
        self.text, self.variables = text, variables
        self.readers: dict[str, Reader] = {}
        for v in variables.all.values():
            match v:
                case TupleVariable():
                    self.readers[v.name] = Reader(v.name, v.start, v.relation)
                case DomainVariable():
                    self.readers[v.name] = Reader(v.name, v.start, v.relation, distinct=True)
                    self.readers[v.name].column(v.attribute)
                case ValueVariable():
                    self.readers[v.tuple].column(v.attribute)
                case _:
                    pass

    def value(self, variable: str, position: exp.Expr | None = None) -> exp.Column:
        """The column behind a variable that has values or names."""
        found = self.variables.all[variable]
        match found:
            case ValueVariable():
                return _column(self.readers[found.tuple], found.attribute, position)
            case DomainVariable():
                return _column(self.readers[found.name], found.attribute, position)
            case _:
                made = quoted(variable, position)
                made.meta[NAME_OF] = variable
                return made

    def rewritten(self, expr: exp.Expr, aliases: Mapping[str, exp.Expr] | None = None) -> exp.Expr:
        """A copy in which every column is one of a reader or stands for a schema variable; an alias is its expression."""

        def rule(node: exp.Expr) -> exp.Expr | None:
            if not isinstance(node, exp.Column):
                return None
            parts = [p for p in node.parts if isinstance(p, exp.Identifier)]
            found = self.variables.find(parts[0].name)
            if isinstance(found, TupleVariable):
                return self._attribute(found, parts)
            if isinstance(found, SchemaVariable) and len(parts) > 1:
                message = (
                    f"'{found.name}' stands for a name, which has no attributes; range over its tuples, and use that variable"
                )
                raise self._error(message, parts[1])
            if found is not None:
                return fields(self.value(found.name, parts[0]), parts[1:])
            alias = _alias(parts[0].name, aliases or {})
            if alias is not None:
                return fields(alias.copy() if tight(alias) else exp.Paren(this=alias.copy()), parts[1:])
            if len(parts) == 1 and not parts[0].quoted and parts[0].name.lower() in BARE:
                return node
            raise self._unknown(parts)

        return rewrite(expr.copy(), rule)

    def _attribute(self, t: TupleVariable, parts: list[exp.Identifier]) -> exp.Expr:
        if len(parts) == 1:
            raise self._error(f"'{t.name}' stands for a whole tuple; write {t.name}.attribute", parts[0])
        named = self.variables.find(parts[1].name)
        if isinstance(named, AttributeVariable):
            term: Term = Use(named.name)
        else:
            term = Constant(Word(parts[1].name, int(parts[1].meta.get("start", t.start))))
        return fields(_column(self.readers[t.name], term, parts[0]), parts[2:])

    def _unknown(self, parts: list[exp.Identifier]) -> ParseError:
        shown = ".".join(p.name for p in parts)
        known = list(self.variables.all)
        if len(parts) > 1:
            return self._error(f"'{shown}': there is no variable '{parts[0].name}'{suggest(parts[0].name, known)}", parts[0])
        hint = next((n for n, v in self.variables.all.items() if isinstance(v, TupleVariable)), None)
        near = suggest(shown, known) + (f"; an attribute is written {hint}.{shown}" if hint is not None else "")
        return self._error(f"there is no variable '{shown}'{near}", parts[0])

    def _error(self, message: str, at: exp.Expr) -> ParseError:
        return located(UnknownName, message, self.text, at)


def _column(reader: Reader, attribute: Term, position: exp.Expr | None) -> exp.Column:
    return qualified(reader.variable, reader.column(attribute), position)


def qualified(source: str, column: str, position: exp.Expr | None = None) -> exp.Column:
    """source.column, at the position of what it stands for. SQL's binder looks for that at the first part."""
    made = quoted(column, position)
    made.set("table", quoted(source, position).this)
    return made


def _alias(name: str, aliases: Mapping[str, exp.Expr]) -> exp.Expr | None:
    if name in aliases:
        return aliases[name]
    return next((e for n, e in aliases.items() if n.lower() == name.lower()), None)
