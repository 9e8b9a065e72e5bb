"""Where numbers come from: the machine and the versions of what runs on it."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("belvedere", "duckdb", "pyspark", "pyarrow", "pyiceberg", "sqlglot")


def versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{p: version(p) for p in PACKAGES}}


def machine() -> dict[str, str]:
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _field("/proc/cpuinfo", "model name") or platform.processor() or "unknown",
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "memory": _memory(),
    }


def resident() -> int:
    """Bytes of memory that this process holds now."""
    pages = Path("/proc/self/statm")
    if not pages.exists():
        raise SystemExit("The memory of a process is read from /proc, which this system does not have.")
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _memory() -> str:
    found = _field("/proc/meminfo", "MemTotal")
    return f"{int(found.split()[0]) / 1024**2:.0f} GiB" if found else "unknown"


def _field(path: str, name: str) -> str | None:
    file = Path(path)
    if not file.exists():
        return None
    for line in file.read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return None
