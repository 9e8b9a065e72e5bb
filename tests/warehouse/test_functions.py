"""Python functions in queries, conditions, assignments and views: typed, remembered by their code, never trusted blindly."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.warehouse.helpers import bag, order, unchanged

import belvedere as bv
from belvedere.warehouse.fingerprint import fingerprint

RATE = Decimal("0.5")


def shout(s: str) -> str:
    return s.upper() + "!"


def with_tax(amount: Decimal) -> Decimal:
    return amount + amount * RATE


def register(wh: bv.Warehouse) -> None:
    wh.register_function("shout", shout)
    wh.register_function("with_tax", with_tax, ["decimal(12,2)"], "decimal(14,3)")
    wh.register_function("named", lambda s: "nobody" if s is None else s, ["string"], "string", null_in_null_out=False)
    wh.register_function("three", lambda: 3, [], "int")


@pytest.fixture
def busy(shop: bv.Warehouse) -> bv.Warehouse:
    """The shop, with functions."""
    register(shop)
    return shop


CHANGES: list[Callable[[bv.Transaction], Any]] = [
    lambda tx: tx.insert("orders", [order(10, 7, "3.00", "a"), order(11, None, None, "z"), order(12, 8, "1.00")]),
    lambda tx: tx.update("orders", {"note": "shout(named(note))"}, where="with_tax(amount) > 5"),
    lambda tx: tx.update("customers", {"city": "shout(city)"}, where="id = three() + 4"),
    lambda tx: tx.delete("orders", where="named(note) = 'nobody'"),
    lambda tx: tx.delete("customers", key=8),
]

VIEWS = {
    "items": "select id, shout(note) loud, with_tax(amount) gross from orders where shout(named(note)) <> 'B!'",
    "groups": "select shout(note) k, sum(with_tax(amount)) s, count(distinct named(note)) n from orders group by shout(note)",
    "having": "select customer, max(shout(note)) m from orders group by customer having sum(with_tax(amount)) > three()",
    "joined": "select o.id, c.city from orders o join customers c on o.customer = c.id and shout(c.city) <> shout(o.note)",
    "outer_joined": "select o.id, c.city from orders o left join customers c on c.id = o.customer and shout(c.city) = 'BERN!'",
    "ranked": "select id, row_number() over (partition by shout(note) order by with_tax(amount), id) r from orders",
    "exists_": "select id from orders o where exists (select 1 from customers c where with_tax(o.amount) > c.id - three())",
    "top": "select id from orders order by with_tax(amount) desc nulls last, id limit 2",
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("mode", ["immediate", "deferred"])
def test_views_that_call_functions_are_maintained(busy: bv.Warehouse, name: str, mode: str) -> None:
    view = busy.create_view(name, VIEWS[name], mode=mode)
    over = busy.create_view("over", f"select count(*) n from `{name}`")
    assert view.verify().ok
    for change in CHANGES:
        before, since = bag(view.rows()), view.epoch
        with busy.transaction() as tx:
            change(tx)
        busy.refresh()
        assert view.verify().ok
        assert over.verify().ok
        told = sum(r["_w"] for r in view.changes(since))
        assert told == sum(bag(view.rows()).values()) - sum(before.values())
    assert "recompute" not in {r["strategy"] for r in view.history()[1:]}


def test_what_a_function_sees_and_gives(busy: bv.Warehouse) -> None:
    types = "timestamp, timestamp_ntz, date, decimal(5,2), struct<a: int, `b c`: string>, map<string, array<int>>, binary, float"
    seen: list[Any] = []
    names = [t.strip() for t in ("timestamp", "timestamp_ntz", "date", "decimal(5,2)", "struct<a: int, `b c`: string>",
                                 "map<string, array<int>>", "binary", "float")]  # fmt: skip
    busy.register_function("look", lambda *a: seen.append(a) or len(a), names, "bigint")
    for i, t in enumerate(names):
        busy.register_function(f"same {i}", lambda x: x, [t], t)
    busy.create_table("wide", ", ".join(f"c{i} {t}" for i, t in enumerate(names)))
    assert ", ".join(names) == types
    row = {
        "c0": dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC), "c1": dt.datetime(2026, 1, 2, 3), "c2": dt.date(2026, 1, 2),
        "c3": Decimal("1.50"), "c4": {"a": 1, "b c": "x"}, "c5": {"k": [1, None]}, "c6": b"\x00\xff", "c7": 1.5,
    }  # fmt: skip
    with busy.transaction() as tx:
        tx.insert("wide", row)
    columns = ", ".join(row)
    assert busy.query(f"select look({columns}) n from wide").rows() == [{"n": 8}]
    assert seen == [tuple(row.values())]
    same = ", ".join(f"`same {i}`(c{i}) as c{i}" for i in range(8))
    assert busy.query(f"select {same} from wide").rows() == [row]


def test_null_in_null_out(busy: bv.Warehouse) -> None:
    assert busy.query("select shout(null) a, named(null) b").rows() == [{"a": None, "b": "nobody"}]


@pytest.mark.parametrize("name", ["net price", "select", 'q"`; drop', "☃", "x" * 300, "Über", "farm_fingerprint"])
def test_any_name_will_do(shop: bv.Warehouse, name: str) -> None:
    shop.register_function(name, lambda x: x + 1, ["bigint"], "bigint")
    call = "`" + name.replace("`", "``") + "`"
    view = shop.create_view("v", f"select {call}(id) n from orders where {call}(id) > 2")
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "7.00"))
    view.refresh()
    assert sorted(r["n"] for r in view.rows()) == [3, 4, 5, 6]


def test_a_failing_function_names_itself_and_changes_nothing(shop: bv.Warehouse) -> None:
    def inverse(x: int) -> int:
        return 10 // (x - 3)

    shop.register_function("inverse", inverse)
    with unchanged(shop), pytest.raises(bv.EngineError, match=r"function 'inverse' failed for \(3,\): ZeroDivisionError"):
        shop.create_view("v", "select inverse(id) i from orders")
    view = shop.create_view("v", "select inverse(id) i from orders where id <> 3", mode="immediate")
    with shop.transaction() as tx:
        tx.insert("orders", order(5, 8, "7.00"))
    assert view.verify().ok
    with unchanged(shop), pytest.raises(bv.EngineError, match="function 'inverse'"), shop.transaction() as tx:
        tx.update("orders", {"customer": "inverse(id)"})


def test_a_result_of_another_type(shop: bv.Warehouse) -> None:
    shop.register_function("odd", lambda x: "many" if x > 2 else x, ["bigint"], "bigint")
    with pytest.raises(bv.EngineError, match="function 'odd' returned 'many', which is no bigint"):
        shop.query("select odd(id) from orders").rows()


def test_another_function_under_the_name(busy: bv.Warehouse) -> None:
    view = busy.create_view("loud", "select id, shout(note) n from orders where note is not null")
    over = busy.create_view("over", "select n from loud where id = 1")
    other = busy.create_view("other", "select named(note) n from orders")
    since = view.epoch
    busy.register_function("SHOUT", shout)  # the same code
    assert (view.status, over.status) == ("fresh", "fresh")
    busy.register_function("shout", lambda s: s.upper() + "?", ["string"], "string")
    assert view.status == "stale"
    assert "function shout was registered with other code" in view.reason
    assert (over.status, other.status) == ("stale", "fresh")
    assert {r["n"] for r in view.rows()} == {"A!", "B!"}  # until it is refreshed, it is what it was
    with pytest.raises(bv.NotIncremental, match="function shout was registered with other code"):
        view.refresh("incremental")
    reports = {r.view: r for r in busy.refresh()}
    assert (reports["loud"].strategy, reports["other"].strategy) == ("recompute", "none")
    assert "function shout" in reports["loud"].reason
    assert {r["n"] for r in view.rows()} == {"A?", "B?"}
    assert over.rows() == [{"n": "A?"}]
    assert sorted((r["n"], r["_w"]) for r in view.changes(since)) == [("A!", -1), ("A?", 1), ("B!", -1), ("B?", 1)]
    assert all(v.verify().ok for v in (view, over, other))


def test_functions_are_not_stored(place: Path) -> None:
    with bv.open(place / "wh", engine="duckdb") as wh:
        wh.create_table("t", "id bigint, s string", key="id")
        register(wh)
        wh.create_view("loud", "select id, shout(s) s from t", mode="immediate")
        wh.create_view("over", "select count(s) n from loud")
        with wh.transaction() as tx:
            tx.insert("t", {"id": 1, "s": "a"})
    with bv.open(place / "wh", engine="duckdb") as wh:
        loud, over = wh.view("loud"), wh.view("over")
        assert (loud.status, over.status) == ("invalid", "invalid")
        assert loud.reason.startswith("function shout is not registered; call wh.register_function('shout', …)")
        assert "function shout is not registered" in over.reason
        assert "function shout is not registered" in loud.explain()
        with pytest.raises(bv.InvalidView, match="function shout is not registered"):
            loud.rows()
        with wh.transaction() as tx:  # the table lives on
            tx.insert("t", {"id": 2, "s": "b"})
        register(wh)
        assert (loud.status, over.status) == ("stale", "stale")
        reports = {r.view: r.strategy for r in wh.refresh()}
        assert reports["loud"] == "incremental"
        assert bag(loud.rows()) == bag([{"id": 1, "s": "A!"}, {"id": 2, "s": "B!"}])
        assert loud.verify().ok
        assert over.rows() == [{"n": 2}]


def test_a_function_that_is_not_deterministic(busy: bv.Warehouse) -> None:
    numbers = iter(range(100, 200))
    busy.register_function("ticket", lambda: next(numbers), [], "bigint", deterministic=False)
    with unchanged(busy), pytest.raises(bv.Unsupported, match=r"ticket\(\) is .* deterministic=False.*store its value"):
        busy.create_view("v", "select id, ticket() t from orders")
    with busy.transaction() as tx:
        tx.update("orders", {"customer": "ticket()"})
    given = [r["customer"] for r in busy.query("select customer from orders").rows()]
    assert len(set(given)) == 4
    assert min(given) >= 100
    view = busy.create_view("loud", "select shout(note) n from orders")
    busy.register_function("shout", shout, deterministic=False)
    assert view.status == "invalid"
    assert "deterministic=False" in view.reason


def untyped(x, y):  # type: ignore[no-untyped-def]
    return x


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sum", shout), "'sum' is a function of SQL already"),
        (("Upper", shout), "'Upper' is a function of SQL already"),
        (("now", shout), "'now' is a function of SQL already"),
        (("", shout), "cannot be the name of a function"),
        (("jarowinkler_similarity", shout), "cannot be told from a construct of SQL"),
        (("f", "shout"), "a Python callable is expected, and this is a str"),
        (("f", untyped), "its parameter 'x' has no annotation; say its type in arguments="),
        (("f", untyped, ["int", "int"]), "its result has no annotation; say its type in returns="),
        (("f", untyped, ["int"], "int"), "cannot be called with 1 argument"),
        (("f", shout, ["nosuch"], "int"), "nosuch"),
        (("f", shout, ["void"], "int"), "cannot read the type 'void'"),
        (("f", lambda: (yield 1), [], "int"), "coroutine or a generator"),
    ],
)
def test_what_cannot_be_registered(wh: bv.Warehouse, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(bv.BelvedereError, match=message.replace("(", r"\(")):
        wh.register_function(*arguments)
    assert wh.core.udfs == {}


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("select shout(note, note) from orders", bv.TypeMismatch, r"shout takes 1 argument\(s\), and 2 are given"),
        ("select with_tax(note) from orders", bv.TypeMismatch, r"with_tax takes a decimal\(12,2\), and this is of type string"),
        ("select shot(note) from orders", bv.UnknownName, r"unknown function shot\(\)"),
        ("select transform(array(note), x -> shout(x)) from orders", bv.Unsupported, "cannot stand in a lambda"),
    ],
)
def test_calls_that_do_not_fit(busy: bv.Warehouse, text: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        busy.query(text)


def test_annotations(wh: bv.Warehouse) -> None:
    def f(a: int, b: float | None, c: str, d: bool, e: dt.date, g: dt.datetime, h: bytes, i: int = 1) -> Decimal:
        return Decimal(a + i)

    wh.register_function("f", f)
    known = wh.core.udfs["f"]
    assert [str(t) for t in known.arguments] == ["bigint", "double", "string", "boolean", "date", "timestamp", "binary"]
    assert str(known.result) == "decimal(38,18)"


def test_fingerprints_tell_code_apart() -> None:
    def adder(n: int) -> Callable[[int], int]:
        return lambda x: x + n

    class Scale:
        def __init__(self, by: int) -> None:
            self.by = by

        def __call__(self, x: int) -> int:
            return x * self.by

    def helped(rate: str) -> Callable[..., Any]:
        names = {"RATE": Decimal(rate), "Decimal": Decimal}
        exec("def helper(x): return x * RATE\ndef f(x): return helper(x)", names)
        return names["f"]  # type: ignore[return-value]

    for same, other in (
        (lambda: adder(1), adder(2)),
        (lambda: Scale(1), Scale(2)),
        (lambda: Scale(1).__call__, Scale(2).__call__),
        (lambda: helped("1"), helped("2")),
        (lambda: lambda x, y=1: x, lambda x, y=2: x),
        (lambda: lambda x: x in {"a", "b"}, lambda x: x in {"a", "c"}),
        (lambda: len, max),
    ):
        assert fingerprint(same()) == fingerprint(same())
        assert fingerprint(same()) != fingerprint(other)
