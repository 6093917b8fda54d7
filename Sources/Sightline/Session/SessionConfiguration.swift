// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallQuality
import MediaEngine

/// How a session is run; the defaults suit most apps.
public struct SessionConfiguration: Sendable {
    /// How long the server may take to answer a request; also how long a connection may take to be made.
    ///
    /// 10 s.
    public var requestTimeout: Duration = .seconds(10)
    /// How often publishers and subscribers read their statistics; 0.2 to 10 s, values outside count as the
    /// nearest one inside.
    ///
    /// 1 s.
    public var statisticsInterval: Duration = .seconds(1)
    /// The limits of all judgements.
    public var quality = QualityConfiguration()
    /// Gets each report of each publisher and subscriber with what it is judged by, before it is judged, for a
    /// recording of the call; `nil` for nobody.
    ///
    /// Called from tasks of the streams' own, possibly at once for several; each waits for it, so it should only pass
    /// the report on.
    public var onReport: (@Sendable (ObservedReport) -> Void)?
    /// Whether what publishers and subscribers measure is sent to the server.
    ///
    /// Without it the other side's figures and the server's view of this client are missing. On.
    public var sendsTelemetry = true
    /// STUN and TURN servers beside those that the server names.
    public var iceServers: [PeerConnectionConfiguration.ICEServer] = []
    /// Which candidates may be used.
    public var transportPolicy: PeerConnectionConfiguration.TransportPolicy = .all
    /// Uses the loopback interface only, for tests.
    public var loopbackOnly = false
    /// What the app is, for logs and support, such as `my-app 2.1 (Linux)`; `nil` to say nothing.
    public var clientName: String?
    /// The time that the session lives by; tests put a virtual one in its place.
    public var clock: SessionClock = .continuous

    var recovery = RecoveryPlan()

    /// The defaults.
    public init() {}
}
