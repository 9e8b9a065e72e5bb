"""Questions of one piece of work: a delta that goes back farther answers for those that do not, and says the same."""

from __future__ import annotations

import datetime as dt
import random
from decimal import Decimal
from pathlib import Path
from unittest.mock import Mock, patch

import pytest
from tests.store.helpers import ArrowMerger, append, make, open_store, rows

from belvedere.errors import StoreError
from belvedere.store import Store


def test_deltas_are_those_that_the_catalog_tells(store: Store) -> None:
    chance = random.Random(8)
    orders, other = make(store), make(store, "other")
    for n in range(40):
        append(store, chance.choice((orders, other)), (n, 0, "x"))
        if n in (11, 23):
            with store.begin() as tx:
                tx.replace(orders)
                tx.append(orders, rows(orders, (n, 1, "new")))
                tx.publish()
        if n % 9 == 8:
            store.maintain(ArrowMerger())
    for _ in range(30):
        brief = store.remembering()
        for _ in range(12):
            c = chance.choice((orders, other))
            since, until = sorted((chance.randint(0, store.epoch), chance.randint(0, store.epoch)))
            assert brief.delta(c, since, until) == store.delta(c, since, until), (c.name, since, until)


def test_one_question_serves_views_that_follow_other_epochs(store: Store) -> None:
    orders = make(store)
    for n in range(6):
        append(store, orders, (n, 0, "x"))
    until, brief, asked = store.epoch, store.remembering(), []
    ask = brief.catalog.rows
    try:
        brief.catalog.rows = lambda sql, **values: asked.append(sql) or ask(sql, **values)  # type: ignore[method-assign]
        found = [brief.delta(orders, since, until) for since in (2, 3, 5)]
    finally:
        del brief.catalog.rows
    assert [len(f or ()) for f in found] == [5, 4, 2]
    assert len(asked) == 1


def test_runs_at_several_epochs_are_those_that_the_catalog_tells(store: Store) -> None:
    chance = random.Random(11)
    known = [make(store, f"t{n}") for n in range(3)]
    for n in range(60):
        c = chance.choice(known)
        append(store, c, (n, 0, "x"))
        if n % 13 == 12:
            with store.begin() as tx:
                tx.replace(c)
                tx.append(c, rows(c, (n, 1, "new")))
                tx.publish()
        if n % 9 == 8:
            store.maintain(ArrowMerger())
    for _ in range(20):
        wanted = {chance.randint(1, store.epoch): {c.id for c in chance.sample(known, chance.randint(1, 3))} for _ in range(4)}
        brief = store.remembering()
        brief.expect(wanted)
        ask = Mock(side_effect=brief.catalog.rows)
        with patch.object(brief.catalog, "rows", ask):
            found = {(c.id, e): brief.runs(c, e) for e, ids in wanted.items() for c in known if c.id in ids}
        assert ask.call_count == 1
        assert found == {(c.id, e): store.runs(c, e) for e, ids in wanted.items() for c in known if c.id in ids}


def test_an_expected_epoch_that_cannot_be_read_is_an_error_when_it_is_asked_for(tmp_path: Path) -> None:
    with open_store(tmp_path / "wh", retention=2) as store:
        orders = make(store)
        for n in range(40):
            append(store, orders, (n, 0, "x"))
            store.maintain(ArrowMerger())
        brief = store.remembering()
        brief.expect({1: {orders.id}, store.epoch: {orders.id}, store.epoch + 5: {orders.id}})
        assert brief.runs(orders, store.epoch) == store.runs(orders, store.epoch)
        with pytest.raises(StoreError, match="beyond the retention"):
            brief.runs(orders, 1)
        with pytest.raises(StoreError, match="not published yet"):
            brief.runs(orders, store.epoch + 5)


def test_what_was_written_need_not_be_decoded(store: Store) -> None:
    orders, types = make(store), make(store, "types", "a date, b decimal(12,2), c boolean, d string", key=())
    with store.begin() as tx:
        tx.append(orders, rows(orders, (1, 2, "x"), (3, 4, "y", -1)), stats={"changed": [1, 2]})
        tx.append(types, rows(types, (dt.date(2024, 1, 1), Decimal("1.50"), True, None), (None, Decimal("-2.00"), False, "ß")))
        tx.publish()
    decode = Mock(side_effect=store.reader._decode)
    with patch.object(store.reader, "_decode", decode):
        known = {c.name: store.snapshot(c) for c in (orders, types)}
    assert decode.call_count == 0
    with Store.open(store.path) as again:
        assert known == {c.name: again.snapshot(c) for c in (orders, types)}
        assert [r.stats for runs in known.values() for r in runs] == [
            r.stats for c in (orders, types) for r in again.snapshot(c)
        ]
