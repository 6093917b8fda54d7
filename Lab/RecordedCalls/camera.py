# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""What a synthetic camera sees: waves that pass, under a sensor's noise, as YUV4MPEG2.

Chromium's own test pattern needs 200 kbit/s, so that a narrow path would do it no harm.
"""
import math
import random

RATE, FRAMES = 30, 60
# Brightest noise, of 255.
NOISE = 10


def waves(width, height):
    """Rows twice as wide as the image, which repeat themselves after its width."""
    turn = 2 * math.pi / width
    for y in range(height):
        row = bytes(int(110 + 50 * math.sin(turn * 9 * x + y / 13) + 30 * math.sin(turn * 31 * x - y / 5)) for x in range(width))
        yield row * 2


def frames(width, height):
    """The brightness of each frame."""
    rows, chance = list(waves(width, height)), random.Random(1)
    noise = bytes(value * NOISE // 256 for value in range(256))
    for number in range(FRAMES):
        # Bands pass at speeds of their own, each once or more in the time after which all repeats itself.
        image = b"".join(
            row[(start := number * (1 + y * 4 // height) * width // FRAMES % width):start + width]
            for y, row in enumerate(rows))
        # As one large number each, whose digits never carry: all pixels at once.
        grain = chance.randbytes(len(image)).translate(noise)
        sum_ = int.from_bytes(image, "big") + int.from_bytes(grain, "big")
        yield sum_.to_bytes(len(image), "big")


def write(path, width, height):
    colours = bytes([118]) * (width * height // 4) + bytes([138]) * (width * height // 4)
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F{RATE}:1 Ip A1:1 C420jpeg\n".encode())
        for image in frames(width, height):
            file.write(b"FRAME\n" + image + colours)
