// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import RouterWire
import SessionWire

// MARK: - Publications and subscriptions that have handles

extension ServerCore {
    /// Takes a publication or subscription without a leg; its ends come by routes.
    mutating func openHandle(_ name: String, for slot: SlotID) {
        guard let place = slots[slot] else { return }
        clients[place.socket]?.handles[name] = slot
        clients[place.socket]?.flows[name] = slot
        slots[slot]?.handle = name
        guard place.kind == .subscriber else { return }
        keepFlow(slot)
        slots[slot]?.subscriberId = ids.next()
        clients[place.socket]?.namedSubscriptions.insert(slot)
    }

    /// Whether an offer comes with the request that the session's way asks for.
    func checkOffer(_ offer: String?, in session: String) throws(ServerError) {
        let mayBeRelayed = sessions[session]?.mediaMode != .routed
        guard mayBeRelayed == (offer == nil) else {
            throw ServerError(
                .malformed,
                mayBeRelayed
                    ? "the session may be relayed: leave the \"offer\" out and wait for \"routes\""
                    : "the session is routed: send an \"offer\"")
        }
    }

    /// Tells a publication's ends, and those who are to have them, what has changed.
    mutating func updateRoutes(of publication: SlotID) {
        guard let slot = slots[publication], let handle = slot.handle,
            let stream = sessions[slot.session]?.streams[slot.stream], let session = sessions[slot.session]
        else { return }
        let subscriptions = stream.subscriptions.sorted()
        let isRouted = session.routing == .routed
        let usesRouter = isRouted || subscriptions.contains { slots[$0]?.legs.isEmpty == false }
        if !usesRouter { removeRouterLegs(of: publication) }
        let direct = subscriptions.filter { !isRouted || slots[$0]?.relays.isEmpty == false }
        let routes = ServerMessage.Routes(
            leg: handle, router: usesRouter, subscribers: direct.compactMap(describeSubscriber))
        for subscription in subscriptions {
            guard let handle = slots[subscription]?.handle else { continue }
            tellRoutes(ServerMessage.Routes(leg: handle, router: isRouted), to: subscription)
        }
        tellRoutes(routes, to: publication)
    }

    private mutating func tellRoutes(_ routes: ServerMessage.Routes, to slot: SlotID) {
        guard let place = slots[slot], place.toldRoutes != routes else { return }
        slots[slot]?.toldRoutes = routes
        tell(place.socket, .routes(routes))
    }

    private func describeSubscriber(_ id: SlotID) -> ServerMessage.DirectSubscriber? {
        guard let slot = slots[id], let subscriber = slot.subscriberId,
            let connection = clients[slot.socket]?.membership?.description.id
        else { return nil }
        return ServerMessage.DirectSubscriber(
            subscriberId: subscriber, connectionId: connection,
            subscribesToVideo: slot.preference.subscribeToVideo, turn: slot.turn)
    }

    /// Removes what connects a publication or subscription to the router.
    private mutating func removeRouterLegs(of id: SlotID) {
        guard let slot = slots[id], !slot.legs.isEmpty else { return }
        slots[id]?.retiring = []
        slots[id]?.current = nil
        slots[id]?.pending = nil
        slots[id]?.retireAt = nil
        slots[id]?.wanted = nil
        for leg in slot.legs { remove(leg, Self.rerouted) }
    }

    private static let rerouted = ServerError(.unknownLeg, "media takes another way now")
}

// MARK: - From the publisher

extension ServerCore {
    mutating func relay(
        _ request: ClientMessage.Relay, id: Int, from socket: SocketID
    ) throws(ServerError) {
        let publication = try slot(of: request.publication, .publisher, from: socket)
        guard let place = slots[publication], place.handle != nil,
            let subscription = subscription(request.subscriberId, of: publication)
        else { throw ServerError(.unknownStream, "the stream has no such subscriber, or no more") }
        guard slots[publication]?.toldRoutes?.names(request.subscriberId) == true else {
            throw ServerError(.forbidden, "the subscriber gets the stream from the media router")
        }
        try checkName(request.leg, of: socket)
        try paceOffer(request.offer, to: subscription, from: socket)
        open(publication, subscription, request.leg, id: id, offer: request.offer)
    }

