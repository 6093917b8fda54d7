// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

@testable import SessionServer

/// Checks JSON against the schemas of the API's description; knows as much of JSON Schema as they use.
struct SchemaCheck {
    private let document: [String: Any]
    /// What is wrong, with where.
    private(set) var problems: [String] = []

    init() throws {
        let data = Data(OpenAPIDocument.json.utf8)
        document = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    /// Paths and their methods, such as `GET /readyz`.
    var operations: Set<String> {
        let paths = document["paths"] as? [String: [String: Any]] ?? [:]
        return Set(paths.flatMap { path, methods in methods.keys.map { "\($0.uppercased()) \(path)" } })
    }

    /// The scope that an operation says it wants.
    func scope(of method: String, _ path: String) -> String? {
        let paths = document["paths"] as? [String: [String: Any]]
        return (paths?[path]?[method] as? [String: Any])?["x-scope"] as? String
    }

    /// Parameters of an operation that are in the address.
    func parameters(of method: String, _ path: String) -> [String] {
        described(method, path).compactMap { $0["name"] as? String }
    }

    /// Values of parameters in the address that their schemas exclude.
    func impossible(of method: String, _ path: String) -> [(name: String, value: String)] {
        described(method, path).flatMap { parameter -> [(name: String, value: String)] in
            let schema = target(of: parameter["schema"] as? [String: Any] ?? [:]) ?? [:]
            let isText = schema["type"] as? String == "string" && schema["enum"] == nil
            var values = isText ? [] : ["x"]
            if let minimum = schema["minimum"] as? Int { values.append("\(minimum - 1)") }
            if let maximum = schema["maximum"] as? Int { values.append("\(maximum + 1)") }
            return values.map { (name: parameter["name"] as? String ?? "", value: $0) }
        }
    }

    private func described(_ method: String, _ path: String) -> [[String: Any]] {
        let paths = document["paths"] as? [String: [String: Any]]
        let list = (paths?[path]?[method] as? [String: Any])?["parameters"] as? [[String: Any]] ?? []
        return list.filter { $0["in"] as? String == "query" }
    }

    /// The schema that one refers to; itself if it does not, `nil` if there is none.
    private func target(of schema: [String: Any]) -> [String: Any]? {
        guard let reference = schema["$ref"] as? String else { return schema }
        let components = document["components"] as? [String: [String: Any]]
        let name = reference.split(separator: "/").last.map(String.init) ?? ""
        return components?["schemas"]?[name] as? [String: Any]
    }

    /// Checks a text against one of the schemas.
    mutating func check(_ json: [UInt8], _ name: String) throws {
        let value = try JSONSerialization.jsonObject(with: Data(json))
        check(value, ["$ref": "#/components/schemas/\(name)"], name)
    }

    private mutating func check(_ value: Any, _ schema: [String: Any], _ place: String) {
        if let reference = schema["$ref"] as? String {
            guard let target = target(of: schema) else {
                return problems.append("\(place): no schema \(reference)")
            }
            return check(value, target, place)
        }
        if let words = schema["enum"] as? [String], !words.contains(value as? String ?? "") {
            problems.append("\(place): \(value) is none of \(words)")
        }
        switch schema["type"] as? String {
        case "object": checkObject(value, schema, place)
        case "array":
            guard let items = value as? [Any] else { return problems.append("\(place): no array") }
            let inner = schema["items"] as? [String: Any] ?? [:]
            for (index, item) in items.enumerated() { check(item, inner, "\(place)[\(index)]") }
        case "string": if !(value is String) { problems.append("\(place): no string") }
        case "number", "integer", "boolean":
            if !(value is NSNumber) { problems.append("\(place): no number") }
        default: break
        }
    }

    private mutating func checkObject(_ value: Any, _ schema: [String: Any], _ place: String) {
        guard let members = value as? [String: Any] else { return problems.append("\(place): no object") }
        let known = schema["properties"] as? [String: [String: Any]] ?? [:]
        for name in schema["required"] as? [String] ?? [] where members[name] == nil {
            problems.append("\(place): \(name) is missing")
        }
        for (name, member) in members {
            if let inner = known[name] {
                check(member, inner, "\(place).\(name)")
            } else if let inner = schema["additionalProperties"] as? [String: Any] {
                check(member, inner, "\(place).\(name)")
            } else if schema["additionalProperties"] as? Bool == false {
                problems.append("\(place): \(name) is not described")
            }
        }
    }
}
