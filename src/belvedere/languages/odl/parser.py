"""ODL tokens → declarations, by recursive descent over the grammar of the language page."""

from __future__ import annotations

import re
from typing import Any

from belvedere.errors import ParseError, suggest
from belvedere.languages.odl.syntax import (
    AnyType,
    AttributeSyntax,
    ClassSyntax,
    ConstSyntax,
    Declaration,
    EnumSyntax,
    FieldSyntax,
    Name,
    RelationshipSyntax,
    StructSyntax,
    TypedefSyntax,
    TypeSyntax,
)
from belvedere.languages.odl.tokens import Token, tokens

_COLLECTIONS = ("set", "bag", "list", "array")
_DECLARATIONS = ("class", "struct", "enum", "typedef", "const")
_KEYWORDS = frozenset(
    {*_DECLARATIONS, *_COLLECTIONS, "extends", "attribute", "relationship", "inverse", "readonly", "unsigned", "dictionary"}
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


def parse(text: str) -> list[Declaration]:
    """The declarations of a text, in order; ParseError points at the first thing that does not fit."""
    return _Parser(text).spec()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.at = 0

    # words and signs

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def error(self, expected: str, hint: str = "") -> ParseError:
        t = self.next
        return ParseError(f"{expected} is expected, and here is {t}{hint}", text=self.text, line=t.line, column=t.column)

    def take(self) -> Token:
        t = self.next
        self.at += t.kind != "end"
        return t

    def is_next(self, *words: str) -> bool:
        return self.next.kind in ("word", "sign") and self.next.text in words

    def accept(self, *words: str) -> Token | None:
        return self.take() if self.is_next(*words) else None

    def expect(self, word: str, after: str = "") -> Token:
        found = self.accept(word)
        if found is None:
            raise self.error(f"'{word}'" + (f" after {after}" if after else ""))
        return found

    def name(self, what: str) -> Name:
        if self.next.kind != "word" or self.next.text in _KEYWORDS:
            hint = f"; '{self.next.text}' is a word of ODL" if self.next.text in _KEYWORDS else ""
            raise self.error(what, hint)
        return _name(self.take())

    def names(self, what: str) -> tuple[Name, ...]:
        found = [self.name(what)]
        while self.accept(","):
            found.append(self.name(what))
        return tuple(found)

    # declarations

    def spec(self) -> list[Declaration]:
        found: list[Declaration] = []
        while self.next.kind != "end":
            if not self.accept(";"):
                found.append(self.declaration())
        return found

    def declaration(self) -> Declaration:
        match self.next.text if self.next.kind == "word" else "":
            case "class":
                return self.class_()
            case "struct":
                made = self.struct()
                if made.name is None:
                    raise ParseError("a struct needs a name here", text=self.text, line=made.at.line, column=made.at.column)
                return made
            case "enum":
                enum = self.enum()
                if enum.name is None:
                    raise ParseError("an enum needs a name here", text=self.text, line=enum.at.line, column=enum.at.column)
                return enum
            case "typedef":
                self.take()
                made_type = self.type()
                names = self.names("the type's new name")
                self.expect(";", "a typedef")
                return TypedefSyntax(made_type, names)
            case "const":
                return self.const()
        hint = suggest(self.next.text, list(_DECLARATIONS)) if self.next.kind == "word" else ""
        raise self.error("class, struct, enum, typedef or const", hint)

    def class_(self) -> ClassSyntax:
        self.take()
        name = self.name("the class's name")
        parents: tuple[Name, ...] = ()
        if self.accept("extends"):
            parents = (self.name("the name of a class"),)
        if self.accept(":"):
            parents += self.names("the name of a class")
        extent, keys = self.type_properties() if self.accept("(") else (None, ())
        self.expect("{", f"the head of class {name.text}")
        members = []
        while not self.accept("}"):
            members.append(self.member())
            self.expect(";", "a member")
        return ClassSyntax(name, parents, extent, keys, tuple(members))

    def type_properties(self) -> tuple[Name | None, tuple[tuple[Name, ...], ...]]:
        extent = self.name("the extent's name") if self.accept("extent") else None
        keys: list[tuple[Name, ...]] = []
        if self.accept("key", "keys"):
            keys.append(self.key())
            while self.accept(","):
                keys.append(self.key())
        if not self.accept(")"):
            raise self.error("extent, key, keys or ')'", suggest(self.next.text, ["extent", "key", "keys"]))
        return extent, tuple(keys)

    def key(self) -> tuple[Name, ...]:
        if not self.accept("("):
            return (self.name("the name of an attribute"),)
        names = self.names("the name of an attribute")
        self.expect(")", "the parts of a key")
        return names

    def member(self) -> AttributeSyntax | RelationshipSyntax:
        readonly = self.accept("readonly") is not None
        if self.accept("attribute"):
            made = self.type()
            return AttributeSyntax(self.name("the attribute's name"), made, readonly)
        if readonly or not self.accept("relationship"):
            words = ["attribute"] if readonly else ["attribute", "relationship", "readonly"]
            hint = suggest(self.next.text, words) if self.next.kind == "word" else ""
            raise self.error("attribute" if readonly else "attribute, relationship, readonly or '}'", hint)
        kind = None
        if self.is_next("set", "bag", "list"):
            kind = _name(self.take())
            self.expect("<", kind.text)
        target = self.name("a class, or set, bag or list of a class")
        if kind is not None:
            self.expect(">", "the class")
        name = self.name("the relationship's name")
        self.expect("inverse", f"relationship {name.text}")
        inverse_class = self.name("the class on the other side")
        self.expect("::", "the class on the other side")
        return RelationshipSyntax(name, kind, target, inverse_class, self.name("the relationship on the other side"))

    def const(self) -> ConstSyntax:
        self.take()
        made = self.type()
        name = self.name("the constant's name")
        self.expect("=", "the constant's name")
        at = _name(self.next)
        value = self.literal()
        self.expect(";", "a constant")
        return ConstSyntax(made, name, value, at)

    def literal(self) -> Any:
        negative = False
        while sign := self.accept("+", "-"):
            negative ^= sign.text == "-"
        t = self.next
        if t.kind == "number":
            self.take()
            number: Any = int(t.text) if t.text.isdigit() else float(t.text)
            return -number if negative else number
        if t.kind in ("string", "char"):
            self.take()
            return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), t.text[1:-1], flags=re.S)
        if self.is_next("true", "false"):
            return self.take().text == "true"
        if t.kind == "word" and not negative:
            return self.name("a value")
        raise self.error("a value")

    # types

    def type(self) -> AnyType:
        t = self.next
        if t.kind != "word":
            raise self.error("a type")
        match t.text:
            case "struct":
                return self.struct()
            case "enum":
                return self.enum()
            case "unsigned":
                self.take()
                size = self.accept("short", "long")
                if size is None or self.is_next("long"):
                    raise self.error("short or long, once, after unsigned")
                return TypeSyntax(Name(f"unsigned {size.text}", t.line, t.column))
            case "long":
                self.take()
                return TypeSyntax(Name("long long" if self.accept("long") else "long", t.line, t.column))
            case "set" | "bag" | "list" | "array":
                return self.generic(1)
            case "dictionary":
                return self.generic(2)
        return TypeSyntax(self.name("a type"))

    def generic(self, count: int) -> TypeSyntax:
        name = _name(self.take())
        self.expect("<", name.text)
        arguments = [self.type()]
        while len(arguments) < count:
            self.expect(",", "the type of the keys")
            arguments.append(self.type())
        self.expect(">", f"what the {name.text} holds")
        return TypeSyntax(name, tuple(arguments))

    def struct(self) -> StructSyntax:
        at = _name(self.take())
        name = None if self.is_next("{") else self.name("the struct's name")
        self.expect("{", "struct")
        fields = []
        while not self.accept("}"):
            made = self.type()
            fields += [FieldSyntax(n, made) for n in self.names("the field's name")]
            self.expect(";", "a field")
        if not fields:
            raise ParseError("a struct needs a field", text=self.text, line=at.line, column=at.column)
        return StructSyntax(at, name, tuple(fields))

    def enum(self) -> EnumSyntax:
        at = _name(self.take())
        name = None if self.is_next("{") else self.name("the enum's name")
        self.expect("{", "enum")
        members = self.names("a word of the enum")
        self.expect("}", "the words of the enum")
        return EnumSyntax(at, name, members)


def _name(t: Token) -> Name:
    return Name(t.text, t.line, t.column)
