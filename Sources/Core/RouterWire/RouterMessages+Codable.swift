// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// The member with a message's type.
private enum TypeKey: String, CodingKey { case type }

extension RouterCommand: Codable {
    private enum Name: String, Codable {
        case add, offer, candidate, prefer, saturate, align, emulate, remove
    }

    /// Reads the message that `type` names.
    package init(from decoder: any Decoder) throws {
        switch try decoder.container(keyedBy: TypeKey.self).decode(Name.self, forKey: .type) {
        case .add: self = .add(try AddLeg(from: decoder))
        case .offer: self = .offer(try LegOffer(from: decoder))
        case .candidate: self = .candidate(try LegCandidate(from: decoder))
        case .prefer: self = .prefer(try LegPreference(from: decoder))
        case .saturate: self = .saturate(try LegSaturation(from: decoder))
        case .align: self = .align(try LegAlignment(from: decoder))
        case .emulate: self = .emulate(try ClientNetwork(from: decoder))
        case .remove: self = .remove(try LegRemoval(from: decoder))
        }
    }

    /// Writes `type` and the members of the message side by side.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: TypeKey.self)
        func write(_ name: Name, _ body: some Encodable) throws {
            try container.encode(name, forKey: .type)
            try body.encode(to: encoder)
        }
        switch self {
        case .add(let body): try write(.add, body)
        case .offer(let body): try write(.offer, body)
        case .candidate(let body): try write(.candidate, body)
        case .prefer(let body): try write(.prefer, body)
        case .saturate(let body): try write(.saturate, body)
        case .align(let body): try write(.align, body)
        case .emulate(let body): try write(.emulate, body)
        case .remove(let body): try write(.remove, body)
        }
    }
}

extension RouterNotice: Codable {
    private enum Name: String, Codable {
        case ready, answer, failure, candidate, state, report, fallback, network
    }

    /// Reads the message that `type` names.
    package init(from decoder: any Decoder) throws {
        switch try decoder.container(keyedBy: TypeKey.self).decode(Name.self, forKey: .type) {
        case .ready: self = .ready(try RouterReady(from: decoder))
        case .answer: self = .answer(try LegAnswer(from: decoder))
        case .failure: self = .failure(try LegFailure(from: decoder))
        case .candidate: self = .candidate(try LegCandidate(from: decoder))
        case .state: self = .state(try LegState(from: decoder))
        case .report: self = .report(try LegReport(from: decoder))
        case .fallback: self = .fallback(try LegFallback(from: decoder))
        case .network: self = .network(try NetworkCount(from: decoder))
        }
    }

    /// Writes `type` and the members of the message side by side.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: TypeKey.self)
        func write(_ name: Name, _ body: some Encodable) throws {
            try container.encode(name, forKey: .type)
            try body.encode(to: encoder)
        }
        switch self {
        case .ready(let body): try write(.ready, body)
        case .answer(let body): try write(.answer, body)
        case .failure(let body): try write(.failure, body)
        case .candidate(let body): try write(.candidate, body)
        case .state(let body): try write(.state, body)
        case .report(let body): try write(.report, body)
        case .fallback(let body): try write(.fallback, body)
        case .network(let body): try write(.network, body)
        }
    }
}
