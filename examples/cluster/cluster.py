"""A Spark standalone cluster on the loopback address, of what pip installs: a master, workers, and a Connect server if wanted."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import pyspark

HOST = "127.0.0.1"
HOME = Path(pyspark.__file__).parent
PATIENCE = 120.0
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
#: small enough for a laptop: each executor has one core and less memory than its worker
SETTINGS = {
    "spark.executor.memory": "768m", "spark.executor.cores": "1", "spark.driver.host": HOST, "spark.driver.bindAddress": HOST,
}  # fmt: skip
WORKER = "org.apache.spark.deploy.worker.Worker"


class Cluster:
    """Processes of their own, each with its log in `place`; they end with the block."""

    def __init__(self, place: Path, workers: int = 2, memory: str = "1g") -> None:
        self.place, self.count, self.memory = place, workers, memory
        self.workers: list[subprocess.Popen[bytes]] = []
        self._port, self._pages = free_port(), free_port()
        self._stack = ExitStack()

    @property
    def url(self) -> str:
        return f"spark://{HOST}:{self._port}"

    def __enter__(self) -> Cluster:
        self.place.mkdir(parents=True, exist_ok=True)
        with ExitStack() as undo:
            undo.callback(self._stack.close)
            ports = ("--host", HOST, "--port", str(self._port), "--webui-port", str(self._pages))
            master = self._start("master", "bin/spark-class", "org.apache.spark.deploy.master.Master", *ports)
            self._until("the master answers", lambda: self.state() is not None, master)
            for n in range(1, self.count + 1):
                self.workers.append(self._worker(n))
            self._until("all workers are there", lambda: self.alive() == self.count, *self.workers)
            undo.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stack.close()

    def state(self) -> dict[str, Any] | None:
        """What the master says of itself; None while it says nothing."""
        try:
            with urllib.request.urlopen(f"http://{HOST}:{self._pages}/json/", timeout=2) as answer:
                found: dict[str, Any] = json.load(answer)
                return found
        except (urllib.error.URLError, OSError, ValueError):
            return None

    def alive(self) -> int:
        state = self.state()
        return 0 if state is None else int(state["aliveworkers"])

    def connect(self) -> str:
        """Start a Spark Connect server on the cluster; where clients find it."""
        port = free_port()
        wanted = {**SETTINGS, "spark.connect.grpc.binding.address": HOST, "spark.connect.grpc.binding.port": str(port)}
        options = [part for name, value in wanted.items() for part in ("--conf", f"{name}={value}")]
        server = self._start("connect", "bin/spark-submit", "--class", SERVER, "--master", self.url, *options)
        self._until("the Connect server listens", lambda: listens(port), server)
        return f"sc://{HOST}:{port}"

    def _worker(self, number: int) -> subprocess.Popen[bytes]:
        size = ("--cores", "1", "--memory", self.memory, "--host", HOST, "--webui-port", "0")
        place = ("--work-dir", str(self.place / f"worker-{number}"))
        return self._start(f"worker-{number}", "bin/spark-class", WORKER, *size, *place, self.url)

    def _start(self, name: str, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        """In a group of its own, so that what it starts can be ended with it."""
        surroundings = {**os.environ, "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": HOST, "PYSPARK_PYTHON": sys.executable}
        log = self._stack.enter_context((self.place / f"{name}.log").open("wb"))
        process = subprocess.Popen(
            [str(HOME / program), *arguments], env=surroundings, stdout=log, stderr=log, start_new_session=True
        )
        self._stack.callback(end, process.pid)
        return process

    def _until(self, what: str, true: Callable[[], bool], *needed: subprocess.Popen[bytes]) -> None:
        until = time.monotonic() + PATIENCE
        while not true():
            if any(p.poll() is not None for p in needed) or time.monotonic() > until:
                raise SystemExit(f"Waited in vain until {what}; the logs are in {self.place}.")
            time.sleep(0.2)


def end(pid: int) -> None:
    """Kill a process and all that it started."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def free_port() -> int:
    with socket.socket() as s:
        s.bind((HOST, 0))
        return int(s.getsockname()[1])


def listens(port: int) -> bool:
    with socket.socket() as s:
        s.settimeout(1)
        return s.connect_ex((HOST, port)) == 0
