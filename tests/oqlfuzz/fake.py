"""A warehouse that is the reference itself, with a fault planted on request: it tries out the checker, not the product."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
from tests.fuzz.values import canon
from tests.oqlfuzz.case import Case
from tests.oqlfuzz.data import Bunch, Obj, Rec, Table, to_python
from tests.oqlfuzz.interpret import Reference, columns_of, rows_of
from tests.oqlfuzz.kinds import Coll, Dictionary, Enum, Prim, Ref, Struct, Type
from tests.oqlfuzz.world import World, empty, shaped

Fault = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
SHIFT = 1000


def arrow_type(t: Type) -> pa.DataType:
    match t:
        case Prim(kind=k):
            known = {"int": pa.int64(), "double": pa.float64(), "string": pa.string(), "boolean": pa.bool_(), "date": pa.date32()}
            return known.get(k, pa.timestamp("us"))
        case Enum():
            return pa.string()
        case Ref():
            return pa.int64()
        case Struct(fields=fields):
            return pa.struct([(n, arrow_type(f)) for n, f in fields])
        case Coll(element=e):
            return pa.list_(arrow_type(e))
        case Dictionary(key=k, value=v):
            return pa.map_(arrow_type(k), arrow_type(v))
    return pa.null()


class _Oids(dict[int, int]):
    def __missing__(self, n: int) -> int:
        return n + SHIFT


class FakeWarehouse:
    """Speaks as much of the façade as the checker needs. Objects are called by their number plus 1000."""

    def __init__(self, case: Case, fault: Fault = lambda rows: rows) -> None:
        self.case = case
        self.fault = fault
        self.world = World(case.schema)
        self.reference = Reference(case.schema, case.views)
        self.epoch = 0
        self.states: dict[tuple[str, int], pa.Table] = {}
        self.next = 0

    def odl(self, text: str) -> None:
        assert text == self.case.schema.odl()

    def create_table(self, name: str, ddl: str) -> None:
        assert ddl == self.case.schema.ddl(name)

    @contextmanager
    def transaction(self) -> Iterator[FakeTransaction]:
        yield FakeTransaction(self)
        self.epoch += 1

    def create_view(self, name: str, text: str, *, language: str, mode: str, parameters: Any) -> None:
        self.states[name, self.epoch] = self.read(name)

    def refresh(self) -> None:
        pass

    def close(self) -> None:
        pass

    def view(self, name: str) -> SimpleNamespace:
        table = self.states.setdefault((name, self.epoch), self.read(name))

        def changes(since: int) -> list[dict[str, Any]]:
            delta: Counter[Any] = Counter()
            rows: dict[Any, dict[str, Any]] = {}
            for sign, t in ((1, table), (-1, self.states[name, since])):
                for r in t.to_pylist(maps_as_pydicts="strict"):
                    key = canon(tuple(r.values()))
                    delta[key] += sign
                    rows[key] = r
            return [{**rows[k], "_w": n} for k, n in delta.items() if n]

        report = SimpleNamespace(strategy="incremental", reason="")
        verified = SimpleNamespace(ok=True)
        return SimpleNamespace(arrow=lambda: table, changes=changes, refresh=lambda strategy: report, verify=lambda: verified)

    def read(self, name: str) -> pa.Table:
        value, t = self.reference.values(self.world)[name], self.reference.types[name]
        plain = self.fault([to_python(r, _Oids()) for r in rows_of(value, t)])
        return pa.Table.from_pylist(plain, pa.schema([(n, arrow_type(f)) for n, f in columns_of(t)]))


class FakeTransaction:
    def __init__(self, wh: FakeWarehouse) -> None:
        self.wh = wh

    def new(self, cls: str, **attrs: Any) -> int:
        self.wh.next += 1
        props = self.wh.case.schema.props(cls)
        self.wh.world.new(self.wh.next, cls, {k: value_of(v, props[k].type) for k, v in attrs.items()})
        return self.wh.next + SHIFT

    def modify(self, oid: int, **attrs: Any) -> None:
        self.wh.world.modify(oid - SHIFT, {k: value_of(v, self.type(oid, k)) for k, v in attrs.items()})

    def delete_object(self, oid: int) -> None:
        self.wh.world.delete(oid - SHIFT)

    def insert_element(self, oid: int, attr: str, value: Any, position: int | None = None) -> None:
        self.wh.world.insert_element(oid - SHIFT, attr, value_of(value, self.element(oid, attr)), position)

    def remove_element(self, oid: int, attr: str, value: Any = None, position: int | None = None) -> None:
        self.wh.world.remove_element(oid - SHIFT, attr, value_of(value, self.element(oid, attr)), position)

    def set_element(self, oid: int, attr: str, position: int, value: Any) -> None:
        self.wh.world.set_element(oid - SHIFT, attr, position, value_of(value, self.element(oid, attr)))

    def insert(self, table: str, rows: list[dict[str, Any]]) -> None:
        self.wh.world.tables[table] += [value_of(r, self.wh.case.schema.tables[table]) for r in rows]

    def delete(self, table: str, *, rows: list[dict[str, Any]]) -> None:
        for r in rows:
            self.wh.world.tables[table].remove(value_of(r, self.wh.case.schema.tables[table]))

    def type(self, oid: int, attr: str) -> Type:
        return self.wh.world.prop(Obj(oid - SHIFT), attr).type

    def element(self, oid: int, attr: str) -> Type:
        t = self.type(oid, attr)
        assert isinstance(t, Coll)
        return t.element


def value_of(value: Any, t: Type) -> Any:
    """Plain Python as a value of the reference."""
    if value is None:
        return empty(t)
    match t:
        case Ref():
            return Obj(value - SHIFT)
        case Struct(fields=fields):
            return Rec(tuple((n, value_of(value[n], ft)) for n, ft in fields))
        case Coll(kind=k, element=e):
            return shaped(Bunch(k, tuple(value_of(v, e) for v in value)), t)
        case Dictionary():
            return Table(tuple(sorted(value.items())))
    return value
