-- Window AVG(CAST(x AS DOUBLE)) AS m over (p; )
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
), gathered AS (
  SELECT
    p,
    o,
    x,
    COALESCE(LIST(CAST(x AS DOUBLE)) FILTER(WHERE
      NOT CAST(x AS DOUBLE) IS NULL) OVER (PARTITION BY p), LIST_VALUE()) AS list_0,
    COUNT(*) FILTER(WHERE
      NOT CAST(x AS DOUBLE) IS NULL) OVER (PARTITION BY p) AS part_1
  FROM units
), windowed AS (
  SELECT
    p,
    o,
    x,
    CASE WHEN CAST(part_1 AS DOUBLE) > 0 THEN LIST_SUM(LIST_SORT(list_0)) / CAST(part_1 AS DOUBLE) END AS m
  FROM gathered
)
SELECT
  p,
  o,
  x,
  m,
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
), gathered AS (
  SELECT
    p,
    o,
    x,
    COLLECT_LIST(CAST(CAST(x AS DOUBLE) AS DOUBLE)) OVER (PARTITION BY p) AS list_0,
    COUNT(*) FILTER(WHERE
      NOT CAST(x AS DOUBLE) IS NULL) OVER (PARTITION BY p) AS part_1
  FROM units
), windowed AS (
  SELECT
    p,
    o,
    x,
    CASE
      WHEN CAST(part_1 AS DOUBLE) > 0
      THEN CASE WHEN SIZE(ARRAY_SORT(list_0)) > 0 THEN AGGREGATE(ARRAY_SORT(list_0), CAST(0 AS DOUBLE), (a, b) -> a + b) END / CAST(part_1 AS DOUBLE)
    END AS m
  FROM gathered
)
SELECT
  p,
  o,
  x,
  m,
  CAST(1 AS BIGINT) AS _w
FROM windowed
