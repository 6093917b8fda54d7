// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Foundation
import Testing

@Suite("Words and numbers")
struct VocabularyTests {
    @Test("Raw values are the vendors'")
    func rawValues() {
        #expect(NetworkCondition.allCases.map(\.rawValue) == Array(0...5))
        #expect(NetworkReason.allCases.map(\.rawValue) == Array(0...5))
        #expect(NetworkDegradationSource.allCases.map(\.rawValue) == Array(0...5))
        #expect(VideoEventReason.allCases.map(\.rawValue) == Array(0...10))
    }

    @Test("Enumerations are written as their names, nil members not at all, and read back equal")
    func coding() throws {
        var stats = SubscriberMediaLinkStats()
        stats.transport.networkCondition = .excellent
        stats.networkDegradationSource = .bothOrUnclear
        let text = try JSONEncoder().encode(stats)
        let object = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
        #expect(object["networkDegradationSource"] as? String == "bothOrUnclear")
        #expect((object["transport"] as? [String: Any])?["networkCondition"] as? String == "excellent")
        #expect(object["remotePublisherTransport"] == nil && object.count == 2)
        #expect(try JSONDecoder().decode(SubscriberMediaLinkStats.self, from: text) == stats)
    }

    @Test("A name that no case has is an error")
    func unknownName() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([NetworkCondition].self, from: Data(#"["superb"]"#.utf8))
        }
    }

    @Test("An observation survives JSON")
    func observation() throws {
        var call = ScriptedCall.simulcastPublisher()
        var observer = PublisherObserver()
        for _ in 0..<3 {
            call.advance(1)
            let seen = observer.handle(call.report(), intent: .simulcast())
            let text = try JSONEncoder().encode(seen)
            #expect(try JSONDecoder().decode(PublisherObservation.self, from: text) == seen)
        }
    }
}
