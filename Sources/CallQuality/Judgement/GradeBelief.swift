// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Believes a grade: a worse one when it was seen twice in a row or comes seldom, a better one when it lasted.
struct GradeBelief: Sendable {
    /// The believed grade, `1...5`; `nil` while it is unknown.
    private(set) var grade: Int?
    private var value: Double?
    private var worse: Int?
    /// When the newest sample was taken, in Unix ms; `nil` before the first.
    private(set) var lastSample: Double?
    private var better: (grade: Int, since: Double)?

    /// Takes a sample.
    ///
    /// - Parameters:
    ///   - sample: The grade of a new sample.
    ///   - value: The figure, if nothing tells a new one from one that is only repeated: then the same again does not
    ///     prove that it is bad.
    ///   - patience: How long a better grade must last, in seconds.
    ///   - seldom: Samples that are this far apart, in seconds, are believed at once.
    mutating func handle(
        _ sample: Int, _ value: Double? = nil, at time: Double, patience: Double, seldom: Double
    ) {
        let isRepeated = value != nil && value == self.value
        if let grade, sample < grade, isRepeated { return }
        self.value = value
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
            } else if let lastSample, time - lastSample >= seldom * 1000 {
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
