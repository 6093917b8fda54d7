// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import SessionWire

/// What the core has to remember of what is being stored.
package struct CoreStoring: Sendable {
    /// Who waits for something to be stored.
    enum Waiting: Sendable {
        /// A client, whose telemetry is acknowledged then.
        case telemetry(Telemetry)
        /// Participants of an observed call, whose messages are answered then.
        case reports([ReportTicket])
    }

    /// Telemetry of a client.
    struct Telemetry: Sendable {
        var client: ClientID
        /// The client's message.
        var message: Int
        var eventIds: [String]
    }

    private let names: StoredNames
    /// Tells this run of the server from others.
    private let run: UInt64
    private var lastReceipt: StoreReceipt = 0
    private var waiting: [StoreReceipt: Waiting] = [:]
    var tickets = ReportTickets()

    package init(names: StoredNames, run: UInt64) {
        self.names = names
        self.run = run
    }

    /// What a session has to remember.
    func storing(for session: SessionNumber) -> SessionStoring {
        SessionStoring(names: names, run: run, session: session)
    }

    /// A receipt for what someone waits for.
    mutating func receipt(for waiting: Waiting) -> StoreReceipt {
        if case .reports(let messages) = waiting {
            for ticket in messages { tickets.add(to: ticket) }
        }
        lastReceipt += 1
        self.waiting[lastReceipt] = waiting
        return lastReceipt
    }

    /// What a receipt was for.
    mutating func redeem(_ receipt: StoreReceipt) -> Waiting? { waiting.removeValue(forKey: receipt) }
}

/// What a session has to remember of what is being stored.
struct SessionStoring: Sendable {
    let names: StoredNames
    /// Tells this run of the server from others.
    private let run: UInt64
    /// From where on what has no event id is numbered.
    private let firstOwn: Int64
    private var ownCount: Int64 = 0

    init(names: StoredNames, run: UInt64, session: SessionNumber) {
        self.names = names
        self.run = run
        // Times of two runs may meet, and sessions look at the same moment, so both are in it. Their numbers are far
        // apart.
        firstOwn = Int64(bitPattern: (run &+ session.rawValue) &* 0x9E37_79B9_7F4A_7C15)
    }

    /// A mark for something that the server itself has noticed.
    mutating func mark(at time: Double) -> EventMark {
        ownCount += 1
        return EventMark(time: time, capturedAt: time, event: firstOwn &+ ownCount)
    }

    /// The number by which the store knows a publication or subscription of a connection.
    ///
    /// They are numbered from 1 in each run, and connections come back under their old names.
    func number(of endpoint: EndpointID) -> Int64 {
        Int64(run & 0x7FFF_FFFF) << 32 | Int64(endpoint.number & 0xFFFF_FFFF)
    }
}
