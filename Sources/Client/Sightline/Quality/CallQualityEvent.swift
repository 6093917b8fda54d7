// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// A call quality warning of a session's streams, raised or cleared.
public struct CallQualityEvent: Sendable, Hashable {
    /// The warning, whether it was raised or cleared, with its media and direction.
    public var warning: CallQualityWarning
    /// Which end of the stream it is about; `nil` for a warning about the device.
    public var role: StreamRole?
    /// The stream; `nil` for a warning about the device, and for a stream that has no id yet.
    public var streamId: String?

    /// Creates an event.
    public init(warning: CallQualityWarning, role: StreamRole? = nil, streamId: String? = nil) {
        self.warning = warning
        self.role = role
        self.streamId = streamId
    }
}

extension CallQualityWarning.Kind {
    /// Whether it is about the device rather than about one of its streams.
    var isOfDevice: Bool { self == .lowOSOutputVolumeLevel }
}
