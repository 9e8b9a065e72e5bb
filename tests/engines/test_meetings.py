"""One column that meets two of the other side, and two that are one below: rows are looked up by each column once."""

from __future__ import annotations

from pathlib import Path

import pytest

import belvedere as bv

FORMS = {
    "join": "select t.a, t.v, s.p from t join s on t.a = s.p and t.a = s.q",
    "exists": "select t.a, t.v from t where exists (select 1 from s where t.a = s.p and t.a = s.q)",
    "not exists": "select t.a, t.v from t where not exists (select 1 from s where t.a = s.p and t.a = s.q)",
    "left join": "select s.p, s.q, t.v from s left join t on t.a = s.p and t.a = s.q",
    "renamed": "select t.v, s.p from (select a x, a y, v from t) t join s on t.x = s.p and t.y = s.q",
    "the other way": "select s.p, t.v from s join t on s.p = t.a and s.p = t.v",
    "three": "select t.v, u.q from t join s u on t.a = u.p and t.v = u.q join s r on r.q = u.q and r.p = t.a",
}


@pytest.mark.parametrize("form", FORMS)
def test_repeated_columns(tmp_path: Path, form: str) -> None:
    with bv.open(tmp_path / "w", engine="duckdb") as wh:
        wh.create_table("t", "a bigint, v bigint")
        wh.create_table("s", "p bigint, q bigint")
        with wh.transaction() as tx:
            tx.insert("t", [{"a": n, "v": n % 7 if n % 3 else n} for n in range(1_200)])
            tx.insert("s", [{"p": n, "q": n if n % 2 else n + 1} for n in range(0, 900, 9)])
        view = wh.create_view("x", FORMS[form])
        for row in ({"p": 5, "q": 5}, {"p": 6, "q": 7}, {"p": None, "q": 3}, {"p": 3, "q": 3}):
            with wh.transaction() as tx:
                tx.insert("s", [row])
                tx.update("t", {"v": "v + 1"}, where="a = 3")
            wh.refresh()
            assert view.verify().ok
