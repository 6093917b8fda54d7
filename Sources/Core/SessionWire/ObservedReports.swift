// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

/// What a participant of an observed call has to say: `POST /v1/calls/{call}/reports`.
package struct ObservedReports: Sendable, Equatable {
    /// Most reports and events at once.
    package static let countLimit = 64

    /// The client's name and version, or a browser's name for itself.
    package var client: String?
    /// In the order in which they were taken.
    package var reports: [ObservedReport]
    /// What happened beside them.
    package var events: [ObservedEvent]

    /// Puts reports together.
    package init(client: String? = nil, reports: [ObservedReport], events: [ObservedEvent] = []) {
        self.client = client
        self.reports = reports
        self.events = events
    }
}

/// What is said of one peer connection.
package struct ObservedReport: Sendable, Equatable {
    /// What is said.
    package enum Content: Sendable, Equatable {
        /// What `getStats()` returned.
        case report(StatsReport)
        /// That as what has changed: ``WebRTCStats/ReportRebuilder``.
        case changes([StatsValue])
        /// It is closed.
        case closed
    }

    /// The name of one that has none: a participant of one peer connection need not name it.
    package static let onlyPeerConnection = "main"

    /// The peer connection, by a name that is the participant's own.
    package var peerConnection: String
    /// When, by the sender's clock, Unix ms; the report's own time if `nil`.
    package var time: Double?
    package var content: Content
    /// The participant at its other end, as the app says; `nil` if it says nothing, or a server is there.
    package var remote: String?
    /// What the app says of tracks, by `trackIdentifier`, in place of all that was said before; `nil` if nothing is new.
    package var tracks: [String: TrackTag]?

    /// Says something of a peer connection.
    package init(
        peerConnection: String = onlyPeerConnection, time: Double? = nil, _ content: Content,
        remote: String? = nil, tracks: [String: TrackTag]? = nil
    ) {
        self.peerConnection = peerConnection
        self.time = time
        self.content = content
        self.remote = remote
        self.tracks = tracks
    }
}

/// Something that happened in a participant's page or app.
package struct ObservedEvent: Sendable, Equatable {
    /// What can happen; anything else is not kept.
    package enum Kind: String, Sendable, CaseIterable {
        /// Camera or microphone were asked for; `error` if they were not got.
        case getUserMedia
        /// The screen was asked for.
        case getDisplayMedia
        /// The devices were listed.
        case enumerateDevices
        /// A candidate of the other side was not taken.
        case addIceCandidate
        /// A local or remote track ended, was muted or is unmuted.
        case track
        /// A peer connection's state.
        case connectionState
        /// Its state of looking for a path.
        case iceConnectionState
    }

    package var kind: Kind
    /// By the sender's clock, Unix ms; now if `nil`.
    package var time: Double?
    /// A name that the participant's other events do not have: with a time, it counts once however often it comes.
    package var id: String?
    /// Particulars: at most ``detailLimit`` of them.
    package var detail: [String: String]

    /// Most particulars.
    package static let detailLimit = 8
    /// Longest id, bytes.
    package static let idLimit = 64

    /// Describes what happened.
    package init(_ kind: Kind, time: Double? = nil, id: String? = nil, detail: [String: String] = [:]) {
        self.kind = kind
        self.time = time
        self.id = id
        self.detail = detail
    }
}

/// The outcome of reports.
package struct ObservedReceipt: Sendable, Equatable, Codable {
    /// Reports that were taken.
    package var accepted = 0
    /// Peer connections whose next report has to be whole: what has changed builds on something that the server does
    /// not have.
    package var restart: [String] = []
    /// Why others were not taken; `nil` if they all were.
    package var error: ServerError?

    /// That number of reports was taken, and nothing is wrong.
    package init(accepted: Int = 0) { self.accepted = accepted }
}

// MARK: - Reading

extension ObservedReports {
    /// Members by which reports with something around them differ from a plain one.
    private static let members = [
        "reports", "events", "client", "report", "changes", "closed", "peerConnection", "time", "remote",
        "tracks",
    ].map { Array($0.utf8) }

