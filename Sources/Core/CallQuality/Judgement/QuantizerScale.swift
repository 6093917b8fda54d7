// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The scales of codecs' quantization parameters.
enum QuantizerScale {
    /// The mean parameter of a tick's frames as a share of the codec's largest, `0...1`; `nil` if it is not known.
    static func share(_ delta: InboundDelta?, codec: String?) -> Double? {
        share(delta?.quantization, of: delta?.frames, codec: codec)
    }

    /// The same of frames that were encoded.
    static func share(_ delta: OutboundDelta, codec: String?) -> Double? {
        share(delta.quantization, of: delta.frames, codec: codec)
    }

    private static func share(_ sum: Increment?, of frames: Increment?, codec: String?) -> Double? {
        guard let sum = sum?.amount, let frames = frames?.amount, frames > 0, sum > 0,
            let largest = codec.flatMap({ largest[$0.uppercased()] })
        else { return nil }
        return min(Double(sum) / Double(frames) / largest, 1)
    }

    /// RFC 6386 (9.6), the VP9 and AV1 bitstreams' base_q_idx, H.264 (7.4.2.2), H.265 (7.4.3.3).
    private static let largest: [String: Double] = [
        "VP8": 127, "VP9": 255, "AV1": 255, "H264": 51, "H265": 51,
    ]
}
