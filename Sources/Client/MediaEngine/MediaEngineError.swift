// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a media engine could not do what it was asked for.
public struct MediaEngineError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Kind of failure.
    ///
    /// Open: implementations may have more.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the kind.
        public let rawValue: String

        /// Names a kind of failure.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The peer connection is closed.
        public static let closed = Code(rawValue: "closed")
        /// A session description or candidate could not be read or does not fit.
        public static let invalidDescription = Code(rawValue: "invalidDescription")
        /// The call is not possible in the present state.
        public static let invalidState = Code(rawValue: "invalidState")
        /// An argument is out of range.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
        /// A media file is missing, damaged or of a form that cannot be played.
        public static let invalidMedia = Code(rawValue: "invalidMedia")
        /// The implementation does not have what was asked for.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The engine failed for a reason of its own.
        public static let `internal` = Code(rawValue: "internal")
    }

    /// Kind of failure.
    public var code: Code
    /// One sentence for people.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message in one line.
    public var description: String { "\(message) (\(code.rawValue))" }
}
