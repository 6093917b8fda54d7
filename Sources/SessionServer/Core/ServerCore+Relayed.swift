// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import RouterProtocol
import SessionProtocol

// MARK: - Publications and subscriptions that have handles

extension ServerCore {
    /// Takes a publication or subscription without a leg; its ends come by routes.
    mutating func openHandle(_ name: String, for slot: SlotID) {
        guard let place = slots[slot] else { return }
        clients[place.socket]?.usedNames.insert(name)
        clients[place.socket]?.handles[name] = slot
        clients[place.socket]?.flows[name] = slot
        if place.kind == .subscriber { keepFlow(slot) }
        slots[slot]?.handle = name
        if place.kind == .subscriber { slots[slot]?.subscriberId = ids.next() }
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
        open(publication, subscription, request.leg, id: id, offer: request.offer)
    }

    /// A publisher's new peer connection in place of an earlier one to the same subscriber.
    mutating func replaceRelay(
        _ old: RelayID, _ request: ClientMessage.Replace, id: Int, from socket: SocketID
    ) throws(ServerError) {
        guard let relay = relays[old], relay.end(request.replaces) == .publisher else {
            throw ServerError(.forbidden, "only the publisher makes offers")
        }
        try checkName(request.leg, of: socket)
        open(relay.publication, relay.subscription, request.leg, id: id, offer: request.offer)
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
            subscriberLeg: freeName(of: place),
            offer: .init(id: id, deadline: now.elapsed + timeouts.peerAnswer))
        relays[relay.id] = relay
        slots[subscription]?.relays.append(relay.id)
        let ends = [(publisher, name, publication), (place.socket, relay.subscriberLeg, subscription)]
        for (socket, leg, slot) in ends {
            clients[socket]?.usedNames.insert(leg)
            clients[socket]?.relays[leg] = relay.id
            clients[socket]?.flows[leg] = slot
        }
        passOn(offer, relay)
    }

    /// A name for a leg of a subscription, which the server and no client chooses.
    private func freeName(of slot: LegSlot) -> String {
        var number = slot.relayCount
        var name: String
        repeat {
            number += 1
            name = "\((slot.handle ?? "sub").prefix(100))/\(number)"
        } while clients[slot.socket]?.usedNames.contains(name) == true
        return name
    }

    private mutating func passOn(_ offer: String, _ relay: Relay) {
        guard let handle = slots[relay.subscription]?.handle else { return }
        slots[relay.subscription]?.relayCount += 1
        tell(
            relay.subscriber,
            .offered(.init(leg: relay.subscriberLeg, subscription: handle, offer: offer)))
    }

    /// A later offer, such as an ICE restart.
    mutating func relayOffer(
        _ id: RelayID, _ request: ClientMessage.Offer, message: Int
    ) throws(ServerError) {
        guard let relay = relays[id], relay.end(request.leg) == .publisher else {
            throw ServerError(.forbidden, "only the publisher makes offers")
        }
        guard relay.isUp, relay.offer == nil else {
            throw ServerError(.tooMany, "the leg's last offer has not been answered yet")
        }
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
            answer(relay.publisher, offer.id, .answered(.init(leg: relay.publisherLeg, answer: sdp)))
        } else {
            let reason = request.message ?? "the subscriber gives no reason"
            let error = ServerError(.peerUnavailable, "the subscriber cannot use the offer: \(reason)")
            answer(relay.publisher, offer.id, .error(error))
            if !relay.isUp { removeRelay(relay.id, error) }
        }
    }

    /// Media arrives by a leg: what the subscription had before may go.
    mutating func settled(_ leg: String, from socket: SocketID) throws(ServerError) {
        guard let client = clients[socket] else { return }
        if let relay = client.relays[leg].flatMap({ relays[$0] }) {
            guard relay.end(leg) == .subscriber else {
                throw ServerError(.unknownLeg, "the leg belongs to no subscription")
            }
            settle(relay.subscription, on: relay.id)
        } else if let subscription = client.legs[leg].flatMap({ legs[$0]?.slot }) {
            guard slots[subscription]?.kind == .subscriber else {
                throw ServerError(.unknownLeg, "the leg belongs to no subscription")
            }
            settle(subscription, on: nil)
        } else if !client.usedNames.contains(leg) {
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
        let lost = ServerMessage.MediaLost(
            legs: [relay.publisherLeg], message: "the subscriber has lost the path to its publisher")
        tell(relay.publisher, .mediaLost(lost))
    }

    /// The relay of a client's leg; `nil` if it is over, which crosses on the way what the client says of it.
    private func relay(_ leg: String, _ end: Relay.End, of socket: SocketID) throws(ServerError) -> Relay? {
        guard let client = clients[socket] else { return nil }
        guard let relay = client.relays[leg].flatMap({ relays[$0] }) else {
            if client.usedNames.contains(leg) { return nil }
            throw ServerError(.unknownLeg, "there is no such leg")
        }
        guard relay.end(leg) == end else {
            throw ServerError(.unknownLeg, "the leg belongs to no subscription")
        }
        return relay
    }

    private static let settledElsewhere = ServerError(.unknownLeg, "something newer delivers the media")
}

