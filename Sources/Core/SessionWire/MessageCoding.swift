// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

extension ServerMessage {
    /// The message as JSON.
    package func json() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }

    /// The beginning of a message with that ``seq``; ``unnumbered(_:)`` is the rest of it.
    ///
    /// Messages to many clients are encoded once, and numbered for each.
    package static func number(_ seq: Int) -> [UInt8] { Array("{\"seq\":\(seq),".utf8) }

    /// What the JSON of a message without ``seq`` has after its first brace.
    package static func unnumbered(_ json: [UInt8]) -> [UInt8] { Array(json.dropFirst()) }

    /// Reads a message.
    ///
    /// - Throws: `DecodingError`; for a type that only newer servers know, too. Clients leave such
    ///   messages out.
    package init(json: some Sequence<UInt8>) throws {
        self = try JSONDecoder().decode(ServerMessage.self, from: Data(json))
    }
}

extension ClientMessage {
    /// The message as JSON.
    package func json() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }

    /// Why a message could not be read.
    package struct Unreadable: Error, Sendable, Equatable {
        /// The message's id, if that much could be read.
        package var id: Int?
        /// The message's place among the client's, if that much could be read.
        package var seq: Int?
        /// What to answer.
        package var error: ServerError
    }

    /// Reads a message.
    ///
    /// - Throws: ``Unreadable`` with the code `malformed` or `tooLarge`; it repeats nothing of what the
    ///   message holds but the names of members.
    package init(json: some Sequence<UInt8>) throws(Unreadable) {
        // Where the bytes are: most of what comes is reports, and copying those takes as long as storing
        // them.
        let read = json.withContiguousStorageIfAvailable { Self.read($0) }
        self = try (read ?? Array(json).withUnsafeBufferPointer { Self.read($0) }).get()
    }

    private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<ClientMessage, Unreadable> {
        guard bytes.count <= SessionProtocol.messageLimit else {
            return .failure(Unreadable(id: nil, error: .tooLarge))
        }
        if let telemetry = ClientMessage(rawTelemetry: bytes) { return .success(telemetry) }
        let data = Data(bytes)
        do {
            return .success(try JSONDecoder().decode(ClientMessage.self, from: data))
        } catch {
            let envelope = try? JSONDecoder().decode(Envelope.self, from: data)
            return .failure(
                Unreadable(
                    id: envelope?.id, seq: envelope?.seq, error: ServerError(.malformed, describe(error))))
        }
    }

    private struct Envelope: Decodable {
        var id: Int?
        var seq: Int?
    }

    private static func describe(_ error: any Error) -> String {
        if let error = error as? ServerError { return error.message }
        guard let error = error as? DecodingError else {
            return "the message is no JSON object that can be read"
        }
        switch error {
        case .keyNotFound(let key, let context):
            return "\"\(path(context.codingPath + [key]))\" is missing"
        case .typeMismatch(_, let context) where !context.codingPath.isEmpty,
            .valueNotFound(_, let context) where !context.codingPath.isEmpty:
            return "\"\(path(context.codingPath))\" has the wrong type"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            return "\"\(path(context.codingPath))\" has a value that this version does not know"
        default: return "the message is no JSON object that can be read"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        String(keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".").prefix(128))
    }
}

extension ServerError {
    /// A message is longer than ``SessionProtocol/messageLimit``.
    package static let tooLarge = ServerError(
        .tooLarge, "a message may have \(SessionProtocol.messageLimit) bytes at most")
}
