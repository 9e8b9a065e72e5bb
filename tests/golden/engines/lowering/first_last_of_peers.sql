-- Window FIRST_VALUE(x) AS f, LAST_VALUE(x) AS l over (p; o NULLS FIRST)
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
    CAST(FIRST_VALUE(x) OVER (
      PARTITION BY p
      ORDER BY o ASC NULLS FIRST, x ASC NULLS FIRST
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    ) AS INTEGER) AS f,
    CAST(LAST_VALUE(x) OVER (PARTITION BY p, o ORDER BY x ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS INTEGER) AS l
  FROM units
)
SELECT
  p,
  o,
  x,
  f,
  l,
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
    CAST(FIRST_VALUE(x) OVER (PARTITION BY p ORDER BY o ASC, x ASC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS INT) AS f,
    CAST(LAST_VALUE(x) OVER (PARTITION BY p, o ORDER BY x ASC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS INT) AS l
  FROM units
)
SELECT
  p,
  o,
  x,
  f,
  l,
  CAST(1 AS BIGINT) AS _w
FROM windowed
