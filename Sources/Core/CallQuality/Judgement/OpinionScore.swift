// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Mean opinion scores: the E-model for audio (ITU-T G.107, G.107.2), a parametric model for video (after ITU-T P.1203.1).
///
/// Both never rise as delay, loss, freezes, or quantization grow, and are never out of range.
public struct OpinionScore: Sendable {
    private let rules: OpinionScoreRules

    /// Creates a calculator with its constants.
    public init(rules: OpinionScoreRules = OpinionScoreRules()) { self.rules = rules }

    /// The score of audio, `1...4.5`.
    ///
    /// - Parameters:
    ///   - roundTripTime: From mouth to ear and back, in seconds; of all legs that are known.
    ///   - jitterBufferDelay: In seconds.
    ///   - concealment: Share of the audio that was audibly concealed, `0...1`.
    ///   - burstRatio: How many times longer the gaps are than if packets were lost independently, from 1 on
    ///     (G.107, 3.5).
    /// - Returns: `nil` if one of them is not a number.
    public func audio(
        roundTripTime: Double, jitterBufferDelay: Double, concealment: Double, burstRatio: Double = 1
    ) -> Double? {
        guard !roundTripTime.isNaN, !jitterBufferDelay.isNaN, !concealment.isNaN, !burstRatio.isNaN else {
            return nil
        }
        let seconds = max(0, roundTripTime) / 2 + max(0, jitterBufferDelay) + rules.fixedDelay
        let delay = seconds * 1000
        let byDelay = rules.delayFactor * delay + rules.longDelayFactor * max(0, delay - rules.longDelay)
        let percent = 100 * min(max(0, concealment), 1)
        let byLoss =
            rules.worstConcealment * percent / (percent / max(1, burstRatio) + rules.concealmentRobustness)
        // The cubic rises again outside this range.
        let rating = min(max(0, rules.bestRating - byDelay - byLoss), 100)
        let score = 1 + 0.035 * rating + 7e-6 * rating * (rating - 60) * (100 - rating)
        return min(max(1, score), 4.5)
    }

    /// The score of video, `1...5`.
    ///
    /// - Parameters:
    ///   - size: Decoded size.
    ///   - wanted: The size that should come; a smaller one is shown enlarged. `nil` if that is not known.
    ///   - bitrate: Received media bits per second.
    ///   - frozen: Share of the time that video was frozen, `0...1`.
    ///   - isEncoderLimited: Whether the encoder was limited; else it sent what the content needed. `nil` if no one
    ///     says. Counts only without `quantizer`.
    ///   - quantizer: The mean quantization parameter of the decoded frames as a share of the codec's largest, `0...1`;
    ///     `nil` if unknown.
    ///   - frameRate: Frames a second while video was not frozen; `nil` if unknown.
    /// - Returns: `nil` without a sensible size or rate, and where neither quantization nor the encoder's limitation is
    ///   known: few bits may be static video or poor video.
    public func video(
        size: VideoSize, wanted: VideoSize? = nil, bitrate: Double, frozen: Double, isEncoderLimited: Bool?,
        quantizer: Double? = nil, frameRate: Double? = nil
    ) -> Double? {
        guard size.width > 0, size.height > 0, bitrate.isFinite, bitrate >= 0, frozen.isFinite else {
            return nil
        }
        let shown = 1 - min(max(0, frozen), 1)
        // Nothing moved: that is known without more.
        if shown == 0 { return 1 }
        let coding =
            quantizer.flatMap(impairment(quantizer:))
            ?? isEncoderLimited.map { $0 ? impairment(bitrate: bitrate, pixels: size.pixels) : 0 }
        guard let coding else { return nil }
        let scaling = impairment(scale: max(1, (wanted?.pixels ?? 0) / size.pixels))
        let steps = frameRate.map(impairment(frameRate:)) ?? 0
        let quality = max(0, 100 - coding - scaling - steps) / 100
        return min(max(1, 1 + 4 * quality * pow(shown, rules.frozenExponent)), 5)
    }

    /// Coarse quantization, `0...100`.
    private func impairment(quantizer: Double) -> Double? {
        guard quantizer.isFinite else { return nil }
        let share = min(max(0, quantizer), 1)
        return 100 * rules.quantizerFactor * (exp(rules.quantizerGrowth * share) - 1)
            / (exp(rules.quantizerGrowth) - 1)
    }

    /// Too few bits for a size, `0...100`.
    private func impairment(bitrate: Double, pixels: Double) -> Double {
        let base = max(rules.lowestVideoBitrate, 1)
        let sufficient = max(pow(10, 2.069924867 * pow(log10(pixels), 0.6250223771)), base * 1.01)
        let rate = min(max(bitrate, base), sufficient)
        return 100 * (1 - log(rate / base) / log(sufficient / base))
    }

    /// Enlarged video: by how many pixels one decoded pixel is shown (P.1203.1, Du).
    private func impairment(scale: Double) -> Double {
        max(0, rules.upscalingFactor * log10(rules.upscalingGrowth * (scale - 1) + 1))
    }

    /// Frames so far apart that movement is not smooth (P.1203.1, Dt).
    private func impairment(frameRate: Double) -> Double {
        guard frameRate.isFinite, frameRate >= 0, frameRate < rules.smoothFrameRate else { return 0 }
        let missing = 1 - frameRate / rules.smoothFrameRate
        return rules.frameRateFactor * missing / (1 + frameRate / rules.halfFrameRate)
    }
}
