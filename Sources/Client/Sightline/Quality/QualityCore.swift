// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// What a session knows of network quality, its own and that of others, and which warnings are raised.
///
/// Pure: streams' ticks and the server's words in, events out.
struct QualityCore {
    /// One end of one stream.
    struct Stream {
        let role: StreamRole
        /// What its last tick measured, here and at the router; `nil` before the first and without a report.
        var levels: [StreamLevels]?
        var path = PathState.working
        /// The subscribers that it leads to; `nil` unless it is relayed.
        var connections: Set<String>?

        /// Whether a warning is about a connection that it does not have.
        func isGone(_ warning: CallQualityWarning) -> Bool {
            guard let connections, !warning.kind.isOfDevice else { return false }
            return warning.connectionId.map { !connections.contains($0) } ?? connections.isEmpty
        }
    }

    /// `nil` while levels are off.
    private(set) var configuration: NetworkQualityConfiguration?
    private var isIn = false
    private var isReconnecting = false
    private var streams: [Int: Stream] = [:]
    private var lastStream = 0
    private var own = NetworkQualityObserver()
    private var others: [String: NetworkQualityStats] = [:]
    /// The warnings that are raised, in the order in which they were.
    private var raised: [(stream: Int, event: CallQualityEvent)] = []
    /// Streams that raised each warning about the device.
    private var ofDevice: [CallQualityWarning.Kind: Set<Int>] = [:]

    init(_ configuration: NetworkQualityConfiguration?) { _ = configure(configuration) }

    /// The own quality; `nil` while levels are off and before the session is joined.
    var stats: NetworkQualityStats? { configuration == nil || !isIn ? nil : own.stats }

    /// Someone else's quality; `nil` unless it was requested and the server has sent it.
    func stats(of connection: String) -> NetworkQualityStats? { others[connection] }

    /// The warnings that are raised, in the order in which they were.
    var raisedWarnings: [CallQualityEvent] { raised.map(\.event) }

    /// Changes how much is reported; returns the own quality if levels are switched on with it.
    mutating func configure(_ new: NetworkQualityConfiguration?) -> NetworkQualityStats? {
        let wereOn = configuration != nil
        configuration = new
        own.verbosity = new?.local ?? .minimal
        if let remote = new?.remote, remote > .none {
            others = others.mapValues { $0.redacted(to: remote) }
        } else {
            others = [:]
        }
        return wereOn ? nil : stats
    }

    /// The session was joined.
    mutating func join() -> NetworkQualityStats? {
        isIn = true
        // What is known of others belongs to a connection that may be another one now.
        others = [:]
        return update(isForced: true)
    }

    /// The session is over.
    mutating func leave() { self = QualityCore(configuration) }

    /// The way to the server broke, or came back.
    mutating func setReconnecting(_ new: Bool) -> NetworkQualityStats? {
        isReconnecting = new
        return update()
    }

    /// A stream begins.
    mutating func open(_ role: StreamRole) -> (id: Int, change: NetworkQualityStats?) {
        lastStream += 1
        streams[lastStream] = Stream(role: role)
        return (lastStream, update())
    }

    /// A stream is over; its warnings end with it.
    mutating func close(_ id: Int) -> (change: NetworkQualityStats?, warnings: [CallQualityEvent]) {
        guard streams.removeValue(forKey: id) != nil else { return (nil, []) }
        var warnings = endWarnings { $0 == id && !$1.warning.kind.isOfDevice }
        for kind in ofDevice.keys.sorted(by: { $0.rawValue < $1.rawValue })
        where ofDevice[kind]?.remove(id) != nil && ofDevice[kind]?.isEmpty == true {
            warnings += endWarnings { $1.warning.kind == kind }
        }
        return (update(), warnings)
    }

    /// A relayed stream has connections to other subscribers, or to none; those that have gone take their warnings along.
    ///
    /// - Parameter connections: `nil` if it is not relayed, and has no subscribers of its own.
    mutating func note(
        connections: Set<String>?, of id: Int
    ) -> (change: NetworkQualityStats?, warnings: [CallQualityEvent]) {
        guard var state = streams[id] else { return (nil, []) }
        state.connections = connections
        streams[id] = state
        let warnings = endWarnings { $0 == id && state.isGone($1.warning) }
        // Nothing is sent then, and no tick says so.
        guard connections?.isEmpty == true else { return (nil, warnings) }
        streams[id]?.levels = []
        return (update(), warnings)
    }

