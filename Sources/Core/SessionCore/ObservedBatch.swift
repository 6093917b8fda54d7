// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory

/// What an observed call has stored because of one input: at once, so that of what a message says all is there, or nothing.
///
/// What waits until it is known of whom it is, is stored because of another input; its message waits for it.
struct ObservedBatch: Sendable {
    /// The message at hand; `nil` if it is something else, or there is no store.
    var message: ReportTicket?
    private var records: [StoreRecord] = []
    /// The messages that say that.
    private var messages: Set<ReportTicket> = []
    private var held: [ReportTicket] = []
    private var released: [ReportTicket] = []

    /// Has something stored.
    mutating func store(_ records: [StoreRecord]) {
        guard !records.isEmpty else { return }
        self.records += records
        if let message { messages.insert(message) }
    }

    /// A sample of the message at hand waits.
    mutating func hold() { if let message { held.append(message) } }

    /// Samples wait no more.
    ///
    /// - Parameter isStored: Whether they are stored now; if not, there is nothing of them that could be.
    mutating func release(_ samples: [WaitingSample], isStored: Bool) {
        let tickets = samples.compactMap(\.ticket)
        released += tickets
        if isStored { messages.formUnion(tickets) }
    }

    /// Takes out what is to be done; what waits no more is counted as such once it is on its way into the store.
    mutating func takeEffects() -> [SessionEffect] {
        defer {
            (records, messages, held, released) = ([], [], [], [])
        }
        return held.map { .hold($0) } + storing + released.map { .release($0) }
    }

    private var storing: [SessionEffect] {
        guard !records.isEmpty else { return [] }
        guard !messages.isEmpty else { return [.act(.store(records, nil))] }
        return [.store(records, for: .reports(messages.sorted()))]
    }
}
