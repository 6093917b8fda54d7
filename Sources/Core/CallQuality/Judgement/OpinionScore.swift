// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Mean opinion scores: the E-model for audio, a model of bits per pixel for video.
///
/// Both never rise as delay, loss or freezes grow, and are never out of range.
public struct OpinionScore: Sendable {
    private let rules: OpinionScoreRules

    /// Creates a calculator with its constants.
    public init(rules: OpinionScoreRules = OpinionScoreRules()) { self.rules = rules }

    /// The score of audio, `1...4.5`.
    ///
    /// - Parameters:
    ///   - roundTripTime: In seconds.
    ///   - jitterBufferDelay: In seconds.
    ///   - concealment: Share of the audio that was audibly concealed, `0...1`.
    /// - Returns: `nil` if one of them is not a number.
    public func audio(roundTripTime: Double, jitterBufferDelay: Double, concealment: Double) -> Double? {
        guard !roundTripTime.isNaN, !jitterBufferDelay.isNaN, !concealment.isNaN else { return nil }
        let seconds = max(0, roundTripTime) / 2 + max(0, jitterBufferDelay) + rules.fixedDelay
        let delay = seconds * 1000
        let loss = min(max(0, concealment), 1)
        let byDelay = rules.delayFactor * delay + rules.longDelayFactor * max(0, delay - rules.longDelay)
        let byLoss = rules.concealmentScale * log(1 + rules.concealmentFactor * loss)
        // The cubic rises again outside this range.
        let rating = min(max(0, rules.bestRating - byDelay - byLoss), 100)
        let score = 1 + 0.035 * rating + 7e-6 * rating * (rating - 60) * (100 - rating)
        return min(max(1, score), 4.5)
    }

    /// The score of video, `1...5`.
    ///
    /// - Parameters:
    ///   - size: Decoded size.
    ///   - wanted: The size that should come; a smaller one scores as what its bits are worth of that. `nil` if that is
    ///     not known.
    ///   - bitrate: Received media bits per second.
    ///   - frozen: Share of the time that video was frozen, `0...1`.
    ///   - isEncoderLimited: Whether the encoder was limited; else it sent what the content needed. `nil` if no one
    ///     says.
    /// - Returns: `nil` without a sensible size or rate, and where it is not known whether the encoder was limited: few
    ///   bits may be static video or poor video.
    public func video(
        size: VideoSize, wanted: VideoSize? = nil, bitrate: Double, frozen: Double, isEncoderLimited: Bool?
    ) -> Double? {
        guard size.width > 0, size.height > 0, bitrate.isFinite, bitrate >= 0, frozen.isFinite,
            let isEncoderLimited
        else { return nil }
        let base = max(rules.lowestVideoBitrate, 1)
        let sufficient = sufficientBitrate(size.pixels, base)
        let rate = isEncoderLimited ? min(bitrate, sufficient) : sufficient
        let target = sufficientBitrate(max(size.pixels, wanted?.pixels ?? 0), base)
        let full = 1 + 4 * log(max(rate, base) / base) / log(target / base)
        let shown = 1 - min(max(0, frozen), 1)
        return min(max(1, full * shown), 5)
    }

    /// The rate from which on a size does not get better, in bps.
    private func sufficientBitrate(_ pixels: Double, _ base: Double) -> Double {
        max(pow(10, 2.069924867 * pow(log10(pixels), 0.6250223771)), base * 1.01)
    }
}
