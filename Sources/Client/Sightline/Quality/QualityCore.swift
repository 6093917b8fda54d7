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
        /// Whether its media connection is being brought back.
        var isBroken = false
    }

    /// `nil` while levels are off.
    private(set) var configuration: NetworkQualityConfiguration?
    private var isIn = false
    private var isReconnecting = false
    private var streams: [Int: Stream] = [:]
    private var lastStream = 0
    private var own = NetworkQualityObserver()
    private var others: [String: NetworkQualityStats] = [:]
    /// Streams that raised each warning about the device.
    private var ofDevice: [CallQualityWarning.Kind: Set<Int>] = [:]

    init(_ configuration: NetworkQualityConfiguration?) { configure(configuration) }

    /// The own quality; `nil` while levels are off and before the session is joined.
    var stats: NetworkQualityStats? { configuration == nil || !isIn ? nil : own.stats }

    /// Someone else's quality; `nil` unless it was requested and the server has sent it.
    func stats(of connection: String) -> NetworkQualityStats? { others[connection] }

    /// Changes how much is reported.
    mutating func configure(_ new: NetworkQualityConfiguration?) {
        configuration = new
        own.verbosity = new?.local ?? .minimal
        guard let remote = new?.remote, remote > .none else { return others = [:] }
        others = others.mapValues { $0.redacted(to: remote) }
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

    /// A stream is over, and its warnings with it.
    mutating func close(_ id: Int) -> (change: NetworkQualityStats?, warnings: [CallQualityEvent]) {
        guard streams.removeValue(forKey: id) != nil else { return (nil, []) }
        var warnings: [CallQualityEvent] = []
        for kind in ofDevice.keys.sorted(by: { $0.rawValue < $1.rawValue })
        where ofDevice[kind]?.remove(id) != nil && ofDevice[kind]?.isEmpty == true {
            warnings.append(CallQualityEvent(warning: CallQualityWarning(kind: kind, phase: .recover)))
        }
        return (update(), warnings)
    }

    /// A tick of a stream was measured; `nil` if it could not be.
    mutating func note(_ levels: [StreamLevels]?, of id: Int) -> NetworkQualityStats? {
        streams[id]?.levels = levels
        return update()
    }

    /// A stream's media connection broke, or came back.
    mutating func note(isBroken: Bool, of id: Int) -> NetworkQualityStats? {
        streams[id]?.isBroken = isBroken
        return update()
    }

    /// A stream's tick raised warnings or took them back; those about the device are notified once, not per
    /// stream.
    mutating func note(_ warnings: [CallQualityWarning], of id: Int, streamId: String?) -> [CallQualityEvent]
    {
        guard let role = streams[id]?.role else { return [] }
        return warnings.compactMap { warning in
            guard warning.kind.isOfDevice else {
                return CallQualityEvent(warning: warning, role: role, streamId: streamId)
            }
            let before = ofDevice[warning.kind, default: []]
            var after = before
            if warning.phase == .trigger { after.insert(id) } else { after.remove(id) }
            ofDevice[warning.kind] = after
            return before.isEmpty == after.isEmpty ? nil : CallQualityEvent(warning: warning)
        }
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
        let isBroken = isReconnecting || streams.values.contains(where: \.isBroken)
        let hasChanged = own.handle(
            sent: levels(.publisher), received: levels(.subscriber), isReconnecting: isBroken)
        return hasChanged || isForced ? stats : nil
    }

    /// One element at least for each stream: one of which nothing is known is not the same as none.
    private func levels(_ role: StreamRole) -> [StreamLevels] {
        streams.values.filter { $0.role == role }.flatMap { $0.levels ?? [StreamLevels()] }
    }
}
