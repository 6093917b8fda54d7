// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel

/// A parameter of an operation's address, declared once: ``QueryReader`` reads it by this, and `openapi.json` says what it is.
struct APIParameter: Sendable {
    /// What it is called.
    struct Name: RawRepresentable, Hashable, Sendable {
        let rawValue: String

        static let beforeFrom = Name(rawValue: "beforeFrom")
        static let beforeTo = Name(rawValue: "beforeTo")
        static let by = Name(rawValue: "by")
        static let call = Name(rawValue: "call")
        static let condition = Name(rawValue: "condition")
        static let connection = Name(rawValue: "connection")
        static let cursor = Name(rawValue: "cursor")
        static let format = Name(rawValue: "format")
        static let from = Name(rawValue: "from")
        static let limit = Name(rawValue: "limit")
        static let live = Name(rawValue: "live")
        static let observer = Name(rawValue: "observer")
        static let over = Name(rawValue: "over")
        static let participant = Name(rawValue: "participant")
        static let role = Name(rawValue: "role")
        static let router = Name(rawValue: "router")
        static let rtcstatsToken = Name(rawValue: "rtcstats-token")
        static let session = Name(rawValue: "session")
        static let stream = Name(rawValue: "stream")
        static let to = Name(rawValue: "to")
    }

    /// Where it stands.
    enum Place: String, Sendable { case path, query }

    /// What its value may be.
    enum Form: Sendable, Equatable {
        case text
        /// Unix ms.
        case time
        case flag
        /// One of some words, which are those of the schema of that name if it has one.
        case word([String], schema: String? = nil)
        /// At most how many are wanted, and how many if that is not said.
        case limit(standard: Int, most: Int)
        /// Where an earlier page ended.
        case cursor
        /// A whole number from 0 on.
        case index
    }

    let name: Name
    let place: Place
    let form: Form
    /// What it does, for people; `nil` where its name says it.
    let meaning: String?
    let isRequired: Bool

    /// A name in the path.
    static func path(_ name: Name, _ form: Form = .text, _ meaning: String? = nil) -> APIParameter {
        APIParameter(name: name, place: .path, form: form, meaning: meaning, isRequired: true)
    }

    /// What may follow the path.
    static func query(
        _ name: Name, _ form: Form, _ meaning: String, isRequired: Bool = false
    ) -> APIParameter {
        APIParameter(name: name, place: .query, form: form, meaning: meaning, isRequired: isRequired)
    }
}

// MARK: - Those of several operations

extension APIParameter {
    static let participant = query(
        .participant, .text,
        "What stands for a participant; or the name, which wants the scope names as well")

    static let ofSession = query(.session, .text, "Only of this session")

    /// A page of a list.
    static func page(_ standard: Int, upTo most: Int) -> [APIParameter] {
        [limit(standard, upTo: most, "At most this many"), cursor]
    }

    static func limit(_ standard: Int, upTo most: Int, _ meaning: String) -> APIParameter {
        query(.limit, .limit(standard: standard, most: most), meaning)
    }

    private static let cursor = query(.cursor, .cursor, "The next of an earlier answer")

    /// JSON, or something else.
    static func format(_ words: [ExportFormat], schema: String, _ meaning: String) -> APIParameter {
        query(.format, .word(words.map(\.rawValue), schema: schema), meaning)
    }

    /// A part of a session.
    static let window = [
        query(.connection, .text, "Only of this connection"), participant,
        query(.stream, .text, "Only of this stream"),
        query(.role, .word(StreamRole.allCases.map(\.name), schema: "StreamRole"), "Only of this role"),
        query(
            .observer, .word(Observer.allCases.map(\.name), schema: "Observer"),
            "Only what this one measured"),
        query(.from, .time, "From then on, Unix ms"), query(.to, .time, "Up to then, Unix ms"),
    ]
}

/// How what is asked for is written.
enum ExportFormat: String, Sendable {
    case json, csv, recording

    /// Of tables.
    static let tables: [ExportFormat] = [.json, .csv]
    /// Of raw reports.
    static let reports: [ExportFormat] = [.json, .recording]
}
