"""OQL → comprehensions: names get their meaning, every term its type, and errors their position.

What is settled here and not in the grammar:
 * an object that a query constructs (`Class(a: x)`) has no identity of its own: it is a struct of what is given;
 * a cast to a class gives nil for an object that is not of the class; an index out of range, first and last of nothing and a
   missing key of a dictionary are UNDEFINED; a slice is cut to what is there;
 * distinct of a list keeps the first of equal members in their order; flatten of a set or bag of lists is a bag;
 * whole numbers are long or long long, others double; `/` always gives a double; sum of whole numbers is a long long.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from belvedere.errors import ParseError, TypeMismatch, UnknownName, suggest
from belvedere.languages.oql import ast, operators
from belvedere.languages.oql import otypes as O  # noqa: N812
from belvedere.languages.oql.calculus import Call, Comp, Const, Gen, Group, Outside, Proj, Record, Source, Term, Var, element_type
from belvedere.languages.oql.scope import Scope, properties
from belvedere.languages.sql.catalog import Names
from belvedere.languages.sql.fresh import Fresh
from belvedere.languages.sql.parameters import Parameter
from belvedere.objects.model import InColumn, ObjectModel
from belvedere.objects.types import PRIMITIVES, CollectionType, DictionaryType, Nil, OType, Ref, StructType


@dataclass
class Translator:
    """One program."""

    text: str
    names: Names
    model: ObjectModel
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    fresh: Fresh = field(default_factory=Fresh)
    defined: dict[str, ast.Define] = field(default_factory=dict)
    relations: dict[str, None] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    star: bool = False
    _calls: list[str] = field(default_factory=list)

    def program(self, p: ast.Program) -> Term:
        query = p.query
        for d in p.definitions:
            if isinstance(d, ast.Define):
                self.defined[d.name] = d
                last = d
            elif self.defined.pop(O.matching(d.name, list(self.defined)) or "", None) is None:
                raise self.error(UnknownName, f"there is no query '{d.name}' to undefine{suggest(d.name, list(self.defined))}", d)
        if query is None:
            if not self.defined or last.parameters:
                message = "a query is expected after the definitions"
                raise self.error(ParseError, message, p.definitions[-1]) if p.definitions else ParseError(message, text=self.text)
            query = last.body
        term = self(query, Scope(self.model))
        spare = sorted(set(self.parameters) - self.used)
        if spare:
            raise UnknownName(f"there is no ${spare[0]} in the text, and a value for {spare[0]!r} is given", text=self.text)
        return term

    def error(self, kind: type[ParseError], message: str, at: ast.Node) -> ParseError:
        known = at.pos.line > 0
        return kind(message, text=self.text, line=at.pos.line if known else None, column=at.pos.column if known else None)

    def mismatch(self, message: str, at: ast.Node) -> ParseError:
        return self.error(TypeMismatch, message, at)

    def where(self, at: ast.Node) -> str:
        """The place in words, for a message that comes when the query runs."""
        found = self.mismatch("", at)
        return "" if found.line is None else f"line {found.line}, column {found.column}"

    def var(self, stem: str, t: OType) -> Var:
        return Var(t, self.fresh(stem))

    # -- values and collections

    def value(self, e: ast.Expr, scope: Scope) -> Term:
        """The expression as a value; a collection of it is there as a whole."""
        return self.whole(self(e, scope))

    def whole(self, t: Term) -> Term:
        """A collection that is stored elsewhere, made a value: gathered by a comprehension."""
        if not isinstance(t.type, CollectionType) or not self.elsewhere(t):
            return t
        kind: Any = "list" if t.type.kind in ("list", "array") else t.type.kind
        x = self.var("x", t.type.element)
        return Comp(t.type, kind, x, (Gen(x, t),))

    def elsewhere(self, t: Term) -> bool:
        if isinstance(t, Source):
            return True
        if isinstance(t, Proj):
            if isinstance(t.base.type, Ref):
                found = self.model.find(t.base.type.cls, t.name)
                return found is not None and not isinstance(found.storage, InColumn)
            return t.name == "partition" and isinstance(t.base, Var) and isinstance(t.type, CollectionType)
        return False

    def collection(self, e: ast.Expr, scope: Scope, where: str) -> Term:
        """The expression as something to range over."""
        t = self(e, scope)
        if O.is_undefined(t.type) or isinstance(t.type, Nil):
            return Call(CollectionType("bag", O.UNDEFINED), "bag", ())
        if not isinstance(t.type, (CollectionType, DictionaryType)):
            raise self.mismatch(f"{where} takes a collection, and this is of type {t.type}", e)
        return t

    def condition(self, e: ast.Expr, scope: Scope, where: str) -> Term:
        t = self.value(e, scope)
        if not O.is_boolean(t.type) and not O.is_undefined(t.type):
            raise self.mismatch(f"{where} takes a condition, and this is of type {t.type}", e)
        return operators.cast_to(t, O.BOOLEAN)

    # -- the forms

    def __call__(self, e: ast.Expr, scope: Scope) -> Term:
        from belvedere.languages.oql import collections as C  # noqa: N812
        from belvedere.languages.oql.selects import select

        match e:
            case ast.Select():
                return select(self, e, scope)
            case ast.Literal():
                return self.literal(e)
            case ast.Parameter():
                return self.parameter(e)
            case ast.Name():
                return self.name(e, scope)
            case ast.Path():
                return self.path(e, scope)
            case ast.Struct(fields=fields):
                return self.struct(fields, scope, e)
            case ast.New():
                return self.new(e, scope)
            case ast.Unary():
                return operators.unary(self, e, scope)
            case ast.Binary(op="union" | "except" | "intersect"):
                return C.combined(self, e, scope)
            case ast.Binary(op="in"):
                return C.member(self, e, scope)
            case ast.Binary():
                return operators.binary(self, e, scope)
            case ast.Compared():
                return C.compared(self, e, scope)
            case ast.Quantified():
                return C.quantified(self, e, scope)
            case ast.Function():
                return C.function(self, e, scope)
            case ast.CountAll():
                partition = scope.partition()
                if partition is None:
                    raise self.mismatch("count(*) counts the partition of a group by, and there is none; count a query", e)
                return C.count(self, partition)
            case ast.Collection():
                return C.constructed(self, e, scope)
            case ast.Index() | ast.Slice():
                return C.indexed(self, e, scope)
            case ast.Cast():
                return C.cast(self, e, scope)
        raise AssertionError(f"no meaning for {type(e).__name__}")

    def literal(self, e: ast.Literal) -> Term:
        match e.kind:
            case "nil":
                return Const(Nil(), None)
            case "undefined":
                return Const(O.UNDEFINED, None)
            case "boolean":
                return Const(O.BOOLEAN, e.value)
            case "integer":
                return Const(O.LONG if isinstance(e.value, int) and e.value < 2**31 else O.LONG_LONG, e.value)
            case "float":
                return Const(O.DOUBLE, e.value)
            case "string" | "char":
                return Const(PRIMITIVES[e.kind], e.value)
        try:
            value: Any
            if e.kind == "date":
                value = dt.date.fromisoformat(str(e.value))
            elif e.kind == "timestamp":
                value = dt.datetime.fromisoformat(str(e.value))
            else:
                t = dt.time.fromisoformat(str(e.value))
                value = ((t.hour * 60 + t.minute) * 60 + t.second) * 1_000_000 + t.microsecond
        except ValueError:
            raise self.mismatch(f"{e.value!r} is not a {e.kind}; write it as {_EXAMPLES[e.kind]}", e) from None
        return Const(PRIMITIVES[e.kind], value)

    def parameter(self, e: ast.Parameter) -> Term:
        name = str(e.number)
        if name not in self.parameters:
            raise self.error(UnknownName, f"parameter ${name} has no value; give it in parameters={{'{name}': …}}", e)
        self.used.add(name)
        return Outside(O.of_data(self.parameters[name].type), e.number)

    def name(self, e: ast.Name, scope: Scope) -> Term:
        if e.args is None:
            found = scope.variable(e.name)
            if found is not None:
                return found
            attributes = scope.attributes(e.name)
            if len(attributes) > 1:
                owners = ", ".join(a.base.name for a in attributes if isinstance(a, Proj) and isinstance(a.base, Var))
                raise self.error(UnknownName, f"'{e.name}' is an attribute of several variables ({owners}); say which", e)
            if attributes:
                return attributes[0]
        defined = O.matching(e.name, list(self.defined))
        if defined is not None:
            return self.inlined(self.defined[defined], e, scope)
        if not e.args:
            stored = self.stored(e.name)
            if stored is not None:
                return stored
        if e.args is not None:
            return operators.user_function(self, e, scope)
        constant = O.matching(e.name, list(self.model.constants))
        if constant is not None:
            return Const(*self.model.constants[constant])
        raise self.error(UnknownName, f"unknown name '{e.name}'{suggest(e.name, self.known(scope))}", e)

    def known(self, scope: Scope) -> list[str]:
        extents = [c.extent or c.name for c in self.model.classes.values()]
        tables = [n for n in self.names.relation_names() if "." not in n]
        return list(dict.fromkeys([*scope.visible(), *extents, *self.defined, *tables]))

    def stored(self, name: str) -> Term | None:
        """An extent, a class without one, a table or a view."""
        classes = {c.extent or c.name: c for c in self.model.classes.values()}
        extent = O.matching(name, list(classes))
        if extent is not None:
            c = classes[extent]
            self.relations[c.table] = None
            return Source(CollectionType("set", Ref(c.name)), c.table, c.name)
        relation = self.names.relation(name)
        if relation is None:
            return None
        self.relations[name] = None
        given = getattr(self.names, "object_type", None)
        t: OType | None = given(name) if given is not None else None
        if t is None:
            t = CollectionType("bag", StructType(tuple((c.name, O.of_data(c.type)) for c in relation.schema)))
        if isinstance(t, CollectionType):
            # a view's list has its order only when it is shown
            kind = t.kind if t.kind == "set" else "bag"
            return Source(CollectionType(kind, t.element), name)
        x = self.var("x", t)
        return Comp(t, "element", x, (Gen(x, Source(CollectionType("bag", t), name)),))

    def inlined(self, d: ast.Define, e: ast.Name, scope: Scope) -> Term:
        """A defined query is put in the place of its name, its parameters being the arguments."""
        args = e.args or ()
        if len(args) != len(d.parameters):
            raise self.mismatch(f"{d.name} takes {len(d.parameters)} argument(s), and {len(args)} are given", e)
        if d.name in self._calls:
            raise self.error(UnknownName, f"the definition of '{d.name}' uses itself; a query cannot be recursive", e)
        inner = Scope(self.model)
        for (written, name), a in zip(d.parameters, args, strict=True):
            t = self.type_named(written)
            given = self.value(a, scope)
            if not operators.fits(given.type, t, self.model):
                raise self.mismatch(f"parameter '{name}' of {d.name} is a {t}, and this is of type {given.type}", a)
            inner.named[name] = operators.cast_to(given, t)
        self._calls.append(d.name)
        made = self(d.body, inner)
        self._calls.pop()
        return made

    def type_named(self, t: ast.TypeName) -> OType:
        found = O.named(t, self.model)
        if found is None:
            from belvedere.languages.oql.text import type_name

            known = [*PRIMITIVES, *self.model.types, *self.model.classes]
            raise self.error(UnknownName, f"unknown type '{type_name(t)}'{suggest(t.name, known)}", t)
        return found

    def path(self, e: ast.Path, scope: Scope) -> Term:
        base = self(e.base, scope)
        known = properties(base.type, self.model)
        exact = O.matching(e.name, list(known))
        if exact is not None and not e.args:
            return Proj(known[exact], base, exact)
        operation = operators.operation(self, self.whole(base), e, scope)
        if operation is not None:
            return operation
        if O.is_undefined(base.type) or isinstance(base.type, Nil):
            return Const(O.UNDEFINED, None)
        if not known:
            more = "; range over it with a variable" if isinstance(base.type, CollectionType) else ""
            raise self.mismatch(f"'{e.name}' is asked of a {base.type}, which has no properties{more}", e)
        of = f"class '{base.type.cls}'" if isinstance(base.type, Ref) else "the struct"
        raise self.error(UnknownName, f"{of} has no property '{e.name}'{suggest(e.name, list(known))}", e)

    def struct(self, fields: tuple[tuple[str, ast.Expr], ...], scope: Scope, e: ast.Expr) -> Record:
        return self.record([(n, self.value(x, scope)) for n, x in fields], e)

    def record(self, fields: list[tuple[str, Term]], e: ast.Node) -> Record:
        names = [n.lower() for n, _ in fields]
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            raise self.mismatch(f"two fields are named '{twice}'; give one of them a label of its own", e)
        return Record(StructType(tuple((n, x.type) for n, x in fields)), tuple(fields))

    def new(self, e: ast.New, scope: Scope) -> Term:
        cls = O.matching(e.cls, list(self.model.classes))
        struct = self.model.types.get(e.cls)
        if cls is None and not isinstance(struct, StructType):
            raise self.error(UnknownName, f"unknown class '{e.cls}'{suggest(e.cls, list(self.model.classes))}", e)
        known = properties(Ref(cls) if cls is not None else struct or Nil(), self.model)
        fields = []
        for n, x in e.fields:
            exact = O.matching(n, list(known))
            if exact is None:
                raise self.error(UnknownName, f"'{e.cls}' has no property '{n}'{suggest(n, list(known))}", x)
            value = self.value(x, scope)
            if not operators.fits(value.type, known[exact], self.model):
                raise self.mismatch(f"'{n}' of '{e.cls}' is a {known[exact]}, and this is of type {value.type}", x)
            fields.append((exact, operators.cast_to(value, known[exact])))
        return self.record(fields, e)


_EXAMPLES = {"date": "date '2026-11-15'", "time": "time '18:30:00'", "timestamp": "timestamp '2026-11-15 18:30:00'"}

__all__ = ["Group", "Translator", "element_type"]
