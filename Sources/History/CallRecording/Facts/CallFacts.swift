// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What the recordings of a call say about it as a whole, beside the judgement of each second.
public struct CallFacts: Sendable, Equatable, Encodable {
    /// One for each recording, in their order.
    public var clients: [ClientFacts]

    /// Creates facts.
    public init(clients: [ClientFacts] = []) { self.clients = clients }
}

/// What one recording says of the page or app that it was made in.
public struct ClientFacts: Sendable, Equatable, Encodable {
    /// The recording's place.
    public var recording: Int
    /// The first event or report, in Unix ms; `nil` if there is none.
    public var from: Double?
    /// The last event or report, in Unix ms; `nil` if there is none.
    public var to: Double?
    /// Number of calls and events of the API; without any, nothing is known but the statistics.
    public var events = 0
    /// The page and the machine.
    public var page = TracePage()
    /// How often devices were listed.
    public var deviceLists = 0
    /// Time that the app's connection to where it sends its dump took, in seconds; `nil` if unknown.
    public var uploadDelay: Double?
    /// Cameras and microphones.
    public var userMedia = CaptureFacts()
    /// Screens, windows and tabs.
    public var displayMedia = CaptureFacts()
    /// Captured tracks that ended by themselves.
    public var endedTracks: [EndedTrack] = []
    /// Its peer connections, in the order in which they came.
    public var connections: [ConnectionFacts] = []

    /// Creates facts of a recording of which nothing is known.
    public init(recording: Int) { self.recording = recording }

    /// A captured track that ended by itself: a device was removed, or sharing was stopped outside the app.
    public struct EndedTrack: Sendable, Equatable, Encodable {
        /// `audio` or `video`.
        public var kind: String
        /// When, in Unix ms.
        public var time: Double
        /// Time since it was granted, in seconds; `nil` if that is unknown.
        public var lifetime: Double?
        /// Whether it was of a screen, window or tab.
        public var isDisplay: Bool

        /// Creates a track that ended.
        public init(kind: String, time: Double, lifetime: Double? = nil, isDisplay: Bool = false) {
            self.kind = kind
            self.time = time
            self.lifetime = lifetime
            self.isDisplay = isDisplay
        }

        /// Whether it ended within a second: the device gave up at once.
        public var isShort: Bool { lifetime.map { $0 < 1 } ?? false }

        private enum CodingKeys: String, CodingKey { case kind, time, lifetime, isDisplay, isShort }

        /// Writes the members, and `isShort`.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(kind, forKey: .kind)
            try container.encode(time, forKey: .time)
            try container.encodeIfPresent(lifetime, forKey: .lifetime)
            try container.encode(isDisplay, forKey: .isDisplay)
            try container.encode(isShort, forKey: .isShort)
        }
    }
}

/// Requests for devices, or for a screen, and their outcome.
public struct CaptureFacts: Sendable, Equatable, Encodable {
    /// How often it was asked.
    public var requests = 0
    /// How often for audio.
    public var audioRequests = 0
    /// How often for video.
    public var videoRequests = 0
    /// How often for both at once.
    public var combinedRequests = 0
    /// How often it was granted.
    public var successes = 0
    /// When it was granted last, in Unix ms; `nil` if it never was.
    public var lastSuccess: Double?
    /// Refusals.
    public var failures: [Failure] = []
    /// Whether echo cancellation was asked to be off when audio was last asked for; `nil` if it never was.
    public var isEchoCancellationOff: Bool?
    /// USB `vendor:product` of the first microphone; `nil` if its name does not say.
    public var audioDeviceUSB: String?
    /// USB `vendor:product` of the first camera; `nil` if its name does not say.
    public var videoDeviceUSB: String?
    /// Whether a microphone by Bluetooth was granted, by its name; `nil` if no name is known.
    public var isAudioByBluetooth: Bool?
    /// Kinds of tracks that were granted.
    public var kinds: [String] = []

    /// Creates facts without any request.
    public init() {}

    /// A refusal.
    public struct Failure: Sendable, Equatable, Encodable {
        /// When, in Unix ms.
        public var time: Double
        /// The error's name, such as `NotAllowedError`.
        public var error: String
        /// Its message; empty if there is none.
        public var message: String

        /// Creates a refusal.
        public init(time: Double, error: String, message: String) {
            self.time = time
            self.error = error
            self.message = message
        }
    }
}
