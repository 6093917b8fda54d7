// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The server's own number for a peer connection between two clients.
struct RelayID: Hashable, Sendable, Comparable {
    let number: UInt64
    static func < (first: RelayID, second: RelayID) -> Bool { first.number < second.number }
}

/// One peer connection between a publisher and a subscriber: the server passes on what they say to each other.
struct Relay: Sendable {
    /// An offer that waits for the subscriber's answer.
    struct PendingOffer: Sendable {
        /// The publisher's message.
        var id: Int
        var deadline: Duration
    }

    /// The two clients.
    enum End { case publisher, subscriber }

    let id: RelayID
    let publisher: SocketID
    let subscriber: SocketID
    let publication: SlotID
    let subscription: SlotID
    /// The publisher's name for it.
    let publisherLeg: String
    /// The name that the server gave it for the subscriber.
    let subscriberLeg: String
    /// `nil` once answered.
    var offer: PendingOffer?
    /// Whether the first offer was answered.
    var isUp = false
    /// Candidates that each end has sent since the last offer.
    var candidates: [End: Int] = [:]
    /// When the publisher measured what was last passed on to the subscriber; `nil` if nothing was.
    var passedOn: Duration?
    /// What the publisher last said of it.
    var sample: ServerStream.DatedSample?

    /// Which end a client's leg is.
    func end(_ leg: String, of client: SocketID) -> End {
        client == publisher && leg == publisherLeg ? .publisher : .subscriber
    }
}
