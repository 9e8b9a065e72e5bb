-- Keys `k` AS k
--   Get l (k, v, d)

-- duckdb
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1 /* 9 rows in memory */
), keys AS (
  SELECT
    k
  FROM l
  GROUP BY
    k
)
SELECT
  k,
  CAST(1 AS BIGINT) AS _w
FROM keys

-- spark
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
), keys AS (
  SELECT
    k
  FROM l
  GROUP BY
    k
)
SELECT
  k,
  CAST(1 AS BIGINT) AS _w
FROM keys
