// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Debounces a grade: accepts a worse one when it was measured twice in a row or samples are sparse, a better
/// one when it lasted.
struct DebouncedGrade: Sendable {
    /// The accepted grade, `1...5`; `nil` while it is unknown.
    private(set) var grade: Int?
    private var value: Double?
    private var worse: Int?
    /// When the newest sample was taken, in Unix ms; `nil` before the first.
    private(set) var lastSample: Double?
    /// The newest sample, accepted or not.
    private var newest = 0
    /// The last time at which samples had each grade, by grade.
    private var lasted = SIMD8<Double>(repeating: -.infinity)

    /// Takes a sample.
    ///
    /// - Parameters:
    ///   - sample: The grade of a new sample.
    ///   - value: The figure, if a new one cannot be distinguished from a repeated one: then the same again
    ///     does not prove that it is bad.
    ///   - upgradeDelay: How long a better grade must persist, in seconds.
    ///   - sparseInterval: Samples this far apart, in seconds, are accepted at once.
    mutating func handle(
        _ sample: Int, _ value: Double? = nil, at time: Double, upgradeDelay: Double, sparseInterval: Double
    ) {
        let isRepeated = value != nil && value == self.value
        if let grade, sample < grade, isRepeated { return }
        self.value = value
        note(sample, at: time, upgradeDelay)
        defer { lastSample = time }
        guard let grade else {
            self.grade = sample
            return
        }
        if sample < grade {
            // The milder of two bad samples is proven.
            if let worse {
                self.grade = max(worse, sample)
            } else if let lastSample, time - lastSample >= sparseInterval * 1000 {
                self.grade = sample
            }
            worse = sample
        } else {
            worse = nil
            improve(to: sample, from: grade, at: time, upgradeDelay)
        }
    }

    private mutating func note(_ sample: Int, at time: Double, _ upgradeDelay: Double) {
        if let lastSample, newest != sample {
            // Samples that come rarely have lasted since the one before.
            lasted[newest] = time - lastSample >= upgradeDelay * 1000 ? lastSample : time
        }
        newest = sample
    }

    /// The worst grade among those that were exceeded for long enough.
    private mutating func improve(to sample: Int, from grade: Int, at time: Double, _ upgradeDelay: Double) {
        let worst = (1..<max(sample, 1)).first { time - lasted[$0] < upgradeDelay * 1000 } ?? sample
        if worst > grade { self.grade = worst }
    }

    /// Forgets everything, because there is nothing to judge.
    mutating func forget() { self = DebouncedGrade() }
}
