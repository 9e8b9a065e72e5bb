"""`belvedere demo --engine spark` in a process whose Spark is a cluster: what is active is what the tour uses.

    python examples/cluster/tour.py spark://127.0.0.1:7077 DIRECTORY SCALE
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from session import session

from belvedere.cli.demo.command import demo
from belvedere.cli.options import Engine

if __name__ == "__main__":
    url, directory, scale = sys.argv[1:]
    active = session(url)
    try:
        demo(Engine.spark, float(scale), Path(directory))
    finally:
        active.stop()
