"""The program of the README: a table, a view over it, a transaction, and the view follows.

    python examples/shop.py             # a warehouse in a temporary directory
    python examples/shop.py --in shop   # one that stays
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import belvedere as bv


def run(path: Path, *, with_spark: bool) -> None:
    wh = bv.open(path)  # a directory; embedded catalog; nothing to start
    wh.create_table("orders", "id bigint, customer bigint, amount decimal(12,2)", key="id")
    wh.create_view("by_customer", "select customer, sum(amount) total from orders group by customer")

    with wh.transaction() as tx:  # one epoch
        tx.insert("orders", [{"id": 1, "customer": 7, "amount": "9.50"}])
        tx.update("orders", {"amount": "amount * 2"}, where="id = 1")

    wh.refresh()
    if with_spark:
        wh.view("by_customer").df().show()  # a Spark DataFrame
    else:
        print(wh.view("by_customer").rows())
    print(wh.view("by_customer").explain())
    assert wh.view("by_customer").verify().ok  # equals recomputation
    wh.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A table, a view over it, a transaction, and the view follows.")
    parser.add_argument("--in", dest="path", type=Path, help="where the warehouse is made; a temporary directory if absent")
    parser.add_argument("--no-spark", action="store_true", help="print rows instead of a Spark DataFrame")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        run(chosen.path or Path(directory, "shop"), with_spark=not chosen.no_spark)
