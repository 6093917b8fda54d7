// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import Foundation
import SessionWire

/// Calls of two, as a server has them stored.
struct StoredCalls {
    /// Unix ms.
    static let start = 1_700_000_040_000.0

    /// A folder for one benchmark's files, which goes with it.
    static func inFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sightline-bench-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    /// A call's flows: alice publishes, the others subscribe.
    static func flows(_ session: String, people: Int = 2) -> [FlowKey] {
        (0..<people).map { FlowKey(connection: "\(session)-\($0)", number: Int64($0 + 1)) }
    }

    /// Who is in a call, and what is published.
    static func beginning(_ session: String, people: Int = 2, at time: Double) -> [StoreRecord] {
        let flows = flows(session, people: people)
        let stream = "\(session)-stream"
        let connections = flows.enumerated().map { number, flow in
            StoreRecord.connection(
                .init(
                    name: flow.connection, session: session, participant: "p\(number)",
                    role: number == 0 ? .publisher : .subscriber, joinedAt: time))
        }
        let publication = StoreRecord.stream(
            .init(
                name: stream, session: session, connection: flows[0].connection,
                content: .init(hasAudio: true, hasVideo: true), createdAt: time))
        let ends = flows.enumerated().map { number, flow in
            StoreRecord.flow(
                .init(
                    key: flow, session: session, stream: stream, role: number == 0 ? .publisher : .subscriber,
                    createdAt: time))
        }
        return [.session(name: session, kind: .hosted(.routed), createdAt: time)] + connections + [
            publication
        ]
            + ends
    }

    static func end(_ session: String, at time: Double) -> StoreRecord {
        .sessionEnded(name: session, at: time)
    }

    /// One flow's second; the publisher's, which is the first of a call, tells three layers.
    static func record(_ flow: FlowKey, _ time: Double, _ sample: StreamSample) -> StoreRecord {
        let id = "\(flow.connection)-\(Int64(time))"
        var sample = sample
        if flow.number == 1 { sample.video?.layers = layers }
        return .sample(
            .init(
                flow: flow, observer: .client,
                mark: .init(time: time, capturedAt: time, eventId: id), sample: sample))
    }

    /// Seconds of which ten in a row are bad.
    static let period = 300

    /// A sample with everything in it; some seconds are bad.
    ///
    /// - Parameter shift: By how many seconds those come earlier: where they are the same for many flows, so are the commits that
    ///   have their alerts.
    static func sample(_ second: Int, shift: Int = 0) -> StreamSample {
        let isBad = (70..<80).contains((second + shift) % period)
        var sample = StreamSample()
        sample.networkCondition = isBad ? .warning : .excellent
        sample.networkConditionReason = isBad ? .packetLoss : NetworkReason.none
        sample.connectionEstimatedBandwidth = 1_500_000 + Double(second % 977) * 1000
        sample.roundTripTime = 0.0425
        sample.fractionLost = isBad ? 0.06 : 0.001
        sample.bandwidthDemand = 1_000_000
        sample.networkDegradationSource = isBad ? .local : NetworkDegradationSource.none
        sample.diagnosis =
            isBad
            ? .init(cause: .packetLoss, direction: .downlink, side: .local, severity: .disturbing)
            : .init(cause: .none, side: NetworkDegradationSource.none)
        sample.audio = audio(second)
        sample.video = video(second)
        return sample
    }

    private static let layers = [(320, 180), (640, 360), (1280, 720)].map { width, height in
        LayerFigures(
            rid: "r\(height)", enabled: true, sending: true, width: width, height: height, frameRate: 29.97,
            bitrate: Double(width * 700))
    }

    private static func audio(_ second: Int) -> MediaFigures {
        var audio = MediaFigures()
        audio.packets = UInt64(second * 50)
        audio.packetsLost = Int64(second / 100)
        audio.bytes = UInt64(second * 6000)
        audio.bitrate = 48_000
        audio.jitter = 0.0035
        audio.audioLevel = 0.25
        audio.mos = 4.12
        return audio
    }

    private static func video(_ second: Int) -> MediaFigures {
        var video = MediaFigures()
        video.packets = UInt64(second * 100)
        video.packetsLost = Int64(second / 10)
        video.bytes = UInt64(second * 112_000)
        video.bitrate = 900_000
        video.jitter = 0.012
        video.width = 1280
        video.height = 720
        video.frameRate = 29.97
        video.freezeCount = second / 300
        video.totalFreezesDuration = Double(second / 300) * 400
        video.pauseCount = 0
        video.totalPausesDuration = 0
        video.mos = 3.9
        return video
    }
}
