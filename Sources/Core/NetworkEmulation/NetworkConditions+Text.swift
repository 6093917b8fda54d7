// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension NetworkConditions {
    /// Why a text does not describe network conditions.
    public struct SyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
        /// What is wrong and what is right.
        public var description: String

        /// Creates an error.
        public init(_ description: String) { self.description = description }
    }

    /// Reads conditions such as `up:loss=5,delay=50;down:rate=500`.
    ///
    /// Directions `up` and `down`, each once; keys as in ``Link/set(_:_:)``. What is not mentioned is perfect.
    ///
    /// - Throws: ``SyntaxError`` naming the part that is wrong.
    public init(parsing text: String) throws(SyntaxError) {
        self.init()
        var seen: Set<Direction> = []
        for part in text.split(separator: ";") {
            let pieces = part.split(separator: ":", maxSplits: 1)
            guard pieces.count == 2, let direction = Direction(rawValue: pieces[0].trimmed) else {
                throw SyntaxError("'\(part)' should be a direction and its conditions, such as up:loss=5")
            }
            guard seen.insert(direction).inserted else {
                throw SyntaxError("the direction '\(direction.rawValue)' is there twice")
            }
            self[direction] = try Link(parsing: String(pieces[1]))
        }
        if seen.isEmpty {
            throw SyntaxError("there are no conditions in '\(text)'; say for example up:loss=5")
        }
    }

    /// The conditions as ``init(parsing:)`` reads them, without what is perfect; empty for a perfect network.
    package var text: String {
        Direction.allCases.filter { self[$0] != Link() }.map { "\($0.rawValue):\(self[$0].text)" }
            .joined(separator: ";")
    }
}

extension NetworkConditions.Link {
    /// One number of a link that can be set by its name.
    private struct Condition: Sendable {
        let key: String
        let range: ClosedRange<Double>
        let get: @Sendable (NetworkConditions.Link) -> Double
        let set: @Sendable (inout NetworkConditions.Link, Double) -> Void

        init(
            _ key: String, _ range: ClosedRange<Double>,
            _ path: any WritableKeyPath<NetworkConditions.Link, Double> & Sendable
        ) {
            self.init(key, range, get: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 })
        }

        init(
            _ key: String, _ range: ClosedRange<Double>,
            get: @escaping @Sendable (NetworkConditions.Link) -> Double,
            set: @escaping @Sendable (inout NetworkConditions.Link, Double) -> Void
        ) {
            self.key = key
            self.range = range
            self.get = get
            self.set = set
        }
    }

    private static let conditions = [
        Condition("delay", 0...10_000, \.delay),
        Condition("jitter", 0...10_000, \.jitter),
        Condition("jitter_correlation_ms", 0...60_000, \.jitterCorrelation),
        Condition("loss", 0...100, \.loss),
        Condition("burst_loss", 0...100, \.burstLoss),
        Condition("burst_len", 1...10_000, \.burstLength),
        Condition("rate", 0...1e7, get: { $0.rate ?? 0 }, set: { $0.rate = $1 == 0 ? nil : $1 }),
        Condition("rate_swing", 0...95, \.rateSwing),
        Condition("rate_swing_ms", 1...600_000, \.rateSwingTime),
        Condition("queue_ms", 1...60_000, \.queue),
        Condition("stall_ms", 0...60_000, \.stall),
        Condition("stall_every_ms", 0...600_000, \.stallInterval),
        Condition("outage", 0...1, get: { $0.isOut ? 1 : 0 }, set: { $0.isOut = $1 > 0 }),
    ]

    /// The names of all conditions.
    public static let keys = conditions.map(\.key)

    /// The value of each condition by its name.
    package var values: [String: Double] {
        Dictionary(Self.conditions.map { ($0.key, $0.get(self)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The same of those that differ from a perfect link.
    package var imperfections: [String: Double] {
        let perfect = Self().values
        return values.filter { $0.value != perfect[$0.key] }
    }

    /// What differs from a perfect link, such as `loss=5,delay=50`.
    package var text: String {
        let imperfections = imperfections
        return Self.keys.compactMap { key in
            imperfections[key].map { "\(key)=\($0 == $0.rounded() ? "\(Int($0))" : "\($0)")" }
        }.joined(separator: ",")
    }

    /// Reads conditions by their names; what is not named is perfect.
    package init(values: [String: Double]) throws(NetworkConditions.SyntaxError) {
        self.init()
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { try set(key, value) }
    }

    /// Reads conditions such as `loss=5,delay=50`; what is not mentioned is perfect.
    package init(parsing text: String) throws(NetworkConditions.SyntaxError) {
        self.init()
        for part in text.split(separator: ",") {
            let pieces = part.split(separator: "=", maxSplits: 1)
            guard pieces.count == 2 else {
                throw NetworkConditions.SyntaxError(
                    "'\(part)' should be a condition and its value, such as loss=5")
            }
            guard let value = Double(pieces[1].trimmed) else {
                throw NetworkConditions.SyntaxError("'\(pieces[1])' is not a number (in '\(part)')")
            }
            try set(pieces[0].trimmed, value)
        }
    }

    /// Sets one condition by its name.
    ///
    /// `delay` ms, `jitter` ms, `jitter_correlation_ms`, `loss` %, `burst_loss` %, `burst_len` packets, `rate` kbps (0 for
    /// no limit), `rate_swing` %, `rate_swing_ms`, `queue_ms`, `stall_ms`, `stall_every_ms` (0 for no stalls),
    /// `outage` (0 or 1).
    ///
    /// - Throws: ``NetworkConditions/SyntaxError`` for unknown names and values out of range.
    public mutating func set(_ key: String, _ value: Double) throws(NetworkConditions.SyntaxError) {
        guard let condition = Self.conditions.first(where: { $0.key == key }) else {
            throw NetworkConditions.SyntaxError(
                "there is no condition '\(key)'; there are \(Self.keys.joined(separator: ", "))")
        }
        let range = condition.range
        guard range.contains(value) else {
            throw NetworkConditions.SyntaxError(
                "\(key)=\(value) is out of range; it can be \(range.lowerBound) to \(range.upperBound)")
        }
        condition.set(&self, value)
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
