// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import SessionProtocol

extension SessionDriver {
    /// Takes a message of the server in.
    ///
    /// The roster and events come before the answer to whoever asked.
    func receive(_ text: String) {
        guard let message = MessageCoding.message(text) else {
            // An event of a newer server is left out; an answer that cannot be read is somebody's failure.
            if let id = MessageCoding.answered(text) {
                answer(id, .failure(SightlineError(.protocolViolation, "the server's answer cannot be read")))
            }
            return
        }
        announce(message)
        guard let id = message.re else { return }
        if case .error(let error) = message.body {
            answer(id, .failure(error))
        } else {
            noteOwnUpdate(id, message.body)
            answer(id, .success(message.body))
        }
    }

    /// The server tells everybody of a changed stream but the one who changed it.
    private func noteOwnUpdate(_ id: Int, _ reply: ServerMessage.Body) {
        guard case .done = reply, case .update(let update) = requests[id]?.body else { return }
        for publication in publications.values
        where publication.media.leg == update.leg || publication.media.handle == update.leg {
            guard let stream = publication.publisher.stream else { continue }
            tell(roster.update { $0.updateStream(stream.streamId, to: update.content) })
        }
    }

    private func announce(_ message: ServerMessage) {
        if case .joined = message.body {
            guard phase == .connecting else { return }
            phase = .connected
            roster.isConnected = true
        }
        tell(roster.update { $0.handle(message.body) })
        if case .joined = message.body, let request = quality.join() { tell([.networkQuality(request)]) }
        forward(message)
    }

    /// Lets everybody know.
    func tell(_ events: [SessionEvent]) {
        for event in events { hub.send(event) }
        for event in events { follow(event) }
    }

    /// Lets publishers and subscribers know what became of their streams.
    private func follow(_ event: SessionEvent) {
        switch event {
        case .streamPropertyChanged(let stream, _):
            for publication in publications.values
            where publication.publisher.stream?.streamId == stream.streamId {
                publication.publisher.noteStream(stream)
            }
            for subscription in subscriptions.values
            where subscription.subscriber.stream.streamId == stream.streamId {
                subscription.subscriber.noteStream(stream)
                subscription.streamChanged(stream)
            }
        case .streamDestroyed(let stream): streamEnded(stream)
        case .connectionDestroyed(let connection): quality.forget(connection)
        default: break
        }
    }

    /// Brings what is about a leg to its link.
    private func forward(_ message: ServerMessage) {
        switch message.body {
        case .candidate(let candidate):
            links[candidate.leg]?.receive(.candidate(candidate))
        case .mediaLost(let lost):
            for leg in lost.legs { links[leg]?.receive(.mediaLost(leg: leg, message: lost.message)) }
        case .routes(let routes): links[routes.leg]?.receive(.routes(routes))
        case .offered(let offered): links[offered.subscription]?.receive(.offered(offered))
        case .subscriptionEnded(let ended): subscriptionEnded(ended.id)
        case .facts(let facts):
            for publication in publications.values { publication.media.take(facts) }
            for subscription in subscriptions.values { subscription.take(facts) }
        case .fallback(let fallback): for subscription in subscriptions.values { subscription.take(fallback) }
        case .networkQuality(let update): quality.take(update)
        case .goodbye(let message): goodbye = message.reason
        case .error(let error):
            if message.re == nil { hub.send(.didFailWithError(SightlineError(error))) }
        default: break
        }
    }
}
