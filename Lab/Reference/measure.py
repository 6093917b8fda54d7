#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""measure.py CONTENT CALLS: compares what the calls' subscribers saw and heard with what was sent.

Writes measured.json into the folder of each call that has none yet, and deletes the frames then (--keep keeps them).
Each instant of video and each window of audio has its time, so that scores can be made and held against them later.
"""
import concurrent.futures
import json
import pathlib
import sys

import imageio_ffmpeg
import numpy as np

import audio
import media
import seconds
import video

# The rows of the number and, as codecs smear, a few more.
HIDDEN_ROWS = 24


def measure(folder, reference, spoken):
    """The measures of a call."""
    instants, scores, unreadable = video.measure(folder, reference, HIDDEN_ROWS, imageio_ffmpeg.get_ffmpeg_exe())
    centres = np.arange(instants[0] + seconds.WINDOW / 2, instants[-1] - seconds.WINDOW / 2, 1.0)
    heard = audio.measure(folder, *spoken, centres)
    return {
        "video": {"time": rounded(instants, 3), "unreadable": unreadable,
                  **{name: rounded(values, 3) for name, values in scores.items()}},
        "audio": {"time": rounded(centres, 3), "pesq": rounded(heard[:, 0], 3),
                  "stoi": rounded(heard[:, 1], 4), "similarity": rounded(heard[:, 2], 4)},
    }


def rounded(values, digits):
    """Numbers for JSON; null where there is none."""
    return [None if np.isnan(value) else round(float(value), digits) for value in values]


def kept(folder, content):
    """Measures a call, keeps that, and says the means."""
    reference, spoken = media.read_y4m(content / "video.y4m"), media.read_wav(content / "audio.wav")
    measured = measure(folder, reference, spoken)
    (folder / "measured.json").write_text(json.dumps(measured) + "\n")
    if "--keep" not in sys.argv:
        (folder / "luma.gray").unlink()
    means = [f"{name} {np.nanmean(np.array(measured[kind][name], float)):.2f}"
             for kind, name in (("video", "vmaf"), ("video", "psnr"), ("audio", "pesq"), ("audio", "stoi"))]
    return f"{folder.name}: {', '.join(means)}, {measured['video']['unreadable']} frames without number"


def main():
    content, calls = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    # The timeline is written last: a call without one is not over.
    folders = [path.parent for path in sorted(calls.glob("*/frames.csv")) if (calls / f"{path.parent.name}.json").exists()]
    waiting = [folder for folder in folders if not (folder / "measured.json").exists()]
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for line in pool.map(kept, waiting, [content] * len(waiting)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
