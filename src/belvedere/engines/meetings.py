"""Which leaves of a plan are looked up by the values of which others.

Where a join or semijoin says that two plain columns are equal, rows of one side whose value the other side does not have
are dropped there. So they need not be read: a leaf below can do without them, as long as nothing between it and the join
sees more than one value of the column at a time. The values that a column can have are at most those of the leaves it comes
from: filters and joins only take away. Where several columns are equal to those of one row, a leaf's row has to have all of
that row's values. This is a fact about the plan, whatever its leaves hold; a node remembers it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from belvedere.algebra.node import Node
from belvedere.algebra.ops import (
    Aggregate,
    Consolidate,
    Filter,
    Get,
    Join,
    Keys,
    Negate,
    OuterJoin,
    Positive,
    Project,
    Scale,
    SemiJoin,
    Share,
    Tally,
    UnionAll,
    Window,
    equi_pairs,
)
from belvedere.algebra.scalar import Scalar
from belvedere.algebra.types import DataType, Date, Integral, Schema, String
from belvedere.engines.bands import band, within

#: a leaf and columns of it, by their visible names
Source = tuple[Get, tuple[str, ...]]
#: plans with more paths than this are left alone
PATHS = 4_000
#: with so few rows on one side, all pairs are compared in no time: a value of everything, with its changes since files were
#: merged last
FEW = 16


@dataclass(frozen=True)
class Meeting:
    """Rows of a leaf matter only if these columns have values that a row of one of the sources has; NULL meets NULL. Or, of a
    band: one column has a value from the first source to the second, as long as the third is 0."""

    columns: tuple[str, ...]
    sources: tuple[Source, ...]
    band: bool = False


#: for each place at which a leaf stands, the meetings that hold there: one of them is enough to narrow it
Places = tuple[tuple[Meeting, ...], ...]


def meetings(node: Node) -> Mapping[Get, Places]:
    """The leaves that meet others wherever they stand."""
    known: Mapping[Get, Places] | None = node.__dict__.get("_meetings")
    if known is None:
        walk = _Walk()
        whole = walk.visit(node, ())
        found = {g: tuple(dict.fromkeys(p)) for g, p in walk.found.items() if all(p)} if whole else {}
        one: dict[Meeting, Meeting] = {}  # equal ones are one object, so that who asks the same of many can remember it
        same = {g: tuple(tuple(one.setdefault(m, m) for m in place) for place in p) for g, p in found.items()}
        known = node.__dict__["_meetings"] = same
    return known


def all_pairs(node: Node, rows: Callable[[Get], int]) -> bool:
    """Whether a join of the plan has no equality to go by, and more than a few rows on both sides: where an engine does not know
    how many rows there will be, it compares all pairs."""
    known: tuple[Join | SemiJoin | OuterJoin, ...] | None = node.__dict__.get("_unequal")
    if known is None:
        joins = (n for n in node.walk() if isinstance(n, (Join, SemiJoin, OuterJoin)))
        known = tuple(j for j in joins if not (equi_pairs(j.on, j.left.schema, j.right.schema) or _null_safe(j.on)))
        node.__dict__["_unequal"] = known
    return any(not any(_is_few(side, rows) for side in j.inputs) for j in known)


def _is_few(node: Node, rows: Callable[[Get], int]) -> bool:
    """A few rows in any case: one for everything, or no more than a leaf has."""
    match node:
        case Get():
            return rows(node) <= FEW
        case Aggregate(keys=()) | Tally(keys=()):
            return True
        case Filter() | Project() | Keys() | Negate() | Share() | Consolidate() | Positive():
            return _is_few(node.inputs[0], rows)
        case Join(left=a, right=b):
            return _is_few(a, rows) and _is_few(b, rows)
        case _:
            return False


def _null_safe(on: Scalar) -> bool:
    return any(isinstance(part.expr, exp.NullSafeEQ) for part in on.conjuncts())


@dataclass
class _Walk:
    found: dict[Get, list[tuple[Meeting, ...]]] = field(default_factory=dict)
    paths: int = 0
    #: what stands in several places with the same things held is looked at once
    seen: set[tuple[int, tuple[Meeting, ...]]] = field(default_factory=set)

    def visit(self, node: Node, held: tuple[Meeting, ...]) -> bool:
        """Note the leaves below a node of whose rows only those matter that meet what is held. False: too many paths."""
        if isinstance(node, Share):
            if (id(node), held) in self.seen:
                return True
            self.seen.add((id(node), held))
        self.paths += 1
        if self.paths > PATHS:
            return False
        match node:
            case Get():
                self.found.setdefault(node, []).append(held)
                return True
            case Filter(input=i) | Consolidate(input=i) | Positive(input=i) | Negate(input=i) | Scale(input=i) | Share(input=i):
                return self.visit(i, held)
            case Project(input=i, items=items) | Keys(input=i, items=items):
                bands = tuple(m for h in held if h.band and (m := _mapped(h, {n: within(s) for n, s in items})) is not None)
                return self.visit(i, (*_renamed((h for h in held if not h.band), {n: s.column for n, s in items}), *bands))
            case Aggregate(input=i, keys=keys) | Tally(input=i, keys=keys):
                # a group is made of the rows that have its keys, and of no others
                return self.visit(i, _renamed(held, {n: s.column for n, s in keys}))
            case Window(input=i, partition=partition):
                return self.visit(i, _renamed(held, {c: c for c in partition}))
            case UnionAll(parts=parts):
                named = ((p, dict(zip(node.schema.names, p.schema.names, strict=True))) for p in parts)
                return all(self.visit(p, _renamed(held, names)) for p, names in named)
            case Join(left=a, right=b, on=on):
                pairs = _pairs(on, a.schema, b.schema)
                flipped = _flipped(pairs)
                left = (*_of(held, a.schema), *_carried(held, flipped), *_met(flipped, b), *_between(on, a.schema, b))
                right = (*_of(held, b.schema), *_carried(held, pairs), *_met(pairs, a), *_between(on, b.schema, a))
                return self.visit(a, left) and self.visit(b, right)
            case SemiJoin(left=a, right=b, on=on, anti=anti):
                pairs = _pairs(on, a.schema, b.schema)
                left = held if anti else (*held, *_met(_flipped(pairs), b))
                return self.visit(a, left) and self.visit(b, (*_carried(held, pairs), *_met(pairs, a)))
            case OuterJoin(left=a, right=b, on=on, kind="left"):
                return self._outer(a, b, _pairs(on, a.schema, b.schema), held)
            case OuterJoin(left=a, right=b, on=on, kind="right"):
                return self._outer(b, a, _pairs(on, b.schema, a.schema), held)
            case _:
                return all(self.visit(i, ()) for i in node.inputs)

    def _outer(self, kept: Node, other: Node, pairs: list[tuple[str, str]], held: tuple[Meeting, ...]) -> bool:
        """Of the side that is kept, all rows count that count above; of the other one, those that they meet. What is held
        of the other side's columns says nothing: a row that it lacks makes another one, of NULLs."""
        inside = _of(held, kept.schema)
        return self.visit(kept, inside) and self.visit(other, (*_carried(inside, pairs), *_met(pairs, kept)))


