// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire

// MARK: - Publications and subscriptions that have handles

extension LiveSession {
    /// Notifies a publication's ends, and those who are to have them, of what has changed.
    mutating func updateRoutes(of id: StreamID) {
        guard let stream = streams[id], let handle = endpoints[stream.publication]?.handle else { return }
        let subscriptions = stream.subscriptions.sorted().compactMap { endpoints[$0] }
        let isRouted = adaptation.routing == .routed
        let usesRouter = isRouted || subscriptions.contains { !$0.legs.isEmpty }
        if !usesRouter { removeRouterLegs(of: stream.publication) }
        let direct = subscriptions.filter { !isRouted || $0.direct?.relays.isEmpty == false }
        let routes = ServerMessage.Routes(
            leg: handle.name, router: usesRouter, subscribers: direct.compactMap { describeSubscriber($0) })
        for subscription in subscriptions {
            guard let handle = subscription.handle else { continue }
            notifyRoutes(ServerMessage.Routes(leg: handle.name, router: isRouted), to: subscription.id)
        }
        notifyRoutes(routes, to: stream.publication)
    }

    private mutating func notifyRoutes(_ routes: ServerMessage.Routes, to id: EndpointID) {
        guard let client = endpoints[id]?.client, endpoints.change(id, { $0.noteSent(routes) }) == true else {
            return
        }
        notify(client, .routes(routes))
    }

    private func describeSubscriber(_ endpoint: Endpoint) -> ServerMessage.DirectSubscriber? {
        guard let direct = endpoint.direct, let subscription = endpoint.subscription,
            let connection = identity(of: endpoint.client)?.description.id
        else { return nil }
        return ServerMessage.DirectSubscriber(
            subscriberId: direct.subscriberId, connectionId: connection,
            subscribesToVideo: subscription.preference.subscribeToVideo, turn: direct.turn)
    }

    /// Removes what connects a publication or subscription to the router.
    private mutating func removeRouterLegs(of id: EndpointID) {
        guard let endpoint = endpoints[id], !endpoint.legs.isEmpty else { return }
        endpoints.changeLegs(of: id) { $0 = RouterLegs() }
        endpoints.changeSubscription(of: id) { $0.wanted = nil }
        for leg in endpoint.legs.all { remove(leg, Self.rerouted) }
    }

    private static let rerouted = ServerError(.unknownLeg, "media takes another way now")
}

// MARK: - From the publisher

extension LiveSession {
    mutating func relay(_ request: ClientMessage.Relay, id: Int, _ member: Identity) throws(ServerError) {
        let publication = try endpoint(of: request.publication, .publisher, member)
        guard let handle = publication.handle,
            let subscription = subscription(request.subscriberId, of: publication)
        else { throw ServerError(.unknownStream, "the stream has no such subscriber, or no more") }
        guard handle.sentRoutes?.names(request.subscriberId) == true else {
            throw ServerError(.forbidden, "the subscriber gets the stream from the media router")
        }
        try checkName(request.leg, member)
        try paceOffer(request.offer, to: subscription, by: member.client)
        open(publication.id, subscription, request.leg, id: id, offer: request.offer, member.client)
    }

    /// A publisher's new peer connection in place of an earlier one to the same subscriber.
    mutating func replaceRelay(
        _ old: RelayID, _ request: ClientMessage.Replace, id: Int, _ member: Identity
    ) throws(ServerError) {
        guard let relay = relays[old], relay.end(request.replaces, of: member.client) == .publisher,
            let subscription = endpoints[relay.subscription]
        else { throw ServerError(.forbidden, "only the publisher makes offers") }
        try checkName(request.leg, member)
        try paceOffer(request.offer, to: subscription, by: member.client)
        open(relay.publication, subscription, request.leg, id: id, offer: request.offer, member.client)
    }

    /// Counts an offer to a subscriber; what exceeds the rates is refused, so that no one is flooded by another client.
    private mutating func paceOffer(
        _ offer: String, to subscription: Endpoint, by client: ClientID
    ) throws(ServerError) {
        try pace(.introduction, of: subscription.id.number, by: client)
        try pacePassedOn(offer, to: subscription.client, by: client)
    }

    /// Counts what one client has passed on to another.
    private mutating func pacePassedOn(
        _ text: String, to receiver: ClientID, by client: ClientID
    ) throws(ServerError) {
        try pace(.passedOnBytes, of: receiver.rawValue, cost: text.utf8.count, by: client)
    }

