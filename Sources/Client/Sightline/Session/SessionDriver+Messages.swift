// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

extension SessionDriver {
    /// Takes a message of the server in.
    ///
    /// The roster and events come before the answer to whoever asked.
    func receive(_ text: String) {
        let message = MessageCoding.message(text)
        if let received = message?.received { outbox.confirmed(received) }
        guard takesTurn(message?.seq ?? MessageCoding.number(text)) else { return }
        guard let message else {
            // An event of a newer server is omitted; an answer that cannot be read is someone's failure.
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

    /// Whether a message is the server's next one; those that were here before are omitted.
    private func takesTurn(_ number: Int?) -> Bool {
        guard let number else { return true }
        let reception = outbox.receive(number, at: clock.now())
        confirmSoon()
        if reception == .gap {
            reconnect(after: SightlineError(.protocolViolation, "a message of the server is missing"))
        }
        return reception == .next
    }

    /// Confirms what has arrived, once no other message has done so for a while.
    private func confirmSoon() {
        guard phase == .connected else { return }
        guard outbox.unreported < Acknowledgement.mostWaiting else { return outbox.confirm() }
        guard confirming == nil, outbox.unreported > 0 else { return }
        confirming = Task { [clock] in
            while !Task.isCancelled, let since = outbox.unreportedSince {
                let rest = since + Acknowledgement.delay - clock.now()
                guard rest > .zero else {
                    outbox.confirm()
                    break
                }
                do { try await clock.sleep(for: rest) } catch { return }
            }
            if !Task.isCancelled { confirming = nil }
        }
    }

    /// Its socket is gone: the greeting on another one says how far messages have arrived.
    func stopConfirming() {
        confirming?.cancel()
        confirming = nil
    }

    /// The server notifies everyone of a changed stream but the one who changed it.
    private func noteOwnUpdate(_ id: Int, _ reply: ServerMessage.Body) {
        guard case .done = reply, case .update(let update) = requests[id]?.body else { return }
        for publication in publications.values
        where publication.media.leg == update.leg || publication.media.handle == update.leg {
            guard let stream = publication.publisher.stream else { continue }
            emit(roster.update { $0.updateStream(stream.streamId, to: update.content) })
        }
    }

    private func announce(_ message: ServerMessage) {
        switch message.body {
        case .joined(let joined): return entered(joined)
        case .resumed(let acknowledgement): return resumed(acknowledgement)
        case .ack(let acknowledgement): return outbox.confirmed(acknowledgement.received)
        case .streamCreated(let stream): created(stream, message.body)
        case .published(let published): created(published.stream, message.body)
        default: emit(roster.update { $0.handle(message.body) })
        }
        forward(message)
    }

    private func created(_ stream: StreamDescription, _ message: ServerMessage.Body) {
        let wasAwaited = roster.present.isAwaited(stream.id)
        emit(roster.update { $0.handle(message) })
        if wasAwaited { streamIsBack(stream.id) }
    }

    private func entered(_ joined: ServerMessage.Joined) {
        guard phase == .connecting else { return rejoined(joined) }
        phase = .connected
        roster.state = .connected
        resumption = joined.resumption
        outbox.begin(isResumable: resumption != nil)
        // Tells the server that its answer has arrived, and the client can come back.
        outbox.confirm()
        emit(roster.update { $0.handle(.joined(joined)) })
        if let request = quality.join() { send([.networkQuality(request)]) }
    }

    /// Lets everyone know.
    func emit(_ events: [SessionEvent]) {
        for event in events { hub.send(event) }
        for event in events { follow(event) }
    }

    /// Lets publishers and subscribers know what happened to their streams.
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

    private func take(_ facts: LegMetrics) {
        for publication in publications.values { publication.media.take(facts) }
        for subscription in subscriptions.values { subscription.take(facts) }
    }

    /// Brings what is about a leg to who has it.
    private func forward(_ message: ServerMessage) {
        switch message.body {
        case .candidate(let candidate):
            legs[candidate.leg]?.receive(.candidate(candidate))
        case .mediaLost(let lost):
            for leg in lost.legs { legs[leg]?.receive(.mediaLost(leg: leg, message: lost.message)) }
        case .restartICE(let lost):
            for leg in lost.legs { legs[leg]?.receive(.restartICE(leg: leg)) }
        case .routes(let routes): legs[routes.leg]?.receive(.routes(routes))
        case .offered(let offered): legs[offered.subscription]?.receive(.offered(offered))
        case .subscriptionEnded(let ended): subscriptionEnded(LegName(ended.id))
        case .facts(let facts): for leg in facts.perLeg { take(leg) }
        case .fallback(let fallback): for subscription in subscriptions.values { subscription.take(fallback) }
        case .networkQuality(let update): quality.take(update)
        case .goodbye(let message): goodbye = message.reason
        case .error(let error):
            if message.re == nil { hub.send(.didFailWithError(SightlineError(error))) }
        default: break
        }
    }
}
