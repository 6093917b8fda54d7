// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import HTTPTypes
import WebRTCStats

@testable import SessionServer

/// What the description says of the API's operations because they are declared so.
enum DescribedOperations {
    /// The API's description with its operations, and no others.
    ///
    /// It keeps what no declaration says: summaries, bodies and answers.
    static func describe(_ document: StatsValue) -> StatsValue {
        document.changing("paths") { former in
            let paths = APIOperation.all.reduce(former ?? .object([])) { paths, operation in
                paths.changing(operation.path) { methods in
                    (methods ?? .object([])).changing(operation.key) { operation.schema(keeping: $0) }
                }
            }
            return declared(paths)
        }
    }

    /// What it says of an operation; `nil` if it says nothing.
    static func said(of operation: APIOperation, in document: StatsValue) -> StatsValue? {
        document["paths"]?[operation.path]?[operation.key]
    }

    private static func declared(_ paths: StatsValue) -> StatsValue {
        let keys = Dictionary(grouping: APIOperation.all, by: \.path).mapValues { Set($0.map(\.key)) }
        return .object(
            paths.members.compactMap { path in
                keys[path.name].map { methods in
                    StatsMember(
                        name: path.name,
                        value: .object(path.value.members.filter { methods.contains($0.name) }))
                }
            })
    }
}

extension APIOperation {
    /// Members of a description that follow from the declaration.
    private static let keys: Set = ["operationId", "parameters", "security", "x-scope"]

    fileprivate var key: String { method.rawValue.lowercased() }

    fileprivate func schema(keeping former: StatsValue?) -> StatsValue {
        .object(said, keeping: former, without: Self.keys)
    }

    private var said: [StatsMember] {
        var said = [StatsMember(name: "operationId", value: .string(id))]
        if !parameters.isEmpty {
            said.append(.init(name: "parameters", value: .array(parameters.map(\.schema))))
        }
        let security = access.schemes.map { StatsValue.object([.init(name: $0, value: .array([]))]) }
        said.append(.init(name: "security", value: .array(security)))
        if let scope = access.scope { said.append(.init(name: "x-scope", value: .string(scope.rawValue))) }
        return said
    }
}

extension APIOperation.Access {
    /// The names of the description's security schemes that open it; none if nothing is needed.
    fileprivate var schemes: [String] {
        switch self {
        case .everyone: []
        case .application: ["application"]
        case .anyToken, .scope: ["token", "cookie", "application"]
        case .participant: ["token"]
        case .participantOrApplication: ["token", "application"]
        }
    }

    /// The scope of the tokens that open it; `nil` if none do, or any.
    fileprivate var scope: APIScope? {
        switch self {
        case .everyone, .application, .anyToken: nil
        case .scope(let scope): scope
        case .participant, .participantOrApplication: .observe
        }
    }
}

extension APIParameter {
    fileprivate var schema: StatsValue {
        var members = [
            StatsMember(name: "name", value: .string(name.rawValue)),
            .init(name: "in", value: .string(place.rawValue)),
        ]
        if isRequired { members.append(.init(name: "required", value: .bool(true))) }
        members.append(.init(name: "schema", value: .object(form.schema)))
        if let meaning { members.append(.init(name: "description", value: .string(meaning))) }
        return .object(members)
    }
}

extension APIParameter.Form {
    fileprivate var schema: [StatsMember] {
        switch self {
        case .text, .cursor: [Self.type("string")]
        case .time: [Self.type("number")]
        case .flag: [Self.type("boolean")]
        case .word(_, let schema?):
            [.init(name: "$ref", value: .string("#/components/schemas/\(schema)"))]
        case .word(let words, nil):
            [Self.type("string"), .init(name: "enum", value: .array(words.map(StatsValue.string)))]
        case .limit(_, let most):
            [
                Self.type("integer"), .init(name: "minimum", value: .int(1)),
                .init(name: "maximum", value: .int(Int64(most))),
            ]
        case .index: [Self.type("integer"), .init(name: "minimum", value: .int(0))]
        }
    }

    private static func type(_ name: String) -> StatsMember { .init(name: "type", value: .string(name)) }
}
