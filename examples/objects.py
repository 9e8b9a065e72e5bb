"""Objects and a view over them in OQL: classes, a transaction, and the view follows.

    python examples/objects.py               # a warehouse in a temporary directory
    python examples/objects.py --in company  # one that stays
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import belvedere as bv

CLASSES = """
class Department (extent Departments) {
  attribute string name;
  relationship set<Employee> employees inverse Employee::dept;
};
class Employee (extent Employees) {
  attribute string name;
  attribute long salary;
  relationship Department dept inverse Department::employees;
};
"""
PAYROLL = """
select dept: dept.name,
       cost: sum(select p.e.salary from p in partition),
       staff: (select p.e.name from p in partition order by p.e.name)
from e in Employees
group by dept: e.dept
"""


def run(path: Path) -> None:
    with bv.open(path, engine="duckdb") as wh:
        wh.odl(CLASSES)
        with wh.transaction() as tx:
            research, sales = tx.new("Department", name="research"), tx.new("Department", name="sales")
            ann = tx.new("Employee", name="Ann", salary=100, dept=research)
            tx.new("Employee", name="Bob", salary=70, dept=research)
        payroll = wh.create_view("payroll", PAYROLL, language="oql")
        print(payroll.objects())

        with wh.transaction() as tx:  # one epoch
            tx.modify(ann, salary=120)
            tx.insert_element(sales, "employees", ann)  # the other side of the relationship follows
        print(payroll.refresh())
        print(payroll.objects())
        print(payroll.explain())
        assert payroll.verify().ok  # equals recomputation


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Objects and a view over them in OQL: the view follows.")
    parser.add_argument("--in", dest="path", type=Path, help="where the warehouse is made; a temporary directory if absent")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        run(chosen.path or Path(directory, "company"))
