"""The part of the façade that is about graphs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from belvedere.warehouse.graphs.load import Loaded, load_graph
from belvedere.warehouse.graphs.reading import Reader
from belvedere.warehouse.graphs.sources import Progress

if TYPE_CHECKING:
    from belvedere.warehouse.transaction import Transaction


class Graphs:
    """Loading and exporting schemaless data."""

    def transaction(self) -> Transaction:
        raise AssertionError("the warehouse says")

    def load_oem(
        self, name: str, data: Any, *, label: str | None = None, replace: bool = False, progress: Progress | None = None
    ) -> Loaded:
        """Load a graph and let `name` denote it, as one epoch.

        `data` is a Python object, JSON or OEM text, or the path of a file (.json, .jsonl, .oem) or of a directory of such files.
        Arrays, JSON Lines and directories become one object with an edge for each element, labelled `label`, or like the name.
        `replace` takes away what the name denoted before. `progress` is called now and then with the number of edges so far and,
        where it is known, the part of the input that is read.
        """
        with self.transaction() as tx:
            return load_graph(tx, name, data, label=label, replace=replace, progress=progress)

    def oem_names(self) -> dict[str, str]:
        """The entry points of graphs, and the oids of the objects that they denote."""
        tx = self.transaction()
        try:
            return Reader(tx).names(tx.graph_names())
        finally:
            tx.rollback()

    def export_oem(self, name: str, path: str | os.PathLike[str] | None = None) -> Any:
        """The graph below a name as JSON that load_oem reads back: a Python object, or written to a .json or .jsonl file.

        Objects that are met again, and those with an oid that was given to them, carry it as "&id"; {"$ref": oid} stands for
        them elsewhere.
        """
        from belvedere.warehouse.graphs.export import export_graph

        tx = self.transaction()
        try:
            return export_graph(tx, name, path)
        finally:
            tx.rollback()
