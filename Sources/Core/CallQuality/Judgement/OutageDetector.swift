// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Notices that nothing comes any more although it should.
///
/// What comes on the selected pair is watched, media and RTCP alike. How long it usually stays away is learned,
/// because a sender of audio alone may get reports from the far end only every few seconds.
struct OutageDetector: Sendable {
    /// Start of the outage, in ms; `nil` outside one.
    private(set) var since: Double?
    /// Whether it is one because nothing comes at all: no media, no reports, and no answers to checks.
    ///
    /// Then neither direction is known to work.
    private(set) var isWhole = false

    private var lastArrival: Double?
    /// Silences that ended, in ms: the newest, and what is usual.
    private var silences = (last: 0.0, usual: 0.0)
    private var wasConnected = false

    /// Takes a tick.
    ///
    /// - Parameters:
    ///   - arrived: Whether bytes came; `nil` if unknown.
    ///   - isExpected: Whether they should.
    ///   - isConnected: Whether the direction is connected, by ICE or by what comes; `nil` if unknown.
    ///   - prior: How long nothing may come while nothing has been learned, in seconds.
    ///   - least: How long nothing may come whatever has been learned, in seconds.
    /// - Returns: Whether an outage ended with this tick.
    mutating func handle(
        arrived: Bool?, isExpected: Bool, isConnected: Bool?, prior: Double, least: Double = 0, at tick: Tick,
        _ rules: ConditionRules
    ) -> Bool {
        if isConnected == true { wasConnected = true }
        if arrived == true {
            learn(tick, prior)
            lastArrival = tick.time
            isWhole = false
            if isConnected != false {
                defer { since = nil }
                return since != nil
            }
        }
        guard let lastArrival else { return false }
        // Within a tick that brought something nothing is known of when; one that brought nothing was silent all along.
        let silence = tick.time - lastArrival
        let isSilent =
            arrived == false && isExpected
            && silence >= max(rules.outage * 1000, 2 * silences.usual, 2 * least * 1000)
        if isSilent { isWhole = true }
        if since == nil, isSilent || isConnected == false && wasConnected { since = lastArrival }
        return false
    }

    /// Starts over on another path.
    mutating func restart() { self = OutageDetector() }

    /// A silence is usual when the one before was as long; an outage is not.
    private mutating func learn(_ tick: Tick, _ prior: Double) {
        guard let lastArrival else {
            silences = (prior * 1000, prior * 1000)
            return
        }
        // Between two ticks in a row that brought something there was none.
        let silence = lastArrival == tick.previous ? 0 : tick.time - lastArrival
        silences.usual = max(min(silence, silences.last), silences.usual * 0.9)
        silences.last = silence
    }
}
