// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// Calls on their way to the HTTP API, and those that wait for their turn.
///
/// Pure, and bounded: who asks more than that is refused.
struct MCPCallQueue: Sendable {
    /// What becomes of a call.
    enum Outcome: Sendable, Equatable {
        /// It is sent now.
        case begins
        /// It is sent when others are answered.
        case waits
        /// It is not, for this reason.
        case refused(Refusal)
    }

    /// Why a call is not taken.
    enum Refusal: Sendable, Equatable {
        /// Too many wait.
        case full
        /// One of the same id is not answered yet.
        case duplicateID
    }

    /// Most calls that are on their way.
    static let limit = 4
    /// Most calls that wait.
    static let waitingLimit = 64

    private var running: Set<StatsValue> = []
    private var waiting: [MCPProtocol.Call] = []

    /// Whether nothing is on its way.
    var isEmpty: Bool { running.isEmpty }

    /// Takes a call.
    mutating func add(_ call: MCPProtocol.Call) -> Outcome {
        guard !running.contains(call.id), !waiting.contains(where: { $0.id == call.id }) else {
            return .refused(.duplicateID)
        }
        guard running.count >= Self.limit else {
            running.insert(call.id)
            return .begins
        }
        guard waiting.count < Self.waitingLimit else { return .refused(.full) }
        waiting.append(call)
        return .waits
    }

    /// No one waits for a call's answer any more; one that is on its way is so until it ends.
    mutating func cancel(_ id: StatsValue) { waiting.removeAll { $0.id == id } }

    /// A call is over; gives the one that is sent now.
    mutating func end(_ id: StatsValue) -> MCPProtocol.Call? {
        running.remove(id)
        guard !waiting.isEmpty else { return nil }
        let next = waiting.removeFirst()
        running.insert(next.id)
        return next
    }
}
