"""Gateways that are away, come back, do not answer, or let nobody in."""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import sys
import tempfile
import unittest
from typing import Any

import loopwatch

from .gateway import PATIENCE, Gateway, until

NOWHERE = "http://127.0.0.1:9"
TOKEN = "a-token-of-the-support-agent"


def setUpModule() -> None:
    logging.getLogger("loopwatch").setLevel(logging.CRITICAL)
    unittest.addModuleCleanup(logging.getLogger("loopwatch").setLevel, logging.NOTSET)


class AwayTest(unittest.TestCase):
    def start(self, *flags: str) -> Gateway:
        gateway = Gateway(*flags)
        self.addCleanup(gateway.stop)
        return gateway

    def sums(self, run: loopwatch.Run, count: int, first: int = 0) -> None:
        for n in range(first, first + count):
            run.turn(text=f"turn {n}")
            self.assertEqual(run.tool("add", {"n": n}, lambda n: n + 1).content, n + 1)

    def in_order(self, events: list[dict[str, Any]]) -> None:
        self.assertEqual([e.get("seq", 0) for e in events], list(range(len(events))))
        self.assertEqual(len({e["id"] for e in events}), len(events))

    def test_killed_and_back(self) -> None:
        gateway = self.start()
        with loopwatch.Run(gateway.url, wait=PATIENCE, linger=PATIENCE) as run:
            self.sums(run, 3)
            until("all is stored", lambda: run.waiting == 0)
            run._reporter._wait = 0.2
            gateway.kill()
            self.sums(run, 20, 3)
            self.assertGreater(run.waiting, 0)
            gateway.start()
            self.sums(run, 3, 23)
            until("the gateway answers again", lambda: not run._reporter.sender.away and run.waiting == 0)
            run._reporter._wait = PATIENCE
            gateway.command("halt", run.id, "--reason", "the poll is back, too")
            until("the halt has come", lambda: run.halted)
            self.assertEqual(run.end(), 0)
        events = gateway.events(run.id)
        self.in_order(events)
        self.assertEqual(sum(e["kind"] == "tool_result" for e in events), 26)
        self.assertEqual((events[-1]["end"]["status"], run.dropped), ("halted", 0))

    def test_frozen_questions_arrive_once(self) -> None:
        gateway = self.start()
        with loopwatch.Run(gateway.url, wait=PATIENCE, linger=PATIENCE) as run:
            self.sums(run, 1)
            run._reporter._wait = 0.2
            gateway.freeze()
            try:
                call = run.call("add", {"n": 1})
                self.assertFalse(call.checked)
                call.result(2)
                until("the first attempt is given up", lambda: run._reporter.sender.away)
            finally:
                gateway.thaw()
        events = gateway.events(run.id)
        self.in_order(events)
        self.assertEqual([e["call"]["id"] for e in events if e["kind"] == "tool_call"], ["c1", "c2"])

    def test_nobody_there(self) -> None:
        with loopwatch.Run(NOWHERE, wait=0.1, linger=0.1) as run:
            self.sums(run, 50)
            call = run.call("add", {})
            self.assertFalse(call.checked)
            self.assertRegex(call.id, r"^c[0-9a-f]{4}-51$", "calls of an earlier process may be named the same")
            self.assertEqual(run.observations(), [])
        self.assertGreater(run.waiting, 150)

    def test_failing_closed(self) -> None:
        executed: list[int] = []
        with loopwatch.Run(NOWHERE, wait=0.05, linger=0.1, fail_closed=True) as run:
            self.assertRaises(loopwatch.NoVerdict, run.tool, "add", {"n": 1}, executed.append)
        self.assertEqual(executed, [])

    def test_a_full_queue_does_not_block(self) -> None:
        with loopwatch.Run(NOWHERE, wait=0.05, linger=0.1, queue=10) as run:
            self.sums(run, 20)
        self.assertEqual(run.dropped, 1 + 60 - 10)
        self.assertEqual(run.waiting, 11, "the end was dropped")

    def test_tokens(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            sha = hashlib.sha256(TOKEN.encode()).hexdigest()
            file.write(f"tokens:\n  s: {{sha256: {sha}, role: worker, tenant: acme, agent: support}}\n")
            file.flush()
            gateway = self.start("--tokens", file.name)
        more: dict[str, Any] = {"wait": PATIENCE, "linger": PATIENCE}
        with self.assertRaises(loopwatch.Halted):
            with loopwatch.Run(gateway.url, token=TOKEN, **more) as run:
                self.assertTrue(run.call("add").checked)
                gateway.command("halt", run.id, "--reason", "the poll is let in, too")
                until("the halt has come", lambda: run.halted)
                run.turn()
        events = gateway.events(run.id)
        self.assertEqual({(e["tenant"], e["agent"]) for e in events}, {("acme", "support")})
        self.assertEqual(events[-1]["end"]["status"], "halted")
        wrongs: list[dict[str, Any]] = [{}, {"token": TOKEN + "x"}, {"token": TOKEN, "tenant": "other"}]
        for wrong in wrongs:
            with self.subTest(wrong):
                with loopwatch.Run(gateway.url, wait=0.5, linger=0.1, **wrong) as run:
                    self.assertFalse(run.call("add").checked)
                self.assertEqual(gateway.events(run.id), [])

    def test_what_waits_is_sent_when_the_process_ends(self) -> None:
        gateway = self.start()
        script = (
            "import loopwatch, sys\n"
            "run = loopwatch.Run(sys.argv[1], run='left', wait=60, linger=60).start()\n"
            "for n in range(100): run.turn(text=str(n))\n"
        )
        here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        command = [sys.executable, "-W", "error", "-c", script, gateway.url]
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": here}, capture_output=True, timeout=2 * PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        events = gateway.events("left")
        self.in_order(events)
        self.assertEqual([e["kind"] for e in events], ["run_start"] + ["turn"] * 100)
