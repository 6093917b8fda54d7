// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import CallRecording

/// The side of a problem.
enum IssueLocation: Sendable, Hashable {
    /// The end that sends; its name, if that is known.
    case sender(String?)
    /// The end that receives; its name, if that is known.
    case receiver(String?)
    /// The router, or the network that it is in.
    case server
    case both, unknown

    /// - Parameters:
    ///   - role: Of the view that shows it.
    ///   - ends: Who the ends of that view are, if known.
    init(_ interval: DiagnosisInterval, of role: StreamRole, ends: StoredCallFacts.Ends? = nil) {
        let (sender, receiver) = (Self.sender(ends?.sender), Self.receiver(ends?.own))
        switch (role, interval.side, interval.direction) {
        case (_, .server?, _): self = .server
        // Between two ends over which nothing comes, what is sent may be stopped at either.
        case (.publisher, _, .both?) where interval.cause == .connection: self = .both
        case (.publisher, _, _): self = sender
        case (.subscriber, _, .local?), (.subscriber, .local?, _): self = receiver
        case (.subscriber, .remote?, _): self = sender
        case (.subscriber, .bothOrUnclear?, _): self = .both
        case (.subscriber, _, .downlink?): self = receiver
        case (.subscriber, _, .uplink?): self = sender
        case (.subscriber, _, _): self = .unknown
        }
    }

    /// The side, for a table.
    var name: String {
        switch self {
        case .sender(let name): name.map { "\($0)'s side" } ?? "sending side"
        case .receiver(let name): name.map { "\($0)'s side" } ?? "receiving side"
        case .server: "server's side"
        case .both: "both sides, or unclear"
        case .unknown: "unknown"
        }
    }

    /// Where, for a sentence.
    func words(_ cause: Diagnosis.Cause) -> String {
        let thing = (cause.origin ?? .network).rawValue
        return switch self {
        case .sender(let name): "on \(name ?? "the sending side")'s \(thing)"
        case .receiver(let name): "on \(name ?? "the receiving side")'s \(thing)"
        case .server: "on the server's side"
        case .both: "on both sides, or between them"
        case .unknown: "on a side that is not known"
        }
    }

    /// The way whose sentences are about this side.
    var direction: NetworkDirection? {
        switch self {
        case .sender: .uplink
        case .receiver: .downlink
        case .server, .both, .unknown: nil
        }
    }
}
