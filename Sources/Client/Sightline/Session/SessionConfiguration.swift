// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import CallQuality
import MediaEngine

/// Settings of a session; the defaults suit most apps.
public struct SessionConfiguration: Sendable {
    /// Timeout of requests to the server, and of connecting.
    ///
    /// 10 s.
    public var requestTimeout: Duration = .seconds(10)
    /// How long a session without a socket tries to reconnect before it ends; zero for not at all.
    ///
    /// The server has a limit of its own, 60 s by default; a client that comes later is out of the session.
    /// 60 s.
    public var reconnectionTime: Duration = .seconds(60)
    /// How long the others, and their streams, may take to return to a restarted server before
    /// they count as gone.
    ///
    /// 15 s.
    public var restorationTime: Duration = .seconds(15)
    /// Interval of statistics of publishers and subscribers; 0.2 to 10 s, values outside count as the
    /// nearest one inside.
    ///
    /// 1 s.
    public var statisticsInterval: Duration = .seconds(1)
    /// How much is reported of network quality levels; `nil` for nothing, which is the default.
    ///
    /// ``Session/networkQualityConfiguration`` changes it in the call.
    public var networkQualityConfiguration: NetworkQualityConfiguration?
    /// Whether network quality levels are on; switching them on asks for the own level and for no one else's.
    public var isNetworkQualityEnabled: Bool {
        get { networkQualityConfiguration != nil }
        set {
            networkQualityConfiguration =
                newValue ? networkQualityConfiguration ?? NetworkQualityConfiguration() : nil
        }
    }
    /// Source of the device's output volume, for the warning `lowOSOutputVolumeLevel`; `nil` for no such
    /// warning.
    ///
    /// On iOS the shared audio session; elsewhere `nil`, since a program need not play what it receives.
    /// Linux has ``PulseAudioOutputVolume``.
    public var outputVolume: (any OutputVolumeSource)? = Self.systemOutputVolume
    /// Interval at which the output volume is read; 0.2 s or more.
    ///
    /// 3 s.
    public var outputVolumeInterval: Duration = .seconds(3)
    /// The limits of all judgements.
    public var quality = QualityConfiguration()
    /// Gets each report of each publisher and subscriber with what it is judged by, before it is judged, for
    /// a recording of the call; `nil` for no one.
    ///
    /// Its peer connection is named after the stream: whoever records several clients in one file names it after the
    /// client (`RecordedReport.named(_:)`).
    ///
    /// Called from tasks of the streams' own, possibly at once for several; each waits for it, so it should
    /// only pass the report on.
    public var onReport: (@Sendable (RecordedReport) -> Void)?
    /// Whether what publishers and subscribers measure is sent to the server.
    ///
    /// Without it the other side's figures and the server's view of this client are missing. On.
    public var sendsTelemetry = true
    /// Estimate of the uplink, bps, below which telemetry is sent every 2 s instead of each second.
    ///
    /// Below half of it every 5 s. 100 kbit/s.
    public var thinsTelemetryBelow = 100_000.0
    /// STUN and TURN servers in addition to the server's.
    public var iceServers: [ICEServer] = []
    /// Which candidates may be used.
    public var transportPolicy: PeerConnectionConfiguration.TransportPolicy = .all
    /// Uses the loopback interface only, for tests.
    public var loopbackOnly = false
    /// The app's name and version, for logs and support, such as `my-app 2.1 (Linux)`; `nil` for none.
    public var clientName: String?
    /// The session's clock; tests replace it by a virtual one.
    public var clock: SessionClock = .continuous

    var reconnection = ReconnectionPlan()
    var recovery = RecoveryPlan()
    /// Set by a network test.
    var pathTest: PathTest?
    /// Hears how far the opening of the socket has come.
    var onSignalingProgress: (@Sendable (SignalingProgress) -> Void)?

    /// The defaults.
    public init() {}

    /// How all peer connections are made, with the servers that the session names.
    func peerConnection(
        _ servers: [ICEServer]
    ) -> PeerConnectionConfiguration {
        var peer = PeerConnectionConfiguration()
        peer.iceServers = servers + iceServers
        peer.transportPolicy = transportPolicy
        peer.loopbackOnly = loopbackOnly
        return peer
    }

    /// How all streams are observed.
    var monitor: CallMonitorConfiguration {
        var monitor = CallMonitorConfiguration()
        monitor.interval = statisticsInterval
        monitor.quality = quality
        monitor.onReport = onReport
        monitor.clock = clock
        return monitor
    }

    /// `nil` if nothing knows the volume.
    var outputVolumeWatch: OutputVolumeWatch? {
        outputVolume.map { OutputVolumeWatch($0, interval: outputVolumeInterval, clock: clock) }
    }

    private static var systemOutputVolume: (any OutputVolumeSource)? {
        #if canImport(AVFAudio) && !os(macOS)
        AudioSessionOutputVolume()
        #else
        nil
        #endif
    }
}
