"""Which parts of a node the rules look at. A part that is set and not listed is refused rather than lost."""

from __future__ import annotations

from sqlglot import exp

_COMMON = frozenset({"this", "expression", "expressions"})

_MORE: dict[type[exp.Expr], set[str]] = {
    exp.ArrayAppend: {"null_propagation"}, exp.ArrayPrepend: {"null_propagation"}, exp.ArrayRemove: {"null_propagation"},
    exp.ArraySlice: {"start", "end", "is_length"}, exp.ArraySort: {"asc", "nulls_first"}, exp.ArrayToString: {"null"},
    exp.Between: {"low", "high"}, exp.Bracket: {"offset", "safe"}, exp.Case: {"ifs", "default"}, exp.Cast: {"to", "_type"},
    exp.Concat: {"safe"}, exp.ConcatWs: {"safe", "coalesce", "flatten"}, exp.DPipe: {"safe"}, exp.DateTrunc: {"unit"},
    exp.Floor: {"decimals"}, exp.Ceil: {"decimals"}, exp.GenerateSeries: {"start", "end", "step"}, exp.Greatest: {"ignore_nulls"},
    exp.Least: {"ignore_nulls"}, exp.ILike: {"negate"}, exp.Like: {"negate"}, exp.Identifier: {"quoted"},
    exp.If: {"true", "false"},
    exp.JSONExtract: {"variant_extract"}, exp.JSONExtractScalar: {"only_json_types"}, exp.Literal: {"is_string"},
    exp.Map: {"keys", "values"}, exp.VarMap: {"keys", "values"}, exp.MapContainsKey: {"key"}, exp.Nvl2: {"true", "false"},
    exp.Pad: {"fill_pattern", "is_left"}, exp.Reduce: {"initial", "merge", "finish"},
    exp.RegexpExtract: {"group", "null_if_pos_overflow"}, exp.RegexpReplace: {"replacement", "position"}, exp.Repeat: {"times"},
    exp.RegexpSplit: {"limit"}, exp.Split: {"limit"}, exp.Replace: {"replacement"}, exp.Round: {"decimals"}, exp.SHA2: {"length"},
    exp.SplitPart: {"delimiter", "part_index"}, exp.StrPosition: {"substr", "position"}, exp.StrToUnix: {"format"},
    exp.Substring: {"start", "length"}, exp.TimeToStr: {"format"}, exp.TimestampAdd: {"unit"}, exp.TimestampTrunc: {"unit"},
    exp.Translate: {"from_", "to"}, exp.Trim: {"position"}, exp.TryCast: {"to", "safe", "_type"}, exp.TsOrDsAdd: {"unit"},
    exp.TsOrDsToDate: {"format", "safe"}, exp.Coalesce: {"is_nvl", "is_null"},
}  # fmt: skip


def unknown_parts(node: exp.Expr) -> set[str]:
    """Parts that are set and that no rule looks at."""
    known = _COMMON | _MORE.get(type(node), set())
    return {k for k, v in node.args.items() if k not in known and v not in (None, False, [], "")}
