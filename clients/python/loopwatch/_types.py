"""What events say, as far as a caller gives it. Every member may be left out
unless it says otherwise; numbers left out are unknown, which is not zero."""

from __future__ import annotations

from typing import Literal, TypedDict


class Tool(TypedDict, total=False):
    """One tool that the run may call; name is required."""

    name: str
    effect: Literal["read", "write", "unknown"]  # only reads are answered from an earlier result
    polls: bool  # calling it again and again is its use


class Limits(TypedDict, total=False):
    """Bounds of a run."""

    max_turns: int
    max_cost_usd: float
    max_wall_clock_ms: int
    max_tokens: int


class Usage(TypedDict, total=False):
    """Tokens of one model response; cached ones are among the input."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int


class Observation(TypedDict):
    """A message for the next model call. It is text for a model: never run it."""

    role: str
    content: str


Status = Literal["done", "blocked", "failed", "halted", "stuck", "cancelled"]
