"""A plan under construction and its variables. Asking for a value may add to the plan: a property of an object is a join with
its class's table, left outer where the object may be nil."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Filter, Join, OuterJoin, Project, UnionAll, Values
from belvedere.algebra.scalar import Scalar, col, cols, conjunction, equal, integer, null
from belvedere.algebra.types import Boolean, Column, Schema
from belvedere.languages.oql import scalars
from belvedere.languages.oql.calculus import Call, Const, Outside, Proj, Record, Term, Var
from belvedere.languages.oql.scalars import converted, or_empty
from belvedere.languages.oql.values import Obj, Plain, Row, Table, Value, leaves, to_scalar, wrap
from belvedere.languages.sql.catalog import Names
from belvedere.languages.sql.fresh import Fresh
from belvedere.languages.sql.parameters import Parameter
from belvedere.languages.sql.relations import rename_output
from belvedere.objects.model import OID, InColumn, ObjectModel
from belvedere.objects.types import CollectionType, DictionaryType, Ref, StructType, data_type

#: stands for nil where identities are joined; no object has it
NIL = -1


def _key(reference: Scalar) -> Scalar:
    return scalars.apply(f"coalesce(a, cast({NIL} as bigint))", reference)


def _nil(c: Column, keys: Iterable[str]) -> Scalar:
    return integer(NIL) if c.name in keys else null(c.type)


@dataclass
class Session:
    """What all plans of one program share."""

    names: Names
    model: ObjectModel
    parameters: Mapping[str, Parameter]
    fresh: Fresh = field(default_factory=Fresh)

    def table(self, name: str) -> tuple[Node, dict[str, str]]:
        """A stored collection under column names of its own: the node, and column → name here."""
        relation = self.names.relation(name)
        assert relation is not None, name
        made = {c: self.fresh(c) for c in relation.schema.names}
        return rename_output(relation.plan(), tuple(made.values())), made

    def class_table(self, cls: str) -> tuple[Node, str, Table]:
        """(node, identity's column, properties). The keys of references are computed next to the table, so that joins along
        a path stand side by side."""
        node, names = self.table(self.model.classes[cls].table)
        stored = [(p, names[p.storage.column]) for p in self.model.properties(cls) if isinstance(p.storage, InColumn)]
        keys = {p.name: (self.fresh(f"{c}_key"), c) for p, c in stored if isinstance(p.type, Ref)}
        if keys:
            node = Project(node, (*cols(node.schema), *((k, _key(col(node.schema[c]))) for k, c in keys.values())))
        return node, names[OID], Table({p.name: c for p, c in stored}, {n: k for n, (k, _) in keys.items()})


@dataclass
class Frame:
    """`node` is None for the one row without columns. `key`: columns that no two rows share, if such are known. `domain`:
    columns that tell the rows around apart, in a comprehension that is worked off for each of them."""

    session: Session
    node: Node | None = None
    vars: dict[str, Value] = field(default_factory=dict)
    key: frozenset[str] | None = frozenset()
    domain: tuple[str, ...] = ()
    places: dict[str, str] = field(default_factory=dict)
    known: dict[Term, Value] = field(default_factory=dict)
    joined: dict[tuple[str, str], Table] = field(default_factory=dict)
    #: the distinct rows that `domain` began with
    origin: Node | None = None

    def copy(self) -> Frame:
        return replace(self, vars=dict(self.vars), places=dict(self.places), known=dict(self.known), joined=dict(self.joined))

    @property
    def plan(self) -> Node:
        if self.node is None:
            self.node = Values(Schema(()), ((),))
        return self.node

    @property
    def schema(self) -> Schema:
        return self.plan.schema

    def extend(self, items: Iterable[tuple[str, Scalar]]) -> None:
        added = tuple(items)
        if added:
            self.node = Project(self.plan, cols(self.schema) + added)

    def column(self, s: Scalar, stem: str = "v") -> str:
        """The name of a column that holds the scalar."""
        if s.column is not None:
            return s.column
        name = self.session.fresh(stem)
        self.extend([(name, s)])
        return name

    def join(self, node: Node, on: Scalar) -> None:
        self.node = node if self.node is None and on.is_true else Join(self.plan, node, on)

    def filter(self, preds: Iterable[Term]) -> None:
        """Keep the rows for which the conditions are true."""
        conditions = [self.condition(p) for p in preds]
        kept = conjunction(conditions)
        if not kept.is_true:
            self.node = Filter(self.plan, kept)

    def condition(self, p: Term) -> Scalar:
        """A condition of which only truth counts."""
        if p in self.known:
            return converted(to_scalar(self.known[p]), Boolean())
        if isinstance(p, Call) and p.fn == "eq" and scalars.references(*p.args):
            a, b = (self.value(x) for x in p.args)
            total = any(isinstance(v, Obj) and v.total for v in (a, b))
            return scalars.equality(to_scalar(a), to_scalar(b), identity=True, filtering=total)
        return converted(self.scalar(p), Boolean())

    # -- terms

    def scalar(self, t: Term) -> Scalar:
        return to_scalar(self.value(t))

    def value(self, t: Term) -> Value:
        if t in self.known:
            return self.known[t]
        match t:
            case Var(name=n):
                return self.vars[n]
            case Const(value=v):
                return wrap(scalars.constant(v, t.type), t.type)
            case Outside(number=n):
                from belvedere.algebra.typing import scalar as typed

                return Plain(typed(self.session.parameters[str(n)].constant(), Schema(())), t.type)
            case Record(fields=fields):
                return Row(tuple((n, self.value(x)) for n, x in fields))
            case Proj():
                return self.property(t)
            case Call():
                return self.call(t)
        raise AssertionError(f"{type(t).__name__} is no value of a row")

    def property(self, t: Proj) -> Value:
        base = self.value(t.base)
        if isinstance(base, Row):
            return base.field(t.name)
        if isinstance(base, Obj):
            table = self.dereferenced(base)
            found: Value = wrap(col(self.schema[table.columns[t.name]]), t.type)
            if isinstance(found, Obj):
                return replace(found, key=table.keys.get(t.name))
        else:
            assert isinstance(base, Plain)
            found = wrap(scalars.apply(f"a.`{t.name.replace('`', '``')}`", base.scalar), t.type)
        if isinstance(t.type, (CollectionType, DictionaryType)):
            return Plain(or_empty(to_scalar(found)), t.type)
        return found

    def dereferenced(self, o: Obj) -> Table:
        """An object's properties, its table joined if it is not yet."""
        if o.table is not None:
            return o.table
        oid = self.column(o.oid, "ref")
        if (oid, o.cls) not in self.joined:
            self.joined[oid, o.cls] = self._joined_table(oid, o)
        return self.joined[oid, o.cls]

    def _joined_table(self, oid: str, o: Obj) -> Table:
        """The object's table joined. A reference that may be nil meets a row of NULLs for nil: every other one is there, by the
        system's own care, so that an inner join does, whose change is a plain sum."""
        node, key, table = self.session.class_table(o.cls)
        name = oid
        if not o.total:
            nil = tuple(_nil(c, {key, *table.keys.values()}) for c in node.schema)
            node = UnionAll((node, Values(node.schema, (nil,))))
            name = o.key or self.column(_key(col(self.schema[oid])), "ref")
        self.node = Join(self.plan, node, equal(self.schema[name], node.schema[key]))
        return table

    def call(self, t: Call) -> Value:
        udfs = self.session.names.udf
        if t.fn == "downcast":
            return self.downcast(t)
        if t.fn in ("eq", "ne"):
            a, b = (self.scalar(x) for x in t.args)
            same = scalars.equality(a, b, identity=scalars.references(*t.args))
            return Plain(same if t.fn == "eq" else scalars.apply("not a", same), t.type)
        if t.fn == "cast" and isinstance(t.type, StructType):
            return self.cast_struct(t)
        if t.fn == "cast" and isinstance(t.type, Ref):
            v = self.value(t.args[0])
            return Obj(converted(to_scalar(v), data_type(t.type)), t.type.cls, isinstance(v, Obj) and v.total)
        args = [self.scalar(x) for x in t.args]
        made = scalars.call(t.fn, args, t.type, udfs)
        return wrap(or_empty(made) if isinstance(t.type, (CollectionType, DictionaryType)) else made, t.type)

    def cast_struct(self, t: Call) -> Value:
        v = self.value(t.args[0])
        if not isinstance(v, Row):
            return wrap(converted(to_scalar(v), data_type(t.type)), t.type)
        assert isinstance(t.type, StructType)
        fields = []
        for (n, wanted), (_, f) in zip(t.type.fields, v.fields, strict=True):
            same = to_scalar(f).type == data_type(wanted)
            fields.append((n, f if same else wrap(converted(to_scalar(f), data_type(wanted)), wanted)))
        return Row(tuple(fields))

    def downcast(self, t: Call) -> Value:
        """The object if its class's table holds it, else nil."""
        assert isinstance(t.type, Ref)
        v = self.value(t.args[0])
        oid = self.column(to_scalar(v), "ref")
        node, key, table = self.session.class_table(t.type.cls)
        table = replace(table, keys={})
        self.node = OuterJoin(self.plan, node, equal(self.schema[oid], node.schema[key]), "left")
        return Obj(col(self.schema[key]), t.type.cls, False, table)

    def leaf_columns(self, v: Value, stem: str = "v") -> tuple[str, ...]:
        return tuple(self.column(s, stem) for s in leaves(v))
