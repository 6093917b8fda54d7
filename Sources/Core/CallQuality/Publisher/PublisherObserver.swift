// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// Observes a published stream: reports in, observations out.
///
/// A routed stream has one peer connection, a relayed one has one per subscriber. Totals continue when a peer
/// connection is replaced, and when the session changes between relayed and routed: a routed total continues
/// from the largest relayed one, a relayed one starts at the routed one.
///
/// It has no clock, does no I/O and can be driven from any one task at a time.
public struct PublisherObserver: Sendable {
    private let configuration: QualityConfiguration
    private var connections: [PublisherConnection] = []
    private var sourceWarnings = SourceWarnings()
    /// Warnings that ended with their connections since the last observation.
    private var ended: [CallQualityWarning] = []
    private var wasRouted: Bool?
    private var last: PublisherObservation?
    private let track: MediaTrack?
    /// Whether others observe the tracks, and this one only what they share.
    var isShared = false {
        didSet { for index in connections.indices { connections[index].isShared = isShared } }
    }

    /// In which direction the media of its own peer connection to a router show a queue; `nil` if they show none.
    package var queueDirection: NetworkDirection? {
        connections.indices.first { connections[$0].connection == nil }.flatMap {
            connections[$0].queueDirection
        }
    }

    /// Creates an observer for a stream that has not been observed yet.
    ///
    /// - Parameters:
    ///   - configuration: The numbers to judge by.
    public init(configuration: QualityConfiguration = QualityConfiguration()) {
        self.init(configuration: configuration, track: nil)
    }

    /// An observer of one of the tracks that share a peer connection.
    init(configuration: QualityConfiguration, track: MediaTrack?) {
        self.configuration = configuration
        self.track = track
    }

    /// Takes the next report of a stream with a single peer connection.
    ///
    /// - Parameters:
    ///   - report: What `getStats()` returned.
    ///   - intent: What is wanted of the stream.
    ///   - remote: Figures from elsewhere.
    /// - Returns: What the report says; for a repeated or late one, what the last report said.
    public mutating func handle(
        _ report: StatsReport, intent: MediaIntent = MediaIntent(), remote: RemoteMetrics = RemoteMetrics()
    ) -> PublisherObservation {
        handle([ConnectionReport(report)], intent: intent, remote: remote)
    }

    /// Takes the next reports of a stream, one per peer connection.
    ///
    /// - Parameters:
    ///   - reports: The reports of one tick. A connection that is omitted has no element in this observation;
    ///     its totals are kept.
    ///   - intent: What is wanted of the stream.
    ///   - remote: Figures from elsewhere.
    /// - Returns: What the reports say, in their order; if all were repeated or late, what the last ones
    ///   said.
    public mutating func handle(
        _ reports: [ConnectionReport], intent: MediaIntent = MediaIntent(),
        remote: RemoteMetrics = RemoteMetrics()
    ) -> PublisherObservation {
        var intent = intent
        intent.role = .publisher
        var result = PublisherObservation(timestamp: 0, track: track)
        var isNew = false
        var warnings: [CallQualityWarning] = []
        for report in reports {
            let index = place(of: report.connection)
            var own = report.intent ?? intent
            own.role = .publisher
            isNew = connections[index].handle(report, own, remote) || isNew
            connections[index].append(to: &result)
            warnings += sourceWarnings.handle(connections[index].raised, of: report.connection)
        }
        if !isNew, let last { return last }
        result.events += (ended + warnings).map(StreamEvent.callQuality)
        ended = []
        compare(reports, &result)
        last = result
        last?.events = []
        return result
    }

    /// Compares the connections of a relayed stream: all bad is the uplink, some bad are their subscribers'
    /// downlinks.
    private mutating func compare(_ reports: [ConnectionReport], _ result: inout PublisherObservation) {
        guard reports.contains(where: { $0.connection != nil }) else { return }
        let verdicts = DegradationJudge.verdicts(on: result.legs.map(\.transport.networkCondition))
        for (index, report) in reports.enumerated() {
            // By index, as in place(of:).
            let own = connections.indices.first { connections[$0].connection == report.connection }
            guard let own else { continue }
            result.legs[index].degradationVerdict = connections[own].settle(verdicts[index])
        }
    }

    /// Forgets a subscriber that left; if it comes back its totals start over.
    public mutating func forget(_ connection: SubscriberConnection) {
        for index in connections.indices where connections[index].connection == connection { clear(index) }
        connections.removeAll { $0.connection == connection }
    }

    /// A connection's warnings end with it.
    private mutating func clear(_ index: Int) {
        ended += sourceWarnings.handle(
            connections[index].clearWarnings(), of: connections[index].connection)
    }

    /// Where a connection is kept; a new one, and all of them after a change of routing, continue from the
    /// others.
    private mutating func place(of connection: SubscriberConnection?) -> Int {
        let isRouted = connection == nil
        if let wasRouted, wasRouted != isRouted { carryOver(toRouted: isRouted) }
        wasRouted = isRouted
        // By index: a connection is large, and none is moved to look at its name.
        if let index = connections.indices.first(where: { connections[$0].connection == connection }) {
            return index
        }
        var new = PublisherConnection(connection, configuration, track: track)
        new.isShared = isShared
        for other in connections where (other.connection == nil) != isRouted {
            new.continueFrom(other)
        }
        connections.append(new)
        return connections.endIndex - 1
    }

    private mutating func carryOver(toRouted: Bool) {
        for index in connections.indices where (connections[index].connection == nil) != toRouted {
            clear(index)
        }
        for index in connections.indices where (connections[index].connection == nil) == toRouted {
            connections[index].resume()
            for other in connections where (other.connection == nil) != toRouted {
                connections[index].continueFrom(other)
            }
        }
    }
}
