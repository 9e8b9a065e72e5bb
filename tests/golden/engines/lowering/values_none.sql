-- Values 0 rows

-- duckdb
WITH constants AS (
  SELECT
    CAST(NULL AS INTEGER) AS a,
    CAST(NULL AS VARCHAR) AS b
  WHERE
    FALSE
)
SELECT
  a,
  b,
  CAST(1 AS BIGINT) AS _w
FROM constants

-- spark
WITH constants AS (
  SELECT
    CAST(NULL AS INT) AS a,
    CAST(NULL AS STRING) AS b
  WHERE
    FALSE
)
SELECT
  a,
  b,
  CAST(1 AS BIGINT) AS _w
FROM constants
