"""JSON as events carry it: whatever a tool gave becomes a text that every
reader takes. Nothing in here raises for what it is given."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any


def encode(value: Any) -> str:
    """Returns value as compact JSON, as well as it can be said: what JSON has
    no form for becomes text, NaN and infinities too."""
    try:
        return _dumps(value)
    except (ValueError, TypeError, RecursionError):
        pass
    try:
        return _dumps(_plain(value, 32))
    except (ValueError, TypeError, RecursionError):
        return _dumps(_text(value))


def written(value: Any) -> str | None:
    """Returns text and bytes as text, None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode("utf-8", "replace")
    return None


def parse(text: str) -> tuple[Any, bool]:
    """Reads strict JSON; False where it is none."""
    try:
        value = json.loads(text, parse_constant=_refuse)
        _dumps(value)  # 1e999 is read as an infinity
        return value, True
    except (ValueError, RecursionError):
        return None, False


def utf8(text: str) -> str:
    """Replaces what is no Unicode text."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _dumps(value: Any) -> str:
    return utf8(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _plain(value: Any, depth: int) -> Any:
    """Takes a value apart into what JSON knows, depth levels deep."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth == 0:
        return _text(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {_text(k): _plain(v, depth - 1) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v, depth - 1) for v in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(v, depth - 1) for v in value), key=encode)
    return _text(value)


def _text(value: Any) -> str:
    text = written(value)
    if text is not None:
        return text
    try:
        return str(value)
    except Exception:  # an object's own fault must not end the agent
        return f"<{type(value).__name__}>"
