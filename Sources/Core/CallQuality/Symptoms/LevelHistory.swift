// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The levels of audio over a window.
struct LevelHistory: Sendable {
    private var samples: [(time: Double, level: Double)] = []
    private var begin: Double?

    /// Takes a tick's level; `nil` starts over, because nothing is known of the time between.
    mutating func handle(_ level: Double?, at time: Double, window seconds: Double) {
        guard let level else {
            samples = []
            begin = nil
            return
        }
        begin = begin ?? time
        samples.append((time, level))
        samples.removeAll { $0.time <= time - seconds * 1000 }
    }

    /// Standard deviation over the window; `nil` until it is full.
    func deviation(at time: Double, window seconds: Double) -> Double? {
        guard let begin, time - begin >= seconds * 1000, samples.count > 1 else { return nil }
        let count = Double(samples.count)
        let mean = samples.reduce(0) { $0 + $1.level } / count
        let sum = samples.reduce(0) { $0 + ($1.level - mean) * ($1.level - mean) }
        return (sum / count).squareRoot()
    }
}
