#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""report.py CALLS PAGE [--note TEXT]...: how far the product's scores agree with full reference.

CALLS is the folder of the calls with what was measured (measure.py) and said (sightline-lab reference judge) of them.
Or it is a table that this wrote before: Reference/seconds.csv, beside the page, where the plots go as well.
"""
import argparse
import pathlib

import numpy as np
from scipy.stats import spearmanr

import before
import plot
import seconds

KINDS = ["clean", "random-loss", "burst-loss", "rate-cap", "jitter", "outage", "sender"]
SEVERITIES = {"none": 0, "noticeable": 1, "disturbing": 2, "bad": 3, "unusable": 4}
FEWEST = 3


def agreement(said, measured):
    """How far two columns agree where both are known; no figures of fewer than three pairs."""
    known = ~np.isnan(said) & ~np.isnan(measured)
    x, y = said[known], measured[known]
    found = {"count": int(known.sum()), "spearman": None, "pearson": None, "bias": None, "rmse": None}
    if len(x) >= FEWEST:
        found["bias"], found["rmse"] = float(np.mean(x - y)), float(np.sqrt(np.mean((x - y) ** 2)))
        if np.ptp(x) > 0 and np.ptp(y) > 0:
            found["spearman"], found["pearson"] = float(spearmanr(x, y)[0]), float(np.corrcoef(x, y)[0, 1])
    return found


class Medium:
    """What is said of a medium, and what it is held against on the same scale of 1 to 5."""

    def __init__(self, name, said, measure, scale):
        self.name, self.said, self.measure, self.scale = name, said, measure, scale

    def columns(self, rows):
        return seconds.column(rows, self.said), self.scale(seconds.column(rows, self.measure))

    def agreement(self, rows):
        return agreement(*self.columns(rows))


MEDIA = [
    Medium("video", "videoMOS", "vmaf", lambda vmaf: 1 + 4 * vmaf / 100),
    Medium("audio", "heardMOS", "pesq", lambda pesq: pesq),
]


def severity(rows):
    """Severities as numbers, worse is less, and the worse of both media."""
    said = np.array([-float(SEVERITIES.get(row["severity"], np.nan)) for row in rows])
    columns = [medium.columns(rows)[1] for medium in MEDIA]
    # Each medium is as good as it gets at another figure: shares of that.
    return said, np.minimum(*[(column - 1) / (np.nanquantile(column, 0.95) - 1) for column in columns])


def held_out(rows):
    return [row for row in rows if row["seed"] in seconds.HELD_OUT]


def fitted(rows):
    return [row for row in rows if row["seed"] not in seconds.HELD_OUT]


def impaired(rows):
    return [row for row in rows if row["impaired"]]


def number(value, sign=False):
    return "–" if value is None else f"{value:+.2f}" if sign else f"{value:.2f}"


def line(name, found, before):
    """A line of the table of a medium."""
    cells = [name, str(found["count"]), number(found["spearman"]), number(found["pearson"]), number(found["bias"], True),
             number(found["rmse"])]
    if before:
        cells += [number(before["spearman"]), number(before["bias"], True), number(before["rmse"])]
    return "| " + " | ".join(cells) + " |"


def table(medium, rows, old):
    """A medium's agreement by kind of issue."""
    head = ["", "seconds", "Spearman", "Pearson", "said − measured", "RMSE"]
    head += ["Spearman before", "said − measured before", "RMSE before"] if old else []
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    parts = [("**all**", lambda part: part), ("**impaired**", impaired)]
    parts += [(kind, lambda part, kind=kind: [row for row in part if row["kind"] == kind]) for kind in KINDS]
    for name, choose in parts:
        lines.append(line(name, medium.agreement(choose(rows)), medium.agreement(choose(old)) if old else None))
    return lines


def coverage(medium, rows):
    """The share of measured seconds that have a score."""
    said, measured = medium.columns(rows)
    known = ~np.isnan(measured)
    return 100 * float(np.mean(~np.isnan(said[known]))) if known.any() else 0


def counts(medium, rows):
    """Impaired seconds with measure and score, and kinds among them."""
    part = [row for row, said, measured in zip(rows, *medium.columns(rows)) if row["impaired"] and not np.isnan(said + measured)]
    return len(part), len({row["kind"] for row in part})


