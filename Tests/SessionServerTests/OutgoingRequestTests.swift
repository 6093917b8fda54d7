// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import Foundation
import TestSupport
import Testing

@testable import SessionServer

@Suite("Requests to other servers", .timeLimit(.minutes(3)))
struct OutgoingRequestTests {
    @Test(
        "may be given up at any moment of theirs, by a deadline or with their task", arguments: Seed.draw(1))
    func givenUp(seed: UInt64) async throws {
        let server = try await HTTPReceiver.start()
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/hook"))
        var random = SeededRandom(seed: seed)
        let answers = await withTaskGroup(of: Bool.self) { group in
            var answers: [Bool: Int] = [:]
            for number in 0..<2000 {
                let moment = Duration.microseconds(100 + random.next(30_000))
                if number >= 4, let isAnswered = await group.next() { answers[isAnswered, default: 0] += 1 }
                group.addTask {
                    let request = OutgoingRequest(posting: Data("{}".utf8), to: url)
                    guard number.isMultiple(of: 2) else { return await request.answer(within: moment) != nil }
                    let task = Task { await request.answer() }
                    try? await Task.sleep(for: moment)
                    task.cancel()
                    return await task.value != nil
                }
            }
            return answers
        }
        // Both come about, or it would show nothing.
        #expect(answers.count == 2)
        // And the next one is answered.
        #expect(await OutgoingRequest(posting: Data(), to: url).answer()?.isSuccess == true)
        await server.stop()
    }

    @Test("that cannot be made, and those of whose answer too much comes")
    func refused() async throws {
        for (address, reason) in [
            ("ftp://127.0.0.1/", "no http"), ("nonsense", "no http"), ("http:///x", "no http"),
            ("http://127.0.0.1:0/", "1 to 65535"), ("http://127.0.0.1:65536/", "1 to 65535"),
            ("https://[::1]:99999/", "1 to 65535"), ("http://127.0.0.1:1/", "refused the connection"),
        ] {
            let url = try #require(URL(string: address))
            // At once, not when its time is over.
            let outcome = await OutgoingRequest(url).outcome(within: .seconds(300))
            #expect(Self.reason(outcome).contains(reason), "\(address): \(Self.reason(outcome))")
        }
        let server = try await HTTPReceiver.start(
            [.body(String(repeating: "a", count: 100_000))], at: "/hook")
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/hook"))
        let answer = await OutgoingRequest(posting: Data(), to: url).answer(upTo: 1000)
        #expect(answer?.status == 200)
        #expect(answer?.body == Data(repeating: 0x61, count: 1000))
        let unsendable = OutgoingRequest(posting: Data(), to: url, headers: ["a": "b\r\nc: d"])
        let reason = Self.reason(await unsendable.outcome())
        #expect(!reason.isEmpty && !reason.contains("c: d"))
        await server.stop()
    }

    /// Why there is no answer; empty if there is one.
    private static func reason(
        _ outcome: Result<OutgoingRequest.Answer, OutgoingRequest.NoAnswer>
    ) -> String {
        guard case .failure(let error) = outcome else { return "" }
        return error.reason
    }

    @Test("one that is answered too late says so")
    func late() async throws {
        let server = try await HTTPReceiver.start([.nothing], at: "/hook")
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/hook"))
        let outcome = await OutgoingRequest(url).outcome(within: .milliseconds(50))
        #expect(Self.reason(outcome) == "no answer in time")
        await server.stop()
    }

    @Test(
        "one to a server whose certificate no one has signed says that it is TLS",
        .enabled(if: TestCertificate.isPossible, "needs openssl"))
    func certificate() async throws {
        let files = try TestCertificate()
        defer { try? files.remove() }
        var configuration = TestServer.configuration
        configuration.tls = .init(certificateChain: files.certificate, privateKey: files.key)
        try await TestServer.run(configuration) { server in
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/livez"))
            let reason = Self.reason(await OutgoingRequest(url).outcome(within: .seconds(60)))
            #expect(reason.hasPrefix("TLS: "), "\(reason)")
        }
    }

    @Test("credentials of an address are sent as Basic, unless there are others")
    func credentials() async throws {
        let server = try await HTTPReceiver.start()
        let url = try #require(URL(string: "http://us%20er:p%40ss@127.0.0.1:\(server.port)/hook"))
        #expect(await OutgoingRequest(url).answer()?.isSuccess == true)
        let other = OutgoingRequest(url, headers: ["authorization": "Bearer x"])
        #expect(await other.answer()?.isSuccess == true)
        let sent = try await server.next(2).map { $0.headers["authorization"] }
        #expect(sent == ["Basic dXMgZXI6cEBzcw==", "Bearer x"])
        await server.stop()
    }
}
