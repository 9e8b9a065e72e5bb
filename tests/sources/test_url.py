"""URLs of sources, and where their passwords come from."""

from __future__ import annotations

from pathlib import Path

import pytest

import belvedere as bv
from belvedere.sources.url import parse, password


def test_a_server() -> None:
    found = parse("s", "postgresql://joe:env:PW@db.example:5433/shop?sslmode=require&retries=7&statement_timeout=2.5")
    assert (found.system, found.host, found.port, found.user, found.database) == ("postgres", "db.example", 5433, "joe", "shop")
    assert dict(found.options) == {"sslmode": "require"}
    assert (found.settings.retries, found.settings.statement_timeout) == (7, 2.5)
    assert parse("s", "mariadb://[::1]/a%20b").database == "a b"


def test_passwords(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PW", "secret @:/")
    monkeypatch.setenv("BELVEDERE_MY_SHOP_PASSWORD", "own")
    (tmp_path / "pw").write_text("from a file\n")
    assert password("s", parse("s", "mysql://joe:env:PW@h/d")) == "secret @:/"
    assert password("s", parse("s", f"mysql://joe:file:{tmp_path}/pw@h/d")) == "from a file"
    assert password("my_shop", parse("my_shop", "mysql://joe@h/d")) == "own"
    assert password("other", parse("other", "mysql://joe@h/d")) is None
    with pytest.raises(bv.BelvedereError, match="environment variable NOT_THERE, which is not set"):
        password("s", parse("s", "mysql://joe:env:NOT_THERE@h/d"))
    with pytest.raises(bv.BelvedereError, match="cannot be read"):
        password("s", parse("s", "mysql://joe:file:/not/there@h/d"))


@pytest.mark.parametrize(
    "url", ["postgresql://joe:hunter2@h/d", "mysql://h/d?password=hunter2", "postgresql://h/d?sslpassword=hunter2"]
)
def test_a_password_in_clear_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(bv.BelvedereError, match="kept in the catalog in clear") as caught:
        parse("s", url)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "said"),
    [("oracle://h/d", "no URL of a database"), ("shop.db", "no URL"), ("postgresql://h", "names no database"),
     ("sqlite://", "names no file"), ("sqlite:///not/there.db", "no file /not/there.db"),
     ("mysql://h/d?retries=x", "retries=x is no number"), ("mysql://h/d?batch=0", "too small")],
)  # fmt: skip
def test_bad_urls(url: str, said: str) -> None:
    with pytest.raises(bv.BelvedereError, match=said):
        parse("s", url)


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.db").touch()
    monkeypatch.chdir(tmp_path)
    for url in (f"sqlite:///{tmp_path}/a.db", f"sqlite://{tmp_path}/a.db", "sqlite:///a.db", "sqlite://a.db"):
        found = parse("s", url)
        assert found.database == str(tmp_path / "a.db")
        assert parse("s", found.text).database == found.database
