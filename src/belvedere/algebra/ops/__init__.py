"""The operators, one file each."""

from belvedere.algebra.ops.aggregate import Agg, Aggregate, SortKey
from belvedere.algebra.ops.closure import Closure
from belvedere.algebra.ops.consolidate import Consolidate
from belvedere.algebra.ops.explode import Explode
from belvedere.algebra.ops.filter import Filter
from belvedere.algebra.ops.get import Get, Version, gets
from belvedere.algebra.ops.join import Join, equi_pairs
from belvedere.algebra.ops.keys import Keys
from belvedere.algebra.ops.negate import Negate
from belvedere.algebra.ops.outer_join import OuterJoin
from belvedere.algebra.ops.positive import Positive
from belvedere.algebra.ops.project import Project, keep, renamed
from belvedere.algebra.ops.scale import Scale
from belvedere.algebra.ops.semi_join import SemiJoin
from belvedere.algebra.ops.share import Share
from belvedere.algebra.ops.tally import Tally
from belvedere.algebra.ops.top_k import TopK
from belvedere.algebra.ops.union_all import UnionAll
from belvedere.algebra.ops.values import Values
from belvedere.algebra.ops.window import Window, WindowCall

__all__ = [
    "Agg",
    "Aggregate",
    "Closure",
    "Consolidate",
    "Explode",
    "Filter",
    "Get",
    "Join",
    "Keys",
    "Negate",
    "OuterJoin",
    "Positive",
    "Project",
    "Scale",
    "SemiJoin",
    "Share",
    "SortKey",
    "Tally",
    "TopK",
    "UnionAll",
    "Values",
    "Version",
    "Window",
    "WindowCall",
    "equi_pairs",
    "gets",
    "keep",
    "renamed",
]
