"""Iceberg snapshots of what the store holds, staged as files that nothing points at until the catalog says so.

A table has one snapshot and one manifest: earlier states are read through epochs, so a chain of snapshots would only
keep files alive and make planning slower with every commit. Superseded metadata stays on disk for as long as the epoch it
belonged to can be read, so a reader in the middle of a scan is not cut off.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
from pyiceberg.conversions import to_bytes
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestEntry,
    ManifestEntryStatus,
    write_manifest,
    write_manifest_list,
)
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.schema import Schema as IcebergSchema
from pyiceberg.serializers import FromInputFile, ToOutputFile
from pyiceberg.table.metadata import TableMetadata, TableMetadataV2
from pyiceberg.table.name_mapping import create_mapping_from_schema
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER
from pyiceberg.typedef import Record
from pyiceberg.types import BooleanType, DateType, IcebergType, IntegerType, LongType, PrimitiveType, StringType

from belvedere.errors import StoreError
from belvedere.store.changeset import PlainTable
from belvedere.store.faults import point
from belvedere.store.iceberg_log import StagedTable, TableState, current_files, table_name, table_state
from belvedere.store.iceberg_schema import iceberg_schema
from belvedere.store.model import Collection, Run
from belvedere.store.physical import WEIGHT, WEIGHT_ID, numbered, physical_name

if TYPE_CHECKING:
    from belvedere.store.store import Store

_MAX_TEXT = 64


def stage_collection(
    store: Store, collection: Collection, runs: Sequence[Run], state: TableState | None, directory: str
) -> StagedTable:
    """The whole content of a collection, weights included, as the one snapshot of `belvedere.<name>`."""
    schema = iceberg_schema(collection.schema, 0, weight=True)
    columns = {physical_name(f.field_id): f.field_id for f in schema.fields if f.field_id != WEIGHT_ID} | {WEIGHT: WEIGHT_ID}
    files = [_data_file(r.path, schema, columns) for r in runs]
    owner = f"belvedere.{collection.id}"
    name = state.table_name if state else table_name(collection.name)
    data = tuple((r.path, r.rows, r.bytes) for r in runs)
    return _stage(store, directory, owner, "belvedere", name, collection.id, state, schema, [], files, data, None)


def stage_plain(store: Store, table: PlainTable, directory: str) -> StagedTable:
    """The next state of a published table: the files it has, less those removed, and the new ones."""
    owner = f"published.{table.name}"
    state = table_state(store.catalog, owner)
    schema = iceberg_schema(numbered(table.schema), 0, weight=False)
    columns = {f.name: f.field_id for f in schema.fields}
    current = {path for path, _ in current_files(store.catalog, owner, store.path)}
    unknown = [f for f in table.remove if f not in current]
    if unknown:
        raise StoreError(f"{unknown[0]} is not a file of the published table {table.name!r}")
    # where nothing is kept, nobody asks what was there: paths in Iceberg's metadata are those of the place it was written at
    before, entries = _current(state.location) if state and current.difference(table.remove) else (schema, [])
    kept = [e for e in entries if e.data_file.file_path not in set(table.remove)]
    if kept and before.as_struct() != schema.as_struct():
        raise StoreError(
            f"the columns of the published table {table.name!r} have changed; remove all its files and add them anew"
        )
    files = [_data_file(f, schema, columns) for f in table.add]
    data = tuple((f.file_path, f.record_count, f.file_size_in_bytes) for f in files)
    name = table_name(table.name)
    return _stage(store, directory, owner, "published", name, None, state, schema, kept, files, data, table.remove)


def _current(location: str) -> tuple[IcebergSchema, list[ManifestEntry]]:
    """The columns and the live files of the table's one snapshot."""
    io = PyArrowFileIO()
    metadata = FromInputFile.table_metadata(io.new_input(location))
    snapshot = metadata.current_snapshot()
    manifests = snapshot.manifests(io) if snapshot else []
    return metadata.schema(), [entry for manifest in manifests for entry in manifest.fetch_manifest_entry(io)]


def _stage(
    store: Store,
    directory: str,
    owner: str,
    namespace: str,
    name: str,
    collection: int | None,
    state: TableState | None,
    schema: IcebergSchema,
    kept: list[ManifestEntry],
    added: list[DataFile],
    data: tuple[tuple[str, int, int], ...],
    removed: tuple[str, ...] | None,
) -> StagedTable:
    """Write manifest, manifest list and metadata file into the directory of the transaction."""
    sequence = state.sequence + 1 if state else 1
    table_uuid = state.table_uuid if state else str(uuid.uuid4())
    snapshot_id = uuid.uuid4().int >> 66
    stem = os.path.join(directory, f"{uuid.uuid4().hex[:12]}")
    meta = [f"{stem}.metadata.json", f"{stem}.snapshot.avro"]
    io = PyArrowFileIO()
    manifests = []
    if kept or added:
        meta.append(f"{stem}.manifest.avro")
        with write_manifest(2, UNPARTITIONED_PARTITION_SPEC, schema, io.new_output(meta[2]), snapshot_id, "deflate") as writer:
            for entry in kept:
                writer.existing(entry)
            for file in added:
                writer.add(ManifestEntry.from_args(status=ManifestEntryStatus.ADDED, snapshot_id=snapshot_id, data_file=file))
        manifests.append(writer.to_manifest_file())
    with write_manifest_list(2, io.new_output(meta[1]), snapshot_id, None, sequence, "deflate") as listing:
        listing.add_manifests(manifests)
    rows = sum(e.data_file.record_count for e in kept) + sum(f.record_count for f in added)
    snapshot = _snapshot(snapshot_id, sequence, meta[1], len(kept) + len(added), rows)
    location = os.path.join(store.path, "data")
    ToOutputFile.table_metadata(_metadata(location, table_uuid, sequence, schema, snapshot, namespace), io.new_output(meta[0]))
    point("iceberg.metadata")
    previous = state.location if state else None
    return StagedTable(owner, namespace, name, collection, table_uuid, sequence, meta[0], previous, tuple(meta), data, removed)


