-- Join on `k` = `again`
--   Share s
--     Distinct k
--       Get l (k, v, d)
--   Project `k` AS again
--     Share s
--       Distinct k
--         Get l (k, v, d)

-- duckdb
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1 /* 9 rows in memory */
), grouped AS (
  SELECT
    k
  FROM l
  GROUP BY
    k
  HAVING
    SUM(_w) > 0
), s AS MATERIALIZED (
  SELECT
    k
  FROM grouped
)
SELECT
  s.k,
  s_2.k AS again,
  CAST(1 AS BIGINT) AS _w
FROM s
JOIN s AS s_2
  ON s.k = s_2.k

-- spark
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
), grouped AS (
  SELECT
    k
  FROM l
  GROUP BY
    k
  HAVING
    SUM(_w) > 0
), s AS (
  SELECT
    k
  FROM grouped
)
SELECT
  s.k,
  s_2.k AS again,
  CAST(1 AS BIGINT) AS _w
FROM s
JOIN s AS s_2
  ON s.k = s_2.k
