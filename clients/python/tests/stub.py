"""A server that answers as a test says and remembers what it was sent."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


class Stub:
    """Takes events like a gateway; answers holds what to say instead, first
    come first, to requests of paths that begin with only: a status, headers and
    a body. Close it."""

    def __init__(self, *answers: Any, only: str = "") -> None:
        self._only = only
        self.answers: list[Any] = list(answers)
        self.requests: list[tuple[float, str, list[dict[str, Any]]]] = []  # when, path, events
        self.controls: list[dict[str, Any]] = []  # what polls are told
        self.polls: list[str] = []  # their paths
        self._closed = threading.Event()
        self.busy = 0
        self.abreast = 0  # the most requests under way at once
        self._lock = threading.Lock()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                stub.serve(self)

            def do_GET(self) -> None:
                stub.poll(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def serve(self, request: BaseHTTPRequestHandler) -> None:
        """Answers one request."""
        body = request.rfile.read(int(request.headers["Content-Length"]))
        events = [json.loads(line) for line in body.splitlines()]
        with self._lock:
            self.busy += 1
            self.abreast = max(self.abreast, self.busy)
            self.requests.append((time.monotonic(), request.path, events))
            status, headers, answer = self._answer(request.path, events)
        if callable(answer):
            status, answer = answer(events)
        with self._lock:
            self.busy -= 1
        self._say(request, status, headers, answer)

    def _answer(self, path: str, events: list[Any]) -> tuple[int, dict[str, str], Any]:
        if self.answers and path.startswith(self._only):
            return self.answers.pop(0)
        return 202, {}, {"accepted": len(events)}

    def poll(self, request: BaseHTTPRequestHandler) -> None:
        """Answers a poll with the controls that it was not told of."""
        query = parse_qs(urlsplit(request.path).query)
        with self._lock:
            self.polls.append(request.path)
            known = int(query.get("after", ["0"])[0])
            controls, after = self.controls[known:], max(known, len(self.controls))
        if not controls:
            self._closed.wait(0.05)
        self._say(request, 200, {}, {"controls": controls, "after": str(after)})

    def _say(self, request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], answer: Any) -> None:
        raw = json.dumps(answer).encode()
        request.send_response(status)
        for key, value in {**headers, "Content-Length": str(len(raw))}.items():
            request.send_header(key, value)
        try:
            request.end_headers()
            request.wfile.write(raw)
        except ConnectionError:
            request.close_connection = True  # nobody to tell

    def sent(self) -> list[list[Any]]:
        """Returns the ids of the events of each request."""
        with self._lock:
            return [[e.get("id") for e in events] for _, _, events in self.requests]

    def close(self) -> None:
        """Ends the server."""
        self._closed.set()
        self._server.shutdown()
        self._server.server_close()
