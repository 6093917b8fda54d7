# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What was played, held against what was spoken."""
import csv

import numpy as np
from pesq import NoUtterancesError, pesq
from pystoi import stoi
from scipy.signal import fftconvolve, resample_poly

import media
from seconds import WINDOW

RATE = 16_000
# How much the delay may differ from the last one found, in seconds.
REACH = 1.5
# Length of the pieces that are placed, in seconds, and how similar one is at least that has its place: within
# a window a jitter buffer may stretch by more than correlation of the whole can bear, and within a piece by
# next to nothing.
PIECE, SIMILAR = 0.32, 0.7
# The loudness below which no one speaks, of a full scale of 32768, and the least that PESQ gives.
QUIET, WORST = 100, 1.04


def at_rate(samples, rate):
    """Samples at 16 kHz, full scale 32768."""
    common = np.gcd(rate, RATE)
    return resample_poly(samples.astype(float), RATE // common, rate // common)


def times_of(path, rate):
    """Two rows: samples at 16 kHz played so far, and when, in seconds."""
    with open(path) as file:
        rows = list(csv.DictReader(file))
    counts = np.cumsum([0] + [int(row["samples"]) for row in rows[:-1]])
    return np.stack([counts * RATE / rate, [float(row["time"]) / 1000 for row in rows]])


def place(part, whole):
    """Where in `whole` a part is found best, in samples, and how similar it is, -1...1."""
    found = fftconvolve(whole, part[::-1], "valid")
    squares = np.concatenate([[0], np.cumsum(whole**2)])
    energy = squares[len(part) :] - squares[: -len(part)]
    # Where no one speaks there is nothing to be alike, but what rounding leaves.
    energy = np.maximum(energy, len(part) * QUIET**2)
    found /= np.sqrt(np.maximum(energy * np.sum(part**2), 1))
    best = int(np.argmax(found))
    return best, float(found[best])


def loudness(samples):
    """Root of the mean square."""
    return np.sqrt(np.mean(samples**2))


def score(reference, received):
    """PESQ (wideband, P.862.2) and STOI of one window; NaN where there is no speech to compare."""
    if loudness(reference) < QUIET:
        return np.nan, np.nan
    # All that was spoken is missing: as bad as it gets.
    if loudness(received) < 1:
        return WORST, 0.0
    try:
        quality = pesq(RATE, reference.astype(np.int16), received.astype(np.int16), "wb")
    except NoUtterancesError:
        quality = WORST
    with np.errstate(all="ignore"):
        understood = stoi(reference, received, RATE)
    return quality, understood


def measure(folder, spoken, spoken_rate, centres):
    """PESQ, STOI and similarity of the pieces of the windows around the moments `centres`, in seconds.

    What is spoken repeats. Each window is first placed by correlation, near where the one before it was: the delay of
    playout changes during a call, and PESQ finds the rest by itself.
    """
    samples, rate = media.read_wav(folder / "audio.wav")
    received, source = at_rate(samples, rate), at_rate(spoken, spoken_rate)
    counts, times = times_of(folder / "blocks.csv", rate)
    length, period = int(WINDOW * RATE), len(source)
    endless = np.tile(source, 3)
    lag, results = None, []
    for centre in centres:
        start = int(np.interp(centre - WINDOW / 2, times, counts))
        part = received[start : start + length]
        if centre - WINDOW / 2 < times[0] or centre + WINDOW / 2 > times[-1] or len(part) < length:
            results.append((np.nan, np.nan, np.nan))
            continue
        lag, similarity = follow(part, start, endless, period, lag)
        first = (start + lag) % period
        results.append((*score(endless[first : first + length], part), similarity))
    return np.array(results)


def follow(part, start, endless, period, lag):
    """How many samples later a part is in what was spoken than in what was received, and how similar.

    Both are medians of its loud pieces, the first of those alone that are found. A part without is placed
    where the last one was; without any loud one its similarity is NaN.
    """
    if lag is None:
        lag = place(part, endless[: period + len(part)])[0] - start
    reach, size = int(REACH * RATE), int(PIECE * RATE)
    first = (start + lag - reach) % period
    whole = endless[first : first + len(part) + 2 * reach]
    places = [
        place(part[at : at + size], whole[at : at + size + 2 * reach])
        for at in range(0, len(part) - size + 1, size)
        if loudness(part[at : at + size]) >= QUIET
    ]
    lags = [lag + found - reach for found, similarity in places if similarity > SIMILAR]
    similarity = float(np.median([similarity for _, similarity in places])) if places else np.nan
    return int(np.median(lags)) if lags else lag, similarity
