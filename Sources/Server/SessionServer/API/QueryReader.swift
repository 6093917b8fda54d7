// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Hummingbird
import SessionWire

/// What follows the path in a request's address, as far as its operation declares it; all else is ignored.
struct QueryReader {
    private let operation: APIOperation
    private let request: Request
    private let values: [String: String]
    private let names: ParticipantNames
    /// Whether people may be looked for by their names.
    private let findsNames: Bool

    init(_ request: Request, of operation: APIOperation, names: ParticipantNames, _ grant: APIGrant) {
        self.operation = operation
        self.request = request
        let pairs = request.uri.queryParameters.map { (String($0.key), String($0.value)) }
        values = Dictionary(pairs) { first, _ in first }
        self.names = names
        findsNames = grant.scopes.contains(.names)
    }

    func text(_ name: APIParameter.Name) throws -> String? {
        guard operation.query(name) != nil, let value = values[name.rawValue], !value.isEmpty else {
            return nil
        }
        guard value.utf8.count <= SessionProtocol.nameLimit else { throw Self.bad(name, "is too long") }
        return value
    }

    /// One of the words that it may be.
    func word(_ name: APIParameter.Name) throws -> String? {
        guard case .word(let words, _)? = operation.query(name)?.form else { return nil }
        return try word(name, of: words)
    }

    private func word(_ name: APIParameter.Name, of words: [String]) throws -> String? {
        guard let value = try text(name) else { return nil }
        guard words.contains(value) else {
            throw Self.bad(name, "must be one of \(words.joined(separator: ", "))")
        }
        return value
    }

    /// The same as a value of its vocabulary.
    func value<Word: VocabularyWord>(_ name: APIParameter.Name) throws -> Word? {
        try word(name).flatMap { Word(name: $0) }
    }

    /// Unix ms.
    func time(_ name: APIParameter.Name) throws -> Double? {
        guard let value = try text(name) else { return nil }
        guard let number = Double(value), number.isFinite else { throw Self.bad(name, "must be Unix ms") }
        return number
    }

    /// Whether comma-separated values are wanted, and not JSON.
    func wantsCSV() throws -> Bool { try wants(.csv, "text/csv") }

    /// Whether a recording is wanted, and not JSON.
    func wantsRecording() throws -> Bool { try wants(.recording, Response.recordingType) }

    private func wants(_ format: ExportFormat, _ type: String) throws -> Bool {
        try word(.format).map { $0 == format.rawValue }
            ?? (request.headers[.accept]?.contains(type) == true)
    }

    func flag(_ name: APIParameter.Name) throws -> Bool? {
        try word(name, of: ["true", "false"]).map { $0 == "true" }
    }

    /// At most how many are wanted; `nil` if the operation has no such limit.
    func limit() throws -> Int? {
        guard case .limit(let standard, let most)? = operation.query(.limit)?.form else { return nil }
        guard let value = try text(.limit) else { return standard }
        guard let number = Int(value), (1...most).contains(number) else {
            throw Self.bad(.limit, "must be 1 to \(most)")
        }
        return number
    }

    /// Where an earlier page ended; which store's it is only that store knows.
    func cursor() throws -> PageCursor? {
        guard let value = try text(.cursor) else { return nil }
        guard let cursor = PageCursor(rawValue: value) else { throw Self.noCursor }
        return cursor
    }

    static var noCursor: APIError { bad(.cursor, "is none of ours") }

    /// Pseudonym of a participant, given that or the name.
    ///
    /// The name only for those who may see names: else guessing reveals who was where.
    func participant() throws -> String? {
        guard let given = try text(.participant) else { return nil }
        guard findsNames || ParticipantNames.isStandIn(given) else {
            throw APIError(
                .forbidden,
                ServerError(.forbidden, "without the scope \"names\" name a participant by its stand-in"))
        }
        return names.participant(given: given)
    }

    /// A part of a session, by pages if it comes by pages.
    func window(_ session: String) throws -> WindowQuery {
        var query = WindowQuery(session: session)
        query.connection = try text(.connection)
        query.participant = try participant()
        query.stream = try text(.stream)
        query.role = try value(.role)
        query.observer = try value(.observer)
        query.from = try time(.from)
        query.to = try time(.to)
        query.limit = try limit() ?? query.limit
        query.cursor = try cursor()
        return query
    }

    private static func bad(_ name: APIParameter.Name, _ problem: String) -> APIError {
        APIError(.badRequest, ServerError(.malformed, "the parameter \"\(name.rawValue)\" \(problem)"))
    }
}
