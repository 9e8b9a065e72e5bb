"""Attaches a source in a process of its own, and says how much memory that took until its last row was on disk: run by
test_first_load.py. What comes after is the engine's, which has a limit of its own: checking keys, and merging runs."""

from __future__ import annotations

import resource
import sys

import belvedere as bv
import belvedere.engines.duckdb
import belvedere.sources.postgres


def main(path: str, warm: str, url: str) -> None:
    with bv.open(path, engine="duckdb") as wh:
        wh.attach("warm", warm, mirror=True)  # the engine and the drivers take their own
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seen: list[int] = []
        rows = wh.attach(
            "s", url, mirror=True, progress=lambda *_: seen.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        )
        print(sum(rows.values()), seen[-1] - before)


if __name__ == "__main__":
    main(*sys.argv[1:])
