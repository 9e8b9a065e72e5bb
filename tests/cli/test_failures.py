"""What can go wrong at a shell: a short message on stderr, an exit code, no trace, and the warehouse as it was."""

from __future__ import annotations

import pytest
import typer
from tests.cli.conftest import SCHEMA, Shell
from typer.testing import CliRunner

from belvedere.cli.failures import Guarded
from belvedere.cli.main import app
from belvedere.errors import BelvedereError, StoreError


def test_no_warehouse_here(shell: Shell) -> None:
    said = shell.run("status", code=1)
    assert said.startswith("error: there is no warehouse at ")
    assert "belvedere init" in said
    assert not (shell.directory / "shop").exists()


def test_a_warehouse_path_that_is_a_file(shell: Shell) -> None:
    shell.write("shop", "not a directory")
    assert shell.run("status", code=1).startswith("error: ")
    assert shell.run("init", "shop", code=1).startswith("error: ")
    assert (shell.directory / "shop").read_text() == "not a directory\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "by_custmer"], "by_customer"),
        (["query", "select amout from orders"], "amount"),
        (["query", "select * from ordres"], "orders"),
        (["view", "create", "broken", "select from where"], "line 1"),
        (["view", "create", "by_customer", "select id from orders"], "by_customer"),
        (["view", "drop", "nothing"], "nothing"),
        (["execute", "insert into orders values (1, 1, 1.00)"], "key"),
        (["execute", "insert into orders values ('x', 1, 1.00)"], "id"),
        (["load", "orders", "nowhere.csv"], "nowhere.csv"),
        (["apply", "nowhere.jsonl"], "nowhere.jsonl"),
        (["verify", "nothing"], "nothing"),
        (["explain", "nothing"], "nothing"),
        (["history", "nothing"], "nothing"),
    ],
)
def test_bad_input_leaves_the_warehouse_as_it_was(shop: Shell, arguments: list[str], said: str) -> None:
    before = shop.json("status"), shop.rows("orders"), shop.rows("by_customer")
    message = shop.run(*arguments, code=1)
    assert message.startswith("error: ")
    assert said in message
    assert (shop.json("status"), shop.rows("orders"), shop.rows("by_customer")) == before


def test_a_broken_csv_line_has_its_number(shop: Shell) -> None:
    shop.write("more.csv", "id,customer,amount", "10,1,1.00", "eleven,1,1.00")
    assert "3" in shop.run("load", "orders", "more.csv", code=1)
    shop.write("other.csv", "id,customer,amount", "1,1,1.00", "2,1,2.00,what")
    assert "3" in shop.run("load", "new", "other.csv", "--schema", SCHEMA, code=1)
    assert [t["table"] for t in shop.json("tables")] == ["orders"]


def test_debug_shows_the_trace(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    done = CliRunner().invoke(app, ["--debug", "status"])
    monkeypatch.delenv("BELVEDERE_DEBUG")
    assert isinstance(done.exception, StoreError)


def failing(error: Exception) -> typer.Typer:
    broken = typer.Typer(cls=Guarded, pretty_exceptions_enable=False)

    @broken.command()
    def fail() -> None:
        raise error

    @broken.command()
    def other() -> None: ...

    return broken


def test_our_own_faults_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BELVEDERE_DEBUG", raising=False)
    done = CliRunner().invoke(failing(ZeroDivisionError("oh")), ["fail"])
    assert done.exit_code == 70
    assert "unexpected ZeroDivisionError: oh" in done.stderr
    assert "--debug" in done.stderr


def test_messages_are_not_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BELVEDERE_DEBUG", raising=False)
    done = CliRunner().invoke(failing(BelvedereError("no table '[bold]x[/nope]'\n  [red]")), ["fail"])
    assert done.exit_code == 1
    assert done.stderr == "error: no table '[bold]x[/nope]'\n  [red]\n"
