"""Quiet while Spark works: PySpark warns about versions of libraries, and logs every error with the stack of the JVM before it
raises it. Filters and levels belong to the whole process, so the first of several threads sets them and the last puts them back.
"""

from __future__ import annotations

import logging
import threading
import warnings


class Silence:
    """Use as `with SILENT:`; may be entered by several threads, and more than once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._level = logging.NOTSET
        self._filters = warnings.catch_warnings()

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside > 1:
                return
            log = logging.getLogger("SQLQueryContextLogger")
            self._level = log.level
            log.setLevel(logging.CRITICAL + 1)
            self._filters = warnings.catch_warnings()
            self._filters.__enter__()
            warnings.simplefilter("ignore")

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside:
                return
            self._filters.__exit__(None, None, None)
            logging.getLogger("SQLQueryContextLogger").setLevel(self._level)


SILENT = Silence()
