// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// The members that every message has.
private enum EnvelopeKey: String, CodingKey { case type, id, re, seq, received }

extension KeyedDecodingContainer<EnvelopeKey> {
    /// What a numbered message confirms; of `ack`, `resume` and `resumed`, which have no number, it is the body's.
    fileprivate func received(with seq: Int?) throws -> Int? {
        seq == nil ? nil : try decodeIfPresent(Int.self, forKey: .received)
    }
}

extension ClientMessage: Codable {
    private enum Name: String, Codable {
        case join, resume, ack, publish, subscribe, offer, replace, candidate
        case prefer, update, saturate, networkTest, unsubscribe, unpublish, telemetry, networkQuality, leave
        case forceUnpublish, forceDisconnect, rate
        case relay, answer, settled, legLost, giveUp
    }

    /// Reads the message that `type` names.
    package init(from decoder: any Decoder) throws {
        let envelope = try decoder.container(keyedBy: EnvelopeKey.self)
        let name = try envelope.decode(Name.self, forKey: .type)
        id = name == .ack ? 0 : try envelope.decode(Int.self, forKey: .id)
        seq = try envelope.decodeIfPresent(Int.self, forKey: .seq)
        received = try envelope.received(with: seq)
        switch name {
        case .join: body = .join(try Join(from: decoder))
        case .resume: body = .resume(try Resume(from: decoder))
        case .ack: body = .ack(try Acknowledgement(from: decoder))
        case .publish: body = .publish(try Publish(from: decoder))
        case .subscribe: body = .subscribe(try Subscribe(from: decoder))
        case .offer: body = .offer(try Offer(from: decoder))
        case .replace: body = .replace(try Replace(from: decoder))
        case .candidate: body = .candidate(try LegCandidate(from: decoder))
        case .prefer: body = .prefer(try Prefer(from: decoder))
        case .update: body = .update(try UpdateStream(from: decoder))
        case .saturate: body = .saturate(try Saturate(from: decoder))
        case .networkTest: body = .networkTest(try NetworkTest(from: decoder))
        case .unsubscribe: body = .unsubscribe(try Leg(from: decoder))
        case .unpublish: body = .unpublish(try Leg(from: decoder))
        case .telemetry: body = .telemetry(try Telemetry(from: decoder))
        case .relay: body = .relay(try Relay(from: decoder))
        case .answer: body = .answer(try Answer(from: decoder))
        case .settled: body = .settled(try Leg(from: decoder))
        case .legLost: body = .legLost(try Leg(from: decoder))
        case .giveUp: body = .giveUp(try GiveUp(from: decoder))
        case .networkQuality: body = .networkQuality(try AskNetworkQuality(from: decoder))
        case .forceUnpublish: body = .forceUnpublish(try StreamName(from: decoder))
        case .forceDisconnect: body = .forceDisconnect(try ConnectionName(from: decoder))
        case .rate: body = .rate(try CallRating(from: decoder))
        case .leave: body = .leave
        }
    }

    /// Writes `type`, `id` and the members of the message side by side.
    package func encode(to encoder: any Encoder) throws {
        var envelope = encoder.container(keyedBy: EnvelopeKey.self)
        if case .ack = body {} else { try envelope.encode(id, forKey: .id) }
        try envelope.encodeIfPresent(seq, forKey: .seq)
        try envelope.encodeIfPresent(received, forKey: .received)
        func write(_ name: Name, _ body: (any Encodable)? = nil) throws {
            try envelope.encode(name, forKey: .type)
            try body?.encode(to: encoder)
        }
        switch body {
        case .join(let body): try write(.join, body)
        case .resume(let body): try write(.resume, body)
        case .ack(let body): try write(.ack, body)
        case .publish(let body): try write(.publish, body)
        case .subscribe(let body): try write(.subscribe, body)
        case .offer(let body): try write(.offer, body)
        case .replace(let body): try write(.replace, body)
        case .candidate(let body): try write(.candidate, body)
        case .prefer(let body): try write(.prefer, body)
        case .update(let body): try write(.update, body)
        case .saturate(let body): try write(.saturate, body)
        case .networkTest(let body): try write(.networkTest, body)
        case .unsubscribe(let body): try write(.unsubscribe, body)
        case .unpublish(let body): try write(.unpublish, body)
        case .telemetry(let body): try write(.telemetry, body)
        case .relay(let body): try write(.relay, body)
        case .answer(let body): try write(.answer, body)
        case .settled(let body): try write(.settled, body)
        case .legLost(let body): try write(.legLost, body)
        case .giveUp(let body): try write(.giveUp, body)
        case .networkQuality(let body): try write(.networkQuality, body)
        case .forceUnpublish(let body): try write(.forceUnpublish, body)
        case .forceDisconnect(let body): try write(.forceDisconnect, body)
        case .rate(let body): try write(.rate, body)
        case .leave: try write(.leave)
        }
    }
}

