"""A schema of classes as data, and its ODL text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.oqlfuzz.kinds import Coll, Dictionary, Enum, Ref, Struct, Type, kind


@dataclass(frozen=True)
class Prop:
    """An attribute, or with `inverse` (class, property) a relationship."""

    name: str
    type: Type
    inverse: tuple[str, str] | None = None

    @property
    def many(self) -> bool:
        return isinstance(self.type, Coll)

    @property
    def target(self) -> str | None:
        t = self.type.element if isinstance(self.type, Coll) else self.type
        return t.cls if isinstance(t, Ref) else None


@dataclass(frozen=True)
class Cls:
    """`parents`: the first is written after extends, others after the colon. `key`: a property, or None."""

    name: str
    parents: tuple[str, ...]
    extent: str | None
    key: str | None
    own: tuple[Prop, ...]


@dataclass(frozen=True)
class Schema:
    """`structs` are the named struct types; `tables` are plain tables beside the classes."""

    classes: dict[str, Cls]
    enums: tuple[Enum, ...] = ()
    structs: dict[str, Struct] = field(default_factory=dict)
    tables: dict[str, Struct] = field(default_factory=dict)

    def above(self, name: str) -> list[str]:
        """The class and all above it, each once."""
        found = [name]
        for p in self.classes[name].parents:
            found += [c for c in self.above(p) if c not in found]
        return found

    def below(self, name: str) -> list[str]:
        return [c for c in self.classes if name in self.above(c)]

    def props(self, name: str) -> dict[str, Prop]:
        """All properties of a class, with those of the classes above."""
        return {p.name: p for c in reversed(self.above(name)) for p in self.classes[c].own}

    def keys(self, name: str) -> list[tuple[str, str]]:
        """(class that declares it, property)."""
        return [(c, k) for c in self.above(name) if (k := self.classes[c].key)]

    def extents(self) -> dict[str, str]:
        """Extent → class."""
        return {c.extent: c.name for c in self.classes.values() if c.extent}

    def ddl(self, table: str) -> str:
        """The columns of a plain table."""
        words = {"int": "int", "string": "string", "coll": "array<int>"}
        return ", ".join(f"{n} {words[kind(t)]}" for n, t in self.tables[table].fields)

    def odl(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        for e in self.enums:
            yield f"enum {e.name} {{ {', '.join(e.members)} }};"
        for name, s in self.structs.items():
            yield f"struct {name} {{ {' '.join(f'{self.written(t)} {n};' for n, t in s.fields)} }};"
        for c in self.classes.values():
            head = f"class {c.name}"
            if c.parents:
                head += f" extends {c.parents[0]}"
            if c.parents[1:]:
                head += f" : {', '.join(c.parents[1:])}"
            inside = " ".join([f"extent {c.extent}"] * bool(c.extent) + [f"key {c.key}"] * bool(c.key))
            yield head + (f" ({inside})" if inside else "") + " {"
            for p in c.own:
                if p.inverse:
                    yield f"    relationship {self.written(p.type)} {p.name} inverse {p.inverse[0]}::{p.inverse[1]};"
                else:
                    yield f"    attribute {self.written(p.type)} {p.name};"
            yield "};"

    def written(self, t: Type) -> str:
        """A type as ODL writes it: structs by their name."""
        match t:
            case Struct():
                return next(n for n, s in self.structs.items() if s == t)
            case Coll(kind=k, element=e):
                return f"{k}<{self.written(e)}>"
            case Dictionary(key=k, value=v):
                return f"dictionary<{self.written(k)}, {self.written(v)}>"
        return str(t)
