"""Names, event ids and times, as the contract writes them."""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import datetime, timezone

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_NAME = re.compile(r"[A-Za-z0-9=-][A-Za-z0-9_=-]{0,127}")
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
_LONGEST, _KEPT = 128, 110


def new_id(unix_seconds: float) -> str:
    """Returns a new event id of 36 characters: like a ULID it begins with the
    time, so that ids sort by time, but it goes on with all of 128 random bits."""
    number = (int(unix_seconds * 1000) & (1 << 48) - 1) << 128 | secrets.randbits(128)
    number <<= 4  # 176 bits are 35.2 characters
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(175, -1, -5))


def valid_name(name: str) -> bool:
    """Reports whether name can be a tenant, agent, task or run."""
    return _NAME.fullmatch(name) is not None


def escape_name(text: str) -> str:
    """Turns any other system's name into a valid one: each byte that is no
    letter, digit, - or _, and a leading _, become =XX. What would be longer
    than 128 bytes is cut and closed with a hash. Different names stay
    different; the empty one stays empty and is not valid."""
    raw = text.encode("utf-8", "surrogatepass")
    out, cut = "", 0
    for i, byte in enumerate(raw):
        plain = byte in _PLAIN and (i > 0 or byte != ord("_"))
        out += chr(byte) if plain else f"={byte:02X}"
        if len(out) <= _KEPT:
            cut = len(out)
    if len(out) <= _LONGEST:
        return out
    return out[:cut] + "-" + hashlib.sha256(raw).hexdigest()[:16]


def timestamp(unix_seconds: float) -> str:
    """Formats a time for an event: RFC 3339 in UTC with microseconds."""
    return datetime.fromtimestamp(unix_seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_time(text: object) -> float | None:
    """Reads RFC 3339 as seconds since 1970; None where it is none. What is
    finer than a microsecond is dropped."""
    if not isinstance(text, str):
        return None
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)", text)
    if not found:
        return None
    day, clock, fraction, zone = found.groups()
    zone = "+00:00" if zone in "Zz" else zone
    try:
        return datetime.fromisoformat(f"{day}T{clock}.{(fraction or '0')[:6]:0<6}{zone}").timestamp()
    except ValueError:
        return None
