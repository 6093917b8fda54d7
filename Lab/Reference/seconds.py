# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What was said of each second of the calls, beside what was measured of it."""
import csv
import json

import numpy as np

# As in ReferenceCalls.swift.
LEAD, BAD, GOOD, ISSUES = 6.0, 7.0, 3.0, 4
HELD_OUT = (311, 312)
# Length of what audio is measured over, in seconds; P.862 asks for several.
WINDOW = 5.0
# The best score of audio.
BEST = 4.5
FIGURES = ["audioMOS", "videoMOS", "concealment", "missing", "burstRatio", "audioLoss", "jitterBufferDelay",
           "roundTripTime", "audioBitrate", "videoBitrate", "width", "height", "frameRate", "frozen",
           "wantedHeight"]
WORDS = ["severity", "cause", "limitation", "publisherCause"]
MEASURES = ["vmaf", "psnr", "ssim", "pesq", "stoi", "similarity"]
COLUMNS = ["kind", "seed", "second", "impaired", *WORDS, *FIGURES, "heardMOS", *MEASURES]


def is_impaired(kind, second):
    """Whether the call's schedule has something wrong in a second after its beginning."""
    since = second - LEAD
    return kind != "clean" and 0 <= since < ISSUES * (BAD + GOOD) and since % (BAD + GOOD) < BAD


def of_call(said, measured):
    """A row for each second of a call."""
    video, heard = arrays(measured["video"]), arrays(measured["audio"])
    ticks = [second["time"] / 1000 for second in said["seconds"]]
    middles = np.array([(a + b) / 2 for a, b in zip(ticks, ticks[1:])])
    scores = np.array([second.get("audioMOS") or np.nan for second in said["seconds"][1:]])
    rows = []
    for index, second in enumerate(said["seconds"][1:]):
        inside = (video["time"] > ticks[index]) & (video["time"] <= ticks[index + 1])
        since = middles[index] - said["began"] / 1000
        if since < 0 or not inside.any():
            continue
        window = np.abs(middles - middles[index]) <= WINDOW / 2
        row = {"kind": said["kind"], "seed": said["seed"], "second": round(float(since), 2),
               "impaired": int(is_impaired(said["kind"], since))}
        row |= {name: second.get(name) for name in WORDS + FIGURES}
        row["heardMOS"] = pooled(scores[window])
        row |= {name: mean(video[name][inside]) for name in MEASURES[:3]}
        row |= {name: at(heard, name, middles[index]) for name in MEASURES[3:]}
        rows.append(row)
    return rows


def arrays(columns):
    """Lists of JSON as arrays; null is NaN."""
    return {name: np.array(values, float) for name, values in columns.items() if isinstance(values, list)}


def mean(values):
    """The mean of the numbers; None without any."""
    values = values[~np.isnan(values)]
    return round(float(np.mean(values)), 4) if len(values) else None


def pooled(scores):
    """One score of audio for several: as P.862 does it over time, by the root of the mean square of what they lack.

    A second without audio among good ones is worse than their mean.
    """
    scores = scores[~np.isnan(scores)]
    return round(float(BEST - np.sqrt(np.mean((BEST - scores) ** 2))), 4) if len(scores) else None


def at(columns, name, time):
    """The measure whose window has this middle; None in calls that were measured without it."""
    if name not in columns:
        return None
    near = np.argmin(np.abs(columns["time"] - time))
    value = columns[name][near]
    return round(float(value), 4) if abs(columns["time"][near] - time) <= 0.5 and not np.isnan(value) else None


def of_calls(folder, said_name="said.json"):
    """The rows of all calls in a folder."""
    rows = []
    for path in sorted(folder.glob("*/measured.json")):
        rows += of_call(json.loads((path.parent / said_name).read_text()), json.loads(path.read_text()))
    return rows


def write(rows, path):
    """As CSV."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            # A table of before has fewer columns.
            writer.writerow({name: short(row.get(name)) for name in COLUMNS})


def short(value):
    """A number with four significant places."""
    return f"{value:.4g}" if isinstance(value, float) and abs(value) < 1e4 else f"{value:.0f}" if isinstance(value, float) else value


def read(path):
    """Rows of CSV; what is empty is None."""
    with open(path) as file:
        return [{name: parsed(name, text) for name, text in row.items()} for row in csv.DictReader(file)]


def parsed(name, text):
    """A number where the column has numbers."""
    if text == "":
        return None
    return text if name in ("kind", *WORDS) else float(text)


def column(rows, name):
    """A column as numbers, NaN where there is none."""
    return np.array([np.nan if row[name] is None else float(row[name]) for row in rows])
