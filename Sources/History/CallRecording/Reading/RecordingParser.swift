// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// Makes the bytes of a recording its reports, piece by piece and without any I/O.
///
/// The form is recognised by the content. What cannot be read becomes an issue with its line and costs only
/// itself; a last line that was torn is one of these. Forms of lines are read as they come; what looks like a
/// document of webrtc-internals or about:webrtc is kept until ``finish()``. No input traps, and the limits
/// bound what one can cost.
public struct RecordingParser: Sendable {
    /// After this many lines of unknown form, there is none.
    private static let linesToDetect = 64
    /// This many bytes show whether the recording is made of lines.
    private static let headBytes = 64

    /// The recording's form; `nil` until it is recognised.
    public private(set) var format: RecordingFormat?

    private let limits: RecordingLimits
    private var lineReader: LineReader
    private var context: LineContext
    private var lines: (any LineFormat)?
    /// What there is of a document; `nil` if the recording is made of lines.
    private var document: [UInt8]?
    private var legacy = LegacyStats()
    /// The first bytes, until there are enough to look at.
    private var head: [UInt8]? = []
    private var undecided = 0
    /// Lines that are there as a whole and were not read.
    private var unread: ArraySlice<LineReader.Line> = []

    /// Creates a parser for one recording.
    public init(limits: RecordingLimits = .default) {
        self.limits = limits
        lineReader = LineReader(limit: limits.lineBytes)
        context = LineContext(limits: limits)
    }

    /// What could not be read so far, at most ``RecordingLimits/issues``.
    public var issues: [RecordingIssue] { context.issues.issues }

    /// How many more issues there were.
    public var omittedIssues: Int { context.issues.omitted }

    /// Calls and events of the API that the recording has beside the reports, in its order; complete once it is read.
    public var trace: [TraceEvent] { context.trace }

    /// Takes the next piece.
    ///
    /// - Parameter piece: The next bytes; where they are cut does not matter.
    /// - Returns: The reports that the piece completes, in the recording's order.
    /// - Throws: ``RecordingError`` if the recording is of no known form or passes a limit; then there is no
    ///   more to come from it.
    public mutating func append(_ piece: [UInt8]) throws(RecordingError) -> [RecordedReport] {
        try add(piece)
        return try readAll()
    }

    /// Ends the recording.
    ///
    /// - Returns: The reports that were still to come.
    /// - Throws: ``RecordingError`` if the recording was empty, of no known form, or a document that is no
    ///   JSON.
    public mutating func finish() throws(RecordingError) -> [RecordedReport] {
        try takeHead()
        var reports = try readAll()
        if let bytes = document {
            document = nil
            if format == nil { format = RecordingFormat.ofWholeDocument(bytes) }
            guard var form = format?.document else { throw Self.unknownFormat }
            reports += try form.reports(of: bytes, &context)
        } else if let line = lineReader.finish() {
            reports += try take(line)
        }
        guard format != nil || context.line > 0 else {
            throw RecordingError(.empty, "The recording is empty.")
        }
        guard format != nil else { throw Self.unknownFormat }
        reports = noted(reports)
        guard !legacy.isAll else { throw Self.legacyStats }
        for connection in legacy.connections {
            context.note(
                .legacyStats, "Peer connection \(connection) has only statistics of the old form (goog…).")
        }
        return reports
    }

    /// Adds an issue found while reading the file.
    mutating func note(_ code: RecordingIssue.Code, _ detail: String) {
        context.issues.note(code, detail)
    }
}

extension RecordingParser {
    /// Takes the next piece; ``next()`` gives its reports line by line, before the piece after it.
    ///
    /// A line of a few bytes may make a report of megabytes, so those of a whole piece could fill the memory.
    mutating func add(_ piece: [UInt8]) throws(RecordingError) {
        guard var head else { return try take(piece) }
        head += piece
        self.head = head
        if head.count >= Self.headBytes { try takeHead() }
    }

    /// The reports of the next line; `nil` if there is none before the next piece.
    mutating func next() throws(RecordingError) -> [RecordedReport]? {
        guard let line = unread.popFirst() else { return nil }
        return noted(try take(line))
    }

