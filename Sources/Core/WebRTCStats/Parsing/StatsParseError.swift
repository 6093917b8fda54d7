// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Why a whole report was refused.
public struct StatsParseError: Error, Sendable, Hashable {
    /// The reason.
    ///
    /// Open: codes are added freely.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's name.
        public let rawValue: String

        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The input is longer than ``ParseLimits/bytes``.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// Arrays and objects are nested deeper than ``ParseLimits/depth``.
        public static let tooDeep = Code(rawValue: "tooDeep")
        /// There are more entries than ``ParseLimits/entries``.
        public static let tooManyEntries = Code(rawValue: "tooManyEntries")
        /// The input is not JSON (RFC 8259).
        public static let invalidJSON = Code(rawValue: "invalidJSON")
        /// The input is neither a JSON array nor a JSON object.
        public static let notAReport = Code(rawValue: "notAReport")
    }

    /// The reason.
    public var code: Code

    /// Where in the input reading stopped, in bytes.
    public var offset: Int

    /// Creates an error.
    public init(_ code: Code, offset: Int) {
        self.code = code
        self.offset = offset
    }
}

extension StatsParseError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch code {
        case .tooLarge: "The stats report is longer than allowed: \(offset) bytes."
        case .tooDeep: "The stats report is nested deeper than allowed at byte \(offset)."
        case .tooManyEntries:
            "The stats report has more entries than allowed; the first one too many is at byte \(offset)."
        case .invalidJSON: "The stats report is not valid JSON at byte \(offset)."
        case .notAReport: "A stats report is a JSON array or object; at byte \(offset) there is neither."
        default: "The stats report cannot be read (\(code.rawValue)) at byte \(offset)."
        }
    }
}
