// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// What a figure or word of a sample means, for whoever reads it, and where it comes from.
package struct FigureMeaning: Sendable {
    /// What it says, in a sentence without its unit.
    package let text: String
    /// Where its definition is.
    package let source: String

    fileprivate init(_ text: String, _ source: String) {
        self.text = text
        self.source = source
    }
}

/// The meaning of every figure and word of ``SampleFigures``, by its name.
extension FigureMeaning {
    private static let statistics = "W3C webrtc-stats"
    private static let rules = "the quality model"

    package static let path: [String: FigureMeaning] = [
        "networkCondition": .init(
            "how well the path carries what is wanted of it; the lower of what loss and bandwidth say", rules),
        "networkConditionReason": .init("what drives the condition", rules),
        "remoteNetworkCondition": .init("the same of the publisher’s uplink, at a subscriber", rules),
        "remoteNetworkConditionReason": .init("what drives the publisher’s", rules),
        "networkDegradationSource": .init(
            "whose network is to blame, as the receiver sees it: `remote` is the sender’s", rules),
        "connectionEstimatedBandwidth": .init(
            "what congestion control thinks the path carries in the direction of the stream; none where no one estimates it",
            "`availableOutgoingBitrate`, \(statistics)"),
        "roundTripTime": .init(
            "there and back between this end and the other end of its peer connection, which may be a server",
            "`currentRoundTripTime`, \(statistics)"),
        "fractionLost": .init(
            "packets that the network lost before repair, of those sent, over the last seconds", "RFC 3550"),
        "bandwidthDemand": .init("what the media that are wanted need together", rules),
    ]

    package static let diagnosis: [String: FigureMeaning] = [
        "cause": .init("what is wrong", "`Cause.swift`"),
        "direction": .init(
            "in which direction it is wrong, seen from this client; none for faults of a device", rules),
        "side": .init("whose it is, at a subscriber", rules),
        "confidence": .init("how sure the cause is", rules),
        "runnerUp": .init("the cause that comes next, if another one would explain it", rules),
        "severity": .init("how much a person notices: 1 noticeable, 2 disturbing, 3 bad, 4 unusable", rules),
        "since": .init("when this diagnosis began, by the clock of the client that made it", rules),
    ]

    package static let evidence: [String: FigureMeaning] = [
        "fractionLost": .init("the network loss that the diagnosis rests on", "RFC 3550"),
        "roundTripTime": .init("the round trip time that it rests on", statistics),
        "jitter": .init("the jitter that it rests on", "RFC 3550, 6.4.1"),
        "estimatedBandwidth": .init("the estimate that it rests on", statistics),
        "demand": .init("the demand that it rests on", rules),
    ]

    package static let media: [String: FigureMeaning] = [
        "packets": .init(
            "packets sent or received so far; continues over restarts and new SSRCs", statistics),
        "packetsLost": .init("packets that the network lost so far, before repair", "RFC 3550"),
        "bytes": .init("payload sent or received so far, without headers", statistics),
        "bitrate": .init("payload in the last interval, without headers and retransmissions", statistics),
        "maximumBitrate": .init("the most that the sender may use", "the app’s settings"),
        "fractionLost": .init(
            "packets of this medium that the network lost in the last interval, before repair", "RFC 3550"),
        "jitter": .init(
            "variation of the time that packets take; of video also the pacing of large frames",
            "RFC 3550, 6.4.1"),
        "mos": .init(
            "an estimate of what people would say, not rounded; audio by its delay and concealment, video by size, rate and freezes",
            "ITU-T G.107 (audio); ours (video)"),
        "jitterBufferDelay": .init(
            "how long audio waits before it is played, on average", "`jitterBufferDelay`, \(statistics)"),
        "audioLevel": .init(
            "how loud the audio is; 1 is the loudest that there is", "`audioLevel`, \(statistics)"),
        "concealment": .init(
            "the share of what was played that the receiver made up audibly, because it did not come in time",
            "`concealedSamples`, \(statistics)"),
        "mouthToEarDelay": .init(
            "how long audio takes from mouth to ear, as far as it is known: half the round trip of each leg, jitter buffer, loudspeaker, and 20 ms of coding; none where a leg is not known",
            "ITU-T G.114"),
        "avSync": .init(
            "how far the audio that is heard is ahead of the video that is seen; below zero, behind it",
            "`estimatedPlayoutTimestamp`, \(statistics)"),
        "residualFractionLost": .init("packets that are missing after retransmission", "RFC 3611"),
        "width": .init("of the frames; of several layers, of the largest that is sent", statistics),
        "height": .init("of the frames; of several layers, of the largest that is sent", statistics),
        "frameRate": .init("frames encoded, or decoded, in the last interval", statistics),
        "capturedFrameRate": .init(
            "frames that the camera gave in the last interval", "`framesPerSecond`, \(statistics)"),
        "framesSent": .init("frames sent so far", statistics),
        "freezeCount": .init(
            "gaps that people see as a standing image, so far",
            "`freezeCount`, \(statistics); of engines without it from the times between frames"),
        "totalFreezesDuration": .init(
            "how long frames stood still so far", "`totalFreezesDuration`, \(statistics)"),
        "pauseCount": .init(
            "gaps of more than 5 s without a frame so far, switched-off video included; a shared screen that did not change does not count",
            "`pauseCount`, \(statistics)"),
        "totalPausesDuration": .init("how long they lasted so far", "`totalPausesDuration`, \(statistics)"),
        "qualityLimitationReason": .init(
            "why the encoder sends less than it is set to", "`qualityLimitationReason`, \(statistics)"),
    ]

    package static let layer: [String: FigureMeaning] = [
        "width": .init("of the layer’s frames", statistics),
        "height": .init("of the layer’s frames", statistics),
        "frameRate": .init("frames of the layer in the last interval", statistics),
        "bitrate": .init("payload of the layer in the last interval", statistics),
    ]
}
