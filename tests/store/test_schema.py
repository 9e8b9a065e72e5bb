"""Schema changes are metadata: columns keep their ids for ever, files are never touched."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from tests.store.helpers import ArrowMerger, append, append_table, content, files, make, numbers, schema

from belvedere.algebra.types import Column, Schema, parse_schema, parse_type
from belvedere.errors import StoreError
from belvedere.store import Collection, Store
from belvedere.store.encoding import decode_collection, decode_type, encode_collection, encode_type


def alter(store: Store, new: Collection) -> Collection:
    with store.begin() as tx:
        made = tx.alter_collection(new)
        tx.publish()
    assert store.collection(made.name) == made
    return made


def with_columns(c: Collection, *columns: Column, **changes: object) -> Collection:
    return replace(c, schema=Schema(columns), **changes)


def test_ids_are_given_once(store: Store) -> None:
    orders = make(store)
    assert [(c.name, c.id) for c in orders.schema] == [("id", 1), ("customer", 2), ("name", 3)]
    assert (orders.key, orders.sort, orders.next_id) == ((1,), (1,), 4)
    first, customer, name = orders.schema.columns
    dropped = alter(store, with_columns(orders, first, customer))
    again = alter(store, with_columns(dropped, first, customer, Column("name", name.type)))
    assert [(c.name, c.id) for c in again.schema] == [("id", 1), ("customer", 2), ("name", 4)]
    assert again.next_id == 5


def test_add_drop_rename_with_rows(store: Store) -> None:
    orders = make(store)
    append(store, orders, (1, 7, "a"))
    i, customer, name = orders.schema.columns
    renamed = alter(store, with_columns(orders, i, Column("client", customer.type, customer.id), name, name="sales"))
    added = alter(store, with_columns(renamed, *renamed.schema.columns, Column("note", parse_type("string"))))
    append(store, added, (2, 8, "b", "hi"))
    assert content(store, "sales") == Counter({(1, 7, "a", None): 1, (2, 8, "b", "hi"): 1})
    slim = alter(store, with_columns(added, i, *added.schema.columns[1:2]))
    assert content(store, "sales") == Counter({(1, 7): 1, (2, 8): 1})
    assert store.collection("orders") is None
    assert content(store, "orders", 2) == Counter({(1, 7, "a"): 1})
    assert content(store, "sales", 5) == Counter({(1, 7, "a", None): 1, (2, 8, "b", "hi"): 1})
    assert slim.id == orders.id


def test_a_change_writes_no_data_at_any_size(store: Store) -> None:
    orders = make(store)
    append_table(store, orders, numbers(orders, 0, 20_000))
    before = files(store)
    i, customer, _ = orders.schema.columns
    alter(
        store, with_columns(orders, i, Column("client", customer.type, customer.id), Column("extra", parse_type("int")), name="t")
    )
    assert files(store) == before


def test_dropping_a_column_shortens_the_orders(store: Store) -> None:
    orders = make(store, sort=("customer", "name", "id"), arrangements=(("name",), ("id", "name"), ("customer", "name", "id")))
    assert (orders.sort, orders.arrangements) == ((2, 3, 1), ((3,), (1, 3)))
    i, customer, _ = orders.schema.columns
    slim = alter(store, with_columns(orders, i, customer))
    assert (slim.sort, slim.arrangements) == ((2,), ((1,),))


def test_merge_after_a_change(store: Store, merger: ArrowMerger) -> None:
    orders = make(store, key=())
    for n in range(8):
        append(store, orders, (n % 2, 0, f"x{n}"))
    i, customer, _ = orders.schema.columns
    slim = alter(store, with_columns(orders, i, customer, Column("new", parse_type("date"))))
    assert store.maintain(merger)[0]["action"] == "full"
    assert content(store) == Counter({(0, 0, None): 4, (1, 0, None): 4})
    assert content(store, epoch=store.epoch - 1) == Counter({(n % 2, 0, f"x{n}"): 1 for n in range(8)})
    assert slim.physical.names == ["c1", "c2", "c4", "_w"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda c: with_columns(c, *c.schema.columns[1:]), "'id' is part of the key"),
        (
            lambda c: with_columns(c, c.schema.columns[0], Column("customer", parse_type("int"), 2)),
            "cannot change its type from bigint to int",
        ),
        (lambda c: with_columns(c, *c.schema.columns, Column("x", parse_type("int"), 9)), "has the id 9, which is not its own"),
        (lambda c: with_columns(c, key=()), "last column"),
        (lambda c: replace(c, name=""), "needs a name"),
        (lambda c: replace(c, name="taken"), "there is a 'taken' already"),
        (lambda c: replace(c, id=99), "collection 99 does not exist"),
    ],
)
def test_changes_that_are_refused(store: Store, change: object, says: str) -> None:
    orders = make(store)
    make(store, "taken")
    with store.begin() as tx, pytest.raises(StoreError, match=says):
        tx.alter_collection(change(orders))  # type: ignore[operator]
    assert store.collection("orders") == orders


def test_collections_that_are_refused(store: Store) -> None:
    with store.begin() as tx:
        with pytest.raises(StoreError, match="not a 'heap'"):
            tx.create_collection("t", "heap", schema())
        with pytest.raises(StoreError, match="no column 'idd'; did you mean 'id'"):
            tx.create_collection("t", "table", schema(), key=("idd",))
        with pytest.raises(StoreError, match="at least one column"):
            tx.create_collection("t", "table", Schema(()))
        with pytest.raises(StoreError, match="needs a name"):
            tx.create_collection("", "table", schema())
        tx.create_collection("t", "table", schema())
        with pytest.raises(StoreError, match="there is a 't' already"):
            tx.create_collection("t", "table", schema())
        with pytest.raises(StoreError, match="no 'u' to drop"):
            tx.drop_collection("u")


def test_drop_and_make_again(store: Store) -> None:
    orders = make(store)
    append(store, orders, (1, 1, "a"))
    with store.begin() as tx:
        tx.drop_collection("orders")
        tx.publish()
    assert store.collection("orders") is None
    again = make(store)
    assert again.id != orders.id
    assert (content(store), content(store, epoch=2)) == (Counter(), Counter({(1, 1, "a"): 1}))
    with store.begin() as tx, pytest.raises(StoreError, match="does not exist"):
        tx.replace(orders)


NESTED = "id bigint, s struct<`a b`:int,`x``y`:array<map<string,decimal(9,2)>>>, m map<int,struct<q:date>>, b binary, v variant"


def test_descriptions_survive_the_catalog() -> None:
    columns = tuple(Column(c.name, c.type, n) for n, c in enumerate(parse_schema(NESTED), 1))
    made = Collection(3, "n", "view", Schema(columns), (1,), (1, 2), ((2,),), 9, {"p": [1, {"q": None}]})
    assert decode_collection(3, "n", "view", encode_collection(made), 5) == made
    assert [c.id for c in decode_collection(3, "n", "view", encode_collection(made), 5).schema] == [1, 2, 3, 4, 5]
    for c in columns:
        assert decode_type(encode_type(c.type)) == c.type
    with pytest.raises(StoreError, match="unknown type 'geometry'"):
        decode_type("geometry")
