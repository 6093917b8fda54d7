// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Believes a grade: a worse one when it was seen twice in a row or comes rarely, a better one when it
/// lasted.
struct GradeBelief: Sendable {
    /// The believed grade, `1...5`; `nil` while it is unknown.
    private(set) var grade: Int?
    private var value: Double?
    private var worse: Int?
    /// When the newest sample was taken, in Unix ms; `nil` before the first.
    private(set) var lastSample: Double?
    /// The newest sample, believed or not.
    private var newest = 0
    /// Until when each grade was what samples said, by grade.
    private var lasted = SIMD8<Double>(repeating: -.infinity)

    /// Takes a sample.
    ///
    /// - Parameters:
    ///   - sample: The grade of a new sample.
    ///   - value: The figure, if nothing tells a new one from one that is only repeated: then the same again
    ///     does not prove that it is bad.
    ///   - patience: How long a better grade must last, in seconds.
    ///   - rarely: Samples that are this far apart, in seconds, are believed at once.
    mutating func handle(
        _ sample: Int, _ value: Double? = nil, at time: Double, patience: Double, seldom: Double
    ) {
        let isRepeated = value != nil && value == self.value
        if let grade, sample < grade, isRepeated { return }
        self.value = value
        note(sample, at: time, patience)
        defer { lastSample = time }
        guard let grade else {
            self.grade = sample
            return
        }
        if sample < grade {
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

    private mutating func note(_ sample: Int, at time: Double, _ patience: Double) {
        if let lastSample, newest != sample {
            // Samples that come rarely have lasted since the one before.
            lasted[newest] = time - lastSample >= patience * 1000 ? lastSample : time
        }
        newest = sample
    }

    /// What was better for long enough, on the way from bad to good the worst of it.
    private mutating func improve(to sample: Int, from grade: Int, at time: Double, _ patience: Double) {
        let worst = (1..<max(sample, 1)).first { time - lasted[$0] < patience * 1000 } ?? sample
        if worst > grade { self.grade = worst }
    }

    /// Forgets everything, because there is nothing to judge.
    mutating func forget() { self = GradeBelief() }
}
