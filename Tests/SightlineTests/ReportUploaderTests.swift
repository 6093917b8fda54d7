// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CallModel
import Foundation
import MediaEngine
import SessionWire
import Synchronization
import Testing
import WebRTCStats

@testable import Sightline

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Sending an app's own reports to a server")
struct ReportUploaderTests {
    /// A token whose claims name a call; no one here checks its signature.
    private static let token: String = {
        let claims = Data(#"{"observer":{"call":"room 7","participant":"alice"}}"#.utf8).base64EncodedString()
        return "e30.\(claims.replacing("=", with: "")).x"
    }()

    /// A server that answers as it is asked to, and keeps what it was sent.
    private final class Inbox: Sendable {
        private let state = Mutex<(status: Int, requests: [URLRequest])>((200, []))

        var requests: [URLRequest] { state.withLock { $0.requests } }

        func answer(_ status: Int) { state.withLock { $0.status = status } }

        func take(_ request: URLRequest) -> Int {
            state.withLock { state in
                state.requests.append(request)
                return state.status
            }
        }

        /// Reports of each request.
        var counts: [Int] {
            requests.map { request in
                struct Body: Decodable {
                    struct Entry: Decodable { var peerConnection: String }
                    var reports: [Entry]
                }
                return (try? JSONDecoder().decode(Body.self, from: request.httpBody ?? Data()))?.reports.count
                    ?? -1
            }
        }
    }

    private let clock = VirtualClock()
    private let inbox = Inbox()
    private let server = URL(string: "https://quality.example.org") ?? URL(filePath: "/")

    private func pass(_ seconds: Int) async {
        for _ in 0..<seconds {
            await eventually("the uploader sleeps") { clock.sleepers == 1 }
            clock.advance(by: .seconds(1))
        }
        await eventually("the uploader sleeps") { clock.sleepers == 1 }
    }

    private func uploader() throws -> ReportUploader {
        try ReportUploader(
            to: server, token: Self.token, clock: clock.sessionClock, post: { [inbox] in inbox.take($0) })
    }

    @Test("reports go to the call of the token once a second, without addresses, and the end is said")
    func sends() async throws {
        let uploader = try uploader()
        let task = Task { await uploader.run() }
        var report = StatsReport(timestamp: 1000)
        var candidate = CandidateStats(id: "C", timestamp: 1000)
        candidate.address = "192.0.2.7"
        report.localCandidates = [candidate]
        uploader.take(report, of: 1)
        uploader.take(report, of: 1)
        await pass(1)
        await pass(3)
        #expect(inbox.counts == [2])
        let request = try #require(inbox.requests.first)
        #expect(request.url?.absoluteString == "https://quality.example.org/v1/calls/room%207/reports")
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer \(Self.token)")
        #expect(!String(decoding: request.httpBody ?? Data(), as: UTF8.self).contains("192.0.2.7"))
        task.cancel()
        await task.value
        #expect(
            inbox.requests.last.map {
                String(decoding: $0.httpBody ?? Data(), as: UTF8.self).contains("closed")
            } == true)
    }

    @Test(
        "what the server did not get is sent again, after longer and longer pauses, and no more than is kept")
    func retries() async throws {
        let uploader = try uploader()
        let task = Task { await uploader.run() }
        inbox.answer(503)
        for second in 0..<300 { uploader.take(StatsReport(timestamp: Double(second)), of: 1) }
        await pass(8)
        #expect(inbox.counts == [32, 32, 32, 32])
        inbox.answer(200)
        await pass(40)
        #expect(inbox.counts.dropFirst(4).reduce(0, +) == 240)
        task.cancel()
        await task.value
    }

