// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel

/// A video's layers in few bytes: of each a byte that says what follows, then that.
///
/// Numbers are LEB128, seven bits a byte, the least first; frame rates are in hundredths. Append-only: bits
/// keep their meaning for as long as there are stores that hold them.
package enum LayerBlob {
    private enum Bit {
        static let knowsEnabled: UInt8 = 1
        static let isEnabled: UInt8 = 2
        static let knowsSending: UInt8 = 4
        static let isSending: UInt8 = 8
        static let hasSize: UInt8 = 16
        static let hasFrameRate: UInt8 = 32
        static let hasBitrate: UInt8 = 64
        static let hasRID: UInt8 = 128
    }

    /// Three layers take some 40 bytes.
    package static func bytes(_ layers: [LayerFigures]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 * layers.count)
        for layer in layers { append(layer, to: &bytes) }
        return bytes
    }

    private static func append(_ layer: LayerFigures, to bytes: inout [UInt8]) {
        let flags = bytes.count
        bytes.append(state(layer))
        if let width = number(layer.width), let height = number(layer.height) {
            bytes[flags] |= Bit.hasSize
            Varint.append(width, to: &bytes)
            Varint.append(height, to: &bytes)
        }
        if let rate = number(layer.frameRate, scale: 100) {
            bytes[flags] |= Bit.hasFrameRate
            Varint.append(rate, to: &bytes)
        }
        if let bitrate = number(layer.bitrate, scale: 1) {
            bytes[flags] |= Bit.hasBitrate
            Varint.append(bitrate, to: &bytes)
        }
        if let rid = layer.rid, rid.utf8.count <= LayerFigures.ridLimit {
            bytes[flags] |= Bit.hasRID
            Varint.append(UInt64(rid.utf8.count), to: &bytes)
            bytes.append(contentsOf: rid.utf8)
        }
    }

    private static func state(_ layer: LayerFigures) -> UInt8 {
        var state: UInt8 = 0
        if let enabled = layer.enabled { state |= Bit.knowsEnabled | (enabled ? Bit.isEnabled : 0) }
        if let sending = layer.sending { state |= Bit.knowsSending | (sending ? Bit.isSending : 0) }
        return state
    }

    /// Values out of range are absent.
    private static func number(_ value: Int?) -> UInt64? { value.flatMap(UInt64.init(exactly:)) }

    private static func number(_ value: Double?, scale: Double) -> UInt64? {
        value.flatMap { UInt64(exactly: ($0 * scale).rounded()) }
    }
}

// MARK: - Reading

extension LayerBlob {
    /// The layers; `nil` if the bytes are none.
    package static func layers(_ bytes: [UInt8]) -> [LayerFigures]? {
        var reader = ByteReader(bytes[...])
        var layers: [LayerFigures] = []
        while !reader.isAtEnd {
            guard layers.count < MediaFigures.layerLimit, let layer = layer(&reader) else {
                return nil
            }
            layers.append(layer)
        }
        return layers
    }

    private static func layer(_ reader: inout ByteReader) -> LayerFigures? {
        guard let flags = reader.byte() else { return nil }
        var layer = LayerFigures()
        if flags & Bit.knowsEnabled != 0 { layer.enabled = flags & Bit.isEnabled != 0 }
        if flags & Bit.knowsSending != 0 { layer.sending = flags & Bit.isSending != 0 }
        if flags & Bit.hasSize != 0 {
            guard let width = reader.number(), let height = reader.number() else { return nil }
            layer.width = Int(clamping: width)
            layer.height = Int(clamping: height)
        }
        if flags & Bit.hasFrameRate != 0 {
            guard let rate = reader.number() else { return nil }
            layer.frameRate = Double(rate) / 100
        }
        if flags & Bit.hasBitrate != 0 {
            guard let bitrate = reader.number() else { return nil }
            layer.bitrate = Double(bitrate)
        }
        if flags & Bit.hasRID != 0 {
            guard let rid = reader.text(upTo: LayerFigures.ridLimit) else { return nil }
            layer.rid = rid
        }
        return layer
    }
}
