"""The tables of the catalog database, in SQL that SQLite and PostgreSQL both read.

Everything that changes over time carries `epoch_from` and `epoch_to`; a row counts at an epoch e when
`epoch_from <= e < epoch_to`, and an `epoch_to` of NULL means: until further notice.
"""

from __future__ import annotations

FORMAT_VERSION = 2
"""2: runs of a few rows are in the catalog (`bv_rows`)."""
ICEBERG_CATALOG = "belvedere"
NAMESPACES = ("belvedere", "published")

# the rows of small runs, by the path that the run log has for them (SQLite keeps them as the blobs that they are)
ROWS_DDL = "CREATE TABLE bv_rows (path TEXT PRIMARY KEY, body BYTEA NOT NULL)"

DDL: tuple[str, ...] = (
    # who made this catalog, in which format, for which warehouse directory
    "CREATE TABLE bv_meta (name VARCHAR(64) PRIMARY KEY, value TEXT NOT NULL)",
    # one row: the last epoch, the oldest epoch that can still be read, and the next free numbers
    """CREATE TABLE bv_head (id INTEGER PRIMARY KEY, epoch BIGINT NOT NULL, horizon BIGINT NOT NULL,
       next_run BIGINT NOT NULL, next_collection BIGINT NOT NULL)""",
    "CREATE TABLE bv_epochs (epoch BIGINT PRIMARY KEY, token VARCHAR(64) NOT NULL, published_at VARCHAR(40) NOT NULL)",
    # what each epoch wrote, for the conflict test
    "CREATE TABLE bv_touched (epoch BIGINT NOT NULL, item TEXT NOT NULL, PRIMARY KEY (epoch, item))",
    """CREATE TABLE bv_collections (id BIGINT NOT NULL, name TEXT NOT NULL, kind VARCHAR(16) NOT NULL, body TEXT NOT NULL,
       epoch_from BIGINT NOT NULL, epoch_to BIGINT, PRIMARY KEY (id, epoch_from))""",
    "CREATE INDEX bv_collections_name ON bv_collections (epoch_to, name)",
    # the run log
    """CREATE TABLE bv_runs (id BIGINT PRIMARY KEY, collection BIGINT NOT NULL, grp BIGINT NOT NULL, path TEXT NOT NULL,
       rows BIGINT NOT NULL, deletes BIGINT NOT NULL, bytes BIGINT NOT NULL, epoch_from BIGINT NOT NULL, epoch_to BIGINT,
       delta INTEGER NOT NULL, arrangement TEXT, stats TEXT NOT NULL)""",
    "CREATE INDEX bv_runs_live ON bv_runs (collection, epoch_to)",
    "CREATE INDEX bv_runs_delta ON bv_runs (collection, delta, epoch_from)",
    "CREATE INDEX bv_runs_ended ON bv_runs (epoch_to)",
    "CREATE INDEX bv_runs_path ON bv_runs (path)",
    ROWS_DDL,
    # epochs at which a collection's content was replaced, so that deltas cannot be summed across them
    "CREATE TABLE bv_resets (collection BIGINT NOT NULL, epoch BIGINT NOT NULL, PRIMARY KEY (collection, epoch))",
    """CREATE TABLE bv_docs (kind VARCHAR(64) NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, epoch_from BIGINT NOT NULL,
       epoch_to BIGINT, PRIMARY KEY (kind, name, epoch_from))""",
    "CREATE INDEX bv_docs_live ON bv_docs (kind, epoch_to)",
    "CREATE INDEX bv_docs_ended ON bv_docs (epoch_to)",
    """CREATE TABLE bv_history (epoch BIGINT NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL,
       PRIMARY KEY (epoch, place))""",
    "CREATE INDEX bv_history_name ON bv_history (name, epoch)",
    # files that are no runs: Iceberg metadata, the data of published tables, and what an Iceberg snapshot still needs
    """CREATE TABLE bv_files (owner TEXT NOT NULL, path TEXT NOT NULL, role VARCHAR(8) NOT NULL, rows BIGINT NOT NULL,
       bytes BIGINT NOT NULL, epoch_from BIGINT NOT NULL, epoch_to BIGINT, PRIMARY KEY (owner, path))""",
    "CREATE INDEX bv_files_ended ON bv_files (epoch_to)",
    "CREATE INDEX bv_files_path ON bv_files (path)",
    """CREATE TABLE bv_iceberg (owner TEXT PRIMARY KEY, namespace VARCHAR(64) NOT NULL, table_name VARCHAR(255) NOT NULL,
       collection BIGINT, table_uuid VARCHAR(40) NOT NULL, sequence BIGINT NOT NULL, epoch BIGINT NOT NULL,
       location TEXT NOT NULL)""",
    # files that nothing reads any more and that are still to be unlinked
    "CREATE TABLE bv_garbage (path TEXT PRIMARY KEY)",
)

# The tables of Iceberg's own SQL catalogs (Java's JdbcCatalog, pyiceberg's SqlCatalog), so that those open this database.
ICEBERG_DDL: tuple[str, ...] = (
    """CREATE TABLE IF NOT EXISTS iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL,
       table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000),
       iceberg_type VARCHAR(5), PRIMARY KEY (catalog_name, table_namespace, table_name))""",
    """CREATE TABLE IF NOT EXISTS iceberg_namespace_properties (catalog_name VARCHAR(255) NOT NULL,
       namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255) NOT NULL, property_value VARCHAR(1000) NOT NULL,
       PRIMARY KEY (catalog_name, namespace, property_key))""",
)
