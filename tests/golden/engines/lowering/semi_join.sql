-- Semi join on `k` = `j`
--   Get l (k, v, d)
--   Get r (j, s)

-- duckdb
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1 /* 9 rows in memory */
), r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_2 /* 7 rows in memory */
), members AS (
  SELECT
    r.j,
    CAST(SUM(r._w) AS BIGINT) AS _w
  FROM r
  GROUP BY
    r.j
  HAVING
    SUM(r._w) > 0
)
SELECT
  l.k,
  l.v,
  l.d,
  l._w
FROM l
SEMI JOIN members
  ON l.k = members.j

-- spark
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
), r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_2
), members AS (
  SELECT
    r.j,
    CAST(SUM(r._w) AS BIGINT) AS _w
  FROM r
  GROUP BY
    r.j
  HAVING
    SUM(r._w) > 0
)
SELECT
  l.k,
  l.v,
  l.d,
  l._w
FROM l
LEFT SEMI JOIN members
  ON l.k = members.j
