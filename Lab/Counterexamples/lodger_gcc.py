# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Congestion control of the set lodger, in the manner of GCC: a trendline of delays, a bound by loss, probes, and caution when feedback fails."""
from collections import deque


class Estimator:
    """Estimates what a path carries from what arrived when."""

    def __init__(self, start=300e3, ceiling=6e6, floor=30e3):
        """Begins at the bitrate given."""
        self.rate = self.delayed = start
        self.lossy = ceiling
        self.ceiling, self.floor = ceiling, floor
        self.points, self.sum, self.smooth = deque(maxlen=20), 0.0, 0.0
        self.group = self.before = None  # (first sent, last sent, last arrived)
        self.number, self.threshold, self.trend, self.over = 0, 12.5, 0.0, 0.0
        self.state, self.known, self.spread = 'increase', None, 0.3
        self.acked = deque()
        self.ackedBytes, self.reported = 0, 0.0
        self.seen, self.gone, self.turn, self.lowered = 0, 0, 0.0, -9.0
        self.heard, self.cut = 0.0, 0.0
        self.probes, self.probed, self.bent = deque([(0.05, 3 * start), (0.12, 6 * start)]), 0.0, -9.0
        self.rtt, self.burst = 0.1, []

    def feedback(self, now, items, limited):
        """Takes (sent, arrived or None, size, probe) of packets in the order of sending."""
        self.heard = now
        overuse = under = False
        for sent, arrived, size, probe in items:
            self.seen += 1
            if arrived is None:
                self.gone += 1
                continue
            self.acked.append((arrived, size))
            self.ackedBytes += size
            verdict = self._arrived(sent, arrived)
            overuse |= verdict > 0
            under |= verdict < 0
        while self.acked and self.acked[0][0] < self.acked[-1][0] - 0.6:
            self.ackedBytes -= self.acked.popleft()[1]
        span = max(0.25, self.acked[-1][0] - self.acked[0][0]) if self.acked else 1
        throughput = self.ackedBytes * 8 / span
        self._probe(items)
        step = min(0.4, max(0.02, now - self.reported))
        self.reported = now
        self._adapt(now, step, overuse, under, throughput, limited)
        self._lose(now, step)
        self.rate = max(self.floor, min(self.delayed, self.lossy, self.ceiling))

    def _arrived(self, sent, arrived):
        """Moves the trendline by a packet; 1 where the queue grows, -1 where it shrinks."""
        group = self.group
        if group is None:
            self.group = (sent, sent, arrived)
            return 0
        if sent - group[0] < 0.005 or arrived - group[2] < 0.005 and arrived - group[2] < sent - group[1]:
            self.group = (group[0], sent, arrived)
            return 0
        self.group, before, self.before = (sent, sent, arrived), self.before, group
        if before is None:
            return 0
        gap = group[1] - before[1]
        delta = (group[2] - before[2] - gap) * 1000
        arrived = group[2]
        self.number = min(60, self.number + 1)
        self.sum += delta
        self.smooth = 0.9 * self.smooth + 0.1 * self.sum
        self.points.append((arrived * 1000, self.smooth))
        if len(self.points) < 20:
            return 0
        n, first = len(self.points), self.points[0][0]
        sx = sy = sxx = sxy = 0.0
        for x, y in self.points:
            x -= first
            sx, sy, sxx, sxy = sx + x, sy + y, sxx + x * x, sxy + x * y
        below = n * sxx - sx * sx
        slope = (n * sxy - sx * sy) / below if below else 0.0
        trend = slope * self.number * 4
        verdict = 0
        if trend > self.threshold:
            self.over += gap * 1000
            if self.over > 10 and trend >= self.trend:
                verdict, self.over = 1, 0.0
        else:
            self.over = 0.0
            if trend < -self.threshold:
                verdict = -1
        if abs(trend) < self.threshold + 15:
            pace = 0.039 if abs(trend) < self.threshold else 0.0087
            self.threshold += pace * (abs(trend) - self.threshold) * min(100.0, gap * 1000)
            self.threshold = min(600.0, max(6.0, self.threshold))
        self.trend = trend
        return verdict

    def _probe(self, items):
        """Raises the estimate to what a burst of padding has shown."""
        self.burst = [i for i in self.burst if i[0] > self.heard - 0.6] + [i for i in items if i[3] and i[1] is not None]
        if len(self.burst) < 5:
            return
        burst, self.burst = self.burst, []
        bits = sum(i[2] for i in burst[1:]) * 8
        up, down = burst[-1][0] - burst[0][0], burst[-1][1] - burst[0][1]
        rate = bits / max(up, down, 0.001)
        if down > up * 1.3:
            rate *= 0.95
        if rate > self.delayed and not self.state == 'decrease':
            self.delayed = min(rate, self.ceiling)
            self.lossy = max(self.lossy, self.delayed)
            if rate > 0.7 * bits / max(up, 0.001) and rate < 3e6 and len(self.probes) < 2:
                self.probes.append((self.reported + 0.25, 2 * rate))

    def _adapt(self, now, step, overuse, under, throughput, limited):
        """Down to 85 % of what arrives where the queue grows; otherwise up, slowly where the limit is known."""
        if overuse:
            if now - self.bent > 0.2:
                self.delayed = max(self.floor, min(self.delayed, 0.85 * throughput + 5e3))
                if self.known and throughput < self.known * (1 - 3 * self.spread * 0.3):
                    self.known = None
                self.known = throughput if self.known is None else 0.95 * self.known + 0.05 * throughput
                self.bent, self.state = now, 'decrease'
            return
        if under:
            self.state = 'hold'
            return
        self.state = 'increase'
        if limited and self.delayed > throughput * 1.4:
            return
        if self.known and throughput > self.known * 1.25:
            self.known = None
        if self.known:
            grown = self.delayed + max(4000.0, 1200 * 8 / (0.1 + self.rtt)) * step
        else:
            grown = self.delayed * 1.08 ** step + 1000 * step
        self.delayed = max(self.delayed, min(grown, 1.5 * throughput + 10e3))

    def _lose(self, now, step):
        """Bounds the rate by loss: halves the share lost above a tenth, grows below 2 %."""
        if now - self.turn < 1 or self.seen < 20:
            return
        share = self.gone / self.seen
        self.seen = self.gone = 0
        self.turn = now
        if share > 0.1:
            self.lossy = max(self.floor, min(self.lossy, self.rate) * (1 - 0.5 * share))
            self.lowered = now
        elif share < 0.02:
            self.lossy = min(self.ceiling, max(self.lossy, self.rate) * 1.08 + 1000)

    def silent(self, now):
        """Goes down by a fifth a second while no feedback comes."""
        if self.heard and now - self.heard > 3 and now - self.cut > 1:
            self.cut = now
            self.delayed = max(self.floor, self.delayed * 0.8)
            self.rate = min(self.rate, self.delayed)

    def wish(self, now, limited, wanted):
        """The rate of a probe that is due now, or None."""
        if self.probes and self.probes[0][0] <= now:
            return min(self.probes.popleft()[1], self.ceiling)
        if limited and now - self.probed > 5 and now - self.bent > 4 and now - self.lowered > 4 and self.rate < min(self.ceiling, 2 * wanted):
            self.probed = now
            return min(max(2 * self.rate, 300e3), self.ceiling)
        return None
