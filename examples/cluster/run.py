"""Start a cluster, take the tour on it, and check views against it: as a Spark application, and over Spark Connect.

    python examples/cluster/run.py [--scale 0.02] [--workers 2]

A master and its workers are started on the loopback address from the pyspark that pip installed, and ended afterwards. Takes a
few minutes, and about 4 GiB of memory.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from cluster import Cluster

HERE = Path(__file__).resolve().parent


def tour(cluster: Cluster, place: Path, scale: float) -> bool:
    """The demo in a process of its own, whose Spark is the cluster."""
    print("The tour, on the cluster:", flush=True)
    return ran("tour.py", cluster.url, str(place / "tour"), str(scale))


def checks(how: str, where: str, workers: list[int]) -> bool:
    print(f"Checks, {how}:", flush=True)
    told = {"BELVEDERE_CLUSTER": where, "BELVEDERE_WORKERS": ",".join(map(str, workers))}
    return ran("-m", "pytest", "-q", "-p", "no:cacheprovider", "check_cluster.py", **told)


def ran(*command: str, **told: str) -> bool:
    return subprocess.run([sys.executable, *command], cwd=HERE, env={**os.environ, **told}, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=0.02, help="1 is three million items")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="belvedere-cluster-") as directory:
        place = Path(directory)
        with Cluster(place / "first", options.workers) as cluster:
            print(f"{cluster.alive()} workers at {cluster.url}", flush=True)
            # Connect before the application: one of its checks kills a worker
            good = tour(cluster, place, options.scale) and checks("over Spark Connect", cluster.connect(), [])
        with Cluster(place / "second", options.workers) as cluster:
            good = checks("as an application", cluster.url, [w.pid for w in cluster.workers]) and good
    print("all good" if good else "NOT all good")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
