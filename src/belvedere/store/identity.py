"""Is this directory a warehouse of ours, and is this its catalog? Answered before anything is written.

`belvedere.json` in the directory and `bv_meta` in the catalog carry the same warehouse id, so that a directory cannot be
opened with the catalog of another one.
"""

from __future__ import annotations

import json
import os
import sqlite3
import uuid
from pathlib import Path
from typing import Any

from belvedere.errors import StoreError
from belvedere.store.catalog import Catalog, Writer, postgres_url, sqlite_url
from belvedere.store.faults import point
from belvedere.store.staging import locked_directory
from belvedere.store.tables import DDL, FORMAT_VERSION, ICEBERG_CATALOG, ICEBERG_DDL, NAMESPACES, ROWS_DDL

IDENTITY = "belvedere.json"
_OURS = {IDENTITY, IDENTITY + ".new", "catalog.db", "catalog.db-wal", "catalog.db-shm", "catalog.db-journal", "data", "staging"}


def open_catalog(path: str, catalog: str | None, *, create: bool) -> Catalog:
    """The catalog of the warehouse at `path`, made first if there is none and `create` allows it."""
    _check_directory(path, create)
    identity = _read_identity(path)
    _check_place(path, identity, catalog)
    if catalog is None:
        _check_sqlite_file(os.path.join(path, "catalog.db"))
    url = sqlite_url(path) if catalog is None else postgres_url(catalog)
    if identity is not None:
        found = Catalog(url)
        try:
            _upgrade(found, _check_meta(found, identity["warehouse"]))
        except BaseException:
            found.close()
            raise
        return found
    if not create:
        raise StoreError(f"there is no warehouse at {path}; create one with create=True or `belvedere init`")
    os.makedirs(path, exist_ok=True)
    point("create.directory")
    with locked_directory(path):
        return _create(path, Catalog(url), "sqlite" if catalog is None else "postgresql")


def _check_directory(path: str, create: bool) -> None:
    if os.path.exists(path) and not os.path.isdir(path):
        raise StoreError(f"{path} is a file; a warehouse is a directory")
    if not os.path.exists(path):
        if not create:
            raise StoreError(f"there is no warehouse at {path}; create one with create=True or `belvedere init`")
        return
    entries = set(os.listdir(path))
    if entries and not entries & {IDENTITY, "catalog.db"} and not entries <= _OURS:
        shown = ", ".join(sorted(entries - _OURS)[:3])
        raise StoreError(f"{path} is not empty and no warehouse (it holds {shown}); choose an empty or a new directory")


