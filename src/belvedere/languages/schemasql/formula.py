"""A view in the paper's notation, equation (1): SPLIT_a(UNFOLD_{b,c}(π σ(FOLD(UNITE(R)) × …)))."""

from __future__ import annotations

from belvedere.languages.schemasql.bound import SchemaBound
from belvedere.languages.schemasql.references import Reader
from belvedere.languages.schemasql.variables import Use


def range_formula(reader: Reader, relations: list[str], names: dict[str, list[str]]) -> str:
    """UNITE where a variable names the relation, FOLD where one names the column that is read."""
    over = list(dict.fromkeys(relations))
    united = [v for v in reader.relation.variables if v in names]
    formula = f"UNITE_{{{', '.join(united)}}}({', '.join(over)})" if united else "".join(over) or "∅"
    for variable in reader.folds:
        column = next(n for n, t in reader.columns.items() if t == Use(variable))
        folded = ", ".join(dict.fromkeys(names[variable]))
        formula = f"FOLD_{{{variable}, {reader.variable}.{column}, {{{folded}}}}}({formula})"
    return f"δ(π_{{{', '.join(reader.columns)}}}({formula}))" if reader.distinct else formula


def algebra_text(bound: SchemaBound) -> str:
    """The whole view. Aggregation is part of π, as in the paper."""
    text = " × ".join(s.formula for s in bound.sources)
    if bound.selection:
        text = f"σ_{{{bound.selection}}}({text})"
    text = f"π_{{{', '.join(bound.projection)}}}({text})"
    layout = bound.layout
    if layout.pivot is not None and layout.data is not None:
        data = bound.projection[bound.node.schema.names.index(layout.data)]
        text = f"UNFOLD_{{{layout.pivot}, {data}}}({text})"
    if layout.relation is not None:
        text = f"SPLIT_{{{layout.relation}}}({text})"
    return text
