"""The ten queries, and the papers' views."""

from __future__ import annotations

_SAL_B = "univ-B::salInfo-> D, univ-B::salInfo T"
_AIRLINES = """
  from   -> AIRLINE,
         AIRLINE FLIGHT,
         AIRLINE-> PRICETYPE,
         FLIGHT.Destination CITY
  where  PRICETYPE <> 'Destination'
  and    AIRLINE like '%'
  and    FLIGHT.PRICETYPE <= '1101';
"""
AIRLINE = f"create view CITY(Type, AIRLINE) AS\n  select PRICETYPE, FLIGHT.PRICETYPE{_AIRLINES}"
BY_PRICETYPE = f"create view PRICETYPE(Destination, AIRLINE) as\n  select CITY, FLIGHT.PRICETYPE{_AIRLINES}"

QUERIES: dict[int | str, str] = {
    1: "select A.dept from univ-A::salInfo A, univ-B::salInfo B, univ-B::salInfo-> D "
       "where D<>'category' and A.dept=D and A.category=B.category and A.salFloor>B.D",
    2: "select R from univ-C-> R, univ-C::R T where T.salFloor>50",
    3: f"select T.category, avg(T.D) from {_SAL_B} where D<>'category' group by T.category",
    4: f"select T.category, avg(T.D) from {_SAL_B} where D<>'category'",
    5: "select T.category, avg(T.salFloor) from univ-C-> D, univ-C::D T group by T.category",
    6: f"create view BtoA::salInfo(category,dept,salFloor) as select T.category, D, T.D from {_SAL_B} where D<>'category'",
    7: "create view AtoB::salInfo(category,D) as select T.category, T.salFloor from univ-A::salInfo T, T.dept D",
    8: "create view AtoC::D(category,salFloor) as select T.category, T.salFloor from univ-A::salInfo T, T.dept D",
    9: f"create view BtoD::salInfo(dept,C) as select D, T.D from {_SAL_B}, T.category C where D<>'category'",
    10: "create view avgs::salInfo(category,R) as select T.category, avg(T.salFloor) from univ-C-> R, univ-C::R T "
        "group by T.category, R",
    "airline": AIRLINE,
    "by price type": BY_PRICETYPE,
}  # fmt: skip
