// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import WebRTCStats

/// One member of one entry over time, as webrtc-internals keeps it.
struct InternalsSeries {
    var id: String
    var member: String
    var type: String
    var values: [StatsValue]
    /// Time of the first value, in Unix ms; `nil` if the document does not say.
    var start: Double?
    /// Time of the last value, in Unix ms; `nil` if the document does not say.
    var end: Double?

    /// Reads `"<id>-<member>": {"startTime":…,"endTime":…,"statsType":…,"values":"[…]"}`; `nil` if it is no such
    /// thing, or one that the page computed itself.
    init?(name: String, _ value: StatsValue, depth: Int) {
        // Computed ones are called `<id>-[…]`, with any character in the brackets.
        guard !name.hasSuffix("]"), let hyphen = name.lastIndex(of: "-"), hyphen > name.startIndex else {
            return nil
        }
        guard let type = value["statsType"]?.text, let values = Self.values(value["values"], depth) else {
            return nil
        }
        id = String(name[..<hyphen])
        member = String(name[name.index(after: hyphen)...])
        self.type = type
        self.values = values
        start = Self.time(value["startTime"])
        end = Self.time(value["endTime"])
    }

    private static func values(_ value: StatsValue?, _ depth: Int) -> [StatsValue]? {
        switch value {
        case .array(let values)?:
            return values
        case .string(let text)?:
            var limits = ParseLimits()
            limits.bytes = .max
            limits.depth = depth
            guard case .array(let values)? = try? StatsValue.parse(text.utf8, limits: limits) else {
                return nil
            }
            return values
        default:
            return nil
        }
    }

    /// A time as these documents write it, in Unix ms; `nil` for what is none.
    static func time(_ value: StatsValue?) -> Double? {
        if let number = value?.number { return LineContext.isTime(number) ? number : nil }
        guard let text = value?.text else { return nil }
        let date =
            (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: .iso8601))
        guard let date else { return nil }
        let time = (date.timeIntervalSince1970 * 1000).rounded()
        return LineContext.isTime(time) ? time : nil
    }
}
