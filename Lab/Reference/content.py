#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""content.py FOLDER: writes video.y4m and audio.wav, which the calls of `sightline-lab reference run` send.

Both are the same bytes wherever they are made with the same versions of numpy and espeak-ng. The video is a person
before a room, filmed by hand: textures with the spectrum of photographs, a head that nods and speaks, shoulders, now
and then a hand that is waved. It repeats without a cut after ten seconds, and each frame has its number along the top
edge, as the engine writes and reads it (Sources/Client/CLibWebRTC/src/media/frame_number.cc). The audio is read
sentences of four voices with short pauses.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import media

FRAMES, RATE = 300, 30
WIDTH, HEIGHT = 640, 360
SENTENCES = [
    ("en-us", "The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background."),
    ("en-gb+f3", "It is easy to tell the depth of a well. These days a chicken leg is a rare dish."),
    ("en-us+m3", "Rice is often served in round bowls. The juice of lemons makes fine punch."),
    ("en-gb-scotland+f4", "The box was thrown beside the parked truck. Four hours of steady work faced us."),
    ("en-us+f2", "A large size in stockings is hard to sell. The boy was there when the sun rose."),
    ("en-gb", "A rod is used to catch pink salmon. The source of the huge river is the clear spring."),
]


def texture(height, width, slope, random):
    """Noise whose amplitude falls with frequency, as that of photographs does; mean 0, deviation 1; repeats at its edges."""
    y, x = np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None, :]
    frequency = np.hypot(y, x)
    frequency[0, 0] = 1
    spectrum = random.standard_normal((height, width // 2 + 1)) + 1j * random.standard_normal((height, width // 2 + 1))
    spectrum /= frequency**slope
    spectrum[0, 0] = 0
    image = np.fft.irfft2(spectrum, (height, width))
    return image / image.std()


def shifted(image, y, x):
    """The part of an image at a place between its pixels, as large as a frame."""
    top, left = int(np.floor(y)), int(np.floor(x))
    fy, fx = y - top, x - left
    part = image[top : top + HEIGHT + 1, left : left + WIDTH + 1]
    rows = part[:-1] * (1 - fy) + part[1:] * fy
    return rows[:, :-1] * (1 - fx) + rows[:, 1:] * fx


def ellipse(y, x, height, width):
    """How much of each pixel is inside, with a soft edge."""
    rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]
    distance = np.hypot((rows - y) / height, (columns - x) / width)
    return np.clip((1 - distance) * min(height, width) / 3, 0, 1)


def books(height, width, random):
    """Shelves of books with titles on their backs."""
    image = np.zeros((height, width))
    for top in range(12, height, 62):
        left = 0
        while left < width:
            wide = int(random.integers(7, 19))
            tall = int(random.integers(38, 54))
            image[top + 56 - tall : top + 56, left : left + wide - 1] = random.uniform(-55, 65)
            for line in range(top + 60 - tall, min(top + 50, height), 3):
                if random.uniform() < 0.6 and wide > 9:
                    image[line, left + 3 : left + wide - 4] += random.choice([-70, 70])
            left += wide
        image[top + 56 : top + 62] = -60
    return image


class Scene:
    """The person and the room."""

    def __init__(self, seed=1):
        random = np.random.default_rng(seed)
        size = (HEIGHT + 60, WIDTH + 60)
        self.room = 110 + 22 * texture(*size, 1.5, random) + books(*size, random)
        self.skin = 165 + 7 * texture(*size, 1.2, random)
        self.shirt = 75 + 14 * texture(*size, 1.0, random)
        self.phases = random.uniform(0, 2 * np.pi, 12)

    def sway(self, number, periods, phase):
        """A movement that repeats with the scene, -1...1."""
        return np.sin(2 * np.pi * periods * number / FRAMES + self.phases[phase])

    def frame(self, number):
        """The luma of a frame, without its number."""
        n = number % FRAMES
        camera = 30 + 3 * self.sway(n, 3, 0) + self.sway(n, 7, 1), 30 + 5 * self.sway(n, 2, 2) + self.sway(n, 9, 3)
        image = shifted(self.room, *camera)
        x, y = 300 + 26 * self.sway(n, 3, 4) + 6 * self.sway(n, 8, 5), 150 + 10 * self.sway(n, 5, 6)
        worn = shifted(self.shirt, 30 + 4 * self.sway(n, 3, 4), 30 - 20 * self.sway(n, 3, 4))
        body = ellipse(y + 240, x - 5, 150, 190)
        image = image * (1 - body) + worn * body
        face = shifted(self.skin, 30 - (y - 150), 30 - (x - 300) / 2)
        head = ellipse(y, x, 95, 70)
        image = image * (1 - head) + face * head
        mouth = ellipse(y + 48, x, 3 + 9 * abs(self.sway(n, 31, 7) * self.sway(n, 13, 8)), 22)
        eyes = ellipse(y - 18, x - 27, 6, 11) + ellipse(y - 18, x + 27, 6, 11)
        image = image * (1 - np.clip(mouth + eyes, 0, 1) * 0.7)
        raised = max(0, self.sway(n, 2, 9)) ** 2
        hand = ellipse(430 - 190 * raised, 470 + 40 * self.sway(n, 22, 10) * raised, 42, 34)
        image = image * (1 - hand) + (face - 8) * hand
        return np.clip(np.rint(image), 16, 235).astype(np.uint8)


def write_video(path):
    """All frames as Y4M, with chroma that hardly varies: it is not compared."""
    scene = Scene()
    rows, columns = np.mgrid[0 : HEIGHT // 2, 0 : WIDTH // 2]
    blue = (120 + 8 * np.sin(columns / 40)).astype(np.uint8).tobytes()
    red = (132 + 8 * np.sin(rows / 30)).astype(np.uint8).tobytes()
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{RATE}:1 Ip A1:1 C420jpeg\n".encode())
        for number in range(FRAMES):
            image = scene.frame(number)
            media.write_number(image, number)
            file.write(b"FRAME\n" + image.tobytes() + blue + red)


def write_audio(path):
    """The sentences at 22,050 Hz, as espeak-ng speaks them, with pauses of 0.4 s."""
    parts = []
    with tempfile.TemporaryDirectory() as folder:
        for index, (voice, text) in enumerate(SENTENCES):
            file = f"{folder}/{index}.wav"
            subprocess.run(["espeak-ng", "-v", voice, "-s", "165", "-w", file, text], check=True)
            samples, rate = media.read_wav(file)
            loud = np.flatnonzero(np.abs(samples) > 100)
            spoken = samples[loud[0] : loud[-1]].astype(float)
            # As loud as speech is recorded: 26 dB below full scale.
            spoken *= 32768 * 10 ** (-26 / 20) / np.sqrt(np.mean(spoken**2))
            parts += [spoken, np.zeros(int(0.4 * rate))]
    media.write_wav(path, np.clip(np.concatenate(parts), -32000, 32000).astype(np.int16), rate)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write_video(folder / "video.y4m")
    write_audio(folder / "audio.wav")


if __name__ == "__main__":
    main()
