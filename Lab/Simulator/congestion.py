# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Congestion control of the sender, after draft-ietf-rmcat-gcc-02 with the constants of libwebrtc.

Transport-wide feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01; RFC 8888 standardizes its
like) says when each packet arrived. Groups of packets that were sent within 5 ms are compared: how much
later than expected did this group arrive than the one before? The slope of the smoothed sum of these
differences over 20 groups is the trend of the queue (libwebrtc: `TrendlineEstimator`). Above an adaptive
threshold for longer than 10 ms it means overuse, and the rate falls to 85 % of what arrives
(`AimdRateControl`); otherwise it rises, by 8 % a second while the capacity is unknown, and linearly near
the last known one. A controller of its own lowers the rate above 10 % of loss and raises it below 2 %
(`SendSideBandwidthEstimation`). The estimate is the lower of both.
"""
from collections import deque

GROUP_LENGTH = .005
TREND_WINDOW = 20
TREND_SMOOTHING = .9
#: libwebrtc's threshold gain and the most deltas that count.
THRESHOLD_GAIN = 4
MOST_DELTAS = 60
FIRST_THRESHOLD = 12.5
#: An overuse is one after so many milliseconds.
OVERUSE_TIME = 10
#: How fast the threshold follows the trend: down and up.
THRESHOLD_FALLS, THRESHOLD_RISES = .039, .0087
#: What is acknowledged is measured over this many seconds.
RATE_WINDOW = .8
#: The estimate does not fall again, nor rise, for so long after an overuse, in seconds.
HOLDING_TIME = .3
LEAST_ESTIMATE = 30e3


class PacketGroup:
    """Packets that were sent in one burst."""
    __slots__ = ('begun', 'sent', 'arrived')

    def __init__(self, sent, arrived):
        self.begun = self.sent = sent
        self.arrived = arrived


class OveruseDetector:
    """Tells from the arrival of packets whether the queue grows."""

    def __init__(self):
        #: Multiplies the trend: less than 1 on a path whose jitter the estimator has learned.
        self.sensitivity = 1.0
        self._group = None
        self._previous = None
        self._deltas = 0
        self._delay = 0.0
        self._smoothed = 0.0
        self._points = deque(maxlen=TREND_WINDOW)
        self._threshold = FIRST_THRESHOLD
        self._overused = 0.0
        self._overuses = 0
        self._last_trend = 0.0

    def packet(self, sent, arrived):
        """Takes a packet into account; whether the queue grows."""
        is_overused = False
        if self._group is None or sent - self._group.begun > GROUP_LENGTH:
            if self._group:
                is_overused = self._compare(self._group)
            self._group = PacketGroup(sent, arrived)
        else:
            self._group.sent, self._group.arrived = sent, arrived
        return is_overused

    def _compare(self, group):
        previous, self._previous = self._previous, group
        if not previous:
            return False
        delta = ((group.arrived - previous.arrived) - (group.sent - previous.sent)) * 1000
        self._deltas += 1
        self._delay += delta
        self._smoothed = TREND_SMOOTHING * self._smoothed + .1 * self._delay
        self._points.append((group.arrived * 1000, self._smoothed))
        if len(self._points) < TREND_WINDOW:
            return False
        elapsed = min(100, (group.sent - previous.sent) * 1000)
        return self._detect(self._slope(), elapsed)

    def _slope(self):
        """The line of least squares through the last points."""
        mean_x = sum(x for x, _ in self._points) / TREND_WINDOW
        mean_y = sum(y for _, y in self._points) / TREND_WINDOW
        square = sum((x - mean_x) ** 2 for x, _ in self._points)
        product = sum((x - mean_x) * (y - mean_y) for x, y in self._points)
        return product / square if square else 0

    def _detect(self, trend, elapsed):
        modified = trend * min(self._deltas, MOST_DELTAS) * THRESHOLD_GAIN * self.sensitivity
        is_overused = False
        if modified > self._threshold:
            self._overused += elapsed
            self._overuses += 1
            if self._overused > OVERUSE_TIME and self._overuses > 1 and trend >= self._last_trend:
                is_overused = True
                self._overused = 0
                self._overuses = 0
        else:
            self._overused = 0
            self._overuses = 0
        self._last_trend = trend
        size = abs(modified)
        if size - self._threshold < 15:
            gain = THRESHOLD_FALLS if size < self._threshold else THRESHOLD_RISES
            self._threshold = min(600, max(6, self._threshold + gain * (size - self._threshold) * elapsed))
        return is_overused


class CongestionControl:
    """The estimate of a sender, in bits per second."""

    def __init__(self, start, highest=6e6):
        self.estimate = start
        self.detector = OveruseDetector()
        #: What the delay alone allows.
        self.delay_based = start
        #: The rate that arrived at the last overuse; `None` while the capacity is unknown.
        self.link_capacity = None
        self.last_overuse = -9
        #: When feedback came last.
        self.last_feedback = 0.0
        self._highest = highest
        self._loss_based = highest
        self._acknowledged = deque()
        self._acknowledged_bytes = 0
        self._updated = 0.0
        self._received = 0
        self._lost = 0
        self._loss_checked = 0.0

    def acknowledged_rate(self, now):
        """What arrived lately, in bits per second."""
        while self._acknowledged and self._acknowledged[0][0] < now - RATE_WINDOW:
            self._acknowledged_bytes -= self._acknowledged.popleft()[1]
        if not self._acknowledged:
            return 0
        return self._acknowledged_bytes * 8 / max(.5, now - self._acknowledged[0][0])

    def feedback(self, now, packets, lost, round_trip_time):
        """Takes feedback into account: `(sent, arrived, size)` of packets, and how many are lost."""
        is_overused = False
        for sent, arrived, size in packets:
            self._acknowledged.append((now, size))
            self._acknowledged_bytes += size
            is_overused |= self.detector.packet(sent, arrived)
        self.last_feedback = now
        rate = self.acknowledged_rate(now)
        elapsed = min(1, now - self._updated)
        self._updated = now
        if is_overused:
            self._decrease(now, rate)
        elif now - self.last_overuse > HOLDING_TIME:
            self._increase(rate, elapsed, round_trip_time)
        self._received += len(packets)
        self._lost += lost
        self._control_loss(now, rate)
        self.delay_based = min(self.delay_based, self._highest)
        self._choose()

    def _decrease(self, now, rate):
        if now - self.last_overuse > HOLDING_TIME and rate:
            lower = max(.85 * rate, .6 * self.delay_based)
            if lower < self.delay_based:
                self.delay_based = max(LEAST_ESTIMATE, lower)
                self.link_capacity = rate
            self.last_overuse = now

    def _increase(self, rate, elapsed, round_trip_time):
        if self.link_capacity and rate > 1.5 * self.link_capacity:
            self.link_capacity = None
        if self.link_capacity and self.delay_based > .9 * self.link_capacity * .85:
            # One packet (9,600 bits) in a response time.
            higher = self.delay_based + max(4000, 9600 / (round_trip_time + .1)) * elapsed
        else:
            higher = self.delay_based * 1.08 ** elapsed + 100 * elapsed
        self.delay_based = max(self.delay_based, min(higher, 1.5 * rate + 10e3))

    def _control_loss(self, now, rate):
        if now - self._loss_checked <= 1 or self._received + self._lost < 20:
            return
        loss = self._lost / (self._received + self._lost)
        self._received = self._lost = 0
        self._loss_checked = now
        if loss > .1:
            falls = min(self._loss_based, self.delay_based) * (1 - .5 * loss)
            self._loss_based = max(40e3, .45 * rate, falls)
        elif loss < .02:
            self._loss_based = min(self._highest, self._loss_based * 1.08 + 1e3)

    def probe(self, now, rate):
        """A probe cluster at `rate` went through, unless there was an overuse lately."""
        if now - self.last_overuse > 4:
            self.delay_based = max(self.delay_based, min(self._highest, rate))
            self._choose()

    def without_feedback(self):
        """Nothing is acknowledged any more: the estimate falls until something is."""
        self.delay_based = max(60e3, self.delay_based * .6)
        self.estimate = min(self.estimate, self.delay_based)

    def back_off(self, now):
        """Falls once, as at an overuse that nothing else shows."""
        self.delay_based = min(self.delay_based, .85 * max(self.acknowledged_rate(now), 3e5))
        self.last_overuse = now
        self.link_capacity = None

    def _choose(self):
        self.estimate = max(LEAST_ESTIMATE, min(self.delay_based, self._loss_based))
