// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import SessionWire
import WebRTCStats

/// A peer connection of a participant of an observed call.
struct ObservedPeer: Sendable {
    struct ID: Hashable, Sendable, Comparable {
        let participant: String
        /// The participant's name for it.
        let name: String

        static func < (first: Self, second: Self) -> Bool {
            (first.participant, first.name) < (second.participant, second.name)
        }
    }

    /// What is judged alone: all that it sends or receives, or a track where there are several of a kind.
    struct View: Hashable, Sendable {
        let role: StreamRole
        let track: MediaTrack?

        /// What no other one of the peer connection has at the same time.
        var name: String { track.map { "\(role.rawValue) \($0.label)" } ?? role.rawValue }
    }

    /// The call's own number for it.
    let number: UInt64
    let beganAt: Duration
    var heardAt: Duration
    var observer: ConnectionObserver
    var rebuilder = ReportRebuilder()
    var redactor = StatsRedactor()
    /// The time of the report before, by its own clock; `nil` before the first.
    var lastTimestamp: Double?
    /// Who is at its other end, as the app says.
    var remote: String?
    /// What the app says of its tracks, by `trackIdentifier`.
    var tags: [String: TrackTag] = [:]
    var flows: [View: ObservedFlow] = [:]
    /// What was measured of streams whose sender may yet become known.
    private(set) var waiting = WaitingSamples()
    /// `nil` while it has sent nothing.
    var sent: SentMedia?
    /// The path of what it sends.
    var path = SentPath()
    /// Which way its packets went last; `nil` while no one knows.
    var route: ObservedRoute?

    init(number: UInt64, configuration: QualityConfiguration, at now: Duration) {
        self.number = number
        beganAt = now
        heardAt = now
        observer = ConnectionObserver(configuration: configuration)
    }

    /// Whether anything may wait for its sender to be known.
    func mayWait(at now: Duration) -> Bool {
        waiting.takesMore && now - beganAt < ObservedCall.pairingDelay
    }

    /// Whether a flow of it has begun, or waits for its sender.
    func knows(_ view: View) -> Bool { flows[view] != nil || waiting.contains(view) }

    /// Whether tracks that it receives are judged by themselves.
    var receivesTracks: Bool {
        (waiting.views + flows.keys).contains { $0.role == .subscriber && $0.track != nil }
    }

    /// - Parameter report: What it was measured with.
    mutating func hold(_ sample: WaitingSample, of report: StatsReport) { waiting.hold(sample, of: report) }

    /// What waited for a view to be known.
    mutating func takeWaiting(_ view: View) -> [WaitingSample] { waiting.take(view) }
}