extension ServerMessage: Codable {
    private enum Name: String, Codable {
        case joined, resumed, ack, published, subscribed, answered, done, acknowledged, error
        case connectionCreated, connectionDestroyed, streamCreated, streamUpdated, streamDestroyed
        case candidate, mediaLost, restartICE, facts, judged, fallback, networkQuality, networkTest, goodbye,
            routes,
            offered, subscriptionEnded
    }

    /// Reads the message that `type` names.
    package init(from decoder: any Decoder) throws {
        let envelope = try decoder.container(keyedBy: EnvelopeKey.self)
        re = try envelope.decodeIfPresent(Int.self, forKey: .re)
        seq = try envelope.decodeIfPresent(Int.self, forKey: .seq)
        received = try envelope.received(with: seq)
        switch try envelope.decode(Name.self, forKey: .type) {
        case .joined: body = .joined(try Joined(from: decoder))
        case .resumed: body = .resumed(try Acknowledgement(from: decoder))
        case .ack: body = .ack(try Acknowledgement(from: decoder))
        case .published: body = .published(try Published(from: decoder))
        case .subscribed: body = .subscribed(try Subscribed(from: decoder))
        case .answered: body = .answered(try Answered(from: decoder))
        case .done: body = .done
        case .acknowledged: body = .acknowledged(try Acknowledged(from: decoder))
        case .error: body = .error(try ServerError(from: decoder))
        case .connectionCreated: body = .connectionCreated(try ConnectionDescription(from: decoder))
        case .connectionDestroyed: body = .connectionDestroyed(try Destroyed(from: decoder))
        case .streamCreated: body = .streamCreated(try StreamDescription(from: decoder))
        case .streamUpdated: body = .streamUpdated(try StreamDescription(from: decoder))
        case .streamDestroyed: body = .streamDestroyed(try Destroyed(from: decoder))
        case .candidate: body = .candidate(try LegCandidate(from: decoder))
        case .mediaLost: body = .mediaLost(try MediaLost(from: decoder))
        case .restartICE: body = .restartICE(try Legs(from: decoder))
        case .facts: body = .facts(try LegMetrics(from: decoder))
        case .judged: body = .judged(try LegJudgement(from: decoder))
        case .fallback: body = .fallback(try Fallback(from: decoder))
        case .networkQuality: body = .networkQuality(try NetworkQualityUpdate(from: decoder))
        case .networkTest: body = .networkTest(try NetworkTest(from: decoder))
        case .goodbye: body = .goodbye(try Goodbye(from: decoder))
        case .routes: body = .routes(try Routes(from: decoder))
        case .offered: body = .offered(try Offered(from: decoder))
        case .subscriptionEnded: body = .subscriptionEnded(try Destroyed(from: decoder))
        }
    }

    /// Writes `type`, `re` and the members of the message side by side.
    package func encode(to encoder: any Encoder) throws {
        var envelope = encoder.container(keyedBy: EnvelopeKey.self)
        try envelope.encodeIfPresent(re, forKey: .re)
        try envelope.encodeIfPresent(seq, forKey: .seq)
        try envelope.encodeIfPresent(received, forKey: .received)
        func write(_ name: Name, _ body: (any Encodable)? = nil) throws {
            try envelope.encode(name, forKey: .type)
            try body?.encode(to: encoder)
        }
        switch body {
        case .joined(let body): try write(.joined, body)
        case .resumed(let body): try write(.resumed, body)
        case .ack(let body): try write(.ack, body)
        case .published(let body): try write(.published, body)
        case .subscribed(let body): try write(.subscribed, body)
        case .answered(let body): try write(.answered, body)
        case .done: try write(.done)
        case .acknowledged(let body): try write(.acknowledged, body)
        case .error(let body): try write(.error, body)
        case .connectionCreated(let body): try write(.connectionCreated, body)
        case .connectionDestroyed(let body): try write(.connectionDestroyed, body)
        case .streamCreated(let body): try write(.streamCreated, body)
        case .streamUpdated(let body): try write(.streamUpdated, body)
        case .streamDestroyed(let body): try write(.streamDestroyed, body)
        case .candidate(let body): try write(.candidate, body)
        case .mediaLost(let body): try write(.mediaLost, body)
        case .restartICE(let body): try write(.restartICE, body)
        case .facts(let body): try write(.facts, body)
        case .judged(let body): try write(.judged, body)
        case .fallback(let body): try write(.fallback, body)
        case .networkQuality(let body): try write(.networkQuality, body)
        case .networkTest(let body): try write(.networkTest, body)
        case .goodbye(let body): try write(.goodbye, body)
        case .routes(let body): try write(.routes, body)
        case .offered(let body): try write(.offered, body)
        case .subscriptionEnded(let body): try write(.subscriptionEnded, body)
        }
    }
}
