// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import LineEmulation

/// What observing a client costs its uplink, by what the line carried with it and without it.
package struct ObservingHarm: Sendable {
    /// Consecutive seconds of the uplink in which the client was observed, or not.
    package struct Part: Sendable {
        package var isObserved: Bool
        package var seconds: [LineSecond]

        package init(isObserved: Bool, seconds: [LineSecond]) {
            self.isObserved = isObserved
            self.seconds = seconds
        }

        /// kbit/s of media and their control that arrived; IP bytes.
        var media: Double { rate { $0.udp.deliveredBytes } }
        /// kbit/s of TCP, with its acknowledgements; IP bytes.
        var reports: Double { rate { $0.tcp.offeredBytes } }

        private func rate(_ bytes: (LineSecond) -> Int) -> Double {
            Double(seconds.map(bytes).reduce(0, +)) * 0.008 / Double(max(1, seconds.count))
        }
    }

    /// Who is observed, and how.
    package let name: String
    /// What a rate is divided by: peer connections of a browser, streams of the SDK.
    package let streams: Int
    /// kbit/s of a stream that observing should not exceed.
    package let goal: Double
    package let parts: [Part]

    /// The least share of its media that an observed client should keep.
    package static let shareGoal = 0.97

    package init(name: String, streams: Int, goal: Double, parts: [Part]) {
        self.name = name
        self.streams = streams
        self.goal = goal
        self.parts = parts.filter { !$0.seconds.isEmpty }
    }

    /// kbit/s of media, with observing and without it; `nil` if one of the two was not measured.
    package var media: (observed: Double, unobserved: Double)? { means(\.media) }

    /// kbit/s of TCP, with observing and without it.
    package var reports: (observed: Double, unobserved: Double)? { means(\.reports) }

    /// kbit/s that observing adds for each stream.
    package var cost: Double? { reports.map { ($0.observed - $0.unobserved) / Double(streams) } }

    /// What the media get of what they get unobserved.
    package var share: Double? { media.flatMap { $0.unobserved > 0 ? $0.observed / $0.unobserved : nil } }

    /// Half of the 95 % interval of ``share``, from parts that follow each other in pairs; `nil` with fewer than three.
    package var uncertainty: Double? {
        let shares = pairs.map { $0.observed.media / max(1, $0.unobserved.media) }
        guard shares.count >= 3 else { return nil }
        let count = Double(shares.count), mean = shares.reduce(0, +) / count
        let variance = shares.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / (count - 1)
        return Self.quantile(shares.count - 1) * (variance / count).squareRoot()
    }

    private func means(_ figure: (Part) -> Double) -> (observed: Double, unobserved: Double)? {
        func mean(_ isObserved: Bool) -> Double? {
            let values = parts.filter { $0.isObserved == isObserved }.map(figure)
            return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
        }
        guard let observed = mean(true), let unobserved = mean(false) else { return nil }
        return (observed, unobserved)
    }

    private var pairs: [(observed: Part, unobserved: Part)] {
        Array(zip(parts.filter(\.isObserved), parts.filter { !$0.isObserved }))
    }

    /// Student's t, 97.5 %, by degrees of freedom.
    private static func quantile(_ freedom: Int) -> Double {
        let table = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26]
        return freedom <= table.count ? table[max(0, freedom - 1)] : 2.1
    }
}
