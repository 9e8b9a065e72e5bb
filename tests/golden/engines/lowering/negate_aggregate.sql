-- Negate
--   Aggregate by (k) count(*) AS n
--     Get l (k, v, d)

-- duckdb
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1 /* 9 rows in memory */
), grouped AS (
  SELECT
    k,
    CAST(COALESCE(SUM(_w), 0) AS BIGINT) AS n
  FROM l
  GROUP BY
    k
  HAVING
    SUM(_w) > 0
)
SELECT
  k,
  n,
  -CAST(1 AS BIGINT) AS _w
FROM grouped

-- spark
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
), grouped AS (
  SELECT
    k,
    CAST(COALESCE(SUM(_w), 0) AS BIGINT) AS n
  FROM l
  GROUP BY
    k
  HAVING
    SUM(_w) > 0
)
SELECT
  k,
  n,
  -CAST(1 AS BIGINT) AS _w
FROM grouped
