// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// What a participant's peer connections were at every moment of a call.
///
/// A moment counts once: what both directions of a peer connection show of it is one outage, and so is what several show
/// that go over the same line. Where some of several are out, that is lost of the moment which is their share.
struct ConnectedTime: Sendable {
    /// What a peer connection is at a moment; of several the last of these counts.
    enum State: Int, Sendable, CaseIterable {
        /// It was never established, and neither was any other.
        case missed
        /// It broke, and did not come back.
        case broken
        /// It works, or has not taken long to connect yet.
        case connected
        /// It takes longer to connect than people wait for.
        case late
        /// Nothing gets through.
        case lost
    }

    private struct Span: Sendable {
        /// Unix ms.
        var from: Double
        var to: Double
        var state: State

        /// Whether it is some time at all.
        var isValid: Bool { to > from && (to - from).isFinite }
    }

    /// Of each view, in the order of time.
    private var views: [CallView.ID: [Span]] = [:]
    /// Of whole peer connections.
    private var others: [(connection: String, span: Span)] = []

    /// Takes what a view was, from one time to another in Unix ms, later than all that was said of it before.
    mutating func add(_ state: State, from: Double, to: Double, of view: CallView.ID) {
        let span = Span(from: from, to: to, state: state)
        guard span.isValid else { return }
        Self.append(span, to: &views[view, default: []])
    }

    /// Takes what a peer connection was, from one time to another in Unix ms.
    mutating func add(_ state: State, from: Double, to: Double, of connection: String) {
        let span = Span(from: from, to: to, state: state)
        guard span.isValid else { return }
        others.append((connection, span))
    }

    /// The seconds in all, and those without a connection.
    var tally: MediumTally {
        let changes = changes
        var moment = Moment(connections: (changes.map(\.connection).max() ?? -1) + 1)
        var result = MediumTally()
        for (change, next) in zip(changes, changes.dropFirst()) {
            moment.apply(change)
            guard next.time > change.time else { continue }
            moment.add((next.time - change.time) / 1000, at: change.time, to: &result)
        }
        return result
    }

    private static func append(_ span: Span, to spans: inout [Span]) {
        guard let last = spans.last, last.state == span.state, span.from <= last.to else {
            spans.append(span)
            return
        }
        spans[spans.count - 1].to = max(last.to, span.to)
    }

    /// Where spans begin and end, in the order of time.
    private var changes: [Change] {
        var places: [String: Int] = [:]
        var changes: [Change] = []
        func note(_ span: Span, of connection: String) {
            let place = places[connection] ?? places.count
            places[connection] = place
            changes.append(Change(time: span.from, connection: place, state: span.state, step: 1))
            changes.append(Change(time: span.to, connection: place, state: span.state, step: -1))
        }
        for (view, spans) in views {
            for span in spans { note(span, of: view.peerConnection) }
        }
        for (connection, span) in others { note(span, of: connection) }
        return changes.sorted { $0.time < $1.time }
    }
}

/// A span that begins or ends.
private struct Change: Sendable {
    /// Unix ms.
    var time: Double
    /// The peer connection's place.
    var connection: Int
    var state: ConnectedTime.State
    /// 1 if it begins, -1 if it ends.
    var step: Int
}

/// What all peer connections are at a moment.
private struct Moment: Sendable {
    /// Spans of each peer connection that it is in, by their states.
    private var spans: [[Int]]
    /// Peer connections by what they are.
    private var counts: [Int]

    init(connections: Int) {
        let none = [Int](repeating: 0, count: ConnectedTime.State.allCases.count)
        spans = Array(repeating: none, count: connections)
        counts = none
    }

    mutating func apply(_ change: Change) {
        count(change.connection, -1)
        spans[change.connection][change.state.rawValue] += change.step
        count(change.connection, 1)
    }

    /// Adds seconds in which they are so.
    func add(_ seconds: Double, at time: Double, to tally: inout MediumTally) {
        let (connected, late, lost) = (self[.connected], self[.late], self[.lost])
        let known = connected + late + lost
        guard known > 0 else {
            // What broke or never came to be matters where nothing else took its place.
            let cause = self[.broken] > 0 ? CostCause.diagnosed(.connection) : .neverEstablished
            if self[.broken] + self[.missed] > 0 { tally.add(seconds, cause, .unusable, at: time) }
            return
        }
        tally.add(seconds * connected / known, .diagnosed(.none), nil, at: time)
        if late > 0 { tally.add(seconds * late / known, .connecting, .unusable, at: time) }
        if lost > 0 { tally.add(seconds * lost / known, .diagnosed(.connection), .unusable, at: time) }
    }

    private subscript(state: ConnectedTime.State) -> Double { Double(counts[state.rawValue]) }

    private mutating func count(_ connection: Int, _ step: Int) {
        guard let state = spans[connection].lastIndex(where: { $0 > 0 }) else { return }
        counts[state] += step
    }
}
