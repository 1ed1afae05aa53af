"""What a run makes of verdicts and controls that a real gateway seldom says."""

from __future__ import annotations

import threading
import unittest
from typing import Any

import loopwatch

from .gateway import PATIENCE, until
from .stub import Stub

LATER, BEFORE = "2999-01-01T00:00:00Z", "2001-01-01T00:00:00Z"


def control(id: str, **more: Any) -> dict[str, Any]:
    """A control for run r1 of agent support."""
    told = {"role": "system", "content": f"told by {id}"}
    return {
        "v": 1, "id": id, "kind": "inject_observation", "tenant": "default", "agent": "support", "task": "r1", "run": "r1",
        "reason": "acted", "expires": LATER, "observation": told, "replay": None, "summary": id, **more,
    }  # fmt: skip


def verdict(*controls: Any, **more: Any) -> Any:
    """Answers a question."""

    def answer(events: list[dict[str, Any]]) -> tuple[int, Any]:
        (event,) = events
        caused = [{**c, "event": event["id"]} if isinstance(c, dict) and "event" in c else c for c in controls]
        body = {"v": 1, "event": event["id"], "decision": "allow", "controls": caused, "replay": None, **more}
        return 200, body

    return 200, {}, answer


HELLO = verdict(last_seq=0, time="2026-01-01T00:00:00Z")


class ObeyTest(unittest.TestCase):
    def open(self, *answers: Any, **more: Any) -> loopwatch.Run:
        self.stub = Stub(*answers, only="/v1/check")
        self.addCleanup(self.stub.close)
        run = loopwatch.Run(self.stub.url, agent="support", run="r1", wait=PATIENCE, linger=PATIENCE, **more)
        self.addCleanup(run.close)
        return run.start()

    def said(self, kind: str) -> list[dict[str, Any]]:
        return [e for _, _, events in self.stub.requests for e in events if e["kind"] == kind]

    def acks(self, run: loopwatch.Run) -> dict[str, str]:
        self.assertEqual(run.end(), 0)
        all = [e["ack"] for e in self.said("control_ack")]
        self.assertEqual(len({a["control"] for a in all}), len(all), "acknowledged twice")
        return {a["control"]: a["outcome"] for a in all}

    def test_controls_of_a_verdict(self) -> None:
        run = self.open(
            HELLO,
            verdict(
                control("good"), control("good"), control("late", expires=BEFORE), control("odd", kind="dance"),
                control("other", run="r2"), control("shadow", reason="shadow"), control("person", kind="escalate"), {}, 7,
            ),
        )  # fmt: skip
        self.assertTrue(run.call("look").checked)
        self.assertEqual([o["content"] for o in run.observations()], ["told by good"])
        self.assertEqual(self.acks(run), {"good": "applied", "late": "expired", "odd": "rejected"})

    def test_expiry_goes_by_the_servers_clock(self) -> None:
        run = self.open(verdict(last_seq=0, time="2000-01-01T00:00:00Z"), verdict(control("good", expires=BEFORE)))
        run.call("look")
        self.assertEqual(len(run.observations()), 1)

    def test_observations_that_nobody_took_are_ignored(self) -> None:
        run = self.open(HELLO, verdict(control("good")))
        run.call("look")
        self.assertEqual(self.acks(run), {"good": "ignored"})

    def test_a_halt_without_a_control(self) -> None:
        run = self.open(HELLO, verdict(decision="halt"))
        self.assertRaises(loopwatch.Halted, run.call, "look")
        self.assertEqual((self.acks(run), self.said("run_end")[0]["end"]["status"]), ({}, "halted"))

    def test_halted_before_it_began(self) -> None:
        halt = control("stop", kind="halt", end_status="halted", observation=None)
        with self.assertRaises(loopwatch.Halted):
            self.open(verdict(halt, decision="halt", last_seq=3))
        until("everything is said", lambda: len(self.said("run_end")) == 1)
        self.assertEqual(self.said("run_end")[0]["seq"], 5)

    def test_our_own_copy_is_replayed(self) -> None:
        caused = control("again", event="this", replay={"call_id": "c2", "of_call_id": "c1"})
        unknown = verdict(decision="replay", replay={"of_call_id": "c9", "content": {"a": 1}, "label": "cached result"})
        run = self.open(HELLO, verdict(), verdict(caused), unknown)
        executed: list[int] = []
        outputs = [run.tool("look", {}, lambda: executed.append(1) or {"seen": (1, 2)}) for _ in range(3)]
        self.assertEqual([o.replayed for o in outputs], [False, True, True])
        self.assertEqual(len(executed), 1)
        self.assertEqual((outputs[1].content, outputs[2].content), ({"seen": [1, 2]}, {"a": 1}))
        self.assertTrue(str(outputs[1]).endswith("not executed again]\n" + str(outputs[0])), str(outputs[1]))

    def test_controls_by_poll(self) -> None:
        def hello(events: list[dict[str, Any]]) -> tuple[int, Any]:
            return 200, {"v": 1, "event": events[0]["id"], "decision": "allow", "controls": [], "last_seq": 0}

        run = self.open((200, {"Lw-After": "2"}, hello), task="t1")
        mine = {"task": "t1"}
        self.stub.controls = [control("a", **mine), control("b", **mine), control("c", **mine), control("d")]
        until("the poll was answered", lambda: any("after=4" in path for path in self.stub.polls))
        self.assertEqual([o["content"] for o in run.observations()], ["told by c"])
        self.assertIn("/v1/runs/r1/control?agent=support&task=t1&after=2&", self.stub.polls[0])
        self.stub.controls.append(control("stop", kind="halt", end_status="stuck", **mine))
        until("the halt has come", lambda: run.halted)
        self.assertRaises(loopwatch.Halted, run.turn)
        self.assertEqual(self.acks(run), {"c": "applied", "stop": "applied"})
        self.assertEqual(self.said("run_end")[0]["end"], {"status": "stuck", "reason": "stop"})

    def test_a_halt_frees_whoever_waits(self) -> None:
        freed, in_time = threading.Event(), threading.Event()

        def never(events: list[dict[str, Any]]) -> tuple[int, Any]:
            self.stub.controls.append(control("stop", kind="halt"))
            if freed.wait(PATIENCE / 2):
                in_time.set()
            return 504, {"error": {"code": "no_verdict"}}

        run = self.open((200, {"Lw-After": "0"}, verdict(last_seq=0)[2]), (200, {}, never))
        self.assertRaises(loopwatch.Halted, run.call, "look")
        freed.set()
        self.assertTrue(in_time.wait(PATIENCE), "the call waited for its verdict")

    def test_a_wrapped_function_is_a_tool(self) -> None:
        run = self.open(HELLO)

        @run.wrap
        def look(at: str) -> str:
            """Looks."""
            return f"saw {at}"

        self.assertEqual((str(look(at="it")), look.__name__, look.__doc__), ("saw it", "look", "Looks."))
        run.end()
        self.assertEqual(self.said("tool_call")[0]["call"], {"id": "c1", "tool": "look", "args": {"at": "it"}})
