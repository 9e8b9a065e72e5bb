-- Values 3 rows

-- duckdb
WITH constants AS (
  SELECT
    CAST(1 AS INTEGER) AS a,
    CAST('x' AS VARCHAR) AS b
  UNION ALL
  SELECT
    CAST(NULL AS INTEGER) AS a,
    CAST('' AS VARCHAR) AS b
  UNION ALL
  SELECT
    CAST(1 AS INTEGER) AS a,
    CAST('x' AS VARCHAR) AS b
)
SELECT
  a,
  b,
  CAST(1 AS BIGINT) AS _w
FROM constants

-- spark
WITH constants AS (
  SELECT
    CAST(1 AS INT) AS a,
    CAST('x' AS STRING) AS b
  UNION ALL
  SELECT
    CAST(NULL AS INT) AS a,
    CAST('' AS STRING) AS b
  UNION ALL
  SELECT
    CAST(1 AS INT) AS a,
    CAST('x' AS STRING) AS b
)
SELECT
  a,
  b,
  CAST(1 AS BIGINT) AS _w
FROM constants
