"""The few functions that the SQL for DuckDB calls by name, because written out they would hide what a query does."""

from __future__ import annotations

#: run once for each database
MACROS = (
    # a * p / b on integers, rounded half up (away from zero), without overflow of a * p
    """CREATE OR REPLACE MACRO bv_quotient(a, b, p) AS
       CASE WHEN b = 0 THEN error('division by zero')
            ELSE sign(a) * sign(b) * (abs(a) // abs(b) * p + ((abs(a) % abs(b)) * p * 2 + abs(b)) // (2 * abs(b))) END""",
    # a / b on doubles, where Spark raises and IEEE does not
    """CREATE OR REPLACE MACRO bv_divide(a, b) AS
       CASE WHEN b = 0 THEN error('division by zero') ELSE a / b END""",
    """CREATE OR REPLACE MACRO bv_remainder(a, b) AS
       CASE WHEN b = 0 THEN error('division by zero') ELSE a % b END""",
    # the i-th element of a list, from 0; outside is an error
    """CREATE OR REPLACE MACRO bv_at(l, i) AS
       CASE WHEN i < 0 OR i >= len(l) THEN error('array index out of bounds') ELSE l[i + 1] END""",
    # element_at on a list: from 1, or from the end with a negative index; outside is an error
    """CREATE OR REPLACE MACRO bv_element_at(l, i) AS
       CASE WHEN i = 0 OR abs(i) > len(l) THEN error('array index out of bounds') ELSE l[i] END""",
    # text that must look like a pattern before it is converted
    """CREATE OR REPLACE MACRO bv_checked(s, pattern, what) AS
       CASE WHEN regexp_full_match(s, pattern) OR s IS NULL THEN trim(s, e' \\t\\n\\r')
            ELSE error('cannot cast ' || chr(39) || s || chr(39) || ' to ' || what) END""",
    """CREATE OR REPLACE MACRO bv_boolean(s) AS
       CASE WHEN s IS NULL THEN NULL
            WHEN lower(trim(s)) IN ('t', 'true', 'y', 'yes', '1') THEN true
            WHEN lower(trim(s)) IN ('f', 'false', 'n', 'no', '0') THEN false
            ELSE error('cannot cast ' || chr(39) || s || chr(39) || ' to boolean') END""",
    # a few characters change their case in Spark to more than one character, or by what follows them
    """CREATE OR REPLACE MACRO bv_upper(s) AS
       CASE WHEN regexp_matches(s, '[ßŉǰΐΰևẖ-ẚὐὒὔὖᾀ-ᾯᾲ-ᾷᾼῂ-ῇῌῒ-ῗῢ-ῧῲ-ῷῼﬀ-ﬗ]')
            THEN error('upper of ' || s || ' runs on Spark only') ELSE upper(s) END""",
    """CREATE OR REPLACE MACRO bv_lower(s) AS
       CASE WHEN regexp_matches(s, '[İΣ]') THEN error('lower of ' || s || ' runs on Spark only') ELSE lower(s) END""",
    # round(x, n) of a double: half up on its shortest decimal text
    """CREATE OR REPLACE MACRO bv_round(x, rounded) AS
       CASE WHEN isnan(x) OR isinf(x) OR abs(x) >= 1e15 THEN x ELSE rounded::VARCHAR::DOUBLE END""",
    # substring as Spark counts it: from 1, 0 as 1, from the end with a negative start
    """CREATE OR REPLACE MACRO bv_substring(s, start, size) AS
       CASE WHEN start > 0 THEN substring(s, start, greatest(size, 0))
            WHEN start = 0 THEN substring(s, 1, greatest(size, 0))
            WHEN length(s) + start >= 0 THEN substring(s, length(s) + start + 1, greatest(size, 0))
            ELSE substring(s, 1, greatest(least(length(s) + start + size::BIGINT, length(s)), 0)) END""",
)
