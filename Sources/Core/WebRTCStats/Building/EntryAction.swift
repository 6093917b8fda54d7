// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// One thing to do to an array of entries.
enum EntryAction {
    case append(id: String, timestamp: Double)
    /// Puts a value of the newest entry aside.
    case keep(StatsValue, StatsMemberKey)
    /// Ends the newest entry.
    case settle
    case retime(index: Int, timestamp: Double)
}

extension Array where Element: MemberStorage {
    /// Performs the action in place: entries are large, and copying one out and back would dominate its cost.
    fileprivate mutating func perform(_ action: EntryAction, _ context: inout EntryContext) {
        switch action {
        case .append(let id, let timestamp): append(Element(id: id, timestamp: timestamp))
        case .keep(let value, let key): self[count - 1].keep(value, for: key, &context)
        case .settle: self[count - 1].settle(&context)
        case .retime(let index, let timestamp): self[index].timestamp = timestamp
        }
    }

    @inline(__always)
    fileprivate mutating func offer(
        _ value: consuming StatsValue, _ number: UInt8, _ context: inout EntryContext
    ) {
        self[count - 1].offer(value, number: number, &context)
    }
}

extension StatsReport {
    /// Performs the action on the array of a kind; `keep` and `settle` need an entry to be there.
    mutating func perform(_ action: EntryAction, on kind: EntryKind, _ context: inout EntryContext) {
        switch kind {
        case .codec: codecs.perform(action, &context)
        case .inboundRTP: inboundRTP.perform(action, &context)
        case .outboundRTP: outboundRTP.perform(action, &context)
        case .remoteInboundRTP: remoteInboundRTP.perform(action, &context)
        case .remoteOutboundRTP: remoteOutboundRTP.perform(action, &context)
        case .mediaSource: mediaSources.perform(action, &context)
        case .mediaPlayout: mediaPlayout.perform(action, &context)
        case .peerConnection: peerConnections.perform(action, &context)
        case .dataChannel: dataChannels.perform(action, &context)
        case .transport: transports.perform(action, &context)
        case .candidatePair: candidatePairs.perform(action, &context)
        case .localCandidate: localCandidates.perform(action, &context)
        case .remoteCandidate: remoteCandidates.perform(action, &context)
        case .certificate: certificates.perform(action, &context)
        case .unknown: unknown.perform(action, &context)
        }
    }

    /// Offers a value to the newest entry of a kind, which must be there.
    mutating func offer(
        _ value: consuming StatsValue, number: UInt8, in kind: EntryKind, _ context: inout EntryContext
    ) {
        switch kind {
        case .codec: codecs.offer(value, number, &context)
        case .inboundRTP: inboundRTP.offer(value, number, &context)
        case .outboundRTP: outboundRTP.offer(value, number, &context)
        case .remoteInboundRTP: remoteInboundRTP.offer(value, number, &context)
        case .remoteOutboundRTP: remoteOutboundRTP.offer(value, number, &context)
        case .mediaSource: mediaSources.offer(value, number, &context)
        case .mediaPlayout: mediaPlayout.offer(value, number, &context)
        case .peerConnection: peerConnections.offer(value, number, &context)
        case .dataChannel: dataChannels.offer(value, number, &context)
        case .transport: transports.offer(value, number, &context)
        case .candidatePair: candidatePairs.offer(value, number, &context)
        case .localCandidate: localCandidates.offer(value, number, &context)
        case .remoteCandidate: remoteCandidates.offer(value, number, &context)
        case .certificate: certificates.offer(value, number, &context)
        case .unknown: unknown.offer(value, number, &context)
        }
    }

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

    /// Gives the report the time of its newest entry, and that time to the entries that have none.
    mutating func settle(_ context: inout EntryContext) {
        timestamp = context.newest
        for (kind, index) in context.untimed {
            perform(.retime(index: index, timestamp: timestamp), on: kind, &context)
        }
        context.untimed = []
    }
}
