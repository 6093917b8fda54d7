// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import WebRTCStats

extension RetransmissionPath {
    /// How a sent stream's retransmissions travel: as its intent says, else as the report shows; `nil` if
    /// neither.
    static func of(
        _ entry: borrowing OutboundRTPStats, _ kind: MediaKind, _ intents: [MediaIntent],
        _ report: borrowing StatsReport
    ) -> RetransmissionPath? {
        wanted(entry.mid, kind, .publisher, intents) ?? shown(entry.rtxSsrc, kind, report)
    }

    /// The same for a received stream.
    static func of(
        _ entry: borrowing InboundRTPStats, _ kind: MediaKind, _ intents: [MediaIntent],
        _ report: borrowing StatsReport
    ) -> RetransmissionPath? {
        wanted(entry.mid, kind, .subscriber, intents) ?? shown(entry.rtxSsrc, kind, report)
    }

    private static func wanted(
        _ mid: String?, _ kind: MediaKind, _ role: StreamRole, _ intents: [MediaIntent]
    ) -> RetransmissionPath? {
        for intent in intents where intent.role ?? role == role && intent.covers(kind, mid: mid) {
            let path = kind == .audio ? intent.audio?.retransmission : intent.video?.retransmission
            if let path { return path }
        }
        return nil
    }

    /// An entry's own member, or a codec for retransmissions in the report.
    ///
    /// Their absence proves nothing: there are engines that report neither.
    private static func shown(
        _ rtxSSRC: UInt64?, _ kind: MediaKind, _ report: borrowing StatsReport
    ) -> RetransmissionPath? {
        if rtxSSRC != nil { return .ownSSRC }
        guard kind == .video else { return nil }
        for index in report.codecs.indices where report.codecs[index].mimeType?.hasSuffix("/rtx") == true {
            return .ownSSRC
        }
        return nil
    }
}

extension MediaIntent {
    /// Whether an entry of that kind and media section belongs to the stream.
    func covers(_ kind: MediaKind, mid: String?) -> Bool {
        let wanted = kind == .audio ? audio?.mid : video?.mid
        return wanted == nil || wanted == mid
    }
}
