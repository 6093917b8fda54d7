// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// How much the wanted media need.
enum Demand {
    /// What a transport's streams need in one direction, in bps.
    ///
    /// - Returns: `nil` if no stream goes that way, or if it is not known what one of them wants.
    static func total(of intents: [MediaIntent], _ role: StreamRole, _ leg: SenderMetrics?) -> Double? {
        var sum: Double?
        for intent in intents where intent.role ?? role == role {
            guard let audio = audio(intent.audio), let video = video(intent.video, role, leg) else {
                return nil
            }
            sum = (sum ?? 0) + audio + video
        }
        return sum
    }

    /// What a stream's audio needs, in bps; `nil` if unknown.
    static func audio(_ intent: AudioIntent?) -> Double? {
        guard let intent else { return nil }
        return intent.enabled == false ? 0 : intent.maximumBitrate?.ifSane
    }

    /// What a stream's video needs, in bps; `nil` if unknown.
    static func video(_ intent: VideoIntent?, _ role: StreamRole, _ leg: SenderMetrics?) -> Double? {
        guard let intent else { return nil }
        if role == .subscriber, let leg, leg.isSuppressed {
            // What is switched off because it does not fit is still wanted.
            return
                ((leg.reason == .fallback ? leg.lowestLayer : nil) ?? leg.wantedLayer ?? intent.wantedLayer)?
                .maximumBitrate?.ifSane
        }
        guard intent.isWanted else { return 0 }
        switch role {
        case .publisher: return layers(intent.layers)
        case .subscriber: return (leg?.wantedLayer ?? intent.wantedLayer)?.maximumBitrate?.ifSane
        }
    }

    private static func layers(_ layers: [LayerIntent]?) -> Double? {
        guard let layers else { return nil }
        var sum = 0.0
        for layer in layers where layer.enabled {
            guard let maximum = layer.maximumBitrate?.ifSane else { return nil }
            sum += maximum
        }
        return sum
    }
}

extension VideoIntent {
    /// Whether video is wanted, as far as is known.
    var isWanted: Bool { enabled != false && isCapturing != false }
}
