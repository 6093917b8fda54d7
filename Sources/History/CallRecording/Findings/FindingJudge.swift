// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Finds what is worth knowing about a call, by its facts.
///
/// Pure. Each rule is a function of the facts of a client, a connection or a track, in the files `FindingCatalog+….swift`.
public struct FindingJudge: Sendable {
    private let rules: FindingRules
    private let table: FindingTable
    /// More than this no one reads; hostile files could have any number.
    private static let limit = 1000

    /// Creates a judge.
    ///
    /// - Parameters:
    ///   - rules: The thresholds.
    ///   - table: What each kind of finding means.
    public init(rules: FindingRules = FindingRules(), table: FindingTable = FindingTable()) {
        self.rules = rules
        self.table = table
    }

    /// The findings of a call: those that matter most first, of equals the earliest; at most 1000.
    public func findings(in facts: CallFacts) -> [Finding] {
        var found: [Finding] = []
        for client in facts.clients {
            found += findings(of: client)
            for connection in client.connections {
                let ofConnection = findings(of: connection, client)
                found += ofConnection
                let known = Set(ofConnection.map(\.kind))
                // What the whole connection shows is not said again of each of its tracks.
                for track in connection.tracks {
                    found += findings(of: track, connection, client).filter { !known.contains($0.kind) }
                }
            }
        }
        return Array(found.sorted { ($1.severity, $0.from) < ($0.severity, $1.from) }.prefix(Self.limit))
    }

    private func findings(of client: ClientFacts) -> [Finding] {
        FindingCatalog.ofClients.flatMap { rule in
            rule.find(client, rules).compactMap { finding(rule.kind, $0, client) }
        }
    }

    private func findings(of connection: ConnectionFacts, _ client: ClientFacts) -> [Finding] {
        var matches = FindingCatalog.ofConnections.compactMap { rule in
            rule.find(connection, rules).map { (rule.kind, $0) }
        }
        // Why it never came to be has one answer: the first that fits.
        if connection.isMissed {
            let reason = FindingCatalog.ofMissedConnections.lazy.compactMap { rule in
                rule.find(connection, rules).map { (rule.kind, $0) }
            }.first
            if let reason { matches.append(reason) }
        }
        // Looked for only where it counts: a client may have thousands of them.
        let isOneOfSeveral =
            connection.isMissed && !matches.isEmpty
            && client.connections.contains { $0.establishment.isConnected && $0.overlaps(connection) }
        return matches.compactMap { kind, match in
            finding(kind, match, client).map { found in
                var found = found
                found.pc = connection.pc
                // As between peers whose call then goes through a server.
                if isOneOfSeveral { found.severity = min(found.severity, .warning) }
                return found
            }
        }
    }

    private func findings(
        of track: TrackFacts, _ connection: ConnectionFacts, _ client: ClientFacts
    ) -> [Finding] {
        guard track.duration >= rules.trackTime else { return [] }
        return FindingCatalog.ofTracks.compactMap { rule in
            guard let match = rule.find(track, rules), var found = finding(rule.kind, match, client) else {
                return nil
            }
            if rule.kind == .highJitter, connection.hasSteadyAudio(beside: track, rules) { return nil }
            found.pc = connection.pc
            found.role = track.role
            found.track = MediaTrack(
                kind: track.kind, mid: track.mid, trackIdentifier: track.trackIdentifier, ssrc: track.ssrc)
            let medium: Finding.Tag = track.kind == .audio ? .audio : .video
            if !found.tags.contains(medium) { found.tags.append(medium) }
            return found
        }
    }

    private func finding(_ kind: FindingKind, _ match: FindingMatch, _ client: ClientFacts) -> Finding? {
        guard let definition = table.definitions[kind] else { return nil }
        return Finding(
            kind: kind, severity: match.isMild ? .information : definition.severity,
            recording: client.recording, from: match.from, to: max(match.to, match.from),
            evidence: match.evidence, sentence: FindingTable.filled(definition.sentence, match.evidence),
            advice: definition.advice, tags: definition.tags)
    }
}

/// What a rule found.
struct FindingMatch: Sendable, Equatable {
    var from: Double
    var to: Double
    var evidence: [Finding.Evidence]
    /// Whether it did no harm in the end, whatever the kind's severity.
    var isMild: Bool

    init(from: Double, to: Double? = nil, isMild: Bool = false, _ evidence: Finding.Evidence...) {
        self.from = from
        self.to = to ?? from
        self.evidence = evidence
        self.isMild = isMild
    }
}

/// A rule: what it finds, and how.
struct FindingRule<Facts, Found>: Sendable {
    let kind: FindingKind
    let find: @Sendable (Facts, FindingRules) -> Found

    init(_ kind: FindingKind, _ find: @escaping @Sendable (Facts, FindingRules) -> Found) {
        self.kind = kind
        self.find = find
    }
}

/// All rules.
enum FindingCatalog {
    static let ofClients = captureRules + pageRules
    static let ofConnections = setUpRules + pathRules
    static let ofMissedConnections = missedRules
    static let ofTracks = networkRules + processorRules + videoRules + audioRules
}
