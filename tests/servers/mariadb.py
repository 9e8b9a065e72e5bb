"""A throw-away MariaDB server for tests: made in a temporary directory from the installed binaries, gone afterwards.

    with mariadb() as server:
        server.url("shop")           # mysql://root@127.0.0.1:<free port>/shop
        server.stop(); server.start()

Where the binaries are missing, `MissingMariaDB` says which package brings them.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pymysql


class MissingMariaDB(RuntimeError):
    """No MariaDB server is installed here."""


def binary(*names: str) -> str:
    for name in names:
        for place in (shutil.which(name), f"/usr/sbin/{name}"):
            if place and os.path.exists(place):
                return place
    raise MissingMariaDB(f"{names[0]} is not installed; the package 'mariadb-server' (Debian, Ubuntu) brings it")


class MariaDB:
    """A server that can be stopped, killed and started again."""

    def __init__(self, directory: str, port: int) -> None:
        self.directory = directory
        self.port = port
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str) -> str:
        return f"mysql://root@127.0.0.1:{self.port}/{database}"

    def connect(self, database: str | None = None, **options: object) -> pymysql.Connection:
        return pymysql.connect(
            host="127.0.0.1", port=self.port, user="root", database=database, autocommit=True, charset="utf8mb4",
            ssl_disabled=True, **options,  # without it, all certificates of the machine are read for each connection
        )  # type: ignore[call-overload]

    def start(self) -> None:
        log = open(os.path.join(self.directory, "log"), "ab")  # noqa: SIM115 - the server keeps it
        self._process = subprocess.Popen(
            [binary("mariadbd", "mysqld"), *_common(self.directory), f"--port={self.port}", "--bind-address=127.0.0.1",
             f"--socket={self.directory}/socket", f"--pid-file={self.directory}/pid", "--innodb-flush-log-at-trx-commit=0",
             "--innodb-buffer-pool-size=64M", "--skip-log-bin", "--skip-name-resolve"],
            stdout=log, stderr=log,
        )  # fmt: skip
        log.close()
        for _ in range(600):
            with suppress(pymysql.Error):
                self.connect().close()
                return
            if self._process.poll() is not None:
                break
            time.sleep(0.05)
        with open(os.path.join(self.directory, "log"), encoding="utf-8", errors="replace") as file:
            raise RuntimeError(f"mariadbd did not start: {file.read()[-2000:]}")

    def stop(self, how: int = signal.SIGKILL) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(60)
            self._process = None


def _common(directory: str) -> list[str]:
    user = ["--user=mysql"] if os.geteuid() == 0 else []
    # a server that starts clears its place for temporary files, so no two may share one
    return ["--no-defaults", f"--datadir={directory}/data", f"--tmpdir={directory}", *user]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def mariadb() -> Iterator[MariaDB]:
    """Start a server, stop it and remove its files. Durability is off: it never outlives the test."""
    install = binary("mariadb-install-db", "mysql_install_db")
    binary("mariadbd", "mysqld")
    directory = tempfile.mkdtemp(prefix="belvedere-mariadb-")
    try:
        if os.geteuid() == 0:
            user = pwd.getpwnam("mysql")
            os.chown(directory, user.pw_uid, user.pw_gid)
        command = [install, *_common(directory), "--auth-root-authentication-method=normal", "--skip-test-db"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"mariadb-install-db failed: {done.stderr or done.stdout}")
        server = MariaDB(directory, _free_port())
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(directory, ignore_errors=True)
