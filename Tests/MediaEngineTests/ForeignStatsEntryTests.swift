// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import MediaEngine
import Testing
import WebRTCStats

@Suite("Statistics of any build of WebRTC")
struct ForeignStatsEntryTests {
    @Test("values of Foundation and of Swift mean the same, and what statistics do not have is omitted")
    func values() {
        let swift: [String: Any] = [
            "kind": "video", "packetsSent": 12, "active": true, "targetBitrate": 250_000.5,
            "qualityLimitationDurations": ["cpu": 1.5, "none": 2], "bytesSent": UInt64.max,
        ]
        let foundation: [String: Any] = [
            "kind": NSString(string: "video"), "packetsSent": NSNumber(value: 12),
            "active": NSNumber(value: true), "targetBitrate": NSNumber(value: 250_000.5),
            "qualityLimitationDurations": NSDictionary(
                objects: [NSNumber(value: 1.5), NSNumber(value: 2)],
                forKeys: [NSString(string: "cpu"), NSString(string: "none")]),
            "bytesSent": NSNumber(value: UInt64.max), "mid": NSDate(), "rid": NSNull(),
        ]
        let reports = [swift, foundation].map { values in
            StatsReport([
                ForeignStatsEntry(id: "O", type: "outbound-rtp", timestamp: 1_700_000_000_000, values: values)
            ])
        }
        for report in reports {
            let stream = report.outboundRTP.first
            #expect(report.timestamp == 1_700_000_000_000)
            #expect(stream?.kind == .video)
            #expect(stream?.packetsSent == 12)
            #expect(stream?.active == true)
            #expect(stream?.targetBitrate == 250_000.5)
            #expect(stream?.bytesSent == UInt64.max)
            #expect(stream?.mid == nil && stream?.rid == nil)
        }
        #expect(reports[0].outboundRTP == reports[1].outboundRTP)
    }
}
