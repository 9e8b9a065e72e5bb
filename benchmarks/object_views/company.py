"""The first paper's schema (Fig 1), its view (Fig 13), and as many employees as asked for."""

from __future__ import annotations

import pyarrow as pa

import belvedere as bv

SCHEMA = """
class person
  ( extent Persons ){
    attribute string name;
    attribute unsigned short age;
    attribute string address;};
class department
  ( extent Departments ){
    attribute string name;
    attribute string address;
    relationship set<employee> employees
      inverse employee::dept;};
class employee extends person
  ( extent Employees ) {
    attribute unsigned long salary;
    attribute set<person> dependents;
    relationship department dept
      inverse department::employees;
    attribute employee manager;};
"""
OLDER = """
select struct(E:e.name, D:d.name)
from e in Employees, d in Departments
where e.dept = d and e.age >= 39
"""
#: employees of a department
STAFF = 100
YOUNGEST, AGES = 20, 45
OLD = 39


def age_of(n: int) -> int:
    return YOUNGEST + n * 7 % AGES


def load(wh: bv.Warehouse, employees: int) -> tuple[list[int], list[int]]:
    """The oids of the departments, and of the employees."""
    wh.odl(SCHEMA)
    count = max(2, employees // STAFF)
    with wh.transaction() as tx:
        departments = tx.new_many("department", pa.table({"name": [f"department {n}" for n in range(count)]})).to_pylist()
    with wh.transaction() as tx:
        people = {
            "name": [f"employee {n}" for n in range(employees)],
            "age": [age_of(n) for n in range(employees)],
            "salary": [1_000 + n * 31 % 9_000 for n in range(employees)],
            "dept": [departments[n * 13 % count] for n in range(employees)],
        }
        made = tx.new_many("employee", pa.table(people)).to_pylist()
    return departments, made