    private mutating func open(
        _ publication: EndpointID, _ subscription: Endpoint, _ name: LegName, id: Int, offer: String,
        _ publisher: ClientID
    ) {
        guard let direct = subscription.direct else { return }
        // No one waits for two offers at once; the newer one counts.
        for old in direct.relays where relays[old]?.isUp == false { removeRelay(old, Self.overtaken) }
        let relay = Relay(
            id: RelayID(number: nextNumber()), publisher: publisher, subscriber: subscription.client,
            publication: publication, subscription: subscription.id, publisherLeg: name,
            subscriberLeg: subscription.id.relayLeg(direct.relayCount + 1),
            offer: .init(id: id, deadline: now.elapsed + timeouts.peerAnswer))
        relays.add(relay, as: relay.id)
        endpoints.changeDirect(of: subscription.id) {
            $0.relays.append(relay.id)
            $0.relayCount += 1
        }
        members.change(publisher) { $0.names.add(relay) }
        members.change(subscription.client) { $0.names.add(offered: relay) }
        passOn(offer, relay)
    }

    private mutating func passOn(_ offer: String, _ relay: Relay) {
        guard let handle = endpoints[relay.subscription]?.handle else { return }
        let offered = ServerMessage.Offered(
            leg: relay.subscriberLeg, subscription: handle.name, offer: offer)
        notify(relay.subscriber, .offered(offered))
    }

    /// A later offer, such as an ICE restart.
    mutating func relayOffer(
        _ id: RelayID, _ request: ClientMessage.Offer, message: Int, _ member: Identity
    ) throws(ServerError) {
        guard let relay = relays[id], relay.end(request.leg, of: member.client) == .publisher,
            let subscription = endpoints[relay.subscription]
        else { throw ServerError(.forbidden, "only the publisher makes offers") }
        guard relay.isUp, relay.offer == nil else {
            throw ServerError(.tooMany, "the leg's last offer has not been answered yet")
        }
        try paceOffer(request.offer, to: subscription, by: member.client)
        let deadline = now.elapsed + timeouts.peerAnswer
        relays.change(id) { $0.renew(.init(id: message, deadline: deadline)) }
        passOn(request.offer, relay)
    }

    mutating func giveUp(_ request: ClientMessage.GiveUp, _ member: Identity) throws(ServerError) {
        let publication = try endpoint(of: request.publication, .publisher, member)
        guard let subscription = subscription(request.subscriberId, of: publication),
            let handle = subscription.handle,
            publication.handle?.sentRoutes?.names(request.subscriberId) == true
        else { return }
        try pace(.giveUp, of: subscription.id.number, by: member.client)
        log(.noPath(session: id.rawValue.printable, stream: subscription.stream.rawValue))
        if mediaMode == .adaptive { return stayRouted() }
        close(subscription.id, ServerError(.peerUnavailable, request.message))
        notify(subscription.client, .subscriptionEnded(.init(id: handle.name.rawValue, reason: .failed)))
    }

    private func subscription(_ subscriber: String, of publication: Endpoint) -> Endpoint? {
        streams[publication.stream]?.subscriptions.lazy.compactMap { endpoints[$0] }
            .first { $0.direct?.subscriberId == subscriber }
    }

    private static let overtaken = ServerError(.unknownLeg, "a newer offer has taken the leg's place")
}

extension ServerMessage.Routes {
    fileprivate func names(_ subscriber: String) -> Bool {
        subscribers.contains { $0.subscriberId == subscriber }
    }
}

// MARK: - From the subscriber

extension LiveSession {
    mutating func answerRelay(
        _ request: ClientMessage.Answer, id: Int, _ member: Identity
    ) throws(ServerError) {
        guard let relay = try relay(request.leg, .subscriber, member) else {
            return answer(member.client, id, .done)
        }
        guard let offer = relay.offer else {
            throw ServerError(.unknownLeg, "there is no offer on the leg that waits for an answer")
        }
        relays.change(relay.id) { $0.settleOffer(isAnswered: request.answer != nil) }
        answer(member.client, id, .done)
        if let sdp = request.answer {
            dropOldest(of: relay.subscription)
            answer(relay.publisher, offer.id, .answered(.init(leg: relay.publisherLeg, answer: sdp)))
        } else {
            let reason = request.message ?? "the subscriber gives no reason"
            let error = ServerError(.peerUnavailable, "the subscriber cannot use the offer: \(reason)")
            answer(relay.publisher, offer.id, .error(error))
            if !relay.isUp { removeRelay(relay.id, error) }
        }
    }

    /// Most answered relays of a subscription: one that delivers, and one that is to take its place.
    private static let answeredRelays = 2

