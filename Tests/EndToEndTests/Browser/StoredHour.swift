// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallHistory
import CallModel
import CallStore
import Foundation
import HistoryWriter
import Logging
import SessionServer
import SessionWire
import TestSupport

/// A server with an hour of a call of three in its store, in which everyone publishes and sees the others.
struct StoredHour {
    static let people = ["alice", "bob", "carol"]
    static let seconds = 3600
    static let session = "hour"

    let address: String
    let token: String

    /// Runs `body` beside the server.
    static func serve(_ body: (StoredHour) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("calls.sqlite").path
        try await fill(path)
        let secret = UUID().uuidString + UUID().uuidString
        var configuration = SessionServerConfiguration(applicationID: "tests", applicationSecret: secret)
        configuration.port = 0
        configuration.store = .init(path: path)
        configuration.store?.keepsNames = true
        let server = SightlineServer(
            configuration: configuration, logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await server.run() }
        let result: Result<Void, any Error>
        do {
            let tokens = try await APITokens(applicationID: "tests", applicationSecret: secret)
            let hour = StoredHour(
                address: "http://127.0.0.1:\(try await server.boundPort)/",
                token: try await tokens.token([.read, .names]).token)
            result = .success(try await body(hour))
        } catch {
            result = .failure(error)
        }
        await server.shutdown()
        try await running.value
        try result.get()
    }

    // MARK: The call

    private static func fill(_ path: String) async throws {
        let start = (Date().timeIntervalSince1970 - Double(seconds) - 60).rounded() * 1000
        let store = try SQLiteCallStore(path: path)
        var records: [StoreRecord] = [.session(name: session, kind: .hosted(.routed), createdAt: start)]
        for name in people {
            records.append(
                .connection(
                    .init(
                        name: name, session: session, participant: name, displayName: name, role: .publisher,
                        joinedAt: start)))
            records.append(
                .stream(
                    .init(
                        name: "\(name)-stream", session: session, connection: name,
                        content: .init(hasAudio: true, hasVideo: true), createdAt: start)))
        }
        let flows = people.enumerated().flatMap { number, own in
            people.enumerated().map { other, sender in
                (FlowKey(connection: own, number: Int64(3 * number + other + 1)), sender)
            }
        }
        records += flows.map { key, sender in
            .flow(
                .init(
                    key: key, session: session, stream: "\(sender)-stream",
                    role: key.connection == sender ? .publisher : .subscriber, createdAt: start))
        }
        for second in 0..<seconds {
            records += flows.map { key, sender in
                let time = start + Double(second) * 1000
                let mark = EventMark(time: time, capturedAt: time, event: Int64(second * 9) + key.number)
                let sample = sample(second, Int(key.number), isPublisher: key.connection == sender)
                return .sample(.init(flow: key, observer: .client, mark: mark, sample: sample))
            }
            guard records.count > 5000 || second == seconds - 1 else { continue }
            let outcome = try await store.write(records)
            guard outcome.rejected == 0 else { throw Chromium.Failure(description: "\(outcome)") }
            records = []
        }
        try store.close()
    }

    /// Figures that move as real ones do; a minute of it is bad.
    private static func sample(_ second: Int, _ flow: Int, isPublisher: Bool) -> StreamSample {
        let isBad = (1800..<1860).contains(second) && flow == 2
        let wave = Double((second * 7919 + flow * 104_729) % 1000) / 1000
        var sample = StreamSample()
        sample.networkCondition = isBad ? .warning : .excellent
        sample.networkConditionReason = isBad ? .packetLoss : NetworkReason.none
        sample.networkDegradationSource = isPublisher ? nil : isBad ? .local : NetworkDegradationSource.none
        sample.connectionEstimatedBandwidth = 2e6 + 1e6 * wave
        sample.bandwidthDemand = 1_500_000
        sample.roundTripTime = 0.04 + 0.01 * wave
        sample.fractionLost = isBad ? 0.06 : 0
        sample.diagnosis =
            isBad
            ? .init(cause: .packetLoss, direction: .downlink, side: .local, severity: .disturbing)
            : .init(cause: .none)
        var video = MediaFigures()
        video.packets = UInt64(second * 100)
        video.bitrate = 8e5 + 2e5 * wave
        video.jitter = 0.01 * wave
        (video.width, video.height) = (640, 360)
        video.frameRate = 29 + wave
        if isPublisher {
            video.layers = [180, 360, 720].map { height in
                LayerFigures(
                    rid: "r\(height)", enabled: true, sending: height < 720 || !second.isMultiple(of: 60),
                    width: height * 16 / 9, height: height, frameRate: 30, bitrate: Double(height) * 1000)
            }
        } else {
            video.mos = 4 + 0.3 * wave
            video.freezeCount = second / 600
            video.totalFreezesDuration = Double(second / 600) * 300
        }
        sample.video = video
        var audio = MediaFigures()
        audio.bitrate = 32_000 + 1000 * wave
        audio.jitter = 0.005 * wave
        audio.mos = isPublisher ? nil : 4.2
        sample.audio = audio
        return sample
    }
}
