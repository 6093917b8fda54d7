// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How much of an input the parser takes.
///
/// The defaults hold a report of several hundred streams and bound what hostile input can cost: time grows
/// with the bytes, memory with the entries and values.
public struct ParseLimits: Sendable, Hashable {
    /// Most bytes of a report; a longer one is refused.
    public var bytes = 4 << 20

    /// Most levels of arrays and objects; a deeper report is refused.
    ///
    /// The report itself is the first level, its entries the second. More than ``maximumDepth`` counts as
    /// that.
    public var depth = 16

    /// Most entries of a report; one with more is refused.
    public var entries = 4096

    /// Most values of an entry; the rest of it is omitted, with an issue.
    ///
    /// The type, the id, the timestamp and what is in nested arrays and objects count.
    public var valuesPerEntry = 1024

    /// Most levels that ``depth`` can allow: each takes a piece of the stack.
    public static let maximumDepth = 128

    /// The default limits.
    public static let `default` = ParseLimits()

    /// Creates the default limits.
    public init() {}
}
