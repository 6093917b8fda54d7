// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import MediaPolicy
import TestSupport
import Testing
import WebRTCStats

@testable import MediaRouter

extension RealMedia {
    @Suite("Later offers on a leg")
    struct LaterOfferTests {
        private let bench: RouterBench

        init() throws {
            bench = try RouterBench.shared.get()
        }

        /// An offer in two: up to its video, and from there on.
        private func split(_ offer: String) throws -> (audio: String, video: String) {
            let start = try #require(offer.firstRange(of: "m=video")).lowerBound
            return (String(offer[..<start]), String(offer[start...]))
        }

        private func ssrc(of section: String) throws -> Substring {
            try #require(section.firstMatch(of: /a=ssrc:(\d+)/)).1
        }

        @Test("an ICE restart on a running leg keeps the media")
        func iceRestart() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream, layers: RouterBench.twoLayers)
            let subscriber = try await bench.makeSubscriber(on: stream)
            let layers = try await bench.layers(of: stream, atLeast: 2)
            bench.router.select(layers[0].id, stoppingFirst: false, on: subscriber.leg)
            try await eventually("video arrives") { subscriber.client.video.frames > 5 }
            for (client, leg) in [(publisher.client, publisher.leg), (subscriber.client, subscriber.leg)] {
                let answer = try await bench.answer(client.offer(iceRestart: true), on: leg)
                try await client.accept(answer)
                try await bench.trickle(client, leg: leg)
            }
            let before = subscriber.client.video.frames
            try await eventually("video continues") { subscriber.client.video.frames > before + 20 }
            bench.router.remove(publisher.leg)
            bench.router.remove(subscriber.leg)
        }

        @Test("a leg whose DTLS handshake has failed is removed, and nothing else ends")
        func failedHandshake() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream)
            let client = try bench.makeClient()
            client.subscribe(video: false)
            let leg = bench.makeLeg()
            // Of a certificate that the client does not have.
            let other = "a=fingerprint:sha-256 " + repeatElement("AA", count: 32).joined(separator: ":")
            let offer = try await client.offer().replacing(/a=fingerprint:sha-256 \S+/, with: other)
            try await client.accept(
                await bench.add(.subscriber, leg: leg, stream: stream, offer: offer, network: nil))
            try await eventually("the handshake fails") {
                bench.exchangeCandidates(client, leg: leg)
                return bench.state(of: leg) == .failed
            }
            bench.router.remove(leg)
            _ = try await bench.statistics(of: publisher.leg)
            bench.router.remove(publisher.leg)
        }

        @Test("a leg that restarts ICE without end is ended: the engine keeps the sockets of each restart")
        func endlessRestarts() async throws {
            let client = try bench.makeClient()
            client.subscribe(video: false)
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream)
            let leg = bench.makeLeg()
            try await bench.connect(client, as: .subscriber, leg: leg, stream: stream)
            let offer = try await client.offer()
            func restart(_ number: Int) async throws {
                let name = "a=ice-ufrag:again\(number)"
                _ = try await bench.answer(offer.replacing(/a=ice-ufrag:\S+/, with: name), on: leg)
            }
            for number in 1...20 { try await restart(number) }
            // The same once more is none.
            try await restart(20)
            await expectRefusal(.closed) { try await restart(21) }
            await expectRefusal(.closed) { try await restart(20) }
            bench.router.remove(leg)
            bench.router.remove(publisher.leg)
        }

        @Test("a later offer may change how audio is sent, but not what the id of a header extension means")
        func changedAudio() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream)
            let client = try bench.makeClient()
            client.subscribe(video: false)
            let leg = bench.makeLeg()
            try await bench.connect(client, as: .subscriber, leg: leg, stream: stream)
            try await bench.expectAudio(at: client)
            let offer = try await client.offer()
            let feedback = /a=extmap:(\d+)( [^\r]*transport-wide-cc[^\r]*\r\n)/
            let id = try #require(offer.firstMatch(of: feedback)?.1)
            let without = offer.replacing(feedback, with: "")
            let answer = try await bench.answer(without, on: leg)
            #expect(!answer.contains("transport-wide-cc"))
            try await client.accept(answer)
            // The engine has forgotten the first offer's, and aborts when it comes to register them.
            let moved = offer.replacing(feedback) { "a=extmap:14\($0.2)" }
            let taken = without.replacing(/a=extmap:\d+( [^\r]*abs-send-time)/) { "a=extmap:\(id)\($0.1)" }
            for changed in [moved, taken] {
                await expectRefusal(.unsupported) { try await bench.answer(changed, on: leg) }
            }
            try await client.accept(await bench.answer(client.offer(), on: leg))
            try await bench.expectAudio(at: client)
            bench.router.remove(leg)
            bench.router.remove(publisher.leg)
        }

        @Test("a publisher may stop its audio in one offer, and begin it again in the next")
        func pausedAudio() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream)
            let subscriber = try await bench.makeSubscriber(on: stream)
            try await bench.expectAudio(at: subscriber.client)
            for _ in 0..<2 {
                let (audio, video) = try split(await publisher.client.offer())
                let paused = audio.replacing(/a=send(only|recv)/, with: "a=inactive")
                #expect(paused != audio)
                _ = try await bench.answer(paused + video, on: publisher.leg)
                // The engine makes the stream again.
                let answer = try await bench.answer(publisher.client.offer(), on: publisher.leg)
                try await publisher.client.accept(answer)
                try await bench.expectMoreAudio(at: subscriber.client)
            }
            bench.router.remove(publisher.leg)
            bench.router.remove(subscriber.leg)
        }

        @Test("a publisher may give its codecs other payload types, and reports continue")
        func movedPayloadTypes() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream)
            let subscriber = try await bench.makeSubscriber(on: stream)
            try await bench.expectAudio(at: subscriber.client)
            let moved = try await publisher.client.offer().replacing("RTP/SAVPF 111", with: "RTP/SAVPF 119")
                .replacing(/a=(rtpmap|fmtp|rtcp-fb):111/) { "a=\($0.1):119" }
            #expect(moved.contains("a=rtpmap:119 opus"))
            _ = try await bench.answer(moved, on: publisher.leg)
            // The engine may have kept its last report for as long.
            try await Task.sleep(for: .milliseconds(60))
            _ = try await bench.statistics(of: publisher.leg)
            try await publisher.client.accept(await bench.answer(publisher.client.offer(), on: publisher.leg))
            try await bench.expectMoreAudio(at: subscriber.client)
            bench.router.remove(publisher.leg)
            bench.router.remove(subscriber.leg)
        }

        @Test("a publisher may reject its video in one offer, and use the m-line again in the next")
        func recycledVideo() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream)
            let subscriber = try await bench.makeSubscriber(on: stream)
            let layers = try await bench.layers(of: stream, atLeast: 1)
            bench.router.select(layers[0].id, stoppingFirst: false, on: subscriber.leg)
            try await eventually("video arrives") { subscriber.client.video.frames > 5 }
            for _ in 0..<2 {
                let offer = try await publisher.client.offer()
                let rejected = offer.replacing("m=video 9 ", with: "m=video 0 ")
                #expect(rejected != offer)
                _ = try await bench.answer(rejected, on: publisher.leg)
                // The engine has ended the track, and makes another one.
                let answer = try await bench.answer(publisher.client.offer(), on: publisher.leg)
                try await publisher.client.accept(answer)
                let before = subscriber.client.video.frames
                try await eventually("video continues") { subscriber.client.video.frames > before + 20 }
                #expect(bench.router.layers(of: stream).count == 1)
            }
            try await bench.expectMoreAudio(at: subscriber.client)
            bench.router.remove(publisher.leg)
            bench.router.remove(subscriber.leg)
        }

        @Test("a publisher whose audio was another SSRC's for an offer is heard again, and reported")
        func changedSource() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream)
            let subscriber = try await bench.makeSubscriber(on: stream)
            try await bench.expectAudio(at: subscriber.client)
            let (audio, video) = try split(await publisher.client.offer())
            let other = audio.replacing(/a=ssrc:\d+/, with: "a=ssrc:4711")
            #expect(other != audio)
            _ = try await bench.answer(other + video, on: publisher.leg)
            let answer = try await bench.answer(publisher.client.offer(), on: publisher.leg)
            try await publisher.client.accept(answer)
            try await bench.expectMoreAudio(at: subscriber.client)
            try await eventually("the leg reports what arrives") {
                let report = try await bench.statistics(of: publisher.leg)
                let audio = report.inboundRTP.filter { $0.kind == .audio }
                return audio.count == 1 && audio[0].packetsReceived ?? 0 > 50 && audio[0].codecId != nil
            }
            bench.router.remove(publisher.leg)
            bench.router.remove(subscriber.leg)
        }

        @Test("an offer that libwebrtc gives up in the middle ends the leg, and says so")
        func brokenLeg() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream)
            let whole = try await publisher.client.offer()
            let (audio, video) = try split(whole)
            let (heard, seen) = try (ssrc(of: audio), ssrc(of: video))
            let exchanged =
                audio.replacing("a=ssrc:\(heard)", with: "a=ssrc:\(seen)")
                + video.replacing("ssrc:\(seen)", with: "ssrc:\(heard)")
                .replacing(/a=ssrc-group:FID \d+/, with: "a=ssrc-group:FID \(heard)")
            let leg = publisher.leg
            // One that waits meanwhile, too.
            #expect(await bench.refusals(of: [exchanged, whole], on: leg) == [.closed, .closed])
            await expectRefusal(.closed) { try await bench.answer(whole, on: leg) }
            bench.router.remove(leg)
            // Its stream and the router are none the worse for it.
            let next = try await bench.makePublisher(on: stream)
            let subscriber = try await bench.makeSubscriber(on: stream)
            try await bench.expectAudio(at: subscriber.client)
            bench.router.remove(next.leg)
            bench.router.remove(subscriber.leg)
        }

        @Test("an offer that rejects all m-lines is refused, and no transport of the next ends the router")
        func allRejected() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream)
            for kind in [StreamRole.publisher, .subscriber] {
                let leg = bench.makeLeg()
                let client = try bench.makeClient()
                if kind == .publisher { try client.publish() } else { client.subscribe() }
                try await bench.connect(client, as: kind, leg: leg, stream: stream)
                let offer = try await client.offer()
                let none = offer.replacing(#/m=(audio|video) \d+ /#) { "m=\($0.1) 0 " }
                let other = offer.replacing(#/m=audio \d+ /#, with: "m=audio 0 ")
                    .replacing("a=group:BUNDLE 0 1", with: "a=group:BUNDLE 1")
                #expect(none != offer && other != offer && other.contains("BUNDLE 1\r\n"))
                await expectRefusal(.unsupported) { try await bench.answer(none, on: leg) }
                _ = try? await bench.answer(other, on: leg)
                bench.router.remove(leg)
            }
            let subscriber = try await bench.makeSubscriber(on: stream)
            try await bench.expectAudio(at: subscriber.client)
            bench.router.remove(publisher.leg)
            bench.router.remove(subscriber.leg)
        }

        @Test("an offer that is refused leaves no codec behind")
        func refusedCodec() async throws {
            let stream = bench.makeStream()
            let client = try bench.makeClient()
            try client.publish()
            let offer = try await client.offer()
            let leg = bench.makeLeg()
            _ = try await bench.add(.publisher, leg: leg, stream: stream, offer: split(offer).audio)
            let moved = offer.replacing(/a=extmap:\d+( [^\r]*transport-wide-cc)/) { "a=extmap:12\($0.1)" }
            await expectRefusal(.unsupported) { try await bench.answer(moved, on: leg) }
            let subscriber = bench.makeLeg()
            let answer = try await bench.add(
                .subscriber, leg: subscriber, stream: stream, offer: SampleOffer.receiving)
            #expect(answer.split(separator: "m=video").last?.contains("a=inactive") == true)
            bench.router.remove(subscriber)
            bench.router.remove(leg)
        }

        @Test("audio whose SSRC is said to be video's ends nothing, and is heard once it is not")
        func swappedSource() async throws {
            let stream = bench.makeStream()
            let client = try bench.makeClient()
            try client.publish()
            let offered = try split(await client.offer())
            let sources = /a=ssrc[^\n]*\n/
            let audio = offered.audio.replacing(sources, with: "")
            let video =
                try offered.video.replacing(sources, with: "")
                + "a=ssrc:\(ssrc(of: offered.audio)) cname:x\r\n"
            let leg = bench.makeLeg()
            let answer = try await bench.add(.publisher, leg: leg, stream: stream, offer: audio + video)
            try await client.accept(answer)
            try await bench.trickle(client, leg: leg)
            let subscriber = try await bench.makeSubscriber(on: stream)
            try await eventually("its packets come") {
                try await bench.statistics(of: leg).transports.contains { $0.packetsReceived ?? 0 > 100 }
            }
            _ = try await bench.answer(audio + offered.video, on: leg)
            try await bench.expectAudio(at: subscriber.client)
            bench.router.remove(subscriber.leg)
            bench.router.remove(leg)
        }

        @Test("a later offer that is refused leaves the leg as it was")
        func refusedOffer() async throws {
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream)
            let client = try bench.makeClient()
            client.subscribe(video: false)
            let leg = bench.makeLeg()
            try await bench.connect(client, as: .subscriber, leg: leg, stream: stream)
            // Another section, which is in order, and credentials that are too short.
            let audio = try await client.offer()
            let video = SampleOffer.receiving.split(separator: "m=video").last ?? ""
            let broken = (audio + "m=video" + video).replacing(/a=ice-ufrag:[^\r]*/, with: "a=ice-ufrag:x")
            await expectRefusal(.malformed) { try await bench.answer(broken, on: leg) }
            let answer = try await bench.answer(client.offer(iceRestart: true), on: leg)
            try await client.accept(answer)
            try await bench.trickle(client, leg: leg)
            try await bench.expectAudio(at: client)
            bench.router.remove(leg)
            bench.router.remove(publisher.leg)
        }

        /// Changes offers at random, each the first or the last that was answered.
        private struct Renegotiation {
            var mutator: OfferMutator
            var random: SeededRandom
            var answered = 0
            var refused = 0

            init(seed: UInt64) {
                mutator = OfferMutator(seed: seed)
                random = SeededRandom(seed: seed)
            }

            mutating func run(_ first: String, on leg: LegNumber, _ bench: RouterBench) async {
                var last = first
                for _ in 0..<8 {
                    let offer = mutator.renegotiate(random.next(2) == 0 ? first : last)
                    do {
                        _ = try await bench.answer(offer, on: leg)
                        last = offer
                        answered += 1
                    } catch { refused += 1 }
                    // What is reported is looked up in what was negotiated.
                    _ = try? await bench.statistics(of: leg)
                }
            }

            func expectBoth() {
                #expect(answered > 20 && refused > 20, "\(answered) answered, \(refused) refused")
            }
        }

        @Test("no sequence of offers brings the engine down", arguments: Seed.draw(2))
        func sequences(seed: UInt64) async throws {
            var renegotiation = Renegotiation(seed: seed)
            let stream = bench.makeStream()
            let holder = bench.makeLeg()
            _ = try await bench.add(.publisher, leg: holder, stream: stream, offer: SampleOffer.singleVP8)
            for round in 0..<60 {
                let (isPublisher, sample) = renegotiation.mutator.sample()
                let leg = bench.makeLeg()
                let first = round.isMultiple(of: 2) ? sample : renegotiation.mutator.renegotiate(sample)
                let isThere = try? await bench.add(
                    isPublisher ? .publisher : .subscriber, leg: leg,
                    stream: isPublisher ? bench.makeStream() : stream, offer: first)
                guard isThere != nil else { continue }
                await renegotiation.run(first, on: leg, bench)
                bench.router.remove(leg)
            }
            renegotiation.expectBoth()
            bench.router.remove(holder)
        }

        @Test("nor does any on a leg with media", arguments: Seed.draw(1))
        func sequencesWithMedia(seed: UInt64) async throws {
            var renegotiation = Renegotiation(seed: seed)
            let stream = bench.makeStream()
            let publisher = try await bench.makePublisher(on: stream)
            for round in 0..<10 {
                let isPublisher = round.isMultiple(of: 2)
                let (client, leg) =
                    if isPublisher { try await bench.makePublisher(on: bench.makeStream()) } else {
                        try await bench.makeSubscriber(on: stream)
                    }
                if let layer = bench.router.layers(of: stream).first, !isPublisher {
                    bench.router.select(layer.id, stoppingFirst: false, on: leg)
                }
                await renegotiation.run(try await client.offer(), on: leg, bench)
                bench.router.remove(leg)
            }
            renegotiation.expectBoth()
            try await bench.expectAudio(at: bench.makeSubscriber(on: stream).client)
            bench.router.remove(publisher.leg)
        }
    }
}
