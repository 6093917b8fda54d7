// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Testing
import WebRTCStats

@testable import CallQuality

@Suite("Gaps of what is received")
struct ReceptionGapTests {
    // MARK: Freezes that the engine does not count

    /// The longest freezes of reports with these times between frames, in seconds.
    private func freezes(_ reports: [[Double]]) -> [Double?] {
        var inferred = InferredFreezes(), entry = InboundRTPStats(id: "v", timestamp: 0)
        (entry.totalInterFrameDelay, entry.totalSquaredInterFrameDelay) = (0, 0)
        _ = inferred.advance(to: entry, frames: 0)
        return reports.map { times in
            entry.totalInterFrameDelay? += times.reduce(0, +)
            entry.totalSquaredInterFrameDelay? += times.reduce(0) { $0 + $1 * $1 }
            return inferred.advance(to: entry, frames: UInt64(times.count))
        }
    }

    /// A second of frames that are not quite regular.
    private static let smooth = (0..<30).map { 1 / 30 + ($0 % 2 == 0 ? 0.006 : -0.006) }

    @Test("A time between frames that is far longer than the others is a freeze, and its length is known")
    func freeze() throws {
        let found = freezes([Self.smooth, Self.smooth, Array(Self.smooth[..<15]) + [0.5], Self.smooth])
        #expect(found[0] == nil && found[1] == nil && found[3] == nil)
        #expect(abs(try #require(found[2]) - 0.5) < 0.05)
        // One frame, after a second without any.
        #expect(abs(try #require(freezes([Self.smooth, [1.2]])[1]) - 1.2) < 0.01)
    }

    @Test("Video that is slow, or irregular, or gets slower, does not freeze")
    func noFreeze() {
        let irregular = (0..<15).map { 1.0 / 15 + ($0 % 2 == 0 ? 0.03 : -0.03) }
        #expect(freezes([irregular, irregular, irregular]).allSatisfy { $0 == nil })
        let slow = Array(repeating: 0.2, count: 5)
        #expect(freezes([slow, slow, slow]).allSatisfy { $0 == nil })
        #expect(freezes([Self.smooth, Array(repeating: 0.1, count: 10)]).allSatisfy { $0 == nil })
        // A sixth of the frames, and half of them in the middle of a long report.
        #expect(freezes([Self.smooth, slow, slow, slow]).allSatisfy { $0 == nil })
        let halved = (0..<5).flatMap { _ in Self.smooth } + Array(repeating: 1.0 / 15, count: 75)
        #expect(freezes([Self.smooth, halved, halved, halved, halved]).allSatisfy { $0 == nil })
        #expect(freezes([Self.smooth] + Array(repeating: [1.0], count: 6)).suffix(3).allSatisfy { $0 == nil })
        // Ten seconds of frames add up to more variation than one.
        let long = (0..<10).flatMap { _ in Self.smooth }
        #expect(freezes([Self.smooth, long, long]).allSatisfy { $0 == nil })
    }

    // MARK: Audio that was not sent

    /// Share of the audio that is missing, after seconds in each of which this share is concealed and that share of the packets
    /// comes.
    private func missing(_ seconds: [(concealed: Double, arrived: Double)], lossy: Bool = false) -> Double? {
        var gaps = AudioGaps()
        for (second, tick) in seconds.enumerated() {
            let time = Double(second + 1) * 1000
            gaps.handle(
                tick.concealed, isGap: tick.concealed >= 0.03, isExplained: lossy, arrived: tick.arrived,
                at: Tick(time: time, previous: time - 1000))
        }
        return gaps.share
    }

    @Test("Audio that is missing again and again though the path is well was not sent")
    func gaps() throws {
        let seconds = (0..<12).map { $0 % 5 == 3 ? (0.5, 0.4) : (0.0, 1.0) }
        #expect(try #require(missing(seconds)) > 0.05)
        #expect(missing(seconds, lossy: true) == nil)
        // A little of each second.
        #expect(missing(Array(repeating: (0.08, 0.85), count: 8)) != nil)
    }

    @Test("One gap is chance; what stops for long was muted; and late packets are no gap")
    func noGaps() {
        #expect(missing([(0, 1), (0.5, 0.4), (0, 1), (0, 1)]) == nil)
        let muted: [(concealed: Double, arrived: Double)] =
            [(0, 1), (0.1, 0.5)] + Array(repeating: (0, 0), count: 6)
        #expect(missing(muted + muted + [(0, 1)]) == nil)
        #expect(missing((0..<12).map { $0 % 5 == 3 ? (0.2, 1.0) : (0.0, 1.0) }) == nil)
        let late = [(0.3, 0.5), (0.0, 1.5), (0.0, 1.0)] as [(concealed: Double, arrived: Double)]
        #expect(missing(late + late + late + late) == nil)
    }
}
