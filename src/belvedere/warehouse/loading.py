"""Loading tables from files and data frames."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from belvedere.algebra.types import Column, Schema
from belvedere.changes.files import read_file
from belvedere.changes.rows import infer_schema
from belvedere.objects.types import data_type
from belvedere.warehouse.sources.mirrors import refuse_mirror

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse


def load(warehouse: Warehouse, name: str, data: Any, key: str | Iterable[str] | None) -> int:
    """Rows go into the table as one epoch; the table is made in the same one if there is none."""
    if (cls := _class(warehouse, name)) is not None:
        return _load_objects(warehouse, cls, data)
    if _is_spark(data):
        return _load_spark(warehouse, name, data, key)
    exists = warehouse.registry.taken(name) is not None
    schema = warehouse.registry.table(name).schema if exists else None
    if isinstance(data, (str, os.PathLike)):
        data = read_file(os.fspath(data), schema, what=f"table {name}")
    with warehouse.transaction() as tx:
        if not exists:
            found = infer_schema(data)
            tx.create_table(name, found, key=key)
        return tx.insert(name, data)


def _class(warehouse: Warehouse, name: str) -> str | None:
    """The class whose table or extent has this name."""
    found = [c for c in warehouse.registry.objects().classes.values() if c.table.lower() == name.lower()]
    return found[0].name if found else None


def _load_objects(warehouse: Warehouse, cls: str, data: Any) -> int:
    """Rows become objects; references are given as oids."""
    if isinstance(data, (str, os.PathLike)):
        columns = Schema(tuple(Column(p.name, data_type(p.type)) for p in warehouse.registry.objects().properties(cls)))
        data = read_file(os.fspath(data), columns, what=f"class {cls}")
    with warehouse.transaction() as tx:
        return len(tx.new_many(cls, data))


def _is_spark(data: Any) -> bool:
    return hasattr(data, "sparkSession") and hasattr(data, "toArrow")


def _load_spark(warehouse: Warehouse, name: str, df: Any, key: str | Iterable[str] | None) -> int:
    """Spark writes the run itself; nothing passes through the driver. Keys are checked afterwards, before it is visible."""
    registry, core = warehouse.registry, warehouse.core
    spark = core.spark
    found = spark.schema_of(df)
    with warehouse.transaction() as tx:
        if registry.taken(name) is None:
            tx.create_table(name, found, key=key)
        c = tx.registry.table(name)
        refuse_mirror(c)
        paths = spark.write_frame(df, c, tx.commit.directory())
        runs = tx.commit.adopt(c, paths, arrangement=c.sort)
        tx.overlay.files.setdefault(c.name, []).extend(runs)
        tx.check_whole_key(c)
        return sum(r.rows for r in runs)
