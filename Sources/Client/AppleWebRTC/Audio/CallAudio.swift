// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

// There is no audio session on macOS.
#if canImport(WebRTC) && canImport(AVFoundation) && !os(macOS)
import AVFoundation
import Foundation
import MediaEngine
import WebRTC

// The framework's session has a lock of its own, and all else never changes, hence unchecked.
/// The device's audio session during calls: where they are heard, when it is active, CallKit, and interruptions.
///
/// All of it goes through the framework's `RTCAudioSession`, so that the app and WebRTC do not undo each other's
/// settings. Safe to use from any thread; calls wait for the system's audio service, which may take tens of
/// milliseconds, so prefer not to make them on the main actor while it animates.
///
/// Without CallKit:
///
/// ```swift
/// let audio = CallAudio(engine)
/// try audio.setOutput(.speaker)
/// try audio.activate()          // and audio.deactivate() after the call
/// ```
///
/// With CallKit call ``useCallKit()`` before the first call, ``setOutput(_:)`` when one starts or is answered, and
/// pass on what the provider's delegate is notified of: ``didActivate(_:)`` and ``didDeactivate(_:)``. CallKit
/// activates the session then, and the app does not.
public final class CallAudio: @unchecked Sendable {
    /// Where a call is heard while nothing is plugged in and no other device is connected.
    public enum Output: Sendable {
        /// The loudspeaker, as video calls are.
        case speaker
        /// The receiver at the ear, as telephone calls are.
        case receiver

        var mode: AVAudioSession.Mode { self == .speaker ? .videoChat : .voiceChat }
    }

    /// Bluetooth headsets that can record: its name changed in the system's SDK, its number did not.
    private static let headsets = AVAudioSession.CategoryOptions(rawValue: 4)
    private static let anyHeadset: AVAudioSession.CategoryOptions = [headsets, .allowBluetoothA2DP]

    private let session: RTCAudioSession
    private let choice: AudioSessionChoice
    /// What plays and records, if it does not ask the session whether it may.
    private let device: RTCAudioDeviceModule?

    /// Changes nothing yet.
    ///
    /// - Parameter engine: The engine whose calls are heard.
    public convenience init(_ engine: AppleWebRTCEngine) {
        self.init(engine, .sharedInstance(), .ofProcess)
    }

    init(_ engine: AppleWebRTCEngine, _ session: RTCAudioSession, _ choice: AudioSessionChoice) {
        self.session = session
        self.choice = choice
        device = engine.ownsAudioDevice ? engine.factory.audioDeviceModule : nil
    }

    /// Configures the session for calls that are heard there, now and whenever WebRTC configures it itself.
    ///
    /// May be called during a call. What is plugged in or connected by Bluetooth is preferred to both.
    ///
    /// - Throws: `MediaEngineError` with code `internal` and the system's reason.
    public func setOutput(_ output: Output) throws {
        try configure(mode: output.mode, options: Self.anyHeadset)
    }

    /// Configures the session in another way, now and whenever WebRTC configures it itself.
    ///
    /// From then on no engine configures it by itself, also if this throws.
    ///
    /// - Parameters:
    ///   - category: What the app does; without `playAndRecord` nothing is recorded.
    ///   - mode: What it does that for; `videoChat` and `voiceChat` have the system cancel echo.
    ///   - options: Which devices may be used, and what becomes of other apps' audio.
    /// - Throws: `MediaEngineError` with code `internal` and the system's reason.
    public func configure(
        category: AVAudioSession.Category = .playAndRecord, mode: AVAudioSession.Mode,
        options: AVAudioSession.CategoryOptions = []
    ) throws {
        try locked {
            choice.make()
            try apply(category, mode, options)
        }
    }

    /// Activates the session, which interrupts other apps' audio; not with CallKit.
    ///
    /// Each call is to be balanced by one of ``deactivate()``: while there is one, WebRTC activates the session again
    /// after an interruption.
    ///
    /// - Throws: `MediaEngineError` with code `internal` and the system's reason, such as a telephone call.
    public func activate() throws {
        try locked { try session.setActive(true) }
    }

    /// Deactivates the session with the last balanced call, and lets other apps' audio continue; not with CallKit.
    ///
    /// - Throws: `MediaEngineError` with code `internal` and the system's reason.
    public func deactivate() throws {
        try locked { try session.setActive(false) }
    }

    /// Leaves it to CallKit when audio starts and ends: nothing is played or recorded before ``didActivate(_:)``.
    ///
    /// - Throws: `MediaEngineError` with code `internal` if the audio device refuses.
    public func useCallKit() throws {
        session.useManualAudio = true
        session.isAudioEnabled = false
        try setAvailable(false)
    }

    /// Starts audio: for `provider(_:didActivate:)`.
    ///
    /// - Throws: `MediaEngineError` with code `internal` if the audio device does not start.
    public func didActivate(_ session: AVAudioSession) throws {
        self.session.audioSessionDidActivate(session)
        self.session.isAudioEnabled = true
        try setAvailable(true)
    }

    /// Ends audio: for `provider(_:didDeactivate:)`.
    ///
    /// - Throws: `MediaEngineError` with code `internal` if the audio device does not stop.
    public func didDeactivate(_ session: AVAudioSession) throws {
        // The session has to know also when the device does not stop.
        defer { self.session.audioSessionDidDeactivate(session) }
        self.session.isAudioEnabled = false
        try setAvailable(false)
    }

    /// What happens to the session from now on, for one listener, from the system's threads; nothing is lost.
    ///
    /// Ends when its reader ends.
    public func events() -> AsyncStream<CallAudioEvent> {
        CallAudioObserver.events(of: session)
    }

    /// Configures the session for calls, once in the life of the process and only if the app has not.
    func configureIfNeeded() throws {
        // With the session's lock, so that an app that configures it meanwhile has the last word.
        try locked {
            guard !choice.isMade else { return }
            // Of the system's own session: the framework's gives it as text in some builds.
            if session.session.category != .playAndRecord {
                try apply(.playAndRecord, Output.speaker.mode, Self.anyHeadset)
            }
            // Only now: what the system refused is tried again with the next peer connection.
            choice.make()
        }
    }

    private func apply(
        _ category: AVAudioSession.Category, _ mode: AVAudioSession.Mode,
        _ options: AVAudioSession.CategoryOptions
    ) throws {
        let configuration = RTCAudioSessionConfiguration()
        configuration.category = category.rawValue
        configuration.mode = mode.rawValue
        configuration.categoryOptions = options
        RTCAudioSessionConfiguration.setWebRTC(configuration)
        try session.setConfiguration(configuration)
    }

    /// The engine's own audio device has a switch of its own for what `isAudioEnabled` is to the framework's other one.
    private func setAvailable(_ isAvailable: Bool) throws {
        guard let device else { return }
        // Literals, since the framework's booleans are of another type on some systems.
        let availability =
            isAvailable
            ? RTCAudioEngineAvailability(isInputAvailable: true, isOutputAvailable: true)
            : RTCAudioEngineAvailability(isInputAvailable: false, isOutputAvailable: false)
        let code = device.setEngineAvailability(availability)
        guard code == 0 else {
            throw MediaEngineError(
                .internal, "the audio device did not \(isAvailable ? "start" : "stop"): \(code)")
        }
    }

    private func locked(_ body: () throws -> Void) throws(MediaEngineError) {
        session.lockForConfiguration()
        defer { session.unlockForConfiguration() }
        do { try body() } catch { throw MediaEngineError(.internal, error.localizedDescription) }
    }
}
#endif
