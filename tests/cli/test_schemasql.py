"""SchemaSQL views from the shell."""

from __future__ import annotations

from tests.cli.conftest import Shell

SPLIT = "create view CUSTOMER(id, amount) as select T.id, T.amount from orders T, T.customer CUSTOMER"


def test_a_view_with_a_relation_for_each_customer(shop: Shell) -> None:
    shop.run("view", "create", "of", SPLIT, "--language", "schemasql")
    assert shop.rows("of.8") == [{"amount": "4.00", "id": 3}]
    assert "read one of them" in shop.run("show", "of", code=1)
    before = shop.json("status")["epoch"]
    shop.run("execute", "insert into orders values (4, 9, 1.00)")
    shop.run("refresh")
    assert shop.json("changes", "of", "--since", str(before)) == [
        {"change": "add-relation", "name": "9", "new": None, "columns": ["id", "amount"]},
        {"change": "tuple", "relation": "9", "row": {"id": 4, "amount": "1.00"}, "_w": 1},
    ]
    told = shop.run("changes", "of", "--since", str(before))
    assert "add-relation" in told
    assert "1.00" in told
    assert shop.json("verify", "of")[0]["ok"]
    shop.run("execute", "insert into orders values (5, null, 1.00)")
    shop.run("refresh")
    [status] = [v for v in shop.json("status")["views"] if v["view"] == "of"]
    assert status["status"] == "invalid"
    assert "NULL stands where the name of a relation is expected" in status["reason"]
    assert "invalid" in shop.run("explain", "of")


def test_its_relations_and_how_its_schema_changed(shop: Shell) -> None:
    shop.run("view", "create", "of", SPLIT, "--language", "schemasql")
    names = [{"relation": "7", "name": "of.7"}, {"relation": "8", "name": "of.8"}]
    assert shop.json("view", "relations", "of") == names
    shown = [line.split() for line in shop.run("view", "relations", "of").splitlines() if line.strip()]
    assert (shown[0], shown[-2:]) == (["relation", "name"], [["7", "of.7"], ["8", "of.8"]])
    assert shop.json("view", "relations", "of", "--limit", "1") == names[:1]
    before = shop.json("status")["epoch"]
    shop.run("execute", "delete from orders where customer = 8")
    shop.run("refresh")
    assert [r["name"] for r in shop.json("view", "relations", "of")] == ["of.7"]
    assert shop.json("view", "relations", "of", "--epoch", str(before)) == names
    assert shop.json("show", "of.8", "--epoch", str(before)) == [{"amount": "4.00", "id": 3}]
    [*_, last] = shop.json("history", "of", "--schema")
    assert (last["change"], last["name"], last["why"]) == ("delete-relation", "8", "changed data")
    assert len(shop.json("history", "of", "--schema", "--limit", "1")) == 1
    assert "delete-relation" in shop.run("history", "of", "--schema")
    shop.run("view", "create", "plain", "select * from orders")
    assert "is in sql" in shop.run("view", "relations", "plain", code=1)
    assert "is in sql" in shop.run("history", "plain", "--schema", code=1)
