-- Project s
--   Cross join
--     Filter `k` = 3
--       Get l (k, v, d)
--     Get r (j, s)

-- duckdb
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1 /* 9 rows in memory */
), r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_2 /* 7 rows in memory */
)
SELECT
  r.s,
  l._w * r._w AS _w
FROM l
CROSS JOIN r
WHERE
  l.k = 3

-- spark
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
), r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_2
)
SELECT
  r.s,
  l._w * r._w AS _w
FROM l
CROSS JOIN r
WHERE
  l.k = 3
