// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// A condition that counts once it has lasted.
struct Lasting: Sendable {
    private var since: Double?
    /// Whether it has.
    private(set) var isTrue = false

    /// Takes a tick.
    ///
    /// - Parameter isMet: Whether the condition is met; `nil` if the tick says nothing.
    mutating func handle(_ isMet: Bool?, for seconds: Double, at tick: Tick) {
        guard let isMet else { return }
        guard isMet else {
            since = nil
            isTrue = false
            return
        }
        let begin = since ?? tick.previous ?? tick.time
        since = begin
        isTrue = tick.time - begin >= seconds * 1000
    }
}
