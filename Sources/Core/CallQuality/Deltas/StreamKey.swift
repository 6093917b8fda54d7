// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// Identifies RTP streams, and puts those that are equal otherwise in an order.
enum StreamKey {
    /// An SSRC; where there is none a hash of the entry's id (FNV-1a) stands for it.
    ///
    /// Swift's own hashes differ from process to process, and the same recording has to give the same
    /// observations.
    static func of(ssrc: UInt64?, id: String) -> UInt64 {
        if let ssrc { return ssrc }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash | 1 << 63
    }
}
