"""Belvedere keeps materialized views fresh by propagating changes instead of recomputing.

    import belvedere as bv
    wh = bv.open("shop")
"""

from typing import TYPE_CHECKING, Any

from belvedere.errors import (
    BelvedereError,
    Conflict,
    EngineError,
    InvalidView,
    KeyViolation,
    NotIncremental,
    ParseError,
    RefreshFailed,
    SourceUnavailable,
    StoreError,
    TypeMismatch,
    UnknownName,
    Unsupported,
)

if TYPE_CHECKING:
    from belvedere.languages.oql.decode import Record
    from belvedere.objects.oid import Oid
    from belvedere.objects.report import Deletion, Touched
    from belvedere.warehouse import Refresh, Result, Transaction, Verification, View, Warehouse
    from belvedere.warehouse import open_warehouse as open

__version__ = "0.1.0"

__all__ = [
    "BelvedereError", "Conflict", "Deletion", "EngineError", "InvalidView", "KeyViolation", "NotIncremental", "Oid", "ParseError",
    "Record", "Refresh", "RefreshFailed", "Result", "SourceUnavailable", "StoreError", "Touched", "Transaction", "TypeMismatch",
    "UnknownName", "Unsupported", "Verification", "View", "Warehouse", "open",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """The façade is imported when it is first used, so that importing one room does not bring in all of them."""
    if name not in __all__:
        raise AttributeError(f"module 'belvedere' has no attribute {name!r}")
    if name == "Record":
        from belvedere.languages.oql import decode

        return decode.Record
    from belvedere import warehouse

    return warehouse.open_warehouse if name == "open" else getattr(warehouse, name)
