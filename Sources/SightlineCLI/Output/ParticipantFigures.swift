// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// The newest figures of one end of a stream, as text for people.
struct ParticipantFigures: Sendable {
    let participant: String
    let role: StreamRole
    private(set) var stream: String?
    private(set) var video = Figures.absent
    private(set) var layers: String?
    private(set) var audio = Figures.absent
    private(set) var link = Figures.absent
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
        case .publisherAudio(let stats): audio = stats.first.map(Self.text) ?? Figures.absent
        case .publisherMediaLink(let stats):
            link = stats.first.map { Self.text($0.transport) } ?? Figures.absent
        case .subscriberVideo(let stats): video = Self.text(stats)
        case .subscriberAudio(let stats): audio = Self.text(stats)
        case .subscriberMediaLink(let stats): link = Self.text(stats.transport)
        case .judgement(let diagnosis, let level): (self.diagnosis, self.level) = (diagnosis, level)
        default: break
        }
    }

    private mutating func handle(_ stats: [PublisherVideoNetworkStats]) {
        guard let first = stats.first else { return video = Figures.absent }
        let sending = first.videoLayers.filter { $0.sending == true }
        let largest = sending.last
        let total = sending.isEmpty ? nil : sending.compactMap(\.bitrate).reduce(0, +)
        video = [
            Figures.size(largest?.width, largest?.height), Figures.frameRate(largest?.encodedFrameRate),
            Figures.rate(total), "lost \(Figures.share(first.fractionLost))", largest?.codec ?? "",
        ].filter { !$0.isEmpty }.joined(separator: "  ")
        layers = first.videoLayers.count < 2 ? nil : first.videoLayers.map(Self.text).joined(separator: " · ")
    }

    private static func text(_ layer: PublisherVideoLayerStats) -> String {
        let state =
            layer.enabled == false
            ? "off" : layer.sending == true ? Figures.rate(layer.bitrate) : "not sending"
        let why = layer.qualityLimitationReason.flatMap { $0 == .none ? nil : " (\($0.label))" } ?? ""
        return "\(layer.rid ?? "layer") \(Figures.size(layer.width, layer.height)) \(state)\(why)"
    }

    private static func text(_ stats: PublisherAudioNetworkStats) -> String {
        [
            Figures.rate(stats.bitrate), "level \(Figures.level(stats.audioLevel))",
            "lost \(Figures.share(stats.fractionLost))",
        ].joined(separator: "  ")
    }

    private static func text(_ stats: SubscriberAudioNetworkStats) -> String {
        [
            Figures.rate(stats.bitrate), "level \(Figures.level(stats.audioLevel))",
            "lost \(Figures.share(stats.fractionLost))", "concealed \(Figures.share(stats.concealment))",
        ].joined(separator: "  ")
    }

    private static func text(_ stats: SubscriberVideoNetworkStats) -> String {
        [
            Figures.size(stats.width, stats.height), Figures.frameRate(stats.decodedFrameRate),
            Figures.rate(stats.bitrate), "lost \(Figures.share(stats.fractionLost))",
            "freezes \(Figures.count(stats.freezeCount))", stats.codec ?? "",
        ].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private static func text(_ transport: TransportStats) -> String {
        [
            "estimate \(Figures.rate(transport.connectionEstimatedBandwidth))",
            "RTT \(Figures.delay(transport.roundTripTime))",
            "lost \(Figures.share(transport.fractionLost))", "condition \(transport.networkCondition.label)",
        ].joined(separator: "  ")
    }
}
