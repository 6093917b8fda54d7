# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""The sending half of a transport in the calls of `guest.py`: congestion control, pacer, and probes."""
from collections import deque
from guest_network import route


class CongestionControl:
    """Estimates what the path carries: a trend of delays with additive and multiplicative steps, a rule of losses, and probes.

    It is simpler than those of engines, and falls lower when a path stalls than newer ones do.
    """

    def __init__(self, start=300e3, highest=8e6, lowest=40e3):
        self.estimate = self.by_delay = self.by_loss = start
        self.highest, self.lowest = highest, lowest
        self.received_rate = start
        self.acknowledged = deque()  # (arrival, size) of the last half second
        self.acknowledged_bytes = 0
        self.gaps = deque()  # (end, seconds) of pauses within it
        self.previous_group = None
        self.summed_delay = self.smoothed_delay = 0.0
        self.delays = deque(maxlen=20)
        self.delay_count = 0
        self.threshold = 12.5
        self.overuses = 0
        self.previous_slope = 0.0
        self.state = 'increase'
        self.last_feedback = 0.0
        self.last_decrease = -9
        self.link_rate = None
        self.loss = 0
        self.counted = self.counted_lost = 0
        self.counted_since = 0.0

    def feedback(self, now, items, round_trip):
        """Takes the (departure, size, arrival or None) of packets of which the receiver has reported."""
        lost, groups = self.arrivals(items)
        if self.acknowledged:
            self.measure()
        signal = 'normal'
        for sent, arrived in groups:
            if self.previous_group:
                signal = self.trend(sent, arrived, signal)
            self.previous_group = (sent, arrived)
        self.follow_delay(now, signal, round_trip)
        self.follow_loss(now, len(items), lost)
        self.by_loss = min(self.by_loss, self.highest * 1.1)
        self.by_delay = min(self.highest, self.by_delay)
        self.estimate = max(self.lowest, min(self.by_delay, self.by_loss, self.highest))

    def arrivals(self, items):
        """How many were lost, and the others in groups that were sent together."""
        lost = 0
        group = None
        groups = []
        for sent, size, arrived in items:
            if arrived is None:
                lost += 1
                continue
            if self.acknowledged and arrived - self.acknowledged[-1][0] > .12:
                self.gaps.append((arrived, arrived - self.acknowledged[-1][0] - .02))
            self.acknowledged.append((arrived, size))
            self.acknowledged_bytes += size
            if group and sent - group[0] < .006:
                group[1] = arrived
            else:
                group = [sent, arrived]
                groups.append(group)
        return lost, groups

    def measure(self):
        """The rate that arrives, without pauses."""
        end = self.acknowledged[-1][0]
        while len(self.acknowledged) > 2 and self.acknowledged[0][0] < end - .5:
            self.acknowledged_bytes -= self.acknowledged.popleft()[1]
        while self.gaps and self.gaps[0][0] <= self.acknowledged[0][0]:
            self.gaps.popleft()
        span = end - self.acknowledged[0][0]
        effective = span - sum(gap for _, gap in self.gaps)
        if span > .15:
            self.received_rate = self.acknowledged_bytes * 8 / max(effective, .3)

    def trend(self, sent, arrived, signal):
        """What the signal is after one more group: `over`, `under` or as it was."""
        gradient = ((arrived - self.previous_group[1]) - (sent - self.previous_group[0])) * 1000
        self.delay_count = min(self.delay_count + 1, 60)
        self.summed_delay += gradient
        self.smoothed_delay = .9 * self.smoothed_delay + .1 * self.summed_delay
        self.delays.append((arrived * 1000, self.smoothed_delay))
        if len(self.delays) < 10:
            return signal
        slope = self.slope()
        trend = slope * self.delay_count * 4
        if trend > self.threshold:
            self.overuses += 1
            if self.overuses > 1 and slope >= self.previous_slope:
                signal = 'over'
        else:
            self.overuses = 0
            if trend < -self.threshold:
                signal = 'under'
        self.previous_slope = slope
        self.adapt_threshold(abs(trend), min(100, (arrived - self.previous_group[1]) * 1000))
        return signal

    def slope(self):
        """Of the line through the newest delays."""
        count = len(self.delays)
        mean_time = mean_delay = 0.0
        for time, delay in self.delays:
            mean_time += time
            mean_delay += delay
        mean_time /= count
        mean_delay /= count
        covariance = variance = 0.0
        for time, delay in self.delays:
            time -= mean_time
            covariance += time * (delay - mean_delay)
            variance += time * time
        return covariance / variance if variance else 0

    def adapt_threshold(self, trend, milliseconds):
        if trend < self.threshold + 15:
            gain = .0087 if trend > self.threshold else .00018 * 40
            self.threshold += gain * (trend - self.threshold) * milliseconds
            self.threshold = min(600, max(6, self.threshold))

    def follow_delay(self, now, signal, round_trip):
        """Less when delays grow; more, multiplied or added, when they do not."""
        seconds = min(1, now - self.last_feedback) if self.last_feedback else .1
        self.last_feedback = now
        if signal == 'normal':
            self.state = 'increase'
            if self.by_delay < 1.5 * self.received_rate + 10e3:
                if self.link_rate and self.received_rate < 1.3 * self.link_rate and now - self.last_decrease < 20:
                    self.by_delay += max(4e3, 9600 / (round_trip + .1)) * seconds
                else:
                    self.by_delay *= 1 + .08 * seconds
        else:
            self.state = 'hold'
            if signal == 'over' and now - self.last_decrease > max(.2, round_trip):
                self.decrease(now)
        if self.link_rate and self.received_rate > 1.5 * self.link_rate:
            self.link_rate = None

    def decrease(self, now):
        if self.received_rate < self.by_delay * 1.05:
            self.by_delay = max(self.lowest, .85 * self.received_rate)
            self.link_rate = self.received_rate
        elif now - self.last_decrease > .5:
            self.by_delay *= .9
        self.last_decrease = now

    def follow_loss(self, now, count, lost):
        """Less at more than a tenth lost, more at less than 3 %."""
        self.counted += count
        self.counted_lost += lost
        if self.counted < 20 or now - self.counted_since < .5:
            return
        share = self.counted_lost / self.counted
        self.loss = .65 * self.loss + .35 * share
        seconds = now - self.counted_since
        self.counted = self.counted_lost = 0
        self.counted_since = now
        share = max(self.loss, share) if share > .25 else self.loss
        if share > .1:
            self.by_loss = min(self.by_loss, max(self.lowest, min(self.by_loss, self.by_delay) * (1 - .4 * share), .8 * self.received_rate))
        elif share < .03:
            self.by_loss = max(self.by_loss, self.estimate) * (1 + .12 * seconds)

    def probed(self, sent, received):
        """Takes the rates of a probe; whether the next may be tried."""
        rate = min(sent, received) if received > .9 * sent else .9 * received
        if rate > self.estimate and self.loss < .08:
            self.by_delay = min(self.highest, rate)
            self.by_loss = max(self.by_loss, self.by_delay)
            self.estimate = min(self.highest, self.by_delay)
            self.link_rate = None
        return received > .75 * sent


