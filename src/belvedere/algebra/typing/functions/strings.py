"""Functions of strings."""

from __future__ import annotations

from sqlglot import exp

from belvedere.algebra.types import Array, BigInt, Binary, Boolean, DataType, Int, Map, String, Void
from belvedere.algebra.typing.context import Context, Rule
from belvedere.algebra.typing.expect import ANY, BIGINT, BINARY, DOUBLE, INT, STRING, TEXT, call, named, take
from belvedere.algebra.typing.logic import unify
from belvedere.errors import TypeMismatch

STR, I32, BOOL = String(), Int(), Boolean()


def same(types: list[DataType]) -> DataType:
    return types[0]


def concat(ctx: Context, node: exp.Expr) -> DataType:
    """Strings; or binaries alone, or arrays alone, which stay what they are."""
    parts = list(node.expressions) or [node.args["this"], node.args["expression"]]
    types = [ctx.visit(p) for p in parts]
    if any(isinstance(t, Array) for t in types):
        return unify(ctx, node, parts, "concat")
    if types and all(isinstance(t, Binary) for t in types):
        return Binary()
    for p, t in zip(parts, types, strict=True):
        if STRING.accept(t) is None:
            raise ctx.mismatch(p, "strings", t, "concat")
        ctx.cast(p, STR)
    return STR


def concat_ws(ctx: Context, node: exp.Expr) -> DataType:
    for p in list(node.expressions):
        t = ctx.visit(p)
        if isinstance(t, Array) and isinstance(t.element, (String, Void)):
            continue
        if STRING.accept(t) is None:
            raise ctx.mismatch(p, "strings or arrays of strings", t, "concat_ws")
        ctx.cast(p, STR)
    return STR


def reverse(ctx: Context, node: exp.Expr) -> DataType:
    t = ctx.arg(node)
    return t if isinstance(t, Array) else take(ctx, node, node.args["this"], STRING)


def character(ctx: Context, node: exp.Expr) -> DataType:
    take(ctx, node, node.expressions[0], BIGINT)
    return STR


def element(ctx: Context, node: exp.Expr) -> DataType:
    """elt(n, a, b, …): the n-th of the strings."""
    take(ctx, node, node.args["this"], INT)
    for e in list(node.expressions):
        take(ctx, node, e, STRING)
    return STR


def decode(ctx: Context, node: exp.Expr) -> DataType:
    """decode(x, v1, r1, …, default): a case in one word."""
    args = list(node.expressions)
    if len(args) < 3:
        raise ctx.error(TypeMismatch, "decode takes a value, pairs of search and result, and an optional default", node)
    pairs = args[1:] if len(args) % 2 else args[1:-1]
    unify(ctx, node, [args[0], *pairs[0::2]], "decode")
    return unify(ctx, node, [*pairs[1::2], *([] if len(args) % 2 else args[-1:])], "decode")


RULES: dict[type[exp.Expr], Rule] = {
    exp.Upper: call(STR, this=STRING), exp.Lower: call(STR, this=STRING), exp.Initcap: call(STR, this=STRING),
    exp.Length: call(I32, this=TEXT), exp.BitLength: call(I32, this=TEXT),
    exp.Substring: call(same, this=TEXT, start=INT, length=INT),
    exp.Left: call(same, this=TEXT, expression=INT), exp.Right: call(STR, this=STRING, expression=INT),
    exp.Trim: call(STR, this=STRING, expression=STRING),
    exp.Pad: call(same, this=TEXT, expression=INT, fill_pattern=STRING),
    exp.Repeat: call(STR, this=STRING, times=INT), exp.Space: call(STR, this=INT),
    exp.StrPosition: call(I32, this=STRING, substr=STRING, position=INT),
    exp.StartsWith: call(BOOL, this=STRING, expression=STRING), exp.EndsWith: call(BOOL, this=STRING, expression=STRING),
    exp.Contains: call(BOOL, this=STRING, expression=STRING),
    exp.Translate: call(STR, this=STRING, from_=STRING, to=STRING),
    exp.Replace: call(STR, this=STRING, expression=STRING, replacement=STRING),
    exp.RegexpReplace: call(STR, this=STRING, expression=STRING, replacement=STRING, position=INT),
    exp.RegexpExtract: call(STR, this=STRING, expression=STRING, group=INT),
    exp.RegexpExtractAll: call(Array(STR), this=STRING, expression=STRING, group=INT),
    exp.RegexpCount: call(I32, this=STRING, expression=STRING),
    exp.RegexpSplit: call(Array(STR), this=STRING, expression=STRING, limit=INT),
    exp.Split: call(Array(STR), this=STRING, expression=STRING, limit=INT),
    exp.SplitPart: call(STR, this=STRING, delimiter=STRING, part_index=INT),
    exp.SubstringIndex: call(STR, this=STRING, delimiter=STRING, count=INT),
    exp.Ascii: call(I32, this=STRING), exp.Chr: character, exp.Soundex: call(STR, this=STRING),
    exp.Levenshtein: call(I32, this=STRING, expression=STRING),
    exp.Overlay: call(same, this=STRING, expression=STRING, from_=INT, for_=INT),
    exp.MD5: call(STR, this=BINARY), exp.SHA: call(STR, this=BINARY), exp.SHA2: call(STR, this=BINARY, length=INT),
    exp.Hex: call(STR, this=ANY), exp.Unhex: call(Binary(), this=STRING),
    exp.ToBase64: call(STR, this=BINARY), exp.FromBase64: call(Binary(), this=STRING),
    exp.Encode: call(Binary(), this=STRING, charset=STRING), exp.Decode: call(STR, this=BINARY, charset=STRING),
    exp.StrToMap: call(Map(STR, STR), this=STRING, pair_delim=STRING, key_value_delim=STRING),
    exp.Concat: concat, exp.DPipe: concat, exp.ConcatWs: concat_ws, exp.Reverse: reverse, exp.DecodeCase: decode,
    exp.Elt: element,
}  # fmt: skip

NAMED: dict[str, Rule] = {
    "btrim": named(STR, STRING, STRING, optional=1),
    "octet_length": named(I32, TEXT),
    "format_number": named(STR, DOUBLE, INT),
    "crc32": named(BigInt(), BINARY),
    "bin": named(STR, BIGINT),
    "conv": named(STR, STRING, INT, INT),
    "hash": named(I32, ANY, rest=ANY),
    "xxhash64": named(BigInt(), ANY, rest=ANY),
    "find_in_set": named(I32, STRING, STRING),
    "regexp": named(BOOL, STRING, STRING),
    "char": named(STR, BIGINT),
    "lcase": named(STR, STRING),
}
