#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""before.py TABLE RESULT: the same seconds as the first formulas scored them, from the same figures.

Those were the E-model's linear approximation of concealment for audio, and bits per pixel for video, whose encoder had
to be known to be limited or not.
"""
import math
import sys

import numpy as np

import seconds

LIMITED = ("bandwidth", "cpu")
# The publisher's diagnoses with which an encoder is limited.
LIMITING = ("packetLoss", "bandwidth", "jitter", "connection", "cpu", "recovering")


def audio(round_trip, buffered, concealed):
    """The score of audio."""
    delay = 1000 * (round_trip / 2 + buffered + 0.02)
    rating = 93.2 - 0.024 * delay - 0.11 * max(0, delay - 177.3) - 19.8 * math.log(1 + 29.7 * concealed)
    rating = min(max(rating, 0), 100)
    return min(max(1, 1 + 0.035 * rating + 7e-6 * rating * (rating - 60) * (100 - rating)), 4.5)


def sufficient(pixels):
    """The rate from which on a size does not get better, in bps."""
    return 10 ** (2.069924867 * math.log10(pixels) ** 0.6250223771)


def video(row, frozen):
    """The score of video; None where the first formula had none."""
    limited = is_limited(row)
    if row["width"] is None or row["videoBitrate"] is None or limited is None:
        return None
    pixels = row["width"] * row["height"]
    wanted = (row["wantedHeight"] or 0) ** 2 * 16 / 9
    rate = min(row["videoBitrate"], sufficient(pixels)) if limited else sufficient(pixels)
    score = 1 + 4 * math.log(max(rate, 30_000) / 30_000) / math.log(sufficient(max(pixels, wanted)) / 30_000)
    return min(max(1, score * (1 - min(frozen, 1))), 5)


def is_limited(row):
    """Whether the publisher's encoder was limited; None if that is not known."""
    if row["limitation"] is not None:
        return row["limitation"] in LIMITED
    return row["publisherCause"] in LIMITING if row["publisherCause"] not in (None, "unknown") else None


def of_call(rows):
    """The rows of one call, scored by the first formulas."""
    result, last = [], None
    for row in rows:
        row = dict(row)
        known = None not in (row["roundTripTime"], row["jitterBufferDelay"], row["concealment"])
        sent = known and (row["audioBitrate"] or 0) > 0
        row["audioMOS"] = audio(row["roundTripTime"], row["jitterBufferDelay"], row["concealment"]) if sent else None
        frozen = 0 if last is None or row["frozen"] is None else ((row["frozen"] or 0) - (last["frozen"] or 0)) / 1000
        row["videoMOS"] = video(row, 1 if (row["frameRate"] or 0) == 0 else frozen)
        result.append(row)
        last = row
    middles, scores = seconds.column(result, "second"), seconds.column(result, "audioMOS")
    for row, middle in zip(result, middles):
        row["heardMOS"] = seconds.pooled(scores[np.abs(middles - middle) <= seconds.WINDOW / 2])
    return result


def of_calls(rows):
    """All rows, call by call."""
    calls = dict.fromkeys((row["kind"], row["seed"]) for row in rows)
    return [row for kind, seed in calls for row in of_call([row for row in rows if (row["kind"], row["seed"]) == (kind, seed)])]


if __name__ == "__main__":
    seconds.write(of_calls(seconds.read(sys.argv[1])), sys.argv[2])
