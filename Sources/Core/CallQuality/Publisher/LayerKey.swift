// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

/// What distinguishes the layers of a video.
enum LayerKey: Sendable, Hashable {
    case rid(String)
    /// A simulcast encoding without a rid, by its place in the encodings.
    case encoding(UInt64)
    /// The only one.
    case single

    init(rid: String?) {
        self = rid.map(Self.rid) ?? .single
    }

    init(_ entry: borrowing OutboundRTPStats) {
        if let rid = entry.rid {
            self = .rid(rid)
        } else if let index = entry.encodingIndex {
            self = .encoding(index)
        } else {
            self = .single
        }
    }
}
