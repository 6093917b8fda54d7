// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import WebRTCStats

/// Turns the engine's statistics objects into a report, one after the other.
package struct StatsWalk {
    private var names = StatsNames.known()
    private var builder = StatsReportBuilder()

    /// Begins a report.
    package init() {}

    /// Adds an object; nothing of it is kept.
    package mutating func add(
        type: UnsafePointer<CChar>, id: UnsafePointer<CChar>, timestamp: Double,
        members: UnsafeBufferPointer<sl_stats_member>
    ) {
        builder.begin(type: names.type(type), id: String(cString: id), timestamp: timestamp)
        for member in members {
            guard let name = member.name, let value = Self.value(of: member) else { continue }
            builder.set(names.member(name), value)
        }
        builder.end()
    }

    /// The report of all that was added.
    package mutating func finish() -> StatsReport {
        names.keep()
        return builder.finish()
    }

    /// `nil` for a kind this version does not know.
    private static func value(of member: sl_stats_member) -> StatsValue? {
        switch Int(member.kind) {
        case SL_STATS_BOOL: .bool(member.int_value != 0)
        case SL_STATS_INT: .int(member.int_value)
        case SL_STATS_UINT: Int64(exactly: member.uint_value).map(StatsValue.int) ?? .uint(member.uint_value)
        case SL_STATS_DOUBLE: .double(member.double_value)
        case SL_STATS_STRING, SL_STATS_JSON: text(of: member).map(StatsValue.string)
        case SL_STATS_NUMBER_MAP: .object(zip(keys(of: member), numbers(of: member)).map(pair))
        case SL_STATS_STRING_LIST: .array(keys(of: member).map(StatsValue.string))
        case SL_STATS_NUMBER_LIST: .array(numbers(of: member).map(StatsValue.double))
        default: nil
        }
    }

    private static func pair(_ key: String, _ number: Double) -> StatsMember {
        StatsMember(name: key, value: .double(number))
    }

    private static func text(of member: sl_stats_member) -> String? {
        guard let text = member.text else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: text, count: member.text_length), as: UTF8.self)
    }

    private static func keys(of member: sl_stats_member) -> [String] {
        UnsafeBufferPointer(start: member.keys, count: member.keys == nil ? 0 : member.count)
            .map { $0.map { String(cString: $0) } ?? "" }
    }

    private static func numbers(of member: sl_stats_member) -> [Double] {
        Array(UnsafeBufferPointer(start: member.numbers, count: member.numbers == nil ? 0 : member.count))
    }
}
