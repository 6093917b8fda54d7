// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Crypto
import Foundation

/// How what is posted about a sustained issue is written, which depends on who takes it.
package enum AlertShape: String, CaseIterable, Sendable {
    /// The alert as the API has it, signed if there is a secret.
    case json
    /// A text, for Slack's incoming webhooks and those that take the same (Mattermost, Rocket.Chat).
    case slack
    /// For `/api/v2/alerts` of Prometheus' Alertmanager.
    case alertmanager
    /// For `/v2/enqueue` of PagerDuty's Events API; the secret is the integration's routing key.
    case pagerduty

    /// After how much of it an issue that lasts is posted again, ms; `nil` for when it begins and ends only.
    ///
    /// Alertmanager forgets what it does not hear of.
    var repetition: Double? { self == .alertmanager ? 60_000 : nil }

    /// Whether the secret signs what is posted; otherwise it is a part of it or of no use.
    var isSigned: Bool { self == .json }

    /// What is posted; pure.
    ///
    /// - Parameter routingKey: PagerDuty's.
    func body(of call: Webhook.Call, routingKey: String?) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        switch self {
        case .json: return try encoder.encode(call)
        case .slack: return try encoder.encode(SlackMessage(text: Self.slackText(call)))
        case .alertmanager: return try encoder.encode([AlertmanagerAlert(call.alert)])
        case .pagerduty: return try encoder.encode(PagerDutyEvent(call, routingKey: routingKey ?? ""))
        }
    }

    /// What `&`, `<` and `>` begin is a link or a mention in Slack; `@` begins a mention in Mattermost and Rocket.Chat, and
    /// `](` a link or an image, which a space of no width after them ends.
    private static func slackText(_ call: Webhook.Call) -> String {
        var text = call.alert.isOver ? "Over: " : ""
        // By scalar: what combines with another is one character with it.
        for scalar in call.alert.summary.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "@", "]": text += "\(scalar)\u{200B}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Alert {
    /// The issue in a line of at most 1000 bytes.
    fileprivate var summary: String {
        let flow = flow
        var text = "\(worst.name) network on the \(side.name) path of \(flow.role.name) \(flow.connection)"
        text += " in session \(flow.session)"
        if let reason { text += ": \(reason.name)" }
        if let source { text += " (source: \(source.name))" }
        if isOver { text += ", \(Int(Self.bounded((last - first) / 1000))) s" }
        return text.cut(toBytes: 1000)
    }

    /// Which issue this is: the same from its beginning to its end, in 64 digits whatever the names are.
    fileprivate var identity: String {
        let parts = [flow.session, flow.connection, flow.stream, flow.role.name, side.name, observer.name]
        // Each with its length, so that no two issues have the same text.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined() + "\(first)"
        return SHA256.hash(data: Data(text.utf8)).hexDigits
    }

    /// A time as RFC 3339 has it, within the years that it can say.
    fileprivate static func written(_ time: Double) -> String {
        Date(timeIntervalSince1970: bounded(time / 1000)).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Seconds from 1970 to the year 9999.
    private static func bounded(_ seconds: Double) -> Double {
        seconds.isFinite ? min(max(seconds, 0), 253_402_300_799) : 0
    }
}

private struct SlackMessage: Encodable {
    var text: String
}

/// Alerts are the same to Alertmanager if their labels are: what may change while an issue lasts is an annotation.
private struct AlertmanagerAlert: Encodable {
    /// How long an issue lasts at least if nothing more is heard of it, ms: five repetitions.
    private static let lifetime = 300_000.0

    var labels: [String: String]
    var annotations: [String: String]
    var startsAt: String
    var endsAt: String

    init(_ alert: Alert) {
        labels = [
            "alertname": "SightlineSustainedIssue", "service": "sightline", "session": alert.flow.session,
            "connection": alert.flow.connection, "stream": alert.flow.stream, "role": alert.flow.role.name,
            "side": alert.side.name, "observer": alert.observer.name,
        ]
        annotations = ["summary": alert.summary, "condition": alert.worst.name]
        annotations["reason"] = alert.reason?.name
        annotations["source"] = alert.source?.name
        startsAt = Alert.written(alert.first)
        endsAt = Alert.written(alert.isOver ? alert.last : alert.last + Self.lifetime)
    }
}

private struct PagerDutyEvent: Encodable {
    struct Payload: Encodable {
        var summary: String
        var source: String
        var severity: String
        var timestamp: String
        var component: String
        var group: String
        var details: Alert

        private enum CodingKeys: String, CodingKey {
            case summary, source, severity, timestamp, component, group
            case details = "custom_details"
        }
    }

    var routingKey: String
    var action: String
    var dedupKey: String
    var payload: Payload

    private enum CodingKeys: String, CodingKey {
        case payload
        case routingKey = "routing_key"
        case action = "event_action"
        case dedupKey = "dedup_key"
    }

    init(_ call: Webhook.Call, routingKey: String) {
        let alert = call.alert
        self.routingKey = routingKey
        action = call.type == .ended ? "resolve" : "trigger"
        dedupKey = alert.identity
        payload = Payload(
            summary: alert.summary, source: "sightline",
            severity: alert.worst == .critical ? "critical" : "warning",
            timestamp: Alert.written(alert.first), component: alert.flow.connection,
            group: alert.flow.session, details: alert)
    }
}
