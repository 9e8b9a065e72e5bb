"""Databases in layers under one name: section 5.2's chain L1…L8, and section 5.6's six labels.

The paper's chain has 10^11 objects, which a formula can count and a disk cannot hold; ours has its shape and a smaller fanout.
"""

from __future__ import annotations

from typing import Any

from benchmarks.graph_views.guide import edge, root
from benchmarks.graph_views.measure import Update

import belvedere as bv

LENGTH = 8


def chain(oid: str, level: int, fanouts: tuple[int, ...]) -> dict[str, Any]:
    """A tree whose edges at each level have the level's label."""
    if level == len(fanouts):
        return {"&id": oid}
    return {"&id": oid, f"L{level + 1}": [chain(f"{oid}_{n}", level + 1, fanouts) for n in range(fanouts[level])]}


def fanouts(size: int) -> tuple[int, ...]:
    """As in the paper the first two levels are wider than the others."""
    return (4 * size, 2 * size, *[size] * (LENGTH - 2))


def load_chain(wh: bv.Warehouse, size: int) -> int:
    wh.load_oem("A", chain("&a", 0, fanouts(size)))
    wh.load_oem("Spare", {"Kept": chain("&s", 1, (1, *[size] * (LENGTH - 1)))})  # an L1 object, and all below it
    [row] = wh.query("select count(*) n from oem.edges").rows()
    return int(row["n"])


def chain_view(length: int) -> str:
    steps = ", ".join(f"{'A' if n == 1 else f'z{n - 1}'}.L{n} z{n}" for n in range(1, length + 1))
    return f"define view VF as VF = select z2 from {steps}"


def at_level(wh: bv.Warehouse, level: int) -> Update:
    """An edge of that level, from the tree of A to the spare one."""
    source = root(wh, "A") if level == 1 else "&a" + "_0" * (level - 1)
    return edge(f"L{level}", source, f"L{level}", "&s" + "_0" * (level - 1))


# section 5.6

#: how many of the view's labels are the one label L of the update
LEGENDS: dict[str, tuple[int, ...]] = {
    "L1": (1,), "L2": (2,), "L1 L2": (1, 2), "L2 L3": (2, 3), "L1 L2 L3": (1, 2, 3), "L6": (6,), "L1 L6": (1, 6),
}  # fmt: skip


def labels(same: tuple[int, ...]) -> dict[int, str]:
    return {n: "L" if n in same else f"L{n}" for n in range(1, 7)}


def load_labels(wh: bv.Warehouse, size: int, same: tuple[int, ...]) -> int:
    """`size` subobjects for each label: x under A, y and the adjunct under x, z and a value under y, a value under z."""
    name = labels(same)

    def below(oid: str, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {"&id": oid}
        if depth == 1:
            _more(found, name[2], [below(f"{oid}_{n}", 2) for n in range(size)])
            _more(found, name[6], [{"&id": f"{oid}w{n}"} for n in range(size)])
        elif depth == 2:
            _more(found, name[3], [below(f"{oid}_{n}", 3) for n in range(size)])
            _more(found, name[4], [n * 20 // size for n in range(size)])
        elif depth == 3:
            _more(found, name[5], [n * 14 // size for n in range(size)])
        return found

    wh.load_oem("A", {"&id": "&a", name[1]: [below(f"&a_{n}", 1) for n in range(size)]})
    wh.load_oem("Spare", {"Kept": below("&s", 1)})
    [row] = wh.query("select count(*) n from oem.edges").rows()
    return int(row["n"])


def _more(found: dict[str, Any], label: str, items: list[Any]) -> None:
    found[label] = [*found.get(label, []), *items]


def labels_view(same: tuple[int, ...]) -> str:
    n = labels(same)
    return (
        f"define view VarLabel as VL = select x from A.{n[1]} x, x.{n[2]} y, y.{n[3]} z "
        f"where y.{n[4]} < 10 and z.{n[5]} > 7 with x.{n[6]}"
    )
