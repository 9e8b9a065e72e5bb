"""Users' functions on a Spark session: scalar functions over Arrow, registered by name."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from belvedere.engines.function import Function, vectorized
from belvedere.engines.spark.dialect import type_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def create(session: SparkSession, function: Function) -> None:
    """Make it callable in statements of the session, in place of one of the same name."""
    from pyspark.sql import functions as fn

    made = fn.arrow_udf(vectorized(function), type_text(function.result), fn.ArrowUDFType.SCALAR)  # type: ignore[attr-defined]
    if not function.deterministic:
        made = made.asNondeterministic()
    with _by_value(function):
        session.udf.register(function.identifier, made)


@contextmanager
def _by_value(function: Function) -> Iterator[None]:
    """Send the code itself, where workers could not import the module that it stands in: one that is not installed."""
    from pyspark import cloudpickle

    kit: Any = cloudpickle
    module = sys.modules.get(getattr(function.call, "__module__", None) or "")
    if module is None or _installed(module) or module.__name__ in kit.list_registry_pickle_by_value():
        yield
        return
    kit.register_pickle_by_value(module)
    try:
        yield
    finally:
        kit.unregister_pickle_by_value(module)


def _installed(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    paths = sysconfig.get_paths()
    return file is None or file.startswith((paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"]))
