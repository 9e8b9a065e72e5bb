"""What tests of SchemaSQL views have in common: a warehouse to change, and the view as its text means it now."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.schemasql.support import relations


def content(view: Any) -> dict[str, list[dict[str, Any]]]:
    """All relations of a view, rows sorted by their text; the one of a select without a header is called ""."""
    names = view.relations()
    headless = names == [view.name]
    return {"" if headless else n: sorted(view.relation(n).rows(), key=repr) for n in names}


def assert_right(wh: Any, view: Any, text: str | None = None) -> None:
    """The view is what its text gives, evaluated again over the tables as they are."""
    expected = relations(wh, text or view.text)
    assert content(view) == expected
    assert view.verify().ok


class Replayed:
    """A view as a follower keeps it, who sees nothing but its changes. Each change must be defined on what it meets."""

    def __init__(self, view: Any) -> None:
        self.columns = list(view.columns)
        self.relations = {n: Counter(_row(r) for r in view.relation(n).rows()) for n in view.relations()}

    def apply(self, changes: list[dict[str, Any]]) -> None:
        for c in changes:
            kind, _, what = c["change"].partition("-")
            if kind == "tuple":
                assert set(c["row"]) == set(self.columns)
                rows = self.relations[c["relation"]]
                rows[_row(c["row"])] += c["_w"]
                assert rows[_row(c["row"])] >= 0
            elif what == "relation":
                self._relation(kind, c["name"], c["new"])
            else:
                self._attribute(kind, c["name"], c["new"])

    def _relation(self, kind: str, name: str, new: str | None) -> None:
        if kind == "add":
            assert name not in self.relations
            self.relations[name] = Counter()
            return
        rows = self.relations.pop(name)
        if new is not None:
            assert new not in self.relations
            self.relations[new] = rows

    def _attribute(self, kind: str, name: str, new: str | None) -> None:
        assert (name in self.columns) == (kind != "add")
        assert new not in self.columns
        kept = [c for c in self.columns if c != name]
        self.columns = kept if kind == "delete" else [*kept, new or name]
        for relation, rows in self.relations.items():
            changed: Counter[Any] = Counter()
            for row, weight in rows.items():
                cells = dict(row)
                value = cells.pop(name, None)
                if kind != "delete":
                    cells[new or name] = value
                changed[_row(cells)] += weight
            self.relations[relation] = changed

    def equals(self, view: Any) -> bool:
        now = {n: Counter(_row(r) for r in view.relation(n).rows()) for n in view.relations()}
        mine = {n: +rows for n, rows in self.relations.items()}
        return mine == now and (not now or set(self.columns) == set(view.columns))


def _row(row: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(row.items()))
