#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Sightline authors
"""Known inputs, known measures: python -m unittest, in the environment of install.sh."""
import pathlib
import tempfile
import unittest

import imageio_ffmpeg
import numpy as np

import audio
import before
import content
import media
import plot
import report
import seconds
import video


class NumberTests(unittest.TestCase):
    def test_number_survives_scaling_and_noise(self):
        random = np.random.default_rng(1)
        rows, columns = video.bicubic(360, 180), video.bicubic(640, 320).T
        for number in (0, 1, 299, 0xABCDEF):
            luma = random.integers(16, 235, (360, 640)).astype(np.uint8)
            media.write_number(luma, number)
            small = rows @ luma @ columns + random.normal(0, 12, (180, 320))
            self.assertEqual(media.read_number(np.clip(small, 0, 255)), number)

    def test_no_number_in_plain_frames(self):
        for level in (0, 128, 255):
            self.assertIsNone(media.read_number(np.full((360, 640), level, np.uint8)))

    def test_layout_is_the_engines(self):
        # 1 << 8 | (1 * 0x9E3779B1 + 0x5A000000) >> 24 is 0x1F8: cells 3 to 8 are white.
        luma = np.zeros((360, 640), np.uint8)
        media.write_number(luma, 1)
        self.assertEqual([cell for cell in range(32) if luma[0, cell * 20 + 10] > 100], [3, 4, 5, 6, 7, 8])
        self.assertEqual((luma[19, 70], luma[20, 70]), (235, 0))


class PairTests(unittest.TestCase):
    @staticmethod
    def call(numbers, delays=0.0):
        """Frames that are shown a delay after they were sent."""
        numbers = np.asarray(numbers)
        return numbers / 30 + 100 + delays, numbers

    def late(self, times, numbers):
        """By how many frames each instant shows an older frame than it should."""
        _, shown, due = video.pairs(times, numbers)
        return due - numbers[shown]

    def test_every_frame_is_its_own_reference_in_a_perfect_call(self):
        self.assertEqual(set(self.late(*self.call(range(300)))), {0})

    def test_jitter_of_a_frame_is_not_seen(self):
        delays = np.random.default_rng(2).uniform(0, 0.02, 300)
        late = self.late(*self.call(range(300), delays))
        self.assertLess(np.mean(late != 0), 0.1)

    def test_a_freeze_is_held_against_what_it_hides(self):
        late = self.late(*self.call([n for n in range(300) if not 100 < n <= 130]))
        self.assertEqual(late.max(), 30)
        self.assertEqual(np.count_nonzero(late > 1), 29)

    def test_a_delay_that_lasts_is_none(self):
        times, numbers = self.call(range(600), np.where(np.arange(600) < 300, 0, 0.4))
        late = self.late(times, numbers)
        self.assertLessEqual(np.count_nonzero(late), 80)
        self.assertEqual(set(late[:240]) | set(late[-200:]), {0})

    def test_half_the_frames_are_missed_at_half_the_rate(self):
        late = self.late(*self.call(range(0, 300, 2)))
        self.assertEqual(set(late), {0, 1})
        self.assertAlmostEqual(np.mean(late), 0.5, delta=0.02)

    def test_numbers_that_repeat_or_are_unreadable(self):
        times, numbers = self.call(range(250, 700))
        seen = numbers % 300
        seen[[20, 200]] = -1
        np.testing.assert_array_equal(video.unwrapped(times, seen, 300), numbers)