    @Test(
        "what the app says of its tracks is in the first report of a request and of a peer connection, and where it changes"
    )
    func tags() async throws {
        let monitor = CallMonitor(EmptySource())
        try monitor.tagTrack("t1", participant: "bob", name: "camera")
        let uploader = try uploader()
        monitor.upload(uploader)
        for second in 1...2 { uploader.take(StatsReport(timestamp: Double(second)), of: 1) }
        try monitor.tagTrack("t2", name: "screen")
        uploader.take(StatsReport(timestamp: 3), of: 1)
        await pass(1)
        for track in ["t1", "t2"] { try monitor.tagTrack(track) }
        for second in 4...5 { uploader.take(StatsReport(timestamp: Double(second)), of: 1) }
        await pass(1)
        let said = try inbox.requests.map { request in
            try ObservedReports(json: Array(request.httpBody ?? Data())).reports.map(\.tracks)
        }
        let camera = ["t1": TrackTag(participant: "bob", name: "camera")]
        #expect(
            said == [
                [camera, nil, camera.merging(["t2": TrackTag(name: "screen")]) { $1 }], [[:], nil],
            ])
        // A peer connection has what was said from its first report on; the entry that closes another does not.
        try monitor.tagTrack("t3", name: "camera")
        for source in 1...2 { uploader.take(StatsReport(timestamp: 6), of: source) }
        await pass(1)
        let last = try ObservedReports(json: Array(inbox.requests.last?.httpBody ?? Data())).reports
        let again = ["t3": TrackTag(name: "camera")]
        #expect(last.map(\.tracks) == [again, nil, again] && last[1].content == .closed)
        monitor.stop()
    }

    @Test("what no server takes of tracks is refused where it is said, and what was said before stays")
    func refusedTags() throws {
        let monitor = CallMonitor(EmptySource())
        let long = String(repeating: "x", count: 129)
        for (track, name) in [(long, "camera"), ("t", long), ("t", "")] {
            #expect(throws: SightlineError.self) { try monitor.tagTrack(track, name: name) }
        }
        for track in 0..<256 { try monitor.tagTrack("t\(track)", name: "camera") }
        #expect(throws: SightlineError.self) { try monitor.tagTrack("one more", name: "camera") }
        try monitor.tagTrack("t7")
        try monitor.tagTrack("one more", name: "camera")
    }

    @Test("a rating goes to the call of the token, and is sent again where that may help")
    func rating() async throws {
        let uploader = try uploader()
        let rating = try CallRating(4, reason: "delay")
        try await uploader.rate(rating)
        let request = try #require(inbox.requests.first)
        #expect(request.url?.absoluteString == "https://quality.example.org/v1/calls/room%207/ratings")
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer \(Self.token)")
        #expect(try JSONDecoder().decode(CallRating.self, from: request.httpBody ?? Data()) == rating)
        inbox.answer(404)
        let later = Task { try await uploader.rate(rating) }
        await eventually("it waits for its next try") { clock.sleepers == 1 }
        inbox.answer(204)
        clock.advance(by: .seconds(1))
        try await later.value
        #expect(inbox.requests.count == 3)
    }

    @Test(
        "a rating that is not taken says why, at once or after a few tries",
        arguments: [
            (403, SightlineError.Code.invalidToken, 1), (400, .server, 1), (404, .unknownSession, 4),
            (503, .server, 4), (429, .tooMany, 4),
        ])
    func refusedRating(status: Int, code: SightlineError.Code, tries: Int) async throws {
        let uploader = try uploader()
        inbox.answer(status)
        let task = Task { try await uploader.rate(CallRating(1)) }
        for pause in [1, 2, 4].prefix(tries - 1) {
            await eventually("it waits for its next try") { clock.sleepers == 1 }
            clock.advance(by: .seconds(pause))
        }
        let error = await #expect(throws: SightlineError.self) { try await task.value }
        #expect(error?.code == code && inbox.requests.count == tries)
    }

    @Test("a monitor whose reports go nowhere has no one to send a rating to")
    func noServer() async throws {
        let monitor = CallMonitor(EmptySource())
        let error = await #expect(throws: SightlineError.self) { try await monitor.rate(CallRating(1)) }
        #expect(error?.code == .notConnected)
        monitor.upload(try uploader())
        monitor.stop()
        try await monitor.rate(CallRating(2))
        #expect(inbox.requests.contains { $0.url?.lastPathComponent == "ratings" })
    }

    private struct EmptySource: StatsSource {
        func statistics() async throws -> StatsReport { StatsReport() }
    }

    @Test("a token that the server refuses ends it; one that names no call is refused at once")
    func refused() async throws {
        let uploader = try uploader()
        inbox.answer(403)
        let task = Task { await uploader.run() }
        uploader.take(StatsReport(timestamp: 1), of: 1)
        await eventually("the uploader sleeps") { clock.sleepers == 1 }
        clock.advance(by: .seconds(1))
        await task.value
        #expect(inbox.counts == [1])
        for token in ["", "x", "a.b.c", "e30.e30.x"] {
            #expect(throws: SightlineError.self) {
                try ReportUploader(to: server, token: token, clock: clock.sessionClock)
            }
        }
    }
}
