-- Project id, m
--   Consolidate
--     Get n (id, a, m, st)

-- duckdb
WITH n AS (
  SELECT c1 AS id, c2 AS a, c3 AS m, c4 AS st, _w FROM memory_1 /* 5 rows in memory */
), net AS (
  SELECT
    n.id,
    n.a,
    CASE WHEN NOT n.m IS NULL THEN MAP_FROM_ENTRIES(LIST_SORT(MAP_ENTRIES(n.m))) END AS m,
    n.st,
    n._w
  FROM n
), net_2 AS (
  SELECT
    net.id,
    net.a,
    net.m,
    net.st,
    CAST(SUM(net._w) AS BIGINT) AS _w
  FROM net
  GROUP BY
    net.id,
    net.a,
    net.m,
    net.st
  HAVING
    SUM(net._w) <> 0
)
SELECT
  id,
  m,
  _w
FROM net_2

-- spark
WITH n AS (
  SELECT c1 AS id, c2 AS a, c3 AS m, c4 AS st, _w FROM memory_1
), net AS (
  SELECT
    n.id,
    n.a,
    n.m,
    n.st,
    CAST(SUM(n._w) AS BIGINT) AS _w
  FROM n
  GROUP BY
    n.id,
    n.a,
    n.m,
    n.st
  HAVING
    SUM(n._w) <> 0
)
SELECT
  id,
  m,
  _w
FROM net
