-- Union all
--   Get r (j, s)
--   Project k, 'z' AS z
--     Get l (k, v, d)

-- duckdb
WITH r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_1 /* 7 rows in memory */
), l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_2 /* 9 rows in memory */
), all_rows AS (
  SELECT
    j,
    s,
    _w
  FROM r
  UNION ALL
  SELECT
    k AS j,
    'z' AS s,
    _w
  FROM l
)
SELECT
  j,
  s,
  _w
FROM all_rows

-- spark
WITH r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_1
), l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_2
), all_rows AS (
  SELECT
    j,
    s,
    _w
  FROM r
  UNION ALL
  SELECT
    k AS j,
    'z' AS s,
    _w
  FROM l
)
SELECT
  j,
  s,
  _w
FROM all_rows
