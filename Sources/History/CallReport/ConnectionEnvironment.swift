// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording
import WebRTCStats

/// Codecs, candidates and the like of a peer connection, by its last report.
struct ConnectionEnvironment: Sendable, Equatable {
    /// Names and what they are; those that hold addresses apart.
    struct Item: Sendable, Equatable {
        var name: String
        var value: String
        var isAddress = false
    }

    /// The recording's place.
    var recording: Int
    var peerConnection: String
    /// The view that it is of; `nil` for a whole peer connection.
    var view: CallView.ID?
    var items: [Item]

    init(_ record: RecordedReport, recording: Int, of view: CallView.ID? = nil) {
        self.recording = recording
        self.view = view
        peerConnection = record.peerConnection
        let report = record.report
        let pair = Self.pair(of: report)
        items = Self.path(pair, in: report) + Self.security(report) + Self.media(report)
        if let routing = record.intent?.routing { items.append(.init(name: "routing", value: "\(routing)")) }
    }

    /// The pair that carries the call.
    private static func pair(of report: StatsReport) -> CandidatePairStats? {
        let selected = report.transports.compactMap(\.selectedCandidatePairId).first
        return report.candidatePairs.first { $0.id == selected }
            ?? report.candidatePairs.first { $0.nominated == true && $0.state == .succeeded }
    }

    private static func path(_ pair: CandidatePairStats?, in report: StatsReport) -> [Item] {
        let ends = [
            ("local", report.localCandidates.first { $0.id == pair?.localCandidateId }),
            ("remote", report.remoteCandidates.first { $0.id == pair?.remoteCandidateId }),
        ]
        return ends.flatMap { side, candidate -> [Item] in
            guard let candidate else { return [] }
            var items: [Item] = []
            let words = [
                candidate.candidateType?.rawValue, candidate.protocol,
                candidate.relayProtocol.map { "relayed by \($0.rawValue)" },
            ].compactMap(\.self)
            if !words.isEmpty {
                items.append(.init(name: "\(side) candidate", value: words.joined(separator: ", ")))
            }
            if let address = candidate.address {
                let port = candidate.port.map { " port \($0)" } ?? ""
                items.append(.init(name: "\(side) address", value: address + port, isAddress: true))
            }
            return items
        }
    }

    private static func security(_ report: StatsReport) -> [Item] {
        guard let transport = report.transports.first else { return [] }
        return [("DTLS", transport.tlsVersion.map(name(ofDTLS:))), ("cipher", transport.srtpCipher)]
            .compactMap { name, value in
                value.map { Item(name: name, value: $0) }
            }
    }

    /// The version's name: statistics have it as four hexadecimal digits.
    private static func name(ofDTLS version: String) -> String {
        switch version.uppercased() {
        case "FEFF": "1.0"
        case "FEFD": "1.2"
        case "FEFC": "1.3"
        default: version
        }
    }

    private static func media(_ report: StatsReport) -> [Item] {
        let codecs = report.codecs.compactMap(\.mimeType)
        let encoders = report.outboundRTP.compactMap(\.encoderImplementation)
        let decoders = report.inboundRTP.compactMap(\.decoderImplementation)
        return [("codecs", codecs), ("encoder", encoders), ("decoder", decoders)].compactMap { name, values in
            var known: Set<String> = []
            let unique = values.filter { known.insert($0).inserted }
            return unique.isEmpty ? nil : Item(name: name, value: unique.joined(separator: ", "))
        }
    }
}
