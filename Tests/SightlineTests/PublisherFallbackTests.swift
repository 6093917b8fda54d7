// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine
import MediaPolicy
import SessionWire
import Testing
import WebRTCStats

@testable import Sightline

@Suite("A publisher's video", .timeLimit(.minutes(1)))
struct PublisherFallbackTests {
    /// What a publisher is notified of while its uplink carries what `estimate` says of each second.
    private func events(
        _ rules: AudioFallbackSettings? = .init(), smallestLayer: Double? = 150_000, seconds: Int,
        estimate: (Int) -> Double?
    ) -> [Heard] {
        var state = PublisherVideoState(
            publishesVideo: true, audioFallback: rules, smallestLayer: smallestLayer)
        return (0..<seconds).flatMap { second in
            state.measured(estimate: estimate(second), at: .seconds(second)).map {
                Heard(second: second, event: $0)
            }
        }
    }

    private struct Heard: Equatable {
        var second: Int
        var event: PublisherLifeEvent
    }

    @Test("gives way to its audio when its own uplink is too small, and comes back")
    func fallsBack() {
        let events = events(seconds: 40) { $0 < 10 || $0 >= 20 ? 900_000 : 149_000 }
        #expect(
            events == [
                .init(second: 12, event: .videoDisableWarning),
                .init(second: 14, event: .videoDisabled(.qualityChanged)),
                .init(second: 25, event: .videoEnabled(.qualityChanged)),
            ])
    }

    @Test("is warned of, and let off, when the uplink recovers in time")
    func lifts() {
        let events = events(seconds: 40) { $0 < 10 || $0 >= 13 ? 900_000 : 149_000 }
        #expect(
            events == [
                .init(second: 12, event: .videoDisableWarning),
                .init(second: 13, event: .videoDisableWarningLifted),
            ])
    }

    @Test("continues while the least of it fits, and without fallback in any case")
    func goesOn() {
        #expect(events(seconds: 40) { _ in 151_000 }.isEmpty)
        #expect(events(smallestLayer: 60_000, seconds: 40) { _ in 101_000 }.isEmpty)
        #expect(events(nil, seconds: 40) { _ in 10_000 }.isEmpty)
        #expect(events(seconds: 40) { _ in nil }.isEmpty)
    }

    @Test("is given the times and the bitrates that are set")
    func settable() {
        var rules = AudioFallbackSettings()
        rules.publisher.warningAfter = 5
        rules.publisher.offAfter = 8
        rules.publisher.backAfter = 2
        rules.publisherVideoBitrate = 200_000
        rules.publisherAudioBitrate = 50_000
        let events = events(rules, smallestLayer: nil, seconds: 40) {
            $0 < 10 || $0 >= 20 ? 900_000 : 249_000
        }
        #expect(
            events == [
                .init(second: 15, event: .videoDisableWarning),
                .init(second: 18, event: .videoDisabled(.qualityChanged)),
                .init(second: 22, event: .videoEnabled(.qualityChanged)),
            ])
    }

    @Test("is reported when the app switches it, and is not taken for fallback")
    func property() {
        var state = PublisherVideoState(publishesVideo: true, audioFallback: .init(), smallestLayer: nil)
        #expect(state.changed(publishesVideo: true) == [])
        #expect(state.changed(publishesVideo: false) == [.videoDisabled(.publisherPropertyChanged)])
        for second in 0..<10 { #expect(state.measured(estimate: 1000, at: .seconds(second)) == []) }
        #expect(!state.isOffByFallback && state.probe == nil)
        #expect(state.changed(publishesVideo: true) == [.videoEnabled(.publisherPropertyChanged)])
        for second in 10..<15 { _ = state.measured(estimate: 1000, at: .seconds(second)) }
        #expect(state.isOffByFallback)
        #expect(state.probe == 150_000 * 1.25 * 1.2)
    }

    @Test("is taken off and said to be off by fallback, everywhere, and probed for")
    func everywhere() async throws {
        let call = Call()
        var settings = PublisherSettings()
        settings.publisherAudioFallbackEnabled = true
        let publisher = Publisher(settings: settings)
        var events = publisher.events().makeAsyncIterator()
        let (_, peer) = try await call.publish(publisher)
        peer.setStatistics { .uplink(estimate: $0 < 15 ? 60_000 : 500_000, at: Double($0) * 1000) }
        let video = try #require(peer.senders.last)
        await call.elapsed(until: "nothing is sent", step: .milliseconds(250)) { !video.hasSource }
        #expect(await first(&events) { $0 == .videoDisableWarning } != nil)
        #expect(await events.next() == .videoDisabled(.qualityChanged))
        await eventually("the server knows") {
            call.server.contents.last.map { !$0.hasVideo && $0.isVideoOffByFallback == true } ?? false
        }
        await call.elapsed(until: "it is sent again", step: .milliseconds(250)) { video.hasSource }
        #expect(await events.next() == .videoEnabled(.qualityChanged))
        await call.session.disconnect()
    }

    @Test("is not probed for beyond what the app allows", arguments: [nil, 120_000])
    func probeBound(bound: Int?) async throws {
        let call = Call()
        var settings = PublisherSettings()
        settings.publisherAudioFallbackEnabled = true
        settings.maximumBitrate = bound
        let (_, peer) = try await call.publish(Publisher(settings: settings))
        peer.setStatistics { .uplink(estimate: $0 < 15 ? 60_000 : 500_000, at: Double($0) * 1000) }
        let video = try #require(peer.senders.last)
        await call.elapsed(until: "nothing is sent", step: .milliseconds(250)) { !video.hasSource }
        await call.elapsed(until: "it is sent again", step: .milliseconds(250)) { video.hasSource }
        let bounds = peer.maximumBitrates
        #expect(bounds.count > 3, "it was probed for")
        #expect(bounds.compactMap(\.self).max() == bound ?? 225_000)
        #expect(bounds.last == .some(bound), "the app's own bound holds again")
        await call.session.disconnect()
    }

    @Test("that is off by fallback is off for its subscribers by quality, not by the publisher's choice")
    func subscribers() {
        var state = SubscriptionState(publisherHasVideo: true, subscribesToVideo: true)
        #expect(
            state.publisherChanged(hasVideo: false, byFallback: true) == [.videoDisabled(.qualityChanged)])
        #expect(state.publisherChanged(hasVideo: true) == [.videoEnabled(.qualityChanged)])
        #expect(state.publisherChanged(hasVideo: false) == [.videoDisabled(.publisherPropertyChanged)])
        #expect(state.publisherChanged(hasVideo: true) == [.videoEnabled(.publisherPropertyChanged)])
    }
}

extension FakeServer {
    fileprivate var contents: [StreamContent] {
        received.compactMap { if case .update(let update) = $0 { update.content } else { nil } }
    }
}

extension StatsReport {
    /// A report of a connection that is believed to carry so much.
    fileprivate static func uplink(estimate: Double, at time: Double) -> StatsReport {
        var report = StatsReport(timestamp: time)
        var transport = ICETransportStats(id: "T", timestamp: time)
        transport.selectedCandidatePairId = "P"
        var pair = CandidatePairStats(id: "P", timestamp: time)
        pair.transportId = "T"
        pair.nominated = true
        pair.availableOutgoingBitrate = estimate
        var audioStats = OutboundRTPStats(id: "O", timestamp: time)
        audioStats.ssrc = 1
        audioStats.kind = .audio
        audioStats.packetsSent = UInt64(time / 20)
        report.transports = [transport]
        report.outboundRTP = [audioStats]
        report.candidatePairs = [pair]
        return report
    }
}
