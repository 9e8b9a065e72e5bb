-- Project k, s
--   Full join on `k` = `j` AND `s` <> ''
--     Get l (k, v, d)
--     Get r (j, s)

-- duckdb
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1 /* 9 rows in memory */
), r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_2 /* 7 rows in memory */
), net AS (
  SELECT
    r.j,
    r.s,
    CAST(SUM(r._w) AS BIGINT) AS _w
  FROM r
  GROUP BY
    r.j,
    r.s
  HAVING
    SUM(r._w) > 0
), net_2 AS (
  SELECT
    l.k,
    l.v,
    l.d,
    CAST(SUM(l._w) AS BIGINT) AS _w
  FROM l
  GROUP BY
    l.k,
    l.v,
    l.d
  HAVING
    SUM(l._w) > 0
)
SELECT
  net_2.k,
  net.s,
  COALESCE(net_2._w, 1) * COALESCE(net._w, 1) AS _w
FROM net_2
FULL JOIN net
  ON net_2.k = net.j AND net.s <> ''

-- spark
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
), r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_2
), net AS (
  SELECT
    r.j,
    r.s,
    CAST(SUM(r._w) AS BIGINT) AS _w
  FROM r
  GROUP BY
    r.j,
    r.s
  HAVING
    SUM(r._w) > 0
), net_2 AS (
  SELECT
    l.k,
    l.v,
    l.d,
    CAST(SUM(l._w) AS BIGINT) AS _w
  FROM l
  GROUP BY
    l.k,
    l.v,
    l.d
  HAVING
    SUM(l._w) > 0
)
SELECT
  net_2.k,
  net.s,
  COALESCE(net_2._w, 1) * COALESCE(net._w, 1) AS _w
FROM net_2
FULL JOIN net
  ON net_2.k = net.j AND net.s <> ''
