// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Something in a recording that could not be read as it stood; the rest of it could.
public struct RecordingIssue: Sendable, Hashable {
    /// What was wrong.
    ///
    /// Open: codes are added freely.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's name.
        public let rawValue: String

        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A line is not valid JSON; it was omitted.
        public static let invalidJSON = Code(rawValue: "invalidJSON")
        /// The last line ends in the middle, as when the recorder was killed; it was omitted.
        public static let tornLine = Code(rawValue: "tornLine")
        /// The recording ends in the middle or is damaged from a place on; what came before was read.
        public static let truncated = Code(rawValue: "truncated")
        /// A peer connection has only the statistics that Chromium had before the standard ones (`goog…`).
        public static let legacyStats = Code(rawValue: "legacyStats")
        /// A line is longer than ``RecordingLimits/lineBytes``; it was omitted.
        public static let lineTooLong = Code(rawValue: "lineTooLong")
        /// A line is JSON, but not of the recording's form; it was omitted.
        public static let unexpectedForm = Code(rawValue: "unexpectedForm")
        /// A report has no usable time; it was omitted.
        public static let missingTime = Code(rawValue: "missingTime")
        /// Parts of a report could not be read; the rest of it was.
        public static let damagedReport = Code(rawValue: "damagedReport")
        /// What is said to be an intent or remote facts is none; it was omitted.
        public static let unreadableContext = Code(rawValue: "unreadableContext")
        /// There is more of something than the limits allow; the rest was omitted.
        public static let limitExceeded = Code(rawValue: "limitExceeded")
    }

    /// What was wrong.
    public var code: Code
    /// The line concerned, from 1; `nil` if the recording does not consist of lines.
    public var line: Int?
    /// What exactly, in one sentence for people.
    public var detail: String

    /// Creates an issue.
    public init(_ code: Code, line: Int? = nil, detail: String) {
        self.code = code
        self.line = line
        self.detail = detail
    }
}

extension RecordingIssue: CustomStringConvertible {
    /// The issue on one line for people.
    public var description: String {
        (line.map { "line \($0): " } ?? "") + detail
    }
}
