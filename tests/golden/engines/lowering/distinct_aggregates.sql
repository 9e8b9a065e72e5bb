-- Aggregate by () count(DISTINCT `j`) AS n, sum(DISTINCT `j`) AS s, count(DISTINCT `j`, `s`) AS two, avg(DISTINCT `j`) AS a
--   Get r (j, s)

-- duckdb
WITH r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_1 /* 7 rows in memory */
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
), grouped AS (
  SELECT
    CAST(COUNT(DISTINCT net.j) FILTER(WHERE
      NOT net.j IS NULL) AS BIGINT) AS n,
    CAST(SUM(DISTINCT net.j) AS BIGINT) AS s,
    CAST(COUNT(DISTINCT {'a0': net.j, 'a1': net.s}) FILTER(WHERE
      NOT net.j IS NULL AND NOT net.s IS NULL) AS BIGINT) AS two,
    CASE
      WHEN COUNT(DISTINCT net.j) > 0
      THEN CAST(CAST(CAST(SUM(DISTINCT net.j) AS BIGINT) AS DOUBLE) / CAST(COUNT(DISTINCT net.j) AS DOUBLE) AS DOUBLE)
    END AS a
  FROM net
)
SELECT
  n,
  s,
  two,
  a,
  CAST(1 AS BIGINT) AS _w
FROM grouped

-- spark
WITH r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_1
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
), grouped AS (
  SELECT
    CAST(COUNT(DISTINCT net.j) FILTER(WHERE
      NOT net.j IS NULL) AS BIGINT) AS n,
    CAST(SUM(DISTINCT net.j) AS BIGINT) AS s,
    CAST(COUNT(DISTINCT NAMED_STRUCT('a0', net.j, 'a1', net.s)) FILTER(WHERE
      NOT net.j IS NULL AND NOT net.s IS NULL) AS BIGINT) AS two,
    CASE
      WHEN COUNT(DISTINCT net.j) > 0
      THEN CAST(CAST(CAST(SUM(DISTINCT net.j) AS BIGINT) AS DOUBLE) / CAST(COUNT(DISTINCT net.j) AS DOUBLE) AS DOUBLE)
    END AS a
  FROM net
)
SELECT
  n,
  s,
  two,
  a,
  CAST(1 AS BIGINT) AS _w
FROM grouped
