-- Union all
--   Closure of seeds under steps
--     Get seeds (src, state, node)
--     Get steps (s1, a, s2, b)
--   Get seeds (src, state, node)

-- duckdb
-- closure 1: seeds
WITH seeds AS (
  SELECT c1 AS src, c2 AS state, c3 AS node, _w FROM memory_1 /* 6 rows in memory */
)
SELECT
  src,
  state,
  node,
  _w
FROM seeds;

-- closure 1: steps
WITH steps AS (
  SELECT c1 AS s1, c2 AS a, c3 AS s2, c4 AS b, _w FROM memory_1 /* 12 rows in memory */
)
SELECT
  s1,
  a,
  s2,
  b,
  _w
FROM steps;

-- what the seeds lead to is read as closure
WITH closure1 AS (
  SELECT c1 AS src, c2 AS state, c3 AS node, _w FROM memory_1 /* 1 rows in memory */
), seeds AS (
  SELECT c1 AS src, c2 AS state, c3 AS node, _w FROM memory_2 /* 6 rows in memory */
), all_rows AS (
  SELECT
    src,
    state,
    node,
    _w
  FROM closure1
  UNION ALL
  SELECT
    src,
    state,
    node,
    _w
  FROM seeds
)
SELECT
  src,
  state,
  node,
  _w
FROM all_rows

-- spark
-- closure 1: seeds
WITH seeds AS (
  SELECT c1 AS src, c2 AS state, c3 AS node, _w FROM memory_1
)
SELECT
  src,
  state,
  node,
  _w
FROM seeds;

-- closure 1: steps
WITH steps AS (
  SELECT c1 AS s1, c2 AS a, c3 AS s2, c4 AS b, _w FROM memory_1
)
SELECT
  s1,
  a,
  s2,
  b,
  _w
FROM steps;

-- what the seeds lead to is read as closure
WITH closure1 AS (
  SELECT c1 AS src, c2 AS state, c3 AS node, _w FROM memory_1
), seeds AS (
  SELECT c1 AS src, c2 AS state, c3 AS node, _w FROM memory_2
), all_rows AS (
  SELECT
    src,
    state,
    node,
    _w
  FROM closure1
  UNION ALL
  SELECT
    src,
    state,
    node,
    _w
  FROM seeds
)
SELECT
  src,
  state,
  node,
  _w
FROM all_rows
