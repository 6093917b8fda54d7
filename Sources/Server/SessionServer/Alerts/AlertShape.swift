// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation

/// How what a receiver is notified of is written, which depends on who takes it.
package enum AlertShape: String, CaseIterable, Sendable {
    /// All there is to say, signed if there is a secret.
    case json
    /// A text, for Slack's incoming webhooks and those that take the same (Mattermost, Rocket.Chat).
    case slack
    /// For `/api/v2/alerts` of Prometheus' Alertmanager.
    case alertmanager
    /// For `/v2/enqueue` of PagerDuty's Events API; the secret is the integration's routing key.
    case pagerduty

    /// After how much time what lasts is posted again; `nil` for when it begins and ends only.
    ///
    /// Alertmanager forgets what it does not hear of.
    var repetition: Duration? { self == .alertmanager ? .seconds(60) : nil }

    /// Whether the secret signs what is posted; otherwise it is a part of it or of no use.
    var isSigned: Bool { self == .json }

    /// What is posted; pure.
    ///
    /// - Parameter routingKey: PagerDuty's.
    func body(of post: AlertPost, routingKey: String?) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        switch self {
        case .json: return try encoder.encode(post)
        case .slack: return try encoder.encode(SlackMessage(text: Self.slackText(post.alert)))
        case .alertmanager: return try encoder.encode([AlertmanagerAlert(post.alert)])
        case .pagerduty: return try encoder.encode(PagerDutyEvent(post, routingKey: routingKey ?? ""))
        }
    }

    private static func slackText(_ alert: AlertNotification) -> String {
        var text = (alert.isOver ? "Over: " : "") + slackEscaped(alert.summary)
        if !alert.isOver, let advice = alert.advice { text += ". \(slackEscaped(advice))" }
        if let url = alert.url { text += " <\(url)|Dashboard>" }
        return text
    }

    /// A line in which no name is a link, a mention, an image or another line, in Slack, Mattermost and Rocket.Chat.
    ///
    /// `&`, `<` and `>` are escaped; a space of no width ends what `@`, `~`, `](`, `://` and `www.` would begin. What is
    /// not seen, or turns what is around it, is a space.
    private static func slackEscaped(_ line: String) -> String {
        var text = ""
        // By scalar: what combines with another is one character with it.
        for scalar in line.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "@", "]", "~": text += "\(scalar)\u{200B}"
            case "/" where text.last == ":": text += "\u{200B}/"
            case "." where text.suffix(3).lowercased() == "www": text += "\u{200B}."
            case _ where isUnseen(scalar): text += " "
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Whether it turns what is around it, or begins another line, and is no part of a name; what joins characters, or
    /// keeps them apart, is part of some.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

private struct SlackMessage: Encodable {
    var text: String
}

/// Alerts are the same to Alertmanager if their labels are: what may change while one lasts is an annotation.
private struct AlertmanagerAlert: Encodable {
    /// How long an alert lasts at least if nothing more is heard of it: five repetitions.
    private static let lifetime: Duration = .seconds(300)

    var labels: [String: String]
    var annotations: [String: String]
    var startsAt: String
    var endsAt: String
    var generatorURL: String?

    init(_ alert: AlertNotification) {
        labels = [
            "alertname": alert.session == nil ? "SightlineManyBadCalls" : "SightlineSustainedIssue",
            "service": "sightline", "kind": alert.kind.rawValue, "id": alert.id,
        ]
        labels["session"] = alert.session
        labels["reason"] = alert.reason?.name
        labels["direction"] = alert.direction?.rawValue
        labels["stream"] = alert.stream
        annotations = ["summary": alert.summary, "condition": alert.worst.name]
        annotations["connection"] = alert.connection
        annotations["description"] = alert.advice
        startsAt = AlertNotification.written(alert.first)
        endsAt = AlertNotification.written(
            alert.isOver ? alert.time : alert.time + Self.lifetime.milliseconds)
        generatorURL = alert.url
    }
}

private struct PagerDutyEvent: Encodable {
    struct Payload: Encodable {
        var summary: String
        var source: String
        var severity: String
        var timestamp: String
        var component: String
        var group: String?
        var details: AlertNotification

        private enum CodingKeys: String, CodingKey {
            case summary, source, severity, timestamp, component, group
            case details = "custom_details"
        }
    }

    struct Link: Encodable {
        var href: String
        var text: String
    }

    var routingKey: String
    var action: String
    var dedupKey: String
    var payload: Payload
    var links: [Link]?

    private enum CodingKeys: String, CodingKey {
        case payload, links
        case routingKey = "routing_key"
        case action = "event_action"
        case dedupKey = "dedup_key"
    }

    init(_ post: AlertPost, routingKey: String) {
        let alert = post.alert
        self.routingKey = routingKey
        action = post.type == .ended ? "resolve" : "trigger"
        dedupKey = alert.id
        payload = Payload(
            summary: alert.summary, source: "sightline",
            severity: alert.worst == .critical ? "critical" : "warning",
            timestamp: AlertNotification.written(alert.first),
            component: alert.connection ?? alert.stream ?? alert.kind.rawValue, group: alert.session,
            details: alert)
        links = alert.url.map { [Link(href: $0, text: "Dashboard")] }
    }
}
