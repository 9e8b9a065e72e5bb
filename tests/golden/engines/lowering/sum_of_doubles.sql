-- Aggregate by (k) sum(`d`) AS s, avg(`d`) AS a, count(`d`) AS n
--   Get l (k, v, d)

-- duckdb
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1 /* 9 rows in memory */
), net AS (
  SELECT
    l.k,
    l.d,
    CAST(SUM(l._w) AS BIGINT) AS _w
  FROM l
  GROUP BY
    l.k,
    l.d
  HAVING
    SUM(l._w) > 0
), gathered AS (
  SELECT
    k,
    COALESCE(
      LIST(CAST(d AS DOUBLE) * CAST(_w AS DOUBLE)) FILTER(WHERE
        NOT (
          CAST(d AS DOUBLE) * CAST(_w AS DOUBLE)
        ) IS NULL),
      LIST_VALUE()
    ) AS list_0,
    SUM(_w) FILTER(WHERE
      NOT d IS NULL) AS part_1
  FROM net
  GROUP BY
    k
)
SELECT
  k,
  CAST(LIST_SUM(LIST_SORT(list_0)) AS DOUBLE) AS s,
  CASE WHEN CAST(part_1 AS DOUBLE) > 0 THEN LIST_SUM(LIST_SORT(list_0)) / CAST(part_1 AS DOUBLE) END AS a,
  CAST(COALESCE(part_1, 0) AS BIGINT) AS n,
  CAST(1 AS BIGINT) AS _w
FROM gathered

-- spark
WITH l AS (
  SELECT c1 AS k, c2 AS v, c3 AS d, _w FROM memory_1
), net AS (
  SELECT
    l.k,
    l.d,
    CAST(SUM(l._w) AS BIGINT) AS _w
  FROM l
  GROUP BY
    l.k,
    l.d
  HAVING
    SUM(l._w) > 0
), gathered AS (
  SELECT
    k,
    COLLECT_LIST(CAST(d AS DOUBLE) * CAST(_w AS DOUBLE)) AS list_0,
    SUM(_w) FILTER(WHERE
      NOT d IS NULL) AS part_1
  FROM net
  GROUP BY
    k
)
SELECT
  k,
  CAST(CASE
    WHEN SIZE(ARRAY_SORT(list_0)) > 0
    THEN AGGREGATE(ARRAY_SORT(list_0), CAST(0 AS DOUBLE), (a_2, b) -> a_2 + b)
  END AS DOUBLE) AS s,
  CASE
    WHEN CAST(part_1 AS DOUBLE) > 0
    THEN CASE
      WHEN SIZE(ARRAY_SORT(list_0)) > 0
      THEN AGGREGATE(ARRAY_SORT(list_0), CAST(0 AS DOUBLE), (a_3, b_2) -> a_3 + b_2)
    END / CAST(part_1 AS DOUBLE)
  END AS a,
  CAST(COALESCE(part_1, 0) AS BIGINT) AS n,
  CAST(1 AS BIGINT) AS _w
FROM gathered
