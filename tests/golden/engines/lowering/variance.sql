-- Aggregate by () var_pop(CAST(`j` AS DOUBLE)) AS vp, stddev_samp(CAST(`j` AS DOUBLE)) AS sd
--   Get r (j, s)

-- duckdb
WITH r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_1 /* 7 rows in memory */
), net AS (
  SELECT
    CAST(j AS DOUBLE) AS arg_0,
    CAST(j AS DOUBLE) AS arg_1,
    _w
  FROM r
), net_2 AS (
  SELECT
    net.arg_0,
    net.arg_1,
    CAST(SUM(net._w) AS BIGINT) AS _w
  FROM net
  GROUP BY
    net.arg_0,
    net.arg_1
  HAVING
    SUM(net._w) > 0
), gathered AS (
  SELECT
    COALESCE(LIST({'x': CAST(arg_0 AS DOUBLE), 'w': CAST(_w AS DOUBLE)}) FILTER(WHERE
      NOT arg_0 IS NULL), LIST_VALUE()) AS list_0,
    COALESCE(LIST({'x': CAST(arg_1 AS DOUBLE), 'w': CAST(_w AS DOUBLE)}) FILTER(WHERE
      NOT arg_1 IS NULL), LIST_VALUE()) AS list_1
  FROM net_2
), derived AS (
  SELECT
    list_0,
    list_1,
    LIST_SUM(LIST_TRANSFORM(LIST_SORT(list_0), LAMBDA e : STRUCT_EXTRACT(e, 'w'))) AS derived_0,
    LIST_SUM(LIST_TRANSFORM(LIST_SORT(list_0), LAMBDA e_2 : STRUCT_EXTRACT(e_2, 'x') * STRUCT_EXTRACT(e_2, 'w'))) AS derived_1,
    LIST_SUM(LIST_TRANSFORM(LIST_SORT(list_1), LAMBDA e_4 : STRUCT_EXTRACT(e_4, 'w'))) AS derived_2,
    LIST_SUM(LIST_TRANSFORM(LIST_SORT(list_1), LAMBDA e_5 : STRUCT_EXTRACT(e_5, 'x') * STRUCT_EXTRACT(e_5, 'w'))) AS derived_3
  FROM gathered
)
SELECT
  CAST(CASE
    WHEN derived_0 > 0
    THEN LIST_SUM(
      LIST_TRANSFORM(
        LIST_SORT(list_0),
        LAMBDA e_3 : STRUCT_EXTRACT(e_3, 'w') * (
          STRUCT_EXTRACT(e_3, 'x') - (
            derived_1 / derived_0
          )
        ) * (
          STRUCT_EXTRACT(e_3, 'x') - (
            derived_1 / derived_0
          )
        )
      )
    ) / derived_0
  END AS DOUBLE) AS vp,
  CAST(CASE
    WHEN (
      derived_2 - 1
    ) > 0
    THEN SQRT(
      LIST_SUM(
        LIST_TRANSFORM(
          LIST_SORT(list_1),
          LAMBDA e_6 : STRUCT_EXTRACT(e_6, 'w') * (
            STRUCT_EXTRACT(e_6, 'x') - (
              derived_3 / derived_2
            )
          ) * (
            STRUCT_EXTRACT(e_6, 'x') - (
              derived_3 / derived_2
            )
          )
        )
      ) / (
        derived_2 - 1
      )
    )
  END AS DOUBLE) AS sd,
  CAST(1 AS BIGINT) AS _w
FROM derived

