"""The kit tried out on a warehouse that recomputes: right answers pass, planted faults are caught, replayed and made small."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import sqlglot
from tests.fuzz.check import Checker, Failure
from tests.fuzz.fake import FakeWarehouse, Fault, no_fault
from tests.fuzz.generator import SEQUENCES, VERSION, generate, once_failed
from tests.fuzz.model import Case, ViewSpec
from tests.fuzz.operators import OPERATORS, Operator, operator
from tests.fuzz.oracle import Oracle
from tests.fuzz.run import Options, replay_command
from tests.fuzz.scope import Query, Scope, Tally
from tests.fuzz.session import Session
from tests.fuzz.show import program
from tests.fuzz.shrink import shrink, smaller_texts


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


def run(case: Case, oracle: Oracle, fault: Fault = no_fault) -> Failure | None:
    return Checker(FakeWarehouse(case, fault), oracle).run(case)


@pytest.mark.parametrize("seed", range(12))
def test_recomputation_passes(seed: int, oracle: Oracle) -> None:
    assert run(generate(str(seed)), oracle) is None


def test_a_seed_is_a_case() -> None:
    assert generate("7") == generate("7")
    assert program(generate("7")) == program(generate("7"))
    assert generate("7").views != generate("8").views
    few = generate("7", views=3)
    assert few.views == generate("7").views[:3]
    assert few.transactions == generate("7").transactions


def loses_a_row(view: ViewSpec, rows: pa.Table) -> pa.Table:
    return rows.slice(1)


def doubles_a_row(view: ViewSpec, rows: pa.Table) -> pa.Table:
    return pa.concat_tables([rows, rows.slice(0, 1)])


def counts_too_far(view: ViewSpec, rows: pa.Table) -> pa.Table:
    for n, f in enumerate(rows.schema):
        if f.type == pa.int64() and "group by" in view.operators:
            return rows.set_column(n, f, pc.add(rows.column(n), 1))
    return rows


def loses_the_nulls(view: ViewSpec, rows: pa.Table) -> pa.Table:
    return rows.filter(pc.is_valid(rows.column(0)))


FAULTS = [loses_a_row, doubles_a_row, counts_too_far, loses_the_nulls]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_caught_within_a_few_seeds(fault: Fault, oracle: Oracle) -> None:
    found = next(f for f in (run(generate(str(s)), oracle, fault) for s in range(20)) if f is not None)
    assert found.check == "rows"
    assert found.step >= 0
    assert "missing" in found.message
    command = replay_command(found, Options(ops=("join", "group by")))
    assert command == f"python -m tests.fuzz --replay {found.case.seed}:{found.view} --ops 'join,group by'"


def test_a_failing_case_is_made_small(oracle: Oracle) -> None:
    """A fault that shows as soon as a view has a row needs one table, one view, one change."""
    found = next(f for f in (run(generate(str(s), views=1), oracle, doubles_a_row) for s in range(20)) if f is not None)
    small = shrink(found, lambda case: run(case, oracle, doubles_a_row), seconds=20)
    assert small.kind == found.kind
    assert len(small.case.views) == 1
    assert sum(len(t.changes) for t in small.case.transactions) <= 1
    assert sum(len(t.rows) for t in small.case.tables) <= 2
    assert len(small.case.views[0].text) <= len(found.case.keep(lambda v: v.name == found.view).views[-1].text)


def test_a_wrong_change_feed_is_caught(oracle: Oracle) -> None:
    case = generate("1")
    wh = FakeWarehouse(case)
    honest = wh.view

    class Silent:
        def __init__(self, name: str) -> None:
            self._view = honest(name)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._view, name)

        def changes(self, since: int) -> list[dict[str, Any]]:
            return []

    wh.view = Silent  # type: ignore[method-assign, assignment]
    failure = Checker(wh, oracle).run(case)
    assert failure is not None
    assert failure.check == "changes"


def test_an_error_is_a_failure_and_keeps_its_kind(oracle: Oracle) -> None:
    def breaks(view: ViewSpec, rows: pa.Table) -> pa.Table:
        raise ValueError("no such law")

    failure = run(generate("1"), oracle, breaks)
    assert failure is not None
    assert failure.kind == "error ValueError no such law"
    assert "while: " in failure.message


def test_a_wrong_type_is_caught(oracle: Oracle) -> None:
    def widens(view: ViewSpec, rows: pa.Table) -> pa.Table:
        at = [n for n, f in enumerate(rows.schema) if f.type == pa.int32()]
        return rows.set_column(at[0], rows.column_names[at[0]], rows.column(at[0]).cast(pa.int64())) if at else rows

    failures = [run(generate(str(s)), oracle, widens) for s in range(5)]
    assert "types" in {f.check for f in failures if f is not None}


def test_every_operator_and_change_appears(tmp_path: Path) -> None:
    with Session(opener=lambda folder: pytest.fail("no warehouse is needed to count")) as session:
        for seed in range(150):
            session.case(str(seed))
        coverage = session.coverage
    assert coverage.cases >= 150 * 7 * SEQUENCES
    assert set(coverage.tally.used) == set(OPERATORS)
    kinds = {k for _, k in coverage.met}
    assert kinds == {"insert", "delete", "update", "mixed", "truncate", "empty"}
    assert all(coverage.met[o, k] for o in OPERATORS for k in kinds)
    chains = [v for s in range(30) for v in generate(str(s)).views if any(r.startswith("v") for r in v.reads)]
    assert len(chains) > 20


def test_only_the_operators_asked_for() -> None:
    tally = Tally()
    for seed in range(10):
        generate(str(seed), ops=["join", "filter"], tally=tally)
    assert set(tally.used) == {"join", "filter"}


def test_a_new_operator_is_one_class(oracle: Oracle) -> None:
    @operator
    class Limitless(Operator):
        name = "limitless"

        def sql(self, rng: Any, scope: Scope) -> Query | None:
            source = scope.input()
            return source and Query(f"select {source.cols[0].sql} from {source.sql}", (source.cols[0],), source.size)

    try:
        case = generate("3", ops=["limitless"])
        assert case.views
        assert run(case, oracle) is None
        with pytest.raises(AssertionError, match="two operators are called limitless"):
            operator(Limitless)
    finally:
        del OPERATORS["limitless"]


def test_smaller_texts_are_queries() -> None:
    text = generate("2").views[2].text
    shorter = list(smaller_texts(text))
    assert shorter
    assert all(sqlglot.parse_one(t, dialect="spark") for t in shorter)
    assert text not in shorter


def test_the_program_of_a_case_compiles() -> None:
    for seed in range(10):
        compile(program(generate(str(seed))), "case", "exec")


def test_seeds_of_another_version_are_left_out() -> None:
    assert once_failed(f"# why\n\n{VERSION} 17:v3\n{VERSION - 1} 18\n{VERSION} 19\n") == ["17:v3", "19"]
