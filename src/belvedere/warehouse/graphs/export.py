"""Graphs → JSON, in the form that load_oem reads back."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from belvedere.errors import BelvedereError, StoreError, UnknownName, suggest
from belvedere.warehouse.graphs.oids import is_ours, order
from belvedere.warehouse.graphs.reading import Reader
from belvedere.warehouse.graphs.tables import EDGES, VALUES
from belvedere.warehouse.graphs.values import value_of
from belvedere.warehouse.graphs.walk import DATE, ID, REF, VALUE
from belvedere.warehouse.objects.reading import whole

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction

Children = Mapping[str, Sequence[tuple[str, str]]]
"""oid → (label, oid) of the edges that leave it."""


def to_json(
    roots: Sequence[tuple[str, str]],
    edges: Children,
    values: Mapping[str, Any],
    *,
    oids: bool = False,
    keep: Callable[[str], bool] = lambda oid: False,
) -> dict[str, Any]:
    """A JSON object whose keys are the labels of the roots; several of one label are an array.

    An object that is met more than once is written where it is met first, with its oid as "&id", and is {"$ref": oid} elsewhere;
    an atomic one with an oid is {"&id": oid, "$value": …}. A date or a time is {"$date": …}. With `oids` every complex object has
    its "&id"; `keep` says which others have.

    >>> to_json([("r", "&1"), ("r", "&2")], {"&1": [("n", "&3"), ("next", "&1")]}, {"&2": 5, "&3": "x"})
    {'r': [{'&id': '&1', 'n': 'x', 'next': {'$ref': '&1'}}, 5]}
    """
    writer = _Writer(edges, values, oids, keep)
    writer.count([o for _, o in roots])
    return writer.parts(roots)


class _Writer:
    def __init__(self, edges: Children, values: Mapping[str, Any], oids: bool, keep: Callable[[str], bool]) -> None:
        self.edges, self.values, self.oids, self.keep = edges, values, oids, keep
        self.met: dict[str, int] = {}
        self.written: set[str] = set()

    def count(self, roots: Sequence[str]) -> None:
        """How often each object is met: it needs an oid if that is more than once."""
        todo = list(roots)
        for o in todo:
            self.met[o] = self.met.get(o, 0) + 1
        todo = list(self.met)
        while todo:
            for _, target in self.edges.get(todo.pop(), ()):
                if target not in self.met:
                    self.met[target] = 0
                    todo.append(target)
                self.met[target] += 1

    def parts(self, roots: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """Depth first, with a stack of our own, since data may be deeper than Python's."""
        top: dict[str, Any] = {}
        todo = [(top, list(reversed(roots)))]
        while todo:
            place, waiting = todo[-1]
            if not waiting:
                todo.pop()
                continue
            label, oid = waiting.pop()
            again = oid in self.written
            value = {REF: oid} if again else self._begin(oid)
            _put(place, label, value)
            self.written.add(oid)
            if not again and oid not in self.values:
                children = self.edges.get(oid, ())
                _check({label for label, _ in children}, oid)
                todo.append((value, list(reversed(children))))
        return top

    def _begin(self, oid: str) -> Any:
        named = self.met[oid] > 1 or self.keep(oid)
        if oid not in self.values:
            return {ID: oid} if named or self.oids else {}
        value = self.values[oid]
        if isinstance(value, datetime.datetime):
            value = {DATE: value.isoformat(timespec="microseconds")}
        elif isinstance(value, datetime.date):
            value = {DATE: value.isoformat()}
        elif named:
            value = {VALUE: value}
        return {ID: oid, **value} if named else value


def _put(place: dict[str, Any], label: str, value: Any) -> None:
    """A second value under a label makes an array; no value is one by itself."""
    if label not in place:
        place[label] = value
    elif isinstance(place[label], list):
        place[label].append(value)
    else:
        place[label] = [place[label], value]


def _check(labels: set[str], oid: str) -> None:
    bad = labels & {ID, REF} or (labels if labels in ({VALUE}, {DATE}) else set())
    if bad:
        raise BelvedereError(f"{oid} has an edge {min(bad)!r}, which means something else in JSON; give it another label first")


def export_graph(tx: Transaction, name: str, path: str | os.PathLike[str] | None) -> Any:
    """What a name denotes, as JSON: returned, or written to a file."""
    root, edges, values = _below(tx, name)
    document = to_json([("", root)], edges, values, keep=lambda oid: not is_ours(oid))[""]
    if path is None:
        return document
    place = Path(path)
    try:
        text = _lines(name, document) if place.suffix.lower() in (".jsonl", ".ndjson") else _dumped(document) + "\n"
        place.write_text(text, encoding="utf-8")
    except OSError as e:
        raise StoreError(f"cannot write {place}: {e.strerror or e}") from e
    return place


def _below(tx: Transaction, name: str) -> tuple[str, Children, dict[str, Any]]:
    """The named object, and the edges and values of the graph; in the order in which objects were made."""
    known = tx.graph_names()
    root = Reader(tx).names([name]).get(name) if name in known else None
    if root is None:
        raise UnknownName(f"there is no name {name!r}{suggest(name, known)}")
    table = whole(tx, tx.registry.collection(EDGES), ["source", "label", "target"])
    edges: dict[str, list[tuple[str, str]]] = {}
    for source, label, target in zip(*(c.to_pylist() for c in table.columns), strict=True):
        edges.setdefault(source, []).append((label, target))
    for children in edges.values():
        children.sort(key=lambda e: order(e[1]))
    rows = whole(tx, tx.registry.collection(VALUES), ["oid", "type", "integer", "number", "text"]).to_pylist()
    return root, edges, {r["oid"]: value_of(r) for r in rows}


def _lines(name: str, document: Any) -> str:
    """One line for each part of an object that has parts of one label only."""
    parts = list(document.values()) if isinstance(document, dict) else []
    if len(parts) != 1 or not {ID, REF, VALUE, DATE}.isdisjoint(document):
        raise BelvedereError(f"{name!r} is no list of parts under one label that nothing refers to; export it to a .json file")
    return "".join(f"{_dumped(p)}\n" for p in (parts[0] if isinstance(parts[0], list) else parts))


def _dumped(document: Any) -> str:
    try:
        return json.dumps(document, ensure_ascii=False)
    except RecursionError:
        raise BelvedereError(
            "the graph is nested too deeply for JSON text; export it without a path, as a Python object"
        ) from None
