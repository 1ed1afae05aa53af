"""The background sender of a run: its events in order, one request in flight,
each as often as it takes under the same id."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ._http import Away, Connection, Response

log = logging.getLogger("loopwatch")

QUEUE_BYTES = 32 << 20
BATCH_BYTES = 256 << 10
BATCH_EVENTS = 200
FIRST_GAP, LAST_GAP = 0.02, 2.0
REQUEST_TIMEOUT = 10.0
HELLO_DEADLINE = 5.0  # of a hello that nobody waits for any more
GIVE_UP = 900.0  # how long after its end a run's events are still tried


@dataclass(eq=False)
class Question:
    """A check, or a hello, that somebody may be waiting for."""

    event: str
    hello: bool
    call_id: str
    deadline: float  # by time.monotonic()
    told: threading.Event = field(default_factory=threading.Event)  # set when there is no more waiting
    verdict: dict[str, Any] | None = None
    wanted: bool = True  # False once its asker went on

    def asks(self) -> bool:
        """Reports whether an answer is still of use."""
        return self.hello or self.wanted and time.monotonic() < self.deadline


@dataclass(frozen=True)
class Item:
    """One event that waits."""

    line: bytes
    must: bool = False  # is taken although the queue is full
    question: Question | None = None


class Sender:
    """Sends until it is finished and everything is sent, or stopped. The queue
    holds limit events, and QUEUE_BYTES; beyond that new ones are dropped and
    counted. answered is called in the sender's thread with every question that
    the gateway dealt with: its response, or None where the event was refused."""

    def __init__(
        self, connection: Connection, limit: int, answered: Callable[[Question, Response | None], None], name: str
    ) -> None:
        self._connection, self._limit, self._answered = connection, limit, answered
        self._changed = threading.Condition()
        self._queue: deque[Item] = deque()
        self._bytes = 0
        self._most = BATCH_EVENTS
        self._gap = FIRST_GAP
        self._finishing = 0.0  # when, by time.monotonic(); 0 for not yet
        self._ended = False
        self.away = False  # the last attempt did not reach a gateway that takes events
        self.dropped = 0  # events that were not sent and never will be
        self._thread = threading.Thread(target=self._run, name=f"loopwatch-send-{name}", daemon=True)
        self._started = False

    def add(self, item: Item) -> None:
        """Queues an event. It never waits."""
        with self._changed:
            full = len(self._queue) >= self._limit or self._bytes + len(item.line) > QUEUE_BYTES
            if self._ended or full and not item.must:
                self._drop(1, "the queue for the gateway is full, or the run has let go of it")
                if item.question is not None:
                    item.question.told.set()
                return
            self._queue.append(item)
            self._bytes += len(item.line)
            if not self._started:
                self._started = True
                self._thread.start()
            self._changed.notify_all()

    def lost(self, why: str) -> None:
        """Counts an event that cannot be sent."""
        with self._changed:
            self._drop(1, why, logging.ERROR)

    def finish(self) -> None:
        """Ends the sender once everything is sent."""
        with self._changed:
            self._finishing = self._finishing or time.monotonic()
            self._changed.notify_all()

    def flush(self, seconds: float) -> int:
        """Waits until nothing waits, or so long; returns what is left."""
        with self._changed:
            self._changed.wait_for(lambda: not self._queue or self._ended, seconds)
            return len(self._queue)

    def stop(self) -> None:
        """Ends the sender at once; what waits is dropped and counted."""
        with self._changed:
            self._end()
        self._connection.interrupt()

    def _run(self) -> None:
        while batch := self._next():
            try:
                done, wait = self._attempt(batch)
            except Exception:  # a defect in here must not end the reporting
                log.exception("loopwatch: sending failed")
                done, wait = 0, LAST_GAP
            self.away = done == 0 and wait > 0
            if done:
                self._forget(done)
            else:
                self._pause(wait)
        self._connection.close()

    def _next(self) -> list[Item]:
        """Waits for what is sent next: one question, or events up to the next
        one; nothing when the sender has ended."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._finishing or self._ended)
            if not self._queue or self._ended:
                self._end()
                return []
            batch: list[Item] = []
            size = 0
            for item in self._queue:
                asks = item.question is not None and item.question.asks()
                size += len(item.line) + 1
                if batch and (asks or size > BATCH_BYTES or len(batch) >= self._most):
                    break
                batch.append(item)
                if asks:
                    break
            return batch

    def _attempt(self, batch: list[Item]) -> tuple[int, float]:
        """Sends once. Returns how many events are dealt with, or after how many
        seconds to try again."""
        question = batch[0].question
        asks = len(batch) == 1 and question is not None and question.asks()
        try:
            if asks and question is not None:
                response = self._ask(batch[0], question)
            else:
                body = b"\n".join(i.line for i in batch)
                response = self._connection.request("POST", "/v1/events", body, REQUEST_TIMEOUT)
        except Away as err:
            return 0, self._retry(str(err))
        if response.status == 202 or asks and (response.status == 200 or response.code == "no_verdict"):
            self._taken(batch, response, question if asks else None)
            return len(batch), 0
        if response.status in (400, 408, 413) and len(batch) > 1:
            self._most = len(batch) // 2  # the one that is at fault will stand alone
            return 0, 0
        if response.status in (400, 413):
            self.lost(f"the gateway refuses them: {response.status} {response.code}")
            if question is not None:
                self._answered(question, None)
            return 1, 0
        return 0, max(self._retry(f"{response.status} {response.code}"), response.retry_after)

    def _ask(self, item: Item, question: Question) -> Response:
        left = question.deadline - time.monotonic()
        left = max(left, HELLO_DEADLINE) if question.hello else left
        ms = min(max(int(left * 1000), 1), 30_000)
        return self._connection.request("POST", f"/v1/check?deadline_ms={ms}", item.line, ms / 1000 + 2)

    def _taken(self, batch: list[Item], response: Response, asked: Question | None) -> None:
        self._gap, self._most = FIRST_GAP, BATCH_EVENTS
        body = response.body if isinstance(response.body, dict) else {}
        for no in body.get("rejected") or []:
            self.lost(f"the gateway refuses them: {no.get('error', '') if isinstance(no, dict) else no}")
        for item in batch:
            if item.question is not None:
                self._answered(item.question, response if item.question is asked else None)

    def _retry(self, why: str) -> float:
        if not self.away and not self._ended:
            log.warning("loopwatch: the gateway takes no events; they wait: %s", why)
        gap, self._gap = self._gap, min(2 * self._gap, LAST_GAP)
        return gap

    def _forget(self, count: int) -> None:
        with self._changed:
            for _ in range(min(count, len(self._queue))):
                self._bytes -= len(self._queue.popleft().line)
            self._changed.notify_all()

    def _pause(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._ended, seconds)
            if self._finishing and time.monotonic() - self._finishing > GIVE_UP:
                self._end()

    def _end(self) -> None:
        """Takes nothing more; the caller holds the lock."""
        if not self._ended and self._queue:
            self._drop(len(self._queue), "the run let go of the gateway")
        for item in self._queue:
            if item.question is not None:
                item.question.told.set()
        self._ended = True
        self._changed.notify_all()

    def _drop(self, count: int, why: str, level: int = logging.WARNING) -> None:
        if self.dropped == 0 or level == logging.ERROR:
            log.log(level, "loopwatch: events are dropped: %s", why)
        self.dropped += count
