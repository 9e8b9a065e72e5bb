"""The commands about classes (odl, classes), and the lines of changes.jsonl that are about objects."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import belvedere as bv
from belvedere.cli import graphs, output
from belvedere.cli.changefile import OBJECT, Statement
from belvedere.cli.options import HERE, CatalogOption, JsonOption, WarehouseOption
from belvedere.cli.session import warehouse
from belvedere.cli.sources import text_of
from belvedere.errors import BelvedereError, UnknownName, suggest

Known = dict[str, Any]
"""Objects that a file has made, by the names that it gave them."""


def odl(
    file: Annotated[Path, typer.Argument(help="A file of ODL, or - for stdin.")],
    path: WarehouseOption = HERE,
    catalog: CatalogOption = None,
) -> None:
    """Declare the classes of an ODL file, as one epoch."""
    text = text_of("-", None, "ODL") if str(file) == "-" else text_of(None, file, "ODL")
    with warehouse(path, catalog) as wh:
        made = wh.odl(text)
        output.say(f"epoch {wh.epoch}: {', '.join(made) or 'no classes'}")


def classes(path: WarehouseOption = HERE, catalog: CatalogOption = None, as_json: JsonOption = False) -> None:
    """List the classes with their extents and properties."""
    with warehouse(path, catalog) as wh:
        rows = [_described(wh.describe(c)) for c in wh.classes()]
    output.listing(rows, as_json=as_json, empty="no classes; declare some with 'belvedere odl'")


def _described(d: dict[str, Any]) -> dict[str, Any]:
    properties = ", ".join(f"{p['name']} {p['type']}" for p in d["properties"])
    return {"class": d["class"], "extent": d["extent"], "extends": ", ".join(d["extends"]), "properties": properties}


def send(tx: bv.Transaction, s: Statement, known: Known) -> bool:
    """Do what a line says if it is about an object, of a class or in a graph; False if it is not."""
    fields = {n: _resolved(v, known) for n, v in s.fields.items()}
    position = {"position": fields["position"]} if "position" in fields else {}
    match s.op:
        case "new":
            made = tx.new(fields["class"], **fields.get("set", {}))
            if "as" in fields:
                known[fields["as"]] = made
        case "modify":
            tx.modify(fields["oid"], **fields["set"])
        case "delete_object":
            tx.delete_object(fields["oid"])
        case "insert_element":
            tx.insert_element(fields["oid"], fields["attr"], fields["value"], **position)
        case "remove_element":
            if not tx.remove_element(fields["oid"], fields["attr"], fields.get("value"), **position):
                raise BelvedereError(f"{fields['attr']} has no such member to remove")
        case "set_element":
            tx.set_element(fields["oid"], fields["attr"], fields["position"], fields["value"])
        case _:
            return graphs.send(tx, s.op, fields, known)
    return True


def _resolved(value: Any, known: Known) -> Any:
    """The value with the objects that {"$object": "name"} stands for."""
    if isinstance(value, list):
        return [_resolved(v, known) for v in value]
    if not isinstance(value, dict):
        return value
    if list(value) == [OBJECT]:
        name = value[OBJECT]
        if name not in known:
            raise UnknownName(f"no line before this made an object {name!r}{suggest(str(name), list(known))}")
        return known[name]
    return {k: _resolved(v, known) for k, v in value.items()}
