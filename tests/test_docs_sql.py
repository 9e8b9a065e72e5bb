"""docs/sql.md says what the code says now."""

from __future__ import annotations

import pytest
from scripts import sql_support
from scripts.sql_examples import REFUSED, SUPPORTED, TABLES

from belvedere.algebra.node import OPERATORS
from belvedere.algebra.ops import Closure, Consolidate, Keys, Negate, Positive, Share, Tally
from belvedere.algebra.typing.functions import refused

#: operators that no text of SQL asks for: plans of maintenance are made with them, and Lorel's paths
INTERNAL = {Closure, Consolidate, Keys, Negate, Positive, Share, Tally}


def test_the_page_is_up_to_date() -> None:
    assert sql_support.PAGE.read_text(encoding="utf-8") == sql_support.page(), "run: python scripts/sql_support.py"


def test_the_page_follows_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(refused.NAMED, "coin_toss", refused.refuse("depends on the coin"))
    rows = list(sql_support.refusals(REFUSED, sql_support.Catalog(TABLES)))
    assert "| coin_toss | depends on the coin |" in rows


def test_every_operator_has_an_example() -> None:
    catalog = sql_support.Catalog(TABLES)
    texts = [t for group in SUPPORTED.values() for t in group.values()]
    used = set().union(*(sql_support.operators_of(sql_support.compiled(t, catalog)) for t in texts))
    assert used | INTERNAL == set(OPERATORS)
    assert not used & INTERNAL


def test_a_refusal_that_is_none_any_more_is_noticed() -> None:
    with pytest.raises(AssertionError, match="select is not refused any more"):
        list(sql_support.refusals({"select": "select id from orders"}, sql_support.Catalog(TABLES)))
