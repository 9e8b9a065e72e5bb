-- Aggregate by () collect_list(`j`) AS l, collect_set(`j`) AS s, listagg(`s`, ',') AS t
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
), gathered AS (
  SELECT
    COALESCE(LIST(REPEAT(LIST_VALUE(j), _w)) FILTER(WHERE
      NOT j IS NULL), LIST_VALUE()) AS list_0,
    COALESCE(LIST(DISTINCT j) FILTER(WHERE
      NOT j IS NULL), LIST_VALUE()) AS list_1,
    COALESCE(LIST(REPEAT(LIST_VALUE(s), _w)) FILTER(WHERE
      NOT s IS NULL), LIST_VALUE()) AS list_2
  FROM net
), derived AS (
  SELECT
    list_0,
    list_1,
    list_2,
    LIST_SORT(FLATTEN(list_2)) AS derived_0
  FROM gathered
)
SELECT
  CAST(LIST_SORT(FLATTEN(list_0)) AS INTEGER[]) AS l,
  CAST(LIST_SORT(list_1) AS INTEGER[]) AS s,
  CAST(CASE WHEN LEN(derived_0) > 0 THEN ARRAY_TO_STRING(derived_0, ',') END AS VARCHAR) AS t,
  CAST(1 AS BIGINT) AS _w
FROM derived

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
), gathered AS (
  SELECT
    COLLECT_LIST(ARRAY_REPEAT(j, CAST(_w AS INT))) FILTER(WHERE
      NOT j IS NULL) AS list_0,
    COLLECT_LIST(DISTINCT j) FILTER(WHERE
      NOT j IS NULL) AS list_1,
    COLLECT_LIST(ARRAY_REPEAT(s, CAST(_w AS INT))) FILTER(WHERE
      NOT s IS NULL) AS list_2
  FROM net
), derived AS (
  SELECT
    list_0,
    list_1,
    list_2,
    ARRAY_SORT(FLATTEN(list_2)) AS derived_0
  FROM gathered
)
SELECT
  CAST(ARRAY_SORT(FLATTEN(list_0)) AS ARRAY<INT>) AS l,
  CAST(ARRAY_SORT(list_1) AS ARRAY<INT>) AS s,
  CAST(CASE WHEN SIZE(derived_0) > 0 THEN ARRAY_JOIN(derived_0, ',') END AS STRING) AS t,
  CAST(1 AS BIGINT) AS _w
FROM derived
