// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// From when on something about a whole call is a finding.
public struct FindingRules: Sendable, Equatable, Codable {
    /// Time from an own offer to its answer.
    public var answerDelay: Double = 5
    /// Time from the first check of ICE to a path.
    public var iceDelay: Double = 3
    /// Time from a path to encrypted media.
    public var dtlsDelay: Double = 2
    /// Time from the start of gathering to the first candidate found by STUN.
    public var stunDelay: Double = 3
    /// Time from the start of gathering to the first relay.
    public var turnDelay: Double = 3
    /// How long a connection that never came to be has to have been waited for; one that the app closes earlier was aborted.
    public var establishmentTime: Double = 10
    /// How long an interrupted connection has to have been interrupted in all.
    public var interruptedTime: Double = 2
    /// Lifetime below which a connection is a short one.
    public var shortConnection: Double = 30
    /// Number of short connections that are too many.
    public var shortConnections: Double = 3
    /// Number of reloads of the page in one session.
    public var reloads: Double = 2
    /// Share of reports in which the processor is under serious or critical pressure.
    public var processorPressure: Double = 0.2
    /// How long a stream has to have been sent or received for its means to say anything.
    public var trackTime: Double = 10
    /// Share of packets lost.
    public var fractionLost: Double = 0.03
    /// Mean jitter.
    public var jitter: Double = 0.05
    /// Mean round trip time.
    public var roundTripTime: Double = 0.4
    /// Share of the time in which the processor limits the encoder.
    public var limitedByCPU: Double = 0.1
    /// Share of the time in which bandwidth limits the encoder.
    public var limitedByBandwidth: Double = 0.3
    /// Share of the time in which something else limits the encoder.
    public var limitedByOther: Double = 0.2
    /// Mean time to encode a frame.
    public var encodeTime: Double = 0.033
    /// Mean time to decode a frame.
    public var decodeTime: Double = 0.033
    /// Share of the time in which video is frozen.
    public var frozen: Double = 0.03
    /// Share of the time in which video pauses.
    public var paused: Double = 0.1
    /// Share of audio that is audibly concealed.
    public var concealed: Double = 0.03
    /// Mean delay of audio in the jitter buffer and the loudspeaker together.
    public var playoutDelay: Double = 0.5
    /// Share of audio that the loudspeaker had to synthesize.
    public var synthesized: Double = 0.02
    /// Mean time that a packet waits to be sent.
    public var sendDelay: Double = 0.2
    /// Time from a received track's event to its first media.
    public var firstFrameDelay: Double = 5

    /// Median time by which audio is played before its video.
    public var audioAhead: Double = 0.09
    /// Median time by which audio is played after its video.
    public var audioBehind: Double = 0.185

    /// Creates the defaults.
    public init() {}

    /// Reads settings; what is omitted keeps its default.
    ///
    /// - Throws: `DecodingError` for a value of another type, and for a name that is no setting.
    public init(from decoder: any Decoder) throws {
        self.init()
        try update(from: decoder)
    }
}

extension FindingRules: Settings {
    static let settings: [Setting<FindingRules>] = [
        .number("answerDelay", \.answerDelay, .positive, .seconds),
        .number("iceDelay", \.iceDelay, .positive, .seconds),
        .number("dtlsDelay", \.dtlsDelay, .positive, .seconds),
        .number("stunDelay", \.stunDelay, .positive, .seconds),
        .number("turnDelay", \.turnDelay, .positive, .seconds),
        .number("establishmentTime", \.establishmentTime, .notNegative, .seconds),
        .number("interruptedTime", \.interruptedTime, .notNegative, .seconds),
        .number("shortConnection", \.shortConnection, .positive, .seconds),
        .number("shortConnections", \.shortConnections, .positive),
        .number("reloads", \.reloads, .positive),
        .number("processorPressure", \.processorPressure, .fraction, .share),
        .number("trackTime", \.trackTime, .notNegative, .seconds),
        .number("fractionLost", \.fractionLost, .fraction, .share),
        .number("jitter", \.jitter, .positive, .seconds),
        .number("roundTripTime", \.roundTripTime, .positive, .seconds),
        .number("limitedByCPU", \.limitedByCPU, .fraction, .share),
        .number("limitedByBandwidth", \.limitedByBandwidth, .fraction, .share),
        .number("limitedByOther", \.limitedByOther, .fraction, .share),
        .number("encodeTime", \.encodeTime, .positive, .seconds),
        .number("decodeTime", \.decodeTime, .positive, .seconds),
        .number("frozen", \.frozen, .fraction, .share),
        .number("paused", \.paused, .fraction, .share),
        .number("concealed", \.concealed, .fraction, .share),
        .number("playoutDelay", \.playoutDelay, .positive, .seconds),
        .number("synthesized", \.synthesized, .fraction, .share),
        .number("sendDelay", \.sendDelay, .positive, .seconds),
        .number("firstFrameDelay", \.firstFrameDelay, .positive, .seconds),
        .number("audioAhead", \.audioAhead, .positive, .seconds),
        .number("audioBehind", \.audioBehind, .positive, .seconds),
    ]
}
