"""The tool by which an agent gives up properly."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Literal

from ._json import encode, parse, written

NAME = "report_blocked"

_DOC = (
    "Report that you are blocked and end the task here. This is a correct and expected outcome, not a failure: a clear "
    "report of what stands in the way is worth more than another attempt that cannot succeed. Use it when the task "
    "cannot be completed with the tools, data and permissions you have: something is missing, refused, contradictory or "
    "out of reach, and what you tried keeps giving the same answer. Do not use it for a fault that may pass by itself, "
    "before you have tried what is open to you, to ask a question you could ask the user directly, or to report a result."
)

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "attempted": {
            "description": "What you tried, one step an item, with what came of it. "
            "Empty where the task could not be begun.",
            "type": "array",
            "items": {"type": "string"},
        },
        "blocker": {
            "description": "What stands in the way, as concretely as you know it: "
            "the tool, the record, the error, the rule.",
            "type": "string",
        },
        "needs": {
            "description": "What somebody would have to do or provide so that the task can go on. "
            'Say "nothing" where it is impossible.',
            "type": "string",
        },
    },
    "required": ["attempted", "blocker", "needs"],
    "additionalProperties": False,
}

Format = Literal["openai", "openai-responses", "anthropic", "mcp", "json-schema"]


def report_blocked_tool(format: Format = "openai") -> dict[str, Any]:
    """Returns the definition of the report_blocked tool in a convention, as
    `loopwatch tool report-blocked --format` prints it. When the model calls it,
    hand its arguments to Run.report_blocked and leave the loop. The dict is the
    caller's."""
    schema = copy.deepcopy(_SCHEMA)
    if format == "openai":
        function = {"name": NAME, "description": _DOC, "parameters": schema, "strict": True}
        return {"type": "function", "function": function}
    if format == "openai-responses":
        return {"type": "function", "name": NAME, "description": _DOC, "parameters": schema, "strict": True}
    if format == "anthropic":
        return {"name": NAME, "description": _DOC, "input_schema": schema}
    if format == "mcp":
        return {"name": NAME, "title": "Report a blocker", "description": _DOC, "inputSchema": schema}
    if format == "json-schema":
        draft = "https://json-schema.org/draft/2020-12/schema"
        return {"$schema": draft, "title": NAME, "description": _DOC, **schema}
    raise ValueError(f"format: {format!r} is not openai, openai-responses, anthropic, mcp or json-schema")


def read_report(args: Any) -> tuple[str, list[str], str]:
    """Reads the arguments of a report_blocked call as the model wrote them and
    returns blocker, attempted, needs. A list in place of a text, and a text in
    place of a list, are taken; text that is no JSON is the blocker. ValueError
    where no blocker is named: hand it to the model."""
    text = written(args)
    if text is not None:
        value, ok = parse(text)
        args = value if ok else {"blocker": text}
    if not isinstance(args, Mapping):
        raise ValueError("report_blocked: want an object with attempted, blocker and needs")
    blocker = "; ".join(_texts(args.get("blocker")))
    if not blocker.strip():
        raise ValueError("report_blocked: say in blocker what stands in the way")
    return blocker, _texts(args.get("attempted")), "; ".join(_texts(args.get("needs")))


def _texts(value: Any) -> list[str]:
    if value is None or value == "":
        return []
    if isinstance(value, (list, tuple)):
        return [v if isinstance(v, str) else encode(v) for v in value]
    return [value if isinstance(value, str) else encode(value)]
