// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Where in a report an entry is.
package struct StatsEntryPlace: Sendable {
    let kind: EntryKind
    let index: Int
}

extension StatsReportBuilder {
    /// Where the open entry will be in the report; `nil` if none is open.
    package var place: StatsEntryPlace? {
        kind.map { StatsEntryPlace(kind: $0, index: report.count(of: $0) - 1) }
    }
}

extension StatsReport {
    /// Gives a member of an entry, or its time, another value where the entry stands.
    ///
    /// The report has to be one that was built without issues.
    ///
    /// - Returns: Whether the report is the one that all values together would build. If not, it has to be built of them.
    package mutating func change(
        _ key: borrowing StatsMemberKey, to value: consuming StatsValue, ofEntryAt place: StatsEntryPlace
    ) -> Bool {
        let index = place.index
        return switch place.kind {
        case .codec: codecs.change(key, value, index)
        case .inboundRTP: inboundRTP.change(key, value, index)
        case .outboundRTP: outboundRTP.change(key, value, index)
        case .remoteInboundRTP: remoteInboundRTP.change(key, value, index)
        case .remoteOutboundRTP: remoteOutboundRTP.change(key, value, index)
        case .mediaSource: mediaSources.change(key, value, index)
        case .mediaPlayout: mediaPlayout.change(key, value, index)
        case .peerConnection: peerConnections.change(key, value, index)
        case .dataChannel: dataChannels.change(key, value, index)
        case .transport: transports.change(key, value, index)
        case .candidatePair: candidatePairs.change(key, value, index)
        case .localCandidate: localCandidates.change(key, value, index)
        case .remoteCandidate: remoteCandidates.change(key, value, index)
        case .certificate: certificates.change(key, value, index)
        case .unknown: unknown.change(key, value, index)
        }
    }

    /// Takes the time of the newest entry, after entries have changed theirs.
    package mutating func takeNewestTime() {
        let streams = max(
            inboundRTP.newestTime, outboundRTP.newestTime, remoteInboundRTP.newestTime,
            remoteOutboundRTP.newestTime)
        let media = max(
            codecs.newestTime, mediaSources.newestTime, mediaPlayout.newestTime, peerConnections.newestTime)
        let paths = max(
            transports.newestTime, candidatePairs.newestTime, localCandidates.newestTime,
            remoteCandidates.newestTime)
        timestamp = max(
            max(streams, media, paths), certificates.newestTime, dataChannels.newestTime, unknown.newestTime)
    }
}

extension Array where Element: MemberStorage {
    fileprivate mutating func change(
        _ key: borrowing StatsMemberKey, _ value: consuming StatsValue, _ index: Int
    ) -> Bool {
        guard indices.contains(index) else { return false }
        return self[index].change(key, to: value)
    }

    /// By index: an entry that a loop took out would be copied.
    fileprivate var newestTime: Double {
        var newest = 0.0
        for index in indices { newest = Swift.max(newest, self[index].timestamp) }
        return newest
    }
}

extension MemberStorage {
    fileprivate mutating func change(_ key: borrowing StatsMemberKey, to value: consuming StatsValue) -> Bool
    {
        if key.isReserved { return changeTime(key, to: value) }
        if case .null = value { return false }
        if case .uint(let number) = value { value = StatsValue(number) }
        guard key.number > 0 else { return changeExtra(key, to: value) }
        switch store(value, as: key.number) {
        case .stored: return true
        case .foreign(let value): return changeExtra(key, to: value)
        case .mistyped: return false
        }
    }

    private mutating func changeTime(_ key: borrowing StatsMemberKey, to value: StatsValue) -> Bool {
        guard key.number == StatsMemberKey.timestamp.number,
            let time = value.number.flatMap(StatsTime.milliseconds)
        else { return false }
        timestamp = time
        return true
    }

    /// One that is new would not come last where all values are set in their order.
    private mutating func changeExtra(_ key: borrowing StatsMemberKey, to value: StatsValue) -> Bool {
        let name = key.name
        guard value.isFinite, let place = extra.firstIndex(where: { $0.name == name }) else { return false }
        extra[place].value = value
        return true
    }
}
