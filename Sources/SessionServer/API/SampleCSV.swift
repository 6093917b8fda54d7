// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallStore
import SessionProtocol

/// Samples as comma-separated values (RFC 4180); what is absent is an empty field.
enum SampleCSV {
    private typealias Field = (name: String, value: @Sendable (SampleEntry) -> String?)

    /// The first line.
    static var header: String { fields.map(\.name).joined(separator: ",") + "\r\n" }

    /// The other lines.
    static func lines(_ samples: [SampleEntry]) -> String {
        samples.map { sample in
            fields.map { escape($0.value(sample) ?? "") }.joined(separator: ",") + "\r\n"
        }.joined()
    }

    private static let fields: [Field] =
        place + judgement + media("audio") { $0.audio } + media("video") { $0.video }

    private static let place: [Field] = [
        ("time", { number($0.time) }), ("session", { $0.flow.session }),
        ("connection", { $0.flow.connection }), ("stream", { $0.flow.stream }), ("role", { $0.flow.role }),
        ("observer", { $0.observer.name }),
    ]

    private static let judgement: [Field] = [
        ("networkCondition", { $0.sample.networkCondition }),
        ("networkConditionReason", { $0.sample.networkConditionReason }),
        ("connectionEstimatedBandwidth", { number($0.sample.connectionEstimatedBandwidth) }),
        ("roundTripTime", { number($0.sample.roundTripTime) }),
        ("fractionLost", { number($0.sample.fractionLost) }),
        ("bandwidthDemand", { number($0.sample.bandwidthDemand) }),
        ("remoteNetworkCondition", { $0.sample.remoteNetworkCondition }),
        ("remoteNetworkConditionReason", { $0.sample.remoteNetworkConditionReason }),
        ("networkDegradationSource", { $0.sample.networkDegradationSource }),
        ("cause", { $0.sample.diagnosis?.cause }), ("direction", { $0.sample.diagnosis?.direction }),
        ("side", { $0.sample.diagnosis?.side }),
        ("severity", { $0.sample.diagnosis?.severity.map(String.init) }),
    ]

    private static func media(
        _ kind: String, _ media: @escaping @Sendable (TelemetrySample) -> TelemetrySample.Media?
    ) -> [Field] {
        func field(
            _ name: String, _ value: @escaping @Sendable (TelemetrySample.Media) -> String?
        ) -> Field {
            ("\(kind).\(name)", { media($0.sample).flatMap(value) })
        }
        let both = [
            field("packets") { $0.packets.map(String.init) },
            field("packetsLost") { $0.packetsLost.map(String.init) },
            field("bytes") { $0.bytes.map(String.init) }, field("bitrate") { number($0.bitrate) },
            field("jitter") { number($0.jitter) }, field("mos") { number($0.mos) },
        ]
        if kind == "audio" { return both + [field("audioLevel") { number($0.audioLevel) }] }
        return both + [
            field("width") { $0.width.map(String.init) }, field("height") { $0.height.map(String.init) },
            field("frameRate") { number($0.frameRate) },
            field("framesSent") { $0.framesSent.map(String.init) },
            field("freezeCount") { $0.freezeCount.map(String.init) },
            field("totalFreezesDuration") { number($0.totalFreezesDuration) },
            field("pauseCount") { $0.pauseCount.map(String.init) },
            field("totalPausesDuration") { number($0.totalPausesDuration) },
            field("qualityLimitationReason") { $0.qualityLimitationReason },
        ] + (0..<TelemetrySample.Media.layerLimit).flatMap(layer)
    }

    /// A sender's layers from the smallest on.
    private static func layer(_ index: Int) -> [Field] {
        func field(
            _ name: String, _ value: @escaping @Sendable (TelemetryLayer) -> String?
        ) -> Field {
            (
                "video.layer\(index + 1).\(name)",
                { entry in
                    let layers = entry.sample.video?.layers ?? []
                    return layers.indices.contains(index) ? value(layers[index]) : nil
                }
            )
        }
        return [
            field("rid") { $0.rid }, field("enabled") { $0.enabled.map(String.init) },
            field("sending") { $0.sending.map(String.init) }, field("width") { $0.width.map(String.init) },
            field("height") { $0.height.map(String.init) }, field("frameRate") { number($0.frameRate) },
            field("bitrate") { number($0.bitrate) },
        ]
    }

    /// Whole numbers without a fraction.
    private static func number(_ value: Double?) -> String? {
        guard let value else { return nil }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    private static func escape(_ text: String) -> String {
        guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
