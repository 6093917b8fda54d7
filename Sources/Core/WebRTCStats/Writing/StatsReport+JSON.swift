// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension StatsReport {
    /// The report as a JSON array in UTF-8, with W3C names and milliseconds.
    ///
    /// Whatever the report keeps is written: unknown types, extra members, and no member that is `nil`.
    /// ``parse(_:limits:)`` of the result gives the same report again. Numbers that are not finite cannot be
    /// written and are omitted.
    public func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.append("[")
        writer.write(codecs, as: .codec)
        writer.write(inboundRTP, as: .inboundRTP)
        writer.write(outboundRTP, as: .outboundRTP)
        writer.write(remoteInboundRTP, as: .remoteInboundRTP)
        writer.write(remoteOutboundRTP, as: .remoteOutboundRTP)
        writer.write(mediaSources, as: .mediaSource)
        writer.write(mediaPlayout, as: .mediaPlayout)
        writer.write(peerConnections, as: .peerConnection)
        writer.write(dataChannels, as: .dataChannel)
        writer.write(transports, as: .transport)
        writer.write(candidatePairs, as: .candidatePair)
        writer.write(localCandidates, as: .localCandidate)
        writer.write(remoteCandidates, as: .remoteCandidate)
        writer.write(certificates, as: .certificate)
        for entry in unknown {
            writer.write(entry, type: entry.type)
        }
        writer.append("]")
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ entries: [some MemberStorage], as kind: EntryKind) {
        guard !entries.isEmpty, let name = kind.wireName else { return }
        for entry in entries {
            write(entry, type: name)
        }
    }

    fileprivate mutating func write(_ entry: some MemberStorage, type: String) {
        beginObject()
        visit("type", type)
        visit("id", entry.id)
        visit("timestamp", entry.timestamp)
        entry.visitMembers(&self)
        for member in entry.extra where !StatsReportBuilder.key(for: member.name).isReserved {
            name(member.name)
            append(member.value)
        }
        endObject()
    }
}
