-- Window SUM(x) AS r over (p; o NULLS FIRST)
--   Get t (p, o, x)

-- duckdb
WITH t AS (
  SELECT c1 AS p, c2 AS o, c3 AS x, _w FROM memory_1 /* 7 rows in memory */
), net AS (
  SELECT
    t.p,
    t.o,
    t.x,
    CAST(SUM(t._w) AS BIGINT) AS _w
  FROM t
  GROUP BY
    t.p,
    t.o,
    t.x
  HAVING
    SUM(t._w) > 0
), units AS (
  SELECT
    net.p,
    net.o,
    net.x
  FROM net
  CROSS JOIN UNNEST(RANGE(net._w)) AS copies(copies_n)
), windowed AS (
  SELECT
    p,
    o,
    x,
    CAST(SUM(x) OVER (PARTITION BY p ORDER BY o ASC NULLS FIRST) AS BIGINT) AS r
  FROM units
)
SELECT
  p,
  o,
  x,
  r,
  CAST(1 AS BIGINT) AS _w
FROM windowed

-- spark
WITH t AS (
  SELECT c1 AS p, c2 AS o, c3 AS x, _w FROM memory_1
), net AS (
  SELECT
    t.p,
    t.o,
    t.x,
    CAST(SUM(t._w) AS BIGINT) AS _w
  FROM t
  GROUP BY
    t.p,
    t.o,
    t.x
  HAVING
    SUM(t._w) > 0
), units AS (
  SELECT
    net.p,
    net.o,
    net.x
  FROM net
  LATERAL VIEW
  EXPLODE(SEQUENCE(CAST(1 AS BIGINT), net._w)) copies AS copies_n
), windowed AS (
  SELECT
    p,
    o,
    x,
    CAST(SUM(x) OVER (PARTITION BY p ORDER BY o ASC) AS BIGINT) AS r
  FROM units
)
SELECT
  p,
  o,
  x,
  r,
  CAST(1 AS BIGINT) AS _w
FROM windowed
