// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Believes a grade: a worse one when it was seen twice in a row or comes seldom, a better one when it lasted.
struct GradeBelief: Sendable {
    /// The believed grade, `1...5`; `nil` while it is unknown.
    private(set) var grade: Int?
    /// Samples that are this far apart, in ms, are believed at once: waiting for another takes too long.
    private static let seldom: Double = 2000

    private var worse: Int?
    /// When the newest sample was taken, in Unix ms; `nil` before the first.
    private(set) var lastSample: Double?
    private var better: (grade: Int, since: Double)?

    /// Takes a sample.
    ///
    /// - Parameters:
    ///   - sample: The grade of a new sample.
    ///   - patience: How long a better grade must last, in seconds.
    mutating func handle(_ sample: Int, at time: Double, patience: Double) {
        defer { lastSample = time }
        guard let grade else {
            self.grade = sample
            return
        }
        if sample < grade {
            better = nil
            // The milder of two bad samples is proven.
            if let worse {
                self.grade = max(worse, sample)
            } else if let lastSample, time - lastSample >= Self.seldom {
                self.grade = sample
            }
            worse = sample
        } else {
            worse = nil
            improve(to: sample, from: grade, at: time, patience)
        }
    }

    private mutating func improve(to sample: Int, from grade: Int, at time: Double, _ patience: Double) {
        guard sample > grade else {
            better = nil
            return
        }
        let candidate = (grade: min(better?.grade ?? sample, sample), since: better?.since ?? time)
        better = candidate
        // Samples that come seldom have lasted since the one before.
        let gap = lastSample.map { time - $0 } ?? 0
        guard max(time - candidate.since, gap) >= patience * 1000 else { return }
        self.grade = candidate.grade
        better = nil
    }

    /// Forgets everything, because there is nothing to judge.
    mutating func forget() { self = GradeBelief() }
}
