// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import CallQuality

@Suite("What is left of losses")
struct LossSampleTests {
    @Test(
        "Of more than a Double holds exactly, no more is taken away than there was",
        arguments: [(1 << 53) + 3, UInt64(Int64.max), .max] as [UInt64], [0, 0.5, 1] as [Double])
    func enormous(lost: UInt64, share: Double) {
        let sample = LossSample(lost: lost, expected: lost, from: 0, to: 1000).without(share)
        #expect(sample.lost <= lost)
        if share == 1 { #expect(sample.lost == 0) }
    }
}

@Suite("Loss of one kind of media alone")
struct SelectiveLossTests {
    /// Losses of three seconds, of packets a second.
    private func kind(audio: (lost: UInt64, expected: UInt64), video: (lost: UInt64, expected: UInt64))
        -> MediaKind?
    {
        var loss = SelectiveLoss()
        for second in 1...3 {
            let (from, to) = (Double(second) * 1000, Double(second + 1) * 1000)
            loss.handle(
                [
                    (.audio, LossSample(lost: audio.lost, expected: audio.expected, from: from, to: to)),
                    (.video, LossSample(lost: video.lost, expected: video.expected, from: from, to: to)),
                ], at: to)
        }
        return loss.kind
    }

    @Test("What spares the other by more than chance is named")
    func named() {
        #expect(kind(audio: (0, 50), video: (100, 100)) == .video)
        #expect(kind(audio: (10, 50), video: (0, 100)) == .audio)
    }

    @Test("What may be chance is not, and neither is loss of both")
    func notNamed() {
        #expect(kind(audio: (0, 50), video: (2, 100)) == nil)
        #expect(kind(audio: (1, 50), video: (50, 100)) == nil)
        #expect(kind(audio: (0, 50), video: (0, 100)) == nil)
    }
}
