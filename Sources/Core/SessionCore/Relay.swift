// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// One peer connection between a publisher and a subscriber: the server passes on what they say to each other.
struct Relay: Sendable {
    /// An offer that waits for the subscriber's answer.
    struct PendingOffer: Sendable {
        /// The publisher's message.
        var id: Int
        var deadline: Duration
    }

    let id: RelayID
    let publisher: ClientID
    let subscriber: ClientID
    let publication: EndpointID
    let subscription: EndpointID
    /// The publisher's name for it.
    let publisherLeg: LegName
    /// The name that the server gave it for the subscriber.
    let subscriberLeg: LegName
    /// `nil` once answered.
    private(set) var offer: PendingOffer?
    /// Whether the first offer was answered.
    private(set) var isUp = false
    /// Candidates that each end has sent since the last offer.
    private var candidates: [StreamRole: Int] = [:]
    /// When the publisher measured what was last passed on to the subscriber; `nil` if nothing was.
    private var passedOn: Duration?
    /// What the publisher last said of it.
    var sample: DatedSample?

    init(
        id: RelayID, publisher: ClientID, subscriber: ClientID, publication: EndpointID,
        subscription: EndpointID, publisherLeg: LegName, subscriberLeg: LegName, offer: PendingOffer
    ) {
        self.id = id
        self.publisher = publisher
        self.subscriber = subscriber
        self.publication = publication
        self.subscription = subscription
        self.publisherLeg = publisherLeg
        self.subscriberLeg = subscriberLeg
        self.offer = offer
    }

    /// Which end a client's leg is.
    func end(_ leg: LegName, of client: ClientID) -> StreamRole {
        client == publisher && leg == publisherLeg ? .publisher : .subscriber
    }

    /// Candidates that an end has sent since the last offer.
    func candidates(of end: StreamRole) -> Int { candidates[end, default: 0] }

    /// Counts a candidate of an end.
    mutating func countCandidate(of end: StreamRole) { candidates[end, default: 0] += 1 }

    /// The publisher has made another offer.
    mutating func renew(_ new: PendingOffer) {
        offer = new
        candidates = [:]
    }

    /// The offer is answered, or was refused; from an answer on the relay is up.
    mutating func settleOffer(isAnswered: Bool) {
        offer = nil
        if isAnswered { isUp = true }
    }

    /// Whether what was measured then is newer than all that was passed on; from now on it is what was.
    mutating func passes(_ captured: Duration) -> Bool {
        if let passedOn, passedOn >= captured { return false }
        passedOn = captured
        return true
    }
}
