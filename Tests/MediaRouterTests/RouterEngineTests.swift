// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import CallModel
import MediaPolicy
import RouterWire
import Synchronization
import TestSupport
import Testing
import WebRTCStats

@testable import MediaRouter

extension RealMedia {
    @Suite("Legs on real media")
    struct RouterEngineTests {
        private let bench: RouterBench

        init() throws {
            bench = try RouterBench.shared.get()
        }

        @Test("simulcast arrives layer by layer, and a subscriber can be moved between the layers")
        func simulcast() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream, layers: RouterBench.twoLayers)
            let layers = try await bench.layers(of: stream, atLeast: 2)
            #expect(layers.map(\.rid) == ["q", "h"])
            #expect(layers.map(\.height) == [180, 360])
            let subscriber = try await bench.makeSubscriber(on: stream)
            for (layer, height) in [(layers[0], 180), (layers[1], 360), (layers[0], 180)] {
                bench.router.select(layer.id, stoppingFirst: false, on: subscriber.leg)
                try await eventually("\(height) lines arrive") { subscriber.client.video.height == height }
                let before = subscriber.client.video.frames
                try await eventually("they continue") { subscriber.client.video.frames > before + 20 }
            }
            let video = subscriber.client.video
            #expect(video.heights == [180, 360, 180])
            // A layer may trail another by a frame: at most one is shown again for each switch.
            #expect(video.repeated <= 2)
            #expect(bench.router.forwarding(of: subscriber.leg)?.sent == layers[0].id)
            try await bench.expectAudio(at: subscriber.client)
            bench.router.select(nil, stoppingFirst: true, on: subscriber.leg)
            try await eventually("video is off") {
                bench.router.forwarding(of: subscriber.leg)?.sent == nil
            }
            bench.router.remove(subscriber.leg)
            bench.router.remove(publisher.leg)
        }

        @Test("a single layer is forwarded", arguments: ["VP8", "H264"])
        func single(codec: String) async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream, codec: codec)
            let layers = try await bench.layers(of: stream, atLeast: 1)
            #expect(layers.map(\.rid) == [nil])
            let subscriber = try await bench.makeSubscriber(on: stream)
            bench.router.select(layers[0].id, stoppingFirst: false, on: subscriber.leg)
            try await eventually("video arrives") { subscriber.client.video.frames > 20 }
            #expect(subscriber.client.video.height == 360)
            #expect(subscriber.client.video.repeated == 0)
            let report = try await subscriber.client.statistics()
            let inbound = try #require(report.inboundRTP.first { $0.kind == .video })
            let codecID = try #require(inbound.codecId)
            #expect(report.codec(id: codecID)?.mimeType == "video/\(codec)")
            bench.router.remove(publisher.leg)
            bench.router.remove(subscriber.leg)
        }

        @Test("a publisher is replaced without the subscriber noticing more than a moment")
        func replacement() async throws {
            let stream = bench.makeStream()
            let first = try await bench.makePublisher(on: stream, layers: RouterBench.twoLayers)
            let subscriber = try await bench.makeSubscriber(on: stream)
            let layers = try await bench.layers(of: stream, atLeast: 2)
            bench.router.select(layers[1].id, stoppingFirst: false, on: subscriber.leg)
            try await eventually("video arrives") { subscriber.client.video.frames > 20 }
            let second = try await bench.makePublisher(on: stream, layers: RouterBench.twoLayers)
            try await eventually("the new leg takes over") {
                let sent = bench.router.forwarding(of: subscriber.leg)?.sent
                return sent != layers[1].id && bench.router.layers(of: stream).contains { $0.id == sent }
            }
            #expect(bench.router.forwarding(of: subscriber.leg)?.sent != layers[0].id)
            bench.router.remove(first.leg)
            let before = subscriber.client.video
            try await eventually("video continues") { subscriber.client.video.frames > before.frames + 20 }
            #expect(subscriber.client.video.height == 360)
            try await bench.expectAudio(at: subscriber.client)
            bench.router.remove(second.leg)
            bench.router.remove(subscriber.leg)
        }

        @Test("a subscription of audio alone gets audio alone, and asks no one for key frames")
        func audioOnly() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream, layers: RouterBench.twoLayers)
            let layers = try await bench.layers(of: stream, atLeast: 2)
            let client = try bench.makeClient()
            client.subscribe(video: false)
            let leg = bench.makeLeg()
            try await bench.connect(client, as: .subscriber, leg: leg, stream: stream)
            #expect(bench.router.forwarding(of: leg)?.hasVideo == false)
            bench.router.select(layers[0].id, stoppingFirst: false, on: leg)
            #expect(bench.router.forwarding(of: leg)?.wanted == nil)
            try await bench.expectAudio(at: client)
            bench.router.remove(leg)
            bench.router.remove(publisher.leg)
        }

        @Test("a subscriber that cannot decode the stream's video gets its audio")
        func undecodable() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream, codec: "VP8")
            let client = try bench.makeClient()
            client.subscribe(codec: "H264")
            let leg = bench.makeLeg()
            try await bench.connect(client, as: .subscriber, leg: leg, stream: stream)
            #expect(bench.router.forwarding(of: leg)?.hasVideo == false)
            try await bench.expectAudio(at: client)
            bench.router.remove(leg)
            bench.router.remove(publisher.leg)
        }

        @Test("a stream of audio alone is forwarded, to subscribers that would take video too")
        func audioOnlyStream() async throws {
            let stream = bench.makeStream()
            let publisher = try bench.makeClient()
            try publisher.publish(video: false)
            let leg = bench.makeLeg()
            try await bench.connect(publisher, as: .publisher, leg: leg, stream: stream)
            let subscriber = try await bench.makeSubscriber(on: stream)
            #expect(bench.router.forwarding(of: subscriber.leg)?.hasVideo == false)
            #expect(bench.router.layers(of: stream).isEmpty)
            try await bench.expectAudio(at: subscriber.client)
            bench.router.remove(subscriber.leg)
            bench.router.remove(leg)
        }

        @Test("a leg has room for 32 remote candidates, and for a few more after an ICE restart")
        func candidateBudget() async throws {
            let leg = bench.makeLeg()
            func offer(candidates ports: Range<Int>, password: String) -> String {
                let lines = ports.map { "a=candidate:\($0) 1 udp 1 127.0.0.1 \($0) typ host\r\n" }.joined()
                return SampleOffer.singleVP8.replacing("jkMndMAYG9pFMDwYjwK", with: password)
                    .replacing("a=mid:0\r\n", with: "a=mid:0\r\n" + lines)
            }
            _ = try await bench.add(
                .publisher, leg: leg, stream: bench.makeStream(),
                offer: offer(candidates: 2000..<2020, password: "jkMndMAYG9pFMDwYjwK"))
            for port in 2010..<2200 {
                await add("candidate:\(port) 1 udp 1 127.0.0.1 \(port) typ host", to: leg)
            }
            try await expectRemoteCandidates(32, of: leg)
            _ = try await bench.answer(
                offer(candidates: 3000..<3030, password: "aaaaaaaaaaaaaaaaaaa"), on: leg)
            try await expectRemoteCandidates(40, of: leg)
            bench.router.remove(leg)
        }

        @Test("a router takes the ports that it may, and clients are given what stands for its address")
        func announcement() async throws {
            let seen = Mutex<[[Substring]]>([])
            let configuration = RouterEngineConfiguration(
                loopbackOnly: true, ports: 42_200...42_215,
                announced: AnnouncedAddresses(["127.0.0.77", "127.0.0.77/127.0.0.1"]))
            let router = try RouterEngine(configuration) { event in
                guard case .candidate(_, _, _, let text) = event else { return }
                seen.withLock { $0.append(text.split(separator: " ")) }
            }
            let leg = LegNumber(rawValue: 1)
            let first = try await withCheckedThrowingContinuation { continuation in
                router.add(
                    .publisher, leg: leg, stream: StreamNumber(rawValue: 1), offer: SampleOffer.singleVP8,
                    network: nil
                ) { continuation.resume(with: $0) }
            }
            try await eventually("a candidate of IPv4") {
                seen.withLock { $0.contains { $0.count > 5 && $0[4] == "127.0.0.77" } }
            }
            let later = try await withCheckedThrowingContinuation { continuation in
                router.answer(SampleOffer.singleVP8, on: leg) { continuation.resume(with: $0) }
            }
            // An answer is no way around it, nor one that would have candidates by itself.
            for answer in [first, later] {
                let lines = answer.split(separator: "\r\n").filter {
                    $0.hasPrefix("c=") || $0.hasPrefix("a=rtcp:")
                }
                #expect(!lines.isEmpty && lines.allSatisfy { $0.hasSuffix(" 0.0.0.0") }, "\(lines)")
                #expect(!answer.contains("a=candidate"))
            }
            let candidates = seen.withLock { $0 }
            #expect(candidates.allSatisfy { $0[4] == "127.0.0.77" || $0[4].contains(":") }, "\(candidates)")
            #expect(candidates.allSatisfy { (42_200...42_215).contains(Int($0[5]) ?? 0) }, "\(candidates)")
            router.remove(leg)
        }

        private func add(_ candidate: String, to leg: LegNumber) async {
            let result = await withCheckedContinuation { continuation in
                bench.router.addCandidate(candidate, mid: "0", lineIndex: nil, to: leg) {
                    continuation.resume(returning: $0)
                }
            }
            #expect(throws: Never.self) { try result.get() }
        }

        private func expectRemoteCandidates(_ count: Int, of leg: LegNumber) async throws {
            var found = 0
            try await eventually("\(count) remote candidates") {
                found = try await bench.statistics(of: leg).remoteCandidates.count
                return found >= count
            }
            #expect(found == count)
        }

        @Test("each leg reports its own statistics")
        func statistics() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream, layers: RouterBench.twoLayers)
            let subscriber = try await bench.makeSubscriber(on: stream)
            let layers = try await bench.layers(of: stream, atLeast: 2)
            bench.router.select(layers[0].id, stoppingFirst: false, on: subscriber.leg)
            try await eventually("the downlink has an estimate") {
                let report = try await bench.statistics(of: subscriber.leg)
                return report.candidatePairs.contains { ($0.availableOutgoingBitrate ?? 0) > 100_000 }
                    && report.outboundRTP.contains { $0.kind == .video && ($0.packetsSent ?? 0) > 10 }
            }
            try await eventually("the uplink reports what arrives") {
                let uplink = try await bench.statistics(of: publisher.leg)
                return uplink.inboundRTP.filter { $0.kind == .video }.count == 2
                    && uplink.inboundRTP.contains { $0.kind == .audio && ($0.packetsReceived ?? 0) > 10 }
            }
            bench.router.remove(publisher.leg)
            bench.router.remove(subscriber.leg)
        }

        @Test("what cannot be done is refused, and the router continues")
        func refusals() async throws {
            let stream = bench.makeStream()
            await expectRefusal(.invalidState) {
                try await bench.statistics(of: LegNumber(rawValue: 9_999_999))
            }
            await expectRefusal(.invalidState) {
                try await bench.answer("v=0", on: LegNumber(rawValue: 9_999_999))
            }
            await expectRefusal(.invalidState) {
                try await bench.add(
                    .subscriber, leg: bench.makeLeg(), stream: stream, offer: SampleOffer.receiving)
            }
            await expectRefusal(.malformed) {
                try await bench.add(.publisher, leg: bench.makeLeg(), stream: stream, offer: "nonsense")
            }
            let publisher = try await bench.makePublisher(on: stream, codec: "VP8")
            await expectRefusal(.invalidState) {
                try await bench.add(
                    .publisher, leg: publisher.leg, stream: stream, offer: SampleOffer.singleVP8)
            }
            await expectRefusal(.unsupported) {
                try await bench.add(
                    .publisher, leg: bench.makeLeg(), stream: stream, offer: SampleOffer.singleH264)
            }
            await expectRefusal(.unsupported) {
                try await bench.answer(SampleOffer.simulcastVP8, on: publisher.leg)
            }
            bench.router.addCandidate("nonsense", mid: "0", lineIndex: 0, to: publisher.leg) { _ in }
            bench.router.addCandidate("", mid: nil, lineIndex: nil, to: publisher.leg) { _ in }
            bench.router.addCandidate("candidate:x", mid: "7", lineIndex: 7, to: publisher.leg) { _ in }
            bench.router.select(LayerID(rawValue: 424_242), stoppingFirst: true, on: publisher.leg)
            let subscriber = try await bench.makeSubscriber(on: stream)
            bench.router.select(LayerID(rawValue: 424_242), stoppingFirst: true, on: subscriber.leg)
            #expect(bench.router.forwarding(of: subscriber.leg)?.sent == nil)
            for leg in [publisher.leg, subscriber.leg, publisher.leg, subscriber.leg] {
                bench.router.remove(leg)
            }
            await expectRefusal(.invalidState) { try await bench.statistics(of: subscriber.leg) }
        }

        @Test("no damaged offer brings the engine down", arguments: Seed.draw(2))
        func damagedOffers(seed: UInt64) async throws {
            var mutator = OfferMutator(seed: seed)
            let stream = bench.makeStream()
            let holder = bench.makeLeg()
            _ = try await bench.add(.publisher, leg: holder, stream: stream, offer: SampleOffer.singleVP8)
            var answered = 0
            for _ in 0..<60 {
                let (publisher, offer) = mutator.next()
                let leg = bench.makeLeg()
                let target = publisher ? bench.makeStream() : stream
                let answer = try? await bench.add(
                    publisher ? .publisher : .subscriber, leg: leg, stream: target, offer: offer)
                guard answer != nil else { continue }
                answered += 1
                // What libwebrtc held against an offer may have been forgotten by the one after the next.
                for _ in 0..<3 { _ = try? await bench.answer(mutator.mutate(offer), on: leg) }
                bench.router.remove(leg)
            }
            #expect(answered > 5)
            bench.router.remove(holder)
        }

        @Test("garbage at the port of a leg does not disturb its media", arguments: [21, 22] as [UInt64])
        func sprayedPort(seed: UInt64) async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream)
            let subscriber = try await bench.makeSubscriber(on: stream)
            let layers = try await bench.layers(of: stream, atLeast: 1)
            bench.router.select(layers[0].id, stoppingFirst: false, on: subscriber.leg)
            try await eventually("video arrives") { subscriber.client.video.frames > 5 }
            for leg in [publisher.leg, subscriber.leg] {
                let own = try await bench.statistics(of: leg).localCandidates
                try #require(!own.isEmpty)
                for candidate in own {
                    var spray = try DatagramSpray(
                        port: UInt16(clamping: try #require(candidate.port)),
                        isIPv6: candidate.address?.contains(":") == true, seed: seed)
                    for _ in 0..<3000 { spray.send() }
                }
            }
            let before = subscriber.client.video.frames
            try await eventually("video continues (seed \(seed))") {
                subscriber.client.video.frames > before + 20
            }
            bench.router.remove(publisher.leg)
            bench.router.remove(subscriber.leg)
        }

        @Test("legs that come and go leave nothing behind")
        func comingAndGoing() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream, layers: RouterBench.twoLayers)
            let before = sl_live_objects(Int32(SL_LIVE_PEER))
            for round in 0..<10 {
                let client = try bench.makeClient()
                client.subscribe()
                let leg = bench.makeLeg()
                if round.isMultiple(of: 2) {
                    try await bench.connect(client, as: .subscriber, leg: leg, stream: stream)
                } else {
                    // Gone before it was answered.
                    let offer = try await client.offer()
                    bench.router.add(.subscriber, leg: leg, stream: stream, offer: offer, network: nil) { _ in
                    }
                }
                bench.router.remove(leg)
            }
            try await eventually("all are gone") {
                sl_live_objects(Int32(SL_LIVE_PEER)) == before
                    && sl_live_objects(Int32(SL_LIVE_OPERATION)) == 0
            }
            bench.router.remove(publisher.leg)
        }
    }
}
