// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Notices that nothing comes any more although it should.
///
/// What comes on the selected pair is watched, media and RTCP alike; how regularly it comes is learned,
/// because a call of audio alone may get reports from the far end only every few seconds.
struct OutageDetector: Sendable {
    /// Start of the outage, in Unix ms; `nil` outside one.
    private(set) var since: Double?

    private var lastArrival: Double?
    private var usualGap = 0.0
    private var wasConnected = false

    /// Takes a tick.
    ///
    /// - Parameters:
    ///   - arrived: Whether bytes came; `nil` if unknown.
    ///   - isExpected: Whether they should.
    ///   - isConnected: Whether ICE is connected; `nil` if unknown.
    /// - Returns: Whether an outage ended with this tick.
    mutating func handle(
        arrived: Bool?, isExpected: Bool, isConnected: Bool?, at time: Double, _ rules: ConditionRules
    ) -> Bool {
        if isConnected == true { wasConnected = true }
        if arrived == true {
            if let lastArrival, since == nil { usualGap = max(time - lastArrival, usualGap * 0.9) }
            lastArrival = time
            if isConnected != false {
                defer { since = nil }
                return since != nil
            }
        }
        guard let lastArrival else { return false }
        let gap = time - lastArrival
        let isSilent = arrived == false && isExpected && gap >= max(rules.outage * 1000, 2 * usualGap)
        if since == nil, isSilent || isConnected == false && wasConnected { since = lastArrival }
        return false
    }

    /// Starts over on another path.
    mutating func restart() { self = OutageDetector() }
}
