"""Tool calls and what they bring."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ._cache import Kept
from ._json import encode, parse, written


@dataclass(frozen=True)
class Output:
    """What a tool brought, or the earlier result that stands in for it. str()
    is what the model is shown."""

    content: Any = None  # any JSON, None where there is none
    error: str | None = None  # message of the tool's own failure
    label: str = ""  # tells the model that nothing was executed; empty where the tool ran

    @property
    def replayed(self) -> bool:
        """Whether nothing was executed."""
        return self.label != ""

    def __str__(self) -> str:
        if self.error is not None:
            text = "error: " + self.error
        elif self.content is None:
            text = ""
        else:
            text = self.content if isinstance(self.content, str) else encode(self.content)
        return f"[{self.label}]\n{text}" if self.label else text


@dataclass(frozen=True)
class Call:
    """One tool call that the run asked about. With a replay, do not execute it:
    hand the replay to the model, it is reported already. Without one, execute
    the tool and report what it brought with result."""

    id: str
    tool: str
    round: int
    replay: Output | None
    checked: bool  # False: no verdict came in time
    _began: float = field(repr=False)
    _report: Callable[..., None] = field(repr=False)

    def result(
        self,
        content: Any = None,
        error: str | BaseException | None = None,
        *,
        changed: bool | None = None,
        code: str = "",
        retryable: bool = False,
    ) -> None:
        """Reports what the executed call brought, or how it failed. changed
        says whether the tool changed the world, where it knows. It waits for
        nothing. Raises Halted or Over."""
        self._report(self, content, error, changed, code, retryable)


def read_args(args: Any) -> dict[str, Any]:
    """Returns the members of a call's body that say its arguments: text is what
    the model wrote, which may be no JSON; anything else is taken as it is."""
    text = written(args)
    if args is None or text is not None and not text.strip():
        return {}
    if text is None:
        return {"args": args}
    value, ok = parse(text)
    return {"args": value} if ok else {"raw_args": text}


def failure(error: str | BaseException) -> str:
    """Returns the message of a failure."""
    if isinstance(error, str):
        return error
    return f"{type(error).__name__}: {error}"


def kept_output(call_id: str, kept: Kept, now: float) -> Output:
    """Returns a kept result as the answer to a later call."""
    age = max(int(now - kept.at), 0)
    content = None if kept.content is None else json.loads(kept.content)
    return Output(content, kept.error, f"cached result of call {call_id}, {age} s old; not executed again")
