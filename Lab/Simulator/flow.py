# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Media of one sender, or of a server's leg, to one receiver over a link, and its RTCP back over another.

Packets of video leave through a pacer (libwebrtc: 2.5 times the estimate); lost ones are asked for by NACK
(RFC 4585, section 6.2.1) and sent again on an RTX stream (RFC 4588), which may take half of the estimate
(`RateLimiter` of `RTPSender`); transport-wide feedback is sent each 100 ms, sender and receiver reports
(RFC 3550) about each second of video and each 5 s of audio in libwebrtc.
"""
from congestion import CongestionControl
from stream import SenderReport

#: Rate that is set aside for each audio stream.
AUDIO_RATE = 45e3
FEEDBACK_INTERVAL = .1
VIDEO_REPORT_INTERVAL = 1.0
#: UDP, IP and the like beside a payload that is sent again, with its header.
RETRANSMISSION_OVERHEAD = 62
MOST_RETRANSMISSIONS = 9


class Flow:
    """Media over `link`, RTCP back over `back`."""

    def __init__(self, clock, random, link, back, start_bitrate, audio_report_interval):
        self.clock, self.random, self.link, self.back = clock, random, link, back
        self.congestion = CongestionControl(start_bitrate)
        self.audio, self.video = [], []
        #: When the pacer has sent what waits in it.
        self.paced_until = 0.0
        #: Whether the receiver sends transport-wide feedback.
        self.has_feedback = True
        #: Gives `(rate, streams)` their targets in place of the encoders: a server that forwards layers.
        self.forward = None
        self.packets_sent = self.bytes_sent = self.packets_received = self.bytes_received = 0
        self.rtcp_bytes = 0
        #: The estimate at each second.
        self.estimates = {}
        self._audio_report_interval = audio_report_interval
        self._arrived = []
        self._lost = 0
        self._last_sent = 0.0
        self._retransmitted_bits = 0.0
        self._retransmission_rate = 0.0
        self._retransmission_window = (0, 0)
        clock.at(FEEDBACK_INTERVAL, self._send_feedback)
        clock.at(.05, self._allocate)
        clock.at(.9, self._each_second)
        clock.at(.4, self._probe_at_start, 0)

    @property
    def streams(self):
        """Those that the call has."""
        return [stream for stream in self.audio + self.video if stream.is_present]

    def add(self, stream):
        """Adds a stream."""
        (self.audio if stream.kind == 'audio' else self.video).append(stream)
        self._plan_report(stream)
        return stream

    @property
    def demand(self):
        """The rate that all streams ask for."""
        video = sum(stream.demand for stream in self.video if stream.is_active and stream.is_present)
        return video + AUDIO_RATE * sum(1 for stream in self.audio if stream.is_present)

    # Bitrates.

    def _room(self):
        """What a probe finds."""
        return max(30e3, self.link.capacity * (.45 if self.link.other_queue else .9))

    def _probe_at_start(self, step):
        if self.video and step < 3:
            rate = (900e3, 1.8e6, 2 * self.demand)[step]
            self.congestion.probe(self.clock.now, min(self._room(), rate))
            self.clock.at(self.clock.now + .5, self._probe_at_start, step + 1)

    def _each_second(self):
        now = self.clock.now
        self.clock.at(now + 1, self._each_second)
        second, congestion = int(now), self.congestion
        self.estimates[second] = congestion.estimate
        if not self.has_feedback:
            return
        # Probes while the media do not use the estimate (libwebrtc: ALR probing).
        if (self.video and second % 5 == 0 and congestion.acknowledged_rate(now) < .7 * congestion.estimate
                and congestion.estimate < 2 * self.demand):
            congestion.probe(now, min(self._room(), 2 * self.demand))
        if self._last_sent - congestion.last_feedback > 3:
            congestion.without_feedback()

    def has_starved_layer(self, stream):
        """Whether a layer of the stream's simulcast is off for lack of bandwidth."""
        layers = [layer for layer in self.video if layer.camera is stream.camera]
        return bool(stream.rid) and any(layer.is_active and layer.target < layer.minimum for layer in layers)

    def _allocate(self):
        """Shares the estimate among the streams."""
        self.clock.at(self.clock.now + .1, self._allocate)
        self._retransmission_rate = .85 * self._retransmission_rate + .15 * self._retransmitted_bits * 10
        self._retransmitted_bits = 0.0
        estimate = self.congestion.estimate
        rest = (max(.4 * estimate, estimate - self._retransmission_rate) * .95
                - sum(AUDIO_RATE for stream in self.audio if stream.is_present and stream.is_sent))
        videos = [stream for stream in self.video if stream.is_present and stream.is_active]
        if self.forward:
            self.forward(rest, videos)
            return
        layers = [stream for stream in videos if stream.rid]
        if layers:
            self._allocate_layers(rest, layers)
        else:
            total = sum(stream.maximum for stream in videos) or 1
            for stream in videos:
                share = rest * stream.maximum / total
                stream.target = max(stream.minimum, min(stream.maximum, share))
        for stream in self.video:
            if stream not in videos:
                stream.target = 0

    def _allocate_layers(self, rest, layers):
        """Gives the smallest layers first; one that is off comes back with hysteresis."""
        for layer in sorted(layers, key=lambda layer: layer.maximum):
            least = layer.minimum * (1.15 if layer.target < layer.minimum else 1)
            layer.target = min(layer.maximum, rest) if rest >= least else 0
            rest = max(0, rest - layer.target)

    # Packets.

    def pace(self, stream, time, payload, packet):
        """Sends the packets of a frame that is encoded at `time` through the pacer."""
        rate = max(2.5 * self.congestion.estimate, 400e3)
        for _ in range(packet.packets):
            leaves = self.paced_until = max(self.paced_until, time)
            self.paced_until += (payload + 60) * 8 / rate
            stream.send_delay += leaves - packet.captured
            self.clock.at(leaves, self._leave_pacer, stream, payload, packet)

    def _leave_pacer(self, stream, payload, packet):
        self.send(stream, self.clock.now, payload, packet)

    def send(self, stream, time, payload, packet):
        """A packet leaves the host."""
        sequence = stream.next_sequence
        stream.next_sequence += 1
        self._count_sent(stream, time, payload, False)
        if stream.upstream_loss and self.random.random() < stream.upstream_loss:
            # The server never had it; it has asked its sender as well, which helps every other time.
            if stream.kind == 'video' and self.random.random() >= .5:
                self._plan_retransmission(stream, sequence, time, payload, packet, 0)
            return
        self._pass(stream, sequence, time, payload, packet, None)

    def _count_sent(self, stream, time, payload, is_retransmission):
        self._last_sent = time
        stream.count_sent(payload, is_retransmission)
        self.bytes_sent += payload + stream.header + 10
        self.packets_sent += 1

    def _pass(self, stream, sequence, time, payload, packet, retransmissions):
        """Lets a packet pass the link: for the first time (`None`) or after a number of `retransmissions`."""
        arrival = self.link.send(time, payload + stream.header)
        if arrival is not None:
            own = sequence if retransmissions is None else None
            self.clock.at(arrival, self._arrive, stream, time, arrival, payload, packet, own)
            return
        if self.has_feedback:
            self._lost += 1
        count = 0 if retransmissions is None else retransmissions + 1
        self._miss(stream, sequence, time, payload, packet, count)

    def _miss(self, stream, sequence, time, payload, packet, retransmissions):
        """A packet is lost, or may not be sent again yet: its receiver asks for it."""
        if stream.kind == 'video' and retransmissions <= MOST_RETRANSMISSIONS:
            self._plan_retransmission(stream, sequence, time, payload, packet, retransmissions)

    def _plan_retransmission(self, stream, sequence, time, payload, packet, retransmissions):
        """The next packet shows the gap, and the NACK takes its time; a second one waits longer."""
        delay = self.link.delay(time) + self.back.delay(time) + .012 + (.03 if retransmissions else 0)
        self.clock.at(time + max(.02, delay), self._retransmit, stream,
                      sequence, payload, packet, retransmissions)

    def _retransmit(self, stream, sequence, payload, packet, retransmissions):
        if not stream.is_present or stream.first_sequence is None:
            return
        now = self.clock.now
        if self.back.is_down or self.link.is_down:
            if retransmissions < MOST_RETRANSMISSIONS and packet.captured > now - 3:
                self.clock.at(now + .3, self._retransmit, stream, sequence, payload, packet, retransmissions)
            return
        stream.nacks += 1
        if self._exceeds_retransmission_limit(now, (payload + RETRANSMISSION_OVERHEAD) * 8):
            self._miss(stream, sequence, now, payload, packet, retransmissions + 1)
            return
        self._retransmitted_bits += (payload + RETRANSMISSION_OVERHEAD) * 8
        self._count_sent(stream, now, payload, True)
        self._pass(stream, sequence, now, payload, packet, retransmissions)

    def _exceeds_retransmission_limit(self, now, bits):
        window, sent = self._retransmission_window
        if window != int(now * 2):
            window, sent = int(now * 2), 0
        self._retransmission_window = (window, sent + bits)
        return sent + bits > .5 * self.congestion.estimate

    def _arrive(self, stream, sent, arrival, payload, packet, sequence):
        """A packet arrives; `sequence` is `None` for a retransmission."""
        if not stream.is_present:
            return
        self.bytes_received += payload + stream.header + 10
        self.packets_received += 1
        stream.last_arrival = arrival
        if self.has_feedback:
            self._arrived.append((sent, arrival, payload + stream.header + 38))
        stream.count_received(arrival, payload, sequence, packet.media_time)
        stream.arrive(arrival, packet)

    # RTCP.

    def _send_feedback(self):
        now = self.clock.now
        self.clock.at(now + FEEDBACK_INTERVAL, self._send_feedback)
        if self.back.is_down:
            self._arrived.clear()
            return
        packets, lost = self._arrived, self._lost
        self._arrived, self._lost = [], 0
        if packets or lost:
            self.rtcp_bytes += 60 + len(packets) * 2
        if packets:
            delay = self.back.delay(now)
            self.clock.at(now + delay, self._receive_feedback, packets, lost, .05 + delay)

    def _receive_feedback(self, packets, lost, round_trip_time):
        self.congestion.feedback(self.clock.now, packets, lost, round_trip_time)

    def _plan_report(self, stream):
        interval = VIDEO_REPORT_INTERVAL if stream.kind == 'video' else self._audio_report_interval
        self.clock.at(self.clock.now + interval * self.random.uniform(.7, 1.3), self._report, stream)

    def _report(self, stream):
        """Sender report one way, which waits in the same queue as media; receiver report the other."""
        self._plan_report(stream)
        if not stream.is_present:
            return
        now = self.clock.now
        back, forth = self.back.delay(now), self.link.delay(now)
        if not self.link.is_down:
            report = SenderReport(now, now + forth, stream.packets_sent, stream.bytes_sent)
            self.clock.at(report.received, stream.receive_sender_report, report)
        if stream.first_sequence is None or self.back.is_down:
            return
        fraction_lost = stream.take_fraction_lost()
        self.rtcp_bytes += 80
        self.clock.at(now + back, self._receive_report, stream, stream.lost, fraction_lost, stream.jitter,
                      back + forth)

    def _receive_report(self, stream, lost, fraction_lost, jitter, round_trip_time):
        stream.receive_report(self.clock.now, lost, fraction_lost, jitter, round_trip_time)
