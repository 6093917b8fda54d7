// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The round trip times of a path of late, and the shortest of it: who measures in another way has another one.
struct RoundTrips: Sendable {
    struct Measurement: Sendable {
        /// When it was reported, in ms.
        var time: Double
        /// Who measured.
        var source: Int
        /// In seconds.
        var value: Double
    }

    /// In order of time.
    private(set) var recent: [Measurement] = []
    /// By source: of this path, and of all of the call.
    private var shortest: [Int: Double] = [:]
    private var shortestEver: [Int: Double] = [:]

    /// For how long they are remembered, in ms: as long as ``UnfoundedBackoff`` remembers falls, and what was just before them.
    private static let memory = 33_000.0

    /// Takes what was newly measured in a tick, in seconds, by who measures.
    mutating func handle(_ values: [Double?], at time: Double) {
        recent.removeAll { $0.time < time - Self.memory }
        for (source, value) in values.enumerated() {
            guard let value else { continue }
            shortest[source] = min(value, shortest[source] ?? value)
            shortestEver[source] = min(value, shortestEver[source] ?? value)
            recent.append(Measurement(time: time, source: source, value: value))
        }
    }

    /// Starts over on a path with another round trip time.
    mutating func forgetPath() { (recent, shortest) = ([], [:]) }

    /// Those since a time, in ms.
    func since(_ time: Double) -> ArraySlice<Measurement> {
        recent[(recent.firstIndex { $0.time >= time } ?? recent.endIndex)...]
    }

    /// How far one is above the shortest of its source, in seconds.
    func rise(of measurement: Measurement) -> Double {
        measurement.value - (shortest[measurement.source] ?? measurement.value)
    }

    /// The same above the shortest of the call: what was taken for a longer path may be a queue that holds still.
    func riseInCall(of measurement: Measurement) -> Double {
        measurement.value - (shortestEver[measurement.source] ?? measurement.value)
    }
}
