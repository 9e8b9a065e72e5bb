"""Comparisons under Lorel's coercions as conditions of the algebra; the twin of `constants.satisfies`.

Each gives true where the comparison holds, and false or NULL where it does not: only what is true counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from belvedere.algebra.scalar import Scalar, col, compare, conjunction, disjunction, integer, null, string
from belvedere.algebra.types import BigInt, Column, Double, Schema, String
from belvedere.algebra.typing import scalar
from belvedere.languages.lorel.constants import NUMBER_PATTERN, Constant
from belvedere.languages.lorel.syntax import Label

_SQL = {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_LIKE_ESCAPE = "!"


@dataclass(frozen=True)
class Atom:
    """An atomic value as scalars: the columns of oem.values, or constants."""

    type: Scalar
    integer: Scalar
    number: Scalar
    text: Scalar


def atom_of(constant: Constant) -> Atom:
    number = constant.number
    return Atom(
        string(constant.type),
        literal_integer(int(constant.text)) if constant.type == "int" else null(BigInt()),
        null(Double()) if number is None else real(number),
        string(constant.text),
    )


def atom_of_text(text: Scalar) -> Atom:
    """A label stands for a string."""
    return Atom(string("string"), null(BigInt()), number_of_text(text), text)


def number_of_text(text: Scalar) -> Scalar:
    """The number that a string reads as, NULL if it is none or too large for one."""
    schema = Schema((Column("t", String()),))
    pattern = exp.Literal.string(NUMBER_PATTERN).sql("spark")
    number = "cast(t as double)"
    finite = f"case when abs({number}) < double('infinity') then {number} end"
    made = scalar(f"case when t rlike {pattern} then {finite} end", schema)
    return made.substitute({"t": text})


def real(value: float) -> Scalar:
    """A double constant, exactly."""
    return scalar(f"cast('{value!r}' as double)", Schema(()))


def literal_integer(value: int) -> Scalar:
    if value == -(2**63):  # its absolute value is no bigint
        return scalar(f"cast('{value}' as bigint)", Schema(()))
    return integer(value)


def compares(op: str, a: Atom, b: Atom) -> Scalar:
    """a op b, whatever the two are."""
    if op in ("=", "!="):
        return disjunction(equalities(a, b, _SQL[op]))
    kind = compare("=", a.type, b.type)
    texts = scalar("t in ('string', 'bool', 'date', 'timestamp')", Schema((Column("t", String()),))).substitute({"t": a.type})
    by_integer = conjunction([compare("=", a.type, string("int")), kind, compare(_SQL[op], a.integer, b.integer)])
    by_text = conjunction([texts, kind, compare(_SQL[op], a.text, b.text)])
    reals = conjunction([kind, compare("=", a.type, string("real"))])
    by_number = conjunction([disjunction([compare("<>", a.type, b.type), reals]), compare(_SQL[op], a.number, b.number)])
    return disjunction([by_integer, by_text, by_number])


def equalities(a: Atom, b: Atom, op: str = "=") -> tuple[Scalar, Scalar]:
    """a = b in two parts, each an equation that an engine can join by: equal texts of one type, equal numbers."""
    kind = compare("=", a.type, b.type)
    texts = conjunction([kind, compare("<>", a.type, string("real")), compare(op, a.text, b.text)])
    numeric = disjunction([compare("<>", a.type, b.type), compare("=", a.type, string("real"))])
    return texts, conjunction([numeric, compare(op, a.number, b.number)])


def compares_constant(op: str, a: Atom, constant: Constant) -> Scalar:
    """a op constant, with no more in it than a constant of this type needs."""
    b = atom_of(constant)
    if op == "like":
        return conjunction([compare("=", a.type, string("string")), like(a.text, str(constant.value))])
    number = constant.number
    kind = compare("=", a.type, string(constant.type))
    own = {"int": (a.integer, b.integer), "real": (a.number, b.number)}.get(constant.type, (a.text, b.text))
    alike = conjunction([kind, compare(_SQL[op], *own)])
    if number is None:
        return alike
    mixed = conjunction([compare("<>", a.type, string(constant.type)), compare(_SQL[op], a.number, b.number)])
    return disjunction([alike, mixed])


def like(text: Scalar, pattern: str) -> Scalar:
    """Whether a text fits a pattern, in which % alone is special."""
    escaped = "".join(_LIKE_ESCAPE + c if c in ("_", _LIKE_ESCAPE) else c for c in pattern)
    shown = exp.Literal.string(escaped).sql("spark")
    made = scalar(f"t like {shown} escape '{_LIKE_ESCAPE}'", Schema((Column("t", String()),)))
    return made.substitute({"t": text})


def fits(label: Column, tests: tuple[Label, ...]) -> Scalar | None:
    """Whether a label is one of these; None where any is."""
    if any(t.any for t in tests):
        return None
    text = col(label)
    parts = [like(text, t.text) if t.pattern else compare("=", text, string(t.text)) for t in tests]
    return parts[0] if len(parts) == 1 else disjunction(parts)