    /// Nothing is left that these warnings could be about.
    private mutating func endWarnings(
        _ isOver: (_ stream: Int, CallQualityEvent) -> Bool
    ) -> [CallQualityEvent] {
        let over = raised.filter { isOver($0.stream, $0.event) }.map(\.event)
        raised.removeAll { isOver($0.stream, $0.event) }
        return over.map { event in
            var event = event
            event.warning.phase = .recover
            event.warning.recovery = .notApplicable
            return event
        }
    }

    /// A tick of a stream was measured; `nil` if it could not be.
    mutating func note(_ levels: [StreamLevels]?, of id: Int) -> NetworkQualityStats? {
        // Measured before its last connection went.
        guard streams[id]?.connections?.isEmpty != true else { return nil }
        streams[id]?.levels = levels
        return update()
    }

    /// A stream's path broke, or came back.
    mutating func note(_ path: PathState, of id: Int) -> NetworkQualityStats? {
        streams[id]?.path = path
        return update()
    }

    /// A stream's tick raised warnings or took them back; those about the device are notified once, not per
    /// stream.
    mutating func note(_ warnings: [CallQualityWarning], of id: Int, streamId: String?) -> [CallQualityEvent]
    {
        guard let stream = streams[id] else { return [] }
        // A tick that was measured before may come after its connections have gone: nothing would clear what it raises.
        return warnings.filter { !stream.isGone($0) }.compactMap { warning in
            guard warning.kind.isOfDevice else {
                return take(
                    CallQualityEvent(warning: warning, role: stream.role, streamId: streamId), of: id)
            }
            let before = ofDevice[warning.kind, default: []]
            var after = before
            if warning.phase == .trigger { after.insert(id) } else { after.remove(id) }
            ofDevice[warning.kind] = after
            return before.isEmpty == after.isEmpty ? nil : take(CallQualityEvent(warning: warning), of: id)
        }
    }

    /// Keeps what is raised; `nil` for what is known already.
    private mutating func take(_ event: CallQualityEvent, of id: Int) -> CallQualityEvent? {
        let place = raised.firstIndex {
            ($0.stream == id || event.warning.kind.isOfDevice) && $0.event.warning.isSame(as: event.warning)
        }
        switch (event.warning.phase, place) {
        case (.trigger, nil): raised.append((id, event))
        case (.recover, let place?): raised.remove(at: place)
        default: return nil
        }
        return event
    }

    /// The server sent someone else's; returns what has changed.
    mutating func note(_ stats: NetworkQualityStats, of connection: String) -> NetworkQualityStats? {
        guard let remote = configuration?.remote, remote > .none else { return nil }
        let before = others[connection]?.level ?? .unknown
        let stats = stats.redacted(to: remote)
        others[connection] = stats
        return stats.level == before ? nil : stats
    }

    /// Someone has left.
    mutating func forget(_ connection: String) { others[connection] = nil }

    /// Judges the own network again; returns what has changed.
    private mutating func update(isForced: Bool = false) -> NetworkQualityStats? {
        guard isIn else { return nil }
        let isBroken = isReconnecting || streams.values.contains { $0.path == .broken }
        let hasChanged = own.handle(
            sent: levels(.publisher), received: levels(.subscriber), isReconnecting: isBroken)
        return hasChanged || isForced ? stats : nil
    }

    /// One element at least for each stream: one of which nothing is known is not the same as none.
    ///
    /// What a client that cannot be reached gets, or does not, says nothing of this one's network.
    private func levels(_ role: StreamRole) -> [StreamLevels] {
        streams.values.filter { $0.role == role && $0.path != .unreachable }.flatMap {
            $0.levels ?? [StreamLevels()]
        }
    }
}

extension CallQualityWarning {
    /// Whether it is about the same, raised or cleared.
    fileprivate func isSame(as other: Self) -> Bool {
        kind == other.kind && media == other.media && direction == other.direction
            && connectionId == other.connectionId
    }
}
