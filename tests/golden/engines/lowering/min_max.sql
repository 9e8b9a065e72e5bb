-- Aggregate by (k) min(`v`) AS lo, max(`d`) AS hi
--   Get l (k, v, d)

-- duckdb
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1 /* 9 rows in memory */
), net AS (
  SELECT
    l.k,
    l.v,
    l.d,
    CAST(SUM(l._w) AS BIGINT) AS _w
  FROM l
  GROUP BY
    l.k,
    l.v,
    l.d
  HAVING
    SUM(l._w) > 0
), grouped AS (
  SELECT
    k,
    CAST(MIN(v) AS DECIMAL(6, 2)) AS lo,
    CAST(MAX(d) AS DOUBLE) AS hi
  FROM net
  GROUP BY
    k
)
SELECT
  k,
  lo,
  hi,
  CAST(1 AS BIGINT) AS _w
FROM grouped

-- spark
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
), net AS (
  SELECT
    l.k,
    l.v,
    l.d,
    CAST(SUM(l._w) AS BIGINT) AS _w
  FROM l
  GROUP BY
    l.k,
    l.v,
    l.d
  HAVING
    SUM(l._w) > 0
), grouped AS (
  SELECT
    k,
    CAST(MIN(v) AS DECIMAL(6, 2)) AS lo,
    CAST(MAX(d) AS DOUBLE) AS hi
  FROM net
  GROUP BY
    k
)
SELECT
  k,
  lo,
  hi,
  CAST(1 AS BIGINT) AS _w
FROM grouped
