// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality

extension ServerMessage {
    /// Approximate bytes that a stored message takes: what its long texts take, and a constant for the rest.
    package var weight: Int {
        Self.lumpSum * (1 + body.entries) + body.longTexts.reduce(0) { $0 + $1.utf8.count }
    }

    private static let lumpSum = 256
}

extension ServerMessage.Body {
    /// Texts from others that may be long.
    fileprivate var longTexts: [String] {
        switch self {
        case .published(let published):
            [published.answer ?? "", published.restore ?? ""] + texts(published.stream)
        case .subscribed(let subscribed): [subscribed.answer ?? ""]
        case .answered(let answered): [answered.answer]
        case .offered(let offered): [offered.offer]
        case .candidate(let candidate): [candidate.candidate]
        case .streamCreated(let stream), .streamUpdated(let stream): texts(stream)
        case .error(let error): [error.message]
        case .mediaLost(let lost): [lost.message]
        default: []
        }
    }

    /// What it lists.
    fileprivate var entries: Int {
        switch self {
        case .routes(let routes): routes.subscribers.count
        case .networkQuality(let update): update.participants.count * 4
        case .acknowledged(let acknowledged): acknowledged.eventIds.count
        case .mediaLost(let lost): lost.legs.count
        case .networkTest(let test):
            test.actions.count
                + (test.result.map { 8 + $0.report.samples.count + $0.report.steps.count } ?? 0)
        default: 0
        }
    }

    private func texts(_ stream: StreamDescription) -> [String] {
        [stream.connection.name ?? "", stream.content.name ?? ""]
    }
}
