"""Classes as written → the object model: parents, properties, inverses, keys, and where each property is kept."""

from __future__ import annotations

from collections.abc import Callable

from belvedere.errors import ParseError, TypeMismatch, UnknownName, suggest
from belvedere.languages.odl.inverses import check_inverse
from belvedere.languages.odl.parser import parse
from belvedere.languages.odl.scope import Scope
from belvedere.languages.odl.syntax import AttributeSyntax, ClassSyntax, Name, RelationshipSyntax
from belvedere.objects.layout import place
from belvedere.objects.model import OID, ClassDef, InColumn, ObjectModel, Property
from belvedere.objects.oid import MAX_CLASS
from belvedere.objects.types import CollectionType, Enum, OType, Primitive, Ref

Taken = Callable[[str], str | None]
"""What a name of a table is used for already, if it is."""


def declare(text: str, model: ObjectModel, taken: Taken) -> ObjectModel:
    """The model with what the text declares added to it."""
    declarations = parse(text)
    scope = Scope(text, model, declarations)
    _check_cycles(scope)
    classes = dict(model.classes)
    number = max((c.number for c in classes.values()), default=0)
    for written in scope.classes.values():
        number += 1
        if number > MAX_CLASS:
            raise scope.error(ParseError, f"no more than {MAX_CLASS:,} classes can be told apart", written.name)
        classes[written.name.text] = _class(scope, written, number)
    made = ObjectModel(classes, scope.types, scope.constants)
    for written in scope.classes.values():
        _check_inherited(scope, made, written)
    for written in scope.classes.values():
        for member in written.members:
            if isinstance(member, RelationshipSyntax):
                check_inverse(scope, made, written, member)
        _check_keys(scope, made, written)
    placed = place(made, set(scope.classes))
    _check_tables(scope, model, placed, taken)
    return placed


def _class(scope: Scope, written: ClassSyntax, number: int) -> ClassDef:
    name = written.name.text
    for parent in written.parents:
        if parent.text not in scope.known_classes:
            known = sorted(scope.known_classes - {name})
            raise scope.error(UnknownName, f"there is no class '{parent.text}' to extend{suggest(parent.text, known)}", parent)
    scope.unique(written.parents, "class", f"list of what {name} extends")
    scope.unique([m.name for m in written.members], "property", f"class {name}")
    own = []
    for m in written.members:
        if m.name.text.lower() in (OID, "_w"):
            raise scope.error(ParseError, f"'{m.name.text}' is kept for inner use and cannot be the name of a property", m.name)
        t, inverse = _member_type(scope, m)
        readonly = isinstance(m, AttributeSyntax) and m.readonly
        own.append(Property(m.name.text, t, name, InColumn(m.name.text), inverse, readonly))
    extent = written.extent.text if written.extent else None
    keys = tuple(tuple(k.text for k in key) for key in written.keys)
    return ClassDef(name, number, extent or name, extent, tuple(p.text for p in written.parents), tuple(own), keys)


def _member_type(scope: Scope, m: AttributeSyntax | RelationshipSyntax) -> tuple[OType, tuple[str, str] | None]:
    if isinstance(m, AttributeSyntax):
        return scope.type(m.type), None
    if m.target.text not in scope.known_classes:
        known = sorted(scope.known_classes)
        raise scope.error(UnknownName, f"there is no class '{m.target.text}'{suggest(m.target.text, known)}", m.target)
    target = Ref(m.target.text)
    t = target if m.kind is None else CollectionType(m.kind.text, target)  # type: ignore[arg-type]
    return t, (m.inverse_class.text, m.inverse.text)


def _check_cycles(scope: Scope) -> None:
    """No class above itself."""
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...], at: Name) -> None:
        if name in path:
            cycle = " → ".join([*path[path.index(name) :], name])
            raise scope.error(ParseError, f"class '{name}' extends itself: {cycle}", at)
        if name in done or name not in scope.classes:
            return
        for parent in scope.classes[name].parents:
            visit(parent.text, (*path, name), parent)
        done.add(name)

    for name, written in scope.classes.items():
        visit(name, (), written.name)


def _check_inherited(scope: Scope, model: ObjectModel, written: ClassSyntax) -> None:
    """A property has one definition among a class and the classes above it."""
    name = written.name.text
    found: dict[str, Property] = {}
    for above in reversed(model.above(name)):
        for p in model.classes[above].own:
            other = found.setdefault(p.name.lower(), p)
            if other is p:
                continue
            if above == name:
                at = next(m.name for m in written.members if m.name.text == p.name)
                message = f"class {name} inherits '{other.name}' from {other.cls} and cannot define it again"
            else:
                at = written.name
                message = f"class {name} inherits '{p.name}' from {p.cls} and from {other.cls}; rename one of them"
            raise scope.error(ParseError, message, at)


def _check_keys(scope: Scope, model: ObjectModel, written: ClassSyntax) -> None:
    name = written.name.text
    for key in written.keys:
        scope.unique(key, "attribute", f"key of class {name}")
        for part in key:
            p = model.find(name, part.text)
            if p is None:
                known = [x.name for x in model.properties(name)]
                message = f"class {name} has no attribute '{part.text}' for its key{suggest(part.text, known)}"
                raise scope.error(UnknownName, message, part)
            if not isinstance(p.type, (Primitive, Enum, Ref)):
                raise scope.error(TypeMismatch, f"'{part.text}' is a {p.type}: a key consists of single values", part)


def _check_tables(scope: Scope, before: ObjectModel, model: ObjectModel, taken: Taken) -> None:
    """Every extent, and every class without one, is a table; its name must be free."""
    used: dict[str, str] = {}
    for c in model.classes.values():
        written = scope.classes.get(c.name)
        other = used.get(c.table.lower())
        if written is not None:
            at = written.extent or written.name
            if other is None and c.name not in before.classes:
                kind = taken(c.table)
                other = f"a {kind}" if kind else None
            if other:
                way = "choose another name" if written.extent else "give the class an extent with another name"
                what = "extent" if written.extent else "class"
                raise scope.error(ParseError, f"{what} '{c.table}' is called like {other}; {way}", at)
        used[c.table.lower()] = f"the {'extent' if c.extent else 'table'} of class {c.name}"



