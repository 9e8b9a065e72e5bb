"""Column names inside the algebra: unique in a whole statement, and still readable."""

from __future__ import annotations


class Fresh:
    """Gives each stem once as it is, then with a number.

    >>> fresh = Fresh()
    >>> fresh("amount"), fresh("Amount"), fresh("amount")
    ('amount', 'Amount_2', 'amount_3')
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._taken: set[str] = set()

    def __call__(self, stem: str) -> str:
        low = stem.lower()
        while True:
            count = self._counts.get(low, 0) + 1
            self._counts[low] = count
            name = stem if count == 1 else f"{stem}_{count}"
            if name.lower() not in self._taken:
                self._taken.add(name.lower())
                return name

    def mark(self) -> tuple[dict[str, int], set[str]]:
        """The state now, to come back to after a trial."""
        return dict(self._counts), set(self._taken)

    def reset(self, mark: tuple[dict[str, int], set[str]]) -> None:
        self._counts, self._taken = dict(mark[0]), set(mark[1])


def distinct(names: list[str]) -> tuple[str, ...]:
    """The names made unique among themselves, for the columns of one projection."""
    fresh = Fresh()
    return tuple(fresh(n) for n in names)
