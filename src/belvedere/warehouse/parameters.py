"""Values of the parameters in a view's text: given when it is made, set anew by `View.bind`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from belvedere.errors import BelvedereError, TypeMismatch, UnknownName, suggest
from belvedere.languages import Parameter

if TYPE_CHECKING:
    from belvedere.warehouse.warehouse import Warehouse


def read_parameters(values: Mapping[str, Any] | None) -> dict[str, Parameter]:
    """Typed constants of Python values, by the parameters' names in lower case."""
    if values is not None and not isinstance(values, Mapping):
        raise BelvedereError(f"parameters= takes a dict of names and values, and this is a {type(values).__name__}")
    return {str(n).lower(): Parameter.of(str(n), v) for n, v in (values or {}).items()}


def rebind(warehouse: Warehouse, name: str, values: Mapping[str, Any]) -> None:
    """Write new values into the view's document. Its rows stay as they are until the next refresh computes them anew."""
    if not values:
        raise BelvedereError("bind takes at least one parameter: view.bind(today=…)")
    given = read_parameters(values)
    with warehouse.core.store.begin() as commit:
        commit.touch([name], kind="view")
        document = commit.doc("view", name)
        if document is None:
            raise UnknownName(f"there is no view {name!r} any more")
        before = {n: Parameter.read(p) for n, p in document.get("parameters", {}).items()}
        for n, p in given.items():
            if n not in before:
                advice = suggest(n, list(before)) if before else "; it has none"
                raise UnknownName(f"view {name!r} has no parameter {n!r}{advice}")
            if type(p.type) is not type(before[n].type):
                raise TypeMismatch(f"parameter {n!r} of view {name!r} is a {before[n].type}, and {p.text!r} is a {p.type}")
        if {**before, **given} == before:
            return
        new = {n: p.document() for n, p in {**before, **given}.items()}
        commit.put_doc("view", name, {**document, "parameters": new})
        commit.publish()
