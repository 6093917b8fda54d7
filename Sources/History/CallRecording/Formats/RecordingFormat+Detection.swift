// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

extension RecordingFormat {
    /// The form whose lines look like that; `nil` if the line does not show it.
    static func ofLine(_ value: StatsValue) -> RecordingFormat? {
        switch value {
        case .array(let parts):
            let isCall =
                parts.count >= 3 && RTCStatsNames.method(parts[0]) != nil
                && (parts[1].text != nil || parts[1] == .null)
            return isCall ? .rtcstats : nil
        case .object:
            if value["PeerConnections"] != nil { return .webrtcInternals }
            if value["peerConnections"] != nil { return .replayEntry }
            if value["pcid"] != nil || isReportList(value["reports"]) { return .aboutWebRTC }
            return value[RecordKey.pc] != nil && value[RecordKey.stats] != nil ? .sightline : nil
        default:
            return nil
        }
    }

    /// Names that the first member of a document can have, by form.
    private static let firstNames: [RecordingFormat: Set<String>] = [
        .webrtcInternals: [
            "cpuPerformance", "deviceMemory", "getUserMedia", "hardwareConcurrency", "PeerConnections",
            "UserAgent", "UserAgentData",
        ],
        .aboutWebRTC: [
            "bandwidthEstimations", "codecStats", "dataChannelStats", "iceCandidatePairStats",
            "iceCandidateStats", "inboundRtpStreamStats", "pcid", "reports", "sdpHistories",
        ],
    ]

    /// The form of a document, which need not have line ends where one would like them: the name of its first
    /// member tells; `nil` if the content does not begin like one.
    static func ofDocument(_ head: [UInt8]) -> RecordingFormat? {
        firstMemberName(of: head).flatMap { name in firstNames.first { $0.value.contains(name) }?.key }
    }

    /// Whether the content begins like a document that is spread over lines.
    static func isSpreadDocument(_ head: [UInt8]) -> Bool {
        let start = skipSpace(head[...])
        guard start.first == UInt8(ascii: "{") else { return false }
        let rest = start.dropFirst()
        return rest[..<skipSpace(rest).startIndex].contains(UInt8(ascii: "\n"))
    }

    /// The form of a document, complete or truncated, by its first telling member.
    static func ofWholeDocument(_ document: [UInt8]) -> RecordingFormat? {
        let names = [RecordingFormat.webrtcInternals: "PeerConnections", .aboutWebRTC: "pcid"]
        let places = names.compactMap { form, name in
            document.firstRange(of: Array("\"\(name)\":".utf8)).map { (form: form, place: $0.lowerBound) }
        }
        return places.min { $0.place < $1.place }?.form
    }

    /// How a document of the form is read; `nil` for forms of lines.
    var document: (any RecordingDocument)? {
        switch self {
        case .webrtcInternals: WebRTCInternalsDocument()
        case .aboutWebRTC: AboutWebRTCDocument()
        case .sightline, .replayEntry, .rtcstats: nil
        }
    }

    private static func isReportList(_ value: StatsValue?) -> Bool {
        guard case .array(let reports)? = value else { return false }
        return reports.first?["pcid"] != nil
    }

    private static func skipSpace(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        rest.drop { [0x20, 0x0A, 0x0D, 0x09, 0xEF, 0xBB, 0xBF].contains($0) }
    }

    private static func firstMemberName(of head: [UInt8]) -> String? {
        let start = skipSpace(head[...])
        guard start.first == UInt8(ascii: "{") else { return nil }
        let inside = skipSpace(start.dropFirst())
        guard inside.first == UInt8(ascii: "\"") else { return nil }
        return String(
            decoding: inside.dropFirst().prefix(32).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
}
