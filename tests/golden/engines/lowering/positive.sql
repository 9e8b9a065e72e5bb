-- Positive
--   Union all
--     Filter `k` = 2
--       Get l (k, v, d)
--     Negate
--       Filter `k` = 1 OR `k` = 3
--         Get l (k, v, d)

-- duckdb
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1 /* 9 rows in memory */
), l_2 AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_2 /* 9 rows in memory */
), all_rows AS (
  SELECT
    k,
    v,
    d,
    _w
  FROM l
  WHERE
    k = 2
  UNION ALL
  SELECT
    l_2.k,
    l_2.v,
    l_2.d,
    -l_2._w AS _w
  FROM l_2
  WHERE
    (
      l_2.k = 1 OR l_2.k = 3
    )
), net AS (
  SELECT
    all_rows.k,
    all_rows.v,
    all_rows.d,
    CAST(SUM(all_rows._w) AS BIGINT) AS _w
  FROM all_rows
  GROUP BY
    all_rows.k,
    all_rows.v,
    all_rows.d
  HAVING
    SUM(all_rows._w) > 0
)
SELECT
  k,
  v,
  d,
  _w
FROM net

-- spark
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
), l_2 AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
), all_rows AS (
  SELECT
    k,
    v,
    d,
    _w
  FROM l
  WHERE
    k = 2
  UNION ALL
  SELECT
    l_2.k,
    l_2.v,
    l_2.d,
    -l_2._w AS _w
  FROM l_2
  WHERE
    (
      l_2.k = 1 OR l_2.k = 3
    )
), net AS (
  SELECT
    all_rows.k,
    all_rows.v,
    all_rows.d,
    CAST(SUM(all_rows._w) AS BIGINT) AS _w
  FROM all_rows
  GROUP BY
    all_rows.k,
    all_rows.v,
    all_rows.d
  HAVING
    SUM(all_rows._w) > 0
)
SELECT
  k,
  v,
  d,
  _w
FROM net
