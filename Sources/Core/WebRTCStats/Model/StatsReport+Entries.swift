// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension StatsReport {
    /// Number of entries of all types.
    public var entryCount: Int {
        EntryKind.allCases.reduce(0) { $0 + count(of: $1) }
    }

    /// Shows every entry together with the wire name of its type, type by type.
    public func forEachEntry(_ body: (_ type: String, _ entry: any StatsEntry) -> Void) {
        show(codecs, .codec, body)
        show(inboundRTP, .inboundRTP, body)
        show(outboundRTP, .outboundRTP, body)
        show(remoteInboundRTP, .remoteInboundRTP, body)
        show(remoteOutboundRTP, .remoteOutboundRTP, body)
        show(mediaSources, .mediaSource, body)
        show(mediaPlayout, .mediaPlayout, body)
        show(peerConnections, .peerConnection, body)
        show(dataChannels, .dataChannel, body)
        show(transports, .transport, body)
        show(candidatePairs, .candidatePair, body)
        show(localCandidates, .localCandidate, body)
        show(remoteCandidates, .remoteCandidate, body)
        show(certificates, .certificate, body)
        for entry in unknown {
            body(entry.type, entry)
        }
    }

    private func show(
        _ entries: [some StatsEntry], _ kind: EntryKind, _ body: (String, any StatsEntry) -> Void
    ) {
        guard let name = kind.wireName else { return }
        for entry in entries {
            body(name, entry)
        }
    }
}
