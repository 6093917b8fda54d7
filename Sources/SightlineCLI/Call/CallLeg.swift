// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import Sightline

/// One end of one stream of a running call.
struct CallLeg: Sendable {
    enum End: Sendable {
        case publisher(Publisher)
        case subscriber(Subscriber, FirstFrameWatch)
    }

    let participant: Participant
    let end: End
    /// Its network's schedule; `nil` for none.
    let conditions: ConditionRunner?

    var role: StreamRole {
        switch end {
        case .publisher: .publisher
        case .subscriber: .subscriber
        }
    }

    /// Passes statistics and events on until the stream is over.
    func follow() async {
        await withTaskGroup(of: Void.self) { group in
            switch end {
            case .publisher(let publisher):
                group.addTask {
                    await participant.bus.followJudgements(
                        of: publisher, participant.name, participant.session)
                }
                await participant.bus.follow(publisher, participant: participant.name)
            case .subscriber(let subscriber, let watch):
                group.addTask { await watch.follow(subscriber) }
                group.addTask { await followLife(of: subscriber) }
                group.addTask {
                    await participant.bus.followJudgements(
                        of: subscriber, participant.name, participant.session)
                }
                await participant.bus.follow(subscriber, participant: participant.name)
            }
            group.cancelAll()
        }
    }

    /// Applies the later steps of its conditions.
    func runConditions() async throws {
        try await conditions?.run(participant.gate) { try set($0) }
    }

    /// Changes its network.
    ///
    /// - Throws: `SightlineError` if it has ended or was made without conditions.
    func set(_ conditions: NetworkConditions) throws {
        switch end {
        case .publisher(let publisher): try publisher.setNetworkConditions(conditions)
        case .subscriber(let subscriber, _): try subscriber.setNetworkConditions(conditions)
        }
    }

    /// What its network did in a direction; `nil` without one.
    func networkCounters(_ direction: NetworkConditions.Direction) -> NetworkCounters? {
        switch end {
        case .publisher(let publisher): publisher.networkCounters(direction)
        case .subscriber(let subscriber, _): subscriber.networkCounters(direction)
        }
    }

    /// Adds to the summary what is known only at the end of the call; before the session is left.
    func note(in builder: inout SummaryBuilder, _ snapshot: Snapshot) {
        builder.note(participant.name, role, network: snapshot.network, times: snapshot.times)
    }

    /// What is no longer available after the session is left.
    struct Snapshot: Sendable {
        var network: CallSummary.Network?
        var times: FrameTimes?
    }

    var snapshot: Snapshot {
        switch end {
        case .publisher: Snapshot(network: network)
        case .subscriber(_, let watch): Snapshot(network: network, times: watch.times)
        }
    }

    private var network: CallSummary.Network? {
        guard let up = networkCounters(.up), let down = networkCounters(.down) else { return nil }
        return CallSummary.Network(up: .init(up), down: .init(down))
    }

    private func followLife(of subscriber: Subscriber) async {
        let stream = subscriber.stream.streamId
        for await event in subscriber.events() {
            let (type, message): (String, String?) =
                switch event {
                case .didConnectToStream: ("subscriberDidConnectToStream", nil)
                case .didDisconnectFromStream: ("subscriberDidDisconnectFromStream", nil)
                case .didReconnectToStream: ("subscriberDidReconnectToStream", nil)
                case .videoDisableWarning: ("subscriberVideoDisableWarning", nil)
                case .videoDisableWarningLifted: ("subscriberVideoDisableWarningLifted", nil)
                case .videoDisabled(let reason): ("subscriberVideoDisabled", reason.name)
                case .videoEnabled(let reason): ("subscriberVideoEnabled", reason.name)
                case .didFailWithError(let error): ("subscriberDidFailWithError", error.description)
                case .didEnd(let end): ("subscriberDidEnd", end.rawValue)
                }
            participant.bus.send(life: type, participant: participant.name, stream: stream, message: message)
        }
    }
}
