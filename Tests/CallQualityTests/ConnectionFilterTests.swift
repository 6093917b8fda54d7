// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Testing

@Suite("A relayed stream's observation, by connection")
struct ConnectionFilterTests {
    @Test("A warning about one subscriber's connection is not shown of another's")
    func warnings() {
        let ann = SubscriberConnection(connectionId: "c-ann", subscriberId: "s-ann")
        let ben = SubscriberConnection(connectionId: "c-ben", subscriberId: "s-ben")
        let lossy = CallQualityWarning(
            kind: .highOutboundPacketLoss, phase: .trigger, media: .video, direction: .outbound,
            connectionId: ann.connectionId)
        let silent = CallQualityWarning(kind: .silentMicrophone, phase: .trigger, media: .audio)
        let observation = PublisherObservation(
            timestamp: 0, events: [.callQuality(lossy), .callQuality(silent)])
        #expect(observation.filtered(to: ann).events == [.callQuality(lossy), .callQuality(silent)])
        #expect(observation.filtered(to: ben).events == [.callQuality(silent)])
    }
}
