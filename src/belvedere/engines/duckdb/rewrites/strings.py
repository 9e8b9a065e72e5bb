"""Functions of strings. Positions count characters from 1 in both engines; what Spark does at the edges is written out."""

from __future__ import annotations

import re

from sqlglot import exp

from belvedere.algebra.types import Array, Binary, Int, String
from belvedere.engines.duckdb.rewriter import Rewriter, Rule, direct, refused, type_of
from belvedere.engines.duckdb.types import cast_node
from belvedere.engines.sql import build


def _text_only(node: exp.Expr, key: str = "this") -> None:
    if not isinstance(type_of(node.args[key]), String):
        raise refused(node)


def length(go: Rewriter, node: exp.Expr) -> exp.Expr:
    name = "octet_length" if isinstance(type_of(node.this), Binary) else "length"
    return cast_node(build.call(name, go.arg(node)), Int())


def substring(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """Spark: 0 counts as 1, a negative start counts from the end, and one before the string still takes its share of the
    length. DuckDB agrees from 1 on; the rest is computed."""
    _text_only(node)
    start, size = node.args.get("start"), node.args.get("length")
    value = go.arg(node)
    if isinstance(start, exp.Literal) and int(start.name) >= 0 and (size is None or isinstance(size, exp.Literal)):
        first = build.number(max(1, int(start.name)))
        return build.call("substring", value, first, *([go(size)] if size is not None else []))
    if not isinstance(start, exp.Expr):
        raise refused(node)
    args = [value, go(start)]
    if size is None:
        return build.call("bv_substring", *args, build.number(2147483647))
    return build.call("bv_substring", *args, go(size))


def left(go: Rewriter, node: exp.Expr) -> exp.Expr:
    _text_only(node)
    count = build.call("greatest", go.arg(node, "expression"), build.number(0))
    return build.case(build.not_null(go.arg(node, "expression")), build.call("left", go.arg(node), count))


def right(go: Rewriter, node: exp.Expr) -> exp.Expr:
    _text_only(node)
    count = build.call("greatest", go.arg(node, "expression"), build.number(0))
    return build.case(build.not_null(go.arg(node, "expression")), build.call("right", go.arg(node), count))


def trim(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """Without characters to trim, Spark trims spaces only."""
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position") or "BOTH").upper(), "trim")
    characters = go.optional(node, "expression")
    return build.call(name, go.arg(node), characters if characters is not None else build.text(" "))


def concat(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """NULL if one is NULL: the || of DuckDB, not its concat."""
    parts = [go(e) for e in (node.expressions or [node.args["this"], node.args["expression"]])]
    if isinstance(type_of(node), Array):
        return _lists(parts)
    made = build.paren(parts[0])
    for p in parts[1:]:
        made = exp.DPipe(this=made, expression=build.paren(p))
    return exp.Paren(this=made) if len(parts) > 1 else made


def _lists(parts: list[exp.Expr]) -> exp.Expr:
    """DuckDB joins lists as if NULL were empty; Spark gives NULL."""
    made = parts[0]
    for p in parts[1:]:
        made = build.call("list_concat", made, p)
    known = build.conjunction(build.not_null(p.copy()) for p in parts)
    assert known is not None
    return build.case(known, made)


def concat_ws(go: Rewriter, node: exp.Expr) -> exp.Expr:
    separator, *rest = node.expressions
    if any(isinstance(type_of(r), Array) for r in rest) or not rest:
        raise refused(node)
    return build.call("concat_ws", go(separator), *(go(r) for r in rest))


def position(go: Rewriter, node: exp.Expr) -> exp.Expr:
    if node.args.get("position") is not None:
        raise refused(node)
    return cast_node(build.call("strpos", go.arg(node), go.arg(node, "substr")), Int())


def pad(go: Rewriter, node: exp.Expr) -> exp.Expr:
    fill = node.args.get("fill_pattern")
    if not isinstance(type_of(node.this), String) or (fill is not None and not (isinstance(fill, exp.Literal) and fill.name)):
        raise refused(node)
    name = "lpad" if node.args.get("is_left") else "rpad"
    count = build.call("greatest", go.arg(node, "expression"), build.number(0))
    made = build.call(name, go.arg(node), count, go(fill) if fill is not None else build.text(" "))
    return build.case(build.not_null(go.arg(node, "expression")), made)


def replace(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """An empty search text replaces nothing."""
    replacement = go.optional(node, "replacement")
    return build.call(
        "replace", go.arg(node), go.arg(node, "expression"), replacement if replacement is not None else build.text("")
    )


def contains(name: str) -> Rule:
    def rule(go: Rewriter, node: exp.Expr) -> exp.Expr:
        _text_only(node)
        return build.call(name, go.arg(node), go.arg(node, "expression"))

    return rule


def reverse(go: Rewriter, node: exp.Expr) -> exp.Expr:
    if isinstance(type_of(node.this), Array):
        return build.call("list_reverse", go.arg(node))
    return build.call("reverse", go.arg(node))


def repeat(go: Rewriter, node: exp.Expr) -> exp.Expr:
    count = build.call("greatest", go.arg(node, "times"), build.number(0))
    return build.case(build.not_null(go.arg(node, "times")), build.call("repeat", go.arg(node), count))


def split(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """split takes a regular expression; one without any freedom is plain text."""
    separator = node.args["expression"]
    text = _plain_separator(separator.name) if isinstance(separator, exp.Literal) else None
    if text is None or node.args.get("limit") is not None:
        raise refused(node)
    return build.call("string_split", go.arg(node), build.text(text))


def _plain_separator(pattern: str) -> str | None:
    """The text that a pattern without any freedom stands for.

    >>> _plain_separator(", "), _plain_separator("\\\\|"), _plain_separator("[,;]")
    (', ', '|', None)
    """
    text = re.sub(r"\\([^A-Za-z0-9])", r"\1", pattern)
    rest = re.sub(r"\\[^A-Za-z0-9]", "", pattern)
    return text if text and not set(rest) & set("\\^$.|?*+()[]{}") else None


def split_part(go: Rewriter, node: exp.Expr) -> exp.Expr:
    index = node.args["part_index"]
    if not isinstance(index, exp.Literal) or int(index.name) < 1:
        raise refused(node)
    return build.call("split_part", go.arg(node), go.arg(node, "delimiter"), go(index))


def digest(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """md5, sha1, sha2(256): hexadecimal, lower case, by both."""
    if isinstance(node, exp.SHA2):
        size = node.args.get("length")
        if not isinstance(size, exp.Literal) or size.name not in ("0", "256"):
            raise refused(node)
        return build.call("sha256", go.arg(node))
    return build.call("md5" if isinstance(node, exp.MD5) else "sha1", go.arg(node))


def ascii_(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """The code point of the first character; 0 for an empty string."""
    value = go.arg(node)
    empty = exp.EQ(this=build.paren(value), expression=build.text(""))
    return build.case(empty, build.number(0), cast_node(build.call("unicode", value.copy()), Int()))


def by_name(name: str) -> Rule:
    def rule(go: Rewriter, node: exp.Expr) -> exp.Expr:
        return build.call(name, *(go(e) for e in node.expressions))

    return rule


def octets(go: Rewriter, node: exp.Expr) -> exp.Expr:
    value = node.expressions[0]
    made = go(value) if isinstance(type_of(value), Binary) else build.call("encode", go(value))
    return cast_node(build.call("octet_length", made), Int())


RULES: dict[type[exp.Expr], Rule] = {
    exp.Upper: direct("bv_upper"), exp.Lower: direct("bv_lower"), exp.Length: length, exp.Substring: substring, exp.Left: left,
    exp.Right: right, exp.Trim: trim, exp.Concat: concat, exp.DPipe: concat, exp.ConcatWs: concat_ws, exp.StrPosition: position,
    exp.Pad: pad, exp.Replace: replace, exp.StartsWith: contains("starts_with"), exp.EndsWith: contains("ends_with"),
    exp.Contains: contains("contains"), exp.Reverse: reverse, exp.Repeat: repeat, exp.RegexpSplit: split, exp.Split: split,
    exp.SplitPart: split_part, exp.MD5: digest, exp.SHA: digest, exp.SHA2: digest, exp.Ascii: ascii_,
    exp.Translate: direct("translate", "this", "from_", "to"),
}  # fmt: skip
NAMED: dict[str, Rule] = {"lcase": by_name("bv_lower"), "ucase": by_name("bv_upper"), "octet_length": octets}
