-- Top 2 offset 2 by j NULLS FIRST
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
), counted AS (
  SELECT
    j,
    s,
    CAST(SUM(_w) OVER (ORDER BY j ASC NULLS FIRST, s ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS upto_2,
    _w
  FROM net
)
SELECT
  counted.j,
  counted.s,
  CAST(CASE WHEN counted.upto_2 IS NULL OR 4 IS NULL THEN NULL ELSE LEAST(counted.upto_2, 4) END - CASE
    WHEN (
      counted.upto_2 - counted._w
    ) IS NULL OR 2 IS NULL
    THEN NULL
    ELSE GREATEST(counted.upto_2 - counted._w, 2)
  END AS BIGINT) AS _w
FROM counted
WHERE
  counted.upto_2 > 2 AND counted.upto_2 - counted._w < 4

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
), counted AS (
  SELECT
    j,
    s,
    CAST(SUM(_w) OVER (ORDER BY j ASC, s ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS upto_2,
    _w
  FROM net
)
SELECT
  counted.j,
  counted.s,
  CAST(LEAST(counted.upto_2, 4) - GREATEST(counted.upto_2 - counted._w, 2) AS BIGINT) AS _w
FROM counted
WHERE
  counted.upto_2 > 2 AND counted.upto_2 - counted._w < 4