    /// A publisher's new peer connection in place of an earlier one to the same subscriber.
    mutating func replaceRelay(
        _ old: RelayID, _ request: ClientMessage.Replace, id: Int, from socket: SocketID
    ) throws(ServerError) {
        guard let relay = relays[old], relay.end(request.replaces, of: socket) == .publisher else {
            throw ServerError(.forbidden, "only the publisher makes offers")
        }
        try checkName(request.leg, of: socket)
        try paceOffer(request.offer, to: relay.subscription, from: socket)
        open(relay.publication, relay.subscription, request.leg, id: id, offer: request.offer)
    }

    /// Counts an offer to a subscriber; what exceeds the rates is refused, so that nobody is flooded by
    /// another client.
    private mutating func paceOffer(
        _ offer: String, to subscription: SlotID, from socket: SocketID
    ) throws(ServerError) {
        try pace(.introduction, of: subscription.number, by: socket)
        try pacePassedOn(offer, to: slots[subscription]?.socket, from: socket)
    }

    /// Counts what one client has passed on to another.
    private mutating func pacePassedOn(
        _ text: String, to receiver: SocketID?, from socket: SocketID
    ) throws(ServerError) {
        try pace(.passedOnBytes, of: receiver?.rawValue ?? 0, cost: text.utf8.count, by: socket)
    }

    private mutating func open(
        _ publication: SlotID, _ subscription: SlotID, _ name: String, id: Int, offer: String
    ) {
        guard let publisher = slots[publication]?.socket, let place = slots[subscription] else { return }
        // Nobody waits for two offers at once; the newer one counts.
        for old in place.relays where relays[old]?.isUp == false { removeRelay(old, Self.overtaken) }
        let relay = Relay(
            id: RelayID(number: nextNumber()), publisher: publisher, subscriber: place.socket,
            publication: publication, subscription: subscription, publisherLeg: name,
            subscriberLeg: subscription.relayLeg(place.relayCount + 1),
            offer: .init(id: id, deadline: now.elapsed + timeouts.peerAnswer))
        relays[relay.id] = relay
        slots[subscription]?.relays.append(relay.id)
        slots[subscription]?.relayCount += 1
        clients[publisher]?.relays[name] = relay.id
        clients[publisher]?.flows[name] = publication
        // The server's own names take nothing from what the subscriber may name.
        clients[place.socket]?.relays[relay.subscriberLeg] = relay.id
        passOn(offer, relay)
    }

    private mutating func passOn(_ offer: String, _ relay: Relay) {
        guard let handle = slots[relay.subscription]?.handle else { return }
        tell(
            relay.subscriber,
            .offered(.init(leg: relay.subscriberLeg, subscription: handle, offer: offer)))
    }

    /// A later offer, such as an ICE restart.
    mutating func relayOffer(
        _ id: RelayID, _ request: ClientMessage.Offer, message: Int, from socket: SocketID
    ) throws(ServerError) {
        guard let relay = relays[id], relay.end(request.leg, of: socket) == .publisher else {
            throw ServerError(.forbidden, "only the publisher makes offers")
        }
        guard relay.isUp, relay.offer == nil else {
            throw ServerError(.tooMany, "the leg's last offer has not been answered yet")
        }
        try paceOffer(request.offer, to: relay.subscription, from: socket)
        let deadline = now.elapsed + timeouts.peerAnswer
        relays[id]?.offer = .init(id: message, deadline: deadline)
        relays[id]?.candidates = [:]
        passOn(request.offer, relay)
    }

    mutating func giveUp(_ request: ClientMessage.GiveUp, from socket: SocketID) throws(ServerError) {
        let publication = try slot(of: request.publication, .publisher, from: socket)
        guard let subscription = subscription(request.subscriberId, of: publication),
            let place = slots[subscription], let handle = place.handle,
            slots[publication]?.toldRoutes?.names(request.subscriberId) == true
        else { return }
        try pace(.giveUp, of: subscription.number, by: socket)
        log(.noPath(session: place.session, stream: place.stream))
        if sessions[place.session]?.mediaMode == .adaptive { return stayRouted(place.session) }
        close(subscription, ServerError(.peerUnavailable, request.message))
        tell(place.socket, .subscriptionEnded(.init(id: handle, reason: "failed")))
    }

    private func subscription(_ subscriber: String, of publication: SlotID) -> SlotID? {
        guard let place = slots[publication] else { return nil }
        return sessions[place.session]?.streams[place.stream]?.subscriptions
            .first { slots[$0]?.subscriberId == subscriber }
    }

    private static let overtaken = ServerError(.unknownLeg, "a newer offer has taken the leg's place")
}

