"""The identity of an object: a bigint with the number of its class in the high bits and a serial in the low 40."""

from __future__ import annotations

SERIAL_BITS = 40
MAX_SERIAL = (1 << SERIAL_BITS) - 1
MAX_CLASS = (1 << 63 - SERIAL_BITS) - 1


class Oid(int):
    """An object's identity, an int that shows its class.

    >>> Oid(make_oid(3, 17), "employee")
    employee:17
    """

    cls: str

    def __new__(cls, value: int, name: str = "") -> Oid:
        made = super().__new__(cls, value)
        made.cls = name
        return made

    @property
    def serial(self) -> int:
        return serial_of(self)

    def __repr__(self) -> str:
        return f"{self.cls}:{self.serial}" if self.cls else f"Oid({int(self)})"

    def __str__(self) -> str:
        # the bare number, so that an Oid can stand in a query's text
        return int.__repr__(self)

    def __getnewargs__(self) -> tuple[int, str]:  # type: ignore[override]
        return int(self), self.cls


def make_oid(number: int, serial: int) -> int:
    return number << SERIAL_BITS | serial


def class_number(oid: int) -> int:
    return oid >> SERIAL_BITS


def serial_of(oid: int) -> int:
    return oid & MAX_SERIAL
