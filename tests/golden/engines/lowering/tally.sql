-- Tally by (k) CAST(1 AS BIGINT) AS n, CAST(`v` AS DECIMAL(16, 2)) AS v
--   Get l (k, v, d)

-- duckdb
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1 /* 9 rows in memory */
), "rows" AS (
  SELECT
    l.k,
    CAST(1 AS BIGINT) AS n,
    CAST(l.v AS DECIMAL(16, 2)) AS v,
    l._w
  FROM l
), tallied AS (
  SELECT
    "rows".k,
    CAST(COALESCE(CAST(SUM(CAST("rows".n AS HUGEINT) * "rows"._w) AS BIGINT), 0) AS BIGINT) AS n,
    CAST(COALESCE(CAST(SUM("rows".v * "rows"._w) AS DECIMAL(16, 2)), 0) AS DECIMAL(16, 2)) AS v
  FROM "rows"
  GROUP BY
    "rows".k
)
SELECT
  k,
  n,
  v,
  CAST(1 AS BIGINT) AS _w
FROM tallied

-- spark
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
), `rows` AS (
  SELECT
    l.k,
    CAST(1 AS BIGINT) AS n,
    CAST(l.v AS DECIMAL(16, 2)) AS v,
    l._w
  FROM l
), tallied AS (
  SELECT
    `rows`.k,
    CAST(COALESCE(CAST(SUM(CAST(`rows`.n AS BIGINT) * `rows`._w) AS BIGINT), 0) AS BIGINT) AS n,
    CAST(COALESCE(CAST(SUM(`rows`.v * CAST(`rows`._w AS DECIMAL(20, 0))) AS DECIMAL(16, 2)), 0) AS DECIMAL(16, 2)) AS v
  FROM `rows`
  GROUP BY
    `rows`.k
)
SELECT
  k,
  n,
  v,
  CAST(1 AS BIGINT) AS _w
FROM tallied
