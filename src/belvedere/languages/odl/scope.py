"""The names that an ODL text can use: its own and those of the texts before it. Types as written → types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from belvedere.algebra.types import Map
from belvedere.errors import BelvedereError, ParseError, TypeMismatch, UnknownName, Unsupported, suggest
from belvedere.languages.odl.syntax import (
    AnyType,
    ClassSyntax,
    ConstSyntax,
    Declaration,
    EnumSyntax,
    Name,
    StructSyntax,
    TypedefSyntax,
)
from belvedere.objects.literal import literal
from belvedere.objects.model import ObjectModel
from belvedere.objects.types import (
    PRIMITIVES,
    CollectionType,
    DictionaryType,
    Enum,
    OType,
    Primitive,
    Ref,
    StructType,
    data_type,
)

_COLLECTIONS = ("set", "bag", "list", "array")


class Scope:
    """Names are told apart by case, as ODL does; a class, a type and a constant cannot share one."""

    def __init__(self, text: str, model: ObjectModel, declarations: list[Declaration]) -> None:
        self.text = text
        self.classes: dict[str, ClassSyntax] = {}
        self.known_classes = set(model.classes)
        self.types: dict[str, OType] = dict(model.types)
        self.constants: dict[str, tuple[OType, Any]] = dict(model.constants)
        self._where: dict[str, str] = {
            **dict.fromkeys(model.classes, "class"), **dict.fromkeys(model.types, "type"),
            **dict.fromkeys(model.constants, "constant"),
        }  # fmt: skip
        self._waiting: dict[str, AnyType] = {}
        self._resolving: list[str] = []
        self._announce(declarations)
        self._settle(declarations)

    def error(self, kind: type[ParseError], message: str, at: Name) -> ParseError:
        return kind(message, text=self.text, line=at.line, column=at.column)

    def _announce(self, declarations: list[Declaration]) -> None:
        """First all names, so that a text may use one before it declares it."""
        for d in declarations:
            match d:
                case ClassSyntax(name=name):
                    self._claim(name, "class")
                    self.classes[name.text] = d
                    self.known_classes.add(name.text)
                case StructSyntax(name=Name() as name) | EnumSyntax(name=Name() as name):
                    self._claim(name, "type")
                    self._waiting[name.text] = d
                case TypedefSyntax(names=names):
                    for n in names:
                        self._claim(n, "type")
                        self._waiting[n.text] = d.type
                case ConstSyntax(name=name):
                    self._claim(name, "constant")

    def _claim(self, name: Name, kind: str) -> None:
        if name.text in PRIMITIVES:
            raise self.error(ParseError, f"'{name.text}' is a type of ODL's own; choose another name", name)
        if name.text in self._where:
            message = f"there is a {self._where[name.text]} '{name.text}' already; choose another name"
            raise self.error(ParseError, message, name)
        self._where[name.text] = kind

    def _settle(self, declarations: list[Declaration]) -> None:
        for d in declarations:
            match d:
                case StructSyntax(name=Name() as name) | EnumSyntax(name=Name() as name):
                    self.named(name)
                case TypedefSyntax(names=names):
                    for n in names:
                        self.named(n)
                case ConstSyntax():
                    t = self.type(d.type)
                    self.constants[d.name.text] = (t, self._constant(d, t))

    def _constant(self, d: ConstSyntax, t: OType) -> Any:
        value = d.value
        if isinstance(value, Name):
            if isinstance(t, Enum) and value.text in t.members:
                value = value.text
            elif value.text in self.constants:
                value = self.constants[value.text][1]
            else:
                known = [*self.constants, *(t.members if isinstance(t, Enum) else ())]
                message = f"there is no constant '{value.text}' before this{suggest(value.text, known)}"
                raise self.error(UnknownName, message, value)
        if not isinstance(t, (Primitive, Enum)):
            raise self.error(TypeMismatch, f"a constant is a number, text, character, boolean or enum, not a {t}", d.at)
        try:
            literal(t, value)
        except BelvedereError as e:
            raise self.error(TypeMismatch, f"constant {d.name.text}: {e}", d.at) from e
        return value

    # types

    def type(self, written: AnyType) -> OType:
        match written:
            case StructSyntax():
                return self._inline(written, lambda: self._struct(written))
            case EnumSyntax():
                return self._inline(written, lambda: self._enum(written))
        name, arguments = written.name, written.arguments
        if not arguments:
            return self.named(name)
        parts = [self.type(a) for a in arguments]
        if name.text == "dictionary":
            if not isinstance(parts[0], (Primitive, Enum, Ref)):
                message = f"the keys of a dictionary are single values, and this is {parts[0]}; use a list of structs"
                raise self.error(TypeMismatch, message, name)
            return DictionaryType(parts[0], parts[1])
        kind = next(k for k in _COLLECTIONS if k == name.text)
        if kind in ("set", "bag") and data_type(parts[0]).contains(Map):
            message = f"a {kind} of {parts[0]}: dictionaries cannot be compared with each other; use a list"
            raise self.error(Unsupported, message, name)
        return CollectionType(kind, parts[0])  # type: ignore[arg-type]

    def named(self, name: Name) -> OType:
        """ODL's own type, a class, or a type that some text has named."""
        word = name.text
        if word in PRIMITIVES:
            return PRIMITIVES[word]
        if word in self.known_classes:
            return Ref(word)
        if word not in self.types and word in self._waiting:
            if word in self._resolving:
                raise self.error(ParseError, f"type '{word}' holds itself: {' → '.join([*self._resolving, word])}", name)
            self._resolving.append(word)
            waiting = self._waiting[word]
            match waiting:
                case StructSyntax():
                    self.types[word] = self._struct(waiting)
                case EnumSyntax():
                    self.types[word] = self._enum(waiting)
                case _:
                    self.types[word] = self.type(waiting)
            self._resolving.pop()
        if word not in self.types:
            known = [*self.known_classes, *self._waiting, *self.types, *PRIMITIVES]
            raise self.error(UnknownName, f"there is no class or type '{word}'{suggest(word, known)}", name)
        return self.types[word]

    def _inline(self, written: StructSyntax | EnumSyntax, make: Any) -> OType:
        made: OType = make()
        if written.name is not None and self._waiting.get(written.name.text) is not written:
            self._claim(written.name, "type")
            self._waiting[written.name.text] = written
            self.types[written.name.text] = made
        return made

    def _struct(self, written: StructSyntax) -> OType:
        self.unique([f.name for f in written.fields], "field", "struct")
        return StructType(tuple((f.name.text, self.type(f.type)) for f in written.fields))

    def _enum(self, written: EnumSyntax) -> OType:
        self.unique(list(written.members), "word", "enum")
        name = written.name.text if written.name else f"enum({', '.join(m.text for m in written.members)})"
        return Enum(name, tuple(m.text for m in written.members))

    def unique(self, names: Iterable[Name], what: str, where: str) -> None:
        """No name twice. SQL does not tell upper from lower case, so two that differ in nothing else are the same."""
        seen: dict[str, Name] = {}
        for n in names:
            if n.text.lower() in seen:
                first = seen[n.text.lower()].text
                same = "twice" if first == n.text else f"twice (SQL does not tell '{first}' from '{n.text}')"
                raise self.error(ParseError, f"the {what} '{n.text}' is in the {where} {same}", n)
            seen[n.text.lower()] = n
