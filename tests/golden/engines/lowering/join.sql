-- Join on `k` = `j`
--   Get l (k, v, d)
--   Get r (j, s)

-- duckdb
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1 /* 9 rows in memory */
), r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_2 /* 7 rows in memory */
)
SELECT
  l.k,
  l.v,
  l.d,
  r.j,
  r.s,
  l._w * r._w AS _w
FROM l
JOIN r
  ON l.k = r.j

-- spark
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
), r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_2
)
SELECT
  l.k,
  l.v,
  l.d,
  r.j,
  r.s,
  l._w * r._w AS _w
FROM l
JOIN r
  ON l.k = r.j
