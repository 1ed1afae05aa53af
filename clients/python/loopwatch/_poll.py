"""The long poll of a run for its control messages."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

from ._http import Away, Connection, Response

log = logging.getLogger("loopwatch")

WAIT = 25
FIRST_GAP, LAST_GAP = 0.05, 5.0


class Poller:
    """Asks again and again, each time behind what it knows, and hands every
    control message to take, in its own thread. scope names the run's tenant,
    agent and task as far as they are told."""

    def __init__(self, connection: Connection, run: str, scope: dict[str, str], take: Callable[[Any], None]) -> None:
        self._connection, self._take = connection, take
        self._path = f"/v1/runs/{quote(run, safe='')}/control?"
        self._scope = scope
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"loopwatch-poll-{run}", daemon=True)
        self._after = ""

    def start(self, after: str) -> None:
        """Begins behind a place, or, where it is empty, with what is new."""
        self._after = after
        self._thread.start()

    def stop(self) -> None:
        """Ends the poll, also one that waits."""
        self._stop.set()
        self._connection.interrupt()

    def _run(self) -> None:
        gap = FIRST_GAP
        while not self._stop.is_set():
            try:
                response = self._connection.request("GET", self._path + self._query(), None, WAIT + 10)
            except Away:
                response = Response(0, None, "", 0)
            if response.status == 200 and isinstance(response.body, dict):
                gap = FIRST_GAP
                self._after = str(response.body.get("after", self._after))
                for control in response.body.get("controls") or []:
                    self._guarded(control)
                continue
            if response.status == 410:
                self._after = ""
            self._stop.wait(max(gap, response.retry_after))
            gap = min(2 * gap, LAST_GAP)
        self._connection.close()

    def _guarded(self, control: Any) -> None:
        try:
            self._take(control)
        except Exception:  # a defect in here must not end the listening
            log.exception("loopwatch: a control message could not be obeyed")

    def _query(self) -> str:
        after = {"after": self._after} if self._after else {}
        return urlencode({**self._scope, **after, "wait": f"{WAIT}s"})
