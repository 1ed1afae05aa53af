"""A run: one execution of an agent, as the fleet sees it."""

from __future__ import annotations

import asyncio
import atexit
import os
import time
import weakref
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any

from ._blocked import read_report
from ._call import Call, Output, failure, read_args
from ._control import Control, Halted, NoVerdict, Over
from ._ids import new_id, valid_name
from ._reporter import Reporter
from ._types import Limits, Observation, Status, Tool, Usage


class Run:
    """One execution of an agent on a task. Use it as a context manager: leaving
    the block ends the run as done, and as failed where an exception leaves it.

    url is the gateway's. tenant and agent may be left out: then they are the
    token's, or `default` and `agent`. task is the unit of work that retries and
    sub-agents share, the run's own where it is left out. run names the run;
    that of one that lives re-attaches to it, with round as the last round that
    was reported where it is known. wait is how many seconds a call waits for
    its verdict at most, and the start for what stands for the run; without a
    verdict a call is allowed, or raises NoVerdict with fail_closed. linger is
    how many seconds the end waits until everything is stored. queue is how many
    events may wait for the gateway (and 32 MiB): new ones beyond that are
    dropped and counted. max_content is how many bytes of a result, of arguments
    or of a text are sent; what is longer is cut, with a hash.

    Methods may be called from any thread. Once the run is halted they raise
    Halted. Nothing here waits for the network longer than wait and linger. The
    run keeps two threads and two connections while it lives. It belongs to the
    process that opened it: in a forked child its methods raise Over.
    """

    def __init__(
        self,
        url: str,
        *,
        agent: str | None = None,
        task: str | None = None,
        token: str | None = None,
        tenant: str | None = None,
        run: str | None = None,
        parent: str | None = None,
        tools: Sequence[Tool] = (),
        limits: Limits | None = None,
        goal: str = "",
        model: str = "",
        attempt: int = 0,
        round: int = 0,
        wait: float = 1.0,
        linger: float = 5.0,
        fail_closed: bool = False,
        queue: int = 4096,
        max_content: int = 64 << 10,
        cafile: str | None = None,
    ) -> None:
        names = {"tenant": tenant, "agent": agent, "task": task, "run": run, "parent": parent}
        faults = [
            f"{k}: {v!r} is no name: use letters, digits, - and _, or loopwatch.escape_name"
            for k, v in names.items()
            if v is not None and not valid_name(v)
        ]
        if parent is not None and parent == run:
            faults.append("parent: a run cannot be its own parent")
        if round < 0 or wait < 0 or linger < 0 or queue < 1 or max_content < 256:
            faults.append("round, wait, linger: want 0 or more; queue: 1 or more; max_content: 256 or more")
        if faults:
            raise ValueError("; ".join(faults))
        names["run"] = run or new_id(time.time())
        identity = {k: v for k, v in names.items() if v is not None}
        self._start_body = {
            "tools": [dict(t) for t in tools] or None, "limits": dict(limits) if limits else None,
            "goal": goal or None, "model": model or None, "attempt": attempt or None,
        }  # fmt: skip
        self._linger, self._fail_closed, self._pid = linger, fail_closed, os.getpid()
        self._reporter = Reporter(url, token, cafile, identity, round, wait, fail_closed, queue, max_content)
        _open.add(self)

    # Life.

    def start(self) -> Run:
        """Opens the run and waits at most wait seconds for what stands for it;
        without an answer it goes on. Raises Halted where the run or its task is
        halted: then nothing may be done, and the run is over."""
        self._here()
        self._reporter.hello(self._start_body)
        return self

    def __enter__(self) -> Run:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._pid != os.getpid():
            return
        if error is None:
            self.end("done")
        elif isinstance(error, Exception):
            self.end("failed", failure(error))
        else:  # KeyboardInterrupt, SystemExit, CancelledError
            self.end("cancelled", failure(error))

    async def __aenter__(self) -> Run:
        return await asyncio.to_thread(self.start)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.__exit__, kind, error, trace)

    def end(self, status: Status = "done", reason: str = "") -> int:
        """Ends the run and waits at most linger seconds until everything is
        stored; returns how many events are not stored yet. They are sent in the
        background while the process lives. The first end counts: after a halt
        it only waits, the run has been ended already."""
        self._here()
        return self._reporter.end({"status": status, "reason": reason or None}, self._linger)

    def blocked(self, blocker: str, attempted: Iterable[str] = (), needs: str = "") -> int:
        """Ends the run as properly given up: what blocks, what was attempted,
        what is needed. It is a correct end, not a failure. It waits like end."""
        self._here()
        body = {"attempted": list(attempted), "blocker": blocker, "needs": needs}
        return self._reporter.end({"status": "blocked", "reason": blocker, "blocked": body}, self._linger)

    def report_blocked(self, args: Any) -> int:
        """Ends the run by the arguments with which the model called the
        report_blocked tool, as text or as a mapping. It waits like end. Where
        they name no blocker it raises ValueError, to be handed to the model,
        and the run goes on."""
        blocker, attempted, needs = read_report(args)
        return self.blocked(blocker, attempted, needs)

    def close(self) -> None:
        """Lets go of the gateway at once and does not end the run: another
        process may re-attach to it. What still waits is dropped and counted."""
        if self._pid == os.getpid():
            self._reporter.close()

    # What the agent does.

    def turn(
        self,
        text: str = "",
        *,
        usage: Usage | None = None,
        cost_usd: float | None = None,
        state: Any = None,
        state_hash: str = "",
        steps_completed: int | None = None,
        asks: Iterable[str] | None = None,
        known: Mapping[str, Any] | Iterable[str] | None = None,
        compacted: bool = False,
        model: str = "",
    ) -> int:
        """Reports one model response and returns its round, to which the calls
        that follow belong. state is the run's structured record (any JSON);
        asks are the names of the fields that the text asks the user for, known
        those already held (of a mapping only the names are sent); compacted
        says that the context was cut before this response."""
        self._here()
        body = {
            "text": text or None, "model": model or None, "usage": dict(usage) if usage else None, "cost_usd": cost_usd,
            "state": state, "state_hash": state_hash or None, "steps_completed": steps_completed,
            "asks": None if asks is None else list(asks), "known": None if known is None else list(known),
            "compacted": True if compacted else None,
        }  # fmt: skip
        return self._reporter.turn(body)

    def observations(self) -> list[Observation]:
        """Returns the messages to put into the next model call, each once, and
        acknowledges them. Their content is text for the model: never run it."""
        self._here()
        return self._reporter.observations()

    def message(self, role: str, text: str, to: str = "") -> None:
        """Reports text between agent and user (role `assistant` or `user`), or
        to another run (to)."""
        self._here()
        self._reporter.message({"role": role, "text": text, "to": to or None})

    def call(self, tool: str, args: Any = None, *, timeout_ms: int | None = None) -> Call:
        """Asks before dispatch and returns within wait seconds. args is what
        the model wrote, as text, or any JSON; timeout_ms is how long the tool
        may take. Raises Halted, NoVerdict or Over."""
        self._here()
        body = {"tool": tool, **read_args(args), "timeout_ms": timeout_ms}
        ruling = self._reporter.ask(body)
        call = Call(ruling.call_id, tool, ruling.round, ruling.replay, ruling.checked, time.monotonic(), self._result)
        if ruling.replay is not None:
            self._reporter.result(call, ruling.replay.content, ruling.replay.error, {"replayed": True})
        return call

    def tool(self, name: str, args: Any, fn: Callable[..., Any]) -> Output:
        """Runs one tool whole: asks, calls fn unless the earlier result is
        handed back, and reports. args given as a mapping, or as its JSON, are
        fn's keyword arguments. The tool's own exception is in the Output, not
        raised; what is raised is the run's, and ends the agent's loop."""
        call = self.call(name, args)
        if call.replay is not None:
            return call.replay
        try:
            content = fn(**_keywords(args))
        except Exception as err:
            return self._failed(call, err)
        except BaseException as err:
            self._failed(call, err)
            raise
        call.result(content)
        return Output(content)

    async def tool_async(self, name: str, args: Any, fn: Callable[..., Awaitable[Any]]) -> Output:
        """Does what tool does for a coroutine function; the event loop does not
        wait for the verdict."""
        call = await asyncio.to_thread(self.call, name, args)
        if call.replay is not None:
            return call.replay
        try:
            content = await fn(**_keywords(args))
        except Exception as err:
            return self._failed(call, err)
        except BaseException as err:
            self._failed(call, err)
            raise
        call.result(content)
        return Output(content)

    def wrap(self, fn: Callable[..., Any], name: str | None = None) -> Callable[..., Output]:
        """Returns fn as a tool of this run, called with keyword arguments. It
        is a decorator, too."""

        def wrapped(**args: Any) -> Output:
            return self.tool(name or fn.__name__, args, fn)

        wrapped.__name__, wrapped.__doc__ = name or fn.__name__, fn.__doc__
        return wrapped

    # What is known of it.

    @property
    def id(self) -> str:
        """The run's name."""
        return self._reporter.identity["run"]

    @property
    def halted(self) -> Control | None:
        """The halt, None while there is none. It may be looked at while a tool
        runs, to break it off."""
        return self._reporter.halted

    @property
    def dropped(self) -> int:
        """How many events were not sent and never will be: those that found the
        queue full and those that the gateway refuses. The run shows them as
        gaps."""
        return self._reporter.sender.dropped

    @property
    def waiting(self) -> int:
        """How many events wait to be stored."""
        return self._reporter.sender.flush(0)

    def _result(
        self, call: Call, content: Any, error: str | BaseException | None, changed: bool | None, code: str, retryable: bool
    ) -> None:
        self._here()
        more: dict[str, Any] = {"changed": changed, "duration_ms": max(int((time.monotonic() - call._began) * 1000), 0)}
        if error is not None:
            more["error"] = {"code": code or None, "retryable": retryable or None}
        self._reporter.result(call, content, None if error is None else failure(error), more)

    def _failed(self, call: Call, err: BaseException) -> Output:
        if isinstance(err, (Halted, Over, NoVerdict)):  # of a tool that uses the run itself
            raise err
        call.result(error=err)
        return Output(error=failure(err))

    def _here(self) -> None:
        if self._pid != os.getpid():
            raise Over(f"the run belongs to process {self._pid}; open one here, with parent={self.id!r}")


def _keywords(args: Any) -> Mapping[str, Any]:
    """Returns the keyword arguments that a call's arguments are."""
    if args is not None and not isinstance(args, Mapping):
        args = read_args(args).get("args", {}) if not isinstance(args, (list, int, float)) else args
    if args is None or args == {}:
        return {}
    if isinstance(args, Mapping):
        return args
    raise TypeError("the arguments are no object; use run.call and report the result yourself")


_open: weakref.WeakSet[Run] = weakref.WeakSet()


def _at_exit() -> None:
    """Gives what still waits a bounded time, all runs together."""
    until = time.monotonic() + max((r._linger for r in _open), default=0.0)
    for run in list(_open):
        if run._pid == os.getpid():
            run._reporter.sender.flush(max(until - time.monotonic(), 0.0))


atexit.register(_at_exit)
