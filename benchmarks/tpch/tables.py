"""The eight tables with the standard's types and keys, and their data from `tpchgen-cli`."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Table:
    """Columns in Spark's DDL, and the primary key."""

    name: str
    ddl: str
    key: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(part.split()[0] for part in self.ddl.split(", "))


TABLES: dict[str, Table] = {
    t.name: t
    for t in (
        Table("region", "r_regionkey bigint, r_name string, r_comment string", ("r_regionkey",)),
        Table("nation", "n_nationkey bigint, n_name string, n_regionkey bigint, n_comment string", ("n_nationkey",)),
        Table(
            "supplier",
            "s_suppkey bigint, s_name string, s_address string, s_nationkey bigint, s_phone string, "
            "s_acctbal decimal(15,2), s_comment string",
            ("s_suppkey",),
        ),
        Table(
            "customer",
            "c_custkey bigint, c_name string, c_address string, c_nationkey bigint, c_phone string, "
            "c_acctbal decimal(15,2), c_mktsegment string, c_comment string",
            ("c_custkey",),
        ),
        Table(
            "part",
            "p_partkey bigint, p_name string, p_mfgr string, p_brand string, p_type string, p_size int, "
            "p_container string, p_retailprice decimal(15,2), p_comment string",
            ("p_partkey",),
        ),
        Table(
            "partsupp",
            "ps_partkey bigint, ps_suppkey bigint, ps_availqty int, ps_supplycost decimal(15,2), ps_comment string",
            ("ps_partkey", "ps_suppkey"),
        ),
        Table(
            "orders",
            "o_orderkey bigint, o_custkey bigint, o_orderstatus string, o_totalprice decimal(15,2), o_orderdate date, "
            "o_orderpriority string, o_clerk string, o_shippriority int, o_comment string",
            ("o_orderkey",),
        ),
        Table(
            "lineitem",
            "l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber int, l_quantity decimal(15,2), "
            "l_extendedprice decimal(15,2), l_discount decimal(15,2), l_tax decimal(15,2), l_returnflag string, "
            "l_linestatus string, l_shipdate date, l_commitdate date, l_receiptdate date, l_shipinstruct string, "
            "l_shipmode string, l_comment string",
            ("l_orderkey", "l_linenumber"),
        ),
    )
}


def generate(scale: float, directory: Path) -> Path:
    """One Parquet file per table at a scale factor; returns the directory."""
    directory.mkdir(parents=True, exist_ok=True)
    program = Path(sys.executable).with_name("tpchgen-cli")
    command = [str(program), "parquet", "--quiet", f"--scale-factor={scale:g}", f"--output-dir={directory}"]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise SystemExit("tpchgen-cli is missing; 'make setup' installs it with the other development tools") from None
    except subprocess.CalledProcessError as e:
        raise SystemExit(f"tpchgen-cli failed: {e.stderr.strip()}") from e
    return directory


def load(warehouse: Any, directory: Path) -> None:
    """Make the eight tables and fill them."""
    for table in TABLES.values():
        warehouse.create_table(table.name, table.ddl, key=table.key)
        warehouse.load(table.name, str(directory / f"{table.name}.parquet"))
