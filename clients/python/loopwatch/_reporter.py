"""What a run says and what it is told, under one lock."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from typing import Any

from ._book import Book
from ._cache import Cache, Kept
from ._call import Call, Output, kept_output
from ._control import Control, Halted, NoVerdict, Over, read_control, unnamed_halt
from ._fit import fit
from ._http import Gateway, Response
from ._ids import new_id, parse_time, timestamp
from ._json import encode
from ._poll import Poller
from ._sender import Item, Question, Sender
from ._types import Observation

log = logging.getLogger("loopwatch")


@dataclass(frozen=True)
class Ruling:
    """What became of a question; a replay is handed back instead of executing."""

    call_id: str
    round: int
    replay: Output | None
    checked: bool


class Reporter:
    """The run behind Run: it gives every event its identity and place, asks,
    and obeys. identity holds what was told of tenant, agent, task, run and
    parent."""

    def __init__(
        self, url: str, token: str | None, cafile: str | None, identity: dict[str, str],
        round: int, wait: float, fail_closed: bool, queue: int, max_content: int,
    ) -> None:  # fmt: skip
        gateway = Gateway(url, token, cafile)
        self.identity = identity
        self.halted: Control | None = None
        self._wait, self._fail_closed, self._max_content = wait, fail_closed, max_content
        self._lock = threading.RLock()
        self._book = Book(round)
        self._cache = Cache()
        self._began = self._over = False
        self._skew = 0.0  # server's clock minus ours
        self._asked: dict[str, Question] = {}  # by event id, those that wait
        self._seen: set[str] = set()  # controls acted on
        self._pending: list[Control] = []  # observations for the next model call
        scope = {k: v for k, v in identity.items() if k in ("tenant", "agent", "task")}
        self.sender = Sender(gateway.connect(), queue, self._answered, identity["run"])
        self._poller = Poller(gateway.connect(), identity["run"], scope, self._told)

    # Saying.

    def hello(self, body: dict[str, Any]) -> None:
        """Says run_start and waits for what stands for the run."""
        with self._lock:
            if self._began:
                raise Over("the run has been started")
            self._began = True
            question = self._pose("run_start", {"start": body}, 0, "")
        self._await(question)
        with self._lock:
            if self.halted is not None:
                raise Halted(self.halted)
            if question.verdict is None:
                self._book.unknown_past()

    def turn(self, body: dict[str, Any]) -> int:
        """Says a turn and returns its round."""
        with self._lock:
            self._usable()
            round = self._book.turn()
            self._say("turn", {"turn": body}, round)
            return round

    def message(self, body: dict[str, Any]) -> None:
        """Says a message."""
        with self._lock:
            self._usable()
            self._say("message", {"message": body})

    def ask(self, body: dict[str, Any]) -> Ruling:
        """Says a call and waits for its verdict."""
        with self._lock:
            self._usable()
            call_id, round = self._book.call()
            question = self._pose("tool_call", {"call": {"id": call_id, **body}}, round, call_id)
        self._await(question)
        with self._lock:
            if self.halted is not None:
                raise Halted(self.halted)
            if question.verdict is not None:
                return Ruling(call_id, round, self._replay(question.event, question.verdict), True)
        if self._fail_closed:
            raise NoVerdict(f"{body['tool']}: no verdict came in time and the run fails closed")
        return Ruling(call_id, round, None, False)

    def result(self, call: Call, content: Any, error: str | None, more: dict[str, Any]) -> None:
        """Says what a call brought; more goes into the body. What was replayed
        is not kept again."""
        body = {"call_id": call.id, "tool": call.tool, **more}
        if content is not None:
            body["content"] = content
        if error is not None:
            body["error"] = {**more.get("error", {}), "message": error}
        kept = Kept(None if content is None else encode(content), error, time.time())
        with self._lock:
            self._usable()
            if not more.get("replayed"):
                self._cache.put(call.id, kept)
            self._say("tool_result", {"result": body}, call.round)
            self._book.result(call.round)

    def observations(self) -> list[Observation]:
        """Takes what waits for the next model call."""
        with self._lock:
            self._usable()
            pending, self._pending = self._pending, []
            for control in pending:
                self._ack(control.id, "applied", "")
            return [c.observation for c in pending if c.observation is not None]

    def end(self, body: dict[str, Any], linger: float) -> int:
        """Says run_end, once, and waits until everything is stored."""
        with self._lock:
            if self._began and not self._over:
                self._finish(body, "the run is over")
        return self.sender.flush(linger)

    def close(self) -> None:
        """Lets go of the gateway."""
        with self._lock:
            self._over = True
        self._poller.stop()
        self.sender.stop()

    def _pose(self, kind: str, body: dict[str, Any], round: int, call_id: str) -> Question:
        """Says a question; the caller holds the lock."""
        question = Question(new_id(time.time()), kind == "run_start", call_id, time.monotonic() + self._wait)
        self._asked[question.event] = question
        self._say(kind, body, round, question)
        return question

    def _await(self, question: Question) -> None:
        """Waits for the answer, unless nobody is there who could give it."""
        nobody = self.sender.away and not self._fail_closed
        question.told.wait(0 if nobody else self._wait)
        with self._lock:
            question.wanted = False
            self._asked.pop(question.event, None)

    def _say(self, kind: str, body: dict[str, Any], round: int = 0, question: Question | None = None) -> None:
        """Gives an event its identity and place, cuts what is too long, and
        queues it; the caller holds the lock."""
        now = time.time()
        event: dict[str, Any] = {"v": 1, "id": question.event if question else new_id(now), "kind": kind, **self.identity}
        if kind != "run_start" or self._book.seq > 0:
            event["seq"] = self._book.seq + 1
        event |= {"time": timestamp(now)} | ({"round": round} if round else {}) | body
        line = fit(event, self._max_content)
        if line is None:
            self.sender.lost("an event could not be cut to size")
            if question is not None:
                question.told.set()
            return
        self._book.seq = event.get("seq", 0)
        self.sender.add(Item(line, kind in ("run_end", "control_ack"), question))

    def _finish(self, body: dict[str, Any], why: str) -> None:
        """Says run_end; nothing is said behind it but acknowledgements. The
        caller holds the lock."""
        self._say("run_end", {"end": body})
        self._over = True
        for control in self._pending:
            self._ack(control.id, "ignored", why)
        self._pending = []
        self.sender.finish()
        self._poller.stop()

    def _usable(self) -> None:
        if self.halted is not None:
            raise Halted(self.halted)
        if self._over or not self._began:
            raise Over("the run has ended" if self._over else "the run has not been started: use it as a context manager")

    # Being told.

    def _answered(self, question: Question, response: Response | None) -> None:
        """Takes what the gateway did with a question, in the sender's thread."""
        with self._lock:
            if response is not None and response.status == 200 and isinstance(response.body, dict):
                self._heed(question, response.body)
            if question.hello and response is not None and not self._over:
                self._poller.start(response.after)
            question.told.set()

    def _heed(self, question: Question, verdict: dict[str, Any]) -> None:
        if question.hello:
            server, last = parse_time(verdict.get("time")), verdict.get("last_seq")
            self._skew = 0.0 if server is None else server - time.time()
            if isinstance(last, int):
                self._book.attach(last)
        for raw in _list(verdict.get("controls")):
            self._told(raw)
        if verdict.get("decision") == "halt" and self.halted is None:
            self._stop(unnamed_halt())
        question.verdict = verdict  # of use only to an asker who still waits

    def _told(self, raw: Any) -> None:
        """Obeys a control message, once per id, and acknowledges it."""
        control = read_control(raw)
        with self._lock:
            if control is None or control.id in self._seen or not self._meant(control):
                return
            self._seen.add(control.id)
            if control.kind == "escalate":  # informs people
                log.info("loopwatch: run %s: %s", self.identity["run"], control.summary)
            elif control.expires is not None and time.time() + self._skew > control.expires:
                self._ack(control.id, "expired", "")
            elif control.kind == "halt":
                self._stop(control)
            elif control.kind != "inject_observation" or control.observation is None:
                self._ack(control.id, "rejected", "this client does not know it")
            elif self._over:
                self._ack(control.id, "ignored", "the run is over")
            else:
                self._pending.append(control)

    def _meant(self, control: Control) -> bool:
        """Reports whether a control is for this run. What the run was not told
        of its own identity, the gateway gave it."""
        told = {"task": self.identity["run"], **self.identity}
        return all(control.raw.get(k) == told[k] for k in ("tenant", "agent", "task", "run") if k in told)

    def _stop(self, control: Control) -> None:
        """Obeys a halt: it is acknowledged and the run ended with the status it
        names. The caller holds the lock."""
        self._ack(control.id, "applied", "")
        if self.halted is not None:
            return
        self.halted = control
        if not self._over:
            self._finish({"status": control.end_status or "halted", "reason": control.summary}, "the run was halted")
        for question in self._asked.values():
            question.told.set()

    def _ack(self, control: str, outcome: str, detail: str) -> None:
        """Acknowledges a control; a halt that a verdict told without one has
        none. The caller holds the lock."""
        if control:
            self._say("control_ack", {"ack": {"control": control, "outcome": outcome, "detail": detail or None}})

    def _replay(self, event: str, verdict: dict[str, Any]) -> Output | None:
        """Returns the result that stands in for executing a call: our own copy
        where there is one, which is whole where what was sent is cut, else the
        verdict's."""
        said = verdict.get("replay")
        said = said if verdict.get("decision") == "replay" and isinstance(said, dict) else None
        of = said.get("of_call_id") if said else None
        for raw in _list(verdict.get("controls")):
            control = read_control(raw)
            if of is None and control is not None and control.event == event and control.replay_of:
                of = control.replay_of
        kept = self._cache.get(of) if isinstance(of, str) else None
        if kept is not None:
            return kept_output(str(of), kept, time.time())
        return Output(said.get("content"), None, str(said.get("label", ""))) if said else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
