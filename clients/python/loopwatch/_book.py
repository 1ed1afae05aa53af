"""A run's numbers: which round a call belongs to, and what it is called."""

from __future__ import annotations

import secrets

MAX_ROUND = 2**31 - 1


class Book:
    """Counts seqs, rounds and calls. It is not locked: its run is."""

    def __init__(self, round: int = 0) -> None:
        self.seq = 0  # of the last event
        self.round = 0
        self._told = round  # last round of an earlier process, 0 where it is not known
        self._turns = False  # turns are reported, so they alone open rounds
        self._answered = False  # a result of the round was reported
        self._calls = 0
        self._mark = ""

    def turn(self) -> int:
        """Opens a round."""
        self._turns = True
        return self._open()

    def call(self) -> tuple[str, int]:
        """Names the next call and places it in its round. Calls are of the
        round that turn opened; where turns are not reported, a call after a
        result is of a new round, and calls before any result are of one."""
        if self.round == 0 or self._answered and not self._turns:
            self._open()
        self._calls += 1
        return f"c{self._mark}{self._calls}", self.round

    def result(self, round: int) -> None:
        """Notes that a call of a round has its result."""
        self._answered = self._answered or round == self.round

    def attach(self, last_seq: int) -> None:
        """Goes on where an earlier process of the run stopped. Every round and
        every call took a seq at least, so numbers above the last are new."""
        if last_seq <= self.seq:
            return
        self.seq = last_seq
        self.round = max(self.round, self._told or min(last_seq, MAX_ROUND // 2))
        self._answered, self._turns = True, False
        self._calls = max(self._calls, last_seq)

    def unknown_past(self) -> None:
        """Marks the ids of calls: an earlier process may have used the same."""
        self._mark = secrets.token_hex(2) + "-"

    def _open(self) -> int:
        self.round += 1
        self._answered = False
        return self.round
