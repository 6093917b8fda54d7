// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a whole recording was refused, or could not be written.
public struct RecordingError: Error, Sendable, Hashable {
    /// The reason.
    ///
    /// Open: codes are added freely.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's name.
        public let rawValue: String

        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file cannot be opened, read or written.
        public static let fileAccess = Code(rawValue: "fileAccess")
        /// There is nothing in the recording.
        public static let empty = Code(rawValue: "empty")
        /// The content is none of the ``RecordingFormat``s.
        public static let unknownFormat = Code(rawValue: "unknownFormat")
        /// The recording is packed in a way that cannot be read, or so damaged that nothing can be unpacked.
        public static let compressed = Code(rawValue: "compressed")
        /// The recording holds only the statistics that Chromium had before the standard ones (`goog…`).
        public static let legacyStats = Code(rawValue: "legacyStats")
        /// The recording is longer than ``RecordingLimits/documentBytes``.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The recording has to be read as a whole and is not valid JSON.
        public static let invalidJSON = Code(rawValue: "invalidJSON")
        /// The writer was closed already.
        public static let closed = Code(rawValue: "closed")
    }

    /// The reason.
    public var code: Code
    /// What exactly, in one sentence for people; names the file where there is one.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension RecordingError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String { message }
}