    private mutating func readAll() throws(RecordingError) -> [RecordedReport] {
        var reports: [RecordedReport] = []
        while let more = try next() { reports += more }
        return reports
    }

    private static let unknownFormat = RecordingError(
        .unknownFormat,
        "The content is no recording: neither lines of ours, of replay entries or of an rtcstats server, "
            + "nor a document of webrtc-internals or about:webrtc.")

    private static let legacyStats = RecordingError(
        .legacyStats,
        "The recording has only the statistics that Chromium had before the standard ones (goog…), which cannot be "
            + "judged; record getStats() in its standard form.")

    private mutating func noted(_ reports: [RecordedReport]) -> [RecordedReport] {
        for report in reports { legacy.note(report) }
        return reports
    }

    /// Looks at the first bytes for forms that are not made of lines, and continues with them.
    private mutating func takeHead() throws(RecordingError) {
        guard let head else { return }
        self.head = nil
        if head.starts(with: [0x1F, 0x8B]) || head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
            throw RecordingError(.compressed, "The recording is compressed; unpack it first.")
        }
        if head.starts(with: RTCStatsFormat.fileMark) {
            let rest = head.dropFirst(RTCStatsFormat.fileMark.count).drop { $0 == UInt8(ascii: "\r") }
            guard rest.first == UInt8(ascii: "\n") else { throw Self.unknownFormat }
            format = .rtcstats
            lines = RTCStatsFormat(isMarked: true)
            context.line = 1
            return try take(Array(rest.dropFirst()))
        }
        format = RecordingFormat.ofDocument(head)
        if format != nil || RecordingFormat.isSpreadDocument(head) { document = [] }
        return try take(head)
    }

    private mutating func take(_ piece: [UInt8]) throws(RecordingError) {
        guard document == nil else { return try keep(piece) }
        unread = piece.withUnsafeBytes { lineReader.read($0) }[...]
    }

    private mutating func keep(_ piece: [UInt8]) throws(RecordingError) {
        let count = (document?.count ?? 0) + piece.count
        guard count <= limits.documentBytes else {
            throw RecordingError(.tooLarge, "The recording is longer than \(limits.documentBytes) bytes.")
        }
        document?.append(contentsOf: piece)
    }

    private mutating func take(_ line: LineReader.Line) throws(RecordingError) -> [RecordedReport] {
        context.line += 1
        switch line {
        case .tooLong:
            context.note(.lineTooLong, "The line is longer than \(limits.lineBytes) bytes.")
            return try undecidedLine()
        case .complete(let bytes):
            return try read(bytes, or: .invalidJSON, "The line is not valid JSON")
        case .unfinished(let bytes):
            return try read(bytes, or: .tornLine, "The last line is torn")
        }
    }

    private mutating func read(
        _ bytes: [UInt8], or code: RecordingIssue.Code, _ detail: String
    ) throws(RecordingError) -> [RecordedReport] {
        guard !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { return [] }
        do throws(StatsParseError) {
            if format == nil { decide(by: try StatsValue.parse(bytes, limits: limits.parseLimits)) }
            if let reports = try lines?.reports(ofLine: bytes, &context) { return reports }
            context.note(.unexpectedForm, "The line is of no known form.")
        } catch {
            context.note(code, "\(detail) at byte \(error.offset): \(error.code.rawValue).")
        }
        return try undecidedLine()
    }

    private mutating func decide(by value: StatsValue) {
        guard let form = RecordingFormat.ofLine(value) else { return }
        format = form
        switch form {
        case .sightline: lines = SightlineFormat()
        case .replayEntry: lines = ReplayEntryFormat()
        case .rtcstats: lines = RTCStatsFormat()
        case .webrtcInternals, .aboutWebRTC: lines = form.document
        }
    }

    private mutating func undecidedLine() throws(RecordingError) -> [RecordedReport] {
        guard format == nil else { return [] }
        undecided += 1
        if undecided >= Self.linesToDetect { throw Self.unknownFormat }
        return []
    }
}

extension RecordingLimits {
    /// The limits for one line.
    var parseLimits: ParseLimits {
        var limits = ParseLimits()
        limits.bytes = lineBytes
        limits.depth = depth
        limits.entries = entries
        return limits
    }
}
