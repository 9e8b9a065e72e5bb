"""Questions to the catalog. Each is one statement, so that the answer and the check that its epoch can still be read
come from the same state of the database."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterable, Mapping, Set
from dataclasses import replace
from typing import Any

from belvedere.errors import StoreError
from belvedere.store.catalog import Catalog
from belvedere.store.encoding import decode_collection
from belvedere.store.model import Collection, Run, choose

_COLUMNS = (
    "id", "collection", "path", "rows", "deletes", "bytes", "epoch_from", "epoch_to", "delta", "arrangement", "stats", "grp",
)  # fmt: skip
_RUN = ", ".join(f"r.{name}" for name in _COLUMNS)
#: pairs of numbers, given as JSON: so the text is the same however many there are
_PAIRS = "SELECT CAST(p ->> 0 AS BIGINT), CAST(p ->> 1 AS BIGINT) FROM jsonb_array_elements(CAST(:pairs AS JSONB)) AS pairs (p)"
_PAIRS_IN_SQLITE = "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(:pairs)"


#: decoded runs that are kept
RUNS_KEPT = 20_000


def _visible(alias: str, epoch: int | None) -> str:
    if epoch is None:
        return f"{alias}.epoch_to IS NULL"
    return f"{alias}.epoch_from <= :epoch AND ({alias}.epoch_to IS NULL OR {alias}.epoch_to > :epoch)"


def _check(epoch: int | None, horizon: int, head: int) -> None:
    if epoch is None or horizon <= epoch <= head:
        return
    if epoch > head:
        raise StoreError(f"epoch {epoch} is not published yet; the last one is {head}")
    raise StoreError(f"epoch {epoch} is beyond the retention; the oldest that can be read is {horizon}")


class Reader:
    """The catalog as values. Decoded collections are kept, since a version of a collection never changes; so are runs, beside the
    rows that they were decoded from."""

    def __init__(self, root: str, catalog: Catalog) -> None:
        self._root = root
        self._catalog = catalog
        self._decoded: dict[tuple[int, int], Collection] = {}
        self._runs: dict[int, tuple[tuple[Any, ...], Run]] = {}
        #: the newest epoch that was seen, and all collections at it once they were asked for
        self._newest = -1
        self._listed: tuple[int, tuple[Collection, ...], dict[int | str, Collection]] | None = None
        #: an epoch that was the newest, and its documents, by kind and name, as they are written
        self._written: tuple[int, dict[str, dict[str, str]]] | None = None
        #: by kind and name, documents that several have, beside what is written of them
        self._shared: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {}

    def head(self) -> tuple[int, int]:
        """The last epoch, and the oldest that can be read."""
        [row] = self._catalog.rows("SELECT epoch, horizon FROM bv_head WHERE id = 1")
        self._newest = row[0]
        return row[0], row[1]

    @property
    def newest(self) -> int:
        """The newest epoch that some answer has told of; there may be newer ones by now."""
        return self._newest if self._newest >= 0 else self.head()[0]

    def every(self, epoch: int | None) -> tuple[Collection, ...]:
        """All collections, by name. What an epoch holds never changes, so those of the newest one are kept while it is that."""
        listed = self._listed
        if listed is not None and listed[0] == epoch == self._newest:
            return listed[1]
        found = tuple(self.collections("1 = 1", epoch))
        if epoch is not None and epoch == self._newest:
            self._listed = (epoch, found, {c.name: c for c in found} | {c.id: c for c in found})
        return found

    def one(self, epoch: int | None, key: int | str) -> Collection | None:
        """The collection of that id, or of exactly that name."""
        listed = self._listed
        if listed is not None and listed[0] == epoch == self._newest:
            return listed[2].get(key)
        return next(iter(self.collections(f"c.{'name' if isinstance(key, str) else 'id'} = :key", epoch, key=key)), None)

    def collections(self, where: str, epoch: int | None, **values: Any) -> list[Collection]:
        """The collections at an epoch that fulfil a condition on `c`."""
        rows = self._catalog.rows(
            f"""SELECT h.horizon, h.epoch, c.id, c.name, c.kind, c.body, c.epoch_from FROM bv_head h
                LEFT JOIN bv_collections c ON {_visible("c", epoch)} AND {where} ORDER BY c.name""",
            **({} if epoch is None else {"epoch": epoch}),
            **values,
        )
        self._seen(epoch, rows[0][0], rows[0][1])
        return [self._collection(*row[2:]) for row in rows if row[2] is not None]

    def _seen(self, epoch: int | None, horizon: int, head: int) -> None:
        self._newest = head
        _check(epoch, horizon, head)

    def _collection(self, number: int, name: str, kind: str, body: str, version: int) -> Collection:
        known = self._decoded.get((number, version))
        if known is None or known.name != name:
            known = self._decoded[number, version] = decode_collection(number, name, kind, body, version)
        return known

    def runs(self, collection: int, epoch: int | None) -> list[Run]:
        """Every run that is visible at an epoch, in all arrangements."""
        rows = self._catalog.rows(
            f"""SELECT h.horizon, h.epoch, {_RUN} FROM bv_head h
                LEFT JOIN bv_runs r ON r.collection = :collection AND {_visible("r", epoch)} ORDER BY r.id""",
            collection=collection,
            **({} if epoch is None else {"epoch": epoch}),
        )
        self._seen(epoch, rows[0][0], rows[0][1])
        return [self._run(row[2:]) for row in rows if row[2] is not None]

    def runs_of(self, collections: Iterable[int], epoch: int | None) -> dict[int, list[Run]]:
        """The same for several collections."""
        found: dict[int, list[Run]] = {c: [] for c in collections}
        rows = self._catalog.rows(
            f"""SELECT h.horizon, h.epoch, {_RUN} FROM bv_head h LEFT JOIN bv_runs r
                ON r.collection IN ({", ".join(map(str, sorted(found))) or "NULL"}) AND {_visible("r", epoch)} ORDER BY r.id""",
            **({} if epoch is None else {"epoch": epoch}),
        )
        self._seen(epoch, rows[0][0], rows[0][1])
        for row in rows:
            if row[2] is not None:
                found[row[3]].append(self._run(row[2:]))
        return found

    def snapshot(self, collection: Collection, epoch: int | None, order: tuple[int, ...] | None) -> list[Run]:
        return choose(self.runs(collection.id, epoch), collection.sort, order)

    def delta(self, collection: int, since: int, until: int) -> list[Run] | None:
        """The delta runs in between; None when they do not tell the whole change."""
        rows = self._catalog.rows(
            f"""SELECT h.horizon, h.epoch, (SELECT COUNT(*) FROM bv_resets s WHERE s.collection = :collection
                AND s.epoch > :since AND s.epoch <= :until), {_RUN} FROM bv_head h LEFT JOIN bv_runs r
                ON r.collection = :collection AND r.delta = 1 AND r.epoch_from > :since AND r.epoch_from <= :until
                ORDER BY r.id""",
            collection=collection,
            since=since,
            until=until,
        )
        horizon, head, resets = rows[0][:3]
        self._seen(max(until, horizon), horizon, head)
        if resets or since < horizon:
            return None
        return [self._run(row[3:]) for row in rows if row[3] is not None]

    def _run(self, row: tuple[Any, ...]) -> Run:
        known = self._runs.get(row[0])
        if known is None or known[0] != row:
            if len(self._runs) >= RUNS_KEPT:
                self._runs.pop(next(iter(self._runs)))
            known = self._runs[row[0]] = (row, self._decode(row))
        return known[1]

    def wrote(self, run: Run, row: Mapping[str, Any]) -> None:
        """A run that was just published, and what was written of it: who asks for it next need not decode that."""
        told = tuple(row[name] for name in _COLUMNS)
        if len(self._runs) < RUNS_KEPT:
            path, number, group = os.path.join(self._root, row["path"]), row["id"], row["grp"]
            made = replace(run, id=number, path=path, epoch_from=row["epoch_from"], group=group, body=None)
            self._runs[number] = told, made

    def forget(self, paths: Container[str]) -> None:
        """Runs in these files are no part of anything any more; who asks for what was before decodes them again."""
        for number, (_, run) in list(self._runs.items()):
            if run.path in paths:
                self._runs.pop(number, None)

    def _decode(self, row: tuple[Any, ...]) -> Run:
        number, collection, path, rows, deletes, size, epoch_from, epoch_to, delta, arrangement, stats, group = row
        return Run(
            id=number, collection=collection, path=os.path.join(self._root, path), rows=rows, deletes=deletes, bytes=size,
            epoch_from=epoch_from, epoch_to=epoch_to, delta=bool(delta),
            arrangement=None if arrangement is None else tuple(json.loads(arrangement)), stats=json.loads(stats), group=group,
        )  # fmt: skip

    def docs(self, kind: str, epoch: int | None, name: str | None = None) -> dict[str, Any]:
        """By name. Of the newest epoch all kinds are fetched at once, as a transaction asks for most of them."""
        if epoch is not None and epoch == self._newest:
            found = self._documents(epoch).get(kind, {})
            if name is not None:
                return {name: json.loads(found[name])} if name in found else {}
            return {n: json.loads(body) for n, body in found.items()}
        rows = self._catalog.rows(
            f"""SELECT h.horizon, h.epoch, d.name, d.body FROM bv_head h LEFT JOIN bv_docs d
                ON d.kind = :kind AND {_visible("d", epoch)} {"" if name is None else "AND d.name = :name"} ORDER BY d.name""",
            kind=kind,
            **({} if epoch is None else {"epoch": epoch}),
            **({} if name is None else {"name": name}),
        )
        self._seen(epoch, rows[0][0], rows[0][1])
        return {row[2]: json.loads(row[3]) for row in rows if row[2] is not None}

    def shared_docs(self, kind: str, epoch: int) -> dict[str, dict[str, Any]]:
        """As `docs`, for who does not change them: what is written as it was before is the same value, not decoded again."""
        if epoch != self._newest:
            return self.docs(kind, epoch)
        before = self._shared.get(kind, {})
        found: dict[str, tuple[str, dict[str, Any]]] = {}
        for name, body in self._documents(epoch).get(kind, {}).items():
            known = before.get(name)
            found[name] = known if known is not None and known[0] == body else (body, json.loads(body))
        self._shared[kind] = found
        return {name: value for name, (_, value) in found.items()}

    def _documents(self, epoch: int) -> dict[str, dict[str, str]]:
        written = self._written
        if written is not None and written[0] == epoch:
            return written[1]
        rows = self._catalog.rows(
            f"""SELECT h.horizon, h.epoch, d.kind, d.name, d.body FROM bv_head h LEFT JOIN bv_docs d
                ON {_visible("d", epoch)} ORDER BY d.kind, d.name""",
            epoch=epoch,
        )
        self._seen(epoch, rows[0][0], rows[0][1])
        found: dict[str, dict[str, str]] = {}
        for _, _, kind, name, body in rows:
            if kind is not None:
                found.setdefault(kind, {})[name] = body
        self._written = (epoch, found)
        return found

    def history(self, name: str | None, limit: int | None) -> list[dict[str, Any]]:
        """Records, oldest first; with a limit the latest ones."""
        rows = self._catalog.rows(
            f"""SELECT epoch, name, body FROM bv_history {"" if name is None else "WHERE name = :name"}
                ORDER BY epoch DESC, place DESC {"" if limit is None else "LIMIT :limit"}""",
            **({} if name is None else {"name": name}),
            **({} if limit is None else {"limit": limit}),
        )
        return [{**json.loads(body), "epoch": epoch, "name": owner} for epoch, owner, body in reversed(rows)]


class Remembering(Reader):
    """Questions of one piece of work. The content of an epoch never changes, so what was asked of it once is not asked again:
    several views read the same runs. A merge may put others in their place meanwhile, which hold the same; those that it replaced
    are kept as long as the epochs before."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader._root, reader._catalog)
        self._decoded, self._runs = reader._decoded, reader._runs
        self._newest, self._listed, self._written = reader._newest, reader._listed, reader._written
        self._visible: dict[tuple[int, int], list[Run]] = {}
        #: by epoch, collections that will be asked for
        self._expected: Mapping[int, Set[int]] = {}
        self._deltas: dict[tuple[int, int, int], list[Run] | None] = {}
        #: by collection and last epoch: the delta that goes back farthest, and from which epoch on
        self._farthest: dict[tuple[int, int], tuple[int, list[Run]]] = {}

    def runs(self, collection: int, epoch: int | None) -> list[Run]:
        if epoch is None:
            return super().runs(collection, epoch)
        if (collection, epoch) not in self._visible:
            if collection in self._expected.get(epoch, ()):
                self._fetch(self._expected)
                self._expected = {}
            if (collection, epoch) not in self._visible:
                self._visible[collection, epoch] = super().runs(collection, epoch)
        return self._visible[collection, epoch]

    def expect(self, collections: Mapping[int, Set[int]]) -> None:
        """These will be asked for one after the other, by epoch: their runs are fetched with those of the first."""
        self._expected = collections

    def _fetch(self, wanted: Mapping[int, Set[int]]) -> None:
        """The runs of collections, each at some epochs, by one question; epochs that cannot be read are left out."""
        rows = self._catalog.rows(
            f"""WITH w (collection, epoch) AS ({_PAIRS_IN_SQLITE if self._catalog.is_sqlite else _PAIRS})
                SELECT h.horizon, h.epoch, w.epoch, {_RUN} FROM bv_head h LEFT JOIN (w JOIN bv_runs r
                    ON r.collection = w.collection AND r.epoch_from <= w.epoch AND (r.epoch_to IS NULL OR r.epoch_to > w.epoch))
                ON 1 = 1 ORDER BY r.id""",
            pairs=json.dumps([[c, e] for e, ids in wanted.items() for c in ids]),
        )
        horizon, self._newest = rows[0][:2]
        found: dict[tuple[int, int], list[Run]] = {(c, e): [] for e, ids in wanted.items() for c in ids}
        for row in rows:
            if row[2] is not None:
                found[row[4], row[2]].append(self._run(row[3:]))
        self._visible |= {(c, e): runs for (c, e), runs in found.items() if horizon <= e <= self._newest}

    def delta(self, collection: int, since: int, until: int) -> list[Run] | None:
        key = (collection, since, until)
        if key not in self._deltas:
            self._deltas[key] = self._cut(collection, since, until)
        return self._deltas[key]

    def _cut(self, collection: int, since: int, until: int) -> list[Run] | None:
        """Views are up to date with other epochs each; a delta from an earlier one on holds what came later."""
        earlier, runs = self._farthest.get((collection, until), (until, []))
        if earlier <= since < until:
            return [r for r in runs if r.epoch_from > since]
        found = super().delta(collection, since, until)
        if found is not None and since < earlier:
            self._farthest[collection, until] = (since, found)
        return found
