"""Questions of one piece of work: a delta that goes back farther answers for those that do not, and says the same."""

from __future__ import annotations

import random

from tests.store.helpers import ArrowMerger, append, make, rows

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