-- spark
WITH r AS (
  SELECT c1 AS j, c2 AS s, _w FROM memory_1
), net AS (
  SELECT
    CAST(j AS DOUBLE) AS arg_0,
    CAST(j AS DOUBLE) AS arg_1,
    _w
  FROM r
), net_2 AS (
  SELECT
    net.arg_0,
    net.arg_1,
    CAST(SUM(net._w) AS BIGINT) AS _w
  FROM net
  GROUP BY
    net.arg_0,
    net.arg_1
  HAVING
    SUM(net._w) > 0
), gathered AS (
  SELECT
    COLLECT_LIST(NAMED_STRUCT('x', CAST(arg_0 AS DOUBLE), 'w', CAST(_w AS DOUBLE))) FILTER(WHERE
      NOT arg_0 IS NULL) AS list_0,
    COLLECT_LIST(NAMED_STRUCT('x', CAST(arg_1 AS DOUBLE), 'w', CAST(_w AS DOUBLE))) FILTER(WHERE
      NOT arg_1 IS NULL) AS list_1
  FROM net_2
), derived AS (
  SELECT
    list_0,
    list_1,
    CASE
      WHEN SIZE(TRANSFORM(ARRAY_SORT(list_0), e -> e.`w`)) > 0
      THEN AGGREGATE(TRANSFORM(ARRAY_SORT(list_0), e -> e.`w`), CAST(0 AS DOUBLE), (a, b) -> a + b)
    END AS derived_0,
    CASE
      WHEN SIZE(TRANSFORM(ARRAY_SORT(list_0), e_2 -> e_2.`x` * e_2.`w`)) > 0
      THEN AGGREGATE(TRANSFORM(ARRAY_SORT(list_0), e_2 -> e_2.`x` * e_2.`w`), CAST(0 AS DOUBLE), (a_2, b_2) -> a_2 + b_2)
    END AS derived_1,
    CASE
      WHEN SIZE(TRANSFORM(ARRAY_SORT(list_1), e_4 -> e_4.`w`)) > 0
      THEN AGGREGATE(TRANSFORM(ARRAY_SORT(list_1), e_4 -> e_4.`w`), CAST(0 AS DOUBLE), (a_4, b_4) -> a_4 + b_4)
    END AS derived_2,
    CASE
      WHEN SIZE(TRANSFORM(ARRAY_SORT(list_1), e_5 -> e_5.`x` * e_5.`w`)) > 0
      THEN AGGREGATE(TRANSFORM(ARRAY_SORT(list_1), e_5 -> e_5.`x` * e_5.`w`), CAST(0 AS DOUBLE), (a_5, b_5) -> a_5 + b_5)
    END AS derived_3
  FROM gathered
)
SELECT
  CAST(CASE
    WHEN derived_0 > 0
    THEN CASE
      WHEN SIZE(
        TRANSFORM(
          ARRAY_SORT(list_0),
          e_3 -> e_3.`w` * (
            e_3.`x` - (
              derived_1 / derived_0
            )
          ) * (
            e_3.`x` - (
              derived_1 / derived_0
            )
          )
        )
      ) > 0
      THEN AGGREGATE(
        TRANSFORM(
          ARRAY_SORT(list_0),
          e_3 -> e_3.`w` * (
            e_3.`x` - (
              derived_1 / derived_0
            )
          ) * (
            e_3.`x` - (
              derived_1 / derived_0
            )
          )
        ),
        CAST(0 AS DOUBLE),
        (a_3, b_3) -> a_3 + b_3
      )
    END / derived_0
  END AS DOUBLE) AS vp,
  CAST(CASE
    WHEN (
      derived_2 - 1
    ) > 0
    THEN SQRT(
      CASE
        WHEN SIZE(
          TRANSFORM(
            ARRAY_SORT(list_1),
            e_6 -> e_6.`w` * (
              e_6.`x` - (
                derived_3 / derived_2
              )
            ) * (
              e_6.`x` - (
                derived_3 / derived_2
              )
            )
          )
        ) > 0
        THEN AGGREGATE(
          TRANSFORM(
            ARRAY_SORT(list_1),
            e_6 -> e_6.`w` * (
              e_6.`x` - (
                derived_3 / derived_2
              )
            ) * (
              e_6.`x` - (
                derived_3 / derived_2
              )
            )
          ),
          CAST(0 AS DOUBLE),
          (a_6, b_6) -> a_6 + b_6
        )
      END / (
        derived_2 - 1
      )
    )
  END AS DOUBLE) AS sd,
  CAST(1 AS BIGINT) AS _w
FROM derived