def _pairs(on: Scalar, left: Schema, right: Schema) -> list[tuple[str, str]]:
    """(left column, right column) of each conjunct that says they are equal, of types whose equality is plain."""
    found = []
    for part in on.conjuncts():
        if not isinstance(part.expr, (exp.EQ, exp.NullSafeEQ)):
            continue
        a, b = part.expr.left.unnest(), part.expr.right.unnest()
        if not (isinstance(a, exp.Column) and isinstance(b, exp.Column)):
            continue
        mine, theirs = (a.name, b.name) if a.name in left else (b.name, a.name)
        if mine in left and theirs in right and _plain(left[mine].type) and left[mine].type == right[theirs].type:
            found.append((mine, theirs))
    return found


def _flipped(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(b, a) for a, b in pairs]


def _plain(t: DataType) -> bool:
    """Types in which equal values look the same. Floating numbers do not: there are two zeros and many NaN."""
    return isinstance(t, (Integral, String, Date))


def _met(pairs: Iterable[tuple[str, str]], other: Node) -> list[Meeting]:
    """What the second column of each pair meets in the first, which is the other side's: each alone, and those together that
    are of one row there."""
    every = list(pairs)
    found = [Meeting((mine,), tuple(dict.fromkeys(s))) for theirs, mine in every if (s := _sources(other, theirs))]
    if len(every) > 1:
        mine = _once(every)
        for columns, sources in _joint(other, tuple(mine)):
            if len(columns) > 1:
                found.append(Meeting(tuple(mine[c] for c in columns), tuple(dict.fromkeys(sources))))
    return found


