// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality

/// The newest figures of one end of a stream, as text for people.
struct ParticipantFigures: Sendable {
    let participant: String
    let role: StreamRole
    private(set) var stream: String?
    private(set) var video = NumberFormat.absent
    private(set) var layers: String?
    private(set) var audio = NumberFormat.absent
    private(set) var link = NumberFormat.absent
    /// The participant's network quality level.
    private(set) var level = NetworkQualityLevel.unknown
    private(set) var diagnosis = Diagnosis()

    init(participant: String, role: StreamRole) {
        self.participant = participant
        self.role = role
    }

    /// `alice publishes`.
    var title: String { "\(participant) \(role == .publisher ? "publishes" : "receives")" }

    /// Signal bars; `nil` while the level is unknown.
    var signal: String? { JudgementText.signal(level) }
    /// What is wrong; `nil` if nothing is.
    var problem: String? { JudgementText.problem(diagnosis) }

    mutating func handle(_ event: CallEvent) {
        stream = event.stream ?? stream
        switch event.kind {
        case .publisherVideo(let stats): handle(stats)
        case .publisherAudio(let stats): audio = stats.first.map(Self.text) ?? NumberFormat.absent
        case .publisherMediaLink(let stats):
            link = stats.first.map { Self.text($0.transport) } ?? NumberFormat.absent
        case .subscriberVideo(let stats): video = Self.text(stats)
        case .subscriberAudio(let stats): audio = Self.text(stats)
        case .subscriberMediaLink(let stats): link = Self.text(stats.transport)
        case .judgement(let diagnosis, let level): (self.diagnosis, self.level) = (diagnosis, level)
        default: break
        }
    }

    private mutating func handle(_ stats: [PublisherVideoNetworkStats]) {
        guard let first = stats.first else { return video = NumberFormat.absent }
        let sending = first.videoLayers.filter { $0.sending == true }
        let largest = sending.last
        let total = sending.isEmpty ? nil : sending.compactMap(\.bitrate).reduce(0, +)
        video = [
            NumberFormat.size(largest?.width, largest?.height),
            NumberFormat.frameRate(largest?.encodedFrameRate),
            NumberFormat.rate(total), "lost \(NumberFormat.percent(first.fractionLost))",
            largest?.codec ?? "",
        ].filter { !$0.isEmpty }.joined(separator: "  ")
        layers = first.videoLayers.count < 2 ? nil : first.videoLayers.map(Self.text).joined(separator: " · ")
    }

    private static func text(_ layer: PublisherVideoLayerStats) -> String {
        let state =
            layer.enabled == false
            ? "off" : layer.sending == true ? NumberFormat.rate(layer.bitrate) : "not sending"
        let why = layer.qualityLimitationReason.flatMap { $0 == .none ? nil : " (\($0.label))" } ?? ""
        return "\(layer.rid ?? "layer") \(NumberFormat.size(layer.width, layer.height)) \(state)\(why)"
    }

    private static func text(_ stats: PublisherAudioNetworkStats) -> String {
        [
            NumberFormat.rate(stats.bitrate), "level \(NumberFormat.plain(stats.audioLevel, decimals: 2))",
            "lost \(NumberFormat.percent(stats.fractionLost))",
        ].joined(separator: "  ")
    }

    private static func text(_ stats: SubscriberAudioNetworkStats) -> String {
        [
            NumberFormat.rate(stats.bitrate), "level \(NumberFormat.plain(stats.audioLevel, decimals: 2))",
            "lost \(NumberFormat.percent(stats.fractionLost))",
            "concealed \(NumberFormat.percent(stats.concealment))",
        ].joined(separator: "  ")
    }

    private static func text(_ stats: SubscriberVideoNetworkStats) -> String {
        [
            NumberFormat.size(stats.width, stats.height), NumberFormat.frameRate(stats.decodedFrameRate),
            NumberFormat.rate(stats.bitrate), "lost \(NumberFormat.percent(stats.fractionLost))",
            "freezes \(NumberFormat.count(stats.freezeCount))", stats.codec ?? "",
        ].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private static func text(_ transport: TransportStats) -> String {
        [
            "estimate \(NumberFormat.rate(transport.connectionEstimatedBandwidth))",
            "RTT \(NumberFormat.milliseconds(transport.roundTripTime))",
            "lost \(NumberFormat.percent(transport.fractionLost))",
            "condition \(transport.networkCondition.label)",
        ].joined(separator: "  ")
    }
}
