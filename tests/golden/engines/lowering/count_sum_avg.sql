-- Aggregate by (k) count(*) AS n, count(`v`) AS nv, sum(`v`) AS s, sum0(`v`) AS s0, avg(`v`) AS a
--   Get l (k, v, d)

-- duckdb
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1 /* 9 rows in memory */
), grouped AS (
  SELECT
    k,
    CAST(COALESCE(SUM(_w), 0) AS BIGINT) AS n,
    CAST(COALESCE(SUM(_w) FILTER(WHERE
      NOT v IS NULL), 0) AS BIGINT) AS nv,
    CAST(CASE WHEN SUM(_w) FILTER(WHERE
      NOT v IS NULL) > 0 THEN CAST(SUM(v * _w) AS DECIMAL(16, 2)) END AS DECIMAL(16, 2)) AS s,
    CAST(COALESCE(CAST(SUM(v * _w) AS DECIMAL(16, 2)), 0) AS DECIMAL(16, 2)) AS s0,
    CASE
      WHEN SUM(_w) FILTER(WHERE
        NOT v IS NULL) > 0
      THEN CAST(CAST(BV_QUOTIENT(
        CAST(CAST(SUM(v * _w) AS DECIMAL(16, 2)) * CAST(100 AS DECIMAL(3, 0)) AS HUGEINT),
        CAST(SUM(_w) FILTER(WHERE
          NOT v IS NULL) AS HUGEINT),
        CAST(10000 AS HUGEINT)
      ) AS DECIMAL(38, 0)) * CAST('0.000001' AS DECIMAL(6, 6)) AS DECIMAL(10, 6))
    END AS a
  FROM l
  GROUP BY
    k
  HAVING
    SUM(_w) > 0
)
SELECT
  k,
  n,
  nv,
  s,
  s0,
  a,
  CAST(1 AS BIGINT) AS _w
FROM grouped

-- spark
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
), grouped AS (
  SELECT
    k,
    CAST(COALESCE(SUM(_w), 0) AS BIGINT) AS n,
    CAST(COALESCE(SUM(_w) FILTER(WHERE
      NOT v IS NULL), 0) AS BIGINT) AS nv,
    CAST(CASE
      WHEN SUM(_w) FILTER(WHERE
        NOT v IS NULL) > 0
      THEN CAST(SUM(v * CAST(_w AS DECIMAL(20, 0))) AS DECIMAL(16, 2))
    END AS DECIMAL(16, 2)) AS s,
    CAST(COALESCE(CAST(SUM(v * CAST(_w AS DECIMAL(20, 0))) AS DECIMAL(16, 2)), 0) AS DECIMAL(16, 2)) AS s0,
    CASE
      WHEN SUM(_w) FILTER(WHERE
        NOT v IS NULL) > 0
      THEN CAST(CAST(SUM(v * CAST(_w AS DECIMAL(20, 0))) AS DECIMAL(16, 2)) / CAST(SUM(_w) FILTER(WHERE
        NOT v IS NULL) AS DECIMAL(12, 0)) AS DECIMAL(10, 6))
    END AS a
  FROM l
  GROUP BY
    k
  HAVING
    SUM(_w) > 0
)
SELECT
  k,
  n,
  nv,
  s,
  s0,
  a,
  CAST(1 AS BIGINT) AS _w
FROM grouped
