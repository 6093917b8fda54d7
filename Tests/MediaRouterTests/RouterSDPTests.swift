// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLibWebRTC
import TestSupport
import Testing

@testable import MediaRouter

@Suite("Session descriptions in the router")
struct RouterSDPTests {
    private let mid = "urn:ietf:params:rtp-hdrext:sdes:mid"

    @Test("each rid becomes an m-line of its own, with the rid as its mid")
    func simulcastView() throws {
        let view = try RouterSDP.view(publisher: true, SampleOffer.simulcastVP8)
        #expect(
            view.sections.map { $0[0] } == [
                "m=audio 9 UDP/TLS/RTP/SAVPF 111", "m=video 9 UDP/TLS/RTP/SAVPF 96",
                "m=video 9 UDP/TLS/RTP/SAVPF 96",
                "m=video 9 UDP/TLS/RTP/SAVPF 96",
            ])
        #expect((0..<4).map { view.values("a=mid:", in: $0) } == [["0"], ["q"], ["h"], ["f"]])
        #expect(view.session.contains("a=group:BUNDLE 0 q h f"))
        for section in 0..<4 {
            #expect(view.values("a=extmap:", in: section).contains("10 \(mid)"))
            #expect(!view.values("a=extmap:", in: section).contains("4 \(mid)"))
        }
    }

    @Test("a simulcast uplink has no retransmission streams")
    func noRetransmissionStreams() throws {
        let view = try RouterSDP.view(publisher: true, SampleOffer.simulcastVP8)
        #expect(!view.text.contains("rtx"))
        #expect(!view.text.contains("apt="))
        let single = try RouterSDP.view(publisher: true, SampleOffer.singleVP8)
        #expect(single.values("a=rtpmap:", in: 1) == ["96 VP8/90000", "97 rtx/90000"])
        #expect(single.values("a=ssrc-group:", in: 1) == ["FID 1001 1002"])
    }

    @Test("an m-line whose mid is also a rid is called otherwise")
    func midLikeARid() throws {
        let offer = SampleOffer.make(
            SampleOffer.audio(mid: "q"), SampleOffer.video(SampleOffer.vp8, SampleOffer.simulcast),
            session: SampleOffer.session.replacing("BUNDLE 0 1", with: "BUNDLE q 1"))
        let view = try RouterSDP.view(publisher: true, offer)
        let mids = (0..<view.sections.count).flatMap { view.values("a=mid:", in: $0) }
        #expect(Set(mids).count == 4)
        let folded = try #require(RouterSDP.fold(offer: offer, answer: view.text))
        #expect((0..<2).flatMap { folded.values("a=mid:", in: $0) } == ["q", "1"])
    }

    @Test("an answer is folded back into the m-lines of the offer")
    func fold() throws {
        let view = try RouterSDP.view(publisher: true, SampleOffer.simulcastVP8)
        let answer = view.text.replacing("a=sendonly", with: "a=recvonly")
        let folded = try #require(RouterSDP.fold(offer: SampleOffer.simulcastVP8, answer: answer))
        #expect(folded.sections.count == 2)
        #expect(folded.session.contains("a=group:BUNDLE 0 1"))
        #expect(folded.values("a=mid:", in: 1) == ["1"])
        #expect(folded.values("a=rid:", in: 1) == ["q recv", "h recv", "f recv"])
        #expect(folded.values("a=simulcast:", in: 1) == ["recv q;h;f"])
        #expect(folded.values("a=extmap:", in: 1).contains("4 \(mid)"))
        #expect(
            folded.values("a=extmap:", in: 1).contains("10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"))
        #expect(folded.values("a=extmap:", in: 0).contains("4 \(mid)"))
        #expect(!folded.values("a=extmap:", in: 0).contains { $0.contains("rtp-stream-id") })
    }

    @Test("without simulcast an answer stays as it is")
    func foldNothing() throws {
        let view = try RouterSDP.view(publisher: true, SampleOffer.singleVP8)
        #expect(RouterSDP.fold(offer: SampleOffer.singleVP8, answer: view.text) == view)
    }

    @Test("the first codec that can be forwarded wins, and only that one is left")
    func codecChoice() throws {
        let h264 = try RouterSDP.view(publisher: true, SampleOffer.singleH264)
        #expect(h264.values("a=rtpmap:", in: 1) == ["104 H264/90000", "105 rtx/90000"])
        let both = SampleOffer.make(
            SampleOffer.audio(),
            SampleOffer.video(
                SampleOffer.vp9, SampleOffer.vp8, SampleOffer.h264, payloadTypes: "98 99 96 97 102 104 105"))
        let first = try RouterSDP.view(publisher: true, both)
        #expect(first.values("a=rtpmap:", in: 1).first == "96 VP8/90000")
        let required = try RouterSDP.view(publisher: true, both, codec: "H264 constrained-baseline")
        #expect(required.values("a=rtpmap:", in: 1).first == "104 H264/90000")
    }

    @Test("a subscriber gets the stream's codec")
    func subscriberCodec() throws {
        let vp8 = try RouterSDP.view(publisher: false, SampleOffer.receiving, codec: "VP8")
        #expect(vp8.values("a=rtpmap:", in: 1) == ["96 VP8/90000", "97 rtx/90000"])
        #expect(vp8.sections[1].contains("a=recvonly"))
        let h264 = try RouterSDP.view(
            publisher: false, SampleOffer.receiving, codec: "H264 constrained-baseline")
        #expect(h264.values("a=rtpmap:", in: 1) == ["104 H264/90000", "105 rtx/90000"])
        let none = try RouterSDP.view(publisher: false, SampleOffer.receiving)
        #expect(none.sections[1].contains("a=inactive"))
        #expect(none.sections[0].contains("a=recvonly"))
    }

    @Test("a subscriber's leg has no audio level: it would be that of the tokens")
    func noAudioLevel() throws {
        let publisher = try RouterSDP.view(publisher: true, SampleOffer.singleVP8)
        #expect(publisher.text.contains("ssrc-audio-level"))
        let subscriber = try RouterSDP.view(publisher: false, SampleOffer.receiving, codec: "VP8")
        #expect(!subscriber.text.contains("ssrc-audio-level"))
    }

    @Test("bitrate parameters that a client hides in a codec's format do not reach the engine")
    func hiddenParameters() throws {
        #expect(!(try RouterSDP.view(publisher: true, SampleOffer.singleVP8).text.contains("x-google")))
    }

    @Test("audio alone and video alone are offers too")
    func oneKind() throws {
        let session = SampleOffer.session.replacing("a=group:BUNDLE 0 1", with: "a=group:BUNDLE 0")
        let audio = try RouterSDP.view(
            publisher: true, SampleOffer.make(SampleOffer.audio(), session: session))
        #expect(audio.sections.count == 1)
        let video = SampleOffer.make(
            SampleOffer.video(SampleOffer.vp8, SampleOffer.simulcast), session: session)
        #expect(try RouterSDP.view(publisher: true, video).sections.count == 3)
    }

    @Test(
        "what libwebrtc would abort on later is not shown to it: payload types of RTCP, offsets of padding, long values"
    )
    func quietlyLeftOut() throws {
        for number in [64, 72, 95] {
            let offer = SampleOffer.receiving.replacing("111", with: "\(number)")
            let refusal = #expect(throws: RouterSDP.Refusal.self) {
                try RouterSDP.view(publisher: false, offer)
            }
            #expect(refusal?.message.contains("Opus") == true)
        }
        for number in [63, 96] {
            let offer = SampleOffer.make(SampleOffer.audio()).replacing("63 ", with: "62 ")
                .replacing("111", with: "\(number)").replacing("BUNDLE 0 1", with: "BUNDLE 0")
            #expect(
                try RouterSDP.view(publisher: true, offer).values("a=rtpmap:", in: 0) == [
                    "\(number) opus/48000/2"
                ])
        }
        let offset = "a=extmap:14 urn:ietf:params:rtp-hdrext:toffset"
        let offer = SampleOffer.receiving.replacing(/a=extmap:13 [^\r]*/, with: offset)
        #expect(offer.contains(offset))
        #expect(try !RouterSDP.view(publisher: false, offer).text.contains("toffset"))
        let long = SampleOffer.singleH264.replacing(
            "level-asymmetry-allowed=1", with: "level-asymmetry-allowed=" + String(repeating: "1", count: 17))
        #expect(try !RouterSDP.view(publisher: true, long).text.contains("asymmetry"))
    }

    @Test("a data channel is refused, the media are not")
    func dataChannel() throws {
        let offer = SampleOffer.make(
            SampleOffer.audio(),
            "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\n\(SampleOffer.transport)\na=mid:1\na=sctp-port:5000"
        )
        let view = try RouterSDP.view(publisher: true, offer)
        #expect(view.sections[1][0] == "m=application 0 UDP/DTLS/SCTP webrtc-datachannel")
        #expect(view.session.contains("a=group:BUNDLE 0"))
    }

    static let refusals: [(String, Int, String)] = [
        ("", SL_SYNTAX, "no session description"),
        ("v=0\r\n", SL_SYNTAX, "no m-line"),
        (
            SampleOffer.make(SampleOffer.audio(), SampleOffer.video(SampleOffer.vp9, payloadTypes: "98 99")),
            SL_UNSUPPORTED,
            "VP8 and H.264"
        ),
        (
            SampleOffer.make(SampleOffer.audio(), SampleOffer.audio(mid: "1")), SL_UNSUPPORTED,
            "at most one audio"
        ),
        (
            SampleOffer.make(SampleOffer.audio(), SampleOffer.video(SampleOffer.vp8, mid: "0")), SL_SYNTAX,
            "same mid"
        ),
        (SampleOffer.simulcastVP8.replacing("send q;", with: "send q-1;"), SL_SYNTAX, "a rid"),
        (SampleOffer.simulcastVP8.replacing("send q;h;~f", with: "send q;q"), SL_SYNTAX, "twice"),
        (
            SampleOffer.simulcastVP8.replacing("send q;h;~f", with: "send 1;2;3;4;5"), SL_UNSUPPORTED,
            "too many"
        ),
        (
            SampleOffer.simulcastVP8.replacing("a=extmap:10 ", with: "a=extmap:99 "), SL_UNSUPPORTED,
            "rtp-stream-id"
        ),
        (SampleOffer.singleVP8.replacing("a=group:BUNDLE 0 1", with: "a=x"), SL_UNSUPPORTED, "one transport"),
        (SampleOffer.singleVP8.replacing("a=rtcp-mux", with: "a=x"), SL_UNSUPPORTED, "rtcp-mux"),
        (SampleOffer.singleVP8.replacing("RTP/SAVPF", with: "RTP/AVP"), SL_UNSUPPORTED, "SAVPF"),
        (SampleOffer.singleVP8.replacing("setup:actpass", with: "setup:holdconn"), SL_SYNTAX, "a=setup"),
        (
            SampleOffer.singleVP8.replacing("transport-wide-cc", with: "x"), SL_UNSUPPORTED,
            "transport-wide-cc"
        ),
        (SampleOffer.singleVP8.replacing("t=0 0", with: "t=0 0\r\na=setup:passiv"), SL_SYNTAX, "a=setup"),
        (
            SampleOffer.singleVP8.replacing(#/m=(audio|video) 9 /#) { "m=\($0.1) 0 " }, SL_UNSUPPORTED,
            "rejects all"
        ),
        (
            SampleOffer.make(
                SampleOffer.audio(),
                SampleOffer.video(SampleOffer.vp8, "a=rtpmap:111 x/1", payloadTypes: "96 97 111")),
            SL_SYNTAX, "payload type"
        ),
        (
            SampleOffer.singleVP8.replacing("a=extmap:13 ", with: "a=extmap:1 "), SL_SYNTAX,
            "header extension id"
        ),
        (SampleOffer.singleVP8.replacing("FID 1001 1002", with: "SIM 1001 1002"), SL_UNSUPPORTED, "rids"),
        (SampleOffer.singleVP8.replacing("1001", with: "2371005963"), SL_SYNTAX, "media source"),
        (SampleOffer.singleVP8.replacing("1001", with: "02371005963"), SL_SYNTAX, "media source"),
        (
            SampleOffer.singleVP8.replacing("a=ice-ufrag:W+6a", with: "a=ice-ufrag:W+6a\r\na=ice-ufrag:W+6b"),
            SL_SYNTAX,
            "twice"
        ),
        (SampleOffer.singleVP8.replacing("opus/48000/2", with: "opus/48000"), SL_UNSUPPORTED, "Opus"),
        (
            SampleOffer.make(
                SampleOffer.audio(direction: "recvonly"),
                SampleOffer.video(SampleOffer.vp8, direction: "inactive")),
            SL_UNSUPPORTED, "neither audio nor video"
        ),
        (SampleOffer.singleVP8 + String(repeating: "a=x\r\n", count: 2001), SL_SYNTAX, "too many lines"),
        (SampleOffer.singleVP8 + "a=" + String(repeating: "x", count: 3000), SL_SYNTAX, "too long"),
        (
            SampleOffer.singleVP8
                + String(repeating: "a=\(String(repeating: "x", count: 1000))\r\n", count: 70), SL_SYNTAX,
            "too large"
        ),
    ]

    @Test("what the router does not do is refused in one clear sentence", arguments: refusals)
    func refused(offer: String, status: Int, message: String) {
        let refusal = #expect(throws: RouterSDP.Refusal.self) { try RouterSDP.view(publisher: true, offer) }
        #expect(refusal?.status == status)
        #expect(refusal?.message.contains(message) == true, "\(refusal?.message ?? "none")")
    }

    @Test(
        "a subscriber without the stream's codec gets its audio",
        arguments: ["H264 constrained-baseline", nil])
    func missingCodec(codec: String?) throws {
        let known = codec == nil ? SampleOffer.vp9 : SampleOffer.vp8
        let types = codec == nil ? "98 99" : "96 97"
        let video = SampleOffer.video(known, payloadTypes: types, direction: "recvonly")
        for audioIsFirst in [true, false] {
            let audio = SampleOffer.audio(direction: "recvonly")
            let offer = audioIsFirst ? SampleOffer.make(audio, video) : SampleOffer.make(video, audio)
            let view = try RouterSDP.view(publisher: false, offer, codec: codec)
            let (heard, rejected) = audioIsFirst ? (0, 1) : (1, 0)
            #expect(view.sections[rejected].first == "m=video 0 UDP/TLS/RTP/SAVPF 0")
            #expect(view.sections[rejected].contains("a=mid:1"))
            #expect(view.sections[heard].contains("a=recvonly"))
            #expect(view.session.contains("a=group:BUNDLE 0"), "the transport is the audio's")
        }
    }

    @Test(
        "a subscriber whose offer stands on video that it cannot decode is refused",
        arguments: [
            SampleOffer.make(SampleOffer.video(SampleOffer.vp8, direction: "recvonly")),
            SampleOffer.make(
                SampleOffer.audio(direction: "inactive"),
                SampleOffer.video(SampleOffer.vp8, direction: "recvonly")),
            // Its transport is the one of all.
            SampleOffer.make(
                SampleOffer.video(SampleOffer.vp8, direction: "recvonly", mid: "0"),
                SampleOffer.audio(direction: "recvonly", mid: "1")),
        ])
    func nothingDecodable(offer: String) {
        let refusal = #expect(throws: RouterSDP.Refusal.self) {
            try RouterSDP.view(publisher: false, offer, codec: "H264 constrained-baseline")
        }
        #expect(refusal?.status == SL_UNSUPPORTED)
        #expect(refusal?.message.contains("H.264 constrained-baseline") == true)
    }

    @Test("whatever comes in, what comes out is made of known parts", arguments: Seed.draw(4))
    func fuzz(seed: UInt64) {
        var mutator = OfferMutator(seed: seed)
        var accepted = 0
        for _ in 0..<2500 {
            let (publisher, offer) = mutator.next()
            let codec = publisher ? nil : "VP8"
            guard let view = try? RouterSDP.view(publisher: publisher, offer, codec: codec) else { continue }
            accepted += 1
            checkView(view, seed: seed)
            let folded = RouterSDP.fold(offer: offer, answer: mutator.mutate(view.text))
            #expect(!publisher || folded != nil)
        }
        // The test would show nothing if nearly everything were refused.
        #expect(accepted > 250, "seed \(seed)")
    }

    private func checkView(_ view: SDPLines, seed: UInt64) {
        let known = [
            "a=mid:", "a=sendonly", "a=recvonly", "a=inactive", "a=ice-", "a=fingerprint:", "a=setup:",
            "a=rtcp-mux",
            "a=rtcp-rsize", "a=bundle-only", "a=candidate:", "a=extmap:", "a=msid:stream ", "a=rtpmap:",
            "a=fmtp:",
            "a=rtcp-fb:", "a=ssrc-group:FID ", "a=ssrc:", "a=sctp-port:5000", "c=IN IP4 0.0.0.0", "m=",
        ]
        let lines = view.sections.flatMap { $0 }
        #expect(
            lines.allSatisfy { line in known.contains { line.hasPrefix($0) } }, "seed \(seed): \(view.text)")
        let mids = view.sections.indices.flatMap { view.values("a=mid:", in: $0) }
        #expect(
            mids.count == view.sections.count && Set(mids).count == mids.count, "seed \(seed): \(view.text)")
        #expect(view.sections.count <= 6)
        let codecs = Set(
            lines.filter { $0.hasPrefix("a=rtpmap:") }.map {
                $0.split(separator: " ").last.map(String.init) ?? ""
            })
        #expect(
            codecs.isSubset(of: ["opus/48000/2", "VP8/90000", "H264/90000", "rtx/90000"]), "seed \(seed)")
    }
}
