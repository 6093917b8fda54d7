// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Crypto
import Foundation

/// What a receiver of alerts is notified of: the network of a participant, the server's, or calls as a whole have been bad for some
/// time, or are well again.
///
/// Sustained issues of one participant, direction and reason are one, whoever measures them.
package struct AlertNotification: Sendable, Equatable {
    /// What is bad.
    package enum Subject: Sendable, Hashable {
        /// What the publisher of a stream sends; with its connection if a report of its own says so.
        case uplink(stream: String)
        /// What a connection receives.
        case downlink(connection: String)
        /// All connections of the router at once.
        case server
        /// Many calls at once: their minutes of some time.
        case fleet(FleetCount, within: Duration)
    }

    /// What a receiver may group by.
    package enum Kind: String, CaseIterable, Encodable, Sendable {
        case participant, server, fleet
    }

    /// The server's application and address, so that two servers have no alert in common.
    package var origin = ""
    /// What.
    package var subject: Subject
    /// The call; `nil` for many calls.
    package var session: String?
    /// Whose network it is; `nil` where no one knows, and for more than one.
    package var connection: String?
    /// The reason with which it began; `nil` if unknown.
    package var reason: NetworkReason?
    /// The worst condition so far, `warning` or `critical`; `warning` for many calls.
    package var worst: NetworkCondition
    /// When it began, Unix ms.
    package var first: Double
    /// When it was last seen, Unix ms.
    package var last: Double
    /// In how many flows it was seen.
    package var flows: Int
    /// Whether it is over.
    package var isOver: Bool
    /// When this is posted, Unix ms.
    package var time = 0.0
    /// What else there is to say of many calls.
    package var details: String?
    /// The dashboard's page about it; `nil` if the server does not know where it is reached.
    package var url: String?
}

extension AlertNotification {
    /// The same from the beginning to the end of it, also over a restart of the server, and no one else's.
    package var id: String {
        let parts: [String] =
            switch subject {
            case .uplink(let stream): ["uplink", stream]
            case .downlink(let connection): ["downlink", connection]
            case .server: ["server"]
            case .fleet: ["fleet"]
            }
        // Each with its length, so that no two have the same text.
        let text = ([origin, session ?? "", reason?.name ?? ""] + parts).map { "\($0.utf8.count):\($0)" }
            .joined()
        return SHA256.hash(data: Data(text.utf8)).hexDigits
    }

    /// Which direction of the participant's network it is; `nil` for more than one participant.
    package var direction: NetworkDirection? {
        switch subject {
        case .uplink: .uplink
        case .downlink: .downlink
        case .server, .fleet: nil
        }
    }

    /// The stream that is published over it; `nil` where it is no one stream's.
    package var stream: String? {
        guard case .uplink(let stream) = subject else { return nil }
        return stream
    }

    /// What a receiver may group by.
    package var kind: Kind {
        switch subject {
        case .uplink, .downlink: .participant
        case .server: .server
        case .fleet: .fleet
        }
    }

    /// It in a line of at most 1000 bytes.
    package var summary: String {
        var text = "\(what) \(place)"
        if let session { text += " in session \(session)" }
        if case .fleet = subject {} else { text += ": \(worst.name)" }
        if let details { text += ", \(details)" }
        if isOver { text += ", \(Int(Self.bounded((last - first) / 1000))) s" }
        return text.cut(toBytes: 1000)
    }

    private var what: String {
        if case .fleet(let count, let window) = subject {
            let share = NumberFormat.percent(
                Double(count.bad) / Double(max(count.minutes, 1)), decimals: 0)
            return
                "\(share) of the participants' minutes (\(count.bad) of \(count.minutes)) in the last \(Int(window / .seconds(60))) min"
        }
        guard let label = reason?.label else { return "Bad network" }
        return label.prefix(1).uppercased() + label.dropFirst()
    }

    private var place: String {
        switch subject {
        case .uplink(let stream):
            connection.map { "on the uplink of connection \($0), stream \(stream)," }
                ?? "on the uplink of the publisher of stream \(stream)"
        case .downlink(let connection): "on the downlink of connection \(connection)"
        case .server: "of all connections of the router"
        case .fleet: "were bad"
        }
    }

    /// What to do about it; `nil` where nothing is known that helps.
    package var advice: String? {
        let cause: Diagnosis.Cause? =
            switch reason {
            case .bandwidth: .bandwidth
            case .packetLoss: .packetLoss
            case .connection: .connection
            case .networkConditionChange, .unknown, Optional.none, .some(.none): nil
            }
        guard let cause else { return nil }
        let side: NetworkDegradationSource = subject == .server ? .server : .local
        return DiagnosisSentences().sentence(
            for: Diagnosis(cause: cause, direction: direction, side: side), to: .support)
    }

    /// A time as RFC 3339 has it, within the years that it can say.
    static func written(_ time: Double) -> String {
        Date(timeIntervalSince1970: bounded(time / 1000)).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Seconds from 1970 to the year 9999.
    private static func bounded(_ seconds: Double) -> Double {
        seconds.isFinite ? min(max(seconds, 0), 253_402_300_799) : 0
    }
}

extension AlertNotification: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, kind, session, connection, stream, direction, reason, condition, first, last, flows, isOver,
            minutes,
            badMinutes, summary, advice, url
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(kind, forKey: .kind)
        try container.encodeIfPresent(session, forKey: .session)
        try container.encodeIfPresent(connection, forKey: .connection)
        try container.encodeIfPresent(stream, forKey: .stream)
        try container.encodeIfPresent(direction, forKey: .direction)
        try container.encodeIfPresent(reason, forKey: .reason)
        try container.encode(worst, forKey: .condition)
        try container.encode(first, forKey: .first)
        try container.encode(last, forKey: .last)
        try container.encode(isOver, forKey: .isOver)
        if case .fleet(let count, _) = subject {
            try container.encode(count.minutes, forKey: .minutes)
            try container.encode(count.bad, forKey: .badMinutes)
        } else {
            try container.encode(flows, forKey: .flows)
        }
        try container.encode(summary, forKey: .summary)
        try container.encodeIfPresent(advice, forKey: .advice)
        try container.encodeIfPresent(url, forKey: .url)
    }
}

/// What is posted: a notification, and what happened to it.
package struct AlertPost: Encodable, Sendable, Equatable {
    /// What happened to it.
    package enum Kind: String, CaseIterable, Codable, Sendable {
        case began = "alertBegan"
        /// Said again, for a receiver that forgets.
        case continues = "alertContinues"
        case ended = "alertEnded"
    }

    /// What happened to it.
    package var type: Kind
    /// The notification.
    package var alert: AlertNotification
}