    private mutating func dropOldest(of subscription: EndpointID) {
        let answered = relays(of: subscription).filter(\.isUp)
        for old in answered.dropLast(Self.answeredRelays) { removeRelay(old.id, Self.settledElsewhere) }
    }

    /// The relays of a subscription, oldest first.
    func relays(of subscription: EndpointID) -> [Relay] {
        (endpoints[subscription]?.direct?.relays ?? []).compactMap { relays[$0] }
    }

    /// Media arrives by a leg: what the subscription had before may go.
    mutating func settled(_ name: LegName, _ member: Identity) throws(ServerError) {
        if let relay = names(of: member).relays[name].flatMap({ relays[$0] }) {
            guard relay.end(name, of: member.client) == .subscriber else { throw Self.noSubscription }
            try pace(.settlement, of: relay.subscription.number, by: member.client)
            settle(relay.subscription, on: relay.id)
        } else if let leg = leg(name, of: member) {
            guard endpoints[leg.endpoint]?.kind == .subscriber else { throw Self.noSubscription }
            try pace(.settlement, of: leg.endpoint.number, by: member.client)
            settle(leg.endpoint, on: nil)
        } else if names(of: member).flow(of: name) == nil {
            throw ServerError(.unknownLeg, "there is no such leg")
        }
    }

    /// Removes what is older than the relay that delivers media, or all relays if the router does.
    mutating func settle(_ subscription: EndpointID, on relay: RelayID?) {
        guard let endpoint = endpoints[subscription], let direct = endpoint.direct else { return }
        endpoints.changeDirect(of: subscription) { $0.settleBy = nil }
        if relay != nil { removeRouterLegs(of: subscription) }
        for old in direct.relays where relay.map({ old < $0 }) ?? true {
            removeRelay(old, Self.settledElsewhere)
        }
        if relay == nil { endpoints.changeDirect(of: subscription) { $0.turn += 1 } }
        updateRoutes(of: endpoint.stream)
    }

    /// A subscriber has lost the way to its publisher, who may not have noticed yet.
    mutating func legLost(_ leg: LegName, _ member: Identity) throws(ServerError) {
        guard let relay = try relay(leg, .subscriber, member), relay.isUp, relay.offer == nil else { return }
        try pace(.lostLeg, of: relay.subscription.number, by: member.client)
        let lost = ServerMessage.MediaLost(
            legs: [relay.publisherLeg], message: "the subscriber has lost the path to its publisher")
        notify(relay.publisher, .mediaLost(lost))
    }

    /// The relay of a client's leg; `nil` if it is over, which crosses on the way what the client says of it.
    private func relay(_ leg: LegName, _ end: StreamRole, _ member: Identity) throws(ServerError) -> Relay? {
        guard let relay = names(of: member).relays[leg].flatMap({ relays[$0] }) else {
            if names(of: member).flow(of: leg) != nil { return nil }
            throw ServerError(.unknownLeg, "there is no such leg")
        }
        guard relay.end(leg, of: member.client) == end else { throw Self.noSubscription }
        return relay
    }

    private static let noSubscription = ServerError(.unknownLeg, "the leg belongs to no subscription")
    private static let settledElsewhere = ServerError(.unknownLeg, "something newer delivers the media")
}

// MARK: - Either way

extension LiveSession {
    /// Passes a candidate on to the other end.
    mutating func passOn(
        _ candidate: LegCandidate, of id: RelayID, _ member: Identity
    ) throws(ServerError) {
        guard let relay = relays[id] else { return }
        let end = relay.end(candidate.leg, of: member.client)
        let receiver = end == .publisher ? relay.subscriber : relay.publisher
        guard relay.candidates(of: end) < limits.candidatesPerOffer else {
            throw ServerError(.tooMany, "an offer or answer may have \(limits.candidatesPerOffer) candidates")
        }
        guard Self.isCandidate(candidate.candidate) else {
            throw ServerError(.malformed, "\"candidate\" is none")
        }
        try pacePassedOn(candidate.candidate, to: receiver, by: member.client)
        relays.change(id) { $0.countCandidate(of: end) }
        var passed = candidate
        passed.leg = end == .publisher ? relay.subscriberLeg : relay.publisherLeg
        notify(receiver, .candidate(passed))
    }

    /// Whether a text is the value of a candidate attribute, or its end: one printable line.
    static func isCandidate(_ text: String) -> Bool {
        text.isEmpty
            || text.hasPrefix("candidate:") && text.utf8.allSatisfy { (32..<127).contains($0) }
    }

