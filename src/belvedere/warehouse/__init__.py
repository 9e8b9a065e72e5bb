"""The façade."""

from belvedere.objects.oid import Oid
from belvedere.objects.report import Deletion, Touched
from belvedere.warehouse.report import Refresh
from belvedere.warehouse.result import Result
from belvedere.warehouse.transaction import Transaction
from belvedere.warehouse.verify import Verification
from belvedere.warehouse.view import View
from belvedere.warehouse.warehouse import Warehouse, open_warehouse

__all__ = [
    "Deletion", "Oid", "Refresh", "Result", "Touched", "Transaction", "Verification", "View", "Warehouse",
    "open_warehouse",
]  # fmt: skip
