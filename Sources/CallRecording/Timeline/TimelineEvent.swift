// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality

/// Something that happened in a recorded call.
public struct TimelineEvent: Sendable, Equatable {
    /// What happened.
    ///
    /// Open: kinds are added freely.
    public enum Kind: Sendable, Equatable {
        /// The diagnosis has another cause, direction, side or severity than before; also the first one.
        case diagnosisChanged(Diagnosis)
    }

    /// The recorder's time of the report that told it, in Unix ms.
    public var time: Double
    /// The view that shows it.
    public var view: CallView.ID
    /// The stream; `nil` if unknown.
    public var stream: String?
    /// What happened.
    public var kind: Kind

    /// Creates an event.
    public init(time: Double, view: CallView.ID, stream: String? = nil, kind: Kind) {
        self.time = time
        self.view = view
        self.stream = stream
        self.kind = kind
    }
}

extension TimelineEvent: Encodable {
    private enum CodingKeys: String, CodingKey {
        case time, type, role, pc, recording, stream, diagnosis
    }

    /// Writes one object: `time`, `type`, `role`, `pc`, `recording` (its place), `stream` if known, and the payload.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(time, forKey: .time)
        try container.encode(view.role, forKey: .role)
        try container.encode(view.peerConnection, forKey: .pc)
        try container.encode(view.recording, forKey: .recording)
        try container.encodeIfPresent(stream, forKey: .stream)
        switch kind {
        case .diagnosisChanged(let diagnosis):
            try container.encode("diagnosisChanged", forKey: .type)
            try container.encode(diagnosis, forKey: .diagnosis)
        }
    }
}
