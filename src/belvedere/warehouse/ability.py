"""Which engines can run a plan, and what a finished refresh adds up to."""

from __future__ import annotations

from collections.abc import Sequence

from belvedere.algebra.node import Node
from belvedere.errors import Unsupported
from belvedere.planning.choice import Choice
from belvedere.warehouse.core import Core
from belvedere.warehouse.definition import Definition
from belvedere.warehouse.report import Refresh, Step
from belvedere.warehouse.schemas.fragments import FRAGMENTS, stage_name


def able_engines(core: Core, nodes: Sequence[Node], allowed: Sequence[str], *, strict: bool = False) -> Sequence[str]:
    """Those of the engines that can run all the plans; an error that names the reason if none can. With one engine there is
    nothing to choose, and it says so itself when it cannot run a plan; `strict` asks it beforehand."""
    if "duckdb" not in allowed or (len(allowed) == 1 and not strict):
        return allowed
    reason = next((r for n in nodes if (r := core.duckdb.supports(n)) is not None), None)
    rest = tuple(e for e in allowed if reason is None or e != "duckdb")
    if not rest:
        raise Unsupported(f"{reason}; open the warehouse with engine='auto' or 'spark'")
    return rest


def summary(
    d: Definition, strategy: str, choice: Choice, steps: Sequence[Step], rows_in: int, written: int, size: int
) -> Refresh:
    engines = sorted({s.engine for s in steps}) or [choice.chosen.engine]
    # of a SchemaSQL view the fragments count; what is kept beside them says something about them
    main = d.plan.stages[-1].name if d.schema is None else stage_name(d.name, FRAGMENTS)
    last = sum(s.rows_out for s in steps if s.name == main)
    return Refresh(
        view=d.name, epoch=0, strategy=strategy, engine="+".join(engines), reason=choice.reason, rows_in=rows_in, rows_out=last,
        rows_read=sum(s.rows_read for s in steps), bytes_read=sum(s.bytes_read for s in steps), rows_written=written,
        bytes_written=size, files=sum(s.files for s in steps), jobs=sum(s.jobs for s in steps),
        estimate=choice.chosen.seconds or None,
        expected=choice.chosen.expected,
        steps=tuple(steps),
    )  # fmt: skip
