"""The rows of the catalog that make an Iceberg table visible. No pyiceberg here: a commit without Iceberg never loads it.

The pointer of a table is moved by compare-and-swap inside the transaction of the epoch or of the compaction it belongs to,
so an Iceberg reader sees that state exactly when everybody else does.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

from belvedere.errors import Conflict
from belvedere.store.catalog import Catalog, Writer
from belvedere.store.model import Collection
from belvedere.store.tables import ICEBERG_CATALOG

MAX_NAME = 255


@dataclass(frozen=True)
class TableState:
    """Where an Iceberg table of ours stands."""

    owner: str
    namespace: str
    table_name: str
    table_uuid: str
    sequence: int
    epoch: int
    location: str


@dataclass(frozen=True)
class StagedTable:
    """The next state of a table, whose metadata files are on disk and pointed at by nothing."""

    owner: str
    namespace: str
    table_name: str
    collection: int | None
    table_uuid: str
    sequence: int
    location: str
    previous: str | None
    meta: tuple[str, ...]
    data: tuple[tuple[str, int, int], ...]  # path, rows, bytes of the data files it adds
    removed: tuple[str, ...] | None  # data files it no longer needs; None: all earlier ones

    @property
    def new_files(self) -> set[str]:
        return {*self.meta, *(path for path, _, _ in self.data)}


def table_name(name: str) -> str:
    """A name as an Iceberg catalog can hold it: at most 255 characters, long ones told apart by a digest."""
    if len(name) <= MAX_NAME:
        return name
    return f"{name[:200]}~{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def table_state(catalog: Catalog, owner: str) -> TableState | None:
    rows = catalog.rows(
        "SELECT owner, namespace, table_name, table_uuid, sequence, epoch, location FROM bv_iceberg WHERE owner = :owner",
        owner=owner,
    )
    return TableState(*rows[0]) if rows else None


def current_files(catalog: Catalog, owner: str, root: str) -> list[tuple[str, int]]:
    """The data files of a table with their row counts."""
    rows = catalog.rows(
        "SELECT path, rows FROM bv_files WHERE owner = :owner AND role = 'data' AND epoch_to IS NULL ORDER BY path", owner=owner
    )
    return [(os.path.join(root, path), count) for path, count in rows]


def write_table_row(tx: Writer, epoch: int, table: StagedTable, root: str) -> None:
    """Point the table at its staged metadata, and keep account of the files that come and go."""
    where = "catalog_name = :catalog AND table_namespace = :namespace AND table_name = :name"
    key = {"catalog": ICEBERG_CATALOG, "namespace": table.namespace, "name": table.table_name}
    if table.previous is None:
        if tx.rows(f"SELECT 1 FROM iceberg_tables WHERE {where}", **key):
            raise Conflict(
                f"the Iceberg table {table.namespace}.{table.table_name} was made by another program; drop it there first"
            )
        tx.run(
            """INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location,
               previous_metadata_location, iceberg_type) VALUES (:catalog, :namespace, :name, :location, NULL, 'TABLE')""",
            location=table.location,
            **key,
        )
        tx.run(
            """INSERT INTO bv_iceberg (owner, namespace, table_name, collection, table_uuid, sequence, epoch, location)
               VALUES (:owner, :namespace, :name, :collection, :uuid, :sequence, :epoch, :location)""",
            owner=table.owner, namespace=table.namespace, name=table.table_name, collection=table.collection,
            uuid=table.table_uuid, sequence=table.sequence, epoch=epoch, location=table.location,
        )  # fmt: skip
    else:
        moved = tx.run(
            f"""UPDATE iceberg_tables SET metadata_location = :location, previous_metadata_location = :previous
                WHERE {where} AND metadata_location = :previous""",
            location=table.location,
            previous=table.previous,
            **key,
        )
        if moved != 1:
            raise Conflict(
                f"the Iceberg table {table.namespace}.{table.table_name} was changed by another program; drop it there first"
            )
        tx.run(
            "UPDATE bv_iceberg SET sequence = :sequence, epoch = :epoch, location = :location WHERE owner = :owner",
            sequence=table.sequence,
            epoch=epoch,
            location=table.location,
            owner=table.owner,
        )
    _account(tx, epoch, table, root)


def _account(tx: Writer, epoch: int, table: StagedTable, root: str) -> None:
    end = "UPDATE bv_files SET epoch_to = :epoch WHERE owner = :owner AND epoch_to IS NULL"
    tx.run(f"{end} AND role = 'meta'", epoch=epoch, owner=table.owner)
    if table.removed is None:
        tx.run(end, epoch=epoch, owner=table.owner)
    else:
        gone = [{"epoch": epoch, "owner": table.owner, "path": os.path.relpath(p, root)} for p in table.removed]
        tx.many(f"{end} AND path = :path", gone)
    files = [(p, "meta", 0, os.path.getsize(p)) for p in table.meta] + [(p, "data", rows, size) for p, rows, size in table.data]
    tx.many(
        """INSERT INTO bv_files (owner, path, role, rows, bytes, epoch_from, epoch_to)
           VALUES (:owner, :path, :role, :rows, :bytes, :epoch, NULL)""",
        [
            {"owner": table.owner, "path": os.path.relpath(p, root), "role": role, "rows": rows, "bytes": size, "epoch": epoch}
            for p, role, rows, size in files
        ],
    )


def drop_table(tx: Writer, epoch: int, owner: str) -> None:
    """The table is gone with this epoch; its files follow when the epoch before is beyond the retention."""
    for namespace, name in tx.rows("SELECT namespace, table_name FROM bv_iceberg WHERE owner = :owner", owner=owner):
        tx.run(
            "DELETE FROM iceberg_tables WHERE catalog_name = :catalog AND table_namespace = :namespace AND table_name = :name",
            catalog=ICEBERG_CATALOG,
            namespace=namespace,
            name=name,
        )
        tx.run("DELETE FROM bv_iceberg WHERE owner = :owner", owner=owner)
        tx.run("UPDATE bv_files SET epoch_to = :epoch WHERE owner = :owner AND epoch_to IS NULL", epoch=epoch, owner=owner)


def rename_tables(tx: Writer, renamed: list[Collection]) -> None:
    """Let Iceberg tables follow their collections, by way of interim names so that two can swap theirs."""
    for final in (False, True):
        for c in renamed:
            for [old] in tx.rows("SELECT table_name FROM bv_iceberg WHERE owner = :owner", owner=f"belvedere.{c.id}"):
                values = {"old": old, "new": table_name(c.name) if final else f"~{c.id}"}
                tx.run(
                    """UPDATE iceberg_tables SET table_name = :new WHERE catalog_name = :catalog AND table_namespace = 'belvedere'
                       AND table_name = :old""",
                    catalog=ICEBERG_CATALOG,
                    **values,
                )
                tx.run(
                    "UPDATE bv_iceberg SET table_name = :new WHERE owner = :owner", new=values["new"], owner=f"belvedere.{c.id}"
                )
