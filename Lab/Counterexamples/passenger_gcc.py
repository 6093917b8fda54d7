# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Congestion control of the set passenger as libwebrtc has it: a trendline over groups of packets, AIMD, a bound by loss (old, or the likelihood of recent versions), and probes."""
import math
from collections import deque


class Trend:
    """The trendline estimator with its adaptive threshold."""

    def __init__(self):
        self.group = self.before = None
        self.sum = self.smooth = 0.0
        self.points, self.count = deque(maxlen=20), 0
        self.threshold, self.over, self.times, self.last, self.at = 12.5, 0.0, 0, 0.0, None
        self.state = 'normal'

    def packet(self, sent, arrived):
        g = self.group
        if g is None:
            self.group = [sent, sent, arrived]
        elif sent - g[0] <= 0.005 or (arrived - g[2] <= 0.005 and arrived - g[2] < sent - g[1] and arrived - g[0] < 0.1 + g[2] - g[0]):
            g[1], g[2] = sent, max(g[2], arrived)
        else:
            if self.before:
                self.delta((g[2] - self.before[2] - g[1] + self.before[1]) * 1000, g[2])
            self.before, self.group = g, [sent, sent, arrived]

    def delta(self, d, arrived):
        self.sum += d
        self.count += 1
        self.smooth = 0.9 * self.smooth + 0.1 * self.sum
        self.points.append((arrived * 1000, self.smooth))
        slope = self.slope() if len(self.points) == 20 else self.last
        self.detect(min(self.count, 60) * slope * 4, slope, arrived)

    def slope(self):
        x = sum(p[0] for p in self.points) / 20
        y = sum(p[1] for p in self.points) / 20
        below = sum((p[0] - x) ** 2 for p in self.points)
        return sum((p[0] - x) * (p[1] - y) for p in self.points) / below if below else self.last

    def detect(self, value, slope, arrived):
        passed = min(0.1, arrived - self.at) * 1000 if self.at is not None else 5
        self.at = arrived
        if value > self.threshold:
            self.over, self.times = self.over + passed, self.times + 1
            if self.over > 10 and self.times > 1 and slope >= self.last:
                self.over, self.times, self.state = 0.0, 0, 'over'
        else:
            self.over, self.times = 0.0, 0
            self.state = 'under' if value < -self.threshold else 'normal'
        self.last, m = slope, abs(value)
        if m <= self.threshold + 15:
            self.threshold += (0.039 if m < self.threshold else 0.0087) * (m - self.threshold) * min(passed, 100)
            self.threshold = min(600, max(6, self.threshold))


class LossBound:
    """What losses allow: the rule of 2 and 10 %, or the likelihood of loss based v2."""

    INHERENT = [0.0, 0.005, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.22, 0.3]

    def __init__(self, recent):
        self.recent, self.value, self.at = recent, None, 0.0
        self.seen, self.now, self.last = deque(maxlen=20), [0, 0, 0, None], 0.0

    def feed(self, now, records, delayed, acked):
        n, lost, size, began = self.now
        n, lost = n + len(records), lost + sum(r[1] is None for r in records)
        size += sum(r[2] for r in records)
        began = records[0][0] if began is None and records else began
        self.now = [n, lost, size, began]
        if n < 5 or records[-1][0] - began < 0.25:
            return self.bound(delayed)
        passed, self.last = min(1.5, now - self.last), now
        self.seen.append((n, lost, size * 8 / max(0.05, records[-1][0] - began), now))
        while self.seen[0][3] < now - 6:
            self.seen.popleft()
        self.now = [0, 0, 0, None]
        if self.recent:
            self.likely(delayed, acked, passed)
        else:
            self.old(now, delayed, lost / n, n, passed)
        return self.bound(delayed)

    def bound(self, delayed):
        return delayed if self.value is None else min(delayed, self.value)

    def old(self, now, delayed, share, n, passed):
        value = min(self.value or delayed, delayed * 1.5)
        if share > 0.1 and n > 15 and now > self.at + 0.4:
            value, self.at = value * (1 - 0.5 * share), now
        elif share < 0.02:
            value = value * 1.08 ** passed + 1000 * passed
        self.value = value

    def likely(self, delayed, acked, passed):
        value = min(self.value or delayed, delayed)
        losses = sum(o[1] for o in self.seen) / sum(o[0] for o in self.seen)
        if not losses:
            self.value = min(delayed, value * 1.1 ** (passed * 4))
            return
        tries = [value, value * 0.95, value * 0.85] + ([acked] if acked and acked < value else []) + [value * 1.05, min(delayed, value * 1.1)]
        best = max(tries, key=lambda w: self.score(w))
        if best > value and losses > 0.1 and acked and best > acked * 1.2:
            best = value
        if losses > 0.06:
            best = min(best, max(acked or 30e3, 30e3) * 1.3, 75e3 / (losses - 0.05)) if losses > 0.25 else min(best, 75e3 / (losses - 0.05))
        self.value = max(30e3, best)

    def score(self, width):
        most, top = 0.05 + 1e5 / width, -1e18
        for inherent in self.INHERENT:
            if inherent > most:
                break
            sum_ = 0.0
            for k, (n, lost, rate, _) in enumerate(reversed(self.seen)):
                p = inherent + (1 - inherent) * max(0.0, 1 - width / rate)
                p = min(0.999, max(0.001, p))
                sum_ += 0.9 ** k * (lost * math.log(p) + (n - lost) * math.log(1 - p))
            top = max(top, sum_)
        return top + 0.9 * math.log(width) * 0.02 * sum(o[0] for o in self.seen) / 4


