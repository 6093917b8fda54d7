// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import MediaEngine
import Sightline

/// Collects the events of all participants of a call, for the one task that shows them.
final class EventBus: Sendable {
    let events: AsyncStream<CallEvent>
    private let continuation: AsyncStream<CallEvent>.Continuation

    init() {
        // A few events a second; the reader only formats text.
        (events, continuation) = AsyncStream.makeStream()
    }

    func send(_ event: CallEvent) { continuation.yield(event) }

    func send(life type: String, participant: String?, stream: String? = nil, message: String? = nil) {
        let kind = CallEvent.Kind.life(type: type, message: message)
        send(CallEvent(time: Self.now(), participant: participant, stream: stream, kind: kind))
    }

    func finish() { continuation.finish() }

    /// Unix ms.
    static func now() -> Double { Date().timeIntervalSince1970 * 1000 }
}

extension EventBus {
    /// Passes a publisher's events on until its stream is over.
    func follow(_ publisher: Publisher, participant: String) async {
        let stream = publisher.stream?.streamId
        for await event in publisher.networkStats() {
            let kind: CallEvent.Kind =
                switch event {
                case .videoNetworkStatsUpdated(let stats): .publisherVideo(stats)
                case .audioNetworkStatsUpdated(let stats): .publisherAudio(stats)
                case .mediaLinkStatsUpdated(let stats): .publisherMediaLink(stats)
                case .videoQualityChanged(let stats, let change): .publisherQuality(stats, change)
                case .networkConditionChanged(let stats, let change): .publisherCondition(stats, change)
                }
            send(
                CallEvent(
                    time: Self.now(), role: .publisher, participant: participant, stream: stream, kind: kind))
        }
    }

    /// Passes a subscriber's events on until its stream is over.
    func follow(_ subscriber: Subscriber, participant: String) async {
        let stream = subscriber.stream.streamId
        for await event in subscriber.networkStats() {
            let kind: CallEvent.Kind =
                switch event {
                case .videoNetworkStatsUpdated(let stats): .subscriberVideo(stats)
                case .audioNetworkStatsUpdated(let stats): .subscriberAudio(stats)
                case .mediaLinkStatsUpdated(let stats): .subscriberMediaLink(stats)
                case .videoQualityChanged(let stats, let change): .subscriberQuality(stats, change)
                case .networkConditionChanged(let stats, let change): .subscriberCondition(stats, change)
                }
            send(
                CallEvent(
                    time: Self.now(), role: .subscriber, participant: participant, stream: stream, kind: kind)
            )
        }
    }
}

extension EventBus {
    /// Passes on how a publisher's stream is judged until it is over.
    func followJudgements(of publisher: Publisher, _ participant: String, _ session: Session) async {
        let stream = publisher.stream?.streamId
        for await observation in publisher.observations() {
            let kind = CallEvent.Kind.judgement(observation.diagnosis, session.networkQualityLevel)
            send(
                CallEvent(
                    time: Self.now(), role: .publisher, participant: participant, stream: stream, kind: kind))
        }
    }

    /// Passes on how a subscriber's stream is judged until it is over.
    func followJudgements(of subscriber: Subscriber, _ participant: String, _ session: Session) async {
        let stream = subscriber.stream.streamId
        for await observation in subscriber.observations() {
            let kind = CallEvent.Kind.judgement(observation.diagnosis, session.networkQualityLevel)
            send(
                CallEvent(
                    time: Self.now(), role: .subscriber, participant: participant, stream: stream, kind: kind)
            )
        }
    }
}
