"""Schema changes inside a transaction. All are metadata: columns keep their ids, so no row is rewritten."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from belvedere.algebra.types import Column, DataType, Schema, Void, parse_schema, parse_type
from belvedere.errors import BelvedereError, TypeMismatch, UnknownName, suggest
from belvedere.store.model import Collection
from belvedere.warehouse.tables import check_column, check_name, new_table

if TYPE_CHECKING:
    from belvedere.store.commit import Commit
    from belvedere.warehouse.registry import Registry
    from belvedere.warehouse.resolve import Overlay


class SchemaChanges:
    """The part of a transaction that changes tables and columns."""

    registry: Registry
    commit: Commit
    overlay: Overlay

    def _open(self) -> None:
        raise AssertionError("the transaction says")

    def add_relation(self, name: str, schema: str | Schema, *, key: Any = None) -> None:
        """Make a table."""
        self._open()
        new_table(
            self.registry, self.commit, self.overlay, name, parse_schema(schema) if isinstance(schema, str) else schema, key
        )

    def drop_relation(self, name: str) -> None:
        """Drop a table. Views that read it become invalid, with the reason."""
        self._open()
        c = self._changeable(name)
        self.commit.drop_collection(c.name)
        self.overlay.collections.pop(c.name, None)
        self.overlay.tables.pop(c.name, None)
        self.overlay.dropped.add(c.name)

    def rename_relation(self, name: str, new: str) -> None:
        """Rename a table; views that read it follow."""
        self._open()
        c = self._changeable(name)
        if new.lower() != c.name.lower():
            check_name(self.registry, new, "table")
        self._altered(c, self.commit.alter_collection(replace(c, name=new)))

    def add_attribute(self, table: str, name: str, type: str | DataType) -> None:
        """Add a column; it is NULL in the rows that are there."""
        self._open()
        c = self._changeable(table)
        self._free(c, name)
        t = parse_type(type) if isinstance(type, str) else type
        if t.contains(Void):
            raise TypeMismatch(f"column {name!r} has no type (void); give it one")
        self._altered(c, self.commit.alter_collection(replace(c, schema=Schema((*c.schema.columns, Column(name, t))))))

    def drop_attribute(self, table: str, name: str) -> None:
        """Drop a column. Views that use it become invalid, with the reason."""
        self._open()
        c = self._changeable(table)
        column = self._column(c, name)
        if column.id in c.key:
            raise BelvedereError(f"{column.name!r} is part of the key of table {c.name!r} and cannot be dropped")
        if len(c.schema) == 1:
            raise BelvedereError(f"{column.name!r} is the only column of table {c.name!r}; drop the table instead")
        left = Schema(tuple(x for x in c.schema if x.id != column.id))
        sort = tuple(i for i in c.sort if i != column.id)
        orders = tuple(a for a in c.arrangements if column.id not in a)
        self._altered(c, self.commit.alter_collection(replace(c, schema=left, sort=sort, arrangements=orders)))

    def rename_attribute(self, table: str, name: str, new: str) -> None:
        """Rename a column; views that use it follow."""
        self._open()
        c = self._changeable(table)
        column = self._column(c, name)
        if new.lower() != column.name.lower():
            self._free(c, new)
        renamed = Schema(tuple(Column(new, x.type, x.id) if x.id == column.id else x for x in c.schema))
        self._altered(c, self.commit.alter_collection(replace(c, schema=renamed)))

    def _changeable(self, name: str) -> Collection:
        found = self.registry.table(name)
        self._direct(found)
        return found

    def _direct(self, c: Collection) -> None:
        raise AssertionError("the transaction says")

    def _altered(self, old: Collection, new: Collection) -> None:
        overlay = self.overlay
        if old.name != new.name:
            overlay.collections.pop(old.name, None)
            overlay.dropped.add(old.name)
            overlay.dropped.discard(new.name)
            if old.name in overlay.tables:
                overlay.tables[new.name] = overlay.tables.pop(old.name)
            self._renamed(old.name, new.name)
        overlay.collections[new.name] = new

    def _renamed(self, old: str, new: str) -> None:
        raise AssertionError("the transaction says")

    @staticmethod
    def _column(c: Collection, name: str) -> Column:
        for x in c.schema:
            if x.name == name:
                return x
        for x in c.schema:
            if x.name.lower() == name.lower():
                return x
        raise UnknownName(f"table {c.name!r} has no column {name!r}{suggest(name, list(c.schema.names))}")

    @staticmethod
    def _free(c: Collection, name: str) -> None:
        check_column(f"table {c.name!r}", name)
        if any(x.name.lower() == name.lower() for x in c.schema):
            raise BelvedereError(f"table {c.name!r} has a column {name!r} already")
