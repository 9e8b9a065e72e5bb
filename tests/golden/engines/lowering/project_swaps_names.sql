-- Project CAST(`j` AS STRING) AS s, LENGTH(`s`) AS j
--   Get r (j, s)

-- duckdb
WITH r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_1 /* 7 rows in memory */
)
SELECT
  CAST(r.j AS VARCHAR) AS s,
  CAST(LENGTH(r.s) AS INTEGER) AS j,
  r._w
FROM r

-- spark
WITH r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_1
)
SELECT
  CAST(r.j AS STRING) AS s,
  LENGTH(r.s) AS j,
  r._w
FROM r