// MARK: - Either way

extension ServerCore {
    /// Passes a candidate on to the other end.
    mutating func passOn(_ candidate: Candidate, of id: RelayID) throws(ServerError) {
        guard let relay = relays[id] else { return }
        let end = relay.end(candidate.leg)
        let sent = relay.candidates[end, default: 0]
        guard sent < limits.relayedCandidates else {
            throw ServerError(.tooMany, "an offer or answer may have \(limits.relayedCandidates) candidates")
        }
        guard Self.isCandidate(candidate.candidate) else {
            throw ServerError(.malformed, "\"candidate\" is none")
        }
        relays[id]?.candidates[end] = sent + 1
        var passed = candidate
        passed.leg = end == .publisher ? relay.subscriberLeg : relay.publisherLeg
        tell(end == .publisher ? relay.subscriber : relay.publisher, .candidate(passed))
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
    mutating func passOn(_ event: TelemetryEvent, _ sample: TelemetrySample, of id: RelayID) {
        guard let relay = relays[id], relay.end(event.leg) == .publisher,
            let slot = slots[relay.publication],
            let stream = sessions[slot.session]?.streams[slot.stream], relay.toldAt < event.capturedAt
        else { return }
        relays[id]?.toldAt = event.capturedAt
        var facts = LegFacts(
            leg: relay.subscriberLeg, capturedAt: now.unix,
            sender: LegFacts.Sender(sample, stream.content),
            networkDegradationSource: sample.networkDegradationSource)
        if stream.senderStatsTrack {
            facts.publisher = LegFacts.Publisher(
                capturedAt: event.capturedAt, age: 0, sample: sample.forSubscribers)
        }
        analysts[relay.subscription]?[relay.subscription]?.take(facts, at: now.elapsed)
        tell(relay.subscriber, .facts(facts))
    }
}

extension LegFacts.Sender {
    /// What a relayed publisher says of the connection to a subscriber.
    init(_ sample: TelemetrySample, _ content: StreamContent) {
        let video = sample.video
        let isOn = content.hasVideo && video?.maximumBitrate != nil
        let isLimited = video?.qualityLimitationReason == "bandwidth"
        let wanted = LegFacts.Layer(
            rid: nil, width: content.videoDimensions?.width, height: content.videoDimensions?.height,
            bitrate: video?.maximumBitrate)
        let sent = LegFacts.Layer(
            rid: nil, width: video?.width, height: video?.height, bitrate: video?.bitrate)
        self.init(
            connectionEstimatedBandwidth: sample.connectionEstimatedBandwidth,
            connectionMaxAllocatedBitrate: nil, roundTripTime: sample.roundTripTime,
            wantedLayer: isOn ? wanted : nil, sentLayer: isOn && video?.width != nil ? sent : nil,
            layerReason: !isOn ? "off" : isLimited ? "bandwidth" : "wanted", framesSent: video?.framesSent)
    }
}
