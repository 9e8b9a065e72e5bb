-- Project id, mk, mv
--   Explode `m` AS mk, mv
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
    elements.mk,
    elements.mv,
    n._w
  FROM n
  CROSS JOIN LATERAL (
    SELECT
      STRUCT_EXTRACT(e, 'key') AS mk,
      STRUCT_EXTRACT(e, 'value') AS mv
    FROM (
      SELECT
        UNNEST(MAP_ENTRIES(n.m)) AS e
    ) AS u
  ) AS elements
)
SELECT
  id,
  mk,
  mv,
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
    elements.mk,
    elements.mv,
    n._w
  FROM n
  LATERAL VIEW
  EXPLODE(n.m) elements AS mk, mv
)
SELECT
  id,
  mk,
  mv,
  _w
FROM exploded
