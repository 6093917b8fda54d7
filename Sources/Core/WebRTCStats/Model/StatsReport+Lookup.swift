// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension StatsReport {
    /// The `codec` entry of that id; `nil` if there is none.
    public func codec(id: String?) -> CodecStats? { codecs.entry(id: id) }

    /// The `inbound-rtp` entry of that id; `nil` if there is none.
    public func inboundRTP(id: String?) -> InboundRTPStats? { inboundRTP.entry(id: id) }

    /// The `outbound-rtp` entry of that id; `nil` if there is none.
    public func outboundRTP(id: String?) -> OutboundRTPStats? { outboundRTP.entry(id: id) }

    /// The `remote-inbound-rtp` entry of that id; `nil` if there is none.
    public func remoteInboundRTP(id: String?) -> RemoteInboundRTPStats? { remoteInboundRTP.entry(id: id) }

    /// The `remote-outbound-rtp` entry of that id; `nil` if there is none.
    public func remoteOutboundRTP(id: String?) -> RemoteOutboundRTPStats? { remoteOutboundRTP.entry(id: id) }

    /// The `media-source` entry of that id; `nil` if there is none.
    public func mediaSource(id: String?) -> MediaSourceStats? { mediaSources.entry(id: id) }

    /// The `media-playout` entry of that id; `nil` if there is none.
    public func mediaPlayout(id: String?) -> MediaPlayoutStats? { mediaPlayout.entry(id: id) }

    /// The `transport` entry of that id; `nil` if there is none.
    public func transport(id: String?) -> ICETransportStats? { transports.entry(id: id) }

    /// The `candidate-pair` entry of that id; `nil` if there is none.
    public func candidatePair(id: String?) -> CandidatePairStats? { candidatePairs.entry(id: id) }

    /// The `local-candidate` entry of that id; `nil` if there is none.
    public func localCandidate(id: String?) -> CandidateStats? { localCandidates.entry(id: id) }

    /// The `remote-candidate` entry of that id; `nil` if there is none.
    public func remoteCandidate(id: String?) -> CandidateStats? { remoteCandidates.entry(id: id) }

    /// The `certificate` entry of that id; `nil` if there is none.
    public func certificate(id: String?) -> CertificateStats? { certificates.entry(id: id) }

    /// The candidate pair media flows on; `nil` while there is none.
    ///
    /// The first transport that names its selected pair decides. Engines that report no transport are asked for a
    /// pair that is nominated and succeeded; of several, the one that sent most.
    public var selectedCandidatePair: CandidatePairStats? {
        for transport in transports {
            if let pair = candidatePair(id: transport.selectedCandidatePairId) { return pair }
        }
        return
            candidatePairs
            .filter { $0.nominated == true && $0.state == .succeeded }
            .max { ($0.bytesSent ?? 0) < ($1.bytesSent ?? 0) }
    }

    /// The candidate pair a transport's media flows on; `nil` while there is none.
    public func selectedCandidatePair(of transport: ICETransportStats) -> CandidatePairStats? {
        candidatePair(id: transport.selectedCandidatePairId)
    }
}

extension Array where Element: StatsEntry {
    fileprivate func entry(id: String?) -> Element? {
        guard let id else { return nil }
        // By index: a closure would be given a copy of each.
        for index in indices where self[index].id == id { return self[index] }
        return nil
    }
}
