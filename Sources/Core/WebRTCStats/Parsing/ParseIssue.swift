// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Something in a report that could not be read as it stood; the rest of the report could.
public struct ParseIssue: Sendable, Hashable {
    /// What was wrong.
    ///
    /// Open: codes are added freely.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's name.
        public let rawValue: String

        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A member's value has the wrong type or range; it is kept in ``StatsEntry/extra``.
        public static let mistypedMember = Code(rawValue: "mistypedMember")
        /// A member came twice; the last one counts.
        public static let duplicateMember = Code(rawValue: "duplicateMember")
        /// A number is no finite one; it counts as not reported.
        public static let numberOutOfRange = Code(rawValue: "numberOutOfRange")
        /// A text is not valid Unicode; the bad parts were replaced by U+FFFD.
        public static let invalidText = Code(rawValue: "invalidText")
        /// An entry has no usable timestamp; it was given the one of the newest entry.
        public static let missingTimestamp = Code(rawValue: "missingTimestamp")
        /// An entry has no type, or one that is no text; it was omitted.
        public static let missingType = Code(rawValue: "missingType")
        /// An entry has no id, or one that is no text; it was omitted.
        public static let missingID = Code(rawValue: "missingID")
        /// An element of the report is no object; it was omitted.
        public static let entryNotAnObject = Code(rawValue: "entryNotAnObject")
        /// Two entries have the same id; both were kept.
        public static let duplicateID = Code(rawValue: "duplicateID")
        /// An entry holds more values than ``ParseLimits/valuesPerEntry``; the rest of it was omitted.
        public static let tooManyValues = Code(rawValue: "tooManyValues")
        /// The input continues after the report; what follows was not read.
        public static let trailingBytes = Code(rawValue: "trailingBytes")
    }

    /// What was wrong.
    public var code: Code

    /// Wire type of the entry concerned; `nil` if it has none or the issue concerns no entry.
    public var entryType: String?

    /// Id of the entry concerned; `nil` if it has none or the issue concerns no entry.
    public var entryID: String?

    /// Name of the member concerned; `nil` if the issue concerns no single member.
    public var member: String?

    /// Offset in the input, in bytes; `nil` for values that came from an engine instead of text.
    public var offset: Int?

    /// Creates an issue.
    public init(
        _ code: Code, entryType: String? = nil, entryID: String? = nil, member: String? = nil,
        offset: Int? = nil
    ) {
        self.code = code
        self.entryType = entryType
        self.entryID = entryID
        self.member = member
        self.offset = offset
    }
}
