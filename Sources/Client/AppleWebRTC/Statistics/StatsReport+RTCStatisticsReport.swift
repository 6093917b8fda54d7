// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import Foundation
import WebRTC
import WebRTCStats

extension StatsReport {
    /// Makes what WebRTC.framework reports a report of ours.
    ///
    /// Members keep their W3C names, units and values; times become Unix ms. A value that is neither number,
    /// text, list nor dictionary is omitted.
    public init(_ report: RTCStatisticsReport) {
        var builder = StatsReportBuilder()
        for entry in report.statistics.values.sorted(by: { $0.id < $1.id }) {
            builder.begin(type: entry.type, id: entry.id, timestamp: entry.timestamp_us / 1000)
            for (name, value) in entry.values.sorted(by: { $0.key < $1.key }) {
                guard let value = StatsValue(objectiveC: value) else { continue }
                builder.set(StatsReportBuilder.key(for: name), value)
            }
            builder.end()
        }
        self = builder.finish()
    }
}

extension StatsValue {
    /// Makes a value of an Objective-C object one of ours; `nil` for objects that statistics do not have.
    init?(objectiveC value: Any) {
        switch value {
        case let number as NSNumber: self.init(number)
        case let text as NSString: self = .string(String(describing: text))
        case let list as NSArray: self = .array(list.compactMap { StatsValue(objectiveC: $0) })
        case let map as NSDictionary:
            let members = map.compactMap { name, value in
                (name as? String).flatMap { name in
                    StatsValue(objectiveC: value).map { StatsMember(name: name, value: $0) }
                }
            }
            self = .object(members.sorted { $0.name < $1.name })
        default: return nil
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
#endif
