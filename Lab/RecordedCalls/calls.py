# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What is done to each call: the truth that a verdict is held against. Times are seconds since the call began."""
import dataclasses

# The line of alice while nothing is done to it; bob has fibre. kbit/s and ms.
LINE = {"up": {"delay": 15, "jitter": 2, "jitter_correlation_ms": 50, "rate": 5000, "queue_ms": 200},
        "down": {"delay": 15, "jitter": 2, "jitter_correlation_ms": 50, "rate": 20000, "queue_ms": 200}}
# As of a modem with a deep queue: what an upload fills.
BLOATED = {"up": {**LINE["up"], "rate": 4000, "queue_ms": 800}, "down": LINE["down"]}
# When something is done to a call as a rule, and how long one lasts.
BEGIN, END, LENGTH = 20, 50, 80
OUTAGE = 8


@dataclasses.dataclass(frozen=True)
class Call:
    """One call between alice and bob."""

    # What is done, in a sentence.
    done: str
    line: dict = dataclasses.field(default_factory=lambda: LINE)
    # Changes of alice's line: the time, the direction, and what holds from then on.
    changes: tuple = ()
    # What happens beside the call at alice's from begin to end: "upload", "compute".
    beside: str | None = None
    size: tuple = (640, 360)
    # Whether alice's camera delivers no frames from begin to end.
    freezes: bool = False
    begin: float = BEGIN
    end: float = END
    length: float = LENGTH


CALLS = {
    "clean": Call("Nothing."),
    "narrow-uplink": Call(
        "alice's uplink carries 250 kbit/s, with a queue of 400 ms.",
        changes=((BEGIN, "up", {"rate": 250, "queue_ms": 400}), (END, "up", {"rate": 5000, "queue_ms": 200}))),
    "burst-loss": Call(
        "8 % of the packets on alice's downlink are lost, in bursts of 8 on average.",
        changes=((BEGIN, "down", {"burst_loss": 8, "burst_len": 8}), (END, "down", {"burst_loss": 0}))),
    "outage": Call(
        f"alice's line is dead for {OUTAGE} s, in both directions.",
        changes=((BEGIN, "up", {"outage": OUTAGE}), (BEGIN, "down", {"outage": OUTAGE})), end=BEGIN + OUTAGE),
    # Only then does an encoder have the whole size: it starts small, and takes 20 s and more for each step up.
    "slow-processor": Call(
        "alice's browser has to share one core with four programs that compute.", beside="compute", size=(1280, 720),
        begin=60, end=100, length=130),
    "upload": Call(
        "A TCP upload at alice's fills her modem's queue of 800 ms; her uplink has 4 Mbit/s throughout.",
        line=BLOATED, beside="upload"),
    "frozen-camera": Call("alice's camera delivers no frames; its track stays live.", freezes=True),
}
