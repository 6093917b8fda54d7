// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@Suite("Figures of a tick")
struct FigureTests {
    @Test("Audio is measured over the tick: level, concealment after the first packet, waiting time")
    func sound() throws {
        var call = ScriptedCall.subscriber()
        call.received[0].concealment = 0.03
        var observer = SubscriberObserver()
        call.advance(1)
        #expect(try #require(observer.handle(call.report()).audio).concealment == nil)
        call.advance(1)
        let audio = try #require(observer.handle(call.report()).audio)
        #expect(abs((audio.audioLevel ?? 0) - 0.2) < 1e-6)
        #expect(abs((audio.concealment ?? 0) - 0.03) < 1e-3)
        #expect(abs((audio.jitterBufferDelay ?? 0) - 0.04) < 1e-6)
        #expect(audio.codec == "opus")
    }

    @Test("The uplink's estimate is the pair's, the downlink's is the leg's sender's")
    func estimates() throws {
        var call = ScriptedCall.subscriber()
        call.estimate = 300_000
        var observer = SubscriberObserver()
        var remote = RemoteMetrics(leg: Aged(SenderMetrics(estimatedBandwidth: 2_000_000), age: 1))
        call.advance(1)
        let seen = observer.handle(call.report(), remote: remote)
        #expect(seen.transport.connectionEstimatedBandwidth == 2_000_000)
        #expect(seen.video != nil && seen.senderStats == nil)
        remote.senderStatsTrack = true
        remote.leg?.value.maximumAllocatedBitrate = 4_000_000
        remote.publisher = Aged(PublisherMetrics(transport: TransportStats(roundTripTime: 0.1)), age: 3)
        call.advance(1)
        let shown = observer.handle(call.report(), remote: remote)
        #expect(shown.senderStats?.connectionEstimatedBandwidth == 2_000_000)
        #expect(shown.senderStats?.connectionMaxAllocatedBitrate == 4_000_000)
        #expect(shown.remotePublisherTransport?.roundTripTime == 0.1)
    }

    @Test("Facts older than six seconds count as absent")
    func oldFacts() throws {
        var call = ScriptedCall.subscriber()
        var observer = SubscriberObserver()
        let remote = RemoteMetrics(
            senderStatsTrack: true, publisher: Aged(PublisherMetrics(transport: TransportStats()), age: 6.1),
            leg: Aged(SenderMetrics(estimatedBandwidth: 1), age: .nan))
        call.advance(1)
        let seen = observer.handle(call.report(), remote: remote)
        #expect(seen.transport.connectionEstimatedBandwidth == nil)
        #expect(seen.remotePublisherTransport == nil && seen.senderStats == nil)
    }

    @Test("Demand counts enabled layers only, and is unknown where a maximum is")
    func demand() throws {
        var call = ScriptedCall.simulcastPublisher()
        var observer = PublisherObserver()
        func demand(_ intent: MediaIntent) -> Double? {
            call.advance(1)
            return observer.handle(call.report(), intent: intent).legs.first?.transport.bandwidthDemand
        }
        #expect(demand(.simulcast()) == 2_192_000)
        #expect(demand(.simulcast(f: false)) == 692_000)
        var cameraOff = MediaIntent.simulcast()
        cameraOff.video?.isCapturing = false
        #expect(demand(cameraOff) == 32_000)
        var vague = MediaIntent.simulcast()
        vague.video?.layers?[0].maximumBitrate = nil
        #expect(demand(vague) == nil)
        // What no one says is read off the report: the encoders' targets.
        #expect(demand(MediaIntent()) == 2_112_000)
    }
}
