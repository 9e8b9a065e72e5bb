-- Scale weight by `j` - 3
--   Get r (j, s)

-- duckdb
WITH r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_1 /* 7 rows in memory */
)
SELECT
  r.j,
  r.s,
  r._w * CAST(r.j - 3 AS BIGINT) AS _w
FROM r
WHERE
  CAST(r.j - 3 AS BIGINT) <> 0

-- spark
WITH r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_1
)
SELECT
  r.j,
  r.s,
  r._w * CAST(r.j - 3 AS BIGINT) AS _w
FROM r
WHERE
  CAST(r.j - 3 AS BIGINT) <> 0
