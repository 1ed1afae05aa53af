"""One kept-alive connection to a gateway, for one thread."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit


class Away(Exception):
    """The gateway could not be reached, or broke off."""


@dataclass(frozen=True)
class Response:
    """An answer; body is its JSON, None where it is none."""

    status: int
    body: Any
    after: str  # header Lw-After
    retry_after: float  # seconds, 0 where it says none

    @property
    def code(self) -> str:
        """The error's code; empty where there is none."""
        error = self.body.get("error") if isinstance(self.body, dict) else None
        return str(error.get("code", "")) if isinstance(error, dict) else ""


class Gateway:
    """Where a gateway is and how to be let in. ValueError for a URL that is
    none; OSError where cafile cannot be read."""

    def __init__(self, url: str, token: str | None = None, cafile: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url: {url!r} is not http://HOST:PORT or https://HOST:PORT")
        if token and any(c.isspace() or ord(c) > 126 for c in token):
            raise ValueError("token: want one word of ASCII")
        self.host, self.port, self.root = parts.hostname, parts.port, parts.path.rstrip("/")
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.tls = ssl.create_default_context(cafile=cafile) if parts.scheme == "https" else None

    def connect(self) -> Connection:
        """Returns a connection that opens when it is used."""
        return Connection(self)


class Connection:
    """One request after the other, from one thread. interrupt may be called
    from any."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._lock = threading.Lock()
        self._open: http.client.HTTPConnection | None = None
        self._closed = False

    def request(self, method: str, path: str, body: bytes | None, timeout: float) -> Response:
        """Sends a request; timeout bounds each wait for the network. A kept
        connection that the other side has closed meanwhile is opened again."""
        kept = self._open is not None
        try:
            return self._once(method, path, body, timeout)
        except TimeoutError as err:
            self._drop()
            raise Away(f"no answer within {timeout:.1f} s") from err
        except (OSError, http.client.HTTPException) as err:
            self._drop()
            if not kept:
                raise Away(f"{type(err).__name__}: {err}") from err
        return self.request(method, path, body, timeout)

    def interrupt(self) -> None:
        """Makes the request under way, and all that come, raise Away."""
        with self._lock:
            self._closed = True
            sock = self._open.sock if self._open is not None else None
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)  # wakes whoever reads
            except OSError:
                pass  # it is gone already

    def close(self) -> None:
        """Ends the connection for good."""
        with self._lock:
            self._closed = True
        self._drop()

    def _once(self, method: str, path: str, body: bytes | None, timeout: float) -> Response:
        conn = self._connected(timeout)
        headers = dict(self._gateway.headers)
        if body is not None:
            headers["Content-Type"] = "application/x-ndjson" if b"\n" in body else "application/json"
        conn.request(method, self._gateway.root + path, body, headers)
        got = conn.getresponse()
        raw = got.read()
        try:
            value = json.loads(raw)
        except ValueError:
            value = None
        return Response(got.status, value, got.getheader("Lw-After") or "", _seconds(got.getheader("Retry-After")))

    def _connected(self, timeout: float) -> http.client.HTTPConnection:
        with self._lock:
            if self._closed:
                raise Away("closed")
            if self._open is None:
                g = self._gateway
                if g.tls is None:
                    self._open = http.client.HTTPConnection(g.host, g.port, timeout=timeout)
                else:
                    self._open = http.client.HTTPSConnection(g.host, g.port, timeout=timeout, context=g.tls)
            conn = self._open
        conn.timeout = timeout
        if conn.sock is not None:
            conn.sock.settimeout(timeout)
            return conn
        conn.connect()
        with self._lock:
            if not self._closed:
                return conn
        self._drop()  # closed meanwhile
        raise Away("closed")

    def _drop(self) -> None:
        with self._lock:
            conn, self._open = self._open, None
        if conn is not None:
            conn.close()


def _seconds(text: str | None) -> float:
    """Reads Retry-After; 0 for what is no number, at most a minute."""
    try:
        return min(max(float(text or 0), 0.0), 60.0)
    except ValueError:
        return 0.0
