// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import WebRTCStats

/// One entry of a report as any build of WebRTC for Apple's systems hands it over, whatever its module and the prefix of
/// its classes.
///
/// With `import WebRTC`, `import LiveKitWebRTC` or another module of the app's:
///
/// ```swift
/// StatsReport(report.statistics.values.map {
///     ForeignStatsEntry(id: $0.id, type: $0.type, timestamp: $0.timestamp_us / 1000, values: $0.values)
/// })
/// ```
public struct ForeignStatsEntry {
    /// Id of the entry in its report.
    public var id: String
    /// W3C name of the type, such as `inbound-rtp`.
    public var type: String
    /// Unix ms.
    public var timestamp: Double
    /// Members by their W3C names: numbers, text, lists and dictionaries of Foundation.
    public var values: [String: Any]

    /// Describes an entry.
    public init(id: String, type: String, timestamp: Double, values: [String: Any]) {
        self.id = id
        self.type = type
        self.timestamp = timestamp
        self.values = values
    }
}

extension StatsReport {
    /// Makes a report of entries in any order.
    ///
    /// Members keep their W3C names, units and values. A value that is neither number, text, list nor dictionary is
    /// omitted.
    public init(_ entries: some Sequence<ForeignStatsEntry>) {
        var builder = StatsReportBuilder()
        for entry in entries.sorted(by: { $0.id < $1.id }) {
            builder.begin(type: entry.type, id: entry.id, timestamp: entry.timestamp)
            for (name, value) in entry.values.sorted(by: { $0.key < $1.key }) {
                guard let value = StatsValue(foreign: value) else { continue }
                builder.set(StatsReportBuilder.key(for: name), value)
            }
            builder.end()
        }
        self = builder.finish()
    }
}

extension StatsValue {
    /// Makes a value of an object of Foundation or a value of Swift one of ours; `nil` for what statistics do not have.
    fileprivate init?(foreign value: Any) {
        switch value {
        case let number as NSNumber: self.init(number)
        case let flag as Bool: self = .bool(flag)
        case let number as any BinaryInteger: self.init(number)
        case let number as any BinaryFloatingPoint: self = .double(Double(number))
        case let text as String: self = .string(text)
        case let text as NSString: self = .string(String(describing: text))
        case let list as [Any]: self = .array(list.compactMap { StatsValue(foreign: $0) })
        case let list as NSArray: self = .array(list.compactMap { StatsValue(foreign: $0) })
        case let map as [String: Any]: self = .object(Self.members(map.lazy.map { ($0, $1) }))
        case let map as NSDictionary: self = .object(Self.members(map.lazy.map { ($0, $1) }))
        default: return nil
        }
    }

    private static func members(_ pairs: some Sequence<(Any, Any)>) -> [StatsMember] {
        let members = pairs.compactMap { name, value in
            (name as? String).flatMap { name in
                StatsValue(foreign: value).map { StatsMember(name: name, value: $0) }
            }
        }
        return members.sorted { $0.name < $1.name }
    }

    private init(_ number: any BinaryInteger) {
        if let whole = Int64(exactly: number) {
            self = .int(whole)
        } else if let whole = UInt64(exactly: number) {
            self.init(whole)
        } else {
            self = .double(Double(number))
        }
    }

    private init(_ number: NSNumber) {
        switch String(cString: number.objCType) {
        case "c", "B": self = .bool(number.boolValue)
        case "f", "d": self = .double(number.doubleValue)
        case "Q": self.init(number.uint64Value)
        default: self = .int(number.int64Value)
        }
    }
}