class Transport:
    """What one end sends: audio at once, video by a pacer, repairs first; `needed` says how much there would be to send."""

    def __init__(self, simulation, path, return_path, start=300e3, highest=8e6, needed=lambda: 2e6):
        self.simulation, self.path, self.return_path, self.needed = simulation, path, return_path, needed
        self.congestion = CongestionControl(start, highest)
        self.audio, self.video, self.repairs = deque(), deque(), deque()
        self.queued_bytes = 0
        self.budget = 0
        self.unreported = deque()
        self.bytes = self.packets = 0
        self.receiver = None
        self.next_probe = .05
        self.probes_left = 3
        self.is_alive = True
        self.one_way_delay = .03
        self.round_trip = .06
        self.last_feedback = 0.0
        self.feedback_bytes = 0
        simulation.ticks.append(self.tick)

    def purge(self, stream=None):
        """Discards the queued video, of one stream or of all; the first sequence number and frame of what is gone, if anything is."""
        gone = [packet for packet, _ in self.video if not stream or packet.stream is stream]
        self.video = deque(item for item in self.video if stream and item[0].stream is not stream)
        self.repairs = deque(item for item in self.repairs if stream and item[0].stream is not stream)
        self.queued_bytes = sum(packet.size for packet, _ in self.video) + sum(packet.size for packet, _ in self.repairs)
        return (min(packet.sequence for packet in gone), min(packet.frame for packet in gone)) if gone else None

    def resume(self):
        """Begins again after the path was gone."""
        self.audio.clear()
        self.purge()
        self.unreported.clear()
        self.probes_left = 3
        self.next_probe = self.simulation.now + .3
        self.congestion = CongestionControl(min(self.congestion.estimate, 300e3), self.congestion.highest, self.congestion.lowest)

    def put(self, packet, is_video):
        if is_video:
            (self.repairs if packet.is_repair else self.video).append((packet, self.simulation.now))
            self.queued_bytes += packet.size
        else:
            self.audio.append((packet, self.simulation.now))

    def queue_delay(self):
        return self.queued_bytes * 8 / max(self.congestion.estimate, 3e4)

    def send(self, packet, now, queued):
        """Puts a packet on the path."""
        size = packet.size + 32
        stream = packet.stream
        self.bytes += size
        self.packets += 1
        stream.count_sent(packet, now - queued)
        if stream.drop and stream.drop(packet, now):
            if stream.is_dropped_behind_path:
                self.receiver.padding(size)
            return
        arrival = route(self.path, now, size)
        self.unreported.append((now, size, arrival))
        if arrival is not None:
            self.one_way_delay = arrival - now
            self.simulation.at(arrival, self.receiver.packet, packet)

    def tick(self, now, step):
        if not self.is_alive:
            return
        while self.audio:
            packet, queued = self.audio.popleft()
            self.send(packet, now, queued)
        self.budget = min(self.budget, 0) + max(self.congestion.estimate * 2.5, self.queued_bytes * 8 / 1.5, 1e5) * .01 / 8
        while self.budget > 0 and (self.repairs or self.video):
            packet, queued = (self.repairs or self.video).popleft()
            self.queued_bytes -= packet.size
            self.budget -= packet.size + 32
            self.send(packet, now, queued)
        if step % 10 == 0:
            self.report(now)
        if now >= self.next_probe:
            self.probe(now)

    def report(self, now):
        """The receiver's feedback of what has come by now, unless it is lost."""
        back = route(self.return_path, now, 60)
        if back is None:
            return
        self.receiver.bytes_sent += 60
        items = []
        kept = deque()
        for item in self.unreported:
            sent, _, arrival = item
            is_known = sent < now - self.one_way_delay - .02 if arrival is None else arrival <= now
            (items if is_known else kept).append(item)
        self.unreported = kept
        if items:
            self.simulation.at(back, self.got_feedback, items, back - now)

    def got_feedback(self, items, return_delay):
        delays = [arrival - sent for sent, _, arrival in items if arrival]
        self.last_feedback = self.simulation.now
        if delays:
            self.round_trip = sum(delays) / len(delays) + return_delay
        self.congestion.feedback(self.simulation.now, items, self.round_trip)

    def probe(self, now):
        """Sends a group of packets at a multiple of the estimate, where more is needed and nothing speaks against it."""
        congestion = self.congestion
        needed = self.needed()
        self.next_probe = now + 5
        if self.probes_left <= 0:
            since = now - congestion.last_decrease
            if congestion.estimate > needed * 1.3 or congestion.state != 'increase' or since < 4 or congestion.loss > .05:
                return
            if congestion.received_rate > .85 * congestion.estimate and since < 12:
                return
        factor = 3 if self.probes_left == 3 else 2
        self.probes_left -= 1
        rate = min(congestion.estimate * factor, congestion.highest, max(needed * 2, 3e5))
        count = max(6, int(rate * .02 / 8 / 1100))
        size = int(min(1100, rate * .02 / 8 / count))
        arrivals = self.send_probe(now, count, size, size * 8 / rate)
        if len(arrivals) > .7 * count and len(arrivals) > 3:
            received = (len(arrivals) - 1) * size * 8 / max(1e-4, arrivals[-1] - arrivals[0])
            self.simulation.at(arrivals[-1] + .05, self.probe_ended, rate, received)

    def send_probe(self, now, count, size, gap):
        arrivals = []
        for index in range(count):
            arrival = route(self.path, now + index * gap, size)
            self.bytes += size
            self.packets += 1
            if arrival:
                arrivals.append(arrival)
                self.receiver.padding(size)
        return arrivals

    def probe_ended(self, rate, received):
        if not self.congestion.probed(rate, received):
            self.probes_left = 0
        elif self.probes_left > 0 or self.congestion.estimate < self.needed():
            self.next_probe = self.simulation.now + .1
            self.probes_left = max(self.probes_left, 1)