def _snapshot(snapshot_id: int, sequence: int, manifest_list: str, files: int, rows: int) -> dict[str, Any]:
    return {
        "snapshot-id": snapshot_id,
        "sequence-number": sequence,
        "timestamp-ms": int(time.time() * 1000),
        "manifest-list": manifest_list,
        "summary": {
            "operation": "overwrite",
            "total-data-files": str(files),
            "total-records": str(rows),
            "total-delete-files": "0",
        },
        "schema-id": 0,
    }


def _metadata(
    location: str, table_uuid: str, sequence: int, schema: IcebergSchema, snapshot: dict[str, Any], namespace: str
) -> TableMetadata:
    """Metadata from scratch. The name mapping lets files be read that an engine wrote without field ids."""
    mapping = create_mapping_from_schema(schema).model_dump_json()
    if namespace == "belvedere":
        mapping = _physical_mapping(schema)
    return TableMetadataV2.model_validate(
        {
            "format-version": 2,
            "location": location,
            "table-uuid": table_uuid,
            "last-updated-ms": snapshot["timestamp-ms"],
            "last-column-id": schema.highest_field_id,
            "schemas": [schema],
            "current-schema-id": 0,
            "partition-specs": [UNPARTITIONED_PARTITION_SPEC],
            "default-spec-id": 0,
            "last-partition-id": 999,
            "sort-orders": [UNSORTED_SORT_ORDER],
            "default-sort-order-id": 0,
            "properties": {"schema.name-mapping.default": mapping},
            "last-sequence-number": sequence,
            "snapshots": [snapshot],
            "current-snapshot-id": snapshot["snapshot-id"],
            "refs": {"main": {"snapshot-id": snapshot["snapshot-id"], "type": "branch"}},
        }
    )


def _physical_mapping(schema: IcebergSchema) -> str:
    """The mapping for our own files, whose columns are called c<id>; nested names are as in the schema."""
    renamed = IcebergSchema(*[f.model_copy(update={"name": _physical(f.field_id)}) for f in schema.fields], schema_id=0)
    return create_mapping_from_schema(renamed).model_dump_json()


def _physical(field_id: int) -> str:
    return WEIGHT if field_id == WEIGHT_ID else physical_name(field_id)


def _data_file(path: str, schema: IcebergSchema, columns: dict[str, int]) -> DataFile:
    """A data file with the counts and bounds that its footer gives for top-level columns."""
    meta = pq.read_metadata(path)
    arguments: dict[str, Any] = {
        "content": DataFileContent.DATA, "file_path": path, "file_format": FileFormat.PARQUET, "partition": Record(),
        "record_count": meta.num_rows, "file_size_in_bytes": os.path.getsize(path), "split_offsets": None, "sort_order_id": None,
        "spec_id": 0, "equality_ids": None, "key_metadata": None, "nan_value_counts": {},
    }  # fmt: skip
    return DataFile.from_args(2, **arguments, **_metrics(meta, schema, columns))


def _metrics(meta: pq.FileMetaData, schema: IcebergSchema, columns: dict[str, int]) -> dict[str, dict[int, Any]]:
    sizes: dict[int, int] = {}
    counts: dict[int, int] = {}
    nulls: dict[int, int] = {}
    bounds: dict[int, tuple[Any, Any]] = {}
    unknown: set[int] = set()
    for g in range(meta.num_row_groups):
        group = meta.row_group(g)
        for i in range(meta.num_columns):
            chunk = group.column(i)
            number = columns.get(chunk.path_in_schema)
            if number is None:
                continue
            sizes[number] = sizes.get(number, 0) + chunk.total_compressed_size
            counts[number] = counts.get(number, 0) + chunk.num_values
            s = chunk.statistics if chunk.is_stats_set else None
            if s is None or not s.has_null_count:
                unknown.add(number)
                continue
            nulls[number] = nulls.get(number, 0) + s.null_count
            if s.has_min_max:
                low, high = bounds.get(number, (s.min, s.max))
                bounds[number] = (min(low, s.min), max(high, s.max))
            elif s.null_count < group.num_rows:
                unknown.add(number)
    types = {f.field_id: f.field_type for f in schema.fields}
    known = {n: b for n, b in bounds.items() if n not in unknown and _bounded(types[n], b)}
    return {
        "column_sizes": sizes,
        "value_counts": counts,
        "null_value_counts": {n: c for n, c in nulls.items() if n not in unknown},
        "lower_bounds": {n: _bytes(types[n], low) for n, (low, _) in known.items()},
        "upper_bounds": {n: _bytes(types[n], high) for n, (_, high) in known.items()},
    }


def _bytes(kind: IcebergType, value: Any) -> bytes:
    assert isinstance(kind, PrimitiveType)
    return to_bytes(kind, value)


def _bounded(kind: IcebergType, bounds: tuple[Any, Any]) -> bool:
    """Bounds are given for types whose footer statistics are exact and plain, which is what filters ask for most."""
    if isinstance(kind, StringType):
        return all(isinstance(b, str) and len(b) <= _MAX_TEXT for b in bounds)
    return isinstance(kind, (BooleanType, IntegerType, LongType, DateType))