extension ServerMessage.Routes {
    fileprivate func names(_ subscriber: String) -> Bool {
        subscribers.contains { $0.subscriberId == subscriber }
    }
}

// MARK: - From the subscriber

extension ServerCore {
    mutating func answerRelay(
        _ request: ClientMessage.Answer, id: Int, from socket: SocketID
    ) throws(ServerError) {
        guard let relay = try relay(request.leg, .subscriber, of: socket) else {
            return answer(socket, id, .done)
        }
        guard let offer = relay.offer else {
            throw ServerError(.unknownLeg, "there is no offer on the leg that waits for an answer")
        }
        relays[relay.id]?.offer = nil
        answer(socket, id, .done)
        if let sdp = request.answer {
            relays[relay.id]?.isUp = true
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

    private mutating func dropOldest(of subscription: SlotID) {
        let answered = (slots[subscription]?.relays ?? []).filter { relays[$0]?.isUp == true }
        for old in answered.dropLast(Self.answeredRelays) { removeRelay(old, Self.settledElsewhere) }
    }

    /// Media arrives by a leg: what the subscription had before may go.
    mutating func settled(_ leg: String, from socket: SocketID) throws(ServerError) {
        guard let client = clients[socket] else { return }
        if let relay = client.relays[leg].flatMap({ relays[$0] }) {
            guard relay.end(leg, of: socket) == .subscriber else {
                throw ServerError(.unknownLeg, "the leg belongs to no subscription")
            }
            try pace(.settlement, of: relay.subscription.number, by: socket)
            settle(relay.subscription, on: relay.id)
        } else if let subscription = client.legs[leg].flatMap({ legs[$0]?.slot }) {
            guard slots[subscription]?.kind == .subscriber else {
                throw ServerError(.unknownLeg, "the leg belongs to no subscription")
            }
            try pace(.settlement, of: subscription.number, by: socket)
            settle(subscription, on: nil)
        } else if client.flow(of: leg) == nil {
            throw ServerError(.unknownLeg, "there is no such leg")
        }
    }

    /// Removes what is older than the relay that delivers media, or all relays if the router does.
    mutating func settle(_ subscription: SlotID, on relay: RelayID?) {
        guard let slot = slots[subscription], slot.handle != nil else { return }
        slots[subscription]?.settleBy = nil
        if relay != nil { removeRouterLegs(of: subscription) }
        for old in slot.relays where relay.map({ old < $0 }) ?? true {
            removeRelay(old, Self.settledElsewhere)
        }
        if relay == nil { slots[subscription]?.turn += 1 }
        guard let stream = sessions[slot.session]?.streams[slot.stream] else { return }
        updateRoutes(of: stream.slot)
    }

    /// A subscriber has lost the way to its publisher, who may not have noticed yet.
    mutating func legLost(_ leg: String, from socket: SocketID) throws(ServerError) {
        guard let relay = try relay(leg, .subscriber, of: socket), relay.isUp, relay.offer == nil else {
            return
        }
        try pace(.lostLeg, of: relay.subscription.number, by: socket)
        let lost = ServerMessage.MediaLost(
            legs: [relay.publisherLeg], message: "the subscriber has lost the path to its publisher")
        tell(relay.publisher, .mediaLost(lost))
    }

    /// The relay of a client's leg; `nil` if it is over, which crosses on the way what the client says of it.
    private func relay(_ leg: String, _ end: Relay.End, of socket: SocketID) throws(ServerError) -> Relay? {
        guard let client = clients[socket] else { return nil }
        guard let relay = client.relays[leg].flatMap({ relays[$0] }) else {
            if client.flow(of: leg) != nil { return nil }
            throw ServerError(.unknownLeg, "there is no such leg")
        }
        guard relay.end(leg, of: socket) == end else {
            throw ServerError(.unknownLeg, "the leg belongs to no subscription")
        }
        return relay
    }

    private static let settledElsewhere = ServerError(.unknownLeg, "something newer delivers the media")
}

// MARK: - Either way

extension ServerCore {
    /// Passes a candidate on to the other end.
    mutating func passOn(
        _ candidate: Candidate, of id: RelayID, from socket: SocketID
    ) throws(ServerError) {
        guard let relay = relays[id] else { return }
        let end = relay.end(candidate.leg, of: socket)
        let receiver = end == .publisher ? relay.subscriber : relay.publisher
        let sent = relay.candidates[end, default: 0]
        guard sent < limits.candidatesPerOffer else {
            throw ServerError(.tooMany, "an offer or answer may have \(limits.candidatesPerOffer) candidates")
        }
        guard Self.isCandidate(candidate.candidate) else {
            throw ServerError(.malformed, "\"candidate\" is none")
        }
        try pacePassedOn(candidate.candidate, to: receiver, from: socket)
        relays[id]?.candidates[end] = sent + 1
        var passed = candidate
        passed.leg = end == .publisher ? relay.subscriberLeg : relay.publisherLeg
        tell(receiver, .candidate(passed))
    }

    /// Whether a text is the value of a candidate attribute, or its end: one printable line.
    static func isCandidate(_ text: String) -> Bool {
        text.isEmpty
            || text.hasPrefix("candidate:") && text.utf8.allSatisfy { (32..<127).contains($0) }
    }

    /// Removes a relay; the offer that waits is refused with `error`.
    mutating func removeRelay(_ id: RelayID, _ error: ServerError) {
        guard let relay = relays.removeValue(forKey: id) else { return }
        clients[relay.publisher]?.relays[relay.publisherLeg] = nil
        clients[relay.subscriber]?.relays[relay.subscriberLeg] = nil
        slots[relay.subscription]?.relays.removeAll { $0 == id }
        if let offer = relay.offer { answer(relay.publisher, offer.id, .error(error)) }
    }

    /// Removes everything direct that a publication or subscription has.
    mutating func removeRelays(of slot: SlotID, _ error: ServerError) {
        let gone = relays.values.filter { $0.publication == slot || $0.subscription == slot }
        for relay in gone.sorted(by: { $0.id < $1.id }) { removeRelay(relay.id, error) }
    }

    mutating func expireRelays() {
        let late = relays.values.filter { $0.offer.map { $0.deadline <= now.elapsed } ?? false }
        for relay in late.sorted(by: { $0.id < $1.id }) {
            if relay.isUp {
                guard let offer = relay.offer else { continue }
                relays[relay.id]?.offer = nil
                answer(relay.publisher, offer.id, .error(Self.noPeerAnswer))
            } else {
                removeRelay(relay.id, Self.noPeerAnswer)
            }
        }
    }

    private static let noPeerAnswer = ServerError(
        .peerUnavailable, "the subscriber has not answered in time")
}

// MARK: - Facts

extension ServerCore {
    /// Tells a subscriber what its relayed publisher says about their path.
    mutating func passOn(
        _ event: TelemetryEvent, _ sample: StreamSample, _ captured: Duration, of id: RelayID,
        from socket: SocketID
    ) {
        guard let relay = relays[id], relay.end(event.leg, of: socket) == .publisher,
            let slot = slots[relay.publication],
            let stream = sessions[slot.session]?.streams[slot.stream],
            relay.passedOn.map({ $0 < captured }) ?? true
        else { return }
        relays[id]?.passedOn = captured
        var facts = LegMetrics(
            leg: relay.subscriberLeg, capturedAt: now.unix,
            sender: SenderMetrics(sample, stream.content),
            networkDegradationSource: sample.networkDegradationSource)
        if stream.senderStatsTrack {
            facts.publisher = LegMetrics.Publisher(
                capturedAt: event.capturedAt, age: 0, sample: sample.forSubscribers)
        }
        analysts[relay.subscription]?[relay.subscription]?.take(facts, at: now.elapsed)
        tell(relay.subscriber, .facts(facts))
    }
}

extension SenderMetrics {
    /// What a relayed publisher says of the connection to a subscriber.
    init(_ sample: StreamSample, _ content: StreamContent) {
        let video = sample.video
        let isOn = content.hasVideo && video?.maximumBitrate != nil
        let isLimited = video?.qualityLimitationReason == .bandwidth
        let wanted = LayerIntent(
            maximumBitrate: video?.maximumBitrate,
            size: content.videoDimensions.map { VideoSize(width: $0.width, height: $0.height) })
        var sent: LayerIntent?
        if let width = video?.width, let height = video?.height {
            sent = LayerIntent(
                maximumBitrate: video?.bitrate, size: VideoSize(width: width, height: height))
        }
        self.init(
            estimatedBandwidth: sample.connectionEstimatedBandwidth,
            wantedLayer: isOn ? wanted : nil, sentLayer: isOn ? sent : nil,
            reason: !isOn ? .off : isLimited ? .bandwidth : .wanted, videoFramesSent: video?.framesSent,
            roundTripTime: sample.roundTripTime)
    }
}
