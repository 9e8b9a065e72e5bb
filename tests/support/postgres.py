"""A throw-away PostgreSQL server for tests: made in a temporary directory from the installed binaries, gone afterwards.

    with postgres() as url:          # postgresql://belvedere@127.0.0.1:<free port>/postgres
        bv.open("shop", catalog=url)

PostgreSQL refuses to run as root, so under root it runs as the user `postgres`. Where the binaries are missing,
`MissingPostgres` says which package brings them.
"""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg


class MissingPostgres(RuntimeError):
    """No PostgreSQL server is installed here."""


def binary(name: str) -> str:
    """The path of a server program, from PATH or from where Debian puts it; the newest version wins."""
    places = [shutil.which(name), *sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=_version, reverse=True)]
    for found in places:
        if found:
            return os.path.realpath(found) if os.path.basename(os.path.realpath(found)) == name else found
    raise MissingPostgres(f"{name} is not installed; the package 'postgresql' (Debian, Ubuntu) brings it")


def _version(path: str) -> int:
    return int(path.split("/")[4])


def _as_server_user(command: list[str]) -> list[str]:
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", *command]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _run(command: list[str], directory: str) -> None:
    env = {**os.environ, "LC_ALL": "C", "HOME": directory}
    done = subprocess.run(_as_server_user(command), cwd=directory, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{os.path.basename(command[0])} failed: {done.stderr or done.stdout}")


@contextmanager
def postgres(**settings: object) -> Iterator[str]:
    """Start a server with these settings, give its URL, stop it and remove its files. Durability is off: it never outlives the
    test."""
    initdb, pg_ctl = binary("initdb"), binary("pg_ctl")
    directory = tempfile.mkdtemp(prefix="belvedere-pg-")
    try:
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(directory, user.pw_uid, user.pw_gid)
        data = os.path.join(directory, "data")
        _run([initdb, "-D", data, "-U", "belvedere", "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions"], directory)
        port = _free_port()
        options = f"-h 127.0.0.1 -p {port} -k {directory} -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
        options += "".join(f" -c {name}={value}" for name, value in settings.items())
        log = os.path.join(directory, "log")
        _run([pg_ctl, "-D", data, "-l", log, "-w", "-o", options, "start"], directory)
        try:
            yield f"postgresql://belvedere@127.0.0.1:{port}/postgres"
        finally:
            _run([pg_ctl, "-D", data, "-m", "immediate", "-w", "stop"], directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def crash(url: str) -> None:
    """Stop the server at once, as if it had lost its power, and start it again with the same settings."""
    with psycopg.connect(url) as c:
        [(data,)] = c.execute("show data_directory").fetchall()
    directory = os.path.dirname(data)
    _run([binary("pg_ctl"), "-D", data, "-l", os.path.join(directory, "log"), "-m", "immediate", "-w", "restart"], directory)
