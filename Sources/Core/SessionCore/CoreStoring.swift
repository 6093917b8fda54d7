// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import SessionWire

/// What the core has to remember of what is being stored.
package struct CoreStoring: Sendable {
    /// Telemetry that is acknowledged once it is stored.
    struct Waiting: Sendable {
        var socket: SocketID
        /// The client's message.
        var message: Int
        var eventIds: [String]
    }

    let names: StoredNames
    /// Tells this run of the server from others.
    private let run: UInt64
    /// Numbers for what has no event id.
    private var lastOwn: Int64 = 0
    private var lastReceipt: StoreReceipt = 0
    private var waiting: [StoreReceipt: Waiting] = [:]
    /// Publications and subscriptions that are in the store and have not ended there.
    var flows: Set<SlotID> = []
    /// Until when raw reports of a session are kept, Unix ms.
    var keepsReports: [String: Double] = [:]

    package init(names: StoredNames, run: UInt64) {
        self.names = names
        self.run = run
    }

    /// A mark for something that the server itself has noticed.
    mutating func mark(at time: Double) -> EventMark {
        lastOwn += 1
        // Times of two runs may meet, so the run is in it too.
        let number = Int64(bitPattern: run &* 0x9E37_79B9_7F4A_7C15) &+ lastOwn
        return EventMark(time: time, capturedAt: time, event: number)
    }

    /// The number by which the store knows a publication or subscription.
    ///
    /// Slots are numbered anew in each run, and connections come back under their old names.
    func number(of slot: SlotID) -> Int64 {
        Int64(run & 0x7FFF_FFFF) << 32 | Int64(slot.number & 0xFFFF_FFFF)
    }

    /// A receipt for telemetry.
    mutating func receipt(for telemetry: Waiting) -> StoreReceipt {
        lastReceipt += 1
        waiting[lastReceipt] = telemetry
        return lastReceipt
    }

    /// What a receipt was for.
    mutating func redeem(_ receipt: StoreReceipt) -> Waiting? { waiting.removeValue(forKey: receipt) }
}
