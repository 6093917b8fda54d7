// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// Settings of a network test; the defaults suit most apps.
public struct NetworkTestConfiguration: Sendable {
    /// Thresholds of the verdict, maximum duration of the measurement, and recommended resolutions.
    public var rules = PreCallRules()
    /// Whether audio and video are measured; without it a connection that carries media counts as audio and
    /// video.
    ///
    /// On.
    public var measuresQuality = true
    /// Whether the recommended size is for simulcast, as publishers use it by default.
    ///
    /// On.
    public var assumesSimulcast = true
    /// Source of the test's video: whatever has enough to send, at best the engine's test pattern.
    ///
    /// An engine without test patterns needs another: ``PublisherSettings/VideoInput/device``, or a source of the app's.
    public var video: PublisherSettings.VideoInput = .testCard
    /// Source of the test's audio: whatever the engine can send, at best synthetic speech.
    ///
    /// An engine without synthetic audio needs another: ``PublisherSettings/AudioInput/device``, or a source of the
    /// app's.
    public var audio: PublisherSettings.AudioInput = .content(.speech(seed: 1))
    /// Size of the test's frames.
    public var resolution = VideoSize(width: 640, height: 360)
    /// Frames a second of the test.
    public var frameRate = 30.0
    /// Timeout of each step of the connectivity stage; twice that for the DTLS handshake.
    ///
    /// All of them end when the whole test does: four seconds after what ``rules`` give the measurement. 8 s.
    public var stepTimeout: Duration = .seconds(8)
    /// A bad network to emulate for all that the test sends and receives; needs an engine that can.
    ///
    /// `nil` leaves the real network alone.
    public var networkConditions: NetworkConditions?
    /// Settings of the test's session.
    public var session = SessionConfiguration()

    /// The defaults.
    public init() {}
}
