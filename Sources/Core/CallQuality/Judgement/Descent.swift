// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Where the falls of an estimate lead: down to a limit, or ever further down.
///
/// Congestion control finds a limit within seconds of an overload, and does not get far below it: each fall ends at the
/// same share of what the path carries. Where the delay varies by itself a fall ends at a share of what happens to be
/// sent, and nothing stops the next one.
struct Descent: Sendable {
    /// Whether the estimate has been halved since it first fell, or since an overload was over.
    private(set) var isHalved = false
    /// Whether it still reaches a new least when it should have found a limit.
    private(set) var isEndless = false

    /// What it fell to first, or in an overload, and when.
    private var begin: (estimate: Double, time: Double)?
    /// The least since.
    private var least = Double.infinity

    /// Milliseconds in which congestion control has found a limit.
    private static let convergence = 8_000.0

    /// Takes a fall.
    mutating func handle(from old: Double, to new: Double, at time: Double, _ rules: ConditionRules) {
        let isSteep = new < old * rules.steepDecreaseRatio
        guard let begin, !isSteep || new >= begin.estimate / 2 && time - begin.time >= Self.convergence else {
            begin = (new, time)
            least = new
            isEndless = false
            return
        }
        if new < begin.estimate / 2 { isHalved = true }
        guard new < least * rules.decreaseRatio else { return }
        least = new
        isEndless = time - begin.time >= Self.convergence
    }
}
