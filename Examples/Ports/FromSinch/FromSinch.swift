// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import LibWebRTC
import MediaEngine
import NIOSignaling
import Sightline

/// A call with call quality events, as apps for Sinch have it, ported: a microphone that gives nothing, for a while.
///
///     FromSinch URL TOKEN [SECONDS]
///
/// Each comment names what stands there in an app for Sinch.
@main
struct FromSinch {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            print("usage: FromSinch URL TOKEN [SECONDS]")
            exit(64)
        }
        // SinchClient and its call: a session, whose warnings are Sinch's seven by default.
        let call = Session(
            url: arguments[1], token: arguments[2], engine: try LibWebRTCEngine(),
            signaling: NIOSignalingTransport())
        let listener = CallListener()
        call.delegate = listener
        try await call.connect()
        var settings = PublisherSettings()
        settings.video = nil
        settings.audio = .content(.silence)
        let microphone = Publisher(settings: settings)
        // callClient.callUser(withId:)
        try await call.publish(microphone)
        let seconds = arguments.dropFirst(3).first.flatMap(Double.init) ?? 10
        try await Task.sleep(for: .seconds(seconds))
        // audioController.mute(): what is muted is not missed.
        microphone.publishAudio = false
        try await Task.sleep(for: .seconds(seconds / 2))
        print("raised at the end: \(call.raisedWarnings.count)")
        // call.hangup()
        await call.disconnect()
    }
}

final class CallListener: SessionDelegate, Sendable {
    // callDidEmitCallQualityEvent(_:event:) of the call's delegate
    func callDidEmitCallQualityEvent(_ session: Session, event: CallQualityEvent) {
        let warning = event.warning
        // The event's type: trigger or recover.
        let phase = warning.phase == .trigger ? "trigger" : "recover"
        switch warning.kind {
        // Events with a media stream type, audio or video.
        case .highRemoteInboundRTT, .highInboundJitter, .highInboundPacketLoss:
            print(phase, warning.kind, warning.media?.rawValue ?? "")
        // Events with a source stream type, inbound or outbound.
        case .constantAudioLevel, .zeroAudioLevel:
            print(phase, warning.kind, warning.direction?.rawValue ?? "")
        case .missingMediaStream, .lowOSOutputVolumeLevel: print(phase, warning.kind)
        // Ours; only with configuration.quality.warnings = .extended.
        default: break
        }
    }
}
