// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How much of a recording is taken.
///
/// The defaults hold long calls with many streams and bound what a hostile file can cost.
public struct RecordingLimits: Sendable, Hashable {
    /// Most bytes of a line; a longer one is omitted, with an issue.
    public var lineBytes = 8 << 20
    /// Most bytes of a recording that has to be read as a whole, as those of webrtc-internals and
    /// about:webrtc; a longer one is refused.
    public var documentBytes = 128 << 20
    /// Most bytes that a packed recording may hold; the rest is omitted, with an issue.
    public var unpackedBytes = 4 << 30
    /// Most peer connections of a recording, and views of several together; reports of others are omitted,
    /// with an issue.
    public var peerConnections = 1024
    /// Most entries of a report; one with more is omitted, with an issue.
    public var entries = 4096
    /// Most that a report may weigh that is made of differences: a member 1, and 32 bytes of text one more; what is beyond is
    /// omitted, with an issue.
    public var reportWeight = 1 << 20
    /// Most that the last reports of peer connections that are open may weigh together where they are made of
    /// differences; what is beyond is omitted, with an issue.
    public var openWeight = 1 << 20
    /// Most that all reports that are made of differences may weigh beyond what the recording's bytes account
    /// for, 2 each; the rest is omitted, with an issue.
    public var madeWeight = 1 << 24
    /// Most reports of a recording that has to be read as a whole; the rest is omitted, with an issue.
    public var reports = 200_000
    /// Most calls and events of the API that are kept of a recording; the rest is omitted, with an issue.
    public var traceEvents = 100_000
    /// Most levels of arrays and objects.
    public var depth = 32
    /// Most issues that are kept one by one; the others are counted.
    public var issues = 256

    /// The default limits.
    public static let `default` = RecordingLimits()

    /// Creates the default limits.
    public init() {}
}
