// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import RouterWire
import SessionWire

// MARK: - Publishing and subscribing

extension LiveSession {
    mutating func publish(
        _ request: ClientMessage.Publish, id: Int, _ member: Identity
    ) throws(ServerError) {
        let role = member.grant.role
        guard role.canPublish else {
            throw ServerError(.forbidden, "the token's role, \(role.rawValue), does not allow to publish")
        }
        let published = members[member.client]?.endpoints.count { endpoints[$0]?.kind == .publisher } ?? 0
        guard published < limits.streamsPerConnection else {
            throw ServerError(.tooMany, "a client may publish \(limits.streamsPerConnection) streams at once")
        }
        try checkOffer(request.offer)
        try checkName(request.leg, member)
        let former = restorable(request.restore, member)
        try checkNewLegs(request.offer, of: member, isRestored: former != nil)
        try pace(.publication, by: member.client)
        let stream = makeStream(request, member, former)
        streams.add(stream, as: stream.id)
        let endpoint = Endpoint(
            id: stream.publication, client: member.client, stream: stream.id,
            testsNetwork: request.testsNetwork == true, role: .publication,
            media: request.offer == nil
                ? .routesOut(Handle(name: request.leg), RouterLegs()) : .legs(RouterLegs()))
        open(endpoint)
        if let offer = request.offer {
            addLeg(request.leg, for: endpoint.id, of: member.client, .publish, id: id, offer: offer)
        } else {
            members.change(member.client) { $0.names.add(endpoint, handle: request.leg) }
            announce(stream.id, request.leg, id: id, answer: nil)
            updateRoutes(of: stream.id)
        }
    }

    /// A new stream, or the one that the client had before the server was restarted.
    private mutating func makeStream(
        _ request: ClientMessage.Publish, _ member: Identity, _ former: RestorationSeal.Claim?
    ) -> PublishedStream {
        let publication = EndpointID(number: nextNumber())
        return PublishedStream(
            id: StreamID(former?.id ?? ids.next()), owner: member.client, publication: publication,
            creationTime: former?.creationTime ?? now.unix, senderStatsTrack: request.senderStatsTrack,
            audioFallbackEnabled: request.audioFallbackEnabled,
            maximumBitrate: request.maximumBitrate.map { Double(max(0, $0)) }, content: request.content)
    }

    /// What a client had published before the server was restarted; `nil` if it had not, or has it again.
    private func restorable(_ token: String?, _ member: Identity) -> RestorationSeal.Claim? {
        guard surroundings.mayRestore,
            let claim = settings.restorable(token, .stream, member.grant, at: now),
            claim.connection == member.description.id, streams[StreamID(claim.id)] == nil
        else { return nil }
        return claim
    }

    mutating func subscribe(
        _ request: ClientMessage.Subscribe, id: Int, _ member: Identity
    ) throws(ServerError) {
        guard let stream = streams[StreamID(request.stream)], stream.isAnnounced else {
            throw ServerError(.unknownStream, "there is no such stream; it may have ended")
        }
        let testsNetwork = request.testsNetwork == true
        try checkOffer(request.offer)
        try checkName(request.leg, member)
        try checkSubscription(to: stream, of: member.client, testsNetwork: testsNetwork)
        // Nothing says which ones a client had, but whoever is back may have had those to older streams.
        let isRestored =
            member.isRestored && surroundings.mayRestore && !testsNetwork
            && stream.creationTime < creationTime
        try checkNewLegs(request.offer, of: member, isRestored: isRestored)
        try pace(.publication, by: member.client)
        let endpoint = EndpointID(number: nextNumber())
        let role = Endpoint.Role.subscription(.init(preference: request.preference))
        if let offer = request.offer {
            open(
                Endpoint(
                    id: endpoint, client: member.client, stream: stream.id, testsNetwork: testsNetwork,
                    role: role, media: .legs(RouterLegs())))
            addLeg(request.leg, for: endpoint, of: member.client, .subscribe, id: id, offer: offer)
        } else {
            let direct = DirectPaths(subscriberId: ids.next())
            openDirect(
                Endpoint(
                    id: endpoint, client: member.client, stream: stream.id, testsNetwork: testsNetwork,
                    role: role, media: .routesIn(Handle(name: request.leg), RouterLegs(), direct)),
                request.leg)
            answer(
                member.client, id,
                .subscribed(.init(leg: request.leg, answer: nil, subscriberId: direct.subscriberId)))
            updateRoutes(of: stream.id)
        }
    }

    /// Takes a subscription without a leg; its ends come by routes.
    private mutating func openDirect(_ endpoint: Endpoint, _ name: LegName) {
        open(endpoint)
        members.change(endpoint.client) { $0.names.add(endpoint, handle: name) }
        keepFlow(endpoint.id)
    }

    private mutating func open(_ endpoint: Endpoint) {
        endpoints.add(endpoint, as: endpoint.id)
        members.change(endpoint.client) { $0.endpoints.insert(endpoint.id) }
        if case .subscription = endpoint.role {
            streams.change(endpoint.stream) { $0.subscriptions.insert(endpoint.id) }
        }
    }

