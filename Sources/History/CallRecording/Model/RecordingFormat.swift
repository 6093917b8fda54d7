// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/// The forms in which calls come recorded.
public enum RecordingFormat: String, Hashable, Codable, Sendable, CaseIterable {
    /// Ours: a JSON object a line, one report each, `{"time":ms,"pc":"id","stats":[…],"intent":{…}}`.
    case sightline
    /// A JSON object a line with the reports of all peer connections,
    /// `{"timestamp":ms,"peerConnections":[["id",[…]]]}`; the form that engines use for their replay tests.
    case replayEntry
    /// What rtcstats servers write and Chromium saves as "rtcstats dump": a JSON array a line,
    /// `[method, pc, value, …, time]`, reports whole or as differences to the ones before.
    case rtcstats
    /// What Chromium saves from `chrome://webrtc-internals`: one JSON object with a series per id and member.
    case webrtcInternals
    /// What Firefox copies from `about:webrtc` ("Copy Report", "Copy Report History"): one JSON object with the entries
    /// of a report sorted by kind.
    case aboutWebRTC
}
