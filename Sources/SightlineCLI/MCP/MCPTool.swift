// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import WebRTCStats

/// A question that can be asked of a server: each is one request of its HTTP API, and only reads.
struct MCPTool: Sendable {
    /// An argument, and the parameter of the address that it becomes.
    struct Argument: Sendable {
        enum Kind: Sendable {
            case text
            case word([String])
            case flag
            /// A whole number from 1 to a bound; one that is usual where no one says.
            case limit(usual: Int, most: Int)
            /// Unix ms, or a date and time.
            case time
        }

        let name: String
        let kind: Kind
        let description: String
        /// Whether it is a part of the path, which cannot be omitted.
        var isInPath = false
    }

    /// Why a call cannot be carried out, in a sentence that says what to do.
    struct Refusal: Error, Equatable {
        let message: String
    }

    let name: String
    let title: String
    let description: String
    /// Of the API; `{session}` stands for the argument.
    let path: String
    let arguments: [Argument]

    /// Whether the answer comes in pages.
    var hasPages: Bool { arguments.contains { $0.name == "cursor" } }

    /// The address of the request for a call, without the server's.
    ///
    /// - Throws: ``Refusal`` if an argument is missing, unknown or not in order.
    func address(_ given: [StatsMember]) throws(Refusal) -> String {
        if let unknown = given.first(where: { one in !arguments.contains { $0.name == one.name } }) {
            let known = arguments.map(\.name).joined(separator: ", ")
            let given = unknown.name.cut(toBytes: 100)
            throw Refusal(message: "“\(given)” is no argument of \(name); there are: \(known).")
        }
        var path = path
        var query: [String] = []
        for argument in arguments {
            guard let text = try argument.text(given[argument.name]) else { continue }
            let encoded = Self.encoded(text)
            if argument.isInPath {
                path = path.replacing("{\(argument.name)}", with: encoded)
            } else {
                query.append("\(argument.name)=\(encoded)")
            }
        }
        return query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
    }

    /// As it stands in a path or query: nothing in it means anything there.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            return isPlain || [45, 46, 95].contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + String(UInt16(byte) + 256, radix: 16).dropFirst()
        }.joined()
    }

    /// As it is listed.
    var listing: StatsValue {
        let required = arguments.filter(\.isInPath).map { StatsValue.string($0.name) }
        var schema: [StatsMember] = [
            .init("type", "object"),
            .init("properties", .object(arguments.map { .init($0.name, $0.schema) })),
            .init("additionalProperties", .bool(false)),
        ]
        if !required.isEmpty { schema.append(.init("required", .array(required))) }
        return .object([
            .init("name", .string(name)), .init("title", .string(title)),
            .init("description", .string(description)), .init("inputSchema", .object(schema)),
            .init(
                "annotations",
                .object([
                    .init("readOnlyHint", .bool(true)), .init("openWorldHint", .bool(false)),
                    .init("idempotentHint", .bool(true)),
                ])),
        ])
    }
}

extension MCPTool.Argument {
    /// The value as an address has it; `nil` if it is not given.
    fileprivate func text(_ value: StatsValue?) throws(MCPTool.Refusal) -> String? {
        guard let value, value != .null else {
            if isInPath { throw refusal("is missing") }
            if case .limit(let usual, _) = kind { return "\(usual)" }
            return nil
        }
        switch kind {
        case .text:
            guard let text = value.text, !text.isEmpty, ![".", ".."].contains(text) else {
                throw refusal("must be a text")
            }
            return text
        case .word(let words):
            guard let text = value.text, words.contains(text) else {
                throw refusal("must be one of \(words.joined(separator: ", "))")
            }
            return text
        case .flag:
            guard let flag = value.flag else { throw refusal("must be true or false") }
            return "\(flag)"
        case .limit(_, let most):
            guard let number = value.number.flatMap({ Int(exactly: $0) }), (1...most).contains(number) else {
                throw refusal("must be a whole number, 1 to \(most)")
            }
            return "\(number)"
        case .time: return try time(value)
        }
    }

    private func time(_ value: StatsValue) throws(MCPTool.Refusal) -> String {
        if let number = value.number.flatMap({ Int64(exactly: $0.rounded()) }), number >= 0 {
            return "\(number)"
        }
        guard let date = value.text.flatMap(Self.date) else {
            throw refusal("must be Unix ms, or a time such as 2026-01-31T09:00:00Z")
        }
        return "\(Int64((date.timeIntervalSince1970 * 1000).rounded()))"
    }

    /// The time that a text is, as RFC 3339 has it.
    private static func date(_ text: String) -> Date? {
        let form = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)/
        guard let match = text.wholeMatch(of: form) else { return nil }
        // The parser takes February 31 for a day of March: what is no time is not the same when it is written again.
        let clock = "\(text.prefix(19))Z"
        guard let time = try? Date(clock, strategy: .iso8601), time.formatted(.iso8601) == clock else {
            return nil
        }
        return try? Date(
            text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: match.output.1 != nil))
    }

    private func refusal(_ problem: String) -> MCPTool.Refusal {
        MCPTool.Refusal(message: "The argument “\(name)” \(problem).")
    }

    fileprivate var schema: StatsValue {
        var members: [StatsMember] =
            switch kind {
            case .text: [.init("type", "string")]
            case .word(let words):
                [.init("type", "string"), .init("enum", .array(words.map { .string($0) }))]
            case .flag: [.init("type", "boolean")]
            case .limit(let usual, let most):
                [
                    .init("type", "integer"), .init("minimum", .int(1)), .init("maximum", .int(Int64(most))),
                    .init("default", .int(Int64(usual))),
                ]
            case .time: [.init("type", .array([.string("number"), .string("string")]))]
            }
        members.append(.init("description", .string(description)))
        return .object(members)
    }
}

extension StatsMember {
    init(_ name: String, _ value: StatsValue) { self.init(name: name, value: value) }
    init(_ name: String, _ text: String) { self.init(name: name, value: .string(text)) }
}
