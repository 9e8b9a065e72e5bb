"""Where a source is, and how to speak to it: its URL, taken apart and checked.

Passwords are never kept: where a URL has one it must be `env:NAME` or `file:/path`, which say where to look for it when it is
needed. A URL without one takes `BELVEDERE_<SOURCE>_PASSWORD` if that is set, and leaves the rest to the driver.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlencode

from belvedere.errors import BelvedereError

SYSTEMS = {
    "postgresql": "postgres", "postgres": "postgres", "mysql": "mysql", "mariadb": "mysql", "sqlite": "sqlite",
    "duckdb": "duckdb",
}  # fmt: skip
FILES = ("sqlite", "duckdb")
_NUMBERS = {
    "connect_timeout": float, "statement_timeout": float, "retries": int, "batch": int, "parts": int, "spark_rows": int,
}  # fmt: skip
_PARTS = re.compile(r"(?P<scheme>[a-z0-9+]+)://(?P<rest>[^?]*)(\?(?P<query>.*))?\Z", re.I | re.S)
_PLACE = re.compile(r"(?P<host>\[[^\]]*\]|[^:/]*)(:(?P<port>[0-9]+))?(/(?P<database>.*))?\Z", re.S)


TRIGGERS, LOGICAL = "triggers", "logical"
"""How changes come out of a source: triggers write them into a log, or a server that can decodes them from its own."""


@dataclass(frozen=True)
class Settings:
    """How long to wait, how often to try, how much to read at once, and how changes come out. `parts`: connections that read a
    first load at the same time; `spark_rows`: from so many rows on Spark does it, where it may."""

    connect_timeout: float = 10.0
    statement_timeout: float = 600.0
    retries: int = 3
    batch: int = 50_000
    parts: int = 4
    spark_rows: int = 5_000_000
    changes: str = TRIGGERS


@dataclass(frozen=True)
class Address:
    """A URL taken apart. `secret` says where the password is, not what it is; `options` go to the driver as they are."""

    system: str
    text: str
    host: str = ""
    port: int | None = None
    user: str = ""
    secret: str = ""
    database: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    settings: Settings = Settings()

    @property
    def shown(self) -> str:
        """For messages."""
        return self.database if self.system in FILES else f"{self.host or 'localhost'}{f':{self.port}' if self.port else ''}"


def parse(name: str, url: str) -> Address:
    """The address of source `name`; `text` is what may be kept of it."""
    found = _PARTS.match(url)
    system = SYSTEMS.get(found["scheme"].lower()) if found else None
    if found is None or system is None:
        raise BelvedereError(
            f"source {name!r}: {_hidden(url)!r} is no URL of a database; write postgresql://user@host/database, "
            "mysql://user@host/database, sqlite:///path or duckdb:///path"
        )
    options, settings = _settings(name, found["query"] or "")
    if settings.changes == LOGICAL and system != "postgres":
        raise BelvedereError(f"source {name!r}: changes={LOGICAL} is for PostgreSQL only; leave it out")
    if system in FILES:
        if options:
            raise BelvedereError(f"source {name!r}: a {system} file has no option {min(options)!r}")
        path = _path(name, system, found["rest"])
        return Address(system, _text(system, path, settings, {}), database=path, settings=settings)
    rest = found["rest"]
    account, _, place = rest.rpartition("@")
    user, _, secret = (unquote(p) for p in account.partition(":"))
    at = _PLACE.match(place)
    if at is None or not at["database"]:
        raise BelvedereError(f"source {name!r}: the URL names no database; write {found['scheme']}://user@host/database")
    _check_secret(name, user, secret)
    return Address(
        system=system, text=url, host=at["host"].strip("[]"), port=int(at["port"]) if at["port"] else None, user=user,
        secret=secret, database=unquote(at["database"]), options=options, settings=settings,
    )  # fmt: skip


def with_changes(name: str, url: str, changes: str | None) -> str:
    """The URL with the way that changes come out, which is one of our options in it.

    >>> with_changes("shop", "postgresql://h/d?sslmode=require", "logical")
    'postgresql://h/d?sslmode=require&changes=logical'
    """
    _check_changes(name, changes or TRIGGERS)
    said = dict(parse_qsl(url.partition("?")[2])).get("changes")
    if changes is None or said == changes:
        return url
    if said is not None:
        raise BelvedereError(
            f"source {name!r}: its URL says changes={said}, and it is attached with changes={changes!r}; say one"
        )
    return url if changes == TRIGGERS else f"{url}{'&' if '?' in url else '?'}changes={changes}"


def password(name: str, address: Address) -> str | None:
    """The password, from where the URL says or from the source's own variable; None leaves it to the driver."""
    kind, _, place = address.secret.partition(":")
    if kind == "env":
        if place not in os.environ:
            raise BelvedereError(f"source {name!r} takes its password from the environment variable {place}, which is not set")
        return os.environ[place]
    if kind == "file":
        try:
            with open(place, encoding="utf-8") as file:
                return file.read().rstrip("\n")
        except OSError as e:
            raise BelvedereError(f"source {name!r} takes its password from a file that cannot be read: {e}") from e
    return os.environ.get(variable(name))