def _once(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Pairs in which no column comes twice, on either side; the first ones count."""
    found: dict[str, str] = {}
    for theirs, mine in pairs:
        if theirs not in found and mine not in found.values():
            found[theirs] = mine
    return found


def _between(on: Scalar, rows: Schema, ends: Node) -> list[Meeting]:
    """What a column meets in the ends of a band, where these are a leaf."""
    found = band(on, rows, ends.schema) if isinstance(ends, Get) else None
    if found is None or not isinstance(ends, Get):
        return []
    return [Meeting((found.column,), tuple((ends, (c,)) for c in (found.low, found.high, found.sum)), band=True)]


def _carried(held: Iterable[Meeting], pairs: Iterable[tuple[str, str]]) -> list[Meeting]:
    """What is held of the first columns of pairs holds of the second ones, which are equal to them."""
    known = list(pairs)
    alone = [replace(m, columns=(b,)) for m in held if len(m.columns) == 1 for a, b in known if m.columns == (a,)]
    several = (m for m in held if len(m.columns) > 1)
    return [*alone, *(n for m in several if (n := _mapped(m, dict(known))) is not None)]


def _of(held: Iterable[Meeting], schema: Schema) -> tuple[Meeting, ...]:
    return _renamed(held, {c: c for c in schema.names})


def _renamed(held: Iterable[Meeting], names: Mapping[str, str | None]) -> tuple[Meeting, ...]:
    """Below a projection: of columns that it takes as they are."""
    return tuple(n for m in held if (n := _mapped(m, names)) is not None)


def _mapped(meeting: Meeting, names: Mapping[str, str | None]) -> Meeting | None:
    """The meeting of the columns that have another name, as far as they are several: each alone is a meeting of its own."""
    there: list[tuple[int, str]] = []
    for at, column in enumerate(meeting.columns):
        new = names.get(column)
        if new is not None and all(new != other for _, other in there):  # two columns may be one below
            there.append((at, new))
    if len(there) == len(meeting.columns):
        return replace(meeting, columns=tuple(new for _, new in there))
    if len(there) < 2:
        return None
    sources = dict.fromkeys((g, tuple(columns[at] for at, _ in there)) for g, columns in meeting.sources)
    return Meeting(tuple(new for _, new in there), tuple(sources))


def _joint(node: Node, columns: tuple[str, ...]) -> list[tuple[tuple[str, ...], tuple[Source, ...]]]:
    """The columns, parted so that those of one part are of one row of a leaf, and leaves that together have all such rows."""
    match node:
        case Get():
            return [(columns, ((node, columns),))]
        case Filter(input=i) | Consolidate(input=i) | Positive(input=i) | Negate(input=i) | Scale(input=i) | Share(input=i):
            return _joint(i, columns)
        case Project(input=i, items=items) | Keys(input=i, items=items):
            return _below(i, columns, {n: s.column for n, s in items})
        case Aggregate(input=i, keys=keys) | Tally(input=i, keys=keys):
            return _below(i, columns, {n: s.column for n, s in keys})
        case Window(input=i):
            return _below(i, columns, {n: n for n in i.schema.names})
        case UnionAll(parts=parts):
            found: list[tuple[tuple[str, ...], tuple[Source, ...]]] = [(columns, ())]
            for p in parts:
                mine = _below(p, columns, dict(zip(node.schema.names, p.schema.names, strict=True)))
                found = [both for one in found for other in mine if (both := _both(one, other)) is not None]
            return found
        case Join(left=a, right=b):
            sides = (tuple(c for c in columns if c in side.schema) for side in (a, b))
            return [part for side, mine in zip((a, b), sides, strict=True) if mine for part in _joint(side, mine)]
        case SemiJoin(left=a):
            return _joint(a, columns)
        case _:
            return []


def _below(
    node: Node, columns: tuple[str, ...], names: Mapping[str, str | None]
) -> list[tuple[tuple[str, ...], tuple[Source, ...]]]:
    """Of an input in which columns have other names."""
    known = {below: c for c in columns if (below := names.get(c)) is not None}
    return [(tuple(known[c] for c in part), sources) for part, sources in _joint(node, tuple(known))] if known else []


def _both(
    one: tuple[tuple[str, ...], tuple[Source, ...]], other: tuple[tuple[str, ...], tuple[Source, ...]]
) -> tuple[tuple[str, ...], tuple[Source, ...]] | None:
    """What two parts of a union have in common; None if that is less than two columns."""
    common = tuple(c for c in one[0] if c in other[0])
    if len(common) < 2:
        return None
    cut = (
        tuple((g, tuple(cs[part.index(c)] for c in common)) for g, cs in sources) for part, sources in (one, other)
    )
    return common, tuple(s for sources in cut for s in sources)


def _sources(node: Node, column: str) -> tuple[Source, ...]:
    """Leaves that together have every value of a column; none if that cannot be told."""
    match node:
        case Get():
            return ((node, (column,)),)
        case Filter(input=i) | Consolidate(input=i) | Positive(input=i) | Negate(input=i) | Scale(input=i) | Share(input=i):
            return _sources(i, column)
        case Project(input=i, items=items) | Keys(input=i, items=items):
            below = dict(items)[column].column
            return _sources(i, below) if below is not None else ()
        case Aggregate(input=i, keys=keys) | Tally(input=i, keys=keys):
            key = dict(keys).get(column)
            return _sources(i, key.column) if key is not None and key.column is not None else ()
        case Window(input=i) if column in i.schema:
            return _sources(i, column)
        case UnionAll(parts=parts):
            at = node.schema.names.index(column)
            found = [_sources(p, p.schema.names[at]) for p in parts]
            return tuple(s for f in found for s in f) if all(found) else ()
        case Join(left=a, right=b):
            return _sources(a if column in a.schema else b, column)
        case SemiJoin(left=a):
            return _sources(a, column)
        case _:
            return ()
