# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What every RTP stream has: the counters of both of its ends (RFC 3550, sections 6.4 and A.3)."""
from typing import NamedTuple


class SenderReport(NamedTuple):
    """What the newest RTCP sender report says, and when it was sent and came. Seconds."""
    sent: float
    received: float
    packets: int
    bytes: int


class ReceiverReport(NamedTuple):
    """What the newest RTCP report block says, and when it reached the sender. Seconds."""
    received: float
    lost: int
    fraction_lost: float
    jitter: float
    round_trip_time: float


class Stream:
    """A stream with both of its ends. Which of their counters a call shows depends on whose view it is."""
    kind = ''
    #: Bytes of RTP header and extensions.
    header = 0

    def __init__(self, flow, ssrc, mid):
        self.flow, self.ssrc, self.mid = flow, ssrc, mid
        self.rid = None
        #: Whether the call has it.
        self.is_present = True
        #: How often the track of its sender was replaced.
        self.generation = 0
        #: Whether its receiver reports it before its first packet came.
        self.is_announced = False
        #: Probability that a packet is lost before it reaches the server that forwards it.
        self.upstream_loss = 0.0

        self.next_sequence = 0
        self.packets_sent = self.bytes_sent = self.header_bytes_sent = 0
        self.retransmitted_packets_sent = self.retransmitted_bytes_sent = 0
        self.nacks = 0
        self.receiver_report = None
        self.receiver_reports = 0
        self.total_round_trip_time = 0.0
        self.sender_report = None
        self.sender_reports = 0

        self.packets_received = self.bytes_received = self.header_bytes_received = 0
        self.retransmitted_packets_received = self.retransmitted_bytes_received = 0
        self.first_sequence = None
        self.highest_sequence = -1
        self.last_arrival = None
        self.jitter = 0.0
        self._transit = None
        self._media_time = None
        self._reported = (0, 0)

    @property
    def source(self):
        """The number of its media source, which is another one once the track was replaced."""
        return f"{self.mid}{self.generation or ''}"

    @property
    def expected(self):
        """How many packets the sequence numbers promise (RFC 3550, A.3)."""
        return self.highest_sequence - self.first_sequence + 1

    @property
    def lost(self):
        """How many of them have not come."""
        return 0 if self.first_sequence is None else self.expected - self.packets_received

    def count_sent(self, payload, is_retransmission):
        """Counts a packet that is sent."""
        self.packets_sent += 1
        self.bytes_sent += payload
        self.header_bytes_sent += self.header
        if is_retransmission:
            self.retransmitted_packets_sent += 1
            self.retransmitted_bytes_sent += payload

    def count_received(self, time, payload, sequence, media_time):
        """Counts a packet that came; `sequence` is `None` for a retransmission, which counts its own."""
        self.bytes_received += payload
        self.header_bytes_received += self.header
        if sequence is None:
            self.retransmitted_packets_received += 1
            self.retransmitted_bytes_received += payload
            return
        self.packets_received += 1
        if self.first_sequence is None:
            self.first_sequence = sequence
        self.highest_sequence = max(self.highest_sequence, sequence)
        self._count_jitter(time, media_time)

    def _count_jitter(self, time, media_time):
        """Interarrival jitter (RFC 3550, A.8); of video, only the first packet of a frame counts."""
        transit = time - media_time
        if self._transit is not None and (self.kind == 'audio' or media_time != self._media_time):
            self.jitter += (abs(transit - self._transit) - self.jitter) / 16
        self._transit = transit
        self._media_time = media_time

    def take_fraction_lost(self):
        """The share that was lost since it was asked last (RFC 3550, A.3)."""
        lost, expected = self.lost, self.expected
        lost_before, expected_before = self._reported
        self._reported = (lost, expected)
        if expected <= expected_before:
            return 0.0
        return max(0, (lost - lost_before) / (expected - expected_before))

    def receive_sender_report(self, report):
        """A sender report reaches the receiver."""
        self.sender_report = report
        self.sender_reports += 1

    def receive_report(self, now, lost, fraction_lost, jitter, round_trip_time):
        """A report block reaches the sender."""
        self.receiver_reports += 1
        self.total_round_trip_time += round_trip_time
        self.receiver_report = ReceiverReport(now, lost, fraction_lost, jitter, round_trip_time)