    /// Removes a relay; the offer that waits is refused with `error`.
    mutating func removeRelay(_ id: RelayID, _ error: ServerError) {
        guard let relay = relays.remove(id) else { return }
        members.change(relay.publisher) { $0.names.relays[relay.publisherLeg] = nil }
        members.change(relay.subscriber) { $0.names.relays[relay.subscriberLeg] = nil }
        endpoints.changeDirect(of: relay.subscription) { $0.relays.removeAll { $0 == id } }
        if let offer = relay.offer { answer(relay.publisher, offer.id, .error(error)) }
    }

    /// Removes everything direct that a publication or subscription has.
    mutating func removeRelays(of endpoint: EndpointID, _ error: ServerError) {
        let gone = relays.rows { $0.publication == endpoint || $0.subscription == endpoint }
        for relay in gone.sorted(by: { $0.id < $1.id }) { removeRelay(relay.id, error) }
    }

    mutating func expireRelays() {
        let late = relays.rows { $0.offer.map { $0.deadline <= now.elapsed } ?? false }
        for relay in late.sorted(by: { $0.id < $1.id }) {
            guard relay.isUp, let offer = relay.offer else {
                removeRelay(relay.id, Self.noPeerAnswer)
                continue
            }
            relays.change(relay.id) { $0.settleOffer(isAnswered: false) }
            answer(relay.publisher, offer.id, .error(Self.noPeerAnswer))
        }
    }

    private static let noPeerAnswer = ServerError(
        .peerUnavailable, "the subscriber has not answered in time")
}

// MARK: - Facts

extension LiveSession {
    /// Tells a subscriber what its relayed publisher says about their path.
    mutating func passOn(
        _ event: MeasuredEvent, _ sample: StreamSample, _ captured: Duration, of relay: Relay
    ) {
        guard let publication = endpoints[relay.publication], let stream = streams[publication.stream],
            relays.change(relay.id, { $0.passes(captured) }) == true
        else { return }
        var facts = LegMetrics(
            leg: relay.subscriberLeg, capturedAt: now.unix,
            sender: sender(sample, stream),
            networkDegradationSource: sample.networkDegradationSource)
        facts.publisher = LegMetrics.Publisher(
            capturedAt: event.capturedAt, age: 0,
            sample: stream.senderStatsTrack ? sample.forSubscribers : sample.judgements)
        // Who judges nothing itself has no use for them.
        let isJudgedHere = analysts.take(facts, of: relay.subscription, at: now.elapsed)
        if !isJudgedHere { notify(relay.subscriber, .facts(facts)) }
    }

    /// What the publisher says of the connection; of one that keeps its figures to itself, why less is sent than wanted.
    private func sender(_ sample: StreamSample, _ stream: PublishedStream) -> SenderMetrics {
        let metrics = SenderMetrics(sample, stream)
        return stream.senderStatsTrack ? metrics : SenderMetrics(reason: metrics.reason)
    }
}

extension SenderMetrics {
    /// What a relayed publisher says of the connection to a subscriber.
    init(_ sample: StreamSample, _ stream: PublishedStream) {
        let content = stream.content
        let video = sample.video
        let isOn = content.hasVideo && video?.maximumBitrate != nil
        let isLimited = video?.qualityLimitationReason == .bandwidth
        let wanted = LayerIntent(
            maximumBitrate: video?.maximumBitrate,
            size: content.videoDimensions)
        var sent: LayerIntent?
        if let width = video?.width, let height = video?.height {
            sent = LayerIntent(
                maximumBitrate: video?.bitrate, size: VideoSize(width: width, height: height))
        }
        self.init(
            estimatedBandwidth: sample.connectionEstimatedBandwidth,
            maximumAllocatedBitrate: stream.maximumAllocatedBitrate(sample),
            wantedLayer: isOn ? wanted : nil, sentLayer: isOn ? sent : nil,
            reason: !isOn ? .off : isLimited ? .bandwidth : .wanted, videoFramesSent: video?.framesSent,
            roundTripTime: sample.roundTripTime)
    }
}

extension PublishedStream {
    /// The most that the publisher's connection to a subscriber may be given, bps: its bound, or what its media are
    /// configured to if that is less; `nil` if neither is known.
    fileprivate func maximumAllocatedBitrate(_ sample: StreamSample) -> Double? {
        let media = sample.video?.maximumBitrate.map {
            $0 + (content.hasAudio ? AudioIntent.usualBitrate : 0)
        }
        return [maximumBitrate, media].compactMap(\.self).min()
    }
}
