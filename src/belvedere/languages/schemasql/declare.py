"""Declarations → variables: what `-> X` and `x-> X` range over follows from how X is used, else from what there is."""

from __future__ import annotations

from sqlglot import exp

from belvedere.errors import ParseError, UnknownName, Unsupported
from belvedere.languages.schemasql.catalog import SchemaNames
from belvedere.languages.schemasql.syntax import Declaration, Parsed, Word
from belvedere.languages.schemasql.tokens import error
from belvedere.languages.schemasql.variables import (
    AttributeVariable,
    Constant,
    DatabaseVariable,
    DomainVariable,
    RelationTerm,
    RelationVariable,
    Term,
    TupleVariable,
    Use,
    ValueVariable,
    Variable,
    Variables,
)


def declare(parsed: Parsed, names: SchemaNames) -> Variables:
    return _Declarer(parsed, names).run()


class _Declarer:
    def __init__(self, parsed: Parsed, names: SchemaNames) -> None:
        self.parsed, self.names = parsed, names
        self.variables = Variables()

    def run(self) -> Variables:
        for d in self.parsed.declarations:
            if d.variable.text in self.variables.all:
                raise self._error(d.variable, f"the variable '{d.variable.text}' is declared twice; give one another name")
            self.variables.add(self._arrow(d) if d.arrow else self._other(d))
        return self.variables

    def _arrow(self, d: Declaration) -> Variable:
        name, at = d.variable.text, d.variable.start
        if d.relation is None:
            return DatabaseVariable(name, at) if self._is_database(d.variable) else RelationVariable(name, at, None)
        if d.database is not None:
            return AttributeVariable(name, at, self._relation(d))
        match self._known(d.relation):
            case DatabaseVariable(name=database):
                return RelationVariable(name, at, Use(database))
            case RelationVariable():
                return AttributeVariable(name, at, self._relation(d))
            case None if self._ranges_over_relations(d):
                return RelationVariable(name, at, self._constant(d.relation))
            case None:
                return AttributeVariable(name, at, self._relation(d))
            case other:
                raise self._wrong(d.relation, other, "a database or a relation")

    def _other(self, d: Declaration) -> Variable:
        name, at = d.variable.text, d.variable.start
        assert d.relation is not None
        if d.attribute is None:
            return TupleVariable(name, at, self._relation(d))
        attribute = self._attribute(d.attribute)
        known = self._known(d.relation) if d.database is None else None
        if isinstance(known, TupleVariable):
            return ValueVariable(name, at, known.name, attribute)
        return DomainVariable(name, at, self._relation(d), attribute)

    def _relation(self, d: Declaration) -> RelationTerm:
        """A relation variable alone stands for the relation that it names in the database that it ranges over."""
        assert d.relation is not None
        known = self._known(d.relation, d.database)
        if known is None:
            return RelationTerm(self._database(d.database), Constant(d.relation))
        if not isinstance(known, RelationVariable):
            raise self._wrong(d.relation, known, "a relation")
        return RelationTerm(known.database if d.database is None else self._database(d.database), Use(known.name))

    def _database(self, word: Word | None) -> Term | None:
        if word is None:
            return None
        known = self._known(word)
        if known is None:
            return self._constant(word)
        if not isinstance(known, DatabaseVariable):
            raise self._wrong(word, known, "a database")
        return Use(known.name)

    def _attribute(self, word: Word) -> Term:
        known = self.variables.find(word.text)
        return Use(known.name) if isinstance(known, AttributeVariable) else Constant(word)

    def _known(self, word: Word, database: Word | None = None) -> Variable | None:
        """The variable that a name in a range means: one that was declared before. What is called exactly so counts before a
        variable that is, but for its case."""
        found = self.variables.find(word.text)
        if found is None or found.name == word.text:
            return found
        return None if self.names.is_called(None if database is None else database.text, word.text) else found

    def _constant(self, word: Word) -> Constant:
        """A database that no earlier variable names. If there is none of that name but a later variable, that was meant."""
        later = any(d.variable.text == word.text and d.start > word.start for d in self.parsed.declarations)
        if later and word.text not in self.names.databases():
            raise self._error(word, f"the variable '{word.text}' is used before it is declared; declare it further left")
        return Constant(word)

    def _is_database(self, x: Word) -> bool:
        """Whether `-> X` ranges over databases: X:: is written, or X-> Y and Y is used as a relation."""
        for d in self.parsed.declarations:
            if d.database is not None and same(d.database, x):
                return True
            below = d.arrow and d.database is None and d.relation is not None and same(d.relation, x)
            if below and self._is_relation(d.variable):
                return True
        return False

    def _is_relation(self, y: Word) -> bool:
        """Whether a range uses Y as a relation."""
        return any(d.relation is not None and same(d.relation, y) and d.start > y.start for d in self.parsed.declarations)

    def _is_attribute(self, y: Word) -> bool:
        """Whether Y is read as an attribute: T.Y."""
        reads = (c.name for c in self.parsed.select.find_all(exp.Column) if c.table)
        ranges = (d.attribute.text for d in self.parsed.declarations if d.attribute is not None)
        return y.text.lower() in {n.lower() for n in (*reads, *ranges)}

    def _ranges_over_relations(self, d: Declaration) -> bool:
        """Whether the constant of `x-> V` is a database. A database may be empty, so a name that nothing has is one too, unless
        it was a relation's when the text was written: that relation is missed, not taken for something else."""
        assert d.relation is not None
        if self._is_relation(d.variable):
            return True
        if self._is_attribute(d.variable):
            return False
        if self.names.relation_in(None, d.relation.text) is None:
            return not self.names.was_relation(d.relation.text)
        if any(n == d.relation.text for n in self.names.databases()):
            message = (
                f"'{d.relation.text}' is a database and also a relation of the current one; rename one of them, "
                f"or use '{d.variable.text}' as a relation or as an attribute"
            )
            raise self._error(d.relation, message, Unsupported)
        return False

    def _wrong(self, word: Word, known: Variable, expected: str) -> ParseError:
        kinds = {
            DatabaseVariable: "database names", RelationVariable: "relation names", AttributeVariable: "attribute names",
            TupleVariable: "tuples", ValueVariable: "values", DomainVariable: "values",
        }  # fmt: skip
        message = f"'{word.text}' ranges over {kinds[type(known)]}, and {expected} is expected here"
        return self._error(word, message, UnknownName)

    def _error(self, word: Word, message: str, kind: type[ParseError] = ParseError) -> ParseError:
        return error(self.parsed.text, word.start, message, kind)


def same(a: Word, b: Word) -> bool:
    return a.text.lower() == b.text.lower()
