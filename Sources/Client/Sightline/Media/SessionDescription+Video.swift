// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import MediaEngine

extension SessionDescription {
    /// Whether an answer takes no video: the ends have no codec in common.
    ///
    /// A rejected media section has port 0 (RFC 8829, 5.3.1).
    var rejectsVideo: Bool {
        sdp.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("m=video 0 ") }
    }
}
