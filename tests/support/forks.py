"""Processes for tests that die: forked from one that has imported every room already, so that each starts in milliseconds."""

from __future__ import annotations

import multiprocessing

import belvedere.cli.main  # brings in all rooms, so that a process forked from here has them
import belvedere.engines.duckdb
import belvedere.languages
import belvedere.sources.duckdb_file
import belvedere.sources.mysql
import belvedere.sources.postgres
import belvedere.sources.sqlite
import belvedere.store.iceberg
import belvedere.warehouse

assert belvedere.cli.main

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__])
