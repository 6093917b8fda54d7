// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@Suite("Layers")
struct LayerTests {
    /// Not `.none`, which would be an Optional's.
    private static let unlimited = QualityLimitationReason.none

    /// Runs a call for some seconds and returns the last tick's layers.
    static func layers(
        _ call: inout ScriptedCall, _ observer: inout PublisherObserver, seconds: Int = 1,
        intent: MediaIntent = .simulcast()
    ) -> [LayerObservation] {
        var layers: [LayerObservation] = []
        for _ in 0..<seconds {
            call.advance(1)
            layers = observer.handle(call.report(), intent: intent).legs.first?.layers ?? []
        }
        return layers
    }

    @Test("A call that makes ever new layers has few of them")
    func bounded() {
        var observer = PublisherObserver()
        for second in 0..<100 {
            var report = StatsReport(timestamp: 1_700_000_000_000 + Double(second) * 1000)
            report.outboundRTP = (0..<10).map { index in
                var entry = OutboundRTPStats(id: "\(second)/\(index)", timestamp: report.timestamp)
                entry.kind = .video
                entry.rid = entry.id
                entry.bytesSent = 1000
                return entry
            }
            let layers = observer.handle(report).legs.first?.layers
            #expect((1...16).contains(layers?.count ?? 0))
        }
    }

    @Test("Configured layers are listed small to large, with their own figures")
    func order() {
        var call = ScriptedCall.simulcastPublisher()
        call.sent.shuffle()
        var observer = PublisherObserver()
        let layers = Self.layers(&call, &observer, seconds: 2)
        #expect(layers.map(\.figures.rid) == ["q", "h", "f"])
        #expect(layers.map(\.figures.width) == [320, 640, 1280])
        #expect(layers.map(\.figures.enabled) == [true, true, true])
        #expect(layers.map(\.figures.sending) == [true, true, true])
        #expect(layers.map(\.figures.bitrate) == [160_000, 480_000, 1_440_000])
        #expect(layers.map(\.totalBitrate) == [163_200, 489_600, 1_468_800])
        #expect(layers.map(\.codec) == ["VP8", "VP8", "VP8"])
        #expect(layers.map(\.qualityLimitationReason) == [Self.unlimited, Self.unlimited, Self.unlimited])
        #expect(layers.allSatisfy { abs(($0.figures.frameRate ?? 0) - 30) < 1.1 })
    }

    @Test("Without an intent layers are ordered by what was encoded")
    func orderWithoutIntent() {
        var call = ScriptedCall.simulcastPublisher()
        call.sent.reverse()
        var observer = PublisherObserver()
        #expect(Self.layers(&call, &observer, intent: MediaIntent()).map(\.figures.rid) == ["q", "h", "f"])
    }

    @Test("A layer that the network starves is enabled and not sending; the limit is its, not the others'")
    func starved() {
        var call = ScriptedCall.simulcastPublisher()
        var observer = PublisherObserver()
        _ = Self.layers(&call, &observer, seconds: 3)
        call.sent[3].isActive = false
        for index in call.sent.indices { call.sent[index].limitation = .bandwidth }
        let layers = Self.layers(&call, &observer, seconds: 2)
        #expect(layers.map(\.figures.enabled) == [true, true, true])
        #expect(layers.map(\.figures.sending) == [true, true, false])
        #expect(layers.map(\.qualityLimitationReason) == [Self.unlimited, Self.unlimited, .bandwidth])
        #expect(layers[2].figures.frameRate == 0 && layers[2].figures.bitrate == 0)
    }

    @Test("A layer that no one wants is not limited, whatever the encoder says")
    func unwanted() {
        var call = ScriptedCall.simulcastPublisher()
        var observer = PublisherObserver()
        let intent = MediaIntent.simulcast(f: false)
        _ = Self.layers(&call, &observer, seconds: 3, intent: intent)
        call.sent[3].isActive = false
        let change = Self.layers(&call, &observer, intent: intent)
        #expect(change.map(\.qualityLimitationReason) == [Self.unlimited, Self.unlimited, .layerChange])
        let settled = Self.layers(&call, &observer, intent: intent)
        #expect(settled.map(\.figures.enabled) == [true, true, false])
        #expect(settled.map(\.figures.sending) == [true, true, false])
        #expect(settled.map(\.qualityLimitationReason) == [Self.unlimited, Self.unlimited, Self.unlimited])
        for index in call.sent.indices { call.sent[index].limitation = .bandwidth }
        let limited = Self.layers(&call, &observer, intent: intent)
        #expect(limited.map(\.qualityLimitationReason) == [Self.unlimited, .bandwidth, Self.unlimited])
    }

