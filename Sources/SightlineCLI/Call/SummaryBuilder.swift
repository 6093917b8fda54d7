// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Keeps the newest totals of every end of every stream for the summary.
///
/// Pure.
struct SummaryBuilder: Sendable {
    private var participants: [CallSummary.Participant] = []

    mutating func handle(_ event: CallEvent) {
        guard let name = event.participant, let role = event.role else { return }
        let index = place(name, role)
        participants[index].stream = event.stream ?? participants[index].stream
        switch event.kind {
        case .publisherVideo(let stats):
            participants[index].video = stats.first.map {
                Self.media($0.videoPacketsSent, $0.videoPacketsLost, $0.videoBytesSent, lostIsPart: true)
            }
        case .publisherAudio(let stats):
            participants[index].audio = stats.first.map {
                Self.media($0.audioPacketsSent, $0.audioPacketsLost, $0.audioBytesSent, lostIsPart: true)
            }
        case .subscriberVideo(let stats):
            var media = Self.media(
                stats.videoPacketsReceived, stats.videoPacketsLost, stats.videoBytesReceived,
                lostIsPart: false)
            media.freezeCount = stats.freezeCount
            media.pauseCount = stats.pauseCount
            participants[index].video = media
        case .subscriberAudio(let stats):
            participants[index].audio = Self.media(
                stats.audioPacketsReceived, stats.audioPacketsLost, stats.audioBytesReceived,
                lostIsPart: false)
        default: break
        }
    }

    /// What is known only at the end of the call.
    mutating func note(
        _ name: String, _ role: StreamRole, network: CallSummary.Network?, times: FrameTimes? = nil
    ) {
        let index = place(name, role)
        participants[index].network = network
        participants[index].timeToFirstFrame = times?.first
        participants[index].timeToPublishedSize = times?.publishedSize
    }

    func summary(duration: Double) -> CallSummary {
        CallSummary(
            duration: duration,
            participants: participants.sorted {
                ($0.participant, $0.role.rawValue) < ($1.participant, $1.role.rawValue)
            })
    }

    private mutating func place(_ name: String, _ role: StreamRole) -> Int {
        if let index = participants.firstIndex(where: { $0.participant == name && $0.role == role }) {
            return index
        }
        participants.append(CallSummary.Participant(participant: name, role: role))
        return participants.count - 1
    }

    /// A sender's lost packets are part of those it sent, a receiver's come on top of those it received.
    private static func media(
        _ packets: UInt64?, _ lost: UInt64?, _ bytes: UInt64?, lostIsPart: Bool
    ) -> CallSummary.Media {
        var media = CallSummary.Media(packets: packets, packetsLost: lost, bytes: bytes)
        if let packets, let lost {
            let all = Double(packets) + (lostIsPart ? 0 : Double(lost))
            media.fractionLost = all > 0 ? Double(lost) / all : nil
        }
        return media
    }
}

/// Times of a subscriber's first frames, in seconds since it subscribed.
struct FrameTimes: Sendable {
    /// The first frame; `nil` without any.
    var first: Double?
    /// The first of the published size; `nil` without any.
    var publishedSize: Double?
}