class Estimate:
    """What a sender believes it may send."""

    def __init__(self, start, recent):
        self.trend, self.losses = Trend(), LossBound(recent)
        self.delayed = self.value = start
        self.acked, self.got = None, deque()
        self.state, self.at, self.fell, self.width, self.spread = 'increase', 0.0, -9.0, None, 0.4
        self.probes, self.before = {}, start

    def feedback(self, now, records, trip, limited):
        got = [r for r in records if r[1] is not None]
        for r in got:
            self.trend.packet(r[0], r[1])
            self.got.append((r[1], r[2]))
        self.throughput()
        self.probed(now, got)
        self.rule(now, trip, limited)
        if records:
            self.value = max(30e3, self.losses.feed(now, records, self.delayed, self.acked))

    def throughput(self):
        if not self.got:
            return
        newest = self.got[-1][0]
        while self.got and self.got[0][0] < newest - 0.5:
            self.got.popleft()
        if newest - self.got[0][0] > 0.2:
            rate = sum(x[1] for x in self.got) * 8 / max(0.3, newest - self.got[0][0])
            self.acked = rate if self.acked is None else 0.6 * self.acked + 0.4 * rate

    def rule(self, now, trip, limited):
        state, self.trend.state = self.trend.state, 'normal' if self.trend.state == 'over' else self.trend.state
        passed, self.at = min(1.0, now - self.at), now
        if state == 'over':
            if now - self.fell > max(0.2, trip) and self.acked:
                self.fall(now)
        elif state == 'normal' and now - self.fell > max(0.3, trip):
            near = self.width and self.acked and abs(self.acked - self.width) < 3 * self.spread * self.width * 0.3
            more = max(4e3, 9600 / (trip + 0.1)) * passed if near else self.delayed * (1.08 ** passed - 1)
            if self.width and self.acked and self.acked > 1.6 * self.width:
                self.width = None
            if self.acked and not limited:
                self.delayed = max(self.delayed, min(self.delayed + more, 1.5 * self.acked + 10e3))

    def fall(self, now):
        self.before, self.fell = self.value, now
        to = 0.85 * self.acked
        if to < self.delayed:
            self.delayed = max(30e3, to)
        w = self.width or self.acked
        self.spread = 0.9 * self.spread + 0.1 * min(0.6, abs(self.acked - w) / w * 3)
        self.width = 0.95 * w + 0.05 * self.acked if abs(self.acked - w) < w * 0.5 else self.acked

    def probed(self, now, got):
        for r in got:
            if r[3]:
                self.probes.setdefault(r[3], []).append(r)
        for key in [k for k, v in self.probes.items() if now - v[-1][0] > 0.15]:
            found = self.probes.pop(key)
            sent, arrived = found[-1][0] - found[0][0], found[-1][1] - found[0][1]
            if len(found) < 5 or sent <= 0 or arrived <= 0:
                continue
            size = sum(r[2] for r in found[1:]) * 8
            there, here = size / sent, size / arrived
            if here > 2 * there:
                continue
            rate = min(there, here) if here > 0.9 * there else 0.95 * here
            if rate > self.delayed and now - self.fell > 0.3:
                self.delayed = rate
                self.losses.value = max(self.losses.value, min(rate, self.losses.value * 2)) if self.losses.value and not self.losses.recent else self.losses.value
