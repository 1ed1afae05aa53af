"""A real gateway in a process of its own, for tests."""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from typing import Any

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
PATIENCE = 60.0
_built: dict[str, str] = {}


def binary() -> str:
    """Returns the binary under test: LOOPWATCH_BIN, else what `go build` makes.
    Skips where there is neither; in CI that is a failure."""
    if os.environ.get("LOOPWATCH_BIN"):
        return os.environ["LOOPWATCH_BIN"]
    if "path" not in _built:
        if shutil.which("go") is None:
            missing("neither LOOPWATCH_BIN nor go is there")
        directory = tempfile.mkdtemp(prefix="loopwatch-")
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
        _built["path"] = os.path.join(directory, "loopwatch")
        subprocess.run(["go", "build", "-o", _built["path"], "./cmd/loopwatch"], cwd=ROOT, check=True)
    return _built["path"]


def missing(what: str) -> None:
    """Skips a test for what is missing, but not in CI."""
    if os.environ.get("CI") == "true":
        raise RuntimeError(f"CI must not skip: {what}")
    raise unittest.SkipTest(what)


class Gateway:
    """One processor with its bus and its gateway. Stop it."""

    def __init__(self, *flags: str) -> None:
        self._flags = flags
        self._data = tempfile.mkdtemp(prefix="loopwatch-data-")
        self._http = self._bus = "127.0.0.1:0"
        self.url = self.nats = ""
        self.start()

    def start(self) -> None:
        """Starts it; after kill again, at the same addresses and with the same
        data."""
        command = [binary(), "run", "--embedded", "--listen", self._bus, "--http", self._http]
        command += ["--data", self._data, "--policy", "sundry", *self._flags]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        said: list[str] = []
        ready = threading.Event()
        threading.Thread(target=self._read, args=(said, ready), daemon=True).start()
        if not ready.wait(PATIENCE) or not said[-1].startswith("ready"):
            self.kill()
            raise RuntimeError("the gateway does not become ready:\n" + "".join(said))
        found = re.search(r"NATS at (\S+?), API at (https?://([^\s,]+))", said[-1])
        assert found, said[-1]
        self.nats, self.url, self._http = found.group(1), found.group(2), found.group(3)
        self._bus = self.nats.removeprefix("nats://")

    def _read(self, said: list[str], ready: threading.Event) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if not ready.is_set():
                said.append(line)
            if line.startswith("ready"):
                ready.set()
        ready.set()

    def freeze(self) -> None:
        """Stops the process in its tracks until thaw: it takes connections and
        says nothing."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Lets a frozen process go on."""
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Ends the process as hard as the system can."""
        self._process.kill()
        self._process.wait()
        assert self._process.stderr is not None
        self._process.stderr.close()

    def stop(self) -> None:
        """Ends the process for good and removes what it stored."""
        self.kill()
        shutil.rmtree(self._data, ignore_errors=True)

    def command(self, *args: str) -> str:
        """Runs a command on the bus and returns what it prints."""
        done = subprocess.run([binary(), *args, "--nats", self.nats], capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode != 0:
            raise RuntimeError(f"{args}: {done.stderr}")
        return done.stdout

    def events(self, run: str) -> list[dict[str, Any]]:
        """Returns what is stored of a run, in stream order."""
        lines = self.command("dump", "--run", run).splitlines()
        return [e for e in map(json.loads, lines) if e.get("run") == run]


def until(what: str, condition: Callable[[], Any]) -> Any:
    """Waits until a condition holds and returns its value."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        threading.Event().wait(0.02)
    raise AssertionError(f"waited in vain until {what}")
