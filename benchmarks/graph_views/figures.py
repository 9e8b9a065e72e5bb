"""The paper's Figs 13 to 18, each a program that says what it is doing and fills a figure."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.graph_views import guide, layers
from benchmarks.graph_views.measure import Figure, Setting, compare

import belvedere as bv

#: what the paper's model gives for edges at its sizes: so many times fewer objects fetched than recomputation
PAPER = 100
#: from this many restaurants on the paper's own figure must be reached
PAPER_SIZE = 1_000


def figure13(figure: Figure, setting: Setting) -> Iterator[str]:
    """Each kind of update, under the view of Example 2, half of which is selected."""
    count = setting.restaurants[0]
    yield f"loading {count:,} restaurants"
    with bv.open(setting.directory / "fig13", engine=setting.engine) as wh:
        figure.facts["edges"] = guide.loaded(wh, setting.directory, count, setting.entrees)
        yield "making the view"
        view = wh.create_view("FavoriteEntrees", guide.FAVORITES, language="lorel")
        kinds = [*guide.edges(wh), *guide.values(wh), *guide.irrelevant(wh)]
        yield from compare(figure, wh, view, kinds, setting, {"restaurants": count})
    _bars(figure, count)


def figure14(figure: Figure, setting: Setting) -> Iterator[str]:
    """The position of the edge in a chain of eight."""
    yield "loading"
    with bv.open(setting.directory / "fig14", engine=setting.engine) as wh:
        figure.facts["edges"] = layers.load_chain(wh, setting.fanout)
        yield "making the view"
        view = wh.create_view("VF", layers.chain_view(layers.LENGTH), language="lorel")
        updates = [layers.at_level(wh, n) for n in range(1, layers.LENGTH + 1)]
        yield from compare(figure, wh, view, updates, setting, {"length": layers.LENGTH})
    _never_worse(figure)


def figure15(figure: Figure, setting: Setting) -> Iterator[str]:
    """The length of the chain; the edge is in its middle."""
    yield "loading"
    with bv.open(setting.directory / "fig15", engine=setting.engine) as wh:
        figure.facts["edges"] = layers.load_chain(wh, setting.fanout)
        for length in range(3, layers.LENGTH + 1):
            yield f"a view of length {length}"
            view = wh.create_view("VF", layers.chain_view(length), language="lorel")
            update = layers.at_level(wh, length // 2 + 1)
            yield from compare(figure, wh, view, [update], setting, {"length": length})
            wh.drop_view("VF")
    _never_worse(figure)


def figure16(figure: Figure, setting: Setting) -> Iterator[str]:
    """The size of the database."""
    for count in setting.restaurants:
        yield f"loading {count:,} restaurants"
        with bv.open(setting.directory / f"fig16-{count}", engine=setting.engine) as wh:
            guide.loaded(wh, setting.directory, count, setting.entrees)
            yield "making the view"
            view = wh.create_view("FavoriteEntrees", guide.FAVORITES, language="lorel")
            yield from compare(figure, wh, view, guide.edges(wh), setting, {"restaurants": count})
    _bars(figure, max(setting.restaurants))


def figure17(figure: Figure, setting: Setting) -> Iterator[str]:
    """The part that the where clause selects."""
    count = setting.restaurants[0]
    for selectivity in (0.01, 0.1, 0.25, 0.5, 0.75, 1.0):
        yield f"loading {count:,} restaurants"
        with bv.open(setting.directory / f"fig17-{selectivity}", engine=setting.engine) as wh:
            guide.loaded(wh, setting.directory, count, setting.entrees, selectivity)
            yield f"making the view, selectivity {selectivity:.0%}"
            view = wh.create_view("FavoriteEntrees", guide.FAVORITES, language="lorel")
            kinds = [guide.edges(wh)[3], *guide.values(wh), guide.irrelevant(wh)[2]]
            yield from compare(figure, wh, view, kinds, setting, {"selectivity": selectivity})
    _bars(figure, count)


def figure18(figure: Figure, setting: Setting) -> Iterator[str]:
    """How often the label of the edge occurs in the view."""
    size = 3 * setting.fanout
    for legend, same in layers.LEGENDS.items():
        yield f"loading {legend}"
        with bv.open(setting.directory / f"fig18-{legend.replace(' ', '')}", engine=setting.engine) as wh:
            figure.facts["edges"] = layers.load_labels(wh, size, same)
            yield f"making the view, L for {legend}"
            view = wh.create_view("VarLabel", layers.labels_view(same), language="lorel")
            update = guide.edge("L", "&a_0" if 1 not in same else "&a", "L", "&s")
            yield from compare(figure, wh, view, [update], setting, {"L for": legend})
    _never_worse(figure)


def _bars(figure: Figure, restaurants: int) -> None:
    """At the paper's size an edge fetches 100 times less, and no change of a value is ever worse than recomputation."""
    _never_worse(figure)
    if restaurants >= PAPER_SIZE:
        large = [p for p in figure.points if p.get("restaurants", PAPER_SIZE) >= PAPER_SIZE]
        edges = [p for p in large if not str(p["update"]).startswith("Chg")]
        least = min(edges, key=lambda p: float(p["times fewer"]))
        found = f"{least['times fewer']:,.0f} times, {least['update']}"
        figure.bar(f"an edge fetches {PAPER} times fewer objects", least["times fewer"] >= PAPER, found)


def _never_worse(figure: Figure) -> None:
    """Not in objects fetched; what it is in time is told."""
    least = min(figure.points, key=lambda p: float(p["times fewer"]))
    found = f"{least['times fewer']:,.1f} times fewer objects, {least['update']}"
    figure.bar("never worse than recomputation", least["times fewer"] >= 1, found)
    worst = max(figure.points, key=lambda p: float(p["ms"] / p["recompute ms"]))
    figure.facts["the slowest took of its recomputation"] = f"{worst['ms'] / worst['recompute ms']:.2f} ({worst['update']})"


FIGURES = {
    "fig13": ("Fig 13: kinds of updates", figure13),
    "fig14": ("Fig 14: the position of the bound variable", figure14),
    "fig15": ("Fig 15: the length of the from clause", figure15),
    "fig16": ("Fig 16: the size of the database", figure16),
    "fig17": ("Fig 17: the selectivity of the where clause", figure17),
    "fig18": ("Fig 18: occurrences of the label", figure18),
}
