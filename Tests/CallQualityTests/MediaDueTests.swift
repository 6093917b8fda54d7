// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@testable import CallQuality

@Suite("Whether media is due")
struct MediaDueTests {
    private static let camera = MediaIntent(
        role: .subscriber, audio: AudioIntent(enabled: false),
        video: VideoIntent(enabled: true, videoType: .camera))

    @Test(
        "video alone is due while a layer is sent, and not while it is absent, switched off or suppressed",
        arguments: LayerReason.allCases)
    func video(reason: LayerReason) {
        let isSent = [.wanted, .bandwidth].contains(reason)
        #expect(Self.camera.isMediaDue(SenderMetrics(reason: reason)) == isSent)
    }

    @Test("what the sender does is not known: it is due")
    func unknown() {
        #expect(Self.camera.isMediaDue(nil) && Self.camera.isMediaDue(SenderMetrics()))
    }
}
