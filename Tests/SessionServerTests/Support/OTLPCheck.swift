// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation

/// Checks requests of the OpenTelemetry protocol: the names and types of their members, as opentelemetry-proto 1 has them in
/// JSON, and what its comments ask of the values, also from one request to the next.
struct OTLPCheck {
    /// What is wrong, with where.
    private(set) var problems: [String] = []
    /// Totals by their series: since when, at what time, and how much.
    private var totals: [String: (since: UInt64, time: UInt64, value: Double)] = [:]
    /// The points of the last request by their series.
    private(set) var points: [String: Double] = [:]

    /// Members of each message by their types; `[…]` is a list.
    private static let messages: [String: [String: String]] = [
        "v1/metrics": ["resourceMetrics": "[ResourceMetrics]"],
        "ResourceMetrics": [
            "resource": "Resource", "scopeMetrics": "[ScopeMetrics]", "schemaUrl": "string",
        ],
        "Resource": ["attributes": "[KeyValue]", "droppedAttributesCount": "int"],
        "ScopeMetrics": ["scope": "Scope", "metrics": "[Metric]", "schemaUrl": "string"],
        "Scope": [
            "name": "string", "version": "string", "attributes": "[KeyValue]",
            "droppedAttributesCount": "int",
        ],
        "KeyValue": ["key": "string", "value": "AnyValue"],
        "AnyValue": [
            "stringValue": "string", "intValue": "int64", "doubleValue": "double", "boolValue": "bool",
        ],
        "Metric": [
            "name": "string", "description": "string", "unit": "string", "gauge": "Gauge", "sum": "Sum",
            "histogram": "Histogram",
        ],
        "Gauge": ["dataPoints": "[NumberDataPoint]"],
        "Sum": [
            "dataPoints": "[NumberDataPoint]", "aggregationTemporality": "int", "isMonotonic": "bool",
        ],
        "Histogram": ["dataPoints": "[HistogramDataPoint]", "aggregationTemporality": "int"],
        "NumberDataPoint": [
            "attributes": "[KeyValue]", "startTimeUnixNano": "int64", "timeUnixNano": "int64",
            "asInt": "int64", "asDouble": "double", "flags": "int",
        ],
        "HistogramDataPoint": [
            "attributes": "[KeyValue]", "startTimeUnixNano": "int64", "timeUnixNano": "int64",
            "count": "int64", "sum": "double", "bucketCounts": "[int64]", "explicitBounds": "[double]",
            "flags": "int", "min": "double", "max": "double",
        ],
        "v1/traces": ["resourceSpans": "[ResourceSpans]"],
        "ResourceSpans": ["resource": "Resource", "scopeSpans": "[ScopeSpans]", "schemaUrl": "string"],
        "ScopeSpans": ["scope": "Scope", "spans": "[Span]", "schemaUrl": "string"],
        "Span": [
            "traceId": "hex16", "spanId": "hex8", "traceState": "string", "parentSpanId": "hex8",
            "flags": "int", "name": "string", "kind": "int", "startTimeUnixNano": "int64",
            "endTimeUnixNano": "int64", "attributes": "[KeyValue]", "droppedAttributesCount": "int",
            "events": "[Event]", "droppedEventsCount": "int", "status": "Status",
        ],
        "Event": [
            "timeUnixNano": "int64", "name": "string", "attributes": "[KeyValue]",
            "droppedAttributesCount": "int",
        ],
        "Status": ["message": "string", "code": "int"],
    ]

    /// Checks a request, and what it adds to those before.
    mutating func check(_ request: HTTPReceiver.Request) throws {
        let path = String(request.path.drop { $0 == "/" })
        guard path.hasPrefix("v1/"), Self.messages[path] != nil else {
            return problems.append("\(request.path) takes nothing")
        }
        if request.headers["content-type"] != "application/json" {
            problems.append("\(path): content type \(request.headers["content-type"] ?? "none")")
        }
        check(try JSONSerialization.jsonObject(with: Data(request.body)), path, path)
    }

