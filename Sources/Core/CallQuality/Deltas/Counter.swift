// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The last reading of a whole-numbered counter, and how its next reading becomes an increment.
struct Counter: Sendable {
    private var value: UInt64?
    private var time: Double?

    /// The increment up to a reading; `nil` if the member is missing.
    ///
    /// A first reading counts in full: its counter began after the report before. A reading below the last
    /// one is a restart and counts in full as well, so no increment is ever negative. After a missing reading
    /// the next increment spans the gap, with the gap's time.
    ///
    /// - Parameters:
    ///   - tick: The report's place in time.
    mutating func advance(to reading: UInt64?, _ tick: Tick) -> Increment? {
        guard let reading else { return nil }
        let seconds = tick.seconds(since: value == nil ? tick.previous : time)
        let amount = if let value, value <= reading { reading - value } else { reading }
        value = reading
        time = tick.time
        return Increment(amount: amount, seconds: seconds)
    }

    /// Whether a reading can only be that of a counter that started over.
    func isRestarted(at reading: UInt64?) -> Bool {
        guard let reading, let value else { return false }
        return reading < value
    }

    /// Lets the next reading count in full.
    mutating func restart() {
        if value != nil { value = 0 }
    }

    /// Forgets when the last reading was, after a step of the clock.
    mutating func forgetTime() { time = nil }
}
