// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Makes a participant's network quality out of its streams' observations, and notices when its level
/// changes.
///
/// For the own client the observations are its own; for remote participants the server gives those of both
/// sides.
public struct NetworkQualityObserver: Sendable {
    /// How much is reported; can be changed at any time.
    public var verbosity: NetworkQualityVerbosity

    private var last = NetworkQualityStats()

    /// Creates an observer for one participant.
    public init(verbosity: NetworkQualityVerbosity = .minimal) { self.verbosity = verbosity }

    /// The participant's quality as of the last tick, with the detail of ``verbosity``.
    public var stats: NetworkQualityStats { last.redacted(to: verbosity) }

    /// Takes a tick.
    ///
    /// - Parameters:
    ///   - sent: The levels of the streams that the participant publishes.
    ///   - received: The levels of the streams that it subscribes to.
    ///   - isReconnecting: Whether the participant has lost its connection and tries to get it back.
    /// - Returns: Whether the level changed.
    public mutating func handle(
        sent: [StreamLevels], received: [StreamLevels], isReconnecting: Bool = false
    ) -> Bool {
        let before = last.level
        last = Self.quality(sent, received, isReconnecting)
        return last.level != before
    }

    private static func quality(
        _ sent: [StreamLevels], _ received: [StreamLevels], _ isReconnecting: Bool
    ) -> NetworkQualityStats {
        if isReconnecting { return NetworkQualityStats(level: .zero) }
        if sent.isEmpty, received.isEmpty { return NetworkQualityStats(level: .five, isIdle: true) }
        let audio = media(sent.compactMap(\.audio), received.compactMap(\.audio))
        let video = media(sent.compactMap(\.video), received.compactMap(\.video))
        return NetworkQualityStats(
            level: .lowest([audio?.level, video?.level]), audio: audio, video: video)
    }

    private static func media(
        _ sent: [NetworkQualityDirectionStats], _ received: [NetworkQualityDirectionStats]
    ) -> NetworkQualityMediaStats? {
        guard !sent.isEmpty || !received.isEmpty else { return nil }
        return NetworkQualityMediaStats(send: worst(of: sent), receive: worst(of: received))
    }

    /// The lowest leaf of each kind; one of several streams is enough to make a direction bad.
    private static func worst(of streams: [NetworkQualityDirectionStats]) -> NetworkQualityDirectionStats? {
        guard !streams.isEmpty else { return nil }
        return NetworkQualityDirectionStats(
            bandwidth: streams.compactMap(\.bandwidth).min { $0.level.order < $1.level.order },
            latency: streams.compactMap(\.latency).min { $0.level.order < $1.level.order },
            fractionLost: streams.compactMap(\.fractionLost).min { $0.level.order < $1.level.order })
    }
}

extension NetworkQualityLevel {
    /// For the lowest of several: unknown is not low.
    fileprivate var order: Int { self == .unknown ? 6 : rawValue }
}

extension NetworkQualityStats {
    /// As much as was asked for.
    public func redacted(to verbosity: NetworkQualityVerbosity) -> NetworkQualityStats {
        var result = self
        if verbosity < .moderate {
            result.audio = nil
            result.video = nil
        } else if verbosity < .detailed {
            result.audio = audio?.withoutLeaves
            result.video = video?.withoutLeaves
        }
        if verbosity == .none { result.level = .unknown }
        return result
    }
}

extension NetworkQualityMediaStats {
    fileprivate var withoutLeaves: NetworkQualityMediaStats {
        var result = self
        result.send?.dropLeaves()
        result.receive?.dropLeaves()
        return result
    }
}

extension NetworkQualityDirectionStats {
    fileprivate mutating func dropLeaves() {
        bandwidth = nil
        latency = nil
        fractionLost = nil
    }
}
