// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import Testing
import WebRTCStats

@Suite("Recorded calls")
struct RecordedCallTests {
    @Test("A browser's publisher: layers, rates and totals as the report has them")
    func publisher() throws {
        let reports = try Recordings.series("chromium_pub")
        var observer = PublisherObserver()
        var last: PublisherObservation?
        for report in reports { last = observer.handle(report) }
        let leg = try #require(last?.legs.first)
        let entries = try #require(reports.last).outboundRTP.filter { $0.kind == .video }
        #expect(leg.video?.packets == entries.reduce(0) { $0 + ($1.packetsSent ?? 0) })
        #expect(leg.video?.packetsLost == 0)
        #expect(leg.layers.map(\.figures.rid) == ["l", "m", "h"])
        #expect(leg.layers.map(\.codec) == ["VP8", "VP8", "VP8"])
        #expect(leg.layers.allSatisfy { $0.figures.sending == true && ($0.figures.bitrate ?? 0) > 50_000 })
        #expect((leg.video?.capturedFrameRate ?? 0) > 10)
        #expect(leg.audio?.codec == "opus")
        #expect(leg.transport.connectionEstimatedBandwidth ?? 0 > 100_000)
    }

    @Test("A browser's subscriber: nothing is lost, paused or frozen that the report does not say")
    func subscriber() throws {
        let reports = try Recordings.series("chromium_sub")
        var observer = SubscriberObserver()
        var last: SubscriberObservation?
        for report in reports { last = observer.handle(report) }
        let entry = try #require(reports.last?.inboundRTP.first { $0.kind == .video })
        let video = try #require(last?.video)
        #expect(video.packets == entry.packetsReceived)
        #expect(video.packetsLost != nil && video.packetsLost == entry.packetsLost)
        #expect(video.pauseCount == entry.pauseCount.map { Int($0) })
        #expect(video.freezeCount == entry.freezeCount.map { Int($0) })
        #expect(video.width == 1280 && video.codec == "VP8" && (video.frameRate ?? 0) > 10)
        #expect(last?.audio?.concealment == 0 && last?.audio?.audioLevel == 0)
    }

    @Test("Single reports of this project's engine: totals, and no rate out of nothing")
    func singleReports() throws {
        var publisher = PublisherObserver()
        let sent = publisher.handle(try Recordings.report("sender"))
        #expect(sent.legs.first?.layers.map(\.figures.rid) == ["q", "h", "f"])
        let packetsOfAllLayers: UInt64? = 624 + 259 + 1724
        #expect(sent.video.first?.packets == packetsOfAllLayers)
        #expect(sent.video.first?.bitrate == nil)
        #expect(sent.legs.first?.videoDetails.startTime == 1_795_212_455_357.654)
        var subscriber = SubscriberObserver()
        let received = subscriber.handle(try Recordings.report("receiver"))
        #expect(received.video?.width != nil && received.video?.bitrate == nil)
    }
}
