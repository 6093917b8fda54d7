// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension CandidateStats {
    /// How a candidate was found.
    ///
    /// Open intentionally: an unfamiliar value is kept.
    public struct CandidateType: RawRepresentable, Hashable, Sendable {
        /// The value in W3C spelling.
        public let rawValue: String

        /// Creates a value from its W3C spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An address of the machine itself.
        public static let host = Self(rawValue: "host")
        /// The address a STUN server saw.
        public static let serverReflexive = Self(rawValue: "srflx")
        /// The address the peer saw.
        public static let peerReflexive = Self(rawValue: "prflx")
        /// An address on a TURN server.
        public static let relay = Self(rawValue: "relay")
    }
}

extension CandidateStats {
    /// How the client speaks to its TURN server.
    ///
    /// Open intentionally: an unfamiliar value is kept.
    public struct RelayProtocol: RawRepresentable, Hashable, Sendable {
        /// The value in W3C spelling.
        public let rawValue: String

        /// Creates a value from its W3C spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Over UDP.
        public static let udp = Self(rawValue: "udp")
        /// Over TCP.
        public static let tcp = Self(rawValue: "tcp")
        /// Over TLS.
        public static let tls = Self(rawValue: "tls")
    }
}

extension CandidateStats {
    /// Which side opens a TCP candidate's connection.
    ///
    /// Open intentionally: an unfamiliar value is kept.
    public struct TCPType: RawRepresentable, Hashable, Sendable {
        /// The value in W3C spelling.
        public let rawValue: String

        /// Creates a value from its W3C spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// This side does.
        public static let active = Self(rawValue: "active")
        /// The other side does.
        public static let passive = Self(rawValue: "passive")
        /// Both try at once.
        public static let simultaneousOpen = Self(rawValue: "so")
    }
}

extension CandidatePairStats {
    /// State of a pair's connectivity checks.
    ///
    /// Open intentionally: an unfamiliar value is kept.
    public struct State: RawRepresentable, Hashable, Sendable {
        /// The value in W3C spelling.
        public let rawValue: String

        /// Creates a value from its W3C spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Held back.
        public static let frozen = Self(rawValue: "frozen")
        /// Check not sent yet.
        public static let waiting = Self(rawValue: "waiting")
        /// Check under way.
        public static let inProgress = Self(rawValue: "in-progress")
        /// Check failed.
        public static let failed = Self(rawValue: "failed")
        /// Check succeeded.
        public static let succeeded = Self(rawValue: "succeeded")
    }
}