    mutating func prefer(_ request: ClientMessage.Prefer, id: Int, _ member: Identity) throws(ServerError) {
        let endpoint = try endpoint(of: request.leg, .subscriber, member)
        try pace(.preference, of: endpoint.id.number, by: member.client)
        endpoints.changeSubscription(of: endpoint.id) { $0.preference = request.preference }
        for leg in endpoint.legs.all where legs[leg]?.isAtRouter == true {
            ask(.prefer(LegPreference(leg: leg.name, preference: LayerPreference(request.preference))))
        }
        answer(member.client, id, .done)
        if endpoint.handle != nil { updateRoutes(of: endpoint.stream) }
    }

    mutating func update(
        _ request: ClientMessage.UpdateStream, id: Int, _ member: Identity
    ) throws(ServerError) {
        let endpoint = try endpoint(of: request.leg, .publisher, member)
        streams.change(endpoint.stream) { $0.content = request.content }
        answer(member.client, id, .done)
        pendingUpdates.insert(endpoint.id)
        notifyUpdate(of: endpoint.id)
    }

    /// Sends everyone the updates of streams whose last update came too soon after the one before.
    mutating func notifyUpdates() {
        for publication in pendingUpdates.sorted() { notifyUpdate(of: publication) }
    }

    /// Sends everyone the update of a stream, unless one was sent a moment ago.
    private mutating func notifyUpdate(of publication: EndpointID) {
        guard let endpoint = endpoints[publication], let stream = streams[endpoint.stream],
            stream.isAnnounced,
            let description = describe(stream)
        else {
            pendingUpdates.remove(publication)
            return
        }
        let elapsed = now.elapsed
        let isTaken = members.change(endpoint.client) {
            $0.takes(.update, of: publication.number, at: elapsed)
        }
        guard isTaken == true else { return }
        pendingUpdates.remove(publication)
        keepStream(stream, isNew: false)
        notify(allBut: endpoint.client, .streamUpdated(description))
    }

    /// What others see of a stream; `nil` if its publisher is gone.
    func describe(_ stream: PublishedStream) -> StreamDescription? {
        guard let connection = identity(of: stream.owner)?.description else { return nil }
        return StreamDescription(
            id: stream.id.rawValue, connection: connection, creationTime: stream.creationTime,
            content: stream.content, senderStatsTrack: stream.senderStatsTrack)
    }

    /// Lets everyone know of a stream.
    mutating func announce(_ id: StreamID, _ leg: LegName, id message: Int, answer sdp: String?) {
        if streams[id]?.isAnnounced == false {
            streams.change(id) { $0.isAnnounced = true }
            announcedStreams += 1
        }
        guard let stream = streams[id], let description = describe(stream) else { return }
        answer(
            stream.owner, message,
            .published(.init(leg: leg, stream: description, answer: sdp, restore: restoration(of: stream))))
        notify(allBut: stream.owner, .streamCreated(description))
        keepStream(stream, isNew: true)
        log(.published(session: self.id.rawValue.printable, stream: id.rawValue))
    }

    /// What brings a stream back on a server that was restarted; `nil` for clients that do not come back.
    private mutating func restoration(of stream: PublishedStream) -> String? {
        guard let owner = identity(of: stream.owner), owner.isResumable else { return nil }
        return settings.restoration(
            .stream, id: stream.id.rawValue, creationTime: stream.creationTime, of: owner, in: id, mediaMode,
            at: now, nonce: ids.next())
    }
}

// MARK: - Checks

extension LiveSession {
    /// Whether an offer comes with the request that the session's way asks for.
    private func checkOffer(_ offer: String?) throws(ServerError) {
        let mayBeRelayed = mediaMode != .routed
        guard mayBeRelayed == (offer == nil) else {
            throw ServerError(
                .malformed,
                mayBeRelayed
                    ? "the session may be relayed: leave the \"offer\" out and wait for \"routes\""
                    : "the session is routed: send an \"offer\"")
        }
        if offer != nil, !surroundings.isRouterReady { throw Self.unavailable }
    }

    /// Whether a client may give this name to a new leg.
    func checkName(_ name: LegName, _ member: Identity) throws(ServerError) {
        guard !name.rawValue.contains(EndpointID.separator) else {
            throw ServerError(.malformed, "a leg's name has no \"/\": such names are the server's")
        }
        let names = names(of: member)
        guard names.flows[name] == nil else {
            throw ServerError(.duplicateId, "the leg name has been used before on this socket")
        }
        guard names.flows.count < limits.legNamesPerConnection else {
            throw ServerError(.tooMany, "this client has used all its leg names; leave and join again")
        }
        guard names.count < limits.legsPerConnection else {
            throw ServerError(.tooMany, "a client may have \(limits.legsPerConnection) legs at once")
        }
    }

