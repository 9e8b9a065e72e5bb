-- Project A b, `a B` + `select` AS a b
--   Get h (A b, a B, select, ;drop, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx)

-- duckdb
WITH h AS (
  SELECT c1 AS a_b, c2 AS a_b_3, c3 AS "select", c4 AS drop, c5 AS xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, _w FROM memory_1 /* 2 rows in memory */
)
SELECT
  a_b,
  a_b_3 + "select" AS a_b_2,
  _w
FROM h

-- spark
WITH h AS (
  SELECT c1 AS a_b, c2 AS a_b_3, c3 AS `select`, c4 AS drop, c5 AS xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, _w FROM memory_1
)
SELECT
  a_b,
  a_b_3 + `select` AS a_b_2,
  _w
FROM h