def page(rows, old, notes, plots):
    """The whole page."""
    lines = ["# Scores held against full reference", "", *INTRODUCTION, ""]
    lines += [f"- {note}" for note in notes] + ["", "## Held-out calls", ""]
    for medium in MEDIA:
        found, (count, kinds) = medium.agreement(held_out(rows)), counts(medium, rows)
        lines += [f"### {medium.name.capitalize()}", "",
                  f"{count} impaired seconds of {kinds} kinds in all calls, {counts(medium, held_out(rows))[0]} of them held out; "
                  f"{coverage(medium, held_out(rows)):.0f} % of the held-out seconds have a score.", ""]
        lines += table(medium, held_out(rows), held_out(old) if old else None)
        lines += ["", f"![{medium.name}]({plots[medium.name]})", ""]
    lines += ["### Severity", "", *severities(held_out(rows), held_out(old) if old else None), ""]
    lines += ["## Calls by which the constants were fitted", ""]
    for medium in MEDIA:
        lines += [f"### {medium.name.capitalize()}", "", *table(medium, fitted(rows), fitted(old) if old else None), ""]
    return "\n".join(lines + DEFINITIONS) + "\n"


def severities(rows, old):
    """How severities go with the worse of both media."""
    said, measured = severity(rows)
    lines = ["| severity | seconds | worse of video and audio, median | 10 % to 90 % |", "|---|---|---|---|"]
    for name, value in SEVERITIES.items():
        part = measured[(said == -value) & ~np.isnan(measured)]
        if len(part):
            low, middle, high = np.quantile(part, [0.1, 0.5, 0.9])
            lines.append(f"| {name} | {len(part)} | {100 * middle:.0f} % | {100 * low:.0f} to {100 * high:.0f} % |")
    before = f" (before: {number(agreement(*severity(old))['spearman'])})" if old else ""
    return [f"Spearman against the worse of both, each as a share of the best: {number(agreement(said, measured)['spearman'])}{before}.", "", *lines]


INTRODUCTION = """\
What the product says of each second of real calls, beside what the subscriber saw and heard, held against what was sent. Made by
`make lab-reference`; `Reference/seconds.csv` has the seconds, `Reference/` the tools.
""".splitlines()

DEFINITIONS = """\
## What is compared

- **Calls.** Server, router, a native publisher and a native subscriber at their default settings, with an emulated network each. A
  call has one kind of issue at four strengths from mild to severe, 7 s each, drawn from its seed, 3 s between them: random loss
  (2 to 30 %), burst loss (2 to 20 % in bursts of 4 to 12 packets), a rate cap (500 to 80 kbit/s), jitter (packets in groups, and stalls of
  150 to 600 ms), outages (0.4 to 4 s), all on the subscriber's downlink; and `sender`: the small layer asked for, a slow encoder, the
  publisher's uplink capped twice. *Impaired* are the seconds in which the schedule has an issue.
- **Content.** A synthetic person before a textured room, 640x360 at 30 frames a second, with a number in each frame; sentences spoken by
  six voices of espeak-ng. `Reference/content.py` makes the same bytes again.
- **Video.** VMAF (libvmaf, v0.6.1) of what is on display 30 times a second: a fresh frame against itself as it was sent, a frozen one
  against those that should have been shown. A delay that lasts longer than 1.5 s is no fault. The mean over a second, 1 + 4 VMAF / 100,
  is held against the video's MOS in the same second. Small layers are scaled up (bicubic).
- **Audio.** PESQ (P.862.2, wideband) of what was played over 5 s around each second, held against the audio's MOS in these
  seconds, pooled as P.862 pools over time (root of the mean square of what they lack). PESQ hears no delay, the product's score falls with it.
- **Said − measured** is the mean of the difference, RMSE the root of the mean of its square, both in MOS. The scales are not the same
  people's: what counts is the order (Spearman) and that no kind of issue stands apart from the others.
- Synthetic content, one codec each (VP8, Opus), one resolution, and measures that are models of people, not people.
""".splitlines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("calls", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--note", action="append", default=[])
    options = parser.parse_args()
    table = options.page.parent / "Reference" / "seconds.csv"
    if options.calls.is_dir():
        seconds.write(seconds.of_calls(options.calls), table)
    rows = seconds.read(table if options.calls.is_dir() else options.calls)
    old = before.of_calls(rows)
    plots = {}
    for medium in MEDIA:
        plots[medium.name] = f"Reference/{medium.name}.svg"
        said, measured = medium.columns(held_out(rows))
        kinds = [row["kind"] for row in held_out(rows)]
        (options.page.parent / plots[medium.name]).write_text(plot.scatter(measured, said, kinds, KINDS, medium.name))
    options.page.write_text(page(rows, old, options.note, plots))


if __name__ == "__main__":
    main()
