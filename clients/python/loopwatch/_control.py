"""Control messages: what loopwatch tells a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._ids import parse_time
from ._types import Observation


@dataclass(frozen=True)
class Control:
    """One control message. raw is all of it, as it came."""

    id: str  # empty for a halt that a verdict told without one
    kind: str  # inject_observation, halt or escalate
    detector: str  # that found the cause; operator for a person's act
    summary: str  # for people
    observation: Observation | None
    replay_of: str  # call whose first result answers the call that caused this; empty for none
    event: str  # that caused it
    end_status: str  # status that a halted run ends with; empty for none
    expires: float | None  # seconds since 1970 by the server's clock
    raw: dict[str, Any]


class Halted(Exception):
    """The run must not go on: nothing more may be executed. The run has been
    ended already; leave the agent's loop."""

    def __init__(self, control: Control) -> None:
        super().__init__(f"run halted: {control.summary}")
        self.control = control


class NoVerdict(Exception):
    """No verdict came in time and the run fails closed: do not execute."""


class Over(Exception):
    """The run has ended, or belongs to another process."""


def read_control(raw: Any) -> Control | None:
    """Reads a control message; None for what is none. Types that do not fit
    count as absent."""
    if not isinstance(raw, dict) or raw.get("v") != 1 or raw.get("reason") != "acted":
        return None
    observation = _dict(raw, "observation")
    told: Observation | None = None
    if isinstance(observation.get("content"), str):
        told = {"role": _str(observation, "role") or "system", "content": observation["content"]}
    control = Control(
        id=_str(raw, "id"), kind=_str(raw, "kind"), detector=_str(raw, "detector"), summary=_str(raw, "summary"),
        observation=told, replay_of=_str(_dict(raw, "replay"), "of_call_id"), event=_str(raw, "event"),
        end_status=_str(raw, "end_status"), expires=parse_time(raw.get("expires")), raw=raw,
    )  # fmt: skip
    return control if control.id else None


def unnamed_halt() -> Control:
    """Returns the halt that a verdict means which carries none."""
    summary = "the run or its task is halted; resume it first"
    return Control("", "halt", "", summary, None, "", "", "halted", None, {})


def _str(of: dict[str, Any], key: str) -> str:
    value = of.get(key)
    return value if isinstance(value, str) else ""


def _dict(of: dict[str, Any], key: str) -> dict[str, Any]:
    value = of.get(key)
    return value if isinstance(value, dict) else {}
