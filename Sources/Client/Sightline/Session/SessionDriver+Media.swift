// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaEngine
import SessionWire

extension SessionDriver {
    /// Publishes a stream.
    func publish(_ publisher: Publisher) async throws {
        let context = try context()
        guard roster.present.joined?.role.canPublish != false else {
            throw SightlineError(
                .forbidden, "the token's role does not allow publishing; use a publisher's token")
        }
        guard publisher.claim() else {
            throw SightlineError(.alreadyPublished, "a publisher publishes once: make another one")
        }
        do {
            let publication = try Publication(publisher, context)
            let transport = publication.media.makeTransport(for: publication)
            publications[ObjectIdentifier(publisher)] = publication
            publisher.begin(publication)
            guard case .published(let published) = try await transport.open() else {
                throw SightlineError(
                    .protocolViolation, "the server answered with a message of another type than expected")
            }
            let stream = MediaStream(published.stream)
            publisher.noteStream(stream)
            publisher.eventHub.send(.streamCreated(stream))
        } catch {
            await abandon(publisher)
            throw SightlineError(cause: error)
        }
    }

    /// Ends a stream.
    func unpublish(_ publisher: Publisher) async throws {
        guard let publication = publications.removeValue(forKey: ObjectIdentifier(publisher)) else {
            throw Publisher.notPublished
        }
        let result = await closeTransport(publication.media)
        if let stream = publisher.stream { emit(roster.update { $0.destroyStream(stream.streamId) }) }
        await finish(publication)
        try result.get()
    }

    /// Subscribes to a stream.
    func subscribe(_ subscriber: Subscriber) async throws {
        let context = try context()
        let id = subscriber.stream.streamId
        guard let stream = roster.present.streams.first(where: { $0.streamId == id }) else {
            throw SightlineError(.unknownStream, "the stream is not in the session, or no longer")
        }
        guard subscriber.claim() else {
            throw SightlineError(.alreadySubscribed, "a subscriber subscribes once: make another one")
        }
        subscriber.noteStream(stream)
        do {
            let subscription = try Subscription(subscriber, context)
            let transport = subscription.media.makeTransport(for: subscription)
            subscriptions[ObjectIdentifier(subscriber)] = subscription
            subscriber.begin(subscription)
            _ = try await transport.open()
        } catch {
            await abandon(subscriber)
            throw SightlineError(cause: error)
        }
    }

    /// Ends a subscription.
    func unsubscribe(_ subscriber: Subscriber, _ end: SubscriptionEnd = .unsubscribed) async throws {
        guard let subscription = subscriptions.removeValue(forKey: ObjectIdentifier(subscriber)) else {
            throw Subscriber.notSubscribed
        }
        let result = await closeTransport(subscription.media)
        await finish(subscription, end)
        try result.get()
    }

    /// A stream is over, by its publisher or the server.
    func streamEnded(_ stream: MediaStream) {
        for (key, subscription) in subscriptions
        where subscription.subscriber.stream.streamId == stream.streamId {
            subscriptions[key] = nil
            runInBackground { await self.finish(subscription, .streamDestroyed) }
        }
        for (key, publication) in publications where publication.publisher.stream?.streamId == stream.streamId
        {
            publications[key] = nil
            runInBackground { await self.finish(publication) }
        }
    }

    /// The server has ended a subscription whose stream continues: no way to its publisher was found.
    func subscriptionEnded(_ handle: LegName) {
        for (key, subscription) in subscriptions where subscription.media.handle == handle {
            subscriptions[key] = nil
            let error = SightlineError(.mediaLost, "no path between publisher and subscriber was found")
            subscription.subscriber.eventHub.send(.didFailWithError(error))
            runInBackground { await self.finish(subscription, .mediaLost) }
        }
    }

    /// A stream could not be brought back: it is over.
    func transportFailed(_ transport: any StreamTransport) {
        for publication in publications.values where publication.media.transport === transport {
            runInBackground { try? await self.unpublish(publication.publisher) }
        }
        for subscription in subscriptions.values where subscription.media.transport === transport {
            runInBackground { try? await self.unsubscribe(subscription.subscriber, .mediaLost) }
        }
    }

    /// Releases a publisher and its tasks.
    func finish(_ publication: Publication) async {
        try? await publication.media.transport?.close(notifyingServer: false)
        await publication.media.end()
        if let stream = publication.publisher.stream {
            publication.publisher.eventHub.send(.streamDestroyed(stream))
        }
        publication.publisher.end()
    }

    /// Releases a subscriber and its tasks.
    func finish(_ subscription: Subscription, _ end: SubscriptionEnd) async {
        try? await subscription.media.transport?.close(notifyingServer: false)
        await subscription.media.end()
        subscription.subscriber.eventHub.send(.didEnd(end))
        subscription.subscriber.end()
    }

    private func context() throws -> MediaContext {
        guard phase == .connected || phase == .reconnecting, let joined = roster.present.joined else {
            throw SightlineError(.notConnected, "the session is not connected: connect it first")
        }
        let configuration = setup.configuration
        return MediaContext(
            engine: setup.engine, signaling: self,
            telemetry: configuration.sendsTelemetry ? telemetry : nil, quality: quality,
            peer: configuration.peerConnection(joined.iceServers), monitor: configuration.monitor,
            requestTimeout: configuration.requestTimeout, recovery: configuration.recovery,
            mayBeRelayed: joined.mediaMode != .routed, pathTest: configuration.pathTest)
    }

    private func closeTransport(_ media: StreamMedia) async -> Result<Void, any Error> {
        do {
            try await media.transport?.close(notifyingServer: true)
            return .success(())
        } catch let error as ServerError where error.code == .unknownLeg {
            // The server has ended it already.
            return .success(())
        } catch {
            return .failure(SightlineError(cause: error))
        }
    }

    /// Undoes a publisher that could not be published.
    private func abandon(_ publisher: Publisher) async {
        if let publication = publications.removeValue(forKey: ObjectIdentifier(publisher)) {
            try? await publication.media.transport?.close(notifyingServer: false)
            await publication.media.end()
        }
        publisher.release()
    }

    /// Undoes a subscriber that could not be subscribed.
    private func abandon(_ subscriber: Subscriber) async {
        if let subscription = subscriptions.removeValue(forKey: ObjectIdentifier(subscriber)) {
            try? await subscription.media.transport?.close(notifyingServer: false)
            await subscription.media.end()
        }
        subscriber.release()
    }
}
