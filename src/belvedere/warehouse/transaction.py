"""A transaction: changes of rows and of the schema, seen by later ones at once and by everybody else at the end.

Every data change becomes a Z-set in the table's stored layout, so that it stays valid when a column is renamed or dropped
later in the same transaction. On exit keys are checked, immediate views are brought up to date, and all is published as one
epoch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.node import Node
from belvedere.algebra.ops import Agg, Aggregate, Consolidate, Filter, Get, Project, TopK
from belvedere.algebra.scalar import cast, col, compare, disjunction, integer, is_null, null
from belvedere.algebra.types import BigInt, Schema, parse_schema
from belvedere.changes.rows import to_table
from belvedere.changes.zset import consolidate, negate, positive, weighted
from belvedere.errors import BelvedereError, KeyViolation
from belvedere.languages.sql import Bound, bind, bind_predicate
from belvedere.store.model import Collection
from belvedere.store.parquet import to_physical
from belvedere.warehouse.assign import assigned
from belvedere.warehouse.finish import finish
from belvedere.warehouse.graphs.updates import GraphChanges
from belvedere.warehouse.lookup import matching
from belvedere.warehouse.names import CurrentNames
from belvedere.warehouse.objects.declare import refuse_direct
from belvedere.warehouse.objects.updates import ObjectChanges
from belvedere.warehouse.resolve import Overlay, Resolver, fitted, has_deletes
from belvedere.warehouse.schema_changes import SchemaChanges
from belvedere.warehouse.sources.mirrors import refuse_mirror
from belvedere.warehouse.tables import new_table

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse

#: keys of new rows that an engine is asked about in one go
KEYS_AT_ONCE = 500_000


class Transaction(SchemaChanges, ObjectChanges, GraphChanges):
    """Use as `with wh.transaction() as tx:`; an exception inside leaves no trace."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse
        self.core = warehouse.core
        self.commit = self.core.store.begin()
        self.overlay = Overlay()
        self.registry = warehouse.registry.over(self.overlay, self.commit.base)
        #: ids of the columns that updates set, per table; None once rows came or went
        self._set: dict[str, set[int] | None] = {}
        self._keys_at_risk: set[str] = set()
        self._done = False
        #: whether it brings changes of sources, and so may change their mirrors
        self.following = False
        self.epoch: int | None = None

    def __enter__(self) -> Transaction:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None:
            self.rollback()
        elif not self._done:
            self.publish()

    def publish(self) -> int:
        """Check, refresh immediate views, and make it visible; returns the epoch."""
        self._open()
        try:
            self.epoch = finish(self)
        except BaseException:
            self.rollback()
            raise
        self._done = True
        return self.epoch

    def rollback(self) -> None:
        if not self._done:
            self._done = True
            self.commit.rollback()

    def _open(self) -> None:
        if self._done:
            raise BelvedereError("this transaction has ended; begin a new one with wh.transaction()")

    # rows

    def insert(self, table: str, rows: Any) -> int:
        """Add rows: a list of dicts, one dict, or anything that holds a table. Returns how many."""
        c = self._table(table)
        data = to_table(rows, c.schema, what=f"table {c.name}")
        self._add(c, weighted(data))
        self._keys_at_risk.add(c.name)
        return int(data.num_rows)

    def delete(self, table: str, *, where: str | None = None, key: Any = None, rows: Any = None) -> int:
        """Delete by a condition, by key (one value, a tuple, or a list of them), or the given rows, each once. Returns how
        many rows went."""
        c = self._table(table)
        given = [n for n, v in (("where", where), ("key", key), ("rows", rows)) if v is not None]
        if len(given) != 1:
            raise BelvedereError("delete takes exactly one of where=, key= or rows=; to empty a table use truncate()")
        if where is not None:
            gone = self._where(c, where)
        elif key is not None:
            gone = matching(self, c, self._key_rows(c, key), [c.schema.columns[self._at(c, i)].name for i in c.key])
        else:
            asked = consolidate(weighted(to_table(rows, c.schema, what=f"table {c.name}")))
            gone = _at_most(matching(self, c, asked, list(c.schema.names)), asked)
        self._add(c, negate(gone))
        return _count(gone)

    def update(self, table: str, values: Mapping[str, Any], *, where: str | None = None, key: Any = None) -> int:
        """Set columns to values, or to expressions given as text, in the rows that a condition or key selects. Returns how
        many rows were updated."""
        c = self._table(table)
        if where is not None and key is not None:
            raise BelvedereError("update takes where= or key=, not both")
        if key is not None:
            old = matching(self, c, self._key_rows(c, key), [c.schema.columns[self._at(c, i)].name for i in c.key])
        else:
            old = self._where(c, where or "true")
        columns, new = assigned(self.core, c, old, values)
        self._add(c, negate(old), new, sets={c.schema[n].id for n in columns})
        if columns & {c.schema.columns[self._at(c, i)].name for i in c.key}:
            self._keys_at_risk.add(c.name)
        return _count(old)

    def merge(self, table: str, rows: Any) -> int:
        """Insert rows, or replace those that have the same key. Returns how many rows were given."""
        c = self._table(table)
        if not c.key:
            raise BelvedereError(
                f"table {c.name!r} has no key, so merge cannot tell which row to replace; use insert, or make the table with key="
            )
        data = to_table(rows, c.schema, what=f"table {c.name}")
        names = [c.schema.columns[self._at(c, i)].name for i in c.key]
        old = matching(self, c, weighted(data.select(names)), names)
        self._add(c, negate(old), weighted(data))
        self._keys_at_risk.add(c.name)
        return int(data.num_rows)

    def truncate(self, table: str) -> int:
        """Delete all rows."""
        c = self._table(table)
        gone = self._where(c, "true")
        self._add(c, negate(gone))
        return _count(gone)

    def create_table(self, name: str, schema: str | Schema, *, key: str | Iterable[str] | None = None) -> None:
        """Make a table inside this transaction."""
        self._open()
        parsed = parse_schema(schema) if isinstance(schema, str) else schema
        new_table(self.registry, self.commit, self.overlay, name, parsed, key)

    # inside

    def _table(self, name: str) -> Collection:
        self._open()
        found = self.registry.table(name)
        self._direct(found)
        return found

    def _direct(self, c: Collection) -> None:
        """Refuse to change what follows something else: the tables of classes, and mirrors but for their source."""
        refuse_direct(c)
        if not self.following:
            refuse_mirror(c)

    @staticmethod
    def _at(c: Collection, number: int) -> int:
        return next(i for i, col in enumerate(c.schema) if col.id == number)

    def _where(self, c: Collection, text: str) -> pa.Table:
        """The rows that a condition selects, as they are in this transaction, with their weights."""
        leaf = Get(c.name, c.schema, c.schema.names)
        node: Node = Filter(leaf, bind_predicate(text, c.schema, udfs=self.core.udf))
        return self.rows(node)

    def rows(self, node: Node) -> pa.Table:
        """Evaluate over the base epoch and what this transaction has done so far."""
        self.flush_objects()
        self.flush_graph()
        return self.evaluate(node)

    def evaluate(self, node: Node) -> pa.Table:
        """As `rows`, for those who change objects themselves."""
        resolver = Resolver(self.core.store, until=self.commit.base, overlay=self.overlay)
        for leaf in node.walk():
            if isinstance(leaf, Get):
                self.commit.touch([leaf.name])
        table, _ = self.core.small().run(Consolidate(node), resolver, measured=False)
        return table

    def bound(self, text: str, *, unique: bool = True) -> Bound:
        """A query over what this transaction sees."""
        return bind(text, CurrentNames(self.registry), unique=unique)

    def select(self, text: str) -> pa.Table:
        """The rows of a query, with their weights."""
        bound = self.bound(text)
        return self.rows(bound.node).rename_columns([*bound.columns, "_w"])

    def cast_rows(self, node: Node, columns: Mapping[str, str], c: Collection) -> pa.Table:
        """Rows for a table from a query: column of the table → column of the query, in the table's types; others NULL."""
        items = [
            (x.name, cast(col(node.schema[columns[x.name]]), x.type) if x.name in columns else null(x.type)) for x in c.schema
        ]
        return self.rows(Project(node, tuple(items)))

    def apply(self, c: Collection, *deltas: pa.Table) -> None:
        """Add Z-sets of whole rows to a table; keys are checked at the end."""
        self._direct(c)
        self._add(c, *deltas)
        self._keys_at_risk.add(c.name)

    def _key_rows(self, c: Collection, key: Any) -> pa.Table:
        if not c.key:
            raise BelvedereError(f"table {c.name!r} has no key; use where= or rows=")
        names = [c.schema.columns[self._at(c, i)].name for i in c.key]
        keys = list(key) if isinstance(key, (list, set, frozenset)) else [key]
        dicts = []
        for k in keys:
            values = k if isinstance(k, tuple) else (tuple(k[n] for n in names) if isinstance(k, Mapping) else (k,))
            if len(values) != len(names):
                raise BelvedereError(f"the key of table {c.name!r} is ({', '.join(names)}); got {k!r}")
            dicts.append(dict(zip(names, values, strict=True)))
        return weighted(to_table(dicts, c.schema.select(tuple(names)), what=f"the key of table {c.name}"))

    def write(self, c: Collection, *deltas: pa.Table, sets: set[int] | None = None) -> None:
        """Add Z-sets whose keys are known to be right; `sets` are the columns in which updated rows differ."""
        self._add(c, *deltas, sets=sets)

    def _add(self, c: Collection, *deltas: pa.Table, sets: set[int] | None = None) -> None:
        kept = [to_physical(d, c) for d in deltas if d.num_rows]
        if not kept:
            return
        self.overlay.tables.setdefault(c.name, []).extend(kept)
        known = self._set.get(c.name, set())
        self._set[c.name] = None if sets is None or known is None else known | sets

    def net(self, name: str) -> pa.Table:
        """The sum of all changes of a table, in its stored layout."""
        c = self.registry.collection(name)
        tables = [fitted(t, c) for t in self.overlay.tables.get(name, ())]
        if not tables:
            return c.physical.empty_table()
        whole = pa.concat_tables(tables)
        return consolidate(whole) if has_deletes(whole) else whole

    def _renamed(self, old: str, new: str) -> None:
        if old in self._set:
            self._set[new] = self._set.pop(old)
        if old in self._keys_at_risk:
            self._keys_at_risk.add(new)

    def changed_columns(self, name: str) -> frozenset[int] | None:
        """Ids of the columns that updates set; None if rows came or went."""
        known = self._set.get(name)
        return None if known is None else frozenset(known)

    def check_whole_key(self, c: Collection) -> None:
        """After a load that went past the driver: no key twice in the whole table, none NULL; asked of the engine."""
        if not c.key:
            return
        names = [c.schema.columns[self._at(c, i)].name for i in c.key]
        keys = tuple((n, col(c.schema[n])) for n in names)
        counted = Aggregate(Get(c.name, c.schema, c.schema.names), keys, (("_rows", Agg("count", (), BigInt())),))
        nulls = [is_null(s) for _, s in keys]
        many = compare(">", col(counted.schema["_rows"]), integer(1))
        bad = self.rows(TopK(Filter(counted, disjunction([many, *nulls])), (), 1))
        if bad.num_rows:
            shown = ", ".join(f"{n}={bad.column(n)[0].as_py()!r}" for n in names)
            raise KeyViolation(f"table {c.name!r}: the key {shown} is NULL or there twice in the rows loaded")

    def check_key(self, c: Collection, net: pa.Table) -> None:
        """No key twice, none NULL. Reads only the keys that come in."""
        columns = [f"c{i}" for i in c.key]
        incoming = positive(net)
        if not incoming.num_rows:
            return
        names = [c.schema.columns[self._at(c, i)].name for i in c.key]
        for column, name in zip(columns, names, strict=True):
            if incoming.column(column).null_count:
                raise KeyViolation(f"table {c.name!r}: key column {name!r} is NULL in a new row; give every row a key")
        # what is more than it was, by key: one that takes the place of another is not
        more = consolidate(net.select([*columns, "_w"]).rename_columns([*names, "_w"]))
        more = more.filter(pc.greater(more.column("_w"), 0))
        twice = more.filter(pc.greater(more.column("_w"), 1))
        for first in range(0, more.num_rows, KEYS_AT_ONCE):
            if twice.num_rows:
                break
            twice = matching(self, c, more.slice(first, KEYS_AT_ONCE), names, columns=names, before=True)
        if twice.num_rows:
            shown = ", ".join(f"{n}={twice.column(n)[0].as_py()!r}" for n in names)
            others = f" (and {twice.num_rows - 1} more)" if twice.num_rows > 1 else ""
            advice = "use merge to replace rows, or delete the old ones first"
            raise KeyViolation(f"table {c.name!r}: the key {shown}{others} would be there twice; {advice}")


def _count(z: pa.Table) -> int:
    return int(pc.sum(z.column("_w")).as_py() or 0)


def _at_most(found: pa.Table, asked: pa.Table) -> pa.Table:
    """Rows found, each at most as often as asked for."""
    from belvedere.changes.zset import add

    # min(f, a) = f − max(f − a, 0), row by row
    surplus = positive(consolidate(add(found, negate(asked))))
    return consolidate(add(found, negate(surplus)))
