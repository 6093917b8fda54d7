// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// All there is to say of a cause.
///
/// When it applies is for `CauseTable` in `CallQuality` to decide.
package struct CauseDefinition: Sendable {
    /// What people call it.
    package let label: String
    /// What the problem comes from; `nil` where nothing is wrong, nothing known, or it is on the way back.
    package let origin: Origin?
    /// Whether it holds an encoder back; `nil` where that is not known.
    package let limitsEncoder: Bool?
    let caller: CauseSentences
    let support: CauseSentences
    let reportReader: CauseSentences

    /// What a problem comes from.
    package enum Origin: String, Sendable {
        case network, device
    }

    init(
        _ label: String, _ origin: Origin?, limitsEncoder: Bool?, caller: CauseSentences,
        support: CauseSentences, reportReader: CauseSentences
    ) {
        self.label = label
        self.origin = origin
        self.limitsEncoder = limitsEncoder
        let isOfNetwork = origin == .network
        self.caller = isOfNetwork ? caller.onServer(Self.server.caller) : caller
        self.support = isOfNetwork ? support.onServer(Self.server.support) : support
        self.reportReader = isOfNetwork ? reportReader.onServer(Self.server.reportReader) : reportReader
    }

    /// What there is to say of a server, whatever its network does.
    private static let server = (
        caller: """
        Everyone in the call is affected, so it is probably the call service. Wait, or join again later.
        """,
        support: """
        All connections of the router are bad at once. Check its load and its host, unless all clients share a network.
        """,
        reportReader: """
        Unless all share a network, whoever runs the server should look at its load and its network.
        """
    )

    func sentences(for audience: DiagnosisSentences.Audience) -> CauseSentences {
        switch audience {
        case .caller: caller
        case .support: support
        case .reportReader: reportReader
        }
    }
}

/// The sentences about a cause for one audience: the problem, then the advice.
struct CauseSentences: Sendable, ExpressibleByStringLiteral {
    /// Where none of the others is closer.
    var general: String
    /// On this client's own uplink, or downlink.
    var uplink: String?
    var downlink: String?
    /// On the other side.
    var remote: String?
    /// On both sides, or a side that cannot be determined.
    var bothOrUnclear: String?
    /// On the server's side.
    var server: String?

    init(
        _ general: String, uplink: String? = nil, downlink: String? = nil, remote: String? = nil,
        bothOrUnclear: String? = nil
    ) {
        self.general = general
        self.uplink = uplink
        self.downlink = downlink
        self.remote = remote
        self.bothOrUnclear = bothOrUnclear
    }

    init(stringLiteral general: String) { self.init(general) }

    /// What one side can do: either, the sending or the receiving one, about the whole line, its upload or its
    /// download.
    static func onSide(_ advice: (_ line: String) -> String) -> Self {
        Self(
            "On either side, \(advice("line"))", uplink: "On the sending side, \(advice("upload"))",
            downlink: "On the receiving side, \(advice("download"))")
    }

    /// The sentences with what there is to say of the server's side.
    func onServer(_ sentence: String) -> Self {
        var result = self
        result.server = sentence
        return result
    }

    /// The sentences by what follows the cause in ``DiagnosisSentences/table``.
    var byKey: [(key: String, sentence: String)] {
        let all = [
            ("", general), (".uplink", uplink), (".downlink", downlink), (".remote", remote),
            // An uplink that is bad while this side is not to blame is the publisher's.
            (".uplink.none", remote), (".uplink.unknown", remote), (".bothOrUnclear", bothOrUnclear),
            (".server", server),
        ]
        return all.compactMap { key, sentence in sentence.map { (key, $0) } }
    }
}