    /// Reads the body of a request: a plain report as an array or an object by id, one report with its peer connection
    /// and time, or several as `{"reports": […]}`.
    ///
    /// - Throws: ``ServerError`` with the code `malformed`.
    package init(json bytes: [UInt8]) throws(ServerError) {
        guard Self.isWrapped(bytes) else {
            guard let parsed = try? StatsReport.parse(bytes) else { throw Self.noJSON }
            guard parsed.report.timestamp > 0 else {
                throw .malformed("the report is empty, or has no times")
            }
            self.init(reports: [ObservedReport(.report(parsed.report))])
            return
        }
        guard let wrapped = try? WrappedReports.parse(bytes, at: .member("report")) else { throw Self.noJSON }
        let value = wrapped.value
        var entries: [StatsValue] = []
        if let reports = value["reports"] {
            guard case .array(let all) = reports else { throw .malformed("\"reports\" is no array") }
            entries = all
        } else if value["events"] == nil || value["report"] != nil {
            entries = [value]
        }
        var occurrences: [StatsValue] = []
        if case .array(let all)? = value["events"] { occurrences = all }
        guard max(entries.count, occurrences.count) <= Self.countLimit else {
            throw .malformed("a request has \(Self.countLimit) reports and as many events at most")
        }
        var reports: [ObservedReport] = [], read: Set<Int> = []
        for entry in entries { reports.append(try ObservedReport(entry, wrapped.reports, &read)) }
        self.init(
            client: value["client"]?.text, reports: reports,
            events: occurrences.compactMap(ObservedEvent.init))
    }

    /// Whether a member is one of ours, wherever it stands: ids of statistics have other names.
    private static func isWrapped(_ bytes: [UInt8]) -> Bool {
        var scanner = MemberScanner(bytes[...])
        while let name = scanner.next() {
            if members.contains(where: { name.elementsEqual($0) }) { return true }
        }
        return false
    }

    private static let noJSON = ServerError.malformed(
        "the body is no report of getStats(), nor several of them")
}

extension ObservedReport {
    /// Reads one; a report stands as its number in its place.
    fileprivate init(
        _ value: StatsValue, _ parsed: [Result<ParsedStatsReport, StatsParseError>], _ read: inout Set<Int>
    ) throws(ServerError) {
        let name = value["peerConnection"]?.text ?? Self.onlyPeerConnection
        guard (1...SessionProtocol.nameLimit).contains(name.utf8.count) else {
            throw .malformed("\"peerConnection\" has 1 to \(SessionProtocol.nameLimit) bytes")
        }
        self.init(
            peerConnection: name, time: value["time"]?.number, try Self.content(value, parsed, &read),
            remote: value["remote"]?.text.flatMap { $0.utf8.count <= SessionProtocol.nameLimit ? $0 : nil },
            tracks: try TrackTag.all(in: value["tracks"]))
        if let time, !(0...SessionProtocol.timeLimit).contains(time) {
            throw .malformed("\"time\" is no Unix time in ms")
        }
    }

    private static func content(
        _ value: StatsValue, _ parsed: [Result<ParsedStatsReport, StatsParseError>], _ read: inout Set<Int>
    ) throws(ServerError) -> Content {
        // A number that someone wrote in place of a report is none: each stands for one.
        if case .int(let place)? = value["report"], case let place = Int(clamping: place),
            parsed.indices.contains(place), read.insert(place).inserted
        {
            guard let parsed = try? parsed[place].get() else {
                throw .malformed("a report has \(ParseLimits.default.entries) entries at most")
            }
            return .report(parsed.report)
        }
        if case .array(let changes)? = value["changes"] { return .changes(changes) }
        if value["closed"] == .bool(true) { return .closed }
        throw .malformed("an entry has a \"report\", \"changes\", or \"closed\": true")
    }
}

extension ObservedEvent {
    /// Reads one; `nil` if it is none that is kept.
    fileprivate init?(_ value: StatsValue) {
        guard let kind = value["type"]?.text.flatMap(Kind.init) else { return nil }
        var detail: [String: String] = [:]
        if case .object(let members)? = value["detail"] {
            for member in members.prefix(Self.detailLimit) where member.name.utf8.count <= 32 {
                if let text = member.value.text { detail[member.name] = text.cut(toBytes: 128) }
            }
        }
        let time = value["time"]?.number.flatMap { (0...SessionProtocol.timeLimit).contains($0) ? $0 : nil }
        let id = value["id"]?.text.flatMap { $0.utf8.count <= Self.idLimit ? $0 : nil }
        self.init(kind, time: time, id: id, detail: detail)
    }
}

extension ServerError {
    fileprivate static func malformed(_ message: String) -> ServerError { ServerError(.malformed, message) }
}
