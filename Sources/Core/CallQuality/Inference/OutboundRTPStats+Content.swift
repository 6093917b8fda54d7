// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

extension OutboundRTPStats {
    /// Whether its engine says that the video is of a screen: libwebrtc reports so, the specification has no member for it.
    var isScreenShare: Bool { extra["contentType"]?.text == "screenshare" }
}
