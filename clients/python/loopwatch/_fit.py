"""Cutting: an event is never refused for its size. What was equal stays equal
after cutting, and what was different stays different, by hashes of the whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from ._json import encode, utf8

EVENT_BYTES = 256 << 10
NAME_BYTES = 256
_SMALLEST = 256


def fit(event: dict[str, Any], limit: int) -> bytes | None:
    """Returns the event as one line of JSON of at most EVENT_BYTES: every text
    in it is cut to limit bytes, and to less where that is not enough. None
    where even that does not help. The event's body is changed with it."""
    while True:
        body = _SHORTEN.get(event["kind"])
        if body is not None:
            name, shorten = body
            event[name] = _said(shorten(_said(event[name]), limit))
        line = encode(event).encode()
        if len(line) <= EVENT_BYTES:
            return line
        if limit < _SMALLEST:
            return None
        limit //= 2


def text(value: Any, limit: int) -> str:
    """Cuts a text to limit bytes and closes it with a hash of the whole."""
    whole = utf8(value if isinstance(value, str) else str(value))
    raw = whole.encode()
    if len(raw) <= limit:
        return whole
    tail = "… sha256:" + hashlib.sha256(raw).hexdigest()[:16]
    return head(whole, max(limit - len(tail.encode()), 0)) + tail


def head(whole: str, limit: int) -> str:
    """Returns the beginning of a text, at most limit bytes of whole characters."""
    return whole.encode()[:limit].decode("utf-8", "ignore")


def name(value: Any) -> str:
    """Cuts a name to what an event may carry."""
    return text(value, NAME_BYTES)


def names(values: Any, limit: int) -> list[str]:
    """Cuts a list of names to limit bytes together."""
    out: list[str] = []
    for value in values:
        cut = name(value)
        limit -= len(cut.encode()) + 3
        if limit < 0:
            break
        out.append(cut)
    return out


def hash_of(value: Any) -> str:
    """Returns a digest that does not depend on the order of members."""
    try:
        canonical = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        canonical = encode(value)
    return digest(canonical)


def digest(whole: str) -> str:
    """Returns the SHA-256 in hex."""
    return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()


def _said(body: dict[str, Any]) -> dict[str, Any]:
    """Returns the members of body that say something."""
    return {k: v for k, v in body.items() if v is not None}


def _start(body: dict[str, Any], limit: int) -> dict[str, Any]:
    tools = [{**t, "name": name(t["name"])} for t in body.get("tools", [])[: limit // 64]]
    return {**body, **_cut(body, limit, texts=("goal",), short=("model",)), "tools": tools or None}


def _turn(body: dict[str, Any], limit: int) -> dict[str, Any]:
    out = {**body, **_cut(body, limit, texts=("text",), short=("model", "state_hash"))}
    for key in ("asks", "known"):
        if body.get(key) is not None:
            out[key] = names(body[key], limit)
    if body.get("state") is not None and len(encode(body["state"]).encode()) > limit:
        out["state"], out["state_hash"] = None, hash_of(body["state"])
    return out


def _call(body: dict[str, Any], limit: int) -> dict[str, Any]:
    out = {**body, **_cut(body, limit, texts=("raw_args",), short=("tool",))}
    if "args" in body:
        out["args"] = _opaque(body["args"], limit)
    return out


def _result(body: dict[str, Any], limit: int) -> dict[str, Any]:
    out = {**body, **_cut(body, limit, short=("tool",))}
    if body.get("error") is not None:
        out["error"] = {**_said(body["error"]), **_cut(body["error"], limit, texts=("message",), short=("code",))}
    whole = encode(body["content"]) if "content" in body else ""
    if len(whole.encode()) > limit:
        if not body.get("truncated"):
            out["truncated"], out["content_sha"] = True, digest(whole)
        content = body["content"]
        out["content"] = head(utf8(content) if isinstance(content, str) else whole, limit)
    return out


def _message(body: dict[str, Any], limit: int) -> dict[str, Any]:
    return {**body, **_cut(body, limit, texts=("text",), short=("role", "to"))}


def _end(body: dict[str, Any], limit: int) -> dict[str, Any]:
    out = {**body, **_cut(body, limit, texts=("reason",))}
    blocked = body.get("blocked")
    if blocked is not None:
        attempted = names(blocked.get("attempted", []), limit)
        out["blocked"] = {**_cut(blocked, limit, texts=("blocker", "needs")), "attempted": attempted}
    return out


def _ack(body: dict[str, Any], limit: int) -> dict[str, Any]:
    return {**body, **_cut(body, limit, texts=("detail",))}


def _cut(body: dict[str, Any], limit: int, texts: Sequence[str] = (), short: Sequence[str] = ()) -> dict[str, str]:
    """Returns the named members of body, cut."""
    cut = {k: text(body[k], limit) for k in texts if body.get(k) is not None}
    return cut | {k: name(body[k]) for k in short if body.get(k) is not None}


def _opaque(args: Any, limit: int) -> Any:
    """Replaces what makes arguments too long by its hash: the longest top-level
    values first, everything where they are no object."""
    if len(encode(args).encode()) <= limit:
        return args
    if not isinstance(args, dict) or len(args) > limit // 128:
        return {"$h": hash_of(args)}
    out = dict(args)
    for key in sorted(args, key=lambda k: (-len(encode(args[k])), str(k))):
        out[key] = {"$h": hash_of(args[key])}
        if len(encode(out).encode()) <= limit:
            return out
    return {"$h": hash_of(args)}


_SHORTEN = {
    "run_start": ("start", _start),
    "turn": ("turn", _turn),
    "tool_call": ("call", _call),
    "tool_result": ("result", _result),
    "message": ("message", _message),
    "run_end": ("end", _end),
    "control_ack": ("ack", _ack),
}
