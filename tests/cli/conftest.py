"""A shell for the command's tests: it runs in-process, in a directory of its own, and remembers nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from belvedere.cli.main import app

ORDERS = "id,customer,amount\n1,7,9.50\n2,7,1.25\n3,8,4.00\n"
SCHEMA = "id bigint, customer bigint, amount decimal(12,2)"
BY_CUSTOMER = "select customer, count(*) n, sum(amount) total from orders group by customer"


@dataclass(frozen=True)
class Shell:
    directory: Path

    def run(self, *arguments: str, code: int = 0, input: str | None = None) -> str:
        """What the command says: stdout if it succeeds as expected, stderr if it fails as expected."""
        done = CliRunner().invoke(app, list(arguments), input=input)
        assert done.exit_code == code, f"exit code {done.exit_code}\n{done.output}\n{done.exception!r}"
        assert "Traceback" not in done.output
        return done.stdout if code == 0 else done.stderr

    def json(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json"))

    def write(self, name: str, *lines: str) -> str:
        (self.directory / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return name

    def rows(self, name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.json("show", name, "--limit", "0")
        return sorted(found, key=lambda row: json.dumps(row, sort_keys=True))


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """In an empty directory, told to stay in-process."""
    monkeypatch.chdir(tmp_path)
    for name in ("BELVEDERE_DEBUG", "BELVEDERE_CATALOG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BELVEDERE_WAREHOUSE", "shop")
    monkeypatch.setenv("BELVEDERE_ENGINE", "duckdb")
    return Shell(tmp_path)


@pytest.fixture
def shop(shell: Shell) -> Shell:
    """The same with a warehouse that has a table and a view."""
    shell.run("init", "shop")
    shell.write("orders.csv", *ORDERS.splitlines())
    shell.run("load", "orders", "orders.csv", "--schema", SCHEMA, "--key", "id")
    shell.run("view", "create", "by_customer", BY_CUSTOMER)
    return shell