class VideoTests(unittest.TestCase):
    def scores(self, change):
        """Mean VMAF, PSNR and SSIM of twelve frames that were changed."""
        scene = content.Scene()
        frames = [scene.frame(number * 6) for number in range(12)]
        with tempfile.TemporaryDirectory() as folder:
            names = pathlib.Path(folder, "shown"), pathlib.Path(folder, "due")
            names[0].write_bytes(b"".join(video.raw(change(frames, index)) for index in range(12)))
            names[1].write_bytes(b"".join(video.raw(frame) for frame in frames))
            found = video.vmaf(names, content.WIDTH, content.HEIGHT, imageio_ffmpeg.get_ffmpeg_exe())
        return {name: float(np.mean(values)) for name, values in found.items()}

    def test_identical_blurred_and_frozen(self):
        rows, columns = video.bicubic(360, 90), video.bicubic(640, 160).T
        up = video.bicubic(90, 360), video.bicubic(160, 640).T

        def blurred(frames, index):
            return np.clip(up[0] @ (rows @ frames[index] @ columns) @ up[1], 0, 255).astype(np.uint8)

        same = self.scores(lambda frames, index: frames[index])
        blur, frozen = self.scores(blurred), self.scores(lambda frames, index: frames[0])
        self.assertGreater(same["vmaf"], 95)
        self.assertAlmostEqual(same["ssim"], 1, places=3)
        self.assertGreater(same["psnr"], 55)
        self.assertLess(blur["vmaf"], 60)
        self.assertLess(frozen["vmaf"], 60)

    def test_psnr_of_a_known_error(self):
        found = self.scores(lambda frames, index: frames[index] + 4)
        self.assertAlmostEqual(found["psnr"], 20 * np.log10(255 / 4), places=2)


class AudioTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            content.write_audio(f"{folder}/audio.wav")
            cls.spoken = media.read_wav(f"{folder}/audio.wav")

    def measured(self, change, offset=0.0):
        """PESQ and STOI of what a call played 7.3 s after its beginning: the spoken loop, changed."""
        source = audio.at_rate(*self.spoken)
        played = np.tile(source, 3)[int((7.3 + offset) * audio.RATE) :][: 30 * audio.RATE]
        played = change(played)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            media.write_wav(folder / "audio.wav", played, audio.RATE)
            blocks = "".join(f"{1e6 + 10 * n},160\n" for n in range(len(played) // 160))
            (folder / "blocks.csv").write_text("time,samples\n" + blocks)
            found = audio.measure(folder, *self.spoken, np.arange(1004, 1026, 3.0))
        self.assertTrue(np.all(np.isfinite(found)))
        return np.mean(found, axis=0)[:2]

    @staticmethod
    def gaps(share):
        """Silences that packets of 20 ms leave."""
        def change(samples):
            lost = np.random.default_rng(5).uniform(size=len(samples) // 320) < share
            return samples * ~np.repeat(lost, 320)[: len(samples)]
        return change

    def test_unchanged_audio_is_best_wherever_it_begins(self):
        for offset in (0, 0.137, 11.0):
            quality, understood = self.measured(lambda samples: samples, offset)
            self.assertGreater(quality, 4.5)
            self.assertGreater(understood, 0.99)

    def test_more_gaps_are_worse(self):
        found = [self.measured(self.gaps(share)) for share in (0, 0.02, 0.1, 0.3)]
        qualities, understood = zip(*found)
        self.assertEqual(sorted(qualities, reverse=True), list(qualities))
        self.assertEqual(sorted(understood, reverse=True), list(understood))
        self.assertLess(qualities[-1], 1.6)

    @staticmethod
    def stretched(samples, begin, end, delay):
        """Samples that are played ever later between two moments, as NetEQ does it: by repeated pitch periods."""
        parts, added, last = [], 0, 0
        for at in range(begin, end, 320):
            if added >= delay * (at - begin) / (end - begin):
                continue

            def likeness(period):
                now, before = samples[at : at + period], samples[at - period : at]
                return np.dot(now, before) / (np.linalg.norm(now) * np.linalg.norm(before) + 1)

            period = max(range(80, 240), key=likeness)
            fade = np.linspace(0, 1, period)
            repeated = samples[at : at + period] * (1 - fade) + samples[at - period : at] * fade
            parts += [samples[last:at], repeated]
            added, last = added + period, at
        return np.concatenate([*parts, samples[last:]]), added

    def test_a_delay_that_grows_within_windows_is_followed(self):
        source, rate = audio.at_rate(*self.spoken), audio.RATE
        endless, begin, end = np.tile(source, 3), 10, 15
        played, added = self.stretched(endless[: 25 * rate], begin * rate, end * rate, int(0.15 * rate))
        lag = None
        for second in range(18):
            start = second * rate
            lag, similarity = audio.follow(played[start : start + 5 * rate], start, endless, len(source), lag)
            right = -added * np.clip((second + 2.5 - begin) / (end - begin), 0, 1)
            off = (lag - right + len(source) / 2) % len(source) - len(source) / 2
            self.assertLess(abs(off) / rate, 0.04, f"{second} s")
            self.assertGreater(similarity, 0.9)

    def test_what_is_not_found_is_placed_where_the_last_was(self):
        source, length = audio.at_rate(*self.spoken), 5 * audio.RATE
        noise = np.random.default_rng(3).normal(0, 1000, length)
        for part, expected in ((noise, lambda value: value < audio.SIMILAR), (np.zeros(length), np.isnan)):
            lag, similarity = audio.follow(part, 0, np.tile(source, 3), len(source), 12345)
            self.assertEqual(lag, 12345)
            self.assertTrue(expected(similarity))

    def test_all_that_is_missing_is_as_bad_as_it_gets(self):
        speech = audio.at_rate(*self.spoken)[: 5 * audio.RATE]
        self.assertEqual(audio.score(speech, np.zeros_like(speech))[0], 1.04)
        self.assertTrue(np.isnan(audio.score(np.zeros_like(speech), speech)[0]))


class SecondTests(unittest.TestCase):
    """A call whose seconds are reported at 1000.4, 1001.4, ...; it began at 1000.0."""

    def rows(self, scores=lambda second: 4.0):
        ticks = [{"time": 1e6 + 400 + 1000 * n, "audioMOS": scores(n), "videoMOS": 3.5, "severity": "none",
                  "cause": "none", "missing": n / 100, "burstRatio": 2} for n in range(20)]
        instants = np.arange(1000.2, 1019, 1 / 30)
        vmaf = np.where((instants > 1008.4) & (instants <= 1009.4), 20.0, 80.0)
        centres = np.arange(1002.7, 1016, 0.5)
        measured = {
            "video": {"time": list(instants), "vmaf": list(vmaf), "psnr": list(vmaf / 2), "ssim": list(vmaf / 100)},
            "audio": {"time": list(centres), "pesq": list(centres - 1000), "stoi": [None] * len(centres),
                      "similarity": [0.75] * len(centres)},
        }
        said = {"kind": "jitter", "seed": 311, "began": 1e6, "seconds": ticks}
        return seconds.of_call(said, measured)

    def test_a_second_has_the_measures_of_its_own_instants(self):
        rows = self.rows()
        # The first report has no second before it, and the last ones' have no instants any more.
        self.assertEqual([row["second"] for row in rows][:2], [0.9, 1.9])
        self.assertEqual([row["second"] for row in rows if row["vmaf"] == 20], [8.9])
        self.assertEqual({row["vmaf"] for row in rows}, {20, 80})

    def test_audio_is_that_of_the_window_around_it(self):
        rows = self.rows(lambda n: 1.0 if n == 10 else 4.0)
        self.assertIsNone(rows[0]["pesq"])
        found = {row["second"]: row for row in rows}
        self.assertAlmostEqual(found[8.9]["pesq"], 8.9, delta=0.26)
        self.assertIsNone(found[8.9]["stoi"])
        self.assertEqual(found[8.9]["similarity"], 0.75)
        # Five reports make a window; the one of 10.4 is in those of 7.9 to 11.9.
        self.assertEqual([second for second, row in found.items() if row["heardMOS"] < 4], [7.9, 8.9, 9.9, 10.9, 11.9])
        # Four lack 0.5 of the best, one lacks 3.5.
        self.assertAlmostEqual(found[9.9]["heardMOS"], 4.5 - (13.25 / 5) ** 0.5, places=4)

    def test_impaired_seconds_are_those_of_the_schedule(self):
        found = [second for second in np.arange(0.5, 50) if seconds.is_impaired("outage", second)]
        self.assertEqual(len(found), 28)
        self.assertEqual((found[0], found[6], found[7], found[-1]), (6.5, 12.5, 16.5, 42.5))
        self.assertFalse(any(seconds.is_impaired("clean", second) for second in found))

    def test_tables_are_read_as_they_were_written(self):
        rows = self.rows()
        with tempfile.TemporaryDirectory() as folder:
            seconds.write(rows, f"{folder}/table.csv")
            again = seconds.read(f"{folder}/table.csv")
        self.assertEqual(len(again), len(rows))
        self.assertEqual(again[8]["vmaf"], 20)
        self.assertIsNone(again[0]["pesq"])
        self.assertEqual((again[3]["kind"], again[3]["severity"]), ("jitter", "none"))
        kept = [again[8][name] for name in ("missing", "burstRatio", "similarity")]
        self.assertEqual(kept, [0.09, 2, 0.75])

    def test_tables_and_measures_of_before_lack_what_is_kept_since(self):
        row = {name: value for name, value in self.rows()[8].items() if name not in ("missing", "burstRatio")}
        with tempfile.TemporaryDirectory() as folder:
            seconds.write([row], f"{folder}/table.csv")
            again, = seconds.read(f"{folder}/table.csv")
        self.assertEqual((again["missing"], again["burstRatio"], again["vmaf"]), (None, None, 20))
        self.assertIsNone(seconds.at({"time": np.array([1.0])}, "similarity", 1.0))

    def test_first_formulas(self):
        self.assertAlmostEqual(before.audio(0.02, 0.04, 0), 4.3744, places=4)
        self.assertEqual(before.audio(2, 1, 0.8), 1)
        row = {"width": 1280, "height": 720, "videoBitrate": 1e5, "limitation": "none", "publisherCause": None,
               "wantedHeight": 720}
        self.assertEqual(before.video(row, 0), 5)
        self.assertEqual(before.video(row, 1), 1)
        self.assertLess(before.video(row | {"limitation": "cpu"}, 0), 3.5)
        self.assertIsNone(before.video(row | {"limitation": None}, 0))


class PageTests(unittest.TestCase):
    def test_a_page_has_both_media_and_their_plots(self):
        random = np.random.default_rng(4)
        rows = []
        for index in range(200):
            quality = random.uniform(0, 1)
            row = dict.fromkeys(seconds.COLUMNS) | {
                "kind": report.KINDS[index % 7], "seed": [301.0, 311.0][index % 2], "second": 1.0 * index,
                "impaired": float(index % 7 > 0), "severity": "none", "cause": "none", "vmaf": 100 * quality,
                "pesq": 1 + 3.5 * quality, "videoMOS": 1 + 4 * quality, "heardMOS": 1 + 3 * (1 - quality)}
            rows.append(row)
        text = report.page(rows, rows, ["a note"], {"video": "v.svg", "audio": "a.svg"})
        self.assertIn("- a note", text)
        self.assertIn("| **all** | 100 | 1.00 | 1.00 | +0.00 | 0.00 |", text)
        self.assertIn("| **all** | 100 | -1.00 |", text)
        drawn = plot.scatter(np.array([1, 5, np.nan]), np.array([5, 1, 3]), ["a", "b", "a"], ["a", "b"], "video")
        self.assertEqual(drawn.count("h0"), 2)
        self.assertIn("M44 10h0", drawn)
        self.assertIn("M404 370h0", drawn)


class ReportTests(unittest.TestCase):
    def test_correlations_of_known_numbers(self):
        said, measured = np.array([1, 2, 3, 4, np.nan]), np.array([1, 4, 9, 16, 3])
        found = report.agreement(said, measured)
        self.assertEqual(found["count"], 4)
        self.assertAlmostEqual(found["spearman"], 1)
        self.assertAlmostEqual(found["pearson"], np.corrcoef([1, 2, 3, 4], [1, 4, 9, 16])[0, 1])
        self.assertAlmostEqual(found["bias"], -5)
        self.assertAlmostEqual(found["rmse"], np.sqrt((0 + 4 + 36 + 144) / 4))

    def test_too_few_are_no_figure(self):
        self.assertIsNone(report.agreement(np.array([1.0, 2]), np.array([1.0, 2]))["spearman"])


if __name__ == "__main__":
    unittest.main()