    private mutating func check(_ value: Any, _ type: String, _ place: String) {
        if type.hasPrefix("[") {
            guard let list = value as? [Any] else { return problems.append("\(place): no list") }
            let inner = String(type.dropFirst().dropLast())
            for (index, one) in list.enumerated() { check(one, inner, "\(place)[\(index)]") }
            return
        }
        guard let members = Self.messages[type] else {
            if !Self.isScalar(value, type) { problems.append("\(place): \(value) is no \(type)") }
            return
        }
        guard let object = value as? [String: Any] else { return problems.append("\(place): no \(type)") }
        for (name, one) in object {
            guard let type = members[name] else {
                problems.append("\(place): no \(name) in \(type)")
                continue
            }
            check(one, type, "\(place).\(name)")
        }
        switch type {
        case "Metric": checkMetric(object, place)
        case "AnyValue" where object.count != 1: problems.append("\(place): not one value")
        case "KeyValue" where (object["key"] as? String ?? "").isEmpty: problems.append("\(place): no key")
        case "Span": checkSpan(object, place)
        default: break
        }
    }

    private static func isScalar(_ value: Any, _ type: String) -> Bool {
        switch type {
        case "string": value is String
        case "bool": value is Bool
        case "int": value is Int
        case "double": value is Double || ["NaN", "Infinity", "-Infinity"].contains(value as? String)
        case "int64": (value as? String).flatMap { Int64($0) } != nil
        case "hex16": isID(value, bytes: 16)
        case "hex8": isID(value, bytes: 8)
        default: false
        }
    }

    /// An id is hexadecimal digits, and not all zero.
    private static func isID(_ value: Any, bytes: Int) -> Bool {
        let text = value as? String ?? ""
        return text.count == 2 * bytes && text.allSatisfy(\.isHexDigit) && text.contains { $0 != "0" }
    }
}

// MARK: - Values

extension OTLPCheck {
    private mutating func checkMetric(_ metric: [String: Any], _ place: String) {
        let name = metric["name"] as? String ?? ""
        let kinds = ["sum", "gauge", "histogram"].filter { metric[$0] != nil }
        guard !name.isEmpty, kinds.count == 1, let data = metric[kinds[0]] as? [String: Any],
            let list = data["dataPoints"] as? [[String: Any]], !list.isEmpty
        else { return problems.append("\(place): \(name) has no data of one kind") }
        if kinds != ["gauge"], data["aggregationTemporality"] as? Int != 2 {
            problems.append("\(place): \(name) is not cumulative")
        }
        var seen: Set<String> = []
        for point in list {
            let series = name + Self.labels(point)
            if !seen.insert(series).inserted { problems.append("\(place): \(series) comes twice") }
            checkPoint(point, series, isTotal: kinds == ["histogram"] || data["isMonotonic"] as? Bool == true)
        }
    }

    private static func labels(_ point: [String: Any]) -> String {
        let pairs = (point["attributes"] as? [[String: Any]] ?? []).map { attribute in
            let value = (attribute["value"] as? [String: Any])?.values.first
            return "\(attribute["key"] ?? "")=\(value ?? "")"
        }
        return "{\(pairs.joined(separator: ","))}"
    }

    private mutating func checkPoint(_ point: [String: Any], _ series: String, isTotal: Bool) {
        func whole(_ name: String) -> UInt64? { (point[name] as? String).flatMap { UInt64($0) } }
        if let buckets = (point["bucketCounts"] as? [String])?.compactMap({ UInt64($0) }) {
            let bounds = point["explicitBounds"] as? [Double] ?? []
            if buckets.count != bounds.count + 1 || zip(bounds, bounds.dropFirst()).contains(where: >=)
                || buckets.reduce(0, +) != whole("count")
            {
                problems.append("\(series): buckets that do not add up")
            }
        }
        let value = (whole("count") ?? whole("asInt")).map { Double($0) } ?? point["asDouble"] as? Double
        guard let value, let time = whole("timeUnixNano"), time > 0 else {
            return problems.append("\(series): no value or time")
        }
        points[series] = value
        guard isTotal else { return }
        let since = whole("startTimeUnixNano") ?? 0
        if since == 0 || since > time { problems.append("\(series): counted from \(since) to \(time)") }
        if let before = totals[series], before.since == since {
            if value < before.value { problems.append("\(series): fell from \(before.value) to \(value)") }
            if time < before.time { problems.append("\(series): its time fell") }
        }
        totals[series] = (since, time, value)
    }

    private mutating func checkSpan(_ span: [String: Any], _ place: String) {
        func time(_ name: String) -> UInt64? { (span[name] as? String).flatMap { UInt64($0) } }
        guard let start = time("startTimeUnixNano"), let end = time("endTimeUnixNano"), start <= end,
            span["traceId"] != nil, span["spanId"] != nil, span["name"] as? String != ""
        else { return problems.append("\(place): no whole span") }
        if !(1...5).contains(span["kind"] as? Int ?? 0) { problems.append("\(place): no kind") }
    }
}
