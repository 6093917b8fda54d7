// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import RouterWire
import SessionWire

// MARK: - Publishing and subscribing

extension ServerCore {
    mutating func publish(
        _ request: ClientMessage.Publish, id: Int, from socket: SocketID, _ member: ServerClient.Membership
    ) throws(ServerError) {
        guard member.role.canPublish else {
            throw ServerError(
                .forbidden, "the token's role, \(member.role.rawValue), does not allow to publish")
        }
        let published = clients[socket]?.slots.count { slots[$0]?.kind == .publisher } ?? 0
        guard published < limits.streamsPerConnection else {
            throw ServerError(.tooMany, "a client may publish \(limits.streamsPerConnection) streams at once")
        }
        try checkOffer(request.offer, in: member.session)
        if request.offer != nil { try checkRouter() }
        try checkName(request.leg, of: socket)
        if let offer = request.offer { try checkLeg(offer, in: member.session, of: socket) }
        try pace(.publication, by: socket)
        let slot = SlotID(number: nextNumber())
        let former = restorable(request.restore, .stream, member.grant).flatMap { claim in
            let isOwn = claim.connection == member.description.id
            return isOwn && sessions[member.session]?.streams[claim.id] == nil ? claim : nil
        }
        let stream = ServerStream(
            id: former?.id ?? ids.next(), owner: socket, slot: slot,
            creationTime: former?.creationTime ?? now.unix,
            senderStatsTrack: request.senderStatsTrack, audioFallbackEnabled: request.audioFallbackEnabled,
            content: request.content)
        sessions[member.session]?.streams[stream.id] = stream
        open(
            slot,
            LegSlot(
                socket: socket, session: member.session, stream: stream.id, kind: .publisher,
                preference: .init(), testsNetwork: request.testsNetwork == true))
        guard let offer = request.offer else {
            openHandle(request.leg, for: slot)
            announce(slot, request.leg, id: id, answer: nil)
            return updateRoutes(of: slot)
        }
        add(request.leg, for: slot, .publish, id: id, offer: offer)
    }

    mutating func subscribe(
        _ request: ClientMessage.Subscribe, id: Int, from socket: SocketID, _ member: ServerClient.Membership
    ) throws(ServerError) {
        guard let stream = sessions[member.session]?.streams[request.stream], stream.isAnnounced else {
            throw ServerError(.unknownStream, "there is no such stream; it may have ended")
        }
        try checkOffer(request.offer, in: member.session)
        if request.offer != nil { try checkRouter() }
        try checkName(request.leg, of: socket)
        try checkSubscription(request, to: stream, from: socket, member)
        if let offer = request.offer { try checkLeg(offer, in: member.session, of: socket) }
        try pace(.publication, by: socket)
        let slot = SlotID(number: nextNumber())
        open(
            slot,
            LegSlot(
                socket: socket, session: member.session, stream: request.stream, kind: .subscriber,
                preference: request.preference, testsNetwork: request.testsNetwork == true))
        guard let offer = request.offer else {
            openHandle(request.leg, for: slot)
            let subscriber = slots[slot]?.subscriberId
            answer(socket, id, .subscribed(.init(leg: request.leg, answer: nil, subscriberId: subscriber)))
            return updateRoutes(of: stream.slot)
        }
        add(request.leg, for: slot, .subscribe, id: id, offer: offer)
    }

    private mutating func open(_ id: SlotID, _ slot: LegSlot) {
        slots[id] = slot
        clients[slot.socket]?.slots.insert(id)
        guard slot.kind == .subscriber else { return }
        sessions[slot.session]?.streams[slot.stream]?.subscriptions.insert(id)
    }

