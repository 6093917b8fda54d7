// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import MediaEngine
import WebRTC
import WebRTCStats

// WebRTC.framework's peer connections are proxies that hand every call to the engine's own thread, hence unchecked.
/// The statistics of an app's own `RTCPeerConnection`, for a `CallMonitor`.
///
/// `CallMonitor(connection.statisticsSource)` is all that an app with its own WebRTC needs.
public struct PeerConnectionStatistics: StatsSource, @unchecked Sendable {
    private let connection: RTCPeerConnection

    /// Reads the statistics of a peer connection, which it keeps alive.
    public init(_ connection: RTCPeerConnection) {
        self.connection = connection
    }

    /// One `getStats()` report; never throws.
    public func statistics() async throws -> StatsReport {
        await withCheckedContinuation { continuation in
            connection.statistics { continuation.resume(returning: StatsReport($0)) }
        }
    }
}

extension RTCPeerConnection {
    /// The peer connection's statistics, for a `CallMonitor`.
    public var statisticsSource: PeerConnectionStatistics { PeerConnectionStatistics(self) }
}
#endif
