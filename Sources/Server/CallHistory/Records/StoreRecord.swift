// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import SessionWire

/// One stream at one connection: its publication, or one subscription to it.
package struct FlowKey: Sendable, Hashable {
    /// The connection's id.
    package var connection: String
    /// The server's number for it, used once per connection.
    package var number: Int64

    /// Names a flow.
    package init(connection: String, number: Int64) {
        self.connection = connection
        self.number = number
    }
}

/// Tells records that were handed in together from others: who waits for them gets it back once they are
/// stored.
package typealias StoreReceipt = UInt64

/// Something to be stored.
///
/// All times are Unix ms by the server's clock, unless they are called `capturedAt`.
package enum StoreRecord: Sendable, Equatable {
    /// A session began, or continues after the server was away.
    case session(name: String, kind: SessionKind, createdAt: Double)
    /// A session ended; with its server if it may return.
    case sessionEnded(name: String, at: Double, mayReturn: Bool = false)
    /// The application ended an observed call: tokens of before add no more to it.
    case callEnded(name: String, at: Double)
    /// Sessions that ended with an earlier run of the server, and have not returned, do not return any more.
    case restorationOver
    /// A client joined, or changed what is known of it.
    case connection(ConnectionRecord)
    /// A client is gone.
    case connectionLeft(name: String, at: Double, reason: EndReason)
    /// A stream was published, or is something else now.
    case stream(StreamRecord)
    /// A stream ended.
    case streamEnded(name: String, at: Double, reason: EndReason)
    /// A publication or subscription began.
    case flow(FlowRecord)
    /// A publication or subscription ended.
    case flowEnded(FlowKey, at: Double)
    /// One tick's sample.
    case sample(SampleRecord)
    /// Something happened.
    case event(EventRecord)
    /// A raw report.
    case report(ReportRecord)
    /// What a participant says of the call.
    case rating(RatingRecord)

    /// Whether it may be omitted when too much comes; what a sample refers to may not.
    package var isDroppable: Bool {
        switch self {
        case .sample, .event, .report: true
        default: false
        }
    }
}

/// What a session is.
package enum SessionKind: VocabularyWord {
    /// One of the server's own, whose clients it connects.
    case hosted(MediaMode)
    /// An app's own call, of which the server only gets reports.
    case observed

    /// Every one.
    package static let allCases = MediaMode.allCases.map(SessionKind.hosted) + [.observed]

    /// How it is written: the media mode, or `observed`.
    package var name: String {
        switch self {
        case .hosted(let mediaMode): mediaMode.rawValue
        case .observed: "observed"
        }
    }

    /// Reads a name; `nil` if it is none.
    package init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }

    /// Writes its name.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }

    /// Reads its name.
    ///
    /// - Throws: `DecodingError` if it is none.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let match = Self(name: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no such kind of session")
        }
        self = match
    }
}

/// A client in a session.
package struct ConnectionRecord: Sendable, Equatable {
    /// The server's id for it.
    package var name: String
    /// The session's id.
    package var session: String
    /// Pseudonym of the person or device; the same for the same name.
    ///
    /// `nil` if it has none.
    package var participant: String?
    /// Its name in clear; `nil` unless names are kept.
    package var displayName: String?
    /// Its token's role.
    package var role: TokenRole
    /// Its client's name and version, such as `sightline-cli 0.1.0 (Linux)`.
    package var client: String?
    /// When.
    package var joinedAt: Double

    /// Creates a record.
    package init(
        name: String, session: String, participant: String?, displayName: String? = nil, role: TokenRole,
        client: String? = nil, joinedAt: Double
    ) {
        self.name = name
        self.session = session
        self.participant = participant
        self.displayName = displayName
        self.role = role
        self.client = client
        self.joinedAt = joinedAt
    }
}

/// A stream of a session.
package struct StreamRecord: Sendable, Equatable {
    /// The server's id for it.
    package var name: String
    /// The session's id.
    package var session: String
    /// The id of the connection that publishes it; `nil` if no one knows who does.
    package var connection: String?
    /// Its state as reported by its publisher.
    package var content: StreamContent
    /// When it was published.
    package var createdAt: Double

    /// Creates a record.
    ///
    /// `content.name` is stored: leave it out unless names are kept.
    package init(
        name: String, session: String, connection: String?, content: StreamContent, createdAt: Double
    ) {
        self.name = name
        self.session = session
        self.connection = connection
        self.content = content
        self.createdAt = createdAt
    }
}

/// A publication or subscription.
package struct FlowRecord: Sendable, Equatable {
    /// Which one.
    package var key: FlowKey
    /// The session's id.
    package var session: String
    /// The stream's id.
    package var stream: String
    /// Whether it is the publication or a subscription.
    package var role: StreamRole
    /// When it began.
    package var createdAt: Double

    /// Creates a record.
    package init(key: FlowKey, session: String, stream: String, role: StreamRole, createdAt: Double) {
        self.key = key
        self.session = session
        self.stream = stream
        self.role = role
        self.createdAt = createdAt
    }
}
