"""Runs against a real gateway."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import unittest
from typing import Any

import loopwatch

from .gateway import PATIENCE, Gateway, binary, until

READ: list[loopwatch.Tool] = [{"name": "track_parcel", "effect": "read"}, {"name": "ask_seller", "effect": "write"}]
gateway: Gateway


def setUpModule() -> None:
    global gateway
    gateway = Gateway()
    unittest.addModuleCleanup(gateway.stop)


def open_run(**more: Any) -> loopwatch.Run:
    return loopwatch.Run(gateway.url, agent="support", tools=READ, **{"wait": PATIENCE, "linger": PATIENCE, **more})


def ended(events: list[dict[str, Any]]) -> str:
    """Returns the status with which a run ended, once."""
    (end,) = [e["end"]["status"] for e in events if e["kind"] == "run_end"]
    return str(end)


class Tool:
    """A tool that counts its executions and always says the same."""

    def __init__(self, answer: Any = "no scans recorded") -> None:
        self.answer, self.executed = answer, 0

    def __call__(self, **args: Any) -> Any:
        self.executed += 1
        return self.answer


class LiveTest(unittest.TestCase):
    def track(self, run: loopwatch.Run, tool: Tool) -> loopwatch.Output:
        run.turn(text="Let me look.", cost_usd=0.1, usage={"input_tokens": 1000, "output_tokens": 50})
        return run.tool("track_parcel", {"parcel": "JD7"}, tool)

    def test_a_duplicate_is_not_executed_and_the_run_recovers(self) -> None:
        tool, seller = Tool(), Tool("the seller looks")
        with open_run(goal="find the parcel", limits={"max_turns": 40}) as run:
            self.assertEqual(str(self.track(run, tool)), "no scans recorded")
            self.assertEqual(run.observations(), [])
            second = self.track(run, tool)
            self.assertRegex(str(second), r"^\[cached result of call c1, \d+ s old; not executed again\]\nno scans recorded$")
            told = run.observations()
            self.assertEqual([o["role"] for o in told], ["system"])
            self.assertIn("has been called twice", told[0]["content"])
            self.assertEqual(run.observations(), [], "told twice")
            run.turn()
            self.assertEqual(str(run.tool("ask_seller", '{"parcel":"JD7"}', seller)), "the seller looks")
            run.message("assistant", "The seller looks for it.")
        self.assertEqual((tool.executed, seller.executed, run.dropped, run.waiting), (1, 1, 0, 0))
        events = gateway.events(run.id)
        self.assertEqual([e.get("seq", 0) for e in events], list(range(len(events))))
        self.assertEqual([e["round"] for e in events if e["kind"] == "turn"], [1, 2, 3])
        acks = [e["ack"]["outcome"] for e in events if e["kind"] == "control_ack"]
        self.assertEqual((acks, ended(events)), (["applied"], "done"))
        self.assertTrue(next(e for e in events if e.get("result", {}).get("call_id") == "c2")["result"]["replayed"])

    def test_one_that_goes_on_is_halted(self) -> None:
        tool = Tool()
        with self.assertRaises(loopwatch.Halted) as caught:
            with open_run() as run:
                for _ in range(10):
                    self.track(run, tool)
        self.assertEqual((caught.exception.control.end_status, tool.executed), ("stuck", 1))
        events = gateway.events(run.id)
        self.assertEqual(ended(events), "stuck")
        for act in (run.turn, run.observations, lambda: run.call("x"), lambda: run.message("user", "hi")):
            self.assertRaises(loopwatch.Halted, act)
        until("every control is acknowledged", lambda: json.loads(self.shown(run.id))[0].get("unacked", 0) == 0)

    def shown(self, run: str) -> str:
        return gateway.command("show", run, "-o", "json")

    def test_an_operators_halt_reaches_a_run_that_says_nothing(self) -> None:
        with self.assertRaises(loopwatch.Halted):
            with open_run(task="order-1") as run:
                gateway.command("halt", run.id, "--reason", "maintenance")
                until("the halt has come", lambda: run.halted)
                run.observations()
        self.assertEqual(ended(gateway.events(run.id)), "halted")
        attempt = open_run(task="order-1")
        with self.assertRaises(loopwatch.Halted, msg="a retry of a halted task begins"):
            attempt.start()
        self.assertEqual(ended(gateway.events(attempt.id)), "halted")

    def test_the_tools_own_failure_is_an_output(self) -> None:
        def fail(**args: Any) -> None:
            raise KeyError("parcel")

        with open_run() as run:
            output = run.tool("track_parcel", {}, fail)
            call = run.call("ask_seller", {"a": 1}, timeout_ms=500)
            call.result(error="closed", code="E_CLOSED", retryable=True, changed=False)
            wrong = run.tool("track_parcel", [1], fail)
        self.assertEqual(output.error, "KeyError: 'parcel'")
        self.assertIn("no object", str(wrong))
        results = [e["result"] for e in gateway.events(run.id) if e["kind"] == "tool_result"]
        self.assertEqual(results[1]["error"], {"message": "closed", "code": "E_CLOSED", "retryable": True})
        self.assertIs(results[1]["changed"], False)

    def test_large_results_are_cut_but_replayed_whole(self) -> None:
        tool = Tool("a long page; " * 40_000)
        with open_run() as run:
            self.track(run, tool)
            second = self.track(run, tool)
        self.assertEqual((second.content, tool.executed), (tool.answer, 1))
        first = next(e["result"] for e in gateway.events(run.id) if e["kind"] == "tool_result")
        self.assertTrue(first["truncated"] and first["content_sha"] and len(first["content"]) <= 64 << 10)

    def test_a_run_that_comes_back_goes_on(self) -> None:
        tool = Tool()
        first = open_run(run="lives-on").start()
        self.track(first, tool)
        until("everything is stored", lambda: first.waiting == 0)
        first.close()
        with self.assertRaises(loopwatch.Over):
            first.turn()
        with open_run(run="lives-on") as second:
            output = self.track(second, tool)
            self.assertTrue(output.replayed, "what the earlier process did is forgotten")
        events = gateway.events("lives-on")
        self.assertEqual([e["seq"] for e in events if "seq" in e], list(range(1, len(events) - 1)))
        calls = [(e["round"], e["call"]["id"]) for e in events if e["kind"] == "tool_call"]
        self.assertEqual(len(set(calls)), 2)
        self.assertGreater(calls[1][0], calls[0][0])

    def test_tools_of_one_round_in_parallel(self) -> None:
        with open_run() as run:
            run.turn(text="eight at once")
            work = [threading.Thread(target=run.tool, args=("look", {"n": n}, Tool(n))) for n in range(8)]
            for thread in work:
                thread.start()
            for thread in work:
                thread.join()
        events = gateway.events(run.id)
        self.assertEqual([e.get("seq", 0) for e in events], list(range(len(events))))
        calls = [e for e in events if e["kind"] == "tool_call"]
        self.assertEqual((len(calls), {e["round"] for e in calls}), (8, {1}))
        self.assertEqual(len({e["call"]["id"] for e in calls}), 8)
        self.assertEqual(sum(e["kind"] == "tool_result" for e in events), 8)

    def test_blocked_is_an_end_of_its_own(self) -> None:
        with open_run() as run:
            run.turn()
            self.assertRaises(ValueError, run.report_blocked, {"attempted": []})
            run.report_blocked('{"attempted":["get_order"],"blocker":"archived","needs":"a person"}')
        end = gateway.events(run.id)[-1]["end"]
        want = {"attempted": ["get_order"], "blocker": "archived", "needs": "a person"}
        self.assertEqual((end["status"], end["blocked"]), ("blocked", want))

    def test_exceptions_end_the_run(self) -> None:
        for error, status in ((RuntimeError("no"), "failed"), (KeyboardInterrupt(), "cancelled")):
            with self.assertRaises(type(error)):
                with open_run() as run:
                    raise error
            self.assertEqual(ended(gateway.events(run.id)), status)

    def test_what_a_turn_says(self) -> None:
        with open_run() as run:
            run.turn(
                "Your order number?", usage={"input_tokens": 9}, cost_usd=0.5, state={"step": 1}, steps_completed=0,
                asks=["order_id"], known={"email": "secret@example.org"}, compacted=True, model="m",
            )  # fmt: skip
        turn = gateway.events(run.id)[1]["turn"]
        self.assertEqual((turn["asks"], turn["known"], turn["state"]), (["order_id"], ["email"], {"step": 1}))
        self.assertEqual((turn["cost_usd"], turn["steps_completed"], turn["compacted"]), (0.5, 0, True))

    @unittest.skipUnless(hasattr(os, "fork"), "no fork on this system")
    def test_a_forked_child_leaves_the_run_alone(self) -> None:
        with open_run() as run:
            run.turn()
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    run.turn()
                except loopwatch.Over:
                    run.close()
                    run.__exit__(None, None, None)
                    code = 0
                finally:
                    os._exit(code)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
            run.turn()
        self.assertEqual([e["kind"] for e in gateway.events(run.id)], ["run_start", "turn", "turn", "run_end"])

    def test_the_tool_to_give_up_with_is_the_commands(self) -> None:
        for convention in ("openai", "openai-responses", "anthropic", "mcp", "json-schema"):
            with self.subTest(convention):
                command = [binary(), "tool", "report-blocked", "--format", convention]
                said = subprocess.run(command, check=True, capture_output=True).stdout
                self.assertEqual(json.loads(said), loopwatch.report_blocked_tool(convention))


class AsyncTest(unittest.IsolatedAsyncioTestCase):
    async def test_coroutines(self) -> None:
        tool = Tool()

        async def track(**args: Any) -> Any:
            return tool(**args)

        async with open_run() as run:
            outputs = []
            for _ in range(2):
                run.turn()
                outputs.append(await run.tool_async("track_parcel", {"parcel": "JD7"}, track))
        self.assertEqual((tool.executed, [o.replayed for o in outputs]), (1, [False, True]))
        self.assertEqual(ended(gateway.events(run.id)), "done")
