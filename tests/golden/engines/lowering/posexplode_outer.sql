-- Project id, i, e
--   Explode outer `a` AS e
--     Get n (id, a, m, st)

-- duckdb
WITH n AS (
  SELECT c1 AS id, c2 AS a, c3 AS m, c4 AS st, _w FROM memory_1 /* 5 rows in memory */
), exploded AS (
  SELECT
    n.id,
    n.a,
    n.m,
    n.st,
    elements.i,
    elements.e,
    n._w
  FROM n
  LEFT JOIN LATERAL (
    SELECT
      CAST(i - 1 AS INT) AS i,
      e AS e
    FROM (
      SELECT
        UNNEST(n.a) AS e,
        GENERATE_SUBSCRIPTS(n.a, 1) AS i
    ) AS u
  ) AS elements
    ON TRUE
)
SELECT
  id,
  i,
  e,
  _w
FROM exploded

-- spark
WITH n AS (
  SELECT c1 AS id, c2 AS a, c3 AS m, c4 AS st, _w FROM memory_1
), exploded AS (
  SELECT
    n.id,
    n.a,
    n.m,
    n.st,
    elements.i,
    elements.e,
    n._w
  FROM n
  LATERAL VIEW OUTER
  POSEXPLODE(n.a) elements AS i, e
)
SELECT
  id,
  i,
  e,
  _w
FROM exploded
