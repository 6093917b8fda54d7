#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""fit.py CALLS: the constants of the opinion scores that agree best with full reference, as settings for
`sightline-lab reference judge --quality-config`.

Fitted to the calls that are not held out, by the least squares of said and measured; for audio after a mapping by a
straight line, as ITU-T P.1401 does it: PESQ's scale is not the E-model's, and what unimpaired Opus is worth is
published. The formulas are those of OpinionScore.swift; how far both differ on the same calls is printed as well.
What is missing of the audio is the product's own figure; calls that were judged before it was kept lack it.
"""
import gzip
import json
import pathlib
import sys

import numpy as np
from scipy.optimize import minimize

import report
import seconds

LARGEST = {"VP8": 127, "VP9": 255, "AV1": 255, "H264": 51, "H265": 51}
BEST_RATING = 93.2
DEFAULTS = {
    "audio": {"worstConcealment": 89.2, "concealmentRobustness": 9.8},
    "video": {"quantizerFactor": 1, "quantizerGrowth": 2, "upscalingFactor": 72.61, "upscalingGrowth": 0.32,
              "frameRateFactor": 48, "frozenExponent": 1},
}


def entries(record):
    """The received streams of a report, by kind, and its codecs."""
    stats = record["stats"].values() if isinstance(record["stats"], dict) else record["stats"]
    found = {entry["kind"]: entry for entry in stats if entry["type"] == "inbound-rtp"}
    return found, {entry["id"]: entry["mimeType"].split("/")[1] for entry in stats if entry["type"] == "codec"}


class Ticks:
    """What the formula of video takes of each report, followed from one to the next."""

    def __init__(self):
        self.last, self.said, self.last_frames = None, 0.0, None

    def handle(self, record):
        """A dictionary for the tick that a report ends; None for the first."""
        now, codecs = entries(record)
        last, self.last = self.last, now
        if last is None or set(last) != set(now) or "video" not in now:
            return None
        rise = {name: value - last["video"].get(name, 0) for name, value in now["video"].items()
                if isinstance(value, (int, float))}
        interval = rise["timestamp"] / 1000
        return self.video(rise, now["video"], codecs, record, interval) if interval > 0 else None

    def video(self, rise, entry, codecs, record, interval):
        frames = rise.get("framesDecoded", 0)
        if frames > 0:
            frozen = min(max(0, rise.get("totalFreezesDuration", 0) - self.said) / interval, 1)
            self.said, self.last_frames = 0, entry["timestamp"]
        else:
            overdue = (entry["timestamp"] - (self.last_frames or entry["timestamp"])) / 1000
            frozen = min(overdue, interval) / interval
            self.said += frozen * interval
        largest = LARGEST.get(codecs.get(entry.get("codecId")))
        quantizer = rise["qpSum"] / frames / largest if frames > 0 and largest and "qpSum" in rise else np.nan
        wanted = (record.get("remote") or {}).get("leg", {}).get("value", {}).get("wantedLayer", {}).get("size")
        pixels = entry.get("frameWidth", 1) * entry.get("frameHeight", 1)
        scale = max(1, wanted["width"] * wanted["height"] / pixels) if wanted else 1
        rate = frames / interval / (1 - frozen) if frozen < 1 else np.nan
        return {"frozen_share": frozen, "quantizer": quantizer, "scale": scale, "rate": rate}


def audio_score(rules, delay, missing, burst):
    """OpinionScore.audio of arrays; the delay in ms."""
    by_delay = 0.024 * delay + 0.11 * np.maximum(0, delay - 177.3)
    percent = 100 * missing
    by_loss = rules["worstConcealment"] * percent / (percent / burst + rules["concealmentRobustness"])
    rating = np.clip(BEST_RATING - by_delay - by_loss, 0, 100)
    return np.clip(1 + 0.035 * rating + 7e-6 * rating * (rating - 60) * (100 - rating), 1, 4.5)


def video_score(rules, frozen, quantizer, scale, rate):
    """OpinionScore.video of arrays, where the quantization is known."""
    growth = rules["quantizerGrowth"]
    coding = 100 * rules["quantizerFactor"] * np.expm1(growth * quantizer) / np.expm1(growth)
    scaling = np.maximum(0, rules["upscalingFactor"] * np.log10(rules["upscalingGrowth"] * (scale - 1) + 1))
    missing = np.maximum(0, 1 - rate / 24)
    steps = rules["frameRateFactor"] * missing / (1 + rate / 64.65)
    quality = np.maximum(0, 100 - coding - scaling - steps) / 100
    score = np.clip(1 + 4 * quality * (1 - frozen) ** rules["frozenExponent"], 1, 5)
    return np.where(frozen >= 1, 1, score)


def ticks_of(calls):
    """The rows of all calls with what the formulas take of them."""
    result = []
    for path in sorted(calls.glob("*/measured.json")):
        said = json.loads((path.parent / "said.json").read_text())
        ticks, by_time = Ticks(), {}
        with gzip.open(calls / f"{path.parent.name}.jsonl.gz", "rt") as file:
            for record in map(json.loads, file):
                if record.get("pc") == "bob":
                    by_time[record["time"]] = ticks.handle(record)
        for row in seconds.of_call(said, json.loads(path.read_text())):
            nearest = min(by_time, key=lambda time: abs(time - said["began"] - 1000 * row["second"] - 500))
            if by_time[nearest]:
                result.append(row | by_time[nearest])
    return result


def windows(rows, scores):
    """One score for each window of audio, call by call."""
    calls = np.array([f"{row['kind']}-{row['seed']}" for row in rows])
    times = seconds.column(rows, "second")
    near = (calls[:, None] == calls[None, :]) & (np.abs(times[:, None] - times[None, :]) <= seconds.WINDOW / 2)
    known = near & ~np.isnan(scores)[None, :]
    with np.errstate(all="ignore"):
        lacking = np.where(known, (seconds.BEST - np.nan_to_num(scores)[None, :]) ** 2, 0).sum(1) / known.sum(1)
    return seconds.BEST - np.sqrt(lacking)


def said_by(rules, medium, rows):
    """The scores of a medium by other constants."""
    column = lambda name: seconds.column(rows, name)
    if medium == "video":
        return video_score(rules, column("frozen_share"), column("quantizer"), column("scale"), column("rate"))
    delay = 1000 * (column("roundTripTime") / 2 + np.nan_to_num(column("jitterBufferDelay")) + 0.02)
    scores = audio_score(rules, delay, column("missing"), column("burstRatio"))
    return windows(rows, np.where(np.isnan(column("audioMOS")), np.nan, scores))


def fitted(medium, rows):
    """Constants of least squares, from the defaults on."""
    names = list(DEFAULTS[medium.name])
    start = np.log([DEFAULTS[medium.name][name] for name in names])
    measured = medium.columns(rows)[1]

    def error(logs):
        said = said_by(dict(zip(names, np.exp(logs))), medium.name, rows)
        known = ~np.isnan(said + measured)
        said, wanted = said[known], measured[known]
        if medium.name == "audio":
            said = np.polyval(np.polyfit(said, wanted, 1), said)
        # Nothing but what the data ask for is moved.
        return np.mean((said - wanted) ** 2) + 0.002 * np.mean((logs - start) ** 2)

    found = minimize(error, start, method="Nelder-Mead", options={"maxiter": 4000, "maxfev": 4000, "adaptive": True})
    return {name: float(f"{np.exp(value):.3g}") for name, value in zip(names, found.x)}


def main():
    rows = ticks_of(pathlib.Path(sys.argv[1]))
    parts = {"fitted": report.fitted(rows), "held out": report.held_out(rows)}
    settings = {}
    for medium in report.MEDIA:
        said = said_by(DEFAULTS[medium.name], medium.name, rows)
        differs = np.abs(said - medium.columns(rows)[0])
        print(f"{medium.name}: differs from the product's by {np.nanmedian(differs):.3f} (median), {np.nanquantile(differs, 0.95):.3f} (95 %)")
        rules = fitted(medium, parts["fitted"])
        settings |= rules
        for name, part in parts.items():
            for words, constants in (("as it is", DEFAULTS[medium.name]), ("fitted", rules)):
                found = report.agreement(said_by(constants, medium.name, part), medium.columns(part)[1])
                print(f"  {name}, {words}: " + ", ".join(f"{key} {value:.3f}" for key, value in found.items() if value is not None))
    print(json.dumps({"opinionScore": settings}))


if __name__ == "__main__":
    main()
