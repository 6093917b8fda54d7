// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What of a description of the API a later one lacks, or asks for in addition: what clients of the earlier one trip over.
struct DescriptionChange {
    private typealias Object = [String: Any]

    private let old: [String: Any]
    private let new: [String: Any]
    /// What is wrong, with where.
    private(set) var problems: [String] = []
    private var seen: Set<String> = []

    /// Who says what a schema describes: who has to know all that is sent, or may leave things out.
    private enum Speaker: String {
        case client, server
    }

    init(from old: Any, to new: Any) {
        self.old = old as? Object ?? [:]
        self.new = new as? Object ?? [:]
        compareOperations(in: "paths", whoseBodiesAre: .client)
        // What the server posts.
        compareOperations(in: "webhooks", whoseBodiesAre: .server)
    }

    private mutating func compareOperations(in key: String, whoseBodiesAre speaker: Speaker) {
        let after = Self.objects(new[key])
        for (path, methods) in Self.objects(old[key]).sorted(by: { $0.key < $1.key }) {
            for (method, operation) in methods {
                let place = "\(method.uppercased()) \(path)"
                guard let now = after[path]?[method] as? Object else {
                    problems.append("\(place): no longer there")
                    continue
                }
                compare(Self.object(operation), now, whoseBodyIs: speaker, place)
            }
        }
    }

    private mutating func compare(
        _ was: Object, _ now: Object, whoseBodyIs speaker: Speaker, _ place: String
    ) {
        compareParameters(was, now, place)
        for (status, answer) in Self.objects(was["responses"]) {
            guard let other = Self.objects(now["responses"])[status] else {
                problems.append("\(place): no longer answered with \(status)")
                continue
            }
            compareContent(answer, other, .server, "\(place) \(status)")
        }
        let (body, other) = (Self.object(was["requestBody"]), Self.object(now["requestBody"]))
        compareContent(body, other, speaker, "\(place) body")
        if other["required"] as? Bool == true, body["required"] as? Bool != true {
            problems.append("\(place): wants a body now")
        }
    }

    private mutating func compareParameters(_ was: Object, _ now: Object, _ place: String) {
        func named(_ operation: Object) -> [String: Object] {
            let list = operation["parameters"] as? [Object] ?? []
            return Dictionary(list.map { ("\($0["in"] ?? "") \($0["name"] ?? "")", $0) }) { $1 }
        }
        let (before, after) = (named(was), named(now))
        for (name, parameter) in before {
            guard let other = after[name] else {
                problems.append("\(place): \(name) is no longer taken")
                continue
            }
            compareSchema(
                Self.object(parameter["schema"]), Self.object(other["schema"]), .client, "\(place) \(name)")
        }
        problems += after.filter {
            $1["required"] as? Bool == true && before[$0]?["required"] as? Bool != true
        }
        .keys.map { "\(place): \($0) has to be given now" }
    }

    private mutating func compareContent(_ was: Object, _ now: Object, _ speaker: Speaker, _ place: String) {
        for (type, form) in Self.objects(was["content"]) {
            guard let other = Self.objects(now["content"])[type] else {
                problems.append("\(place): no longer \(type)")
                continue
            }
            compareSchema(Self.object(form["schema"]), Self.object(other["schema"]), speaker, place)
        }
    }

    private mutating func compareSchema(_ was: Object, _ now: Object, _ speaker: Speaker, _ place: String) {
        if let name = Self.name(was), name == Self.name(now) {
            guard seen.insert("\(speaker) \(name)").inserted else { return }
        }
        let (was, now) = (Self.resolved(was, in: old), Self.resolved(now, in: new))
        if was["type"] as? String != now["type"] as? String { problems.append("\(place): another type") }
        compareWords(was, now, speaker, place)
        compareChoices(was, now, speaker, place)
        compareRequired(was, now, speaker, place)
        let members = Self.objects(now["properties"])
        for (name, member) in Self.objects(was["properties"]) {
            guard let other = members[name] else {
                problems.append("\(place).\(name): no longer there")
                continue
            }
            compareSchema(member, other, speaker, "\(place).\(name)")
        }
        compareSchema(of: "items", was, now, speaker, place)
        compareSchema(of: "additionalProperties", was, now, speaker, place)
    }

    private mutating func compareWords(_ was: Object, _ now: Object, _ speaker: Speaker, _ place: String) {
        guard let known = now["enum"] as? [String] else { return }
        guard let words = was["enum"] as? [String] else {
            if speaker == .client { problems.append("\(place): takes some words only now") }
            return
        }
        problems += Set(words).subtracting(known).sorted().map { "\(place): no longer \($0)" }
    }

    private mutating func compareChoices(_ was: Object, _ now: Object, _ speaker: Speaker, _ place: String) {
        for key in ["anyOf", "oneOf", "allOf"] {
            let (before, after) = (was[key] as? [Object] ?? [], now[key] as? [Object] ?? [])
            if after.count < before.count { problems.append("\(place): fewer of \(key)") }
            for (index, pair) in zip(before, after).enumerated() {
                compareSchema(pair.0, pair.1, speaker, "\(place).\(key)[\(index)]")
            }
        }
    }

    private mutating func compareSchema(
        of key: String, _ was: Object, _ now: Object, _ speaker: Speaker, _ place: String
    ) {
        guard let inner = was[key] as? Object else { return }
        compareSchema(inner, Self.object(now[key]), speaker, "\(place).\(key)")
    }

    private mutating func compareRequired(_ was: Object, _ now: Object, _ speaker: Speaker, _ place: String) {
        let (before, after) = (
            Set(was["required"] as? [String] ?? []), Set(now["required"] as? [String] ?? [])
        )
        switch speaker {
        case .client:
            problems += after.subtracting(before).map { "\(place).\($0): has to be given now" }
        case .server:
            problems += before.subtracting(after).map { "\(place).\($0): may be missing now" }
        }
    }

    private static func object(_ value: Any?) -> Object { value as? Object ?? [:] }

    private static func objects(_ value: Any?) -> [String: Object] {
        object(value).compactMapValues { $0 as? Object }
    }

    private static func name(_ schema: Object) -> String? {
        (schema["$ref"] as? String)?.split(separator: "/").last.map(String.init)
    }

    private static func resolved(_ schema: Object, in document: Object) -> Object {
        guard let name = name(schema) else { return schema }
        return objects(object(document["components"])["schemas"])[name] ?? [:]
    }
}
