"""Parts that need no gateway: cutting, keeping, counting, naming, reading."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import unittest
from typing import Any

import loopwatch
from loopwatch import _cache, _fit, _ids
from loopwatch._blocked import read_report
from loopwatch._book import Book
from loopwatch._call import Output, read_args
from loopwatch._cache import Cache, Kept
from loopwatch._control import read_control
from loopwatch._json import encode


def fitted(kind: str, name: str, body: dict[str, Any], limit: int = 1024) -> dict[str, Any]:
    line = _fit.fit({"v": 1, "kind": kind, name: body}, limit)
    assert line is not None and len(line) <= _fit.EVENT_BYTES
    cut: dict[str, Any] = json.loads(line)[name]
    return cut


class FitTest(unittest.TestCase):
    def test_small_things_stay(self) -> None:
        body = {"call_id": "c1", "tool": "grep", "content": {"a": [1, "ü"]}, "error": {"message": "no"}, "changed": False}
        self.assertEqual(fitted("tool_result", "result", body), body)

    def test_content_is_cut_and_says_so(self) -> None:
        for content in ("ü" * 5000, [{"n": n} for n in range(2000)]):
            cut = fitted("tool_result", "result", {"call_id": "c1", "content": content})
            whole = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
            self.assertTrue(cut["truncated"])
            self.assertEqual(cut["content_sha"], hashlib.sha256(whole.encode()).hexdigest())
            self.assertLessEqual(len(cut["content"].encode()), 1024)
            self.assertTrue((content if isinstance(content, str) else whole).startswith(cut["content"]))

    def test_arguments_stay_equal_or_different(self) -> None:
        a, b = {"path": "x.go", "text": "a" * 5000}, {"path": "x.go", "text": "a" * 5000 + "b"}
        first, again, other = (fitted("tool_call", "call", {"id": i, "args": v})["args"] for i, v in zip("123", (a, dict(a), b)))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual(first["path"], "x.go")
        self.assertEqual(list(first["text"]), ["$h"])

    def test_order_of_members_does_not_matter(self) -> None:
        a = {"state": {"x": "y" * 3000, "z": 1}}
        b = {"state": {"z": 1, "x": "y" * 3000}}
        self.assertEqual(fitted("turn", "turn", a), fitted("turn", "turn", b))
        self.assertNotIn("state", fitted("turn", "turn", a))

    def test_escapes_do_not_break_the_limit(self) -> None:
        cut = fitted("tool_result", "result", {"call_id": "c1", "content": "\x01" * 400_000}, 200_000)
        self.assertTrue(cut["truncated"])

    def test_texts_end_with_a_hash_of_the_whole(self) -> None:
        a, b = (fitted("turn", "turn", {"text": "é" * 4000 + end})["text"] for end in "ab")
        self.assertNotEqual(a, b)
        self.assertLessEqual(len(a.encode()), 1024)

    def test_everything_at_once(self) -> None:
        big = "x" * 300_000
        for kind, name, body in (
            ("run_start", "start", {"goal": big, "tools": [{"name": big, "effect": "read"}] * 5000}),
            ("turn", "turn", {"text": big, "asks": [big] * 500, "known": ["k"] * 100_000, "state": [big], "model": big}),
            ("tool_call", "call", {"id": "c", "tool": big, "raw_args": big}),
            ("tool_call", "call", {"id": "c", "tool": big, "args": {str(n): n for n in range(50_000)}}),
            ("tool_result", "result", {"call_id": "c", "tool": big, "content": big, "error": {"message": big, "code": big}}),
            ("message", "message", {"role": "user", "text": big}),
            ("run_end", "end", {"status": "blocked", "reason": big, "blocked": {"attempted": [big], "blocker": big, "needs": big}}),
        ):
            with self.subTest(kind):
                fitted(kind, name, body, 64 << 10)


class JSONTest(unittest.TestCase):
    def test_whatever_a_tool_gives(self) -> None:
        @dataclasses.dataclass
        class Row:
            id: int
            tags: set[str]

        class Odd:
            def __str__(self) -> str:
                raise RuntimeError("no text")

        loop: list[Any] = []
        loop.append(loop)
        for value, want in (
            (Row(1, {"b", "a"}), '{"id":1,"tags":["a","b"]}'), (b"bytes", '"bytes"'), (math.nan, '"nan"'),
            ({1: math.inf}, '{"1":"inf"}'), ("\ud800", '"?"'), (Odd(), '"<Odd>"'), ((1, None), "[1,null]"),
        ):  # fmt: skip
            with self.subTest(want):
                self.assertEqual(encode(value), want)
        json.loads(encode(loop))

    def test_arguments(self) -> None:
        for written, want in (
            (None, {}), ("", {}), (" \n", {}), ('{"a":1}', {"args": {"a": 1}}), (b"[1]", {"args": [1]}),
            ({"a": 1}, {"args": {"a": 1}}), ("{a", {"raw_args": "{a"}), ("NaN", {"raw_args": "NaN"}),
            ("1e999", {"raw_args": "1e999"}),
        ):  # fmt: skip
            self.assertEqual(read_args(written), want)

    def test_what_the_model_is_shown(self) -> None:
        for output, want in (
            (Output("text"), "text"), (Output({"a": 1}), '{"a":1}'), (Output(), ""), (Output(error="E: no"), "error: E: no"),
            (Output(False, None, "cached"), "[cached]\nfalse"),
        ):  # fmt: skip
            self.assertEqual((str(output), output.replayed), (want, want.startswith("[")))


class CacheTest(unittest.TestCase):
    def test_the_oldest_go(self) -> None:
        cache = Cache()
        for n in range(_cache.CALLS + 1):
            cache.put(f"c{n}", Kept("1", None, 0))
        self.assertIsNone(cache.get("c0"))
        self.assertIsNotNone(cache.get("c1"))

    def test_bytes(self) -> None:
        cache = Cache()
        for n in range(9):
            cache.put(f"c{n}", Kept("x" * (1 << 20), None, 0))
        self.assertIsNone(cache.get("c0"))
        cache.put("huge", Kept("x" * (_cache.BYTES + 1), None, 0))
        self.assertIsNone(cache.get("huge"))
        self.assertIsNotNone(cache.get("c8"), "what is too large pushed the others out")

    def test_the_first_result_stays(self) -> None:
        cache = Cache()
        cache.put("c1", Kept("1", None, 0))
        cache.put("c1", Kept("2", None, 1))
        self.assertEqual(cache.get("c1"), Kept("1", None, 0))


class BookTest(unittest.TestCase):
    def test_calls_of_one_turn_share_its_round(self) -> None:
        book = Book()
        self.assertEqual(book.turn(), 1)
        self.assertEqual(book.call(), ("c1", 1))
        book.result(1)
        self.assertEqual(book.call(), ("c2", 1))
        self.assertEqual(book.turn(), 2)
        self.assertEqual(book.call(), ("c3", 2))

    def test_without_turns_a_result_closes_a_round(self) -> None:
        book = Book()
        self.assertEqual([book.call(), book.call()], [("c1", 1), ("c2", 1)])
        book.result(1)
        self.assertEqual(book.call(), ("c3", 2))
        book.result(1)
        self.assertEqual(book.call(), ("c4", 2), "a late result of an earlier round opened one")

    def test_coming_back(self) -> None:
        for told, want in ((0, 18), (4, 5)):
            book = Book(told)
            book.attach(17)
            self.assertEqual((book.seq, book.call()), (17, ("c18", want)))
        book.attach(3)
        self.assertEqual(book.seq, 17)
        book.unknown_past()
        self.assertRegex(book.call()[0], r"^c[0-9a-f]{4}-19$")


class NameTest(unittest.TestCase):
    def test_ids(self) -> None:
        ids = [_ids.new_id(1_700_000_000 + n) for n in range(100)]
        self.assertEqual(ids, sorted(ids))
        self.assertEqual({len(i) for i in ids}, {36})
        self.assertEqual(len({i[10:] for i in ids}), 100)

    def test_names(self) -> None:
        for text, want in (("a-1_b", "a-1_b"), ("_a", "=5Fa"), ("a b.c=", "a=20b=2Ec=3D"), ("ü", "=C3=BC")):
            self.assertEqual(loopwatch.escape_name(text), want)
        long = loopwatch.escape_name("é" * 200)
        self.assertTrue(_ids.valid_name(long), long)
        self.assertNotEqual(long, loopwatch.escape_name("é" * 201))
        for bad in ("", "_a", "a.b", "a b", "a" * 129, "a\n"):
            self.assertFalse(_ids.valid_name(bad), bad)

    def test_times(self) -> None:
        self.assertEqual(_ids.timestamp(1_700_000_000.25), "2023-11-14T22:13:20.250000Z")
        for text, want in (
            ("2023-11-14T22:13:20.25Z", 1_700_000_000.25), ("2023-11-14T23:13:20.250000999+01:00", 1_700_000_000.25),
            ("2023-11-14", None), ("2023-13-40T00:00:00Z", None), (7, None),
        ):  # fmt: skip
            self.assertEqual(_ids.parse_time(text), want)

    def test_wrong_usage_is_named_at_once(self) -> None:
        with self.assertRaisesRegex(ValueError, "agent: 'a b'.*parent: 'x.y'.*wait"):
            loopwatch.Run("http://127.0.0.1:1", agent="a b", parent="x.y", wait=-1)
        for url in ("127.0.0.1:80", "ftp://x", "http://"):
            with self.assertRaisesRegex(ValueError, "url"):
                loopwatch.Run(url)


class ReadTest(unittest.TestCase):
    def test_controls(self) -> None:
        good = {"v": 1, "id": "ctl_1", "kind": "halt", "reason": "acted", "end_status": "stuck", "observation": None}
        control = read_control(good)
        assert control is not None
        self.assertEqual((control.kind, control.end_status, control.observation), ("halt", "stuck", None))
        for bad in (None, [], {}, {**good, "v": 2}, {**good, "reason": "shadow"}, {**good, "id": ""}, {**good, "id": 7}):
            self.assertIsNone(read_control(bad), bad)

    def test_reports_of_a_blocker(self) -> None:
        for args, want in (
            ({"attempted": ["a"], "blocker": "b", "needs": "n"}, ("b", ["a"], "n")),
            ('{"attempted":"a","blocker":["b","c"]}', ("b; c", ["a"], "")),
            ("no way", ("no way", [], "")),
        ):
            self.assertEqual(read_report(args), want)
        for nothing in ("", {}, {"blocker": " "}, [1]):
            with self.assertRaisesRegex(ValueError, "report_blocked"):
                read_report(nothing)

    def test_conventions(self) -> None:
        with self.assertRaises(ValueError):
            loopwatch.report_blocked_tool("xml")  # type: ignore[arg-type]
        tool = loopwatch.report_blocked_tool("mcp")
        tool["inputSchema"]["properties"].clear()
        self.assertTrue(loopwatch.report_blocked_tool("mcp")["inputSchema"]["properties"], "the dict is shared")
