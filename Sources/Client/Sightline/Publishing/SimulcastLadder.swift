// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// Which layers a video is sent in.
public struct Simulcast: Sendable, Equatable {
    private enum Choice: Equatable {
        case automatic
        case off
        case layers([Encoding])
    }

    private let choice: Choice

    /// Three layers from 960x540 on, two from 480x270 on, else one; each a half of the next, with a bitrate
    /// that suits its size (150 kbps at 320x180, 500 at 640x360, 1500 at 1280x720).
    public static let automatic = Simulcast(choice: .automatic)
    /// One encoding, of the bitrate that suits its size.
    public static let off = Simulcast(choice: .off)
    /// Layers of the caller's own, small to large.
    ///
    /// Each of several needs a `rid`.
    public static func layers(_ layers: [Encoding]) -> Simulcast { Simulcast(choice: .layers(layers)) }

    /// The encodings for video of a size.
    ///
    /// - Throws: ``SightlineError`` with code `invalidArgument` if the caller's own layers do not make a
    ///   ladder.
    func encodings(for size: VideoSize) throws(SightlineError) -> [Encoding] {
        switch choice {
        case .automatic: return Self.ladder(for: size, scales: Self.scales(for: size))
        case .off: return Self.ladder(for: size, scales: [1])
        case .layers(let layers):
            try Self.check(layers)
            return layers
        }
    }

    /// Bitrate of video of that size at 30 frames a second in bps, interpolated between known points.
    static func bitrate(for size: VideoSize) -> Int {
        let points: [(pixels: Double, rate: Double)] = [
            (320 * 180, 150_000), (640 * 360, 500_000), (1280 * 720, 1_500_000), (1920 * 1080, 3_000_000),
        ]
        guard let upper = points.firstIndex(where: { $0.pixels >= size.pixels }) else { return 3_000_000 }
        guard upper > 0 else { return 150_000 }
        let (low, high) = (points[upper - 1], points[upper])
        let share = (size.pixels - low.pixels) / (high.pixels - low.pixels)
        return Int(low.rate + share * (high.rate - low.rate))
    }

    /// libwebrtc encodes no more layers than these for a size.
    private static func scales(for size: VideoSize) -> [Double] {
        switch size.pixels {
        case (960 * 540)...: [4, 2, 1]
        case (480 * 270)...: [2, 1]
        default: [1]
        }
    }

    private static func ladder(for size: VideoSize, scales: [Double]) -> [Encoding] {
        let names: [Double: String] = [4: "q", 2: "h", 1: "f"]
        return scales.map { scale in
            let scaled = VideoSize(
                width: Int(Double(size.width) / scale), height: Int(Double(size.height) / scale))
            return Encoding(
                rid: scales.count > 1 ? names[scale] : nil, maxBitrate: bitrate(for: scaled),
                scaleResolutionDownBy: scale)
        }
    }

    private static func check(_ layers: [Encoding]) throws(SightlineError) {
        let rids = layers.compactMap(\.rid)
        guard !layers.isEmpty, layers.allSatisfy({ $0.scaleResolutionDownBy >= 1 }) else {
            throw SightlineError(
                .invalidArgument, "a layer is scaled down by 1 or more, and there is at least one")
        }
        guard layers.count == 1 || (rids.count == layers.count && Set(rids).count == rids.count) else {
            throw SightlineError(.invalidArgument, "each of several layers needs a rid of its own")
        }
    }
}
