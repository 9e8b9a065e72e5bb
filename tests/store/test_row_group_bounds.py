"""Which row groups may hold some values: none too few, and none that cannot."""

from __future__ import annotations

import random

import pytest

from belvedere.store.row_groups import Bounds


@pytest.mark.parametrize("seed", range(40))
def test_groups_that_hold_one_of_the_values(seed: int) -> None:
    r = random.Random(seed)
    found = sorted((high := r.randrange(30), r.randrange(high + 1), n) for n in range(r.randrange(12)))
    if r.random() < 0.5:  # as of a file that is sorted by the column
        ends = sorted(r.randrange(40) for _ in range(2 * len(found)))
        found = [(ends[2 * n + 1], ends[2 * n], n) for n in range(len(found))]
    lows, highs, groups = [x for _, x, _ in found], [x for x, _, _ in found], [n for _, _, n in found]
    unknown, nulls = frozenset({50} if r.random() < 0.3 else ()), frozenset({51})
    bounds = Bounds(lows, highs, groups, unknown, nulls, lows == sorted(lows))
    values = [r.randrange(-2, 42) for _ in range(r.choice([0, 1, 3, 20]))]
    expected = {n for high, low, n in found if any(low <= v <= high for v in values)} | unknown
    assert bounds.holding(values, null=False) == expected
    assert bounds.holding(values, null=True) == expected | nulls
