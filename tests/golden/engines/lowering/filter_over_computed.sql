-- Filter CAST(`twice` AS DECIMAL(12, 2)) > CAST(3 AS DECIMAL(12, 2))
--   Project `v` * CAST(2 AS DECIMAL(1, 0)) AS twice
--     Get l (k, v, d)

-- duckdb
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1 /* 9 rows in memory */
), computed AS (
  SELECT
    CAST(v * CAST(2 AS DECIMAL(1, 0)) AS DECIMAL(8, 2)) AS twice,
    _w
  FROM l
)
SELECT
  twice,
  _w
FROM computed
WHERE
  CAST(twice AS DECIMAL(12, 2)) > CAST(3 AS DECIMAL(12, 2))

-- spark
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
), computed AS (
  SELECT
    v * CAST(2 AS DECIMAL(1, 0)) AS twice,
    _w
  FROM l
)
SELECT
  twice,
  _w
FROM computed
WHERE
  CAST(twice AS DECIMAL(12, 2)) > CAST(3 AS DECIMAL(12, 2))
