// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import Testing

@Suite("Opinion scores")
struct OpinionScoreTests {
    let score = OpinionScore()

    @Test("Audio never gets better as delay or concealment grow, and stays in range")
    func audioMonotony() throws {
        let delays = [0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 10, 1e6]
        let losses = [0, 0.001, 0.01, 0.05, 0.1, 0.3, 0.8, 1]
        for buffer in delays {
            for (index, delay) in delays.enumerated() {
                for (other, loss) in losses.enumerated() {
                    let value = try #require(
                        score.audio(roundTripTime: delay, jitterBufferDelay: buffer, concealment: loss))
                    #expect((1...4.5).contains(value))
                    if index > 0 {
                        let nearer = score.audio(
                            roundTripTime: delays[index - 1], jitterBufferDelay: buffer, concealment: loss)
                        #expect(value <= nearer ?? 0)
                    }
                    if other > 0 {
                        let cleaner = score.audio(
                            roundTripTime: delay, jitterBufferDelay: buffer, concealment: losses[other - 1])
                        #expect(value <= cleaner ?? 0)
                    }
                }
            }
        }
    }

    @Test("A clean call is well above 4, a terrible one is 1, and there is no NaN")
    func audioExtremes() {
        #expect(score.audio(roundTripTime: 0.02, jitterBufferDelay: 0.04, concealment: 0) ?? 0 > 4.3)
        #expect(score.audio(roundTripTime: 2, jitterBufferDelay: 1, concealment: 0.8) == 1)
        #expect(score.audio(roundTripTime: .nan, jitterBufferDelay: 0, concealment: 0) == nil)
        #expect(score.audio(roundTripTime: 0, jitterBufferDelay: 0, concealment: .nan) == nil)
    }

    @Test("Video never gets better with fewer bits or more freezing, and stays in range")
    func videoMonotony() throws {
        for size in [
            VideoSize(width: 1, height: 1), VideoSize(width: 320, height: 180),
            VideoSize(width: 4096, height: 2160),
        ] {
            for frozen in stride(from: 0.0, through: 1, by: 0.1) {
                var before = 5.0
                for bitrate in [1e8, 3e6, 1e6, 3e5, 1e5, 3e4, 1e3, 0] {
                    let value = try #require(
                        score.video(size: size, bitrate: bitrate, frozen: frozen, isEncoderLimited: true))
                    #expect((1...5).contains(value) && value <= before)
                    let worse = score.video(
                        size: size, bitrate: bitrate, frozen: frozen + 0.1, isEncoderLimited: true)
                    #expect(worse ?? 9 <= value)
                    before = value
                }
            }
        }
    }

    @Test("A layer smaller than the wanted one scores as what its bits are worth of that")
    func layer() throws {
        let (small, wanted) = (VideoSize(width: 320, height: 180), VideoSize(width: 1280, height: 720))
        func value(_ size: VideoSize) throws -> Double {
            try #require(
                score.video(
                    size: size, wanted: wanted, bitrate: 200_000, frozen: 0, isEncoderLimited: false))
        }
        #expect(try value(wanted) == 5)
        #expect(try (2..<4).contains(value(small)))
    }

    @Test("An encoder that nothing limited sent what the frame needed")
    func unlimited() {
        let size = VideoSize(width: 1280, height: 720)
        #expect(score.video(size: size, bitrate: 100_000, frozen: 0, isEncoderLimited: false) == 5)
        #expect(score.video(size: size, bitrate: 100_000, frozen: 0, isEncoderLimited: true) ?? 5 < 3.5)
        #expect(score.video(size: size, bitrate: 100_000, frozen: 0, isEncoderLimited: nil) == nil)
        #expect(
            score.video(size: VideoSize(width: 0, height: 0), bitrate: 1, frozen: 0, isEncoderLimited: true)
                == nil)
    }

    @Test("The same audio missing in fewer, longer gaps is worse")
    func bursts() throws {
        var before = 5.0
        for ratio in [1.0, 1.5, 3, 10] {
            let value = try #require(
                score.audio(
                    roundTripTime: 0.05, jitterBufferDelay: 0.05, concealment: 0.05, burstRatio: ratio))
            #expect(value < before)
            before = value
        }
        #expect(
            score.audio(roundTripTime: 0, jitterBufferDelay: 0, concealment: 0, burstRatio: 10)
                == score.audio(roundTripTime: 0, jitterBufferDelay: 0, concealment: 0))
        #expect(
            score.audio(roundTripTime: 0, jitterBufferDelay: 0, concealment: 0, burstRatio: .nan) == nil)
    }

    @Test("Half of the worst impairment is reached where G.107 says so")
    func robustness() throws {
        var rules = OpinionScoreRules()
        rules.delayFactor = 0
        rules.longDelayFactor = 0
        rules.bestRating = 100
        rules.worstConcealment = 100
        rules.concealmentRobustness = 20
        // A rating of 50 is a score of 2.575.
        let half = OpinionScore(rules: rules)
            .audio(roundTripTime: 0, jitterBufferDelay: 0, concealment: 0.2)
        #expect(abs(try #require(half) - 2.575) < 1e-9)
    }

    @Test(
        "Coarser quantization, fewer frames and smaller layers are worse; what the encoder says is not asked then"
    )
    func parameters() throws {
        let (size, wanted) = (VideoSize(width: 640, height: 360), VideoSize(width: 1280, height: 720))
        func value(_ quantizer: Double, _ frameRate: Double, _ size: VideoSize) throws -> Double {
            try #require(
                score.video(
                    size: size, wanted: wanted, bitrate: 1, frozen: 0, isEncoderLimited: nil,
                    quantizer: quantizer, frameRate: frameRate))
        }
        #expect(try value(0, 30, wanted) == 5)
        #expect(try value(0, 30, wanted) == value(0, 60, wanted))
        for (good, bad) in [(0.1, 0.3), (0.3, 0.6), (0.6, 1)] {
            #expect(try value(good, 30, wanted) > value(bad, 30, wanted))
        }
        for (good, bad) in [(30.0, 15.0), (15, 5), (5, 1)] {
            #expect(try value(0.1, good, wanted) > value(0.1, bad, wanted))
        }
        #expect(try value(0.1, 30, wanted) > value(0.1, 30, size))
        #expect(
            score.video(
                size: size, bitrate: 1, frozen: 0, isEncoderLimited: nil, quantizer: .nan) == nil)
    }

    @Test("Video that does not move at all scores 1, whatever else is unknown")
    func frozen() {
        let size = VideoSize(width: 640, height: 360)
        #expect(score.video(size: size, bitrate: 0, frozen: 1, isEncoderLimited: nil) == 1)
        #expect(score.video(size: size, bitrate: 0, frozen: 0.9, isEncoderLimited: nil) == nil)
    }

    @Test("A muted publisher and a shared screen have no score")
    func notJudged() {
        var scenario = CallScenario.subscriber(.subscription(videoType: .screen))
        scenario.remote.publisher = Aged(PublisherMetrics(audioMuted: true), age: 1)
        scenario.run(.init(5))
        #expect(scenario.subscribed.last?.audio?.mos == nil && scenario.subscribed.last?.video?.mos == nil)
        var plain = CallScenario.subscriber()
        plain.run(.init(5))
        #expect(plain.subscribed.last?.audio?.mos ?? 0 > 4 && plain.subscribed.last?.video?.mos == nil)
        plain.remote.publisher = Aged(PublisherMetrics(cause: Diagnosis.Cause.none), age: 1)
        plain.run(.init(5))
        #expect(plain.subscribed.last?.video?.mos == 5)
    }
}
