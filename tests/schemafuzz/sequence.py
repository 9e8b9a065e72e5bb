"""A view's sequence of changes, applied one by one to what the view was: each must be defined on what it meets (the paper's
definitions 2 and 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from tests.schemafuzz.layout import Content, Relation


class NotDefined(Exception):
    """A change that does not fit the state it meets."""


class State:
    """The relations of a view, all with the same columns, rows as dicts. `fixed`: columns that it has even without relations."""

    def __init__(self, content: Content, fixed: Iterable[str] = ()) -> None:
        self.columns: set[str] = {*fixed, *(c for r in content.values() for c in r.columns)}
        self.relations: dict[str, Counter[frozenset[tuple[str, Any]]]] = {
            n: Counter({frozenset(zip(r.columns, row, strict=True)): k for row, k in r.rows.items()}) for n, r in content.items()
        }

    def apply(self, change: dict[str, Any]) -> None:
        kind = change["change"]
        if "row" in change:
            self._tuple(change["relation"], change["row"], change["_w"])
        elif kind.endswith("-relation"):
            self._relation(kind, change["name"], change.get("new"))
        elif kind.endswith("-attribute"):
            self._attribute(kind, change["name"], change.get("new"))
        else:
            raise NotDefined(f"no such kind of change: {change}")

    def _tuple(self, relation: str, row: dict[str, Any], weight: int) -> None:
        if relation not in self.relations:
            raise NotDefined(f"a tuple of {relation!r}, which is not there")
        if set(row) != self.columns:
            raise NotDefined(f"a tuple with {sorted(row)} in {relation!r}, which has {sorted(self.columns)}")
        rows = self.relations[relation]
        rows[frozenset(row.items())] += weight
        if rows[frozenset(row.items())] < 0:
            raise NotDefined(f"{relation!r} loses {row}, which it does not have")

    def _relation(self, kind: str, name: str, new: str | None) -> None:
        if (name in self.relations) == (kind == "add-relation"):
            raise NotDefined(f"{kind} {name!r}, and there are {sorted(self.relations)}")
        if kind == "add-relation":
            self.relations[name] = Counter()
            return
        rows = self.relations.pop(name)
        if kind == "rename-relation":
            if new is None or new in self.relations:
                raise NotDefined(f"{kind} {name!r} to {new!r}, and there are {sorted(self.relations)}")
            self.relations[new] = rows

    def _attribute(self, kind: str, name: str, new: str | None) -> None:
        if (name in self.columns) == (kind == "add-attribute"):
            raise NotDefined(f"{kind} {name!r}, and there are {sorted(self.columns)}")
        if kind == "rename-attribute" and (new is None or new in self.columns):
            raise NotDefined(f"{kind} {name!r} to {new!r}, and there are {sorted(self.columns)}")
        for relation, rows in self.relations.items():
            changed: Counter[frozenset[tuple[str, Any]]] = Counter()
            for row, k in rows.items():
                cells = dict(row)
                value = cells.pop(name, None)
                if kind != "delete-attribute":
                    cells[new if kind == "rename-attribute" and new is not None else name] = value
                changed[frozenset(cells.items())] += k
            self.relations[relation] = changed
        self.columns.discard(name)
        if kind != "delete-attribute":
            self.columns.add(new if kind == "rename-attribute" and new is not None else name)

    def differs(self, content: Content) -> str | None:
        """What is not as in the content, or None. The columns of a view without relations cannot be seen."""
        wanted = State(content)
        if set(self.relations) != set(wanted.relations):
            return f"relations {sorted(self.relations)}, expected {sorted(wanted.relations)}"
        if wanted.relations and self.columns != wanted.columns:
            return f"columns {sorted(self.columns)}, expected {sorted(wanted.columns)}"
        for n, rows in wanted.relations.items():
            if +self.relations[n] != +rows:
                return f"{n!r}: rows {show(self.relations[n])}, expected {show(rows)}"
        return None


def show(rows: Counter[frozenset[tuple[str, Any]]]) -> list[dict[str, Any]]:
    return sorted((dict(sorted(r)) for r in (+rows).elements()), key=str)


def plain(content: Content) -> Relation:
    """The only relation."""
    (found,) = content.values()
    return found
