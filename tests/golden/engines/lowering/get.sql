-- Get l (k, v, d)

-- duckdb
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1 /* 9 rows in memory */
)
SELECT
  k,
  v,
  d,
  _w
FROM l

-- spark
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
)
SELECT
  k,
  v,
  d,
  _w
FROM l
