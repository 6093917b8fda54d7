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
            let largest = codec.flatMap(largest)
        else { return nil }
        return min(Double(sum) / Double(frames) / largest, 1)
    }

    /// RFC 6386 (9.6), the VP9 and AV1 bitstreams' base_q_idx, H.264 (7.4.2.2), H.265 (7.4.3.3).
    private static func largest(_ codec: String) -> Double? {
        switch codec {
        case "VP8": 127
        case "VP9", "AV1": 255
        case "H264", "H265": 51
        default: inCapitals(codec).flatMap(largest)
        }
    }

    /// `nil` if it is already.
    private static func inCapitals(_ codec: String) -> String? {
        let capitals = codec.uppercased()
        return capitals == codec ? nil : capitals
    }
}
