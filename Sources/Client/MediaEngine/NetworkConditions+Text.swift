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
}

extension NetworkConditions.Link {
    /// The names of all conditions.
    public static let keys = [
        "delay", "jitter", "loss", "burst_loss", "burst_len", "rate", "queue_ms", "outage",
    ]

    fileprivate init(parsing text: String) throws(NetworkConditions.SyntaxError) {
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

    /// Sets one condition by its name: `delay` ms, `jitter` ms, `loss` %, `burst_loss` %, `burst_len` packets, `rate`
    /// kbps (0 for no limit), `queue_ms`, `outage` (0 or 1).
    ///
    /// - Throws: ``NetworkConditions/SyntaxError`` for unknown names and values out of range.
    public mutating func set(_ key: String, _ value: Double) throws(NetworkConditions.SyntaxError) {
        func checked(_ range: ClosedRange<Double>) throws(NetworkConditions.SyntaxError) -> Double {
            guard range.contains(value) else {
                throw NetworkConditions.SyntaxError(
                    "\(key)=\(value) is out of range; it can be \(range.lowerBound) to \(range.upperBound)")
            }
            return value
        }
        switch key {
        case "delay": delay = try checked(0...10_000)
        case "jitter": jitter = try checked(0...10_000)
        case "loss": loss = try checked(0...100)
        case "burst_loss": burstLoss = try checked(0...100)
        case "burst_len": burstLength = try checked(1...10_000)
        case "rate":
            let limit = try checked(0...1e7)
            rate = limit == 0 ? nil : limit
        case "queue_ms": queue = try checked(1...60_000)
        case "outage": isOut = try checked(0...1) > 0
        default:
            throw NetworkConditions.SyntaxError(
                "there is no condition '\(key)'; there are \(Self.keys.joined(separator: ", "))")
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
