// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Offers as libwebrtc and browsers write them, put together from parts.
enum SampleOffer {
    static let session = """
        v=0
        o=- 4374943083046416622 2 IN IP4 127.0.0.1
        s=-
        t=0 0
        a=group:BUNDLE 0 1
        a=extmap-allow-mixed
        a=msid-semantic: WMS stream
        """

    static let transport = """
        c=IN IP4 0.0.0.0
        a=rtcp:9 IN IP4 0.0.0.0
        a=ice-ufrag:W+6a
        a=ice-pwd:jkMndMAYG9pFMDwYjwK/yMZG
        a=ice-options:trickle
        a=fingerprint:sha-256 40:9D:F3:95:9A:CD:38:FC:B1:55:59:80:6B:54:8C:34:50:AA:CD:8A:24:A6:57:B6:D5:D9:C9:78:07:E0:6C:1A
        a=setup:actpass
        a=rtcp-mux
        """

    static func audio(direction: String = "sendonly", mid: String = "0") -> String {
        """
        m=audio 9 UDP/TLS/RTP/SAVPF 111 63 0 8
        \(transport)
        a=mid:\(mid)
        a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
        a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=\(direction)
        a=msid:stream microphone
        a=rtpmap:111 opus/48000/2
        a=rtcp-fb:111 transport-cc
        a=fmtp:111 minptime=10;useinbandfec=1;x-google-min-bitrate=900
        a=rtpmap:63 red/48000/2
        a=fmtp:63 111/111
        a=rtpmap:0 PCMU/8000
        a=rtpmap:8 PCMA/8000
        a=ssrc:2371005963 cname:name
        a=ssrc:2371005963 msid:stream microphone
        """
    }

    static let vp8 = """
        a=rtpmap:96 VP8/90000
        a=rtcp-fb:96 goog-remb
        a=rtcp-fb:96 transport-cc
        a=rtcp-fb:96 ccm fir
        a=rtcp-fb:96 nack
        a=rtcp-fb:96 nack pli
        a=fmtp:96 x-google-min-bitrate=9000;x-google-max-bitrate=10
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        """

    static let vp9 = """
        a=rtpmap:98 VP9/90000
        a=fmtp:98 profile-id=0
        a=rtpmap:99 rtx/90000
        a=fmtp:99 apt=98
        """

    static let h264 = """
        a=rtpmap:102 H264/90000
        a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f
        a=rtpmap:104 H264/90000
        a=fmtp:104 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
        a=rtpmap:105 rtx/90000
        a=fmtp:105 apt=104
        """

    static let simulcast = """
        a=rid:q send
        a=rid:h send max-width=640
        a=rid:f send
        a=simulcast:send q;h;~f
        """

    static let sources = """
        a=ssrc-group:FID 1001 1002
        a=ssrc:1001 cname:name
        a=ssrc:1002 cname:name
        """

    static func video(
        _ parts: String..., payloadTypes: String = "96 97", direction: String = "sendonly", mid: String = "1"
    ) -> String {
        """
        m=video 9 UDP/TLS/RTP/SAVPF \(payloadTypes)
        \(transport)
        a=mid:\(mid)
        a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time
        a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
        a=extmap:13 urn:3gpp:video-orientation
        a=extmap:5 http://www.webrtc.org/experiments/rtp-hdrext/playout-delay
        a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid
        a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id
        a=extmap:11 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id
        a=rtcp-rsize
        a=\(direction)
        a=msid:stream camera
        \(parts.joined(separator: "\n"))
        """
    }

    static func make(_ sections: String..., session: String = SampleOffer.session) -> String {
        ([session] + sections).joined(separator: "\n").split(separator: "\n").joined(separator: "\r\n")
            + "\r\n"
    }

    static let simulcastVP8 = make(audio(), video(vp8, simulcast))
    static let singleVP8 = make(audio(), video(vp8, sources))
    static let singleH264 = make(audio(), video(h264, payloadTypes: "102 104 105"))
    static let receiving = make(
        audio(direction: "recvonly"),
        video(vp9, vp8, h264, payloadTypes: "98 99 96 97 102 104 105", direction: "recvonly"))
}
