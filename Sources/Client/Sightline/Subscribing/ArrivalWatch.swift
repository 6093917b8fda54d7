// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Notices that nothing arrives although something should.
///
/// Pure; asked once a tick.
struct ArrivalWatch: Equatable {
    /// How long nothing may arrive.
    let limit: Duration

    private var packets: UInt64?
    private var lastArrival: Duration?

    init(limit: Duration) { self.limit = limit }

    /// Takes a tick's total in.
    ///
    /// - Parameters:
    ///   - packets: All packets so far; `nil` if no one knows of any.
    ///   - isExpected: Whether some should have come.
    /// - Returns: Whether nothing has come for too long.
    mutating func handle(packets: UInt64?, isExpected: Bool, at now: Duration) -> Bool {
        let hasArrived = packets != self.packets
        self.packets = packets
        guard let last = lastArrival, isExpected, !hasArrived else {
            lastArrival = now
            return false
        }
        return now - last >= limit
    }
}