    mutating func prefer(
        _ request: ClientMessage.Prefer, id: Int, from socket: SocketID
    ) throws(ServerError) {
        let slot = try slot(of: request.leg, .subscriber, from: socket)
        try pace(.preference, of: slot.number, by: socket)
        slots[slot]?.preference = request.preference
        for leg in slots[slot]?.legs ?? [] where legs[leg]?.isAtRouter == true {
            ask(.prefer(LegPreference(leg: leg.name, preference: LayerPreference(request.preference))))
        }
        answer(socket, id, .done)
        guard let place = slots[slot], place.handle != nil,
            let stream = sessions[place.session]?.streams[place.stream]
        else { return }
        updateRoutes(of: stream.slot)
    }

    mutating func update(
        _ request: ClientMessage.UpdateStream, id: Int, from socket: SocketID
    ) throws(ServerError) {
        let slot = try slot(of: request.leg, .publisher, from: socket)
        guard let place = slots[slot] else { return }
        sessions[place.session]?.streams[place.stream]?.content = request.content
        answer(socket, id, .done)
        untoldUpdates.insert(slot)
        tellUpdate(of: slot)
    }

    /// Tells everybody what streams have become whose last update came too soon after the one before.
    mutating func tellUpdates() {
        for publication in untoldUpdates.sorted() { tellUpdate(of: publication) }
    }

    /// Tells everybody what a stream has become, unless they were told of it a moment ago.
    private mutating func tellUpdate(of publication: SlotID) {
        guard let place = slots[publication],
            let stream = sessions[place.session]?.streams[place.stream], stream.isAnnounced,
            let description = describe(stream)
        else {
            untoldUpdates.remove(publication)
            return
        }
        let elapsed = now.elapsed
        guard clients[place.socket]?.rates.take(.update, of: publication.number, at: elapsed) == true
        else { return }
        untoldUpdates.remove(publication)
        keepStream(stream, in: place.session, isNew: false)
        tell(everybodyIn: place.session, but: place.socket, .streamUpdated(description))
    }
}

// MARK: - Checks

extension ServerCore {
    func checkRouter() throws(ServerError) {
        guard isRouterReady else {
            throw ServerError(.routerUnavailable, "the media router is being started; try again in a second")
        }
    }

    /// Whether a client may give this name to a new leg.
    func checkName(_ name: String, of socket: SocketID) throws(ServerError) {
        guard let client = clients[socket] else { return }
        guard !name.contains(SlotID.separator) else {
            throw ServerError(.malformed, "a leg's name has no \"/\": such names are the server's")
        }
        guard client.flows[name] == nil else {
            throw ServerError(.duplicateId, "the leg name has been used before on this socket")
        }
        guard client.flows.count < limits.legNamesPerConnection else {
            throw ServerError(.tooMany, "this client has used all its leg names; leave and join again")
        }
        let count = client.legs.count + client.relays.count + client.handles.count
        guard count < limits.legsPerConnection else {
            throw ServerError(.tooMany, "a client may have \(limits.legsPerConnection) legs at once")
        }
    }

    /// Whether a client may subscribe to a stream: once, and once more to test the network.
    private func checkSubscription(
        _ request: ClientMessage.Subscribe, to stream: ServerStream, from socket: SocketID,
        _ member: ServerClient.Membership
    ) throws(ServerError) {
        let testsNetwork = request.testsNetwork == true
        let isThere = stream.subscriptions.contains {
            slots[$0]?.socket == socket && slots[$0]?.testsNetwork == testsNetwork
        }
        guard !isThere else {
            throw ServerError(
                .tooMany, "the client subscribes to the stream already; change that by prefer or replace")
        }
        guard sessions[member.session]?.mediaMode == .relayed else { return }
        guard stream.subscriptions.count < limits.relayedSubscribers else {
            throw ServerError(
                .tooMany,
                "a publisher serves \(limits.relayedSubscribers) others directly; use a routed session")
        }
    }

    /// Whether a client may have another leg to the router.
    func checkLeg(_ offer: String, in session: String, of socket: SocketID) throws(ServerError) {
        try checkLegs(of: session)
        try checkWaiting(offer.utf8.count, of: socket)
    }

