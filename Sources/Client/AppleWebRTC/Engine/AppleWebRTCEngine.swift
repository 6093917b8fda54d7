// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import MediaEngine
import WebRTC

// The framework's factory is safe to use from any thread, hence unchecked.
/// WebRTC.framework as a media engine: the app's own camera, microphone and loudspeaker.
///
/// A publisher sends the front camera and the microphone by default. Sources are the device's: ``Camera``, ``CapturedVideoSource`` takes what a capturer of the framework or the app
/// captures, ``MicrophoneSource`` what the framework's audio unit does. There is no synthetic media, so
/// neither `makeVideoSource(_:)` nor `makeAudioSource(_:)` makes any, and no emulated network. One engine
/// serves any number of peer connections: keep one for the life of the process, since its last owner waits for its
/// threads.
///
/// What is `async` waits for the framework's signaling thread on a queue of its own, and closing waits for nothing. All
/// else waits for that thread on its caller's, since it has something to return: adding senders, receivers and data
/// channels, changing them, sending a message. That is short as long as no callback of the app's on that thread is long.
///
/// One call of these returns early: switching a track that another thread switches at that moment, such as by
/// `Publisher.publishAudio` or ``MicrophoneSource/setLevel(_:)``. The other thread then switches it once more, so a
/// microphone may still be heard for a moment after `publishAudio = false` has returned. Switch it from one thread, such as
/// the main actor, where that matters.
public final class AppleWebRTCEngine: PeerConnectionFactory, @unchecked Sendable {
    /// What makes peer connections, sources and tracks.
    public let factory: RTCPeerConnectionFactory
    /// Whether the audio device is the one that this engine chose, which neither configures the audio session nor asks it
    /// whether it may play.
    let ownsAudioDevice: Bool

    /// Takes a factory of the app's, with its codecs and its audio device.
    public convenience init(_ factory: RTCPeerConnectionFactory) {
        self.init(factory, ownsAudioDevice: false)
    }

    private init(_ factory: RTCPeerConnectionFactory, ownsAudioDevice: Bool) {
        self.factory = factory
        self.ownsAudioDevice = ownsAudioDevice
    }

    /// Makes a factory with all codecs of the framework and the device's audio.
    ///
    /// Its audio device opens the microphone when audio is sent, not when it is only played, so an app that
    /// listens asks for nothing; its encoders have simulcast with hardware codecs as well. On iOS the first peer
    /// connection of the process configures the audio session for calls on the loudspeaker, unless the app has configured it
    /// by `CallAudio`, or has made it record.
    public convenience init() {
        _ = RTCInitializeSSL()
        let encoders = RTCDefaultVideoEncoderFactory()
        self.init(
            RTCPeerConnectionFactory(
                audioDeviceModuleType: .audioEngine, bypassVoiceProcessing: false,
                encoderFactory: RTCVideoEncoderFactorySimulcast(primary: encoders, fallback: encoders),
                decoderFactory: RTCDefaultVideoDecoderFactory(), audioProcessingModule: nil),
            ownsAudioDevice: true)
    }

    /// Creates a peer connection: unified plan, everything on one transport, UDP only.
    ///
    /// - Throws: `MediaEngineError` with code `unsupported` if the configuration has a conditioner or keeps
    ///   to loopback, `internal` if the framework refuses it.
    public func makePeerConnection(_ configuration: PeerConnectionConfiguration) throws
        -> any MediaPeerConnection
    {
        let made = try AppleWebRTCPeerConnection(factory, configuration)
        #if canImport(AVFoundation) && !os(macOS)
        // A call that is not heard is a call all the same; an app that has to know configures the session itself.
        if ownsAudioDevice { try? CallAudio(self).configureIfNeeded() }
        #endif
        return made
    }

    /// Synthetic video is not to be had.
    ///
    /// - Throws: `MediaEngineError` with code `unsupported`, always.
    public func makeVideoSource(_ content: VideoContent) throws -> any VideoSource {
        throw MediaEngineError(.unsupported, "this engine sends what is captured: make a CapturedVideoSource")
    }

    /// There is no synthetic audio.
    ///
    /// - Throws: `MediaEngineError` with code `unsupported`, always.
    public func makeAudioSource(_ content: AudioContent) throws -> any AudioSource {
        throw MediaEngineError(.unsupported, "this engine sends what is captured: make a MicrophoneSource")
    }
}
#endif
