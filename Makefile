# `make` alone lists the targets. Everything a target needs is set up in .venv the first time, from requirements.lock.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.belvedere-ready
PIP := $(PY) -m pip --disable-pip-version-check --quiet
JAVA_PACKAGE := openjdk-17-jre-headless

# short jobs are not worth Java's second compiler, which takes a quarter of the processor from the tests beside
JAVA_OPTIONS ?= -XX:TieredStopAtLevel=1

CASES ?= 3000
JOBS ?= 2
ARGS ?=

# Java 17 or newer, from JAVA_HOME or the PATH; prints "yes" or nothing.
HAS_JAVA = $$(scripts/java-check && echo yes || true)

.PHONY: help setup demo test test-local test-spark lint format bench bench-large fuzz fuzz-oql fuzz-schemasql fuzz-lorel fuzz-sources mutants lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## make .venv from requirements.lock (the other targets do it by themselves)

$(READY): requirements.lock pyproject.toml
	@scripts/make-venv $(VENV)
	@echo "installing the locked packages into $(VENV) …"
	@$(PIP) install --no-deps -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY) ## the two-minute tour (ARGS="--engine spark", ARGS="--scale 0.1")
	@$(VENV)/bin/belvedere demo $(ARGS)

test: $(READY) ## all tests: in-process ones in parallel, and Spark's beside them in one process
	@scripts/all-tests JOBS="$(JOBS)" ARGS='$(ARGS)'

test-local: $(READY) ## the tests that need no Java
	@$(PY) -m pytest -q -n $(JOBS) --dist worksteal -m "not spark" $(ARGS)

test-spark: $(READY) ## the tests on Spark
	@if [ -n "$(HAS_JAVA)" ]; then \
	    SPARK_SUBMIT_OPTS="$(JAVA_OPTIONS)" $(PY) -m pytest -q -m spark $(ARGS); \
	else \
	    echo "No Java 17 found, so the tests on Spark did not run. Install the package $(JAVA_PACKAGE)"; \
	    echo "(or set JAVA_HOME) and run 'make test-spark'. The in-process tests above are complete."; \
	fi

lint: $(READY) ## ruff (style, layers) and mypy --strict
	@$(VENV)/bin/ruff check src tests benchmarks examples
	@$(VENV)/bin/mypy

format: $(READY) ## let ruff repair what it can
	@$(VENV)/bin/ruff check --fix src tests benchmarks examples

bench: $(READY) ## the benchmark book, benchmarks/RESULTS.md (ARGS="--only overhead,growth")
	@$(PY) benchmarks/book.py $(ARGS)

bench-large: $(READY) ## the same with sizes for a large machine
	@$(PY) benchmarks/book.py --large $(ARGS)

fuzz: $(READY) ## random views and changes against recomputation: make fuzz CASES=100000
	@$(PY) -m tests.fuzz --cases $(CASES) --jobs $(JOBS) $(ARGS)

fuzz-oql: $(READY) ## random classes, objects and OQL against a plain interpreter: make fuzz-oql CASES=50000
	@$(PY) -m tests.oqlfuzz --cases $(CASES) --jobs $(JOBS) $(ARGS)

fuzz-schemasql: $(READY) ## random databases, SchemaSQL views and changes of data and schema: make fuzz-schemasql CASES=20000
	@$(PY) -m tests.schemafuzz --cases $(CASES) --jobs $(JOBS) $(ARGS)

fuzz-lorel: $(READY) ## random graphs, Lorel views and changes against a plain interpreter: make fuzz-lorel CASES=50000
	@$(PY) -m tests.lorelfuzz --cases $(CASES) --jobs $(JOBS) $(ARGS)

fuzz-sources: $(READY) ## random joins of up to six databases that nobody mirrors: make fuzz-sources CASES=2000
	@$(PY) -m tests.sourcefuzz --cases $(CASES) --jobs $(JOBS) $(ARGS)

mutants: $(READY) ## plant faults in the change rules and count how many the random tests catch
	@$(PY) -m tests.mutants --jobs $(JOBS) $(ARGS)

lock: $(READY) ## write requirements.lock anew from pyproject.toml
	@scripts/lock

clean: ## remove caches and the environment
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	@find src tests benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} +
