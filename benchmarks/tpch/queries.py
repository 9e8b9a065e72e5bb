"""The 22 queries in Spark's SQL, with the parameters of the standard's validation run."""

from __future__ import annotations

from pathlib import Path
from string import Template

NAMES: tuple[str, ...] = tuple(f"q{n:02}" for n in range(1, 23))

_HERE = Path(__file__).with_name("sql")


def query(name: str, scale: float) -> str:
    """The text of a query. Only q11 depends on the scale: the standard sets its FRACTION to 0.0001 / SF.

    >>> query("q06", 1).splitlines()[0]
    'select sum(l_extendedprice * l_discount) as revenue'
    >>> "* 0.01\\n" in query("q11", 0.01)
    True
    """
    fraction = f"{0.0001 / scale:.10f}".rstrip("0")
    return Template((_HERE / f"{name}.sql").read_text()).substitute(fraction=fraction)


def chosen(names: str | None) -> tuple[str, ...]:
    """Names from a list like "q1,q03,14"; all if there is none.

    >>> chosen("q1,q03,14")
    ('q01', 'q03', 'q14')
    """
    if names is None:
        return NAMES
    wanted = tuple(f"q{int(n.strip().lower().lstrip('q')):02}" for n in names.split(","))
    unknown = [n for n in wanted if n not in NAMES]
    if unknown:
        raise SystemExit(f"there is no query {', '.join(unknown)}; there are q1 to q22")
    return wanted
