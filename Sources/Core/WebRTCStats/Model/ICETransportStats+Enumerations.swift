// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension ICETransportStats {
    /// Which side nominates candidate pairs.
    ///
    /// Open intentionally: an unfamiliar value is kept.
    public struct ICERole: RawRepresentable, Hashable, Sendable {
        /// The value in W3C spelling.
        public let rawValue: String

        /// Creates a value from its W3C spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Not decided yet.
        public static let unknown = Self(rawValue: "unknown")
        /// The local side nominates.
        public static let controlling = Self(rawValue: "controlling")
        /// The remote side nominates.
        public static let controlled = Self(rawValue: "controlled")
    }
}

extension ICETransportStats {
    /// State of an ICE transport.
    ///
    /// Open intentionally: an unfamiliar value is kept.
    public struct ICEState: RawRepresentable, Hashable, Sendable {
        /// The value in W3C spelling.
        public let rawValue: String

        /// Creates a value from its W3C spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Gathering, or waiting for remote candidates.
        public static let new = Self(rawValue: "new")
        /// Checking pairs, none usable yet.
        public static let checking = Self(rawValue: "checking")
        /// A pair is usable; checks continue.
        public static let connected = Self(rawValue: "connected")
        /// A pair is usable and checks are over.
        public static let completed = Self(rawValue: "completed")
        /// The pair in use stopped answering.
        public static let disconnected = Self(rawValue: "disconnected")
        /// No pair is usable.
        public static let failed = Self(rawValue: "failed")
        /// Shut down.
        public static let closed = Self(rawValue: "closed")
    }
}

extension ICETransportStats {
    /// State of a DTLS transport.
    ///
    /// Open intentionally: an unfamiliar value is kept.
    public struct DTLSState: RawRepresentable, Hashable, Sendable {
        /// The value in W3C spelling.
        public let rawValue: String

        /// Creates a value from its W3C spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Handshake not begun.
        public static let new = Self(rawValue: "new")
        /// Handshake under way.
        public static let connecting = Self(rawValue: "connecting")
        /// Keys agreed on.
        public static let connected = Self(rawValue: "connected")
        /// Shut down.
        public static let closed = Self(rawValue: "closed")
        /// Handshake failed.
        public static let failed = Self(rawValue: "failed")
    }
}

extension ICETransportStats {
    /// Which side opened the DTLS handshake.
    ///
    /// Open intentionally: an unfamiliar value is kept.
    public struct DTLSRole: RawRepresentable, Hashable, Sendable {
        /// The value in W3C spelling.
        public let rawValue: String

        /// Creates a value from its W3C spelling.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The local side did.
        public static let client = Self(rawValue: "client")
        /// The remote side did.
        public static let server = Self(rawValue: "server")
        /// Not decided yet.
        public static let unknown = Self(rawValue: "unknown")
    }
}
