// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What `getStats()` says of a peer connection of audio and video whose counters have run for a while, as JSON.
struct WrittenReport {
    /// Seconds since the beginning.
    let seconds: Int
    /// Which connection it is; its own SSRCs follow from it.
    let number: Int

    private static let start = 1_700_000_000_000
    /// Packets a second.
    private static let rates = (audio: 50, video: 150)

    /// When it was read, Unix ms.
    var time: Int { Self.start + 1000 * seconds }
    private var half: Double { Double(seconds) / 2 }
    private var ssrc: Int { 1000 + 10 * number }

    /// The peer connection sends audio and video.
    var sending: [String] {
        [
            sent("audio", ssrc, Self.rates.audio, 80),
            sent(
                "video", ssrc + 1, Self.rates.video, 1000,
                #","frameWidth":640,"frameHeight":360,"framesPerSecond":30,"framesEncoded":\#(30 * seconds),"framesSent":\#(30 * seconds),"totalEncodeTime":\#(half),"qualityLimitationReason":"none""#
            ),
        ]
    }

    /// The peer connection receives audio and video of another one.
    func receiving(from other: Int) -> [String] {
        let ssrc = 1000 + 10 * other
        return [
            received(
                "audio", ssrc, Self.rates.audio, 80,
                #","audioLevel":0.2,"totalAudioEnergy":\#(half),"totalSamplesDuration":\#(seconds),"totalSamplesReceived":\#(48_000 * seconds),"concealedSamples":0,"silentConcealedSamples":0"#
            ),
            received(
                "video", ssrc + 1, Self.rates.video, 1000,
                #","frameWidth":640,"frameHeight":360,"framesPerSecond":30,"framesReceived":\#(30 * seconds),"framesDecoded":\#(30 * seconds),"framesDropped":0,"totalDecodeTime":\#(half),"freezeCount":0,"totalFreezesDuration":0,"pauseCount":0,"totalPausesDuration":0"#
            ),
        ]
    }

    /// Its path and its codecs.
    var connection: [String] {
        [
            #"{"id":"T","type":"transport","timestamp":\#(time),"selectedCandidatePairId":"P","iceState":"connected"}"#,
            #"{"id":"P","type":"candidate-pair","timestamp":\#(time),"state":"succeeded","nominated":true,"localCandidateId":"L","remoteCandidateId":"M","availableOutgoingBitrate":2500000,"currentRoundTripTime":0.04,"totalRoundTripTime":\#(half),"requestsSent":\#(seconds),"responsesReceived":\#(seconds),"bytesSent":\#(154_000 * seconds),"bytesReceived":\#(154_000 * seconds)}"#,
            #"{"id":"L","type":"local-candidate","timestamp":\#(time),"candidateType":"host","protocol":"udp","networkType":"wifi"}"#,
            #"{"id":"M","type":"remote-candidate","timestamp":\#(time),"candidateType":"srflx","protocol":"udp"}"#,
            #"{"id":"Caudio","type":"codec","timestamp":\#(time),"mimeType":"audio/opus"}"#,
            #"{"id":"Cvideo","type":"codec","timestamp":\#(time),"mimeType":"video/VP8"}"#,
        ]
    }

    private func sent(_ kind: String, _ ssrc: Int, _ rate: Int, _ size: Int, _ more: String = "") -> String {
        let packets = rate * seconds
        return """
            {"id":"O\(kind)","type":"outbound-rtp","timestamp":\(time),"kind":"\(kind)","ssrc":\(ssrc),"mid":"0",\
            "codecId":"C\(kind)","packetsSent":\(packets),"bytesSent":\(packets * size),"headerBytesSent":\(packets * 28),\
            "retransmittedPacketsSent":0,"retransmittedBytesSent":0,"targetBitrate":\(size * 1200),"nackCount":0,\
            "totalPacketSendDelay":\(half / 5),"active":true\(more)},\
            {"id":"R\(kind)","type":"remote-inbound-rtp","timestamp":\(time),"kind":"\(kind)","ssrc":\(ssrc),\
            "localId":"O\(kind)","packetsLost":\(seconds / 20),"jitter":0.004,"roundTripTime":0.04\(seconds % 10),\
            "roundTripTimeMeasurements":\(seconds),"totalRoundTripTime":\(half),"fractionLost":0}
            """
    }

    private func received(_ kind: String, _ ssrc: Int, _ rate: Int, _ size: Int, _ more: String) -> String {
        let packets = rate * seconds
        return """
            {"id":"I\(kind)","type":"inbound-rtp","timestamp":\(time),"kind":"\(kind)","ssrc":\(ssrc),"mid":"1",\
            "codecId":"C\(kind)","packetsReceived":\(packets),"packetsLost":\(seconds / 20),"jitter":0.003,\
            "bytesReceived":\(packets * size),"headerBytesReceived":\(packets * 28),"jitterBufferDelay":\(half),\
            "jitterBufferEmittedCount":\(packets * 480),"nackCount":0\(more)}
            """
    }
}
