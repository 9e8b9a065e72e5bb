"""Random statements over a table of a few values, so that things meet and cancel."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import belvedere as bv


def change(
    wh: bv.Warehouse, rng: random.Random, table: str, values: Mapping[str, Sequence[str]], where: str, key: str = ""
) -> None:
    """One statement: a row comes, or those that a condition names come again, change or go; now and then all go. A value for the
    `key` is given where the table has one: then a row that comes takes the place of another."""
    chosen = {c: rng.choice(vs) for c, vs in values.items()}
    match rng.choice(["insert", "insert", "insert", "again", "update", "delete", "clear"]):
        case "insert":
            if key:
                wh.execute(f"delete from {table} where {where}")
            wh.execute(f"insert into {table} values ({', '.join([*([key] if key else []), *chosen.values()])})")
        case "again" if not key:
            wh.execute(f"insert into {table} select * from {table} where {where}")
        case "update":
            column = rng.choice(list(values))
            wh.execute(f"update {table} set {column} = {chosen[column]} where {where}")
        case "delete":
            wh.execute(f"delete from {table} where {where}")
        case _ if rng.random() < 0.1:
            wh.execute(f"delete from {table}")
