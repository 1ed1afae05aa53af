"""The queue and what the sender makes of a gateway's answers."""

from __future__ import annotations

import json
import time
import unittest
from typing import Any

from loopwatch import _sender
from loopwatch._http import Gateway
from loopwatch._sender import Item, Question, Sender

from .gateway import PATIENCE, until
from .stub import Stub

BAD: dict[str, Any] = {"error": {"code": "unreadable", "message": "no"}}


def item(name: str, must: bool = False, size: int = 0) -> Item:
    return Item(json.dumps({"id": name, "pad": "x" * size}).encode(), must)


class SenderTest(unittest.TestCase):
    def setUp(self) -> None:
        logging_off = self.assertLogs("loopwatch")
        logging_off.__enter__()
        _sender.log.info("begin")
        self.addCleanup(logging_off.__exit__, None, None, None)

    def serve(self, *answers: Any) -> Stub:
        stub = Stub(*answers)
        self.addCleanup(stub.close)
        return stub

    def sender(self, url: str, limit: int = 100) -> Sender:
        self.answered: list[tuple[str, Any]] = []

        def answered(question: Question, response: Any) -> None:
            self.answered.append((question.event, response and response.status))
            question.told.set()

        sender = Sender(Gateway(url).connect(), limit, answered, "test")
        self.addCleanup(sender.stop)
        return sender

    def flushed(self, sender: Sender) -> None:
        self.assertEqual(sender.flush(PATIENCE), 0)

    def test_order_and_one_request_in_flight(self) -> None:
        stub = self.serve()
        sender = self.sender(stub.url, 1000)
        for n in range(500):
            sender.add(item(f"e{n}"))
        self.flushed(sender)
        self.assertEqual([i for ids in stub.sent() for i in ids], [f"e{n}" for n in range(500)])
        self.assertEqual(stub.abreast, 1)
        self.assertLess(len(stub.requests), 500, "nothing was batched")

    def test_429_waits_as_told_and_sends_the_same_again(self) -> None:
        stub = self.serve((429, {"Retry-After": "1"}, BAD))
        sender = self.sender(stub.url)
        sender.add(item("e1"))
        self.flushed(sender)
        (first, _, _), (second, _, _) = stub.requests
        self.assertGreaterEqual(second - first, 1)
        self.assertEqual(stub.sent(), [["e1"], ["e1"]])
        self.assertEqual(sender.dropped, 0)

    def test_faults_that_pass_are_tried_again(self) -> None:
        for status in (401, 403, 404, 408, 421, 500, 503, 504):
            with self.subTest(status):
                stub = self.serve((status, {}, BAD), (status, {}, BAD))
                sender = self.sender(stub.url)
                sender.add(item("e1"))
                self.flushed(sender)
                self.assertEqual(stub.sent(), [["e1"]] * 3)
                self.assertEqual((sender.dropped, sender.away), (0, False))

    def test_what_is_at_fault_alone_is_dropped(self) -> None:
        def judge(events: list[dict[str, Any]]) -> tuple[int, Any]:
            bad = any(e["id"] == "bad" for e in events)
            return (400, BAD) if bad else (202, {"accepted": len(events)})

        stub = self.serve(*[(0, {}, judge)] * 100)
        sender = self.sender(stub.url)
        names = [f"e{n}" for n in range(20)]
        for name in [*names[:7], "bad", *names[7:]]:
            sender.add(item(name))
        self.flushed(sender)
        stored = [e["id"] for _, _, events in stub.requests for e in events if all(x["id"] != "bad" for x in events)]
        self.assertEqual(stored, names)
        self.assertEqual(sender.dropped, 1)

    def test_a_body_that_is_too_large_is_halved(self) -> None:
        def judge(events: list[dict[str, Any]]) -> tuple[int, Any]:
            return (413, BAD) if len(events) > 3 else (202, {"accepted": len(events)})

        stub = self.serve((503, {}, BAD), *[(0, {}, judge)] * 100)
        sender = self.sender(stub.url)
        for n in range(16):
            sender.add(item(f"e{n}"))
        self.flushed(sender)
        stored = [e["id"] for _, _, events in stub.requests[1:] for e in events if len(events) <= 3]
        self.assertEqual(stored, [f"e{n}" for n in range(16)])
        self.assertEqual(sender.dropped, 0)

    def test_items_that_are_refused_are_counted(self) -> None:
        stub = self.serve((202, {}, {"accepted": 0, "rejected": [{"index": 0, "error": "bad_name: run"}]}))
        sender = self.sender(stub.url)
        sender.add(item("e1"))
        self.flushed(sender)
        self.assertEqual(sender.dropped, 1)

    def test_bound_of_the_queue(self) -> None:
        sender = self.sender("http://127.0.0.1:9", 10)  # nobody listens there
        for n in range(25):
            sender.add(item(f"e{n}"))
        sender.add(item("end", must=True))
        self.assertEqual(sender.flush(0), 11)
        self.assertEqual(sender.dropped, 15)
        question = Question("q", False, "c1", time.monotonic() + PATIENCE)
        sender.add(Item(b"{}", False, question))
        self.assertTrue(question.told.is_set(), "somebody waits for what was dropped")
        sender.stop()
        self.assertEqual(sender.dropped, 16 + 11)

    def test_bound_of_its_bytes(self) -> None:
        sender = self.sender("http://127.0.0.1:9", 10_000)
        for n in range(40):
            sender.add(item(f"e{n}", size=1 << 20))
        self.assertEqual(sender.flush(0), 31)
        self.assertEqual(sender.dropped, 9)

    def test_a_question_that_nobody_waits_for_is_an_event(self) -> None:
        stub = self.serve((503, {}, BAD))
        sender = self.sender(stub.url)
        given_up = Question("q1", False, "c1", time.monotonic() - 1)
        asked = Question("q2", False, "c2", time.monotonic() + PATIENCE)
        for name, question in {"q1": given_up, "q2": asked}.items():
            sender.add(Item(item(name).line, False, question))
        self.flushed(sender)
        self.assertEqual([path.split("?")[0] for _, path, _ in stub.requests], ["/v1/events"] * 2 + ["/v1/check"])
        self.assertEqual(self.answered, [("q1", None), ("q2", 202)])

    def test_no_verdict_means_stored(self) -> None:
        stub = self.serve((504, {}, {"error": {"code": "no_verdict"}}))
        sender = self.sender(stub.url)
        sender.add(Item(item("q1").line, False, Question("q1", False, "c1", time.monotonic() + PATIENCE)))
        self.flushed(sender)
        self.assertEqual(stub.sent(), [["q1"]])

    def test_it_ends(self) -> None:
        stub = self.serve()
        sender = self.sender(stub.url)
        sender.add(item("e1"))
        sender.finish()
        self.flushed(sender)
        until("the thread has ended", lambda: not sender._thread.is_alive())
        sender.add(item("e2"))
        self.assertEqual((stub.sent(), sender.dropped), ([["e1"]], 1))
