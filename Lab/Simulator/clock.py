# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Virtual time: what is to happen, in the order of its time."""
import heapq


class Clock:
    """Runs actions at their times (seconds), those of the same time in the order of `at`."""

    def __init__(self):
        self.now = 0.0
        self._due = []
        self._count = 0

    def at(self, time, action, *arguments):
        """Calls `action` with `arguments` at `time`, which is not past."""
        assert time >= self.now
        self._count += 1
        heapq.heappush(self._due, (time, self._count, action, arguments))

    def run(self, end):
        """Lets time pass until `end`."""
        while self._due and self._due[0][0] <= end:
            self.now, _, action, arguments = heapq.heappop(self._due)
            action(*arguments)
        self.now = end
