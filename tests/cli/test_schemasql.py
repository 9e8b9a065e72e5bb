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
