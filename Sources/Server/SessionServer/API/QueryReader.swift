// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Hummingbird
import SessionWire

/// The parameters of a request's address.
struct QueryReader {
    private let values: [String: String]
    private let names: ParticipantNames
    /// Whether people may be looked for by their names.
    private let findsNames: Bool

    init(_ request: Request, names: ParticipantNames, _ grant: APIGrant) {
        let pairs = request.uri.queryParameters.map { (String($0.key), String($0.value)) }
        values = Dictionary(pairs) { first, _ in first }
        self.names = names
        findsNames = grant.scopes.contains(.names)
    }

    func text(_ name: String) throws -> String? {
        guard let value = values[name], !value.isEmpty else { return nil }
        guard value.utf8.count <= SessionProtocol.nameLimit else { throw Self.bad(name, "is too long") }
        return value
    }

    /// One of some words.
    func word(_ name: String, of words: [String]) throws -> String? {
        guard let value = try text(name) else { return nil }
        guard words.contains(value) else {
            throw Self.bad(name, "must be one of \(words.joined(separator: ", "))")
        }
        return value
    }

    /// One of some values of a vocabulary.
    func value<Word: VocabularyWord>(_ name: String, of words: [Word]) throws -> Word? {
        try word(name, of: words.map(\.name)).flatMap { Word(name: $0) }
    }

    /// Unix ms.
    func time(_ name: String) throws -> Double? {
        guard let value = try text(name) else { return nil }
        guard let number = Double(value), number.isFinite else { throw Self.bad(name, "must be Unix ms") }
        return number
    }

    /// Whether comma-separated values are wanted, and not JSON.
    func wantsCSV(_ request: Request) throws -> Bool { try wants("csv", "text/csv", request) }

    /// Whether a recording is wanted, and not JSON.
    func wantsRecording(_ request: Request) throws -> Bool {
        try wants("recording", Response.recordingType, request)
    }

    private func wants(_ form: String, _ type: String, _ request: Request) throws -> Bool {
        try word("format", of: ["json", form]).map { $0 == form }
            ?? (request.headers[.accept]?.contains(type) == true)
    }

    func flag(_ name: String) throws -> Bool? {
        try word(name, of: ["true", "false"]).map { $0 == "true" }
    }

    func limit(_ standard: Int, upTo most: Int) throws -> Int {
        guard let value = try text("limit") else { return standard }
        guard let number = Int(value), (1...most).contains(number) else {
            throw Self.bad("limit", "must be 1 to \(most)")
        }
        return number
    }

    /// Where an earlier page ended; which store's it is only that store knows.
    func cursor() throws -> PageCursor? {
        guard let value = try text("cursor") else { return nil }
        guard let cursor = PageCursor(rawValue: value) else { throw Self.noCursor }
        return cursor
    }

    static var noCursor: APIError { bad("cursor", "is none of ours") }

    /// Pseudonym of a participant, given that or the name.
    ///
    /// The name only for those who may see names: else guessing reveals who was where.
    func participant() throws -> String? {
        guard let given = try text("participant") else { return nil }
        guard findsNames || ParticipantNames.isStandIn(given) else {
            throw APIError(
                .forbidden,
                ServerError(.forbidden, "without the scope \"names\" name a participant by its stand-in"))
        }
        return names.participant(given: given)
    }

    /// A part of a session, read by pages.
    func window(session: String, limit standard: Int, upTo most: Int) throws -> WindowQuery {
        var query = try part(of: session)
        query.limit = try limit(standard, upTo: most)
        query.cursor = try cursor()
        return query
    }

    private func part(of session: String) throws -> WindowQuery {
        var query = WindowQuery(session: session)
        query.connection = try text("connection")
        query.participant = try participant()
        query.stream = try text("stream")
        query.role = try value("role", of: StreamRole.allCases)
        query.observer = try value("observer", of: Observer.allCases)
        query.from = try time("from")
        query.to = try time("to")
        return query
    }

    private static func bad(_ name: String, _ problem: String) -> APIError {
        APIError(.badRequest, ServerError(.malformed, "the parameter \"\(name)\" \(problem)"))
    }
}