def variable(name: str) -> str:
    """
    >>> variable("shop-eu")
    'BELVEDERE_SHOP_EU_PASSWORD'
    """
    return f"BELVEDERE_{re.sub('[^A-Z0-9]', '_', name.upper())}_PASSWORD"


def _check_secret(name: str, user: str, secret: str) -> None:
    if secret and not re.match(r"(env|file):.", secret):
        raise BelvedereError(
            f"source {name!r}: a password in the URL would be kept in the catalog in clear; write {user}:env:NAME@… or "
            f"{user}:file:/path@… in its place, or leave it out and set {variable(name)}"
        )


def _settings(name: str, query: str) -> tuple[dict[str, str], Settings]:
    options = dict(parse_qsl(query, keep_blank_values=True))
    _refuse_passwords(name, options)
    given: dict[str, float | int | str] = {}
    if "changes" in options:
        given["changes"] = _check_changes(name, options.pop("changes"))
    for key, kind in _NUMBERS.items():
        if key in options:
            value = options.pop(key)
            try:
                number = given[key] = kind(value)
            except ValueError:
                raise BelvedereError(f"source {name!r}: {key}={value} is no number") from None
            if number < (0 if key == "retries" else 0.001):
                raise BelvedereError(f"source {name!r}: {key}={value} is too small")
    return options, Settings(**given)  # type: ignore[arg-type]


def _check_changes(name: str, changes: str) -> str:
    if changes not in (TRIGGERS, LOGICAL):
        raise BelvedereError(f"source {name!r}: changes={changes} is no way that changes come out; write {TRIGGERS} or {LOGICAL}")
    return changes


def _refuse_passwords(name: str, options: Mapping[str, str]) -> None:
    for key in options:
        if key.lower() in ("password", "passwd", "ssl_key_password", "sslpassword"):
            raise BelvedereError(
                f"source {name!r}: {key} in the URL would be kept in the catalog in clear; leave it out and set {variable(name)}"
            )


def _path(name: str, system: str, rest: str) -> str:
    """The file, as an absolute path. After three slashes both readings are common: /path from the root and path from here."""
    given = unquote(rest)
    if not given.strip("/"):
        raise BelvedereError(f"source {name!r}: the URL names no file; write {system}:///path/to/file")
    if not given.startswith("/"):
        return os.path.abspath(given)
    if given.startswith("//"):
        return os.path.abspath(given[1:])
    absolute, relative = os.path.abspath(given), os.path.abspath(given[1:])
    there = [p for p in (absolute, relative) if os.path.exists(p)]
    if len(there) == 2 and absolute != relative:
        raise BelvedereError(
            f"source {name!r}: {system}://{given} can mean {absolute} or {relative}; write {system}:///{absolute}"
        )
    if not there:
        raise BelvedereError(f"source {name!r}: there is no file {absolute}")
    return there[0]


def _text(system: str, path: str, settings: Settings, options: Mapping[str, str]) -> str:
    changed = {k: v for k, v in vars(settings).items() if v != getattr(Settings(), k)} | dict(options)
    return f"{system}:///{path}" + (f"?{urlencode(changed)}" if changed else "")


def _hidden(url: str) -> str:
    """A URL for a message, without what may be a password."""
    return re.sub(r"://[^@/]*@", "://…@", url)
