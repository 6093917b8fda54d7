// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A type of entry: which array of the report it belongs to.
enum EntryKind: UInt8, CaseIterable {
    case codec, inboundRTP, outboundRTP, remoteInboundRTP, remoteOutboundRTP, mediaSource, mediaPlayout
    case peerConnection, dataChannel, transport, candidatePair, localCandidate, remoteCandidate, certificate
    case unknown

    /// Wire names of all types but ``unknown``, in the order of the cases.
    static let wireNames: [(name: String, kind: EntryKind)] = [
        ("codec", .codec),
        ("inbound-rtp", .inboundRTP),
        ("outbound-rtp", .outboundRTP),
        ("remote-inbound-rtp", .remoteInboundRTP),
        ("remote-outbound-rtp", .remoteOutboundRTP),
        ("media-source", .mediaSource),
        ("media-playout", .mediaPlayout),
        ("peer-connection", .peerConnection),
        ("data-channel", .dataChannel),
        ("transport", .transport),
        ("candidate-pair", .candidatePair),
        ("local-candidate", .localCandidate),
        ("remote-candidate", .remoteCandidate),
        ("certificate", .certificate),
    ]

    private static let index = MemberIndex(names: wireNames.map(\.name))

    init(wireName: String) {
        var name = wireName
        let number = name.withUTF8 { Self.index.number(of: UnsafeRawBufferPointer($0)) }
        self = EntryKind(rawValue: number &- 1) ?? .unknown
    }

    /// Wire name of the type; `nil` for ``unknown``, whose entries name their own.
    var wireName: String? {
        self == .unknown ? nil : Self.wireNames[Int(rawValue)].name
    }
}
