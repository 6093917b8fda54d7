// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import CallQuality

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
