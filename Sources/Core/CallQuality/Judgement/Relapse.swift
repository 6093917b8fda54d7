// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What was called over and came back is not over at the next sign of it: a radio whose capacity swings recovers again and again,
/// and carries less than is wanted all the while.
struct Relapse: Sendable {
    private var overSince: Double?
    private var cameBackAt = -Double.infinity

    /// How long a relapse is remembered, and how long it has to be over after one, in ms.
    private static let memory = 30_000.0
    private static let holdTime = 8_000.0

    /// Takes a tick.
    ///
    /// - Returns: Whether it is over and that can be believed.
    mutating func believes(_ isOver: Bool, at time: Double) -> Bool {
        guard isOver else {
            if overSince != nil { cameBackAt = time }
            overSince = nil
            return false
        }
        let since = overSince ?? time
        overSince = since
        return time - cameBackAt > Self.memory || time - since >= Self.holdTime
    }

    /// It is over altogether.
    mutating func end() { overSince = nil }
}
