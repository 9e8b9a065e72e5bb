"""Regular expressions. Java's and DuckDB's (RE2) agree on a plain subset; what stands outside of it runs on Spark only.

Inside the subset the two differ in what `.`, `\\s` and `$` mean at line ends: those are written out.
"""

from __future__ import annotations

import re

from sqlglot import exp

from belvedere.engines.duckdb.rewriter import Rewriter, Rule, refused
from belvedere.engines.sql import build

_ENDS = r"\n\r\x{85}\x{2028}\x{2029}"
_ANY = rf"[^{_ENDS}]"
_SPACE = r"[ \t\n\x0B\f\r]"
_LAST = rf"(?:\r\n|[{_ENDS}])?\z"
_TOKENS = re.compile(
    r"(?P<class>\[\^?[A-Za-z0-9_ ,;:@#%&=<>/\"'!~.+*?()|{}$-]+\])|(?P<escape>\\[dwDW.\-+*?()\[\]{}|^$\\/])|(?P<space>\\s)"
    r"|(?P<any>\.)|(?P<end>\$)|(?P<count>\{\d+(?:,\d*)?\})|(?P<quantifier>[*+?])|(?P<group>\((?:\?:)?|\)|\||\^)"
    r"|(?P<plain>[^\\\[\](){}|^$.*+?])",
    re.S,
)


def translate(pattern: str, *, ends: bool) -> str | None:
    """The pattern for RE2, or None if it is outside of the subset. `ends` allows `$`.

    >>> translate("^a.b$", ends=True) is not None, translate("(?=x)", ends=True), translate("a$", ends=False)
    (True, None, None)
    """
    out, at, before = [], 0, ""
    while at < len(pattern):
        found = _TOKENS.match(pattern, at)
        if found is None:
            return None
        kind, text = found.lastgroup or "", found.group()
        if kind == "end" and (not ends or found.end() != len(pattern)):
            return None
        if kind in ("quantifier", "count") and before in ("", "open", "quantifier", "count", "end"):
            return None  # lazy, possessive or dangling
        out.append({"any": _ANY, "space": _SPACE, "end": _LAST}.get(kind, text))
        before, at = "open" if kind == "group" and text != ")" else kind, found.end()
    made = "".join(out)
    try:
        re.compile(
            made.replace(r"\x{", r"\u{")
            .replace(r"\u{85}", "\x85")
            .replace(r"\u{2028}", " ")
            .replace(r"\u{2029}", " ")
            .replace(r"\z", r"\Z")
        )
    except re.error:
        return None
    return made


def _pattern(node: exp.Expr, *, ends: bool) -> exp.Expr:
    literal = node.args["expression"] if not isinstance(node, exp.Anonymous) else node.expressions[1]
    made = translate(literal.name, ends=ends) if isinstance(literal, exp.Literal) and literal.is_string else None
    if made is None:
        raise refused(node)
    return build.text(made)


def like(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """rlike: the pattern occurs somewhere."""
    value = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
    return build.call("regexp_matches", go(value), _pattern(node, ends=True))


def replaced(go: Rewriter, node: exp.Expr) -> exp.Expr:
    """Every occurrence; the replacement must be plain text."""
    text = node.args.get("replacement")
    if not isinstance(text, exp.Literal) or set(text.name) & set("$\\") or node.args.get("position") is not None:
        raise refused(node)
    return build.call("regexp_replace", go.arg(node), _pattern(node, ends=False), go(text), build.text("g"))


def extracted(go: Rewriter, node: exp.Expr) -> exp.Expr:
    group = node.args.get("group")
    if group is not None and not isinstance(group, exp.Literal):
        raise refused(node)
    number = int(group.name) if group is not None else 1
    pattern = node.args["expression"]
    if isinstance(pattern, exp.Literal) and len(re.findall(r"(?<!\\)\((?!\?)", pattern.name)) < number:
        raise refused(node)
    return build.call("regexp_extract", go.arg(node), _pattern(node, ends=False), build.number(number))


RULES: dict[type[exp.Expr], Rule] = {exp.RegexpLike: like, exp.RegexpReplace: replaced, exp.RegexpExtract: extracted}
NAMED: dict[str, Rule] = {"regexp": like}