    /// The publication or subscription that a client's leg serves.
    func slot(of name: String, _ kind: LegKind, from socket: SocketID) throws(ServerError) -> SlotID {
        guard
            let slot = clients[socket]?.handles[name]
                ?? clients[socket]?.legs[name].flatMap({ legs[$0]?.slot })
        else { throw ServerError(.unknownLeg, "there is no such leg, or no more") }
        guard slots[slot]?.kind == kind else {
            let what = kind == .publisher ? "publication" : "subscription"
            throw ServerError(.unknownLeg, "the leg belongs to no \(what)")
        }
        return slot
    }
}

// MARK: - Ending

extension ServerCore {
    mutating func end(
        _ name: String, _ kind: LegKind, id: Int, from socket: SocketID
    ) throws(ServerError) {
        end(try slot(of: name, kind, from: socket), reason: "unpublished")
        answer(socket, id, .done)
    }

    /// Ends a publication, with the subscriptions to it, or a subscription.
    mutating func end(_ id: SlotID, reason: String) {
        guard let slot = slots[id] else { return }
        close(id, ServerError(.unknownLeg, "the leg was ended before it was answered"))
        guard slot.kind == .publisher,
            let stream = sessions[slot.session]?.streams.removeValue(forKey: slot.stream)
        else { return }
        let isHeardByOwner = stream.subscriptions.contains { slots[$0]?.socket == stream.owner }
        for subscription in stream.subscriptions.sorted() {
            close(subscription, ServerError(.unknownStream, "the stream has ended"))
        }
        guard stream.isAnnounced else { return }
        keepEnd(ofStream: stream, in: slot.session, reason: reason)
        let body = ServerMessage.Body.streamDestroyed(.init(id: stream.id, reason: reason))
        tell(everybodyIn: slot.session, but: isHeardByOwner ? nil : stream.owner, body)
        log(.unpublished(session: slot.session, stream: stream.id, reason: reason))
    }

    /// Removes a slot and its legs; requests that wait for them are refused with `error`.
    mutating func close(_ id: SlotID, _ error: ServerError) {
        guard let slot = slots.removeValue(forKey: id) else { return }
        keepEnd(ofFlow: id, slot)
        quality.slots[id] = nil
        clients[slot.socket]?.slots.remove(id)
        sessions[slot.session]?.streams[slot.stream]?.subscriptions.remove(id)
        for leg in slot.legs { remove(leg, error) }
        guard let handle = slot.handle else { return }
        removeRelays(of: id, error)
        clients[slot.socket]?.handles[handle] = nil
        guard slot.kind == .subscriber, let stream = sessions[slot.session]?.streams[slot.stream] else {
            return
        }
        analysts[stream.slot]?[id] = nil
        updateRoutes(of: stream.slot)
    }

    /// Removes a leg, here and at the router; requests that wait for it are refused with `error`.
    mutating func remove(_ id: LegID, _ error: ServerError) {
        guard let leg = legs.removeValue(forKey: id) else { return }
        clients[leg.socket]?.legs[leg.name] = nil
        waitingLegs.remove(id)
        saturations[id] = nil
        abandonOffer(of: leg)
        mayRelease = true
        refuseRequests(of: leg, error)
        if leg.isAtRouter { ask(.remove(LegName(leg: id.name))) }
    }

    /// Refuses what waits for an answer of the router on a leg.
    mutating func refuseRequests(of leg: ServerLeg, _ error: ServerError) {
        for request in [leg.request?.id].compactMap(\.self) + leg.offers.map(\.id) {
            answer(leg.socket, request, .error(error))
        }
    }
}

extension LayerPreference {
    /// What the router is to choose for what a subscriber prefers.
    init(_ preference: VideoPreference) {
        self.init(
            isVideoOn: preference.subscribeToVideo, maximumWidth: preference.preferredResolution?.width,
            maximumHeight: preference.preferredResolution?.height,
            maximumFrameRate: preference.preferredFrameRate)
    }
}
