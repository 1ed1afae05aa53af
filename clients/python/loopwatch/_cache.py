"""The newest results of a run, whole, so that a replay does not depend on what
was sent."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

CALLS = 256
BYTES = 8 << 20


@dataclass(frozen=True)
class Kept:
    """One result as the tool gave it: its JSON text, the message of its
    failure (None where it succeeded), and when, in seconds of the run's clock."""

    content: str | None
    error: str | None
    at: float


class Cache:
    """Results by call id. Beyond CALLS results or BYTES the oldest go. The
    first result of a call stays. It is not locked: its run is."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._bytes = 0

    def get(self, call_id: str) -> Kept | None:
        """Returns what a call brought, None where it is not kept."""
        return self._kept.get(call_id)

    def put(self, call_id: str, kept: Kept) -> None:
        """Keeps a result, unless it is larger than everything may be."""
        size = _size(kept)
        if call_id in self._kept or size > BYTES:
            return
        self._kept[call_id] = kept
        self._bytes += size
        while len(self._kept) > CALLS or self._bytes > BYTES:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= _size(oldest)


def _size(kept: Kept) -> int:
    return len(kept.content or "") + len(kept.error or "")