def _check_sqlite_file(file: str) -> None:
    """Look at catalog.db without changing a byte of it. Where nobody has it open, SQLite is told to make no side files."""
    if not os.path.exists(file) or os.path.getsize(file) == 0:
        return
    mode = "mode=ro" if os.path.exists(file + "-wal") else "mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(f"{Path(file).absolute().as_uri()}?{mode}", uri=True)
        try:
            names = {r[0] for r in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            meta = dict(connection.execute("SELECT name, value FROM bv_meta")) if "bv_meta" in names else {}
        finally:
            connection.close()
    except sqlite3.DatabaseError as e:
        raise StoreError(f"{file} is no catalog of a warehouse ({e}); choose another directory") from e
    if names and not meta:
        raise StoreError(f"{file} was made by something else (it has the table {min(names)!r}); choose another directory")
    if meta:
        _check_version(meta)


def _check_version(meta: dict[str, str]) -> None:
    version = meta.get("format_version", "")
    if meta.get("application") != "belvedere" or not version.isdigit():
        raise StoreError("the catalog was made by something else; choose another directory or database")
    if int(version) > FORMAT_VERSION:
        raise StoreError(
            f"the warehouse has format {version}, made by a newer Belvedere; this one knows format {FORMAT_VERSION}. Upgrade"
        )


def _read_identity(path: str) -> dict[str, Any] | None:
    try:
        with open(os.path.join(path, IDENTITY), encoding="utf-8") as file:
            identity = json.load(file)
        _check_version({k: str(v) for k, v in identity.items()})
    except FileNotFoundError:
        return None
    except (ValueError, AttributeError) as e:
        raise StoreError(f"{IDENTITY} in {path} cannot be read ({e}); restore it from a backup") from e
    return identity if isinstance(identity, dict) else None


def _check_place(path: str, identity: dict[str, Any] | None, catalog: str | None) -> None:
    if identity is None:
        return
    place = identity.get("catalog")
    if place == "postgresql" and catalog is None:
        raise StoreError(f"the warehouse at {path} has its catalog in PostgreSQL; open it with catalog='postgresql://…'")
    if place == "sqlite" and catalog is not None:
        raise StoreError(f"the warehouse at {path} has its own catalog; open it without catalog=…")
    if place == "sqlite" and not os.path.exists(os.path.join(path, "catalog.db")):
        raise StoreError(f"the warehouse at {path} has lost its catalog.db; restore it from a backup")


def _check_meta(catalog: Catalog, warehouse: str) -> dict[str, str]:
    if "bv_meta" not in catalog.table_names():
        raise StoreError(f"the database {catalog.describe()} holds no catalog of this warehouse; check the catalog URL")
    meta = {r[0]: r[1] for r in catalog.rows("SELECT name, value FROM bv_meta")}
    _check_version(meta)
    if meta.get("warehouse") != warehouse:
        raise StoreError(f"the database {catalog.describe()} is the catalog of another warehouse; use a database of its own")
    return meta


def _upgrade(catalog: Catalog, meta: dict[str, str]) -> None:
    """Add what a warehouse of an older format lacks. From then on an older Belvedere refuses it."""
    if int(meta["format_version"]) >= FORMAT_VERSION:
        return
    with catalog.setup() as tx:
        [[version]] = tx.rows("SELECT value FROM bv_meta WHERE name = 'format_version'")
        if int(version) < 2:  # nobody was faster
            tx.run(ROWS_DDL)
            tx.run("UPDATE bv_meta SET value = '2' WHERE name = 'format_version'")


def _create(path: str, catalog: Catalog, place: str) -> Catalog:
    """Make the catalog, then the identity file. Killed in between, the next open finishes the work."""
    try:
        already = _read_identity(path)
        if already is not None:  # another process was faster
            _check_place(path, already, None if place == "sqlite" else "postgresql")
            _check_meta(catalog, already["warehouse"])
            return catalog
        names = catalog.table_names()
        if "bv_meta" in names:
            meta = {r[0]: r[1] for r in catalog.rows("SELECT name, value FROM bv_meta")}
            _check_version(meta)
            if meta.get("path") != path:
                raise StoreError(
                    f"the database {catalog.describe()} is the catalog of another warehouse; use a database of its own"
                )
            warehouse = meta["warehouse"]
        elif any(n.startswith("bv_") for n in names):
            raise StoreError(
                f"the database {catalog.describe()} has tables of something else that are called bv_…; use another one"
            )
        else:
            warehouse = uuid.uuid4().hex
            with catalog.setup() as tx:
                _make_tables(tx, warehouse, path)
        point("create.catalog")
        for name in ("data", "staging"):
            os.makedirs(os.path.join(path, name), exist_ok=True)
        identity = {"application": "belvedere", "format_version": FORMAT_VERSION, "warehouse": warehouse, "catalog": place}
        with open(os.path.join(path, IDENTITY + ".new"), "w", encoding="utf-8") as file:
            json.dump(identity, file)
        os.replace(os.path.join(path, IDENTITY + ".new"), os.path.join(path, IDENTITY))
    except BaseException:
        catalog.close()
        raise
    return catalog


def _make_tables(tx: Writer, warehouse: str, path: str) -> None:
    for ddl in (*DDL, *ICEBERG_DDL):
        tx.run(ddl)
    meta = {"application": "belvedere", "format_version": str(FORMAT_VERSION), "warehouse": warehouse, "path": path}
    tx.many("INSERT INTO bv_meta (name, value) VALUES (:name, :value)", [{"name": k, "value": v} for k, v in meta.items()])
    tx.run("INSERT INTO bv_head (id, epoch, horizon, next_run, next_collection) VALUES (1, 0, 0, 1, 1)")
    tx.many(
        """INSERT INTO iceberg_namespace_properties (catalog_name, namespace, property_key, property_value)
           VALUES (:catalog, :namespace, 'exists', 'true') ON CONFLICT DO NOTHING""",
        [{"catalog": ICEBERG_CATALOG, "namespace": n} for n in NAMESPACES],
    )
