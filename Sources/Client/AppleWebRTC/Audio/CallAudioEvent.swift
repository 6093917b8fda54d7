// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC) && canImport(AVFoundation) && !os(macOS)
import AVFoundation
import Foundation
import WebRTC

/// What happens to the audio session during calls; see ``CallAudio/events()``.
public enum CallAudioEvent: Sendable, Equatable {
    /// Why audio takes another way.
    public enum RouteChange: Sendable {
        /// A headset or another device was plugged in or connected.
        case deviceAdded
        /// The device in use was unplugged or went out of reach.
        case deviceRemoved
        /// The session was configured in another way, by the app or the user.
        case configured
        /// Anything else.
        case other
    }

    /// Something more important, such as a telephone call, has taken audio over: nothing is played or recorded.
    case interruptionBegan
    /// It is over: WebRTC activates the session again by itself while there is a ``CallAudio/activate()`` without its
    /// ``CallAudio/deactivate()``; without one it stays inactive, and calls silent, until the app activates it.
    ///
    /// - Parameter shouldResume: Whether the system wants audio to continue at once.
    case interruptionEnded(shouldResume: Bool)
    /// Audio takes another way; `AVAudioSession.currentRoute` has it.
    case routeChanged(RouteChange)
    /// The system's audio service began again: the session is to be configured and activated once more.
    case mediaServicesReset
}

extension CallAudioEvent.RouteChange {
    init(_ reason: AVAudioSession.RouteChangeReason) {
        self =
            switch reason {
            case .newDeviceAvailable: .deviceAdded
            case .oldDeviceUnavailable: .deviceRemoved
            case .categoryChange, .override, .routeConfigurationChange: .configured
            default: .other
            }
    }
}

/// Passes on what the framework's session is notified of.
final class CallAudioObserver: NSObject, RTCAudioSessionDelegate, Sendable {
    // The framework's session is safe to use from any thread, hence unchecked.
    private struct Observed: @unchecked Sendable { let session: RTCAudioSession }

    private let continuation: AsyncStream<CallAudioEvent>.Continuation

    private init(_ continuation: AsyncStream<CallAudioEvent>.Continuation) {
        self.continuation = continuation
    }

    static func events(of session: RTCAudioSession) -> AsyncStream<CallAudioEvent> {
        let (events, continuation) = AsyncStream.makeStream(of: CallAudioEvent.self)
        let observer = CallAudioObserver(continuation)
        session.add(observer)
        let observed = Observed(session: session)
        // The framework holds its delegates weakly: this keeps it while there is a reader.
        continuation.onTermination = { _ in observed.session.remove(observer) }
        return events
    }

    func audioSessionDidBeginInterruption(_ session: RTCAudioSession) {
        continuation.yield(.interruptionBegan)
    }

    func audioSessionDidEndInterruption(_ session: RTCAudioSession, shouldResumeSession: Bool) {
        continuation.yield(.interruptionEnded(shouldResume: shouldResumeSession))
    }

    func audioSessionDidChangeRoute(
        _ session: RTCAudioSession, reason: AVAudioSession.RouteChangeReason,
        previousRoute: AVAudioSessionRouteDescription
    ) {
        continuation.yield(.routeChanged(CallAudioEvent.RouteChange(reason)))
    }

    func audioSessionMediaServerReset(_ session: RTCAudioSession) {
        continuation.yield(.mediaServicesReset)
    }
}
#endif