    @Test(
        "A smaller frame than configured is the encoder's limit; the tick of the change without one says so"
    )
    func downscaled() {
        var call = ScriptedCall.simulcastPublisher()
        var observer = PublisherObserver()
        _ = Self.layers(&call, &observer, seconds: 2)
        call.sent[3].size = (960, 540)
        let changed = Self.layers(&call, &observer)
        #expect(changed.map(\.qualityLimitationReason) == [Self.unlimited, Self.unlimited, .resolution])
        for index in call.sent.indices { call.sent[index].limitation = .cpu }
        #expect(
            Self.layers(&call, &observer).map(\.qualityLimitationReason) == [
                Self.unlimited, Self.unlimited, .cpu,
            ])
    }

    @Test("A change of codec is a reason for its tick only")
    func codecChange() {
        var call = ScriptedCall.simulcastPublisher()
        var observer = PublisherObserver()
        _ = Self.layers(&call, &observer, seconds: 2)
        for index in call.sent.indices where call.sent[index].kind == .video {
            call.sent[index].codec = "H264"
            call.sent[index].reset()
        }
        let changed = Self.layers(&call, &observer)
        #expect(changed.map(\.qualityLimitationReason) == [.codec, .codec, .codec])
        #expect(changed.map(\.codec) == ["H264", "H264", "H264"])
        #expect(
            Self.layers(&call, &observer).map(\.qualityLimitationReason) == [
                Self.unlimited, Self.unlimited, Self.unlimited,
            ])
    }

    @Test("An SVC stream is one layer, whose frame rate is not counted once per spatial layer")
    func svc() {
        var call = ScriptedCall()
        var stream = ScriptedStream.video(ssrc: 5, width: 1280, height: 720)
        stream.frameRate = 30
        call.sent = [stream]
        var observer = PublisherObserver()
        var intent = MediaIntent.simulcast()
        intent.video?.layers = [LayerIntent(maximumBitrate: 2_000_000, scalabilityMode: "L3T3")]
        var layers: [LayerObservation] = []
        for _ in 0..<3 {
            call.advance(1)
            var report = call.report()
            report.outboundRTP[0].framesEncoded = (report.outboundRTP[0].framesEncoded ?? 0) * 3
            layers = observer.handle(report, intent: intent).legs.first?.layers ?? []
        }
        #expect(layers.map(\.scalabilityMode) == ["L3T3"])
        #expect(layers.first?.figures.frameRate == 30)
    }

    @Test("Fast reports do not make a slow layer stop")
    func fastReports() {
        var call = ScriptedCall()
        var stream = ScriptedStream.video(ssrc: 5)
        stream.packetRate = 2
        call.sent = [stream]
        var observer = PublisherObserver()
        var states: [Bool?] = []
        for _ in 0..<20 {
            call.advance(0.2)
            states.append(observer.handle(call.report()).legs.first?.layers.first?.figures.sending)
        }
        #expect(states.dropFirst(5).allSatisfy { $0 == true })
    }
}

extension LayerTests {
    @Test("An encoding that has no name yet is no further layer")
    func unnamed() {
        var call = ScriptedCall.simulcastPublisher()
        var observer = PublisherObserver()
        for index in call.sent.indices { call.sent[index].isActive = false }
        call.advance(1)
        var report = call.report()
        for index in report.outboundRTP.indices { report.outboundRTP[index].rid = nil }
        let layers = observer.handle(report, intent: .simulcast()).legs.first?.layers
        #expect(layers?.map(\.figures.rid) == ["q", "h", "f"])
    }
}
