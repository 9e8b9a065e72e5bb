"""A whole column of given values → the stored column, checked with Arrow where the type is plain, else value by value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from belvedere.algebra.types import to_arrow
from belvedere.changes.column import from_arrow, from_python
from belvedere.errors import TypeMismatch, UnknownName, suggest
from belvedere.objects.literal import RANGES
from belvedere.objects.model import Property
from belvedere.objects.oid import SERIAL_BITS, Oid
from belvedere.objects.types import CollectionType, Enum, OType, Primitive, Ref, data_type
from belvedere.warehouse.objects.values import Values

if TYPE_CHECKING:
    from belvedere.warehouse.objects.session import Session

_BY_VALUE = ("time", "interval")


class BatchColumns:
    """Converts the columns of one batch and remembers all objects that they refer to."""

    def __init__(self, session: Session, cls: str) -> None:
        self.session, self.cls = session, cls
        self._references: dict[int, tuple[list[pa.Array], str]] = {}
        self._values = Values(lambda: session.model, self._refer)

    def convert(self, p: Property, given: list[Any] | pa.ChunkedArray) -> pa.Array:
        where = f"{self.cls}.{p.name}"
        t = p.type
        if isinstance(t, CollectionType) and isinstance(t.element, Ref):
            return self._reference_lists(t, t.element, given, where)
        if isinstance(t, (Primitive, Enum, Ref)) and not (isinstance(t, Primitive) and t.name in _BY_VALUE):
            column = self._plain(t, given, p.name)
            self._check(t, column, where)
            return column
        rows = given if isinstance(given, list) else given.to_pylist()
        stored = [self._values.stored(t, v, f"{where}, row {i + 1}") for i, v in enumerate(rows)]
        return pa.array(stored, to_arrow(data_type(t)))

    def references(self) -> dict[int, tuple[pa.Array, str]]:
        """Class number → objects of that class, and where one was given."""
        return {n: (pa.concat_arrays(parts), where) for n, (parts, where) in self._references.items()}

    def _plain(self, t: OType, given: list[Any] | pa.ChunkedArray, column: str) -> pa.Array:
        data, what = data_type(t), f"class {self.cls}"
        if isinstance(given, list):
            return from_python(given, data, what=what, column=column)
        made = from_arrow(given, data, what=what, column=column).combine_chunks()
        return made if isinstance(made, pa.Array) else pa.concat_arrays(made.chunks)

    def _check(self, t: OType, column: pa.Array, where: str) -> None:
        match t:
            case Ref():
                self._check_references(t, column, where)
            case Enum(members=members):
                known = pc.is_in(column, value_set=pa.array(members, pa.string()))
                self._refuse(pc.or_(known, pc.is_null(column)), column, where, lambda v: suggest(v, list(members)))
            case Primitive(name="char"):
                self._refuse(pc.equal(pc.utf8_length(column), 1), column, where, lambda v: "; give one character")
            case Primitive(name=name) if name in RANGES:
                low, high = RANGES[name]
                fits = pc.and_(pc.greater_equal(column, low), pc.less_equal(column, high))
                self._refuse(fits, column, where, lambda v: f"; {t} goes from {low} to {high}")

    @staticmethod
    def _refuse(fits: pa.Array, column: pa.Array, where: str, hint: Any) -> None:
        at = pc.index(fits, False).as_py()
        if at >= 0:
            value = column[at].as_py()
            raise TypeMismatch(f"{where}, row {at + 1}: {value!r} does not fit{hint(value)}")

    def _reference_lists(self, t: CollectionType, ref: Ref, given: list[Any] | pa.ChunkedArray, where: str) -> pa.Array:
        kept = to_arrow(data_type(t))
        if isinstance(given, list):
            rows = [[] if v is None else self._values.collection(t, v, f"{where}, row {i + 1}") for i, v in enumerate(given)]
            return pa.array(rows, kept)
        column = self._plain(t, given, where)
        column = pc.if_else(pc.is_valid(column), column, pa.scalar([], kept)) if column.null_count else column
        members = pc.list_flatten(column)
        if members.null_count:
            raise TypeMismatch(f"{where}: nil is no member of a {t}; leave it out")
        self._check_references(ref, members, where)
        return column

    def _check_references(self, t: Ref, oids: pa.Array, where: str) -> None:
        """Each is of the class or of one below it."""
        oids = oids.drop_null()
        numbers = pc.shift_right(oids, SERIAL_BITS)
        model = self.session.model
        allowed = {model.classes[c].number for c in model.below(t.cls)}
        for number in pc.unique(numbers).to_pylist():
            those = oids.filter(pc.equal(numbers, number))
            if number not in allowed:
                first = those[0].as_py()
                found = model.class_of(first)
                if found is None:
                    raise UnknownName(f"{where}: there is no object {first}; give the Oid of an object of {t.cls}, or None")
                message = f"{Oid(first, found.name)!r} is an object of {found.name}, and {t.cls} is expected"
                raise TypeMismatch(f"{where}: {message}")
            self._references.setdefault(number, ([], where))[0].append(those)

    def _refer(self, oid: int, where: str) -> None:
        self._references.setdefault(oid >> SERIAL_BITS, ([], where))[0].append(pa.array([oid], pa.int64()))
