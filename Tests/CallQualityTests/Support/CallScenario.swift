// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import WebRTCStats

/// A publisher or a subscriber that is observed once a second, in steps written as data.
struct CallScenario {
    /// One step: what changes, and how many seconds follow.
    struct Step {
        var seconds: Int
        var loss: Double?
        var estimate: Double?
        var roundTripTime: Double?
        var isFlowing: Bool?
        var isLimited: Bool?
        var jitter: Double?

        init(
            _ seconds: Int, loss: Double? = nil, estimate: Double? = nil, roundTripTime: Double? = nil,
            isFlowing: Bool? = nil, isLimited: Bool? = nil, jitter: Double? = nil
        ) {
            self.seconds = seconds
            self.loss = loss
            self.estimate = estimate
            self.roundTripTime = roundTripTime
            self.isFlowing = isFlowing
            self.isLimited = isLimited
            self.jitter = jitter
        }
    }

    var call: ScriptedCall
    var intent: MediaIntent
    var remote = RemoteMetrics()
    var legEstimate = 5_000_000.0
    var publisher = PublisherObserver(configuration: .extended)
    var subscriber = SubscriberObserver(configuration: .extended)
    private(set) var published: [PublisherObservation] = []
    private(set) var subscribed: [SubscriberObservation] = []

    static func publisher(_ intent: MediaIntent = .simulcast()) -> CallScenario {
        CallScenario(call: .simulcastPublisher(), intent: intent)
    }

    static func subscriber(_ intent: MediaIntent = .subscription()) -> CallScenario {
        CallScenario(call: .subscriber(), intent: intent)
    }

    mutating func run(_ steps: [Step]) {
        for step in steps { run(step) }
    }

    mutating func run(_ step: Step) {
        if let loss = step.loss { call.setLoss(loss) }
        if let estimate = step.estimate {
            call.estimate = estimate
            legEstimate = estimate
        }
        if let time = step.roundTripTime { call.roundTripTime = time }
        if let isFlowing = step.isFlowing { call.setFlowing(isFlowing) }
        if let isLimited = step.isLimited {
            for index in call.sent.indices where call.sent[index].kind == .video {
                call.sent[index].limitation = isLimited ? .bandwidth : .notLimited
            }
            remote.leg?.value.reason = isLimited ? .bandwidth : .wanted
        }
        if let jitter = step.jitter {
            for index in call.sent.indices { call.sent[index].jitter = jitter }
            for index in call.received.indices { call.received[index].jitter = jitter }
        }
        for _ in 0..<step.seconds { tick() }
    }

    mutating func tick() {
        call.advance(1)
        if call.received.isEmpty {
            published.append(publisher.handle(call.report(), intent: intent, remote: remote))
        } else {
            if remote.leg == nil { remote.leg = Aged(SenderMetrics(), age: 0.2) }
            remote.leg?.value.estimatedBandwidth = legEstimate
            if remote.leg?.value.reason == nil { remote.leg?.value.reason = .wanted }
            subscribed.append(subscriber.handle(call.report(), intent: intent, remote: remote))
        }
    }

    /// The own transport, tick by tick.
    var transports: [TransportStats] {
        call.received.isEmpty
            ? published.compactMap(\.legs.first?.transport) : subscribed.map(\.transport)
    }

    var conditions: [NetworkCondition] { transports.map(\.networkCondition) }
    var reasons: [NetworkReason] { transports.map(\.networkConditionReason) }
}
