// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

#if canImport(WebRTC)
import Dispatch
import MediaEngine
import WebRTC
import WebRTCStats

// WebRTC.framework's peer connections are proxies that hand every call to the engine's own thread, hence unchecked.
/// The statistics of an app's own `RTCPeerConnection`, for a `CallMonitor`.
///
/// `CallMonitor(connection.statisticsSource)` is all that an app with its own WebRTC needs.
public struct PeerConnectionStatistics: StatsSource, @unchecked Sendable {
    private let connection: RTCPeerConnection
    /// Where the framework's signaling thread is waited for, which no task of Swift's is to do.
    private let calls: DispatchQueue

    /// Reads the statistics of a peer connection, which it keeps alive.
    public init(_ connection: RTCPeerConnection) {
        self.init(connection, on: DispatchQueue(label: "sightline.peer-connections.statistics"))
    }

    init(_ connection: RTCPeerConnection, on calls: DispatchQueue) {
        self.connection = connection
        self.calls = calls
    }

    /// One `getStats()` report; never throws.
    public func statistics() async throws -> StatsReport {
        let answer = await withCheckedContinuation { continuation in
            calls.async {
                connection.statistics { continuation.resume(returning: Answer(report: $0)) }
            }
        }
        // Not on the framework's signaling thread, which everything else waits for.
        return StatsReport(answer.report)
    }

    // A report never changes, hence unchecked.
    private struct Answer: @unchecked Sendable {
        let report: RTCStatisticsReport
    }
}

extension RTCPeerConnection {
    /// The peer connection's statistics, for a `CallMonitor`.
    public var statisticsSource: PeerConnectionStatistics { PeerConnectionStatistics(self) }
}
#endif
