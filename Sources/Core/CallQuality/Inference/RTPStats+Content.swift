// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import WebRTCStats

// Whether an engine says that video is of a screen: libwebrtc reports so, the specification has no member for it.

extension OutboundRTPStats {
    var isScreenShare: Bool { extra["contentType"]?.text == "screenshare" }
}

extension InboundRTPStats {
    var isScreenShare: Bool { extra["contentType"]?.text == "screenshare" }
}
