// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One thing the builder does to the newest entry of an array.
enum EntryAction {
    case append
    case store(StatsValue, StatsMemberKey)
    case close(id: String, timestamp: Double)
    case retime(index: Int, timestamp: Double)
    case remove
}

extension Array where Element: MemberStorage {
    /// Performs the action in place: entries are large, and copying one out and back would dominate its cost.
    @inline(__always)
    mutating func perform(_ action: EntryAction) -> MemberOutcome {
        switch action {
        case .append:
            append(Element(id: "", timestamp: 0))
        case .store(let value, let key):
            return self[count - 1].take(value, for: key)
        case .close(let id, let timestamp):
            self[count - 1].id = id
            self[count - 1].timestamp = timestamp
            self[count - 1].extra.keepLastOfEachName()
        case .retime(let index, let timestamp):
            self[index].timestamp = timestamp
        case .remove:
            removeLast()
        }
        return .stored
    }
}

extension StatsReport {
    /// How many entries of a kind there are.
    func count(of kind: EntryKind) -> Int {
        switch kind {
        case .codec: codecs.count
        case .inboundRTP: inboundRTP.count
        case .outboundRTP: outboundRTP.count
        case .remoteInboundRTP: remoteInboundRTP.count
        case .remoteOutboundRTP: remoteOutboundRTP.count
        case .mediaSource: mediaSources.count
        case .mediaPlayout: mediaPlayout.count
        case .peerConnection: peerConnections.count
        case .dataChannel: dataChannels.count
        case .transport: transports.count
        case .candidatePair: candidatePairs.count
        case .localCandidate: localCandidates.count
        case .remoteCandidate: remoteCandidates.count
        case .certificate: certificates.count
        case .unknown: unknown.count
        }
    }

    /// Performs the action on the newest entry of a kind; all but `append` need one to be there.
    @inline(__always)
    mutating func perform(_ action: EntryAction, on kind: EntryKind) -> MemberOutcome {
        switch kind {
        case .codec: codecs.perform(action)
        case .inboundRTP: inboundRTP.perform(action)
        case .outboundRTP: outboundRTP.perform(action)
        case .remoteInboundRTP: remoteInboundRTP.perform(action)
        case .remoteOutboundRTP: remoteOutboundRTP.perform(action)
        case .mediaSource: mediaSources.perform(action)
        case .mediaPlayout: mediaPlayout.perform(action)
        case .peerConnection: peerConnections.perform(action)
        case .dataChannel: dataChannels.perform(action)
        case .transport: transports.perform(action)
        case .candidatePair: candidatePairs.perform(action)
        case .localCandidate: localCandidates.perform(action)
        case .remoteCandidate: remoteCandidates.perform(action)
        case .certificate: certificates.perform(action)
        case .unknown: unknown.perform(action)
        }
    }
}
