# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What was shown, held against what should have been shown, 30 times a second."""
import csv
import json
import pathlib
import subprocess

import numpy as np

RATE = 30
# A delay that holds for this long, in seconds to both sides, is one that no one sees.
DELAY_REACH = 1.5
# A frame that was shown when it was this young may be this many frames early or late: no one sees that either.
FRESH, TOLERANCE = 1.2 / RATE, 2


def read_shown(path):
    """Times in seconds, numbers (-1 if unreadable) and sizes of the frames that were shown."""
    with open(path) as file:
        rows = list(csv.DictReader(file))
    times = np.array([float(row["time"]) for row in rows]) / 1000
    numbers = np.array([int(row["number"] or -1) for row in rows])
    sizes = [(int(row["width"]), int(row["height"])) for row in rows]
    return times, numbers, sizes


def unwrapped(times, numbers, period):
    """Frame numbers of a source that repeats after `period` frames, without the jumps back to zero.

    Unreadable numbers become those of their time.
    """
    readable = np.flatnonzero(numbers >= 0)
    first = readable[0]
    expected = numbers[first] + (times - times[first]) * RATE
    found = numbers + period * np.rint((expected - numbers) / period)
    return np.where(numbers >= 0, found, np.rint(expected)).astype(int)


def local_delays(times, numbers):
    """The delay at each frame: the median of those around it, so that a delay that lasts is none."""
    delays = times - numbers / RATE
    return np.array([np.median(delays[np.abs(times - time) <= DELAY_REACH]) for time in times])


def pairs(times, numbers):
    """Instants, and for each the frame on display and the number of the frame to compare it with.

    That is the frame's own number as long as it is fresh and about in time; else the one that should have been on
    display: a frozen frame is compared with those it stands for.
    """
    delays = local_delays(times, numbers)
    instants, shown, due = [], [], []
    # In the middle of the time for which a frame is to be on display.
    at = times[0] + 0.5 / RATE
    while at <= times[-1]:
        index = int(np.searchsorted(times, at, "right")) - 1
        nearest = index + 1 if index + 1 < len(times) and times[index + 1] - at < at - times[index] else index
        delay = delays[nearest]
        number = int(np.floor((at - delay) * RATE + 1e-6))
        fresh = at - times[index] <= FRESH and abs(numbers[index] - number) <= TOLERANCE
        instants.append(at)
        shown.append(index)
        due.append(int(numbers[index]) if fresh else number)
        at += 1 / RATE
    return np.array(instants), np.array(shown), np.array(due)


def bicubic(source, target):
    """A matrix that scales lines of `source` samples to `target` ones (Keys' kernel, a = -0.5)."""
    positions = (np.arange(target) + 0.5) * source / target - 0.5
    matrix = np.zeros((target, source))
    for row, position in enumerate(positions):
        for tap in range(int(np.floor(position)) - 1, int(np.floor(position)) + 3):
            x = abs(position - tap)
            weight = 1.5 * x**3 - 2.5 * x**2 + 1 if x <= 1 else -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2 if x < 2 else 0
            matrix[row, min(max(tap, 0), source - 1)] += weight
    return matrix


class Frames:
    """Shown frames by their place, as large as those that were sent."""

    def __init__(self, path, sizes, width, height):
        self.data = np.memmap(path, np.uint8, "r")
        self.sizes, self.width, self.height = sizes, width, height
        self.offsets = np.concatenate([[0], np.cumsum([w * h for w, h in sizes])])
        self.scales = {}

    def __getitem__(self, index):
        width, height = self.sizes[index]
        luma = self.data[self.offsets[index] : self.offsets[index + 1]].reshape(height, width)
        if (width, height) == (self.width, self.height):
            return luma
        if (width, height) not in self.scales:
            self.scales[width, height] = bicubic(height, self.height), bicubic(width, self.width).T
        rows, columns = self.scales[width, height]
        return np.clip(np.rint(rows @ luma @ columns), 0, 255).astype(np.uint8)


def measure(folder, reference, hidden_rows, ffmpeg):
    """VMAF, PSNR and SSIM of each instant.

    `reference` are the frames that were sent, over and over; `hidden_rows` at the top carry the number and are not
    compared. VMAF is Netflix's libvmaf with its default model (v0.6.1), on the pixels as they are.
    """
    folder = pathlib.Path(folder)
    times, numbers, sizes = read_shown(folder / "frames.csv")
    _, height, width = reference.shape
    instants, shown, due = pairs(times, unwrapped(times, numbers, len(reference)))
    frames = Frames(folder / "luma.gray", sizes, width, height)
    names = folder / "shown.yuv", folder / "due.yuv"
    last = None, None
    with open(names[0], "wb") as distorted, open(names[1], "wb") as original:
        for index, number in zip(shown, due):
            if last[0] != index:
                last = index, raw(frames[index][hidden_rows:])
            distorted.write(last[1])
            original.write(raw(reference[number % len(reference)][hidden_rows:]))
    scores = vmaf(names, width, height - hidden_rows, ffmpeg)
    for name in names:
        name.unlink()
    return instants, scores, int(np.sum(numbers < 0))


def raw(luma):
    """A frame of a raw 4:2:0 file, without colours: they are not compared."""
    return luma.tobytes() + bytes([128]) * (luma.size // 2)


def vmaf(names, width, height, ffmpeg):
    """Scores of each frame of a raw 4:2:0 file against another's."""
    log = names[0].with_suffix(".json")
    source = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{width}x{height}", "-r", str(RATE)]
    options = f"libvmaf=log_fmt=json:log_path={log}:n_threads=2:feature=name=psnr|name=float_ssim"
    subprocess.run(
        [ffmpeg, "-loglevel", "error", "-y", *source, "-i", names[0], *source, "-i", names[1],
         "-lavfi", options, "-f", "null", "-"], check=True)
    found = json.loads(log.read_text())["frames"]
    log.unlink()
    keys = {"vmaf": "vmaf", "psnr": "psnr_y", "ssim": "float_ssim"}
    return {name: np.array([frame["metrics"][key] for frame in found]) for name, key in keys.items()}
