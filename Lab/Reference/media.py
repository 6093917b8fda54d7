# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Files of video and audio, and the number in a frame."""
import wave

import numpy as np

CELLS, BLACK, WHITE = 32, 16, 235


def check_sum(number):
    """Eight bits."""
    return (number * 0x9E3779B1 + 0x5A000000 & 0xFFFFFFFF) >> 24


def write_number(luma, number):
    """Writes a frame's number into its upper rows, as frame_number.cc does."""
    height, width = luma.shape
    number %= 1 << 24
    code = number << 8 | check_sum(number)
    for cell in range(CELLS):
        columns = slice(width * cell // CELLS, width * (cell + 1) // CELLS)
        luma[: number_rows(width, height), columns] = WHITE if code >> cell & 1 else BLACK


def number_rows(width, height):
    """How many rows the number takes."""
    return max(1, min(width // CELLS, height // 4))


def read_number(luma):
    """The number in a frame; None if there is no readable one."""
    height, width = luma.shape
    rows = number_rows(width, height)
    code = 0
    for cell in range(CELLS):
        left, right = width * cell // CELLS, width * (cell + 1) // CELLS
        x, y = (right - left) // 3, rows // 3
        if luma[y : rows - y, left + x : right - x].mean() > (BLACK + WHITE) / 2:
            code |= 1 << cell
    number = code >> 8
    return number if code & 0xFF == check_sum(number) else None


def read_y4m(path):
    """The luma planes of a 4:2:0 file."""
    data = np.memmap(path, np.uint8, "r")
    head = bytes(data[:200]).split(b"\n", 1)[0]
    words = {word[:1]: word[1:] for word in head.decode().split()[1:]}
    width, height = int(words["W"]), int(words["H"])
    luma, chroma = width * height, 2 * ((width + 1) // 2) * ((height + 1) // 2)
    size = 6 + luma + chroma
    frames = data[len(head) + 1 :].reshape(-1, size)
    return frames[:, 6 : 6 + luma].reshape(-1, height, width)


def read_wav(path):
    """The first channel's samples, and their rate."""
    with wave.open(str(path)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), np.int16)
        return samples[:: file.getnchannels()], file.getframerate()


def write_wav(path, samples, rate):
    """16-bit mono."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.astype(np.int16).tobytes())