    /// Whether a client may subscribe to a stream: once, and once more to test the network.
    private func checkSubscription(
        to stream: PublishedStream, of client: ClientID, testsNetwork: Bool
    ) throws(ServerError) {
        let isThere = stream.subscriptions.lazy.compactMap { endpoints[$0] }
            .contains { $0.client == client && $0.testsNetwork == testsNetwork }
        guard !isThere else {
            throw ServerError(
                .tooMany, "the client subscribes to the stream already; change that by prefer or replace")
        }
        guard mediaMode == .relayed else { return }
        guard stream.subscriptions.count < limits.relayedSubscribers else {
            throw ServerError(
                .tooMany,
                "a publisher serves \(limits.relayedSubscribers) others directly; use a routed session")
        }
    }

    /// The publication or subscription that a client's leg serves.
    func endpoint(of leg: LegName, _ kind: StreamRole, _ member: Identity) throws(ServerError) -> Endpoint {
        guard let endpoint = endpoint(of: leg, member) else {
            throw ServerError(.unknownLeg, "there is no such leg, or no more")
        }
        guard endpoint.kind == kind else {
            let what = kind == .publisher ? "publication" : "subscription"
            throw ServerError(.unknownLeg, "the leg belongs to no \(what)")
        }
        return endpoint
    }

    private func endpoint(of leg: LegName, _ member: Identity) -> Endpoint? {
        if let handle = names(of: member).handles[leg] { return endpoints[handle] }
        return self.leg(leg, of: member).flatMap { endpoints[$0.endpoint] }
    }

    /// The leg that goes by a client's name for it.
    func leg(_ name: LegName, of member: Identity) -> Leg? {
        names(of: member).legs[name].flatMap { legs[$0] }
    }
}

// MARK: - Ending

extension LiveSession {
    mutating func end(
        _ name: LegName, _ kind: StreamRole, id: Int, _ member: Identity
    ) throws(ServerError) {
        end(try endpoint(of: name, kind, member).id, reason: .unpublished)
        answer(member.client, id, .done)
    }

    /// Ends a publication, with the subscriptions to it, or a subscription.
    mutating func end(_ id: EndpointID, reason: EndReason) {
        guard let endpoint = endpoints[id] else { return }
        close(id, ServerError(.unknownLeg, "the leg was ended before it was answered"))
        guard case .publication = endpoint.role, let stream = forget(endpoint.stream) else { return }
        let isHeardByOwner = isHeardByOwner(stream)
        for subscription in stream.subscriptions.sorted() {
            close(subscription, ServerError(.unknownStream, "the stream has ended"))
        }
        guard stream.isAnnounced else { return }
        keepEnd(of: stream, reason: reason)
        let body = ServerMessage.Body.streamDestroyed(.init(id: stream.id.rawValue, reason: reason))
        notify(allBut: isHeardByOwner ? nil : stream.owner, body)
        log(.unpublished(session: self.id.rawValue.printable, stream: stream.id.rawValue, reason: reason))
    }

    /// Takes a stream out.
    @discardableResult
    mutating func forget(_ id: StreamID) -> PublishedStream? {
        let stream = streams.remove(id)
        if stream?.isAnnounced == true { announcedStreams -= 1 }
        return stream
    }

    /// Whether a stream's owner subscribes to it.
    func isHeardByOwner(_ stream: PublishedStream) -> Bool {
        stream.subscriptions.contains { endpoints[$0]?.client == stream.owner }
    }

    /// Removes a publication or subscription and its legs; requests that wait for them are refused with `error`.
    mutating func close(_ id: EndpointID, _ error: ServerError) {
        guard let endpoint = endpoints.remove(id) else { return }
        keepEnd(ofFlow: endpoint)
        analysts.forget(id)
        quality.forget(id)
        members.change(endpoint.client) { $0.endpoints.remove(id) }
        if endpoint.kind == .subscriber { streams.change(endpoint.stream) { $0.subscriptions.remove(id) } }
        for leg in endpoint.legs.all { remove(leg, error) }
        guard let handle = endpoint.handle else { return }
        removeRelays(of: id, error)
        members.change(endpoint.client) { $0.names.handles[handle.name] = nil }
        guard endpoint.kind == .subscriber, let stream = streams[endpoint.stream] else { return }
        analysts.forget(stream.publication, to: id)
        updateRoutes(of: stream.id)
    }

    /// Removes a leg, here and at the router; requests that wait for it are refused with `error`.
    mutating func remove(_ id: LegID, _ error: ServerError) {
        guard let leg = legs.remove(id) else { return }
        if leg.phase != .lost { add(.countLegs(-1)) }
        if saturations.removeValue(forKey: id) != nil { add(.endSaturation(id)) }
        members.change(leg.client) { $0.names.legs[leg.name] = nil }
        offers.waiting.remove(id)
        if surroundings.isRouterReady { offers.abandon(leg, at: now.elapsed) }
        add(.releaseOffers)
        refuseRequests(of: leg, error)
        if leg.isAtRouter { ask(.remove(LegRemoval(leg: id.name))) }
    }

    /// Refuses what waits for an answer of the router on a leg.
    mutating func refuseRequests(of leg: Leg, _ error: ServerError) {
        for request in leg.unanswered { answer(leg.client, request, .error(error)) }
    }

    static let unavailable = ServerError(
        .routerUnavailable, "the media router is being started; try again in a second")
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
